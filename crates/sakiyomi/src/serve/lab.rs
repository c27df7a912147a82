//! What all requests share, and how they are read and worked on.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::api::{ApiError, ErrorCode};
use super::jobs::Jobs;
use super::limits::{LIMITS, MAX_REBUILDS, SEARCH_MEMORY, ServeSettings};
use super::panics::without_panic;
use super::sealed::SealedChoices;
use crate::accept::{self, Unread};

/// What all requests share.
#[derive(Debug)]
pub(super) struct Lab {
    pub(super) settings: ServeSettings,
    /// The memory that is left for searches.
    pub(super) search_memory: Arc<Semaphore>,
    pub(super) rebuilds: Semaphore,
    pub(super) sealed: SealedChoices,
    pub(super) jobs: Jobs,
}

pub(super) type Shared = Arc<Lab>;

impl Lab {
    pub(super) fn new(settings: ServeSettings) -> Lab {
        Lab {
            search_memory: Arc::new(Semaphore::new(SEARCH_MEMORY)),
            rebuilds: Semaphore::new(MAX_REBUILDS),
            sealed: SealedChoices::default(),
            jobs: Jobs::load(&settings),
            settings,
        }
    }

    /// Does work that takes a while, away from the threads that answer.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let _turn = self.rebuilds.acquire().await.map_err(ApiError::failed)?;
        spawn_blocking(|| without_panic(work)).await.map_err(ApiError::failed)?
    }
}

/// JSON whose faults are told in the one form of errors.
pub(super) struct Body<T>(pub(super) T);

impl<T: serde::de::DeserializeOwned> FromRequest<Shared> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, lab: &Shared) -> Result<Body<T>, ApiError> {
        let patience = lab.settings.patience;
        let body = accept::read_body(request.into_body(), LIMITS.upload_bytes);
        let bad = |message| ApiError::new(ErrorCode::BadRequest, message);
        let bytes = match timeout(patience, body).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(Unread::TooLong)) => {
                let message = format!("a request may have up to {} bytes", LIMITS.upload_bytes);
                return Err(ApiError::new(ErrorCode::TooLarge, message));
            }
            Ok(Err(Unread::Broken(error))) => {
                return Err(bad(format!("the request cannot be read: {error}")));
            }
            Err(_) => return Err(bad(format!("the request did not arrive within {patience:?}"))),
        };
        let axum::Json(value) =
            axum::Json::from_bytes(&bytes).map_err(|rejection| bad(rejection.body_text()))?;
        Ok(Body(value))
    }
}

/// Parts of an address whose faults are told in the one form of errors.
pub(super) struct PathOf<T>(pub(super) T);

impl<T: serde::de::DeserializeOwned + Send> FromRequestParts<Shared> for PathOf<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, lab: &Shared) -> Result<PathOf<T>, ApiError> {
        match Path::from_request_parts(parts, lab).await {
            Ok(Path(value)) => Ok(PathOf(value)),
            Err(rejection) => Err(ApiError::new(ErrorCode::BadRequest, rejection.body_text())),
        }
    }
}
