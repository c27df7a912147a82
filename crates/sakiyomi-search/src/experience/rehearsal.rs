//! Rehearsals: whole games of an agent against itself before a match, with little time for a
//! decision, one setting against another, because nothing short of results tells which one fits a
//! game.
//!
//! Where decisions are limited in time, so are those of rehearsals, so that a slow playout has to
//! be worth it, and winning means more than luck is likely to give in that number of games. Where
//! playouts are limited, rehearsals are limited in playouts, and repeatable.

use std::fmt::{self, Write};
use std::time::Duration;

use sakiyomi_core::{Agent, Budget, Context, Hints, Meter, Payoffs, Player, Rng, Stop, Turn};

use super::lend::ExperienceCounts;
use super::settings::ExperienceSettings;
use super::survey::Survey;
use crate::mcts::agent::Mcts;
use crate::mcts::playout::learned::LearningRule;
use crate::mcts::playout::policy::PlayoutPolicy;
use crate::mcts::settings::{MctsSettings, TreeSettings};

/// What getting ready may take where decisions are limited in time: as much as this number of
/// decisions. At 500 playouts a decision, what may be spent in playouts is the same.
const MAX_DECISIONS: u32 = 100;
/// The part of that time that one rehearsal may take, so that there is some for each, and the time
/// that it may take in any case.
const PART_OF_A_REHEARSAL: u32 = 4;
const MAX_TIME: Duration = Duration::from_secs(5);
/// The part of a decision's time that a decision of a rehearsal has, and the most that it has.
const PART_OF_A_DECISION: u32 = 20;
const MAX_DECISION: Duration = Duration::from_millis(5);
/// Games of a rehearsal that is limited in playouts, and in time.
const MAX_GAMES: u32 = 8;
const MAX_GAMES_TIMED: u32 = 16;
/// How far above one half a score has to be to be more than luck, in standard errors of games that
/// are won or lost by luck. It takes at least four games.
const STANDARD_ERRORS: f64 = 1.5;

/// MAST learns fast. NST needs more playouts until it knows sequences.
const SHORT: Length = Length { decision: 50, all: 12_000 };
pub(super) const LONG: Length = Length { decision: 100, all: 24_000 };

const MAST: LearningRule = LearningRule::Mast { tau: 0.1 };
const NST: LearningRule = LearningRule::Nst { epsilon: 0.1 };
const TOURNAMENT: LearningRule = LearningRule::Tournament { draws: 2 };

/// Playouts in the place of uniform ones. MAST is of use in most games, so at equal playouts it is
/// used unless it loses clearly. NST is far better in some games and worse in others: it has to win
/// clearly.
const PLAYOUTS: [Rehearsal; 2] = [
    Rehearsal { name: "MAST", rule: MAST, bar: Bar::Share(0.375), length: SHORT },
    Rehearsal { name: "NST", rule: NST, bar: Bar::Share(0.75), length: LONG },
];
/// The same in equal time: tournaments are MAST at a fraction of its cost.
const PLAYOUTS_TIMED: [Rehearsal; 2] = [
    Rehearsal { name: "tournament", rule: TOURNAMENT, bar: Bar::BeyondLuck, length: LONG },
    Rehearsal { name: "NST", rule: NST, bar: Bar::BeyondLuck, length: LONG },
];

/// Games of one way to play out against the best one so far.
#[derive(Clone, Copy, Debug)]
struct Rehearsal {
    name: &'static str,
    rule: LearningRule,
    bar: Bar,
    length: Length,
}

/// What a score has to reach for what was rehearsed to be used.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bar {
    /// This share of the points.
    Share(f64),
    /// [`STANDARD_ERRORS`] above one half.
    BeyondLuck,
}

/// How long the games of a rehearsal are, where playouts are what is limited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    /// Playouts of a decision.
    decision: u64,
    /// Playouts of all games, at most; a game that would go beyond is not begun.
    all: u64,
}

impl Length {
    /// What a decision may take, when one of the match may take this.
    fn budget(&self, decision: &Budget) -> Budget {
        if counts_playouts(decision) {
            return Budget { memory: decision.memory, ..Budget::iterations(self.decision) };
        }
        let part =
            |time: Option<Duration>| time.map(|time| (time / PART_OF_A_DECISION).min(MAX_DECISION));
        let (wall, cpu) = (part(decision.wall), part(decision.cpu));
        // Where nothing is limited, the host of the match has the clock.
        let cpu = if wall.is_none() { cpu.or(Some(MAX_DECISION)) } else { cpu };
        Budget { iterations: None, wall, cpu, ..*decision }
    }
}

/// Whether decisions are limited in playouts and in nothing else.
pub(super) fn counts_playouts(decision: &Budget) -> bool {
    decision.iterations.is_some() && decision.is_repeatable()
}

/// How long getting ready may take. Iterations are counted otherwise.
fn time_limit(decision: &Budget) -> Budget {
    let limit = |time: Option<Duration>| time.map(|time| time * MAX_DECISIONS);
    Budget { iterations: None, wall: limit(decision.wall), cpu: limit(decision.cpu), ..*decision }
}

