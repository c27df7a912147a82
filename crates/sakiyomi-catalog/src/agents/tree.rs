//! The one tree search under all its names. Agents for games in which players choose at once are the
//! same search with another rule at the nodes; their defaults are those of Lanctot, Lisý and Winands
//! (2013) and, for outcome sampling, of Bošanský et al. (2016).

use sakiyomi_core::{Agent, Budget, Hint, Playable, PlayoutOptions, RestrictBy};
use sakiyomi_search::{Answer, Bandit, Exact, Groups, Mcts, MctsSettings};

use super::experience::{
    BIAS, BITS, DISTANCE, DRAWS, EPSILON, EXPERIENCE, FADE, GRAVE, HALF, KEEP, MOST, PLAYOUT,
    PRIOR, REACH, TAU, bare_experience, check,
};
use super::search::{
    Budgeted, DEFAULT_ITERATIONS, PlaysOut, adjust_iterations, cpu, iterations, keen, limit,
    memory, nodes, pruned, time,
};
use super::{AgentSettings, Seat};
use crate::fields::Value;
use crate::parameter::{Defined, Definition, Domain, Parameter, Place, place, word_place};

type TreeParameter = Parameter<MctsSettings>;

const BOX: &str = "box";
const DEFAULT_MARGIN: u32 = 2;
/// Chosen by matches on public rule sheets and in games of the project; see docs/experience.md.
const DEFAULT_C: f64 = 0.4;

const C: TreeParameter = Parameter::number(
    "c",
    0.0..=1_000.0,
    Place {
        get: |settings| match settings.bandit {
            Bandit::Ucb1 { c } | Bandit::Ucb1Tuned { c } | Bandit::JointUcb1 { c, .. } => {
                Some(Value::Number(c))
            }
            _ => None,
        },
        set: |settings, value| {
            if let Bandit::Ucb1 { c } | Bandit::Ucb1Tuned { c } | Bandit::JointUcb1 { c, .. } =
                &mut settings.bandit
            {
                *c = value.number().unwrap_or(*c);
            }
            Ok(())
        },
    },
    "exploration constant",
);
const TUNED: TreeParameter = Parameter::flag(
    "tuned",
    Place {
        get: |settings| Some(Value::Flag(matches!(settings.bandit, Bandit::Ucb1Tuned { .. }))),
        set: |settings, value| {
            if let Bandit::Ucb1 { c } | Bandit::Ucb1Tuned { c } = settings.bandit {
                settings.bandit = match value {
                    Value::Flag(true) => Bandit::Ucb1Tuned { c },
                    _ => Bandit::Ucb1 { c },
                };
            }
            Ok(())
        },
    },
    "UCB1-Tuned instead of UCB1",
);
const EXPLORE: TreeParameter = Parameter::number(
    "explore",
    0.0..=1.0,
    Place {
        get: |settings| match settings.bandit {
            Bandit::Exp3 { explore }
            | Bandit::RegretMatching { explore, .. }
            | Bandit::OutcomeSampling { explore, .. } => Some(Value::Number(explore)),
            _ => None,
        },
        set: |settings, value| {
            if let Bandit::Exp3 { explore }
            | Bandit::RegretMatching { explore, .. }
            | Bandit::OutcomeSampling { explore, .. } = &mut settings.bandit
            {
                *explore = value.number().unwrap_or(*explore);
            }
            Ok(())
        },
    },
    "share of uniformly random picks",
);
/// Where a pick is divided by its probability, none may be impossible.
const EXPLORE_SOME: TreeParameter =
    Parameter { domain: Domain::Number(0.000_001..=1.0), ..EXPLORE };
