//! Many matches that are played on together in lanes.
//!
//! States are packed facts. A step takes those of one phase, up to 512 at a time, into lanes, plays
//! what was chosen, and takes the states after it out again, with the legal moves of all roles as
//! bits. The matches are in different phases, since each begins again when it ends.

use std::sync::Arc;

use sakiyomi_core::{
    Encode, Game, Hints, MatchBatch, Payoffs, Player, Players, Turn, cells_as_planes,
};

use crate::game::gdl_game::GdlGame;
use crate::lanes::expand::{Expander, Look};
use crate::lanes::{Lanes, N_LANES};

/// With fewer matches in a phase lanes are not faster on every sheet than one match at a time.
const MIN_PER_PHASE: usize = 64;

pub(super) struct LaneMatches {
    game: GdlGame,
    expander: Expander<Arc<Lanes>>,
    /// Words of a state, and of the legal moves of a player.
    n_words: usize,
    n_legal_words: usize,
    /// Where matches begin, and its facts.
    start: Place,
    start_facts: Vec<u64>,
    start_legal: Vec<u64>,
    places: Vec<Place>,
    facts: Vec<u64>,
    /// The legal moves by match and player, as bits by their indices.
    legal: Vec<u64>,
    buffers: Buffers,
}

/// Where a match is.
#[derive(Clone, Copy)]
struct Place {
    phase: usize,
    plies: u32,
    choosing: Players,
}

/// Kept for their memory only.
#[derive(Default)]
struct Buffers {
    /// The moves of all matches by their numbers among the legal ones, role by role.
    picks: Vec<u32>,
    /// The same of the matches that are in the lanes.
    own_picks: Vec<u32>,
    facts: Vec<u64>,
    legal: Vec<u64>,
    /// The matches that are played on, by their phases, and those with a ply that no player chooses.
    by_phase: Vec<Vec<usize>>,
    forced: Vec<usize>,
}

impl LaneMatches {
    /// None if the game has no lanes, chance, or too few matches are wanted.
    pub(super) fn new(game: &GdlGame, n: usize) -> Option<LaneMatches> {
        if game.random_role().is_some() || game.n_action_indices() == 0 {
            return None;
        }
        let state = game.start();
        let start = state.as_start()?;
        let Turn::Choose(choosing) = game.turn(&state) else { return None };
        let lanes = game.lanes().ok()?;
        let expander = Expander::new(Arc::clone(lanes));
        if n < MIN_PER_PHASE * expander.period() {
            return None;
        }
        let n_words = expander.n_words();
        let n_legal_words = game.n_action_indices().div_ceil(64);
        let phase = start.phase % expander.period();
        let mut matches = LaneMatches {
            game: game.clone(),
            expander,
            n_words,
            n_legal_words,
            start: Place { phase, plies: start.plies, choosing },
            start_facts: start.facts[..n_words].to_vec(),
            start_legal: vec![0; game.players() * n_legal_words],
            places: Vec::new(),
            facts: vec![0; n * n_words],
            legal: vec![0; n * game.players() * n_legal_words],
            buffers: Buffers::default(),
        };
        matches.places = vec![matches.start; n];
        matches.expander.load(phase, &[&matches.start_facts[..]]);
        let mut legal = std::mem::take(&mut matches.start_legal);
        matches.read_legal(1, |_| Some(0), &mut legal);
        matches.start_legal = legal;
        matches.restart();
        Some(matches)
    }

    fn begin(&mut self, number: usize) {
        self.places[number] = self.start;
        self.facts[number * self.n_words..][..self.n_words].copy_from_slice(&self.start_facts);
        let n = self.start_legal.len();
        self.legal[number * n..][..n].copy_from_slice(&self.start_legal);
    }

    /// Writes what is legal in the first lanes, `n` of them, to the matches that they play.
    fn read_legal(&mut self, n: usize, of: impl Fn(usize) -> Option<usize>, legal: &mut [u64]) {
        let (n_players, n_words) = (self.game.players(), self.n_legal_words);
        for player in (0..n_players).map(|seat| Player(seat as u8)) {
            let packed = &mut self.buffers.legal;
            packed.clear();
            let has_choice = self.expander.legal(self.game.role_of(player), n, packed);
            let n_own = packed.len() / n;
            for (lane, number) in (0..n).filter_map(|lane| Some((lane, of(lane)?))) {
                let row = (number * n_players + player.index()) * n_words;
                let row = &mut legal[row..row + n_words];
                row.fill(0);
                if has_choice {
                    row[..n_own].copy_from_slice(&packed[lane * n_own..][..n_own]);
                }
            }
        }
    }

    /// One ply of matches that are in the same phase, at most 512.
    fn ply(&mut self, numbers: &[usize], ended: &mut dyn FnMut(usize, Payoffs)) {
        let (n_words, n_roles) = (self.n_words, self.game.roles().len());
        let state = |&number: &usize| &self.facts[number * n_words..][..n_words];
        let states: Vec<&[u64]> = numbers.iter().map(state).collect();
        self.expander.load(self.places[numbers[0]].phase, &states);
        let Buffers { picks, own_picks, facts, .. } = &mut self.buffers;
        own_picks.clear();
        for &number in numbers {
            own_picks.extend_from_slice(&picks[number * n_roles..][..n_roles]);
        }
        facts.clear();
        self.expander.follow(own_picks, facts);
        self.expander.evaluate();
        for (&number, facts) in numbers.iter().zip(facts.chunks_exact(n_words)) {
            self.facts[number * n_words..][..n_words].copy_from_slice(facts);
            let place = &mut self.places[number];
            place.phase = (place.phase + 1) % self.expander.period();
            place.plies += 1;
        }
        let max_plies = self.game.max_plies();
        let missing = |lane: usize| match self.expander.look(lane) {
            Look::Terminal => Some(0.0),
            Look::Stuck => Some(0.5),
            Look::Moves(_) => (self.places[numbers[lane]].plies >= max_plies).then_some(0.5),
        };
        let missing: Vec<Option<f64>> = (0..numbers.len()).map(missing).collect();
        let mut legal = std::mem::take(&mut self.legal);
        let goes_on = |lane: usize| missing[lane].is_none().then_some(numbers[lane]);
        self.read_legal(numbers.len(), goes_on, &mut legal);
        self.legal = legal;
        self.end(numbers, &missing, ended);
        for (&number, _) in numbers.iter().zip(missing).filter(|(_, missing)| missing.is_none()) {
            self.choose(number);
        }
    }

