//! The index of codes by itself, for those who measure it: codes of real matches, and neighbours found by
//! the index or by trying all masks.

use rustc_hash::FxHashSet;
use sakiyomi_core::{Agent, Context, Hints, Payoffs, Rng, Stop, Turn};

use super::table::{Neighbour, Table, for_each_within};
use super::{Encoding, ExperienceSettings};
use crate::mcts::{Mcts, MctsSettings};

/// The codes that the players of matches remember, each once, until there are `n` of them or a stop is asked
/// for. Players are tree searches that share positions within distance 2.
pub fn codes_of_matches<G: Hints>(
    game: &G,
    search: &MctsSettings,
    encoding: Encoding,
    n: usize,
    rng: &mut Rng,
    stop: &Stop,
) -> Vec<u64> {
    let experience = Some(ExperienceSettings::paper(encoding, 2));
    let settings = MctsSettings { experience, ..*search };
    let mut known = FxHashSet::default();
    let mut codes = Vec::new();
    while codes.len() < n && !stop.requested() {
        let mut agents: Vec<Mcts<G>> = (0..game.players()).map(|_| Mcts::new(settings)).collect();
        play(game, &mut agents, rng, stop);
        let tables = agents.iter().flat_map(|agent| &agent.walks);
        let met = tables.filter_map(|walk| walk.experience.as_ref()).flat_map(|e| e.codes());
        codes.extend(met.filter(|&code| known.insert(code)));
    }
    codes.truncate(n);
    codes
}

fn play<G: Hints>(game: &G, agents: &mut [Mcts<G>], rng: &mut Rng, stop: &Stop) {
    let (mut state, mut outcomes) = (game.start(), Vec::new());
    loop {
        let mut actions = Vec::new();
        match game.turn(&state) {
            Turn::Over(_) => return,
            Turn::Chance => actions.push(game.sample(&state, &mut outcomes, rng)),
            Turn::Choose(who) => {
                for player in who {
                    let mut context = Context { rng: &mut *rng, stop };
                    let agent = &mut agents[player.index()];
                    let Ok(choice) = agent.choose(game, &state, player, &mut context) else {
                        return;
                    };
                    actions.push(choice.action);
                }
            }
        }
        agents.iter_mut().for_each(|agent| agent.observe(game, &state, &actions));
        game.apply(&mut state, &actions);
    }
}

/// An index of codes of 64 bits.
#[derive(Clone, Debug)]
pub struct CodeIndex {
    table: Table,
    distance: u32,
    found: Vec<Neighbour>,
}

impl CodeIndex {
    /// An index in which codes up to `distance` apart are neighbours.
    pub fn new(codes: &[u64], distance: u32) -> CodeIndex {
        let mut table = Table::new(1, 64, distance, u64::MAX);
        codes.iter().for_each(|&code| table.add(code, &Payoffs::default(), 0));
        CodeIndex { table, distance, found: Vec::new() }
    }

    /// How many neighbours a code has, and with how many codes it was compared to find them.
    pub fn neighbours(&mut self, code: u64) -> (usize, usize) {
        let n_compared = self.table.neighbours(code, &mut self.found);
        (self.found.len(), n_compared)
    }

    /// How many neighbours a code has, found by looking up every code nearby.
    pub fn neighbours_by_masks(&self, code: u64) -> usize {
        let mut n_found = 0;
        for_each_within(code, u64::MAX, self.distance, &mut |near| {
            n_found += usize::from(self.table.find(near).is_some());
        });
        n_found
    }
}
