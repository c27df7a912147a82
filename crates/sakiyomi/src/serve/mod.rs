//! The lab in the browser: the page itself, and what it asks for (docs/api.md).
//!
//! A match is never kept here: every request carries its record, and the answer is worked out from it.
//! The server holds only what runs (searches, jobs) and what must stay hidden or is too large for an
//! address (choices made at once, rules that were handed over).

pub mod api;
mod compress;
mod fair;
mod guard;
mod jobs;
mod maps;
mod matches;
mod opponents;
mod page;
mod results;
mod runs;
mod samples;
mod sealed;
mod shipped;
mod think;

use std::any::Any;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use api::{ApiError, ErrorCode, Limits};
pub use guard::offer_networks;
use jobs::Jobs;
use sealed::SealedChoices;

use crate::accept::{self, Spoken, Unread};

/// How the lab is served.
#[derive(Clone, Debug)]
pub struct ServeSettings {
    pub listen: SocketAddr,
    /// Requests must carry it; without one all are answered, which is for loopback only.
    pub token: Option<String>,
    pub store: PathBuf,
    pub experiments: PathBuf,
    pub threads: usize,
    /// How long a request may take to arrive, its head and then its body; see [`PATIENCE`].
    pub patience: Duration,
}

/// What the slowest honest browser needs many times over.
pub const PATIENCE: Duration = Duration::from_secs(20);

const LIMITS: Limits =
    Limits { seconds: 60.0, memory_bytes: 128 << 20, upload_bytes: 1 << 20, duel_games: 100_000 };

/// Connections at the same time; others wait.
const MOST_CONNECTIONS: usize = 1_000;
/// What all searches together may hold, in [`MEMORY_UNIT`]s. A search that finds no room waits for its turn.
const SEARCH_MEMORY: usize = 2 << 10;
const MEMORY_UNIT: u64 = 1 << 20;
/// Positions that are worked out at the same time.
const MOST_REBUILDS: usize = 16;

/// What all requests share.
#[derive(Debug)]
struct Lab {
    settings: ServeSettings,
    /// The memory that is left for searches.
    search_memory: Arc<Semaphore>,
    rebuilds: Semaphore,
    sealed: SealedChoices,
    jobs: Jobs,
}

type Shared = Arc<Lab>;

/// A server that listens and can be run.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    lab: Shared,
}

impl Server {
    /// Starts to listen, so that the address is known.
    pub async fn bind(settings: ServeSettings) -> std::io::Result<Server> {
        let listener = TcpListener::bind(settings.listen).await?;
        let jobs = Jobs::load(&settings);
        let lab = Lab {
            search_memory: Arc::new(Semaphore::new(SEARCH_MEMORY)),
            rebuilds: Semaphore::new(MOST_REBUILDS),
            sealed: SealedChoices::default(),
            jobs,
            settings,
        };
        Ok(Server { listener, lab: Arc::new(lab) })
    }

    /// The address of the page, with the token if one is needed.
    pub fn url(&self) -> std::io::Result<String> {
        let address = self.listener.local_addr()?;
        let query = self.lab.settings.token.as_ref().map(|token| format!("?token={token}"));
        Ok(format!("http://{address}/{}", query.unwrap_or_default()))
    }

    /// Serves until `stop` is ready; then jobs are stopped, and what they have played stays.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        let Server { listener, lab } = self;
        let (router, patience) = (router(Arc::clone(&lab)), lab.settings.patience);
        let converse = |stream, _, spoken| converse(stream, router.clone(), patience, spoken);
        // Streams of events do not end by themselves, so they are not waited for.
        tokio::select! {
            () = accept::connections(listener, MOST_CONNECTIONS, converse) => {}
            () = stop => {}
        }
        let _ = spawn_blocking(move || lab.jobs.stop_all()).await;
        Ok(())
    }
}