    /// Tells of the matches that are over, and begins them again.
    fn end(
        &mut self,
        numbers: &[usize],
        missing: &[Option<f64>],
        ended: &mut dyn FnMut(usize, Payoffs),
    ) {
        if missing.iter().all(Option::is_none) {
            return;
        }
        {
            let goal = self.expander.goals();
            for (lane, &missing) in missing.iter().enumerate() {
                if let Some(missing) = missing {
                    ended(numbers[lane], self.game.payoffs_of(missing, |role| goal(lane, role)));
                }
            }
        }
        for (&number, _) in numbers.iter().zip(missing).filter(|(_, missing)| missing.is_some()) {
            self.begin(number);
        }
    }

    /// Finds out who chooses, or notes that no player does.
    fn choose(&mut self, number: usize) {
        let mut choosing = Players::NONE;
        for player in (0..self.game.players()).map(|seat| Player(seat as u8)) {
            if self.row(number, player).iter().map(|word| word.count_ones()).sum::<u32>() > 1 {
                choosing = choosing.with(player);
            }
        }
        self.places[number].choosing = choosing;
        if choosing.is_empty() {
            self.buffers.forced.push(number);
        }
    }

    fn row(&self, number: usize, player: Player) -> &[u64] {
        let row = number * self.game.players() + player.index();
        &self.legal[row * self.n_legal_words..][..self.n_legal_words]
    }
}

impl MatchBatch for LaneMatches {
    fn restart(&mut self) {
        (0..self.places.len()).for_each(|number| self.begin(number));
    }

    fn choosing(&self, number: usize) -> Players {
        self.places[number].choosing
    }

    fn n_legal(&self, number: usize, player: Player) -> usize {
        self.row(number, player).iter().map(|word| word.count_ones() as usize).sum()
    }

    fn legal_index(&self, number: usize, player: Player, mut place: usize) -> usize {
        for (at, &word) in self.row(number, player).iter().enumerate() {
            let n = word.count_ones() as usize;
            if place < n {
                let rest = (0..place).fold(word, |rest, _| rest & (rest - 1));
                return 64 * at + rest.trailing_zeros() as usize;
            }
            place -= n;
        }
        0
    }

    fn is_legal(&self, number: usize, player: Player, index: usize) -> bool {
        let word = self.row(number, player).get(index / 64);
        self.choosing(number).contains(player)
            && word.is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    fn legal_mask(&self, number: usize, player: Player, out: &mut [bool]) {
        out.fill(false);
        if self.choosing(number).contains(player) {
            for (at, mut word) in self.row(number, player).iter().copied().enumerate() {
                while word != 0 {
                    out[64 * at + word.trailing_zeros() as usize] = true;
                    word &= word - 1;
                }
            }
        }
    }

    fn observe(&self, number: usize, _: Player, out: &mut [f32]) {
        let facts = &self.facts[number * self.n_words..][..self.n_words];
        match (self.game.board(), self.game.cell_shape()) {
            (Some(board), Some(shape)) => {
                let mut cells = Vec::with_capacity(shape.n_cells());
                board.read_bits(facts, &mut cells);
                cells_as_planes(shape, &cells, self.choosing(number), out);
            }
            _ => {
                for (fluent, out) in out.iter_mut().enumerate() {
                    *out = f32::from((facts[fluent / 64] >> (fluent % 64) & 1) as u8);
                }
            }
        }
    }

    fn step(
        &mut self,
        chosen: &dyn Fn(usize, Player) -> usize,
        ended: &mut dyn FnMut(usize, Payoffs),
    ) {
        let n_roles = self.game.roles().len();
        let mut picks = std::mem::take(&mut self.buffers.picks);
        picks.clear();
        picks.resize(self.places.len() * n_roles, 0);
        for (number, place) in self.places.iter().enumerate() {
            for player in place.choosing {
                let index = chosen(number, player);
                let row = self.row(number, player);
                let before = row[..index / 64].iter().map(|word| word.count_ones()).sum::<u32>();
                let below = row[index / 64] & ((1 << (index % 64)) - 1);
                picks[number * n_roles + self.game.role_of(player)] = before + below.count_ones();
            }
        }
        self.buffers.picks = picks;
        let mut by_phase = std::mem::take(&mut self.buffers.by_phase);
        by_phase.resize(self.expander.period(), Vec::new());
        (0..self.places.len()).for_each(|number| by_phase[self.places[number].phase].push(number));
        while by_phase.iter().any(|numbers| !numbers.is_empty()) {
            for numbers in &by_phase {
                numbers.chunks(N_LANES).for_each(|numbers| self.ply(numbers, ended));
            }
            by_phase.iter_mut().for_each(Vec::clear);
            while let Some(number) = self.buffers.forced.pop() {
                self.buffers.picks[number * n_roles..][..n_roles].fill(0);
                by_phase[self.places[number].phase].push(number);
            }
        }
        self.buffers.by_phase = by_phase;
    }
}
