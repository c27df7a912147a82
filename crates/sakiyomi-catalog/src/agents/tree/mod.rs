//! The one tree search under all its names. Agents for games in which players choose at once are
//! the same search with another selection; their defaults are those of Lanctot, Lisý and Winands
//! (2013) and, for outcome sampling, of Bošanský et al. (2016).

mod check;
mod experience;
mod growth;
mod playout;
mod selection;
mod spec;

use sakiyomi_core::{Agent, Budget, Hints, Playable};
use sakiyomi_search::{
    Bound, Exact, JointUcb, Mcts, MctsSettings, Mixed, OutcomeSampling, Prepared, Selection, Ties,
    Ucb,
};

use super::search::{
    DEFAULT_ITERATIONS, adjust_iterations, cpu, iterations, memory, nodes, pruned, round_limit,
    time, urgent,
};
use super::{AgentSettings, Seat};
use crate::parameter::{Defined, Definition};
use experience::{
    BITS, DISTANCE, DISTANCE_WEIGHT, EXPERIENCE, HALF_LIFE, MAX_VISITS, PLAYOUT_POSITIONS,
    bare_experience,
};
use growth::{ENDGAME, EXPAND, GRAPH, REUSE, TREES, UNTRIED_ORDER};
use playout::{
    BALANCED, CUT, DECAY, DISCOUNT, DRAWS, EPSILON, HORIZON, LEAF_BATCH, PLAYOUT,
    PLAYOUTS_PER_LEAF, PROGRESS_WEIGHT, PRUNED_PAIRS, TAU,
};
use selection::{
    BIAS, C, EXPLORE, EXPLORE_SOME, GRAVE, GROUPS, LOOK_AHEAD, MIX, PLUS, PRIOR, RAW_PAYOFF,
    SOLVER, SPREAD, TIE_BREAK, TRIED_ONLY, TUNED, VALUE_C, VALUE_PRIOR, WIDEN,
};
pub use spec::TreeSpec;

/// Chosen by matches on public rule sheets and in games of the project; see docs/results/experience.md.
const DEFAULT_C: f64 = 0.4;

/// A search within the default budget.
fn by(selection: Selection) -> TreeSpec {
    let budget = Budget::iterations(DEFAULT_ITERATIONS);
    TreeSpec { search: MctsSettings { selection, ..MctsSettings::new(budget) }, prepare: None }
}

const UCT: Definition<TreeSpec> = Definition {
    adjust: adjust_iterations,
    check: |spec, _| check::check(spec),
    ..Definition::new(
        "uct",
        "Monte-Carlo tree search (UCT; DUCT where players choose at once)",
        || by(Selection::Ucb(Ucb::new(DEFAULT_C))),
        &[
            iterations(),
            time(),
            cpu(),
            C,
            TUNED,
            EXPAND,
            GRAPH,
            SOLVER,
            LOOK_AHEAD,
            SPREAD,
            pruned(),
            PRUNED_PAIRS,
            urgent(),
            round_limit(),
            BALANCED,
            HORIZON,
            PLAYOUT,
            TAU,
            EPSILON,
            DRAWS,
            DECAY,
            PRIOR,
            VALUE_PRIOR,
            VALUE_C,
            GRAVE,
            BIAS,
            EXPERIENCE,
            DISTANCE,
            BITS,
            DISTANCE_WEIGHT,
            MAX_VISITS,
            HALF_LIFE,
            PLAYOUT_POSITIONS,
            GROUPS,
            WIDEN,
            DISCOUNT,
            PROGRESS_WEIGHT,
            CUT,
            LEAF_BATCH,
            PLAYOUTS_PER_LEAF,
            TREES,
            REUSE,
            nodes(),
            memory(),
        ],
        "uct:iterations=10000,c=0.7,solver",
    )
};

/// A search for choosing at once: its own parameters stand between those of the budget and those of
/// the tree.
macro_rules! simultaneous {
    ($name:literal, $summary:literal, $selection:expr, [$($own:expr),*], $example:literal) => {
        Definition {
            adjust: adjust_iterations,
            ..Definition::new(
                $name,
                $summary,
                || by($selection),
                &[
                    iterations(), time(), cpu(), $($own,)* EXPAND, GRAPH, TREES, REUSE, nodes(),
                    memory(), ENDGAME,
                ],
                $example,
            )
        }
    };
}

