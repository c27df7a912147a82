//! Random playouts on raw positions: nothing is skipped and no list of moves is made.

use std::sync::Arc;
use std::time::Duration;

use cpu_time::ThreadTime;
use sakiyomi_core::{MAX_PLAYERS, Payoffs, Rng, Stop, Turn};

use crate::game::gdl_game::GdlGame;
use crate::game::state::{Joint, State};
use crate::lanes::N_LANES;
use crate::lanes::play::{Match, Played, Start, play};
use crate::run::draw::draw;
use crate::run::engine::{Engine, Position, match_engine};
use crate::run::rules::Rules;

impl GdlGame {
    /// Plays random moves from a state that is not over, to the end. What is drawn follows from the
    /// key (`run/draw.rs`).
    pub(super) fn random_playout(&self, state: &mut State, key: u64) -> Payoffs {
        self.walk(state, key, &mut Uniform)
    }

    /// The same with moves that are picked in some way.
    pub(super) fn walk(&self, state: &mut State, key: u64, picker: &mut impl Picker) -> Payoffs {
        let mut walk = RandomWalk {
            n_roles: self.roles().len(),
            random: self.random_role(),
            chosen: state.chosen.take(),
            plies: &mut state.plies,
            max_plies: self.max_plies(),
            stop: self.stop(),
            key,
        };
        let is_by_the_rules = match_engine!(self.engine(), &mut state.position, |rules, own| walk
            .run(&**rules, own, picker));
        self.payoffs(&mut state.position, if is_by_the_rules { 0.0 } else { 0.5 })
    }

    /// Playouts from many states, each with the next key from `rng`.
    pub(super) fn random_playouts(
        &self,
        states: &[State],
        starts: &[u32],
        rng: &mut Rng,
        out: &mut Vec<Payoffs>,
    ) {
        let Queue { matches, places } = Queue::new(states, starts, rng, out);
        let Some(mut state) = states.first().cloned() else { return };
        let mut next = 0;
        // One at a time, until what that takes would have made lanes.
        while next < matches.len() {
            let (rest, places) = (&matches[next..], &places[next..]);
            let tell = &mut |one: usize, payoffs| out[places[one]] = payoffs;
            if self.play_in_lanes(states, rest, tell) {
                return;
            }
            let (clock, first) = (ThreadTime::now(), next);
            for (one, &place) in rest.iter().zip(places).take(MIN_MATCHES) {
                state.clone_from(&states[one.start as usize]);
                out[place] = self.random_playout(&mut state, one.key);
                next += 1;
                if clock.elapsed() > AT_ONCE {
                    break;
                }
            }
            self.note_alone(next - first, clock.elapsed());
        }
    }

    /// Plays matches in lanes and tells the payoffs of each; false if that is not worth it.
    fn play_in_lanes(
        &self,
        states: &[State],
        matches: &[Match],
        tell: &mut dyn FnMut(usize, Payoffs),
    ) -> bool {
        // Lanes begin with whole plies; they do not know what players have chosen.
        let can_begin = |one: &Match| states[one.start as usize].chosen.is_none();
        if matches.len() < MIN_MATCHES || !matches.iter().all(can_begin) {
            return false;
        }
        let Some(lanes) = self.lanes_if_worth_it() else { return false };
        let starts: Option<Vec<Start<'_>>> = states.iter().map(State::as_start).collect();
        let Some(starts) = starts else { return false };
        let max_plies = self.max_plies();
        let stop = self.stop().map(|stop| &**stop);
        let mut tell = |played: Played<'_>| tell(played.number, self.payoffs_played(&played));
        #[cfg(feature = "cuda")]
        if matches.len() >= MIN_GPU_MATCHES
            && let Some(gpu) = self.gpu_if_worth_it()
            && gpu.play(lanes, &starts, matches, max_plies, stop, &mut tell).is_ok()
        {
            return true;
        }
        let clock = ThreadTime::now();
        play(lanes, &starts, matches, max_plies, stop, &mut tell);
        if matches.len() >= N_LANES {
            self.note_in_lanes(matches.len(), clock.elapsed());
        }
        true
    }

    pub(super) fn payoffs_played(&self, played: &Played<'_>) -> Payoffs {
        let missing = if played.is_terminal { 0.0 } else { 0.5 };
        self.payoffs_of(missing, |role| played.goal(role))
    }
}

/// Matches that are to be played, and where what they pay is wanted.
pub(super) struct Queue {
    pub(super) matches: Vec<Match>,
    pub(super) places: Vec<usize>,
}

