//! What can be said about a rule sheet in numbers.

use std::sync::Arc;

use cpu_time::ThreadTime;
use sakiyomi_core::{Game, Rng, Scratch, Stop};
use serde::Serialize;

use crate::check::Finding;
use crate::engine::Engine;
use crate::error::GdlError;
use crate::game::{GdlGame, Settings, State};
use crate::meter::Progress;

/// The size and speed of a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Info {
    pub roles: Vec<String>,
    /// `network` or `interpreter`.
    pub engine: String,
    pub notice: Option<String>,
    /// What went wrong in the playouts.
    pub trouble: Option<String>,
    pub warnings: Vec<Finding>,
    pub size: Option<NetworkSize>,
    /// CPU seconds from the text to the first playout.
    pub ready_seconds: f64,
    pub playouts: u64,
    pub playouts_per_cpu_second: f64,
    /// Mean length of a random playout in plies.
    pub mean_plies: f64,
    /// Mean goal of each player in random playouts, from 0 to 100.
    pub mean_goals: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NetworkSize {
    /// Fluents that may hold.
    pub fluents: usize,
    /// Moves of all roles.
    pub moves: usize,
    /// Gates, those that depend on moves included.
    pub gates: usize,
    /// Inputs of all gates.
    pub inputs: usize,
    /// Fluents and gates that are kept up to date in every state.
    pub live: usize,
    /// Their connections.
    pub live_edges: usize,
    /// Groups of gates that depend on each other.
    pub components: usize,
}

/// Compiles a sheet and plays random playouts for about `seconds` of CPU time.
pub fn info(text: &str, settings: &Settings, seconds: f64, seed: u64) -> Result<Info, GdlError> {
    info_watched(text, settings, seconds, seed, &Arc::new(Stop::new()), &mut |_| {})
}

/// The same; `tell` hears how grounding goes on. When `stop` is requested grounding ends with
/// [`GdlError::Stopped`], and playouts end with what is known so far.
pub fn info_watched(
    text: &str,
    settings: &Settings,
    seconds: f64,
    seed: u64,
    stop: &Arc<Stop>,
    tell: &mut dyn FnMut(&Progress),
) -> Result<Info, GdlError> {
    let clock = ThreadTime::now();
    let mut watcher = |progress: &Progress| {
        tell(progress);
        !stop.requested()
    };
    let game = GdlGame::watched(text, settings, None, &mut watcher)?.with_stop(Arc::clone(stop));
    let start = game.start();
    let ready_seconds = clock.elapsed().as_secs_f64();
    let speed = measure(&game, &start, seconds, seed, stop);
    let n = speed.playouts.max(1) as f64;
    Ok(Info {
        roles: game.roles().to_vec(),
        engine: match game.engine() {
            Engine::Network(_) => "network".to_owned(),
            Engine::Rules(_) => "interpreter".to_owned(),
        },
        notice: game.notice().map(str::to_owned),
        trouble: game.trouble().map(|error| error.to_string()),
        warnings: game.findings().to_vec(),
        size: size(&game),
        ready_seconds,
        playouts: speed.playouts,
        playouts_per_cpu_second: speed.playouts as f64 / speed.seconds.max(1e-9),
        mean_plies: speed.plies as f64 / n,
        mean_goals: speed.goals.iter().map(|sum| sum * 100.0 / n).collect(),
    })
}

/// The size of a game's network, if it has one.
pub fn size(game: &GdlGame) -> Option<NetworkSize> {
    let Engine::Network(compiled) = game.engine() else { return None };
    let gates = &compiled.network.gates;
    Some(NetworkSize {
        fluents: compiled.network.fluents.len(),
        moves: compiled.network.moves.len(),
        gates: gates.len(),
        inputs: gates.n_inputs(),
        live: compiled.layout.n_live(),
        live_edges: compiled.layout.n_edges(),
        components: gates.components().len(),
    })
}

struct Speed {
    playouts: u64,
    seconds: f64,
    plies: u64,
    goals: Vec<f64>,
}

fn measure(game: &GdlGame, start: &State, seconds: f64, seed: u64, stop: &Stop) -> Speed {
    let mut rng = Rng::new(seed);
    let mut scratch = Scratch::default();
    let mut state = start.clone();
    let mut speed = Speed { playouts: 0, seconds: 0.0, plies: 0, goals: vec![0.0; game.players()] };
    let clock = ThreadTime::now();
    let mut batch = 1;
    while speed.seconds < seconds && !stop.requested() {
        for _ in 0..batch {
            state.clone_from(start);
            let payoffs = game.playout(&mut state, &mut scratch, &mut rng);
            // A playout that was stopped in the middle does not count.
            if stop.requested() {
                break;
            }
            speed.playouts += 1;
            speed.plies += u64::from(state.plies());
            for (sum, payoff) in speed.goals.iter_mut().zip(payoffs.as_slice(game.players())) {
                *sum += payoff;
            }
        }
        speed.seconds = clock.elapsed().as_secs_f64().max(1e-9);
        // Reading the clock must not matter, and a batch must not overrun the time by much.
        let rate = speed.playouts as f64 / speed.seconds;
        batch = ((rate * seconds / 50.0) as u64).clamp(1, 10_000);
    }
    speed
}
