//! Random openings: the first moves of a match are drawn, so that agents that always decide alike play different
//! games. An opening follows from the seed and its own number alone. All matches of a round begin with the same
//! one, so that every agent plays it from every seat.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use sakiyomi_core::{Agent, Choice, Context, Forfeit, Game, Player, Preparation, Rng, Turn};
use serde::{Deserialize, Serialize};

/// Openings that are drawn for one number before a shorter one is taken, because a match must not be over
/// after its opening.
const MAX_DRAWS: u64 = 100;

/// Round `r` begins with opening number `r` modulo `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Openings {
    /// How many there are.
    pub n: NonZeroU64,
    /// Steps in which players choose.
    pub plies: u32,
}

impl Openings {
    /// If a number is given without the other.
    pub const DEFAULT_PLIES: u32 = 4;

    /// The steps of a round's opening, chance included.
    pub(crate) fn steps<G: Game>(&self, game: &G, seed: u64, round: u64) -> Vec<Vec<G::Action>> {
        let number = round % self.n;
        let mut steps = Vec::new();
        for draw in 0..MAX_DRAWS {
            let mut rng = Rng::stream(&[seed, number, draw, OPENING]);
            let is_whole = draw_steps(game, self.plies, &mut rng, &mut steps);
            if is_whole {
                break;
            }
        }
        steps
    }
}

/// Part of the address of random streams, beside chance and seats.
const OPENING: u64 = 0x6f70_656e;

/// Draws steps until players have chosen `plies` times. If the match is over by then, the steps end before the one
/// that ended it, and the answer is false.
fn draw_steps<G: Game>(
    game: &G,
    plies: u32,
    rng: &mut Rng,
    steps: &mut Vec<Vec<G::Action>>,
) -> bool {
    let (mut state, mut actions, mut outcomes) = (game.start(), Vec::new(), Vec::new());
    let mut n_chosen = 0;
    steps.clear();
    loop {
        let step: Vec<G::Action> = match game.turn(&state) {
            Turn::Over(_) => {
                steps.pop();
                return false;
            }
            Turn::Choose(_) if n_chosen == plies => return true,
            Turn::Choose(who) => {
                n_chosen += 1;
                who.map(|player| game.random_action(&state, player, &mut actions, rng)).collect()
            }
            // What chance does after the last of them belongs to the round.
            Turn::Chance if n_chosen == plies => return true,
            Turn::Chance => vec![game.sample(&state, &mut outcomes, rng)],
        };
        game.apply(&mut state, &step);
        steps.push(step);
    }
}

/// An agent whose first choices of a match are drawn at random.
pub(crate) struct LateAgent<G: Game> {
    agent: Box<dyn Agent<G>>,
    /// Choices that are still drawn.
    left: u32,
    actions: Vec<G::Action>,
}

impl<G: Game> LateAgent<G> {
    pub(crate) fn new(agent: Box<dyn Agent<G>>, n_drawn: u32) -> LateAgent<G> {
        LateAgent { agent, left: n_drawn, actions: Vec::new() }
    }
}

impl<G: Game> Agent<G> for LateAgent<G> {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        if self.left == 0 {
            return self.agent.choose(game, state, player, context);
        }
        self.left -= 1;
        let action = game.random_action(state, player, &mut self.actions, context.rng);
        Ok(Choice { action, policy: Vec::new(), value: None, iterations: 0, nodes: 0 })
    }

    fn prepare(&mut self, game: &G, context: &mut Context<'_>) {
        self.agent.prepare(game, context);
    }

    fn preparation(&self) -> Option<Preparation> {
        self.agent.preparation()
    }

    fn observe(&mut self, game: &G, before: &G::State, actions: &[G::Action]) {
        self.agent.observe(game, before, actions);
    }
}

impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "openings={},plies={}", self.n, self.plies)
    }
}

impl FromStr for Openings {
    type Err = String;

    fn from_str(text: &str) -> Result<Openings, String> {
        let parse = || {
            let (n, plies) = text.strip_prefix("openings=")?.split_once(",plies=")?;
            Some(Openings { n: n.parse().ok()?, plies: plies.parse().ok()? })
        };
        parse().ok_or_else(|| format!("`{text}`: expected openings=N,plies=K"))
    }
}
