//! What can be said about a rule sheet in numbers.

use std::sync::Arc;

use cpu_time::ThreadTime;
use sakiyomi_core::{Game, Payoffs, Rng, Scratch, Stop, Turn};
use serde::Serialize;

use crate::game::gdl_game::{GdlGame, Settings};
#[cfg(feature = "cuda")]
use crate::game::gpu::{GpuInfo, gpu_of_game};
use crate::game::state::State;
use crate::ground::meter::Progress;
use crate::lanes::play::{Match, play};
use crate::lanes::{N_LANES, Refusal};
use crate::read::check::Finding;
use crate::read::error::GdlError;

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
    /// Playouts one at a time.
    pub playouts: u64,
    pub playouts_per_cpu_second: f64,
    /// Playouts in lanes, hundreds at a time, if the game has them.
    pub lanes: Option<LaneInfo>,
    /// Why the game has no lanes.
    pub no_lanes: Option<String>,
    /// Playouts on a graphics processor, if there is one.
    #[cfg(feature = "cuda")]
    pub gpu: Option<GpuInfo>,
    /// Why there are none.
    #[cfg(feature = "cuda")]
    pub no_gpu: Option<String>,
    /// Mean length of a random playout in plies. This and the goals are of the playouts in lanes
    /// if there are any.
    pub mean_plies: f64,
    /// Mean goal of each player in random playouts, from 0 to 100, and its standard error.
    pub mean_goals: Vec<f64>,
    pub mean_goal_errors: Vec<f64>,
}

/// Playouts in lanes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LaneInfo {
    /// CPU seconds that it took to make the code.
    pub ready_seconds: f64,
    /// Inputs of the operations of one ply.
    pub inputs: usize,
    /// The phases that have code of their own.
    pub phases: usize,
    pub playouts: u64,
    pub playouts_per_cpu_second: f64,
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
    let single = measure(&game, &start, seconds, seed, stop);
    let (lanes, no_lanes, many) = match lane_speed(&game, &start, seconds, seed, stop) {
        Ok((info, speed)) => (Some(info), None, Some(speed)),
        Err(refusal) => (None, Some(refusal.to_string()), None),
    };
    #[cfg(feature = "cuda")]
    let (gpu, no_gpu) = match gpu_of_game(&game, &start, seconds, seed, stop) {
        Ok(info) => (Some(info), None),
        Err(refusal) => (None, Some(refusal.to_string())),
    };
    let most = many.as_ref().filter(|many| many.playouts > single.playouts).unwrap_or(&single);
    Ok(Info {
        roles: game.roles().to_vec(),
        engine: if game.is_interpreted() { "interpreter" } else { "network" }.to_owned(),
        notice: game.notice().map(str::to_owned),
        trouble: game.trouble().map(|error| error.to_string()),
        warnings: game.findings().to_vec(),
        size: size(&game),
        ready_seconds,
        playouts: single.playouts,
        playouts_per_cpu_second: single.rate(),
        lanes,
        no_lanes,
        #[cfg(feature = "cuda")]
        gpu,
        #[cfg(feature = "cuda")]
        no_gpu,
        mean_plies: most.plies as f64 / most.playouts.max(1) as f64,
        mean_goals: most.goals.iter().map(|goal| most.mean_goal(goal).0).collect(),
        mean_goal_errors: most.goals.iter().map(|goal| most.mean_goal(goal).1).collect(),
    })
}

/// Plays in lanes for about `seconds` of CPU time, or says why the game has none. Match i is the
/// one that is played as the i-th with the same seed one at a time.
pub fn lane_info(game: &GdlGame, seconds: f64, seed: u64) -> Result<LaneInfo, Refusal> {
    Ok(lane_speed(game, &game.start(), seconds, seed, &Stop::new())?.0)
}

/// The size of a game's network, if it has one.
pub fn size(game: &GdlGame) -> Option<NetworkSize> {
    let compiled = game.engine().compiled()?;
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

pub(super) struct Speed {
    pub(super) playouts: u64,
    pub(super) seconds: f64,
    pub(super) plies: u64,
    /// The sums of each player's payoffs, and of their squares.
    pub(super) goals: Vec<(f64, f64)>,
}

impl Speed {
    pub(super) fn new(game: &GdlGame) -> Speed {
        Speed { playouts: 0, seconds: 0.0, plies: 0, goals: vec![(0.0, 0.0); game.players()] }
    }

    fn add(&mut self, plies: u32, payoffs: &Payoffs) {
        self.playouts += 1;
        self.plies += u64::from(plies);
        let n = self.goals.len();
        for (goal, payoff) in self.goals.iter_mut().zip(payoffs.as_slice(n)) {
            *goal = (goal.0 + payoff, goal.1 + payoff * payoff);
        }
    }

    pub(super) fn rate(&self) -> f64 {
        self.playouts as f64 / self.seconds.max(1e-9)
    }

    /// A mean from 0 to 100 with its standard error.
    pub(super) fn mean_goal(&self, (sum, squares): &(f64, f64)) -> (f64, f64) {
        let n = self.playouts.max(1) as f64;
        let mean = sum / n;
        let variance = (squares / n - mean * mean).max(0.0);
        (mean * 100.0, (variance / n).sqrt() * 100.0)
    }

    /// How many playouts come next, so that reading the clock does not matter and the time is not
    /// overrun by much.
    fn next_batch(&self, seconds: f64, least: u64, most: u64) -> u64 {
        ((self.rate() * seconds / 50.0) as u64).clamp(least, most)
    }
}

fn measure(game: &GdlGame, start: &State, seconds: f64, seed: u64, stop: &Stop) -> Speed {
    let mut rng = Rng::new(seed);
    let mut scratch = Scratch::default();
    let mut state = start.clone();
    let mut speed = Speed::new(game);
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
            speed.add(state.plies(), &payoffs);
        }
        speed.seconds = clock.elapsed().as_secs_f64().max(1e-9);
        batch = speed.next_batch(seconds, 1, 10_000);
    }
    speed
}

fn lane_speed(
    game: &GdlGame,
    start: &State,
    seconds: f64,
    seed: u64,
    stop: &Stop,
) -> Result<(LaneInfo, Speed), Refusal> {
    let clock = ThreadTime::now();
    let lanes = game.lanes()?;
    let ready_seconds = clock.elapsed().as_secs_f64();
    let starts = [start.as_start().ok_or(Refusal::NoNetwork)?];
    let is_over = matches!(game.turn(start), Turn::Over(_));
    let mut rng = Rng::new(seed);
    let mut speed = Speed::new(game);
    let clock = ThreadTime::now();
    let mut batch = N_LANES as u64;
    while speed.seconds < seconds && !stop.requested() && !is_over {
        let matches: Vec<Match> = (0..batch).map(|_| Match { start: 0, key: rng.bits() }).collect();
        play(lanes, &starts, &matches, game.settings().max_plies, Some(stop), &mut |played| {
            speed.add(played.plies, &game.payoffs_played(&played));
        });
        speed.seconds = clock.elapsed().as_secs_f64().max(1e-9);
        batch = speed.next_batch(seconds * 10.0, N_LANES as u64, 1 << 16);
    }
    let info = LaneInfo {
        ready_seconds,
        inputs: lanes.work(),
        phases: lanes.period(),
        playouts: speed.playouts,
        playouts_per_cpu_second: speed.rate(),
    };
    Ok((info, speed))
}