const PLUS: TreeParameter = Parameter::flag(
    "plus",
    Place {
        get: |settings| match settings.bandit {
            Bandit::RegretMatching { plus, .. } => Some(Value::Flag(plus)),
            _ => None,
        },
        set: |settings, value| {
            if let Bandit::RegretMatching { plus, .. } = &mut settings.bandit {
                *plus = value == Value::Flag(true);
            }
            Ok(())
        },
    },
    "regrets never fall below 0 (RM+)",
);
const MIX: TreeParameter = Parameter::flag(
    "mix",
    Place {
        get: |settings| Some(Value::Flag(settings.answer == Answer::Mix)),
        set: |settings, value| {
            let mixes = value == Value::Flag(true);
            settings.answer = if mixes { Answer::Mix } else { Answer::Max };
            Ok(())
        },
    },
    "draws its move from the shares of visits instead of taking the most visited",
);
const STRICT: TreeParameter = Parameter::flag(
    "strict",
    place!(strict),
    "takes the highest score instead of drawing among those within 0.01 of it",
);
const ORDERED: TreeParameter = Parameter::flag(
    "ordered",
    place!(ordered),
    "tries actions in the order in which the game lists them instead of a random order",
);
const TRIED: TreeParameter = Parameter::flag(
    "tried",
    Place {
        get: |settings| match settings.bandit {
            Bandit::JointUcb1 { tried, .. } => Some(Value::Flag(tried)),
            _ => None,
        },
        set: |settings, value| {
            if let Bandit::JointUcb1 { tried, .. } = &mut settings.bandit {
                *tried = value == Value::Flag(true);
            }
            Ok(())
        },
    },
    "adds up over the joint actions tried so far instead of trying each of them first",
);
const RAW_PAYOFF: TreeParameter = Parameter::flag(
    "raw-payoff",
    Place {
        get: |settings| match settings.bandit {
            Bandit::OutcomeSampling { payoff, .. } => Some(Value::Flag(payoff)),
            _ => None,
        },
        set: |settings, value| {
            if let Bandit::OutcomeSampling { payoff, .. } = &mut settings.bandit {
                *payoff = value == Value::Flag(true);
            }
            Ok(())
        },
    },
    "backs up the payoff itself (Lanctot et al. 2013) instead of the strategy's value",
);
const EXPAND: TreeParameter = Parameter::integer(
    "expand",
    1..=1_000_000,
    place!(expand),
    "expansion threshold: visits before a leaf is expanded",
);
const GRAPH: TreeParameter = Parameter::flag(
    "graph",
    place!(graph),
    "transpositions: equal positions share what lies below them",
);
const SOLVER: TreeParameter =
    Parameter::flag("solver", place!(solver), "proven results are backed up (MCTS-Solver)");
