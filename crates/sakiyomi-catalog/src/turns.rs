//! How players choose in a game: one at a time, several at once, or now this and now that. Rules do
//! not say it, so random matches are looked at.

use sakiyomi_core::{Game, Rng, Turn};

/// Random matches that are looked at, and turns of all of them.
const MATCHES: usize = 8;
const MAX_TURNS: usize = 2_000;

/// Whether there is a turn in which one player chooses alone.
pub(crate) fn has_single_turns<G: Game>(game: &G) -> bool {
    has_turns(game, |n_choosing| n_choosing == 1)
}

/// Whether there is a turn in which several players choose at once.
pub(crate) fn has_simultaneous_turns<G: Game>(game: &G) -> bool {
    has_turns(game, |n_choosing| n_choosing > 1)
}

fn has_turns<G: Game>(game: &G, is_one: impl Fn(usize) -> bool) -> bool {
    let mut rng = Rng::new(1);
    let (mut actions, mut outcomes, mut joint) = (Vec::new(), Vec::new(), Vec::new());
    let mut n_turns = 0;
    for _ in 0..MATCHES {
        let mut state = game.start();
        loop {
            joint.clear();
            match game.turn(&state) {
                Turn::Choose(who) if is_one(who.len()) => return true,
                Turn::Choose(who) if n_turns < MAX_TURNS => {
                    n_turns += 1;
                    joint
                        .extend(who.map(|p| game.random_action(&state, p, &mut actions, &mut rng)));
                }
                Turn::Chance => joint.push(game.sample(&state, &mut outcomes, &mut rng)),
                Turn::Choose(_) | Turn::Over(_) => break,
            }
            game.apply(&mut state, &joint);
        }
    }
    false
}
