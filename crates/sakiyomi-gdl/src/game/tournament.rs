//! Random playouts in which the moves of a player compete: of a few that are drawn the one is made
//! that tended to win. In lanes and one at a time they are the same matches, and teach the same.

use cpu_time::ThreadTime;
use sakiyomi_core::{ActionMeans, Game, Payoffs, Player, Rng};

use crate::game::gdl_game::GdlGame;
use crate::game::playout::{MIN_MATCHES, Picker, Queue};
use crate::game::state::{Move, State};
use crate::lanes::play::{CompetingRules, Match, Played, play_tournaments};
use crate::lanes::tournament::{N_LEVELS, Tally, Tournament};
use crate::run::draw::{AGAIN, draw};

impl GdlGame {
    /// Playouts from many states, each with the next key from `rng`. What the moves led to is added
    /// to the means when all are over.
    pub(super) fn competing_playouts(
        &self,
        states: &[State],
        starts: &[u32],
        draws: u32,
        means: &mut dyn ActionMeans<Move>,
        rng: &mut Rng,
        out: &mut Vec<Payoffs>,
    ) {
        let Some(mut state) = states.first().cloned() else { return };
        let levels = self.levels(means);
        let tournament = Tournament { draws: draws.max(1), levels: &levels };
        let mut tally = Tally::new(levels.len());
        let Queue { matches, places } = Queue::new(states, starts, rng, out);
        let mut picker = Best { tournament, made: Vec::new() };
        let mut next = 0;
        // One at a time, until what that takes would have made lanes.
        while next < matches.len() {
            let (rest, places) = (&matches[next..], &places[next..]);
            let mut tell = |one: usize, payoffs| out[places[one]] = payoffs;
            if self.compete_in_lanes(states, rest, tournament, &mut tell, &mut tally) {
                break;
            }
            let clock = ThreadTime::now();
            for (number, one) in rest.iter().enumerate().take(MIN_MATCHES) {
                state.clone_from(&states[one.start as usize]);
                picker.made.clear();
                let payoffs = self.walk(&mut state, one.key, &mut picker);
                self.count(&mut picker.made, &payoffs, &mut tally);
                tell(number, payoffs);
            }
            next += MIN_MATCHES;
            self.note_spent(clock.elapsed());
        }
        self.teach(&tally, means);
    }

    /// The moves of each player by their means, from 0 for the worst; equal means, equal levels.
    /// Those of chance do not compete.
    fn levels(&self, means: &dyn ActionMeans<Move>) -> Vec<u8> {
        let n_moves = self.engine().compiled().map_or(0, |compiled| compiled.network.moves.len());
        let mut levels = vec![0; n_moves];
        for player in (0..self.players()).map(|seat| Player(seat as u8)) {
            let moves = self.moves_of(player);
            let mut sorted: Vec<(f32, usize)> =
                moves.map(|index| (means.mean(player, Move(index as u32)), index)).collect();
            sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let mut first = 0;
            for (at, &(mean, index)) in sorted.iter().enumerate() {
                if mean > sorted[first].0 {
                    first = at;
                }
                levels[index] = (first * N_LEVELS / sorted.len()) as u8;
            }
        }
        levels
    }

    /// Plays matches in lanes and tells the payoffs of each; false if that is not worth it.
    fn compete_in_lanes(
        &self,
        states: &[State],
        matches: &[Match],
        tournament: Tournament<'_>,
        tell: &mut dyn FnMut(usize, Payoffs),
        tally: &mut Tally,
    ) -> bool {
        // Lanes begin with whole plies; they do not know what players have chosen.
        let can_begin = |one: &Match| states[one.start as usize].chosen.is_none();
        if matches.len() < MIN_MATCHES || !matches.iter().all(can_begin) {
            return false;
        }
        let Some(lanes) = self.competing_lanes_if_worth_it() else { return false };
        let starts: Option<Vec<_>> = states.iter().map(State::as_start).collect();
        let Some(starts) = starts else { return false };
        let worth = |goal: Option<u8>, is_terminal: bool| {
            goal.unwrap_or(if is_terminal { 0 } else { HALF })
        };
        let rules = CompetingRules {
            tournament,
            max_plies: self.max_plies(),
            worth: &worth,
            stop: self.stop().map(|stop| &**stop),
        };
        let tell = &mut |played: Played<'_>| {
            tell(played.number, self.payoffs_played(&played));
        };
        play_tournaments(lanes, &starts, matches, &rules, tell, tally);
        true
    }

    /// Adds one match that was played by itself.
    fn count(&self, made: &mut Vec<u32>, payoffs: &Payoffs, tally: &mut Tally) {
        made.sort_unstable();
        made.dedup();
        for player in (0..self.players()).map(|seat| Player(seat as u8)) {
            let moves = self.moves_of(player);
            let hundredths = (payoffs[player] * 100.0).round() as u64;
            for &index in made.iter().filter(|&&index| moves.contains(&(index as usize))) {
                tally.add(index as usize, 1, hundredths);
            }
        }
    }

    fn teach(&self, tally: &Tally, means: &mut dyn ActionMeans<Move>) {
        for player in (0..self.players()).map(|seat| Player(seat as u8)) {
            for index in self.moves_of(player).filter(|&index| tally.matches[index] > 0) {
                let payoffs = tally.hundredths[index] as f64 / 100.0;
                means.add(player, Move(index as u32), tally.matches[index].into(), payoffs);
            }
        }
    }
}

