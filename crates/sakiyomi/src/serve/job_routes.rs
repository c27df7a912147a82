//! Jobs, as requests ask for them.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive};
use axum::response::{Html, IntoResponse, Response, Sse};
use axum::{Extension, Json};
use tokio_stream::wrappers::WatchStream;
use tokio_stream::{Stream, StreamExt};

use super::api::{ApiError, ErrorCode, Job, JobRequest};
use super::guard;
use super::lab::{Body, PathOf, Shared};
use super::limits::PULSE;
use super::queues::Kind;
use crate::accept::Spoken;

pub(super) async fn list(State(lab): State<Shared>) -> Result<Json<Vec<Job>>, ApiError> {
    let jobs = Arc::clone(&lab);
    lab.work(Kind::Reading, move || Ok(jobs.jobs.all())).await.map(Json)
}

pub(super) async fn start(
    State(lab): State<Shared>,
    Body(request): Body<JobRequest>,
) -> Result<Json<Job>, ApiError> {
    let jobs = Arc::clone(&lab);
    let kind = match &request {
        JobRequest::Duel { game, .. } | JobRequest::Assess { game, .. } => guard::kind(game),
        JobRequest::Experiment { .. } | JobRequest::Evolve { .. } => Kind::Reading,
    };
    lab.work(kind, move || jobs.jobs.start(request, &jobs.settings)).await.map(Json)
}

pub(super) async fn command(
    State(lab): State<Shared>,
    PathOf((id, what)): PathOf<(u32, String)>,
) -> Result<Json<Job>, ApiError> {
    let jobs = Arc::clone(&lab);
    lab.work(Kind::Reading, move || jobs.jobs.command(id, &what, &jobs.settings)).await.map(Json)
}

/// What a job tells: its progress as a stream of events, or the report of an assessment.
pub(super) async fn tell(
    State(lab): State<Shared>,
    Extension(spoken): Extension<Spoken>,
    PathOf((id, what)): PathOf<(u32, String)>,
) -> Result<Response, ApiError> {
    match what.as_str() {
        "events" => Ok(events(&lab, spoken, id)?.into_response()),
        "report" => {
            let jobs = Arc::clone(&lab);
            let page = lab.work(Kind::Reading, move || jobs.jobs.report(id)).await?;
            Ok(Html(page).into_response())
        }
        _ => Err(ApiError::new(ErrorCode::NotFound, "known: events, report")),
    }
}

fn events(
    lab: &Shared,
    spoken: Spoken,
    id: u32,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>> + use<>>, ApiError> {
    let told = WatchStream::new(lab.jobs.watch(id)?);
    let events = told.map(move |job| {
        spoken.tell();
        Ok(Event::default().event("job").json_data(job).unwrap_or_default())
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(PULSE)))
}
