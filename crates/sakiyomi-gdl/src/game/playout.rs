//! Random playouts on raw positions: nothing is skipped and no list of moves is made.

use std::sync::Arc;

use cpu_time::ThreadTime;
use sakiyomi_core::{MAX_PLAYERS, Payoffs, Rng, Stop, Turn};

use crate::game::gdl_game::GdlGame;
use crate::game::state::{Joint, State};
use crate::lanes::play::{Match, Played, Start, play};
use crate::run::draw::draw;
use crate::run::engine::{Engine, Position, match_engine};
use crate::run::rules::Rules;

impl GdlGame {
    /// Plays random moves from a state that is not over, to the end. What is drawn follows from the
    /// key (`run/draw.rs`).
    pub(super) fn random_playout(&self, state: &mut State, key: u64) -> Payoffs {
        let mut walk = RandomWalk {
            n_roles: self.roles().len(),
            random: self.random_role(),
            chosen: state.chosen.take(),
            plies: &mut state.plies,
            max_plies: self.settings().max_plies,
            stop: self.stop(),
            key,
        };
        let is_by_the_rules =
            match_engine!(self.engine(), &mut state.position, |rules, own| walk.run(&**rules, own));
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
        let (mut matches, mut places) = (Vec::new(), Vec::new());
        for &start in starts {
            if let Turn::Over(payoffs) = states[start as usize].turn {
                out.push(payoffs);
            } else {
                places.push(out.len());
                matches.push(Match { start, key: rng.bits() });
                out.push(Payoffs::default());
            }
        }
        if self.play_in_lanes(states, &matches, &mut |one, payoffs| out[places[one]] = payoffs) {
            return;
        }
        let clock = ThreadTime::now();
        let Some(mut state) = states.first().cloned() else { return };
        for (one, place) in matches.iter().zip(places) {
            state.clone_from(&states[one.start as usize]);
            out[place] = self.random_playout(&mut state, one.key);
        }
        self.note_spent(clock.elapsed());
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
        let max_plies = self.settings().max_plies;
        let stop = self.stop().map(|stop| &**stop);
        let mut tell = |played: Played<'_>| tell(played.number, self.payoffs_played(&played));
        #[cfg(feature = "cuda")]
        if matches.len() >= MIN_GPU_MATCHES
            && let Some(gpu) = self.gpu_if_worth_it()
            && gpu.play(lanes, &starts, matches, max_plies, stop, &mut tell).is_ok()
        {
            return true;
        }
        #[cfg(feature = "cuda")]
        let clock = ThreadTime::now();
        play(lanes, &starts, matches, max_plies, stop, &mut tell);
        #[cfg(feature = "cuda")]
        if matches.len() >= MIN_GPU_MATCHES {
            self.note_spent_in_lanes(clock.elapsed());
        }
        true
    }

    pub(super) fn payoffs_played(&self, played: &Played<'_>) -> Payoffs {
        let missing = if played.is_terminal { 0.0 } else { 0.5 };
        self.payoffs_of(missing, |role| played.goal(role))
    }
}

/// A step of all lanes costs as much as dozens of plies, so a few matches are played one by one.
const MIN_MATCHES: usize = 64;