/// How long one rehearsal may take.
fn part_of_time(decision: &Budget) -> Budget {
    let part = |time: Option<Duration>| time.map(|time| (time / PART_OF_A_REHEARSAL).min(MAX_TIME));
    let all = time_limit(decision);
    let (wall, cpu) = (part(all.wall), part(all.cpu));
    let is_open = !counts_playouts(decision) && wall.is_none() && cpu.is_none();
    Budget { wall, cpu: if is_open { Some(MAX_TIME) } else { cpu }, ..all }
}

/// The points of a rehearsal; a draw is half a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Score {
    points: f64,
    games: u32,
}

impl Score {
    fn share(self) -> f64 {
        self.points / f64::from(self.games)
    }

    pub(super) fn reaches(self, bar: Bar) -> bool {
        let min = match bar {
            Bar::Share(share) => share,
            Bar::BeyondLuck => 0.5 + STANDARD_ERRORS * 0.5 / f64::from(self.games).sqrt(),
        };
        self.share() >= min
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} of {}", self.share(), self.games)
    }
}

/// What plays a game is all that has to know which game it is.
pub(super) type Play<'a> = dyn Fn(&Seats<'_>, &Meter<'_>, &mut Rng) -> Played + 'a;

/// Who plays a game, and how far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seats<'a> {
    /// The settings of each player.
    settings: &'a [MctsSettings],
    /// Whether experience measures what it finds.
    surveys: bool,
    max_plies: usize,
}

/// What came of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct Played {
    /// The payoffs, if it ended.
    payoffs: Option<Payoffs>,
    playouts: u64,
    /// What every player measured.
    surveys: Vec<(Survey, ExperienceCounts)>,
}

/// Plays a game until it ends, as far as it is to go, or until there is no time left.
pub(super) fn play<G: Hints>(
    game: &G,
    seats: &Seats<'_>,
    meter: &Meter<'_>,
    stop: &Stop,
    rng: &mut Rng,
) -> Played {
    let new = if seats.surveys { Mcts::surveying } else { Mcts::new };
    let mut agents: Vec<Mcts<G>> = seats.settings.iter().map(|&settings| new(settings)).collect();
    let mut played = Played::default();
    let (mut state, mut outcomes) = (game.start(), Vec::new());
    let mut n_plies = 0;
    'game: loop {
        let mut actions = Vec::new();
        match game.turn(&state) {
            Turn::Over(payoffs) => {
                played.payoffs = Some(payoffs);
                break;
            }
            _ if n_plies >= seats.max_plies || meter.is_over() => break,
            Turn::Chance => actions.push(game.sample(&state, &mut outcomes, rng)),
            Turn::Choose(who) => {
                n_plies += 1;
                for player in who {
                    let mut context = Context { rng: &mut *rng, stop };
                    let agent = &mut agents[player.index()];
                    let Ok(choice) = agent.choose(game, &state, player, &mut context) else {
                        break 'game;
                    };
                    played.playouts += choice.iterations;
                    actions.push(choice.action);
                }
            }
        }
        agents.iter_mut().for_each(|agent| agent.observe(game, &state, &actions));
        game.apply(&mut state, &actions);
    }
    let measured = |agent: &Mcts<G>| Some((agent.survey()?.clone(), agent.experience_counts()));
    played.surveys = agents.iter().filter_map(measured).collect();
    played
}

/// Games before the match. Its functions do not depend on the game and are compiled once.
pub(super) struct Rehearsals<'a> {
    play: &'a Play<'a>,
    n_players: usize,
    pub(super) search: MctsSettings,
    /// What all games together may take.
    pub(super) meter: Meter<'a>,
    /// Playouts so far.
    pub(super) playouts: u64,
    stop: &'a Stop,
}

