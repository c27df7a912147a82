//! Searches over any game: one Monte-Carlo tree search with its variants, flat Monte Carlo,
//! max^n with alpha-beta, online evolution of turns, and the random player that all of them must beat.

mod census;
mod evolution;
mod exact;
mod flat;
mod halving;
mod matrix;
mod maxn;
pub mod mcts;
mod random;
mod sequential;
mod squad;

pub use evolution::{Evolution, EvolutionSettings};
pub use exact::{Exact, ExactPlayer, Solution, Unsolved, Values, bytes_for};
pub use flat::FlatMonteCarlo;
pub use halving::SequentialHalving;
pub use matrix::MatrixGame;
pub use maxn::MaxN;
pub use mcts::{
    Answer, Bandit, CodeIndex, Decide, Encoding, Evaluation, EvaluationError, ExperienceCounts,
    ExperienceSettings, Grave, Groups, LeafEvaluator, LeafPosition, LeafRows, MAX_DISTANCE, Mcts,
    MctsSettings, NodeRef, Observer, PROBE_PLAYOUTS, PlayoutEvaluator, PlayoutPolicy, ProbeReport,
    PuctSearch, PuctSettings, RootNoise, TooManyActions, Trail, TreeSearch, TreeStrategy, Trial,
    Unobserved, codes_of_matches, evaluations_of_rows, one_value_is_enough, probe, try_encodings,
};
pub use random::RandomPlayer;
pub use sequential::SequentialUct;
pub use squad::{Squad, SquadSettings};
