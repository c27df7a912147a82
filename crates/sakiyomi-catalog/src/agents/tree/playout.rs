//! How leaves are played out. A number that belongs to one of the policies is unsaid where it has
//! its usual value.

use sakiyomi_core::Hint;
use sakiyomi_search::{Learning, LearningRule, PlayoutPolicy};

use super::spec::{TreeParameter, TreeSpec};
use crate::fields::Value;
use crate::parameter::{Domain, Group, Parameter, Place, place};

const DEFAULT_TAU: f64 = 0.25;
const DEFAULT_EPSILON: f64 = 0.1;
const DEFAULT_DRAWS: u32 = 2;

/// A parameter of playouts.
const fn playing_out(parameter: TreeParameter) -> TreeParameter {
    Parameter { group: Group::Playouts, ..parameter }
}

fn learning(spec: &TreeSpec) -> Option<Learning> {
    match spec.search.playout.policy {
        PlayoutPolicy::Uniform => None,
        PlayoutPolicy::Learned(learning) => Some(learning),
    }
}

fn rule_mut(spec: &mut TreeSpec) -> Option<&mut LearningRule> {
    match &mut spec.search.playout.policy {
        PlayoutPolicy::Uniform => None,
        PlayoutPolicy::Learned(learning) => Some(&mut learning.rule),
    }
}