impl Queue {
    /// Draws a key for every start that is not over, and appends what the others pay.
    pub(super) fn new(
        states: &[State],
        starts: &[u32],
        rng: &mut Rng,
        out: &mut Vec<Payoffs>,
    ) -> Queue {
        let mut queue = Queue { matches: Vec::new(), places: Vec::new() };
        for &start in starts {
            if let Turn::Over(payoffs) = states[start as usize].turn {
                out.push(payoffs);
            } else {
                queue.places.push(out.len());
                queue.matches.push(Match { start, key: rng.bits() });
                out.push(Payoffs::default());
            }
        }
        queue
    }
}

/// Playouts one at a time are interrupted after so long to see whether lanes are worth making.
const AT_ONCE: Duration = Duration::from_millis(2);

/// A step of all lanes costs as much as dozens of plies, so a few matches are played one by one.
pub(super) const MIN_MATCHES: usize = 32;

/// Fewer matches do not fill a graphics processor.
#[cfg(feature = "cuda")]
const MIN_GPU_MATCHES: usize = 1 << 16;

/// How a role picks a move.
pub(super) trait Picker {
    /// Picks one of `n` legal moves, of which `legal` gives each by its number among them. What is
    /// drawn follows from the key of the match and the turn.
    fn pick(&mut self, key: u64, turn: u64, n: usize, legal: impl Fn(usize) -> u32) -> u32;
}

/// Each with the same probability.
struct Uniform;

impl Picker for Uniform {
    #[inline]
    fn pick(&mut self, key: u64, turn: u64, n: usize, legal: impl Fn(usize) -> u32) -> u32 {
        legal(if n == 1 { 0 } else { draw(key, turn, n) })
    }
}

/// Random moves of everyone until a match is over.
struct RandomWalk<'a> {
    n_roles: usize,
    random: Option<usize>,
    /// The players may have chosen already, and only chance is open at the first ply.
    chosen: Option<Joint>,
    plies: &'a mut u32,
    max_plies: u32,
    stop: Option<&'a Arc<Stop>>,
    key: u64,
}

