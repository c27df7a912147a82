//! Searches over any game: one Monte-Carlo tree search with its variants, flat Monte Carlo, max^n
//! with alpha-beta, online evolution of turns, and the random player that all of them must beat.

mod census;
mod descent;
mod evolution;
mod exact;
mod experience;
mod flat;
mod halving;
mod matrix;
mod maxn;
mod mcts;
mod random;
mod sequential;
mod squad;
mod stepwise;

pub use descent::{DescentSearch, Learned};
pub use evolution::{Evolution, EvolutionSettings};
pub use exact::{Exact, ExactPlayer, Solution, Unsolved, Values, bytes_for};
pub use experience::encoding::Encoding;
pub use experience::lend::ExperienceCounts;
pub use experience::papers::{PROBE_PLAYOUTS, ProbeReport, ProbeSettings, probe};
pub use experience::prepare::{Prepare, Prepared};
pub use experience::settings::{ExperienceSettings, MAX_DISTANCE};
pub use flat::FlatMonteCarlo;
pub use halving::SequentialHalving;
pub use matrix::{MatrixGame, Support};
pub use maxn::MaxN;
pub use mcts::agent::{Mcts, TreeSearch};
pub use mcts::answer::Answer;
pub use mcts::candidates::Groups;
pub use mcts::evaluate::{
    Evaluation, EvaluationError, LeafEvaluator, LeafPosition, PlayoutEvaluator,
};
pub use mcts::game_tree::TooManyActions;
pub use mcts::playout::learned::{Learning, LearningRule};
pub use mcts::playout::policy::{LeafBatch, PlayoutPolicy, PlayoutSettings};
pub use mcts::puct::{PuctSearch, PuctSettings};
pub use mcts::rows::{LeafRows, evaluations_of_rows, one_value_is_enough};
pub use mcts::select::Selection;
pub use mcts::select::grave::Grave;
pub use mcts::select::joint::JointUcb;
pub use mcts::select::mixed::Mixed;
pub use mcts::select::prior::RootNoise;
pub use mcts::select::sampling::OutcomeSampling;
pub use mcts::select::scores::Ties;
pub use mcts::select::solver::Proofs;
pub use mcts::select::ucb::{Bound, Estimate, Ucb, Ucb1, ValuePrior};
pub use mcts::settings::{MctsSettings, TreeSettings};
pub use mcts::strategy::{NodeRef, TreeStrategy};
pub use random::RandomPlayer;
pub use sequential::SequentialUct;
pub use squad::{Squad, SquadSettings};
pub use stepwise::{StepAnswer, StepError, StepRule, StepSearch, StepSettings};
