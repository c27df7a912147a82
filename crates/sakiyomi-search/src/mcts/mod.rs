//! Monte-Carlo tree search: UCT (Kocsis and Szepesvári 2006) over every kind of turn.
//!
//! One iteration walks down the tree by the picks of a selection, adds the first state that is new
//! to the tree, plays out from there and backs the payoffs up. Where one player chooses there is
//! one row of arms; where several choose at once each has a row and picks for itself; chance is
//! sampled. Each row learns its own player's payoff, so nothing is ever negated.
//!
//! - `select/`: the rules by which arms are picked, each with its options.
//! - `tree`, `game_tree`: the tree in memory; `walk`: an iteration; `agent`: the search as an
//!   agent.
//! - *Graph*: states that meet share a node (Childs et al. 2008, UCT1): what is below is shared,
//!   the arms above keep their own statistics.
//! - *Endgame*: the last turns of a game of two are solved exactly, as matrix games, when a node is
//!   expanded there and when the match itself is there.
//! - *Trees*: root parallelism (Chaslot et al. 2008): several trees on several threads, each with
//!   its own stream and share of the iterations; their roots are added up.
//! - `playout/`: playouts that may learn (MAST, NST and tournaments).
//! - `candidates`: which actions become arms, by what a game knows beyond its rules.
//! - `puct`: the same walk with leaves that wait for an evaluator.

pub(crate) mod agent;
pub(crate) mod answer;
mod arms;
pub(crate) mod candidates;
pub(crate) mod evaluate;
pub(crate) mod game_tree;
mod insight;
mod leaf;
mod leaf_batch;
mod look_ahead;
mod means;
mod path;
pub(crate) mod playout;
pub(crate) mod puct;
pub(crate) mod rows;
pub(crate) mod select;
pub(crate) mod settings;
pub(crate) mod strategy;
mod tree;
mod value;
mod walk;