/// Fewer matches do not fill a graphics processor.
#[cfg(feature = "cuda")]
const MIN_GPU_MATCHES: usize = 1 << 16;

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
    fn run<R: Rules>(&mut self, rules: &R, position: &mut R::Position) -> bool {
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
                let place = if n == 1 { 0 } else { draw(self.key, turn, n) };
                *slot = rules.legal(position, role, place);
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
mod tests {
    use std::path::Path;

    use sakiyomi_core::{Game, Player, Scratch};

    use super::*;
    use crate::game::gdl_game::Settings;
    use crate::lanes::Refusal;
    use crate::run::engine::EngineChoice;

    /// Plays the same matches in lanes and one by one, from these states, and compares plies and
    /// payoffs of each.
    fn compare(game: &GdlGame, states: &[State], n_matches: usize) -> Result<usize, Refusal> {
        let lanes = game.lanes().map_err(Clone::clone)?;
        let mut rng = Rng::new(7);
        let starts: Vec<Start<'_>> = states.iter().map(|s| s.as_start().unwrap()).collect();
        let matches: Vec<Match> = (0..n_matches)
            .map(|i| Match { start: (i % states.len()) as u32, key: rng.bits() })
            .collect();
        let mut played = vec![None; n_matches];
        let max_plies = game.settings().max_plies;
        play(lanes, &starts, &matches, max_plies, None, &mut |one| {
            let before = played[one.number].replace((one.plies, game.payoffs_played(&one)));
            assert_eq!(before, None, "a match is told once");
        });
        let mut state = states[0].clone();
        for (one, played) in matches.iter().zip(played) {
            state.clone_from(&states[one.start as usize]);
            let payoffs = game.random_playout(&mut state, one.key);
            assert_eq!(played, Some((state.plies(), payoffs)));
        }
        Ok(n_matches)
    }

    /// States from random play, in which players choose.
    fn some_states(game: &GdlGame, n: usize) -> Vec<State> {
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
        assert!(n_sheets > 50, "{n_sheets} sheets, {n_matches} matches");
    }

    /// Rules over a few fluents, chosen at random: roles that move at once, chance, recursion, a
    /// counter, goals that may be missing.
    fn random_sheet(rng: &mut Rng) -> String {
        let n = 3 + rng.below(5);
        let roles = &["a", "b", "random"][..1 + rng.below(3)];
        let mut text = String::from("(init (s 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) ");
        let literals = |rng: &mut Rng, n_derived: usize, at_most: usize| {
            let one = |rng: &mut Rng| {
                let atom = match rng.below(4) {
                    0 if n_derived > 0 => format!("(q {})", rng.below(n_derived)),
                    1 if n_derived > 0 => format!("(r {})", rng.below(n)),
                    _ => format!("(true (p {}))", rng.below(n)),
                };
                if rng.below(3) == 0 { format!("(not {atom})") } else { atom }
            };
            (0..1 + rng.below(at_most)).map(|_| one(rng)).collect::<String>()
        };
        for role in roles {
            text += &format!("(role {role}) (legal {role} (m 0)) ");
        }
        for i in 0..n {
            if rng.below(2) == 0 {
                text += &format!("(init (p {i})) ");
            }
            text += &format!("(e {i} {}) (<= (r {i}) (true (p {i})) (true (s 2))) ", rng.below(n));
            text += &format!("(<= (q {i}) {}) ", literals(rng, i, 3));
        }
        text += "(<= (r ?y) (r ?x) (e ?x ?y) (not (true (p ?y)))) ";
        for role in roles {
            for k in 1..1 + rng.below(5) {
                text += &format!("(<= (legal {role} (m {k})) {}) ", literals(rng, n, 2));
            }
            for value in [0, 30, 100] {
                text += &format!("(<= (goal {role} {value}) {}) ", literals(rng, n, 2));
            }
        }
        for i in 0..n {
            for _ in 0..1 + rng.below(3) {
                let role = roles[rng.below(roles.len())];
                let does = format!("(does {role} (m {}))", rng.below(5));
                let does = if rng.below(4) == 0 { String::new() } else { does };
                text += &format!("(<= (next (p {i})) {does} {}) ", literals(rng, n, 2));
            }
        }
        text += "(<= (next (s ?y)) (true (s ?x)) (succ ?x ?y)) (<= (next (s 4)) (true (s 4))) ";
        text + &format!("(<= terminal (true (s 3)) {})", literals(rng, n, 3))
    }

    #[test]
    fn random_sheets_play_the_same_in_lanes() {
        let mut n_compared = 0;
        for seed in 0..60 {
            let text = random_sheet(&mut Rng::new(seed));
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