/// Answers the requests of one connection. Those who ask have only so long to say what they want.
async fn converse(stream: TcpStream, router: Router, patience: Duration, spoken: Spoken) {
    let answers = TowerToHyperService::new(router);
    let service = service_fn(|request: hyper::Request<Incoming>| {
        spoken.tell();
        answers.call(request)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .serve_connection(TokioIo::new(stream), service);
    // A client that disconnects in the middle of an answer is not an error.
    let _ = served.await;
}

fn router(lab: Shared) -> Router {
    let guarded = Arc::clone(&lab);
    Router::new()
        .route("/api/catalog", get(matches::catalog))
        .route("/api/game", post(matches::game))
        .route("/api/position", post(matches::position))
        .route("/api/replay", post(matches::replayed))
        .route("/api/rules", post(matches::rules))
        .route("/api/tubstap/map", post(maps::map))
        .route("/api/think", post(think::think))
        .route("/api/sealed", post(sealed::seal))
        .route("/api/sealed/{match_id}/{step}", get(sealed::events))
        .route("/api/jobs", get(jobs::list).post(jobs::start))
        .route("/api/jobs/{id}/{what}", get(jobs::events).post(jobs::command))
        .route("/api/experiments", get(results::experiments))
        .route("/api/results", get(results::results))
        .route("/api/results/{scale}/{id}", get(results::result))
        .route("/api/store", get(runs::list))
        .route("/api/store/{cell}", get(runs::games))
        .route("/api/store/{cell}/{game}", get(runs::record))
        .route("/reports/{id}", get(results::report))
        .route("/reports/{scale}/{file}", get(results::report_file))
        .route("/api/fair", get(fair::runs))
        .route("/api/fairness", post(fair::judge))
        .route("/fair/{run}/{file}", get(fair::file))
        .fallback(page::file)
        .layer(middleware::from_fn(survive))
        .layer(middleware::from_fn(compress::answers))
        .layer(middleware::from_fn_with_state(guarded, guard::admit))
        .with_state(lab)
}

/// JSON whose faults are told in the one form of errors.
struct Body<T>(T);

impl<T: serde::de::DeserializeOwned> FromRequest<Shared> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, lab: &Shared) -> Result<Body<T>, ApiError> {
        let patience = lab.settings.patience;
        let (head, body) = request.into_parts();
        let body = timeout(patience, accept::read_body(body, LIMITS.upload_bytes)).await;
        let bad = |message| ApiError::new(ErrorCode::BadRequest, message);
        let bytes = match body {
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
        let request = Request::from_parts(head, bytes.into());
        match axum::Json::from_request(request, lab).await {
            Ok(axum::Json(value)) => Ok(Body(value)),
            Err(rejection) => Err(bad(rejection.body_text())),
        }
    }
}

/// Parts of an address whose faults are told in the one form of errors.
struct PathOf<T>(T);

impl<T: serde::de::DeserializeOwned + Send> FromRequestParts<Shared> for PathOf<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, lab: &Shared) -> Result<PathOf<T>, ApiError> {
        match Path::from_request_parts(parts, lab).await {
            Ok(Path(value)) => Ok(PathOf(value)),
            Err(rejection) => Err(ApiError::new(ErrorCode::BadRequest, rejection.body_text())),
        }
    }
}

/// Does work in which a panic, which is a fault of ours, is an error of this work and of nothing else.
/// The panic itself is reported on standard error.
fn without_panic<T>(work: impl FnOnce() -> Result<T, ApiError>) -> Result<T, ApiError> {
    // What the work has changed is not looked at after a panic, or is behind a lock that forgives it.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}

fn panicked(panic: &(dyn Any + Send)) -> ApiError {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    ApiError::failed(format!("this is a fault of the program, not of the request: {text}"))
}

/// The same for the handlers themselves.
async fn survive(request: Request, next: Next) -> Response {
    let mut answer = Box::pin(next.run(request));
    let answer = poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context)));
        match polled {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(panicked(panic.as_ref()))),
        }
    });
    answer.await.unwrap_or_else(IntoResponse::into_response)
}

impl Lab {
    /// Does work that takes a while, away from the threads that answer.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let _turn = self.rebuilds.acquire().await.map_err(ApiError::failed)?;
        spawn_blocking(|| without_panic(work)).await.map_err(ApiError::failed)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_of_its_own_work() {
        let failed = without_panic::<()>(|| panic!("a list is {}", "empty")).unwrap_err();
        assert_eq!(failed.code, ErrorCode::Failed);
        assert!(failed.message.contains("a list is empty"), "{failed:?}");
        assert_eq!(without_panic(|| Ok(3)), Ok(3));
    }

    #[tokio::test]
    async fn a_handler_that_panics_answers() {
        async fn broken() -> &'static str {
            panic!("out of luck")
        }
        let router = Router::new().route("/", get(broken)).layer(middleware::from_fn(survive));
        let request = Request::new(axum::body::Body::empty());
        let answer = TowerToHyperService::new(router).call(request).await.unwrap();
        assert_eq!(answer.status(), axum::http::StatusCode::INTERNAL_SERVER_ERROR);
    }
}
