//! What all requests share, and how they are read and worked on.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use sakiyomi_catalog::cancellable;
use sakiyomi_core::Stop;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::api::{ApiError, ErrorCode};
use super::jobs::Jobs;
use super::limits::{LIMITS, MAX_WAITING_SEARCHES, SEARCH_MEMORY, SEARCH_THREADS, ServeSettings};
use super::panics::without_panic;
use super::queues::{Kind, Queue, Queues};
use super::sealed::SealedChoices;
use crate::accept::{self, Unread};

/// What all requests share.
#[derive(Debug)]
pub(super) struct Lab {
    pub(super) settings: ServeSettings,
    /// The memory that is left for searches, and their threads.
    pub(super) search_memory: Queue,
    pub(super) search_threads: Queue,
    queues: Queues,
    pub(super) sealed: SealedChoices,
    pub(super) jobs: Jobs,
}

pub(super) type Shared = Arc<Lab>;

impl Lab {
    pub(super) fn new(settings: ServeSettings) -> Lab {
        Lab {
            search_memory: Queue::new("searches", SEARCH_MEMORY, MAX_WAITING_SEARCHES),
            search_threads: Queue::new("searches", SEARCH_THREADS, MAX_WAITING_SEARCHES),
            queues: Queues::new(),
            sealed: SealedChoices::default(),
            jobs: Jobs::load(&settings),
            settings,
        }
    }

    /// Does work that takes a while, away from the threads that answer. It is stopped when the
    /// client has gone, or after as long as a search may take.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        kind: Kind,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.work_until(Arc::new(Stop::new()), kind, work).await
    }

    /// The same; what is made of games goes on until `stop` is requested.
    pub(super) async fn work_until<T: Send + 'static>(
        &self,
        stop: Arc<Stop>,
        kind: Kind,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let turn = self.queues.of(kind).turn(1).await?;
        let mut leaving = StopOnDrop(Some(Arc::clone(&stop)));
        let done = spawn_blocking(move || {
            // What was stopped keeps its turn until it has ended.
            let _turn = turn;
            without_panic(|| cancellable(&stop, work))
        });
        let Ok(done) = timeout(Duration::from_secs_f64(LIMITS.seconds), done).await else {
            let message = format!("this takes more than {} s", LIMITS.seconds);
            return Err(ApiError::new(ErrorCode::TooLarge, message));
        };
        leaving.0 = None;
        done.map_err(ApiError::failed)?
    }
}

/// Requests a stop when it is dropped.
#[derive(Debug)]
pub(super) struct StopOnDrop(pub(super) Option<Arc<Stop>>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        if let Some(stop) = &self.0 {
            stop.request();
        }
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