pub(super) const PLAYOUT: TreeParameter = playing_out(Parameter::new(
    "playout",
    Domain::Word(&["uniform", "mast", "nst", "tournament"]),
    Place {
        get: |spec| {
            let word = match learning(spec).map(|learning| learning.rule) {
                None => "uniform",
                Some(LearningRule::Mast { .. }) => "mast",
                Some(LearningRule::Nst { .. }) => "nst",
                Some(LearningRule::Tournament { .. }) => "tournament",
            };
            Some(Value::Text(word.to_owned()))
        },
        set: |spec, word| {
            let rule = match word.text() {
                "mast" => Some(LearningRule::Mast { tau: DEFAULT_TAU }),
                "nst" => Some(LearningRule::Nst { epsilon: DEFAULT_EPSILON }),
                "tournament" => Some(LearningRule::Tournament { draws: DEFAULT_DRAWS }),
                _ => None,
            };
            spec.search.playout.policy =
                rule.map_or(PlayoutPolicy::Uniform, |rule| PlayoutPolicy::Learned(rule.lasting()));
            Ok(())
        },
    },
    "playouts draw actions uniformly, by mean payoff (`mast`), by sequences of up to 3 (`nst`), or take \
     the best of a few that are drawn (`tournament`)",
));
pub(super) const TAU: TreeParameter = playing_out(Parameter::number(
    "tau",
    0.001..=1_000.0,
    Place {
        get: |spec| match learning(spec)?.rule {
            LearningRule::Mast { tau } if tau != DEFAULT_TAU => Some(Value::Number(tau)),
            _ => None,
        },
        set: |spec, value| match rule_mut(spec) {
            Some(LearningRule::Mast { tau }) => {
                *tau = value.number().unwrap_or(*tau);
                Ok(())
            }
            _ => Err("only MAST has a temperature; expected `playout=mast` beside it"),
        },
    },
    "temperature of MAST; usually 0.25",
));
pub(super) const EPSILON: TreeParameter = playing_out(Parameter::number(
    "epsilon",
    0.0..=1.0,
    Place {
        get: |spec| match learning(spec)?.rule {
            LearningRule::Nst { epsilon } if epsilon != DEFAULT_EPSILON => {
                Some(Value::Number(epsilon))
            }
            _ => None,
        },
        set: |spec, value| match rule_mut(spec) {
            Some(LearningRule::Nst { epsilon }) => {
                *epsilon = value.number().unwrap_or(*epsilon);
                Ok(())
            }
            _ => Err("only NST is epsilon-greedy; expected `playout=nst` beside it"),
        },
    },
    "probability of a uniformly random action in playouts of NST; usually 0.1",
));
pub(super) const DRAWS: TreeParameter = playing_out(Parameter::integer(
    "draws",
    1..=1_000,
    Place {
        get: |spec| match learning(spec)?.rule {
            LearningRule::Tournament { draws } if draws != DEFAULT_DRAWS => {
                Some(Value::Integer(draws.into()))
            }
            _ => None,
        },
        set: |spec, value| match rule_mut(spec) {
            Some(LearningRule::Tournament { draws }) => {
                *draws = value.whole().map_or(*draws, |n| n as u32);
                Ok(())
            }
            _ => Err("only tournaments draw actions; expected `playout=tournament` beside it"),
        },
    },
    "actions that are drawn in playouts of `tournament`, of which the best is taken; usually 2",
));
pub(super) const DECAY: TreeParameter = playing_out(Parameter::number(
    "decay",
    0.0..=1.0,
    Place {
        get: |spec| {
            let keep = learning(spec)?.keep;
            (keep != 1.0).then_some(Value::Number(keep))
        },
        set: |spec, value| match &mut spec.search.playout.policy {
            PlayoutPolicy::Learned(learning) => {
                learning.keep = value.number().unwrap_or(learning.keep);
                Ok(())
            }
            PlayoutPolicy::Uniform => Err(
                "uniform playouts count nothing; expected `playout=mast`, `nst` or `tournament` \
                     beside it",
            ),
        },
    },
    "factor by which the counts of playouts that learn are multiplied after every decision; usually 1",
));
pub(super) const BALANCED: TreeParameter = playing_out(Parameter::flag(
    "balanced",
    place!(search.playout.options.balance),
    "progress of two players is set off against each other, so that it adds up to 1",
));
pub(super) const HORIZON: TreeParameter = playing_out(Parameter {
    needs: Some(Hint::Rounds),
    ..Parameter::integer(
        "horizon",
        1..=1_000,
        place!(search.playout.options.horizon),
        "rounds after which playouts stop and count the game's estimate",
    )
});
pub(super) const DISCOUNT: TreeParameter = playing_out(Parameter {
    needs: Some(Hint::Rounds),
    ..Parameter::number(
        "discount",
        0.0..=0.5,
        place!(search.playout.discount),
        "share of a payoff that every round before the end takes away, from 0 to 0.5",
    )
});
pub(super) const PROGRESS_WEIGHT: TreeParameter = playing_out(Parameter {
    needs: Some(Hint::Progress),
    ..Parameter::number(
        "progress-weight",
        0.0..=1.0,
        place!(search.playout.progress_weight),
        "weight of the game's progress, from 0 to 1, in the value of the end of a playout; the rest is \
         its payoff",
    )
});
pub(super) const LEAF_BATCH: TreeParameter = Parameter {
    needs: Some(Hint::Batches),
    ..playing_out(Parameter::integer(
        "leaf-batch",
        1..=4_096,
        place!(search.playout.batch.leaves),
        "most leaves that wait for playouts of many matches at once: uniform, or `tournament` if `playout` \
     says so; with a clock only if that is faster",
    ))
};
pub(super) const PLAYOUTS_PER_LEAF: TreeParameter = Parameter {
    needs: Some(Hint::Batches),
    ..playing_out(Parameter::integer(
        "playouts-per-leaf",
        1..=4_096,
        place!(search.playout.batch.playouts),
        "playouts of a leaf, whose mean counts as one visit; with a clock fewer if that is enough for a batch",
    ))
};
pub(super) const CUT: TreeParameter = Parameter {
    needs: Some(Hint::Facts),
    ..playing_out(Parameter::integer(
        "cut",
        0..=1_000,
        place!(search.playout.cut),
        "turns after which playouts end, to be worth what a value expects that is learned from playouts as \
     the match goes on, where it is of use",
    ))
};
pub(super) const PRUNED_PAIRS: TreeParameter = Parameter {
    needs: Some(Hint::PrunePairs),
    group: Group::Knowledge,
    ..Parameter::flag(
        "pruned-pairs",
        place!(search.playout.options.prune_pairs),
        "does not end a turn while a moved piece can still attack",
    )
};
