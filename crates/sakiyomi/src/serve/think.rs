//! Searches that a page watches. When the page goes away, its search stops.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use sakiyomi_catalog::Thought;
use sakiyomi_core::{Player, Stop};
use serde::Serialize;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tokio_stream::{Stream, StreamExt};

use super::api::{ApiError, ErrorCode, ThinkRequest};
use super::lab::{Body, Shared, StopOnDrop};
use super::limits::{LIMITS, MEMORY_UNIT, PULSE, SEARCH_MEMORY};
use super::panics::without_panic;
use super::{guard, matches};
use crate::accept::Spoken;

type Events = UnboundedSender<Event>;

pub(super) async fn think(
    State(lab): State<Shared>,
    Extension(spoken): Extension<Spoken>,
    Body(request): Body<ThinkRequest>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let ThinkRequest { record, player, agent } = request;
    let agent = guard::agent(&agent)?;
    let units = guard::memory(&agent).div_ceil(MEMORY_UNIT).min(SEARCH_MEMORY as u64) as u32;
    let turn = lab.search_threads.turn(guard::threads(&agent)).await?;
    let turn = (turn, lab.search_memory.turn(units).await?);
    let stop = Arc::new(Stop::new());
    let kind = guard::kind(&record.game);
    let table = lab.work_until(Arc::clone(&stop), kind, move || matches::rebuild(&record)).await?;
    if usize::from(player) >= table.players() {
        let message = format!("player {player}; there are {} players, from 0", table.players());
        return Err(ApiError::new(ErrorCode::BadRequest, message));
    }
    let (events, received) = unbounded_channel();
    let stopping = StopOnDrop(Some(Arc::clone(&stop)));
    // Agents without a budget, such as one that solves the game, are stopped from outside.
    let too_long = Arc::clone(&stop);
    let alarm = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs_f64(LIMITS.seconds) + PULSE).await;
        too_long.request();
    });
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let mut watch = |thought: Thought| send(&events, "thought", &thought);
        let thought =
            without_panic(|| Ok(table.inspect(&agent, Player(player), &stop, &mut watch)?));
        match thought {
            Ok(thought) => send(&events, "done", &thought),
            Err(error) => send(&events, "error", &error),
        }
        alarm.abort();
    });
    let events = UnboundedReceiverStream::new(received).map(move |event| {
        // The stream owns this: dropped with it, it stops the search.
        let _ = &stopping;
        spoken.tell();
        Ok(event)
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(PULSE)))
}

fn send(events: &Events, name: &str, data: &impl Serialize) {
    if let Ok(event) = Event::default().event(name).json_data(data) {
        // The client has gone: the stop comes by the dropped stream.
        let _ = events.send(event);
    }
}
