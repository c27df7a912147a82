//! The lab in the browser: the page itself, and what it asks for (docs/reference/api.md).
//!
//! A match is never kept here: every request carries its record, and the answer is worked out from it.
//! The server holds only what runs (searches, jobs) and what must stay hidden or is too large for an
//! address (choices made at once, rules that were handed over).

mod admit;
pub mod api;
mod compress;
mod evolution;
mod fair;
mod guard;
mod job_routes;
mod jobs;
mod lab;
mod limits;
mod maps;
mod matches;
mod networks;
mod opponents;
mod page;
mod panics;
mod papers;
mod queues;
mod results;
mod runs;
mod samples;
mod sealed;
mod sealed_routes;
mod think;

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::extract::Request;
use axum::http::header;
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
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use lab::{Lab, Shared};
use limits::MAX_CONNECTIONS;
pub use limits::{PATIENCE, ServeSettings};
pub use networks::offer_networks;
use panics::panicked;

use crate::accept::{self, Spoken};

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
        networks::offer_kept(&settings.store);
        Ok(Server { listener, lab: Arc::new(Lab::new(settings)) })
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
            () = accept::connections(listener, MAX_CONNECTIONS, converse) => {}
            () = stop => {}
        }
        let _ = timeout(LAST_WAIT, spawn_blocking(move || lab.jobs.stop_all())).await;
        Ok(())
    }
}

/// How long jobs are waited for in the end; what they have stored by then stays.
const LAST_WAIT: Duration = Duration::from_millis(600);

/// Answers the requests of one connection. Those who ask have only so long to say what they want.
async fn converse(stream: TcpStream, router: Router, patience: Duration, spoken: Spoken) {
    let answers = TowerToHyperService::new(router);
    let service = service_fn(|mut request: hyper::Request<Incoming>| {
        spoken.tell();
        request.extensions_mut().insert(spoken.clone());
        let (answer, spoken) = (answers.call(request), spoken.clone());
        async move {
            let answer = answer.await;
            let is_stream = |answer: &Response| {
                let kind = answer.headers().get(header::CONTENT_TYPE);
                kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
            };
            spoken.answered(answer.as_ref().is_ok_and(is_stream));
            answer
        }
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
        .route("/api/agent", post(matches::agent))
        .route("/api/editor/{game}", post(maps::map))
        .route("/api/think", post(think::think))
        .route("/api/sealed", post(sealed_routes::seal))
        .route("/api/sealed/{match_id}/{step}", get(sealed_routes::events))
        .route("/api/jobs", get(job_routes::list).post(job_routes::start))
        .route("/api/jobs/{id}/{what}", get(job_routes::tell).post(job_routes::command))
        .route("/api/experiments", get(results::experiments))
        .route("/api/papers", get(papers::papers))
        .route("/api/results", get(results::results))
        .route("/api/results/{scale}/{id}", get(results::result))
        .route("/api/store", get(runs::list))
        .route("/api/store/{cell}", get(runs::games))
        .route("/api/store/{cell}/{game}", get(runs::record))
        .route("/reports/{id}", get(results::report))
        .route("/reports/{scale}/{file}", get(results::report_file))
        .route("/api/fair", get(fair::runs))
        .route("/api/fair/{run}", get(fair::gallery))
        .route("/api/networks", post(networks::take))
        .route("/api/fairness", post(fair::judge))
        .route("/fair/{run}/{file}", get(fair::file))
        .fallback(page::file)
        .layer(middleware::from_fn(survive))
        .layer(middleware::from_fn(compress::answers))
        .layer(middleware::from_fn_with_state(guarded, admit::admit))
        .with_state(lab)
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

#[cfg(test)]
mod tests {
    use super::*;

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