impl<'a> Rehearsals<'a> {
    pub(super) fn new(
        play: &'a Play<'a>,
        n_players: usize,
        search: MctsSettings,
        stop: &'a Stop,
    ) -> Rehearsals<'a> {
        let meter = time_limit(&search.budget).begin(stop);
        Rehearsals { play, n_players, search, meter, playouts: 0, stop }
    }

    /// The playouts that rehearsals speak for.
    pub(super) fn choose_policy(&mut self, rng: &mut Rng, found: &mut String) -> PlayoutPolicy {
        let is_counted = counts_playouts(&self.search.budget);
        let mut chosen = PlayoutPolicy::Uniform;
        for rehearsal in if is_counted { PLAYOUTS } else { PLAYOUTS_TIMED } {
            let Rehearsal { name, rule, bar, length } = rehearsal;
            let policy = PlayoutPolicy::Learned(rule.lasting());
            let with = |policy| {
                let mut search = with_experience(self.search, None);
                search.playout.policy = policy;
                search
            };
            let both = [with(policy), with(chosen)];
            let Some(score) = self.rehearse(length, both, rng) else { break };
            let _ = write!(found, "{name} {score}, ");
            if score.reaches(bar) {
                chosen = policy;
            }
        }
        chosen
    }

    /// What the first of two settings gets against the second in an even number of games to their
    /// end, so that each has each seat; none if there was no time for two.
    pub(super) fn rehearse(
        &mut self,
        length: Length,
        both: [MctsSettings; 2],
        rng: &mut Rng,
    ) -> Option<Score> {
        if self.n_players != 2 {
            return None;
        }
        let budget = length.budget(&self.search.budget);
        let part = part_of_time(&self.search.budget).begin(self.stop);
        let is_counted = counts_playouts(&budget);
        let most = if is_counted { MAX_GAMES } else { MAX_GAMES_TIMED };
        let max_plies = (length.all / length.decision) as usize;
        let both = both.map(|settings| alone(settings, budget));
        let mut score = Score { points: 0.0, games: 0 };
        let before = self.playouts;
        while score.games < most && !part.is_over() {
            let mut pair = 0.0;
            for me in [Player(0), Player(1)] {
                let [mine, other] = both;
                let settings = if me.0 == 0 { [mine, other] } else { [other, mine] };
                let seats = Seats { settings: &settings, surveys: false, max_plies };
                let played = (self.play)(&seats, &self.meter, rng);
                self.playouts += played.playouts;
                let Some(payoffs) = played.payoffs else {
                    return (score.games > 0).then_some(score);
                };
                let difference = payoffs[me] - payoffs[Player(1 - me.0)];
                pair += if difference == 0.0 { 0.5 } else { f64::from(u8::from(difference > 0.0)) };
            }
            score = Score { points: score.points + pair, games: score.games + 2 };
            let spent = self.playouts - before;
            let is_spent = spent + 2 * spent / u64::from(score.games) > length.all;
            if is_counted && is_spent {
                break;
            }
        }
        (score.games > 0).then_some(score)
    }

    /// Plays the first plies of a game, each player with its own search, and returns what they
    /// measured.
    pub(super) fn survey(
        &mut self,
        experience: ExperienceSettings,
        playouts: u64,
        max_plies: usize,
        rng: &mut Rng,
    ) -> Vec<(Survey, ExperienceCounts)> {
        let budget = Budget { memory: self.search.budget.memory, ..Budget::iterations(playouts) };
        let settings = alone(with_experience(self.search, Some(experience)), budget);
        let settings = vec![settings; self.n_players];
        let seats = Seats { settings: &settings, surveys: true, max_plies };
        let played = (self.play)(&seats, &self.meter, rng);
        self.playouts += played.playouts;
        played.surveys
    }
}

/// The same search with one tree and another budget.
fn alone(search: MctsSettings, budget: Budget) -> MctsSettings {
    MctsSettings { budget, tree: TreeSettings { trees: 1, ..search.tree }, ..search }
}

/// The experience of a search.
pub(super) fn experience_of(search: &MctsSettings) -> Option<ExperienceSettings> {
    search.selection.ucb()?.ucb1()?.experience
}

/// The same search with other experience. Only UCB1 has any.
pub(super) fn with_experience(
    mut search: MctsSettings,
    experience: Option<ExperienceSettings>,
) -> MctsSettings {
    if let Some(ucb1) = search.selection.ucb_mut().and_then(|ucb| ucb.ucb1_mut()) {
        ucb1.experience = experience;
    }
    search
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_games_show_nothing_beyond_luck() {
        let reaches = |points, games| Score { points, games }.reaches(Bar::BeyondLuck);
        assert!(!reaches(2.0, 2));
        assert!(reaches(3.5, 4) && !reaches(3.0, 4));
        assert!(reaches(11.0, 16) && !reaches(10.5, 16));
        assert!(Score { points: 3.0, games: 8 }.reaches(Bar::Share(0.375)));
    }

    #[test]
    fn rehearsals_have_a_limit_whatever_the_budget() {
        let millis = Duration::from_millis;
        let by_time = Budget { iterations: None, cpu: Some(millis(40)), ..Budget::iterations(1) };
        assert_eq!(LONG.budget(&by_time).cpu, Some(millis(2)));
        assert_eq!(part_of_time(&by_time).cpu, Some(millis(1000)));
        let long = Budget { cpu: Some(millis(5000)), ..by_time };
        assert_eq!(LONG.budget(&long).cpu, Some(MAX_DECISION));
        assert_eq!(part_of_time(&long).cpu, Some(MAX_TIME));
        // The clock of a match over the network.
        let open = Budget { cpu: None, ..by_time };
        assert_eq!(
            (LONG.budget(&open).cpu, part_of_time(&open).cpu),
            (Some(MAX_DECISION), Some(MAX_TIME))
        );
        let playouts = Budget::iterations(500);
        assert_eq!(LONG.budget(&playouts).iterations, Some(100));
        assert_eq!(part_of_time(&playouts).cpu, None);
    }
}
