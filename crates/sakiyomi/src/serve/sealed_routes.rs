//! Choices that are made at once, as requests make and await them.

use std::convert::Infallible;

use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use axum::{Extension, Json};
use sakiyomi_core::Player;
use tokio_stream::wrappers::WatchStream;
use tokio_stream::{Stream, StreamExt};

use super::api::{ApiError, ErrorCode, SealRequest, Sealed};
use super::lab::{Body, PathOf, Shared};
use super::limits::PULSE;
use super::{guard, matches};
use crate::accept::Spoken;

const MAX_ID_LENGTH: usize = 64;

pub(super) async fn seal(
    State(lab): State<Shared>,
    Body(mut request): Body<SealRequest>,
) -> Result<Json<Sealed>, ApiError> {
    check_id(&request.match_id)?;
    let (record, player) = (request.record.clone(), request.player);
    if !request.persons.contains(&player) {
        let message = format!("player {player} is not among the persons {:?}", request.persons);
        return Err(ApiError::new(ErrorCode::BadRequest, message));
    }
    let text = request.text.clone();
    request.text = lab
        .work(guard::kind(&record.game), move || {
            let table = matches::rebuild(&record)?;
            Ok(table.legal_text(Player(player), &text)?)
        })
        .await?;
    lab.sealed.enter(request).map(Json)
}

pub(super) async fn events(
    State(lab): State<Shared>,
    Extension(spoken): Extension<Spoken>,
    PathOf((match_id, step)): PathOf<(String, usize)>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    check_id(&match_id)?;
    let told = WatchStream::new(lab.sealed.watch(match_id, step)?);
    let events = told.map(move |sealed| {
        spoken.tell();
        Ok(Event::default().event("sealed").json_data(sealed).unwrap_or_default())
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(PULSE)))
}

fn check_id(id: &str) -> Result<(), ApiError> {
    match id.len() {
        1..=MAX_ID_LENGTH => Ok(()),
        _ => {
            let message = format!("`match_id` has 1 to {MAX_ID_LENGTH} letters");
            Err(ApiError::new(ErrorCode::BadRequest, message))
        }
    }
}
