//! How many states a game has at least, from random matches: if two of them hardly ever are in the same state
//! after the same number of steps, there are many. With `n` states that are met equally often two matches
//! meet with probability 1 / n, and if some are met more often they meet more often, so the bound is
//! safe however the matches are drawn. It tells in a moment that a game is far too large to be solved, and never
//! that a small one is.

use rustc_hash::FxHashMap;
use sakiyomi_core::{Canonical, Hints, Rng, Scratch, Turn};

/// Matches of the first look, which tells whether a second is worth its time.
const N_PILOT: usize = 500;
/// All matches together take no more steps than this.
const MAX_STEPS: u64 = 4_000_000;
/// Moves are drawn so often for one that does not end the match: the middle of a game has most of its states.
const MAX_TRIES: u32 = 4;
/// Longer matches are not followed to their end.
const MAX_DEPTH: u32 = 1 << 12;

/// A lower bound of the number of states that exact work tells apart. It says no more than that there are more
/// than `enough`.
pub(crate) fn fewest_states<G: Hints>(game: &G, enough: u64) -> u64 {
    // Twenty pairs of matches for each state: even five that meet leave no doubt.
    let n_matches = (40.0 * enough as f64).sqrt().ceil() as usize;
    let mut census = Census { game, rng: Rng::new(0), scratch: Scratch::default(), n_steps: 0 };
    // Where the turns that are left count down, states of different depths are different states.
    let adds_up = game.turns_left(&game.start()).is_some();
    let (mut fewest, mut depth) = (0, 4);
    while fewest <= enough && depth <= MAX_DEPTH && census.n_steps < MAX_STEPS {
        let mut seen = census.meetings(depth, N_PILOT.min(n_matches));
        if seen.n_seen * 20 < seen.n_matches {
            break;
        }
        // Matches that hardly ever meet are worth a closer look.
        if seen.n_pairs < 20 {
            seen = census.meetings(depth, n_matches);
        }
        fewest = if adds_up { fewest + seen.fewest() } else { fewest.max(seen.fewest()) };
        depth += depth / 2;
    }
    fewest
}

struct Census<'a, G: Hints> {
    game: &'a G,
    rng: Rng,
    scratch: Scratch<G::Action>,
    n_steps: u64,
}

/// What was seen at one depth.
struct Meetings {
    n_matches: usize,
    /// Matches that came so far.
    n_seen: usize,
    /// Pairs of them in the same state.
    n_pairs: u64,
}

impl Meetings {
    /// The bound: with fewer states more pairs would have met, with a confidence of about 95 %.
    fn fewest(&self) -> u64 {
        let n = self.n_seen as f64;
        let pairs = self.n_pairs as f64;
        (n * (n - 1.0) / 2.0 / (pairs + 3.0 + 3.0 * pairs.sqrt())).max(0.0) as u64
    }
}

impl<G: Hints> Census<'_, G> {
    fn meetings(&mut self, depth: u32, n_matches: usize) -> Meetings {
        let mut counts: FxHashMap<u64, u64> = FxHashMap::default();
        let (mut n_seen, mut n_pairs, mut n_done) = (0, 0, 0);
        while n_done < n_matches && self.n_steps < MAX_STEPS {
            n_done += 1;
            if let Some(key) = self.walk(depth) {
                let count = counts.entry(key).or_default();
                n_pairs += *count;
                *count += 1;
                n_seen += 1;
            }
        }
        Meetings { n_matches: n_done, n_seen, n_pairs }
    }

    /// The state of a random match after this many steps, unless it is over or decided by then. States that
    /// chance has just led to are not counted, as exact work does not keep them.
    fn walk(&mut self, depth: u32) -> Option<u64> {
        let Census { game, rng, scratch, n_steps } = self;
        let mut state = game.start();
        let (mut step, mut is_after_chance) = (0, false);
        loop {
            let turn = game.turn(&state);
            if step >= depth && !(is_after_chance && matches!(turn, Turn::Choose(_))) {
                return match (turn, game.canonical(&state)) {
                    (Turn::Over(_), _) | (_, Canonical::Settled(_)) => None,
                    (_, Canonical::State { state, .. }) => Some(game.key(&state)),
                };
            }
            is_after_chance = turn == Turn::Chance;
            match turn {
                Turn::Over(_) => return None,
                Turn::Chance => {
                    let outcome = game.sample(&state, &mut scratch.outcomes, rng);
                    game.apply(&mut state, &[outcome]);
                }
                Turn::Choose(who) => {
                    let mut next;
                    let mut n_tries = 0;
                    loop {
                        scratch.joint.clear();
                        for player in who {
                            let actions = &mut scratch.actions;
                            let action = game.random_action(&state, player, actions, rng);
                            scratch.joint.push(action);
                        }
                        next = state.clone();
                        game.apply(&mut next, &scratch.joint);
                        n_tries += 1;
                        if n_tries == MAX_TRIES || !matches!(game.turn(&next), Turn::Over(_)) {
                            break;
                        }
                    }
                    state = next;
                }
            }
            step += 1;
            *n_steps += 1;
        }
    }
}