const LOOK_AHEAD: TreeParameter = Parameter::flag(
    "ahead",
    place!(look_ahead),
    "a node that is expanded looks for ends one action away; goes with `solver`",
);
const SPREAD: TreeParameter = Parameter::flag(
    "spread",
    place!(spread),
    "multiplies c by twice the standard deviation of the payoffs",
);
const PAIRS: TreeParameter = Parameter {
    needs: Some(Hint::PrunePairs),
    ..Parameter::flag(
        "pairs",
        place!(playout.prune_pairs),
        "does not end a turn while a moved piece can still attack",
    )
};
const BALANCED: TreeParameter = Parameter::flag(
    "balanced",
    place!(playout.balance),
    "progress of two players is set off against each other, so that it adds up to 1",
);
const HORIZON: TreeParameter = Parameter {
    needs: Some(Hint::Rounds),
    ..Parameter::integer(
        "horizon",
        1..=1_000,
        place!(playout.horizon),
        "rounds after which playouts stop and count the game's estimate",
    )
};
const GROUPS: TreeParameter = Parameter {
    needs: Some(Hint::Groups),
    ..Parameter::new(
        "groups",
        Domain::Word(&["one", "shared"]),
        word_place!(
            groups,
            [("one", Some(Groups::Representative)), ("shared", Some(Groups::Shared))]
        ),
        "similar actions have one arm: that of `one` of them, or one that is `shared`",
    )
};
const WIDEN: TreeParameter = Parameter {
    needs: Some(Hint::Ranks),
    ..Parameter::number(
        "widen",
        0.01..=1_000.0,
        place!(widen),
        "progressive widening: 1 + widen * sqrt(visits) arms, best rank first",
    )
};
const CUT: TreeParameter = Parameter::new(
    "cut",
    Domain::Word(&["box", "reach"]),
    Place {
        get: |settings| Some(Value::Text(settings.restrict?.name.to_owned())),
        set: |settings, word| {
            let name = if word.text() == BOX { BOX } else { "reach" };
            settings.restrict = Some(RestrictBy { name, margin: DEFAULT_MARGIN });
            Ok(())
        },
    },
    "searches a part of the board only: a `box` found once, or the enemies' `reach`",
);
const MARGIN: TreeParameter = Parameter {
    unsaid: Some(DEFAULT_MARGIN as u64),
    ..Parameter::integer(
        "margin",
        0..=100,
        Place {
            get: |settings| match settings.restrict {
                Some(RestrictBy { name: BOX, margin }) => Some(Value::Integer(margin.into())),
                _ => None,
            },
            set: |settings, value| match &mut settings.restrict {
                Some(RestrictBy { name: BOX, margin }) => {
                    *margin = value.whole().map_or(*margin, |n| n as u32);
                    Ok(())
                }
                _ if value == Value::Integer(DEFAULT_MARGIN as u64) => Ok(()),
                _ => Err("only a box has a margin; expected `cut=box` beside it"),
            },
        },
        "cells around the box of `cut`",
    )
};
const BONUS: TreeParameter = Parameter {
    needs: Some(Hint::Rounds),
    ..Parameter::number(
        "bonus",
        0.0..=0.5,
        place!(bonus),
        "share of a payoff that every round before the end takes away",
    )
};
const TREES: TreeParameter = Parameter::integer(
    "trees",
    1..=256,
    place!(trees),
    "trees grown at the same time, each on a thread; they share the iterations",
);
const FRESH: TreeParameter = Parameter::flag(
    "fresh",
    place!(fresh),
    "starts without a tree at every decision instead of keeping the last one",
);
const ENDGAME: TreeParameter = Parameter::integer(
    "endgame",
    0..=20,
    place!(endgame),
    "number of last turns of two players that are solved exactly",
);

/// Plain UCT within the default budget.
fn uct() -> MctsSettings {
    let budget = Budget::iterations(DEFAULT_ITERATIONS);
    MctsSettings { bandit: Bandit::Ucb1 { c: DEFAULT_C }, ..MctsSettings::new(budget) }
}

/// Rules for choosing at once; most answer with a mixed strategy.
fn mixed(bandit: Bandit) -> MctsSettings {
    MctsSettings { bandit, answer: Answer::Mix, ..uct() }
}

const UCT: Definition<MctsSettings> = Definition {
    adjust: adjust_iterations,
    check: |settings, _| match settings {
        MctsSettings { solver: true, groups: Some(Groups::Shared), .. } => {
            Err("nothing can be proven of actions that share an arm".to_owned())
        }
        MctsSettings { solver: false, look_ahead: true, .. } => {
            Err("what is found ahead is proven; expected `solver` beside `ahead`".to_owned())
        }
        _ => check(settings),
    },
    ..Definition::new(
        "uct",
        "Monte-Carlo tree search (UCT; DUCT where players choose at once)",
        uct,
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
            PAIRS,
            keen(),
            limit(),
            BALANCED,
            HORIZON,
            PLAYOUT,
            TAU,
            EPSILON,
            DRAWS,
            KEEP,
            PRIOR,
            GRAVE,
            BIAS,
            EXPERIENCE,
            DISTANCE,
            BITS,
            FADE,
            MOST,
            HALF,
            REACH,
            GROUPS,
            WIDEN,
            CUT,
            MARGIN,
            BONUS,
            TREES,
            FRESH,
            nodes(),
            memory(),
        ],
        "uct:iterations=10000,c=0.7,solver",
    )
};

