//! The clock: publishes the field, lets own players think, collects orders and carries them out. It runs
//! on a thread of its own and waits for no request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use sakiyomi_catalog::{AgentSpec, GameSpec, Record, Table, TableError, Thought, open_table};
use sakiyomi_core::{Player, Stop, Turn};
use serde::Serialize;

use super::desk::Desk;

/// A match that is hosted.
#[derive(Clone, Debug)]
pub struct HostSettings {
    pub game: GameSpec,
    pub seed: u64,
    /// Who plays the teams that do not come by the network, by number.
    pub agents: Vec<(usize, AgentSpec)>,
    /// Real time of a session.
    pub session: Duration,
    /// How long teams are waited for before the first session.
    pub patience: Duration,
}

/// How a match went.
#[derive(Clone, Debug, Serialize)]
pub struct HostReport {
    pub teams: Vec<TeamReport>,
    /// The most that a session began too late, in milliseconds.
    pub most_late_ms: f64,
    pub record: Record,
}

#[derive(Clone, Debug, Serialize)]
pub struct TeamReport {
    pub name: String,
    pub score: f64,
    pub payoff: f64,
    /// Sessions for which it gave no orders.
    pub silent: u64,
    /// Strings that were no commands.
    pub malformed: u64,
    /// Commands that came before or after the match.
    pub late: u64,
}

/// Plays a match in real time. A stop ends it after the last session that is complete.
pub fn host(
    settings: &HostSettings,
    desk: &Arc<Desk>,
    stop: &Stop,
) -> Result<HostReport, TableError> {
    let mut table = open_table(&settings.game, settings.seed)?;
    for (team, agent) in &settings.agents {
        table.seat(Player(*team as u8), agent)?;
    }
    desk.publish(0, &table.view(), None);
    wait_for_teams(desk, settings.patience, stop);
    let start = Instant::now();
    let (mut decision, mut most_late) = (0u32, Duration::ZERO);
    let mut silent = vec![0; table.players()];
    while matches!(table.turn(), Turn::Choose(_)) && !stop.requested() {
        let end = start + settings.session * (decision + 1);
        most_late = most_late.max(start.elapsed().saturating_sub(settings.session * decision));
        desk.publish(decision as usize, &table.view(), Some(end));
        let mut own: Vec<(usize, String)> = Vec::new();
        for (team, _) in &settings.agents {
            let player = Player(*team as u8);
            own.push((*team, think_until(end, table.as_mut(), player, stop)?.action));
        }
        sleep_until(end, stop);
        if stop.requested() {
            break;
        }
        let mut orders = desk.collect();
        for (team, action) in own {
            orders[team] = Some(action);
        }
        for (silent, orders) in silent.iter_mut().zip(&orders) {
            *silent += u64::from(orders.is_none());
        }
        let texts: Vec<&str> =
            orders.iter().map(|orders| orders.as_deref().unwrap_or("- - -")).collect();
        table.play(&texts)?;
        decision += 1;
    }
    let view = table.view();
    desk.close(decision as usize + 1, &view);
    let payoffs = match table.turn() {
        Turn::Over(payoffs) => payoffs,
        _ => Default::default(),
    };
    let faults = desk.faults();
    let teams = (0..table.players()).map(|team| TeamReport {
        name: table.player_name(Player(team as u8)),
        score: view.players[team].score.as_ref().map_or(0.0, |score| score.value),
        payoff: payoffs[Player(team as u8)],
        silent: silent[team],
        malformed: faults[team][0],
        late: faults[team][1],
    });
    Ok(HostReport {
        teams: teams.collect(),
        most_late_ms: most_late.as_secs_f64() * 1e3,
        record: table.record(),
    })
}

/// How long it may take until a stop is noticed.
const MAX_NAP: Duration = Duration::from_millis(20);

/// Sleeps until a moment, or until a stop.
pub fn sleep_until(end: Instant, stop: &Stop) {
    while !stop.requested() {
        match end.saturating_duration_since(Instant::now()) {
            Duration::ZERO => return,
            left => thread::sleep(left.min(MAX_NAP)),
        }
    }
}

fn wait_for_teams(desk: &Desk, patience: Duration, stop: &Stop) {
    let start = Instant::now();
    while !desk.is_complete() && start.elapsed() < patience && !stop.requested() {
        thread::sleep(Duration::from_millis(5));
    }
}

/// Lets an own player think until shortly before the session ends, or until `stop`.
fn think_until(
    end: Instant,
    table: &mut dyn Table,
    player: Player,
    stop: &Stop,
) -> Result<Thought, TableError> {
    let (thinking, is_done) = (Stop::new(), AtomicBool::new(false));
    let left = end.saturating_duration_since(Instant::now());
    let soon = Instant::now() + left.mul_f64(0.8);
    thread::scope(|scope| {
        let clock = scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) && !stop.requested() && Instant::now() < soon {
                thread::park_timeout(MAX_NAP.min(soon.saturating_duration_since(Instant::now())));
            }
            thinking.request();
        });
        let _done = Done { flag: &is_done, clock: clock.thread().clone() };
        table.think(player, &thinking)
    })
}

/// Ends a clock when it is dropped.
struct Done<'a> {
    flag: &'a AtomicBool,
    clock: Thread,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.flag.store(true, Ordering::Relaxed);
        self.clock.unpark();
    }
}
