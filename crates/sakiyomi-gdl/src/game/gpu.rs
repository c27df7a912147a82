//! Random matches on a graphics processor, measured and compared.

use std::time::{Duration, Instant};

use sakiyomi_core::{Game, Player, Rng, Stop, Turn};
use serde::Serialize;

use crate::game::gdl_game::GdlGame;
use crate::game::info::Speed;
use crate::game::state::State;
use crate::lanes::Refusal;
use crate::lanes::cuda::device::{GpuForm, GpuRefusal, GpuSettings, KEY_STEP, Kernel, Sums};
use crate::lanes::play::{Match, Played, Start, play};

/// Playouts on a graphics processor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpuInfo {
    pub device: String,
    pub form: GpuForm,
    /// Seconds that it took to compile the kernel, or to find it.
    pub ready_seconds: f64,
    pub playouts: u64,
    /// By the clock, with all of the device.
    pub playouts_per_second: f64,
    /// Matches that are played at the same time.
    pub lanes: u64,
    /// What a thread of the kernel needs.
    pub registers: u32,
    pub local_bytes: u32,
    pub mean_plies: f64,
    /// As in [`Info`].
    pub mean_goals: Vec<f64>,
    pub mean_goal_errors: Vec<f64>,
}

/// Plays on a graphics processor for about `seconds`, or says why that is not possible.
pub fn gpu_info(
    game: &GdlGame,
    seconds: f64,
    seed: u64,
    settings: &GpuSettings,
) -> Result<GpuInfo, GpuRefusal> {
    let clock = Instant::now();
    let kernel = Kernel::new(game.lanes()?, settings)?;
    gpu_speed(game, &kernel, clock.elapsed(), &game.start(), seconds, seed, &Stop::new())
}

pub(super) fn gpu_of_game(
    game: &GdlGame,
    start: &State,
    seconds: f64,
    seed: u64,
    stop: &Stop,
) -> Result<GpuInfo, GpuRefusal> {
    let clock = Instant::now();
    let kernel = game.gpu().map_err(Clone::clone)?;
    gpu_speed(game, kernel, clock.elapsed(), start, seconds, seed, stop)
}

/// Launches of more and more matches, until one takes long enough to be measured.
fn gpu_speed(
    game: &GdlGame,
    kernel: &Kernel,
    ready: Duration,
    state: &State,
    seconds: f64,
    seed: u64,
    stop: &Stop,
) -> Result<GpuInfo, GpuRefusal> {
    let period = game.lanes()?.period();
    let start = state.as_start().ok_or(Refusal::NoNetwork)?;
    let is_over = matches!(game.turn(state), Turn::Over(_));
    let mut base = Rng::new(seed).bits();
    let mut all: Option<Sums> = None;
    let (mut n, mut spent) = (kernel.n_lanes(), 0.0);
    while spent < seconds && !stop.requested() && !is_over {
        let sums = kernel.sums(&start, period, base, n as u32, game.settings().max_plies)?;
        base = base.wrapping_add(KEY_STEP.wrapping_mul(n));
        let last = sums.time.as_secs_f64().max(1e-6);
        spent += last;
        // The short launches before are for warming up.
        let is_better = all.as_ref().is_none_or(|all| sums.n >= all.n);
        if is_better {
            all = Some(sums);
        }
        let wanted = n as f64 * (seconds / 3.0 / last).min(8.0);
        n = (wanted as u64).clamp(kernel.n_lanes(), (1 << 31) - 1);
    }
    let roles = game.roles().len();
    let sums = all.unwrap_or(Sums { n: 0, plies: 0, goals: vec![(0, 0); roles], time: ready });
    let mut speed = Speed::new(game);
    (speed.playouts, speed.plies) = (sums.n, sums.plies);
    speed.seconds = sums.time.as_secs_f64();
    for (seat, goal) in speed.goals.iter_mut().enumerate() {
        let (sum, squares) = sums.goals[game.role_of(Player(seat as u8))];
        *goal = (sum as f64 / 100.0, squares as f64 / 10_000.0);
    }
    Ok(GpuInfo {
        device: kernel.device_name().to_owned(),
        form: kernel.form,
        ready_seconds: ready.as_secs_f64(),
        playouts: speed.playouts,
        playouts_per_second: speed.rate(),
        lanes: kernel.n_lanes(),
        registers: kernel.registers,
        local_bytes: kernel.local_bytes,
        mean_plies: speed.plies as f64 / speed.playouts.max(1) as f64,
        mean_goals: speed.goals.iter().map(|goal| speed.mean_goal(goal).0).collect(),
        mean_goal_errors: speed.goals.iter().map(|goal| speed.mean_goal(goal).1).collect(),
    })
}

/// Plays the same matches on the device and in lanes, from the start and from states after it, and
/// counts those that differ in plies, end or goals.
pub fn compare_gpu(game: &GdlGame, n: usize, settings: &GpuSettings) -> Result<usize, GpuRefusal> {
    let lanes = game.lanes()?;
    let kernel = Kernel::new(lanes, settings)?;
    let mut rng = Rng::new(2);
    let states = some_states(game, &mut rng);
    let starts: Option<Vec<Start<'_>>> = states.iter().map(State::as_start).collect();
    let starts = starts.ok_or(Refusal::NoNetwork)?;
    let max_plies = game.settings().max_plies;
    let mut n_wrong = 0;
    // Half of them from one start, which kernels treat apart.
    for starts in [&starts[..1], &starts] {
        let matches: Vec<Match> = (0..n / 2)
            .map(|i| Match { start: (i % starts.len()) as u32, key: rng.bits() })
            .collect();
        let mut all = [vec![None; matches.len()], vec![None; matches.len()]];
        let note = |played: Played<'_>, all: &mut [Option<_>]| {
            let goals: Vec<_> = (0..game.roles().len()).map(|role| played.goal(role)).collect();
            all[played.number] = Some((played.plies, played.is_terminal, goals));
        };
        let [device, cpu] = &mut all;
        kernel.play(lanes, starts, &matches, max_plies, None, &mut |one| note(one, device))?;
        play(lanes, starts, &matches, max_plies, None, &mut |one| note(one, cpu));
        n_wrong += device.iter().zip(cpu.iter()).filter(|(a, b)| a != b).count();
    }
    Ok(n_wrong)
}

/// The start and some states after it in which players choose.
fn some_states(game: &GdlGame, rng: &mut Rng) -> Vec<State> {
    let mut states = vec![game.start()];
    for _ in 0..60 {
        let mut state = states[rng.below(states.len())].clone();
        while let Turn::Choose(who) = game.turn(&state) {
            let mut draw = |player| game.random_action(&state, player, &mut Vec::new(), rng);
            let joint: Vec<_> = who.map(&mut draw).collect();
            game.apply(&mut state, &joint);
            if game.turn(&state) != Turn::Chance {
                break;
            }
            let outcome = game.sample(&state, &mut Vec::new(), rng);
            game.apply(&mut state, &[outcome]);
        }
        if let Turn::Choose(_) = game.turn(&state) {
            states.push(state);
        }
    }
    states
}