/// A search for choosing at once: its own parameters stand between those of the budget and those of
/// the tree.
macro_rules! simultaneous {
    ($name:literal, $summary:literal, $defaults:expr, [$($own:expr),*], $example:literal) => {
        Definition {
            adjust: adjust_iterations,
            ..Definition::new(
                $name,
                $summary,
                $defaults,
                &[
                    iterations(), time(), cpu(), $($own,)* EXPAND, GRAPH, TREES, FRESH, nodes(),
                    memory(), ENDGAME,
                ],
                $example,
            )
        }
    };
}

impl Defined for MctsSettings {
    const DEFINITIONS: &'static [Definition<MctsSettings>] = &[
        UCT,
        simultaneous!(
            "smuct",
            "SM-UCT: every action scores the sum of UCB1 over its joint actions",
            || MctsSettings { bandit: Bandit::JointUcb1 { c: 1.5, tried: false }, ..uct() },
            [C, TRIED, STRICT, ORDERED],
            "smuct:iterations=10000"
        ),
        simultaneous!(
            "duct",
            "decoupled UCT: every player maximises UCB1 by itself",
            || MctsSettings { bandit: Bandit::Ucb1 { c: 1.5 }, ..uct() },
            [C, MIX, STRICT, ORDERED],
            "duct:iterations=10000,mix"
        ),
        simultaneous!(
            "ducb1t",
            "decoupled UCB1-Tuned",
            || MctsSettings { bandit: Bandit::Ucb1Tuned { c: 1.0 }, ..uct() },
            [C, MIX, STRICT, ORDERED],
            "ducb1t:iterations=10000"
        ),
        simultaneous!(
            "exp3",
            "Exp3 for every player; draws its move from the shares of visits",
            || mixed(Bandit::Exp3 { explore: 0.2 }),
            [EXPLORE_SOME],
            "exp3:iterations=10000,explore=0.1"
        ),
        simultaneous!(
            "rm",
            "regret matching for every player; draws its move from the average strategy",
            || mixed(Bandit::RegretMatching { explore: 0.025, plus: false }),
            [EXPLORE, PLUS],
            "rm:iterations=10000,endgame=5"
        ),
        simultaneous!(
            "oos",
            "online outcome sampling; draws its move from the average strategy",
            || mixed(Bandit::OutcomeSampling { explore: 0.6, payoff: false }),
            [EXPLORE_SOME, RAW_PAYOFF],
            "oos:iterations=10000"
        ),
        // Urgent actions first in playouts, arms by rank instead of pruned moves, transpositions
        // of the orders in which a turn's actions are done, and proofs.
        Definition::preset(
            &UCT,
            "sangoku-best",
            "the strongest search for sangoku that was measured",
            "uct:c=0.3,graph,solver,keen=0.8,widen=1",
            "sangoku-best:cpu=50ms",
        ),
        // What general game playing is played with, see docs/gdl.md.
        Definition::preset(
            &UCT,
            "ggp-best",
            "the strongest search for games from rules that was measured",
            "uct:c=0.4,solver,ahead,playout=tournament",
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

impl Budgeted for MctsSettings {
    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn budget_mut(&mut self) -> &mut Budget {
        &mut self.budget
    }
}

impl PlaysOut for MctsSettings {
    fn options(&self) -> &PlayoutOptions {
        &self.playout
    }

    fn options_mut(&mut self) -> &mut PlayoutOptions {
        &mut self.playout
    }
}

impl AgentSettings for MctsSettings {
    fn build<G: Playable>(&self, game: &G, seat: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        if let Some(RestrictBy { name, .. }) = self.restrict
            && !game.restrictions().iter().any(|known| known.name == name)
        {
            return Err(format!("`cut` would do nothing: {} has no part `{name}`", seat.game));
        }
        let can_end = || Exact::suits(game) && game.turns_left(&game.start()).is_some();
        if self.endgame > 0 && !can_end() {
            return Err(format!(
                "`endgame` needs two players and a game that knows how long it lasts; {} is not one",
                seat.game
            ));
        }
        Ok(Box::new(Mcts::new(*self)))
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        Some(&mut self.budget)
    }
}