impl RandomWalk<'_> {
    /// Whether the rules ended the match.
    #[inline]
    fn run<R: Rules>(
        &mut self,
        rules: &R,
        position: &mut R::Position,
        picker: &mut impl Picker,
    ) -> bool {
        loop {
            let mut joint = self.chosen.unwrap_or([0; MAX_PLAYERS + 1]);
            for (role, slot) in joint[..self.n_roles].iter_mut().enumerate() {
                if self.chosen.is_some() && self.random != Some(role) {
                    continue;
                }
                let n = rules.n_legal(position, role);
                if n == 0 {
                    return false;
                }
                let turn = u64::from(*self.plies) * self.n_roles as u64 + role as u64;
                *slot = picker.pick(self.key, turn, n, |place| rules.legal(position, role, place));
            }
            self.chosen = None;
            rules.step(position, &joint[..self.n_roles], self.stop);
            *self.plies += 1;
            if rules.is_terminal(position) {
                return true;
            }
            let is_stopped = || self.stop.is_some_and(|stop| stop.requested());
            if *self.plies >= self.max_plies || self.plies.is_multiple_of(8) && is_stopped() {
                return false;
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use sakiyomi_core::{Game, Player, Scratch};

    use super::*;
    use crate::game::gdl_game::Settings;
    use crate::lanes::play::play_wide;
    use crate::lanes::{Lanes, Refusal};
    use crate::run::engine::EngineChoice;
    use crate::tests::random_sheets::random_sheet;

    /// What matches are in 64 `W` lanes: the plies and payoffs of each.
    fn played_in_lanes<const W: usize>(
        game: &GdlGame,
        lanes: &Lanes,
        starts: &[Start<'_>],
        matches: &[Match],
    ) -> Vec<Option<(u32, Payoffs)>> {
        let mut played = vec![None; matches.len()];
        let max_plies = game.settings().max_plies;
        play_wide::<W>(lanes, starts, matches, max_plies, None, &mut |one| {
            let before = played[one.number].replace((one.plies, game.payoffs_played(&one)));
            assert_eq!(before, None, "a match is told once");
        });
        played
    }

    /// Plays the same matches in lanes, 64, 256 and 512 of them, and one by one, from these states,
    /// and compares plies and payoffs of each.
    fn compare(game: &GdlGame, states: &[State], n_matches: usize) -> Result<usize, Refusal> {
        let lanes = game.lanes()?;
        let mut rng = Rng::new(7);
        let starts: Vec<Start<'_>> = states.iter().map(|s| s.as_start().unwrap()).collect();
        let matches: Vec<Match> = (0..n_matches)
            .map(|i| Match { start: (i % states.len()) as u32, key: rng.bits() })
            .collect();
        let played = played_in_lanes::<8>(game, lanes, &starts, &matches);
        assert_eq!(played, played_in_lanes::<1>(game, lanes, &starts, &matches), "64 lanes");
        assert_eq!(played, played_in_lanes::<4>(game, lanes, &starts, &matches), "256 lanes");
        let mut state = states[0].clone();
        for (one, played) in matches.iter().zip(played) {
            state.clone_from(&states[one.start as usize]);
            let payoffs = game.random_playout(&mut state, one.key);
            assert_eq!(played, Some((state.plies(), payoffs)));
        }
        Ok(n_matches)
    }

    /// States from random play, in which players choose.
    pub(in crate::game) fn some_states(game: &GdlGame, n: usize) -> Vec<State> {
        let (mut states, mut rng) = (vec![game.start()], Rng::new(3));
        while states.len() < n {
            let mut state = states[rng.below(states.len())].clone();
            let Turn::Choose(who) = game.turn(&state) else { break };
            let joint: Vec<_> = who
                .map(|player| game.random_action(&state, player, &mut Vec::new(), &mut rng))
                .collect();
            game.apply(&mut state, &joint);
            while game.turn(&state) == Turn::Chance {
                let outcome = game.sample(&state, &mut Vec::new(), &mut rng);
                game.apply(&mut state, &[outcome]);
            }
            if let Turn::Choose(_) = game.turn(&state) {
                states.push(state);
            } else if states.len() == 1 {
                break;
            }
        }
        states
    }

    #[test]
    fn matches_in_lanes_are_those_played_one_by_one() {
        for text in crate::tests::sheets::ALL {
            let game = GdlGame::new(text, &Settings::default()).unwrap();
            for n in [1, 63, 2000] {
                compare(&game, &[game.start()], n).unwrap();
                compare(&game, &some_states(&game, 20), n).unwrap();
            }
        }
    }

    /// Threads share the lanes of a game; what a playout gives depends on its number alone.
    #[test]
    fn playouts_are_the_same_on_any_number_of_threads() {
        const N_BATCHES: usize = 8;
        let game = GdlGame::new(crate::tests::sheets::LINES, &Settings::default()).unwrap();
        game.prepare_playouts();
        let states = some_states(&game, 12);
        let starts: Vec<u32> = (0..100).map(|i| i % states.len() as u32).collect();
        let batch = |number: usize| {
            let (mut rng, mut out) = (Rng::stream(&[9, number as u64]), Vec::new());
            game.playouts(&states, &starts, &mut Scratch::default(), &mut rng, &mut out);
            out
        };
        let one_by_one = |number: usize| -> Vec<Payoffs> {
            let mut rng = Rng::stream(&[9, number as u64]);
            let play = |&start: &u32| {
                let mut state = states[start as usize].clone();
                game.playout(&mut state, &mut Scratch::default(), &mut rng)
            };
            starts.iter().map(play).collect()
        };
        let expected: Vec<_> = (0..N_BATCHES).map(one_by_one).collect();
        for n_threads in [1, 2, 8] {
            let mut played = vec![Vec::new(); N_BATCHES];
            std::thread::scope(|scope| {
                for (first, part) in played.chunks_mut(N_BATCHES / n_threads).enumerate() {
                    let first = first * (N_BATCHES / n_threads);
                    let play = move || (first..).zip(part).for_each(|(i, out)| *out = batch(i));
                    scope.spawn(play);
                }
            });
            assert_eq!(played, expected, "{n_threads} threads");
        }
    }

    /// Lanes that are made in the middle of a batch play the rest of it.
    #[test]
    fn a_batch_begins_one_at_a_time_and_goes_on_in_lanes() {
        let game = GdlGame::new(crate::tests::sheets::LINES, &Settings::default()).unwrap();
        let (states, starts) = ([game.start()], vec![0; 60_000]);
        let [mut many, mut single] = [Vec::new(), Vec::new()];
        let mut scratch = Scratch::default();
        assert!(!game.has_lanes());
        game.playouts(&states, &starts, &mut scratch, &mut Rng::new(5), &mut many);
        assert!(game.has_lanes(), "60,000 playouts take longer than making lanes");
        let mut rng = Rng::new(5);
        let mut state = game.start();
        for _ in &starts {
            state.clone_from(&states[0]);
            single.push(game.playout(&mut state, &mut scratch, &mut rng));
        }
        assert_eq!(many, single);
    }

    /// Where full batches in lanes are slower, playouts go on one at a time, as the same matches.
    #[test]
    fn lanes_that_are_slower_are_left_out() {
        let game = GdlGame::new(crate::tests::sheets::LINES, &Settings::default()).unwrap();
        let (states, starts) = ([game.start()], vec![0; 600]);
        let playouts = || {
            let (mut rng, mut out) = (Rng::new(5), Vec::new());
            game.playouts(&states, &starts, &mut Scratch::default(), &mut rng, &mut out);
            out
        };
        game.prepare_playouts();
        let in_lanes = playouts();
        assert!(game.lanes_if_worth_it().is_some());
        game.note_in_lanes(1_000, Duration::from_secs(5));
        assert!(game.lanes_if_worth_it().is_some(), "nothing to compare with");
        game.note_alone(1_000, Duration::from_secs(1));
        assert!(game.lanes_if_worth_it().is_none());
        assert_eq!(playouts(), in_lanes);
    }

    #[test]
    fn own_sheets_play_the_same_in_lanes() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/gdl");
        let mut n_sheets = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "kif") {
                let text = std::fs::read_to_string(&path).unwrap();
                let settings = Settings { max_plies: 60, ..Settings::default() };
                let game = GdlGame::new(&text, &settings).unwrap();
                compare(&game, &some_states(&game, 12), 100)
                    .unwrap_or_else(|refusal| panic!("{}: {refusal}", path.display()));
                n_sheets += 1;
            }
        }
        assert!(n_sheets > 15, "{n_sheets}");
    }

    /// All public sheets of a moderate size: the others take minutes without optimisation.
    #[test]
    fn public_sheets_play_the_same_in_lanes() {
        let shared = crate::tests::shared::shared_data("public_sheets_play_the_same_in_lanes");
        let Some(shared) = shared else { return };
        let (mut n_sheets, mut n_matches) = (0, 0);
        for entry in std::fs::read_dir(shared.join("data/kif")).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read(&path).unwrap();
            let mut settings = Settings { max_plies: 80, ..Settings::default() };
            settings.engine = EngineChoice::Network;
            settings.limits.seconds = 0.5;
            let Ok(game) = GdlGame::new(&String::from_utf8_lossy(&text), &settings) else {
                continue;
            };
            let is_large = game.engine().compiled().unwrap().network.gates.n_inputs() > 40_000;
            if is_large || !matches!(game.turn(&game.start()), Turn::Choose(_)) {
                continue;
            }
            match compare(&game, &some_states(&game, 6), 18) {
                Ok(n) => n_matches += n,
                Err(refusal) => panic!("{}: {refusal}", path.display()),
            }
            n_sheets += 1;
        }
        println!("the same in lanes: {n_sheets} public sheets, {n_matches} matches");
        assert!(n_sheets > 50, "{n_sheets} sheets, {n_matches} matches");
    }

    #[test]
    fn random_sheets_play_the_same_in_lanes() {
        let mut n_compared = 0;
        for seed in 0..60 {
            let text = random_sheet(seed);
            let settings = Settings { max_plies: 30, ..Settings::default() };
            let game = GdlGame::new(&text, &settings).unwrap();
            if game.is_interpreted() || !matches!(game.turn(&game.start()), Turn::Choose(_)) {
                continue;
            }
            n_compared += compare(&game, &some_states(&game, 5), 100).unwrap();
        }
        assert!(n_compared >= 2_000, "{n_compared}");
    }

    #[test]
    fn many_playouts_are_the_default_one_by_one() {
        for text in crate::tests::sheets::ALL {
            let game = GdlGame::new(text, &Settings::default()).unwrap();
            let mut states = some_states(&game, 10);
            // One that is over, too.
            let mut over = states[0].clone();
            while !matches!(game.turn(&over), Turn::Over(_)) {
                let mut scratch = Scratch::default();
                game.playout(&mut over, &mut scratch, &mut Rng::new(1));
                over = game.settled(over.position, over.plies);
            }
            states.push(over);
            let starts: Vec<u32> = (0..300).map(|i| i % states.len() as u32).collect();
            game.lanes().unwrap();
            let (mut rngs, mut scratch) = ([Rng::new(5), Rng::new(5)], Scratch::default());
            let [mut many, mut single] = [Vec::new(), Vec::new()];
            game.playouts(&states, &starts, &mut scratch, &mut rngs[0], &mut many);
            for &start in &starts {
                let mut state = states[start as usize].clone();
                single.push(game.playout(&mut state, &mut scratch, &mut rngs[1]));
            }
            assert_eq!(many, single);
            assert_eq!(rngs[0], rngs[1]);
            assert!(
                many.iter().any(|payoffs| payoffs[Player(0)] != many[0][Player(0)])
                    || game.players() == 1
            );
        }
    }
}
