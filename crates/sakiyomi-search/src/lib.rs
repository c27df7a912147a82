//! Searches over any game: one Monte-Carlo tree search with its variants, flat Monte Carlo,
//! max^n with alpha-beta, and the random player that all of them must beat.

mod flat;
mod maxn;
pub mod mcts;
mod random;

pub use flat::FlatMonteCarlo;
pub use maxn::MaxN;
pub use mcts::{Answer, Bandit, Mcts, MctsSettings};
pub use random::RandomPlayer;