impl Defined for TreeSpec {
    const DEFINITIONS: &'static [Definition<TreeSpec>] = &[
        UCT,
        simultaneous!(
            "smuct",
            "SM-UCT: every action scores the sum of UCB1 over its joint actions",
            Selection::Joint(JointUcb { c: 1.5, tried_only: false, ties: Ties::Draw }),
            [C, TRIED_ONLY, TIE_BREAK, UNTRIED_ORDER],
            "smuct:iterations=10000"
        ),
        simultaneous!(
            "duct",
            "decoupled UCT: every player maximises UCB1 by itself",
            Selection::Ucb(Ucb::new(1.5)),
            [C, MIX, TIE_BREAK, UNTRIED_ORDER],
            "duct:iterations=10000,mix"
        ),
        simultaneous!(
            "ducb1t",
            "decoupled UCB1-Tuned",
            Selection::Ucb(Ucb { bound: Bound::Tuned, ..Ucb::new(1.0) }),
            [C, MIX, TIE_BREAK, UNTRIED_ORDER],
            "ducb1t:iterations=10000"
        ),
        simultaneous!(
            "exp3",
            "Exp3 for every player; draws its move from the shares of visits",
            Selection::Mixed(Mixed::Exp3 { explore: 0.2 }),
            [EXPLORE_SOME],
            "exp3:iterations=10000,explore=0.1"
        ),
        simultaneous!(
            "rm",
            "regret matching for every player; draws its move from the average strategy",
            Selection::Mixed(Mixed::RegretMatching { explore: 0.025, plus: false }),
            [EXPLORE, PLUS],
            "rm:iterations=10000,endgame=5"
        ),
        simultaneous!(
            "oos",
            "online outcome sampling; draws its move from the average strategy",
            Selection::Sampling(OutcomeSampling { explore: 0.6, raw_payoff: false }),
            [EXPLORE_SOME, RAW_PAYOFF],
            "oos:iterations=10000"
        ),
        // Urgent actions first in playouts, arms by rank instead of pruned moves, transpositions
        // of the orders in which a turn's actions are done, and proofs.
        Definition::preset(
            &UCT,
            "sangoku-best",
            "the strongest search for sangoku that was measured",
            "uct:c=0.3,graph,solver,urgent=0.8,widen=1",
            "sangoku-best:cpu=50ms",
        ),
        // Attacks that do damage first in playouts, whose end counts the lead in hit points as well,
        // and arms by rank; measured against a player written for the game, see docs/reference/tubstap.md.
        Definition::preset(
            &UCT,
            "tubstap-best",
            "the strongest search for TUBSTAP that was measured",
            "uct:iterations=4000,c=0.2,graph,urgent=0.95,widen=1.5,progress-weight=0.3",
            "tubstap-best:cpu=20ms",
        ),
        // What general game playing is played with, see docs/reference/gdl.md.
        Definition::preset(
            &UCT,
            "ggp-best",
            "the strongest search for games from rules that was measured",
            "uct:c=0.4,solver,look-ahead,playout=tournament",
            "ggp-best:cpu=200ms",
        ),
        // Uemiya and Yokoyama's variant; `experience:auto` is ours.
        Definition {
            bare: bare_experience,
            ..Definition::preset(
                &UCT,
                "experience",
                "similar positions lend what was found there: UCT as in the paper, or `auto`",
                "uct:experience=huffman",
                "experience:order,d=0",
            )
        },
    ];
}

impl TreeSpec {
    /// What would do nothing in this game, which is called `name`.
    pub(super) fn check_game<G: Hints>(&self, game: &G, name: &str) -> Result<(), String> {
        check::check_game(self, game, name)
    }

    /// Switches off what would do nothing in this game.
    pub(super) fn fit<G: Hints>(&mut self, game: &G) {
        check::fit(self, game);
    }
}

impl AgentSettings for TreeSpec {
    fn build<G: Playable>(&self, game: &G, seat: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        self.check_game(game, &seat.game.to_string())?;
        let can_end = || Exact::suits(game) && game.turns_left(&game.start()).is_some();
        if self.search.tree.endgame > 0 && !can_end() {
            return Err(format!(
                "`endgame` needs two players and a game that knows how long it lasts; {} is not one",
                seat.game
            ));
        }
        Ok(match self.prepare {
            None => Box::new(Mcts::new(self.search)),
            Some(prepare) => Box::new(Prepared::new(prepare, self.search)),
        })
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        Some(&mut self.search.budget)
    }
}