/// What a match pays to a role without a goal if the rules have not ended it.
const HALF: u8 = 50;

/// Makes the best of the moves that are drawn, and notes it.
struct Best<'a> {
    tournament: Tournament<'a>,
    made: Vec<u32>,
}

impl Picker for Best<'_> {
    fn pick(&mut self, key: u64, turn: u64, n: usize, legal: impl Fn(usize) -> u32) -> u32 {
        let Tournament { draws, levels } = self.tournament;
        let drawn = |again: u32| {
            let turn = turn.wrapping_add(u64::from(again).wrapping_mul(AGAIN));
            legal(draw(key, turn, n))
        };
        let mut best = drawn(0);
        for again in 1..draws {
            let other = drawn(again);
            if levels[other as usize] > levels[best as usize] {
                best = other;
            }
        }
        // A move that is the only one says nothing.
        if n > 1 {
            self.made.push(best);
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use sakiyomi_core::Scratch;

    use super::*;
    use crate::Settings;
    use crate::game::playout::tests::some_states;

    /// Means that begin somewhere, and what is added to them.
    #[derive(Default, Debug, PartialEq)]
    struct Means(BTreeMap<(u8, Move), (f64, f64)>);

    impl ActionMeans<Move> for Means {
        fn mean(&self, player: Player, action: Move) -> f32 {
            let (n, sum) = self.0.get(&(player.0, action)).copied().unwrap_or_default();
            // Some are equal.
            let before = f64::from(action.0 * 7 % 5) / 5.0;
            ((before + sum) / (1.0 + n)) as f32
        }

        fn add(&mut self, player: Player, action: Move, playouts: f64, payoffs: f64) {
            let (n, sum) = self.0.entry((player.0, action)).or_default();
            *n += playouts;
            *sum += payoffs;
        }
    }

    fn play(
        game: &GdlGame,
        states: &[State],
        n: usize,
        draws: u32,
        in_lanes: bool,
    ) -> (Vec<Payoffs>, Means) {
        if in_lanes {
            game.competing_lanes().unwrap();
        }
        let (mut out, mut means, mut rng) = (Vec::new(), Means::default(), Rng::new(3));
        let starts: Vec<u32> = (0..n).map(|i| (i % states.len()) as u32).collect();
        for _ in 0..2 {
            assert!(
                game.tournament_playouts(states, &starts, draws, &mut means, &mut rng, &mut out)
            );
        }
        (out, means)
    }

    /// The same matches are played, and the same is learned from them; with one draw they are those
    /// of uniform playouts.
    #[test]
    fn tournaments_in_lanes_are_those_played_one_by_one() {
        for text in crate::tests::sheets::ALL {
            let open = || GdlGame::new(text, &Settings::default()).unwrap();
            let (single, many) = (open(), open());
            let states = some_states(&many, 20);
            for (n, draws) in [(40, 2), (700, 1), (700, 2), (700, 3)] {
                let expected = play(&open(), &states, n, draws, false);
                assert_eq!(play(&many, &states, n, draws, true), expected, "{draws} of {n}");
                assert!(!expected.1.0.is_empty());
            }
            let (uniform, _) = play(&many, &states, 700, 1, true);
            let (mut out, mut rng) = (Vec::new(), Rng::new(3));
            let starts: Vec<u32> = (0..700).map(|i| i % states.len() as u32).collect();
            for _ in 0..2 {
                let scratch = &mut Scratch::default();
                single.playouts(&states, &starts, scratch, &mut rng, &mut out);
            }
            assert_eq!(uniform, out);
        }
    }

    /// Own sheets, larger and with more roles and phases than those above.
    #[test]
    fn own_sheets_play_the_same_tournaments_in_lanes() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/gdl");
        let mut n_sheets = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "kif") {
                let text = std::fs::read_to_string(&path).unwrap();
                let settings = Settings { max_plies: 60, ..Settings::default() };
                let open = || GdlGame::new(&text, &settings).unwrap();
                let many = open();
                let states = some_states(&many, 12);
                let expected = play(&open(), &states, 100, 2, false);
                assert_eq!(play(&many, &states, 100, 2, true), expected, "{}", path.display());
                n_sheets += 1;
            }
        }
        assert!(n_sheets > 15, "{n_sheets}");
    }

    /// A player who prefers what has won wins more often than one who draws uniformly.
    #[test]
    fn the_better_moves_are_made_more_often() {
        let game = GdlGame::new(crate::tests::sheets::LINES, &Settings::default()).unwrap();
        let states = [game.start()];
        let (_, first) = play(&game, &states, 512, 1, true);
        let (_, third) = play(&game, &states, 512, 3, true);
        let share = |means: &Means| {
            let of_good = means.0.iter().filter(|((_, action), _)| action.0 * 7 % 5 == 4);
            let all: f64 = means.0.values().map(|(n, _)| n).sum();
            of_good.map(|(_, (n, _))| n).sum::<f64>() / all
        };
        assert!(share(&third) > share(&first), "{} {}", share(&third), share(&first));
    }
}
