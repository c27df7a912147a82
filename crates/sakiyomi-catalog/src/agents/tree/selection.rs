//! How arms are picked: the parameters of the selections.

use sakiyomi_search::{
    Answer, Bound, Estimate, Grave, Groups, Mixed, Proofs, Selection, Ties, Ucb, Ucb1, ValuePrior,
};

use super::spec::{TreeParameter, TreeSpec};
use crate::fields::Value;
use crate::parameter::{Domain, Group, Parameter, Place};
use sakiyomi_core::Hint;

const DEFAULT_BIAS: f64 = 1e-5;
const DEFAULT_VALUE_C: f64 = 0.2;

/// A parameter of the selection.
const fn selecting(parameter: TreeParameter) -> TreeParameter {
    Parameter { group: Group::Selection, ..parameter }
}

fn ucb(spec: &TreeSpec) -> Option<&Ucb> {
    spec.search.selection.ucb()
}

fn ucb1(spec: &TreeSpec) -> Option<&Ucb1> {
    ucb(spec)?.ucb1()
}

fn ucb_mut(spec: &mut TreeSpec) -> Result<&mut Ucb, &'static str> {
    spec.search.selection.ucb_mut().ok_or("only UCB has it")
}

pub(super) fn ucb1_mut(spec: &mut TreeSpec) -> Result<&mut Ucb1, &'static str> {
    ucb_mut(spec)?.ucb1_mut().ok_or("it goes with UCB1; expected no `tuned` beside it")
}

pub(super) const C: TreeParameter = selecting(Parameter::number(
    "c",
    0.0..=1_000.0,
    Place {
        get: |spec| match &spec.search.selection {
            Selection::Ucb(ucb) => Some(Value::Number(ucb.c)),
            Selection::Joint(joint) => Some(Value::Number(joint.c)),
            Selection::Mixed(_) | Selection::Sampling(_) => None,
        },
        set: |spec, value| {
            let c = match &mut spec.search.selection {
                Selection::Ucb(ucb) => &mut ucb.c,
                Selection::Joint(joint) => &mut joint.c,
                Selection::Mixed(_) | Selection::Sampling(_) => return Err("only UCB has it"),
            };
            *c = value.number().unwrap_or(*c);
            Ok(())
        },
    },
    "exploration constant",
));
pub(super) const TUNED: TreeParameter = selecting(Parameter::flag(
    "tuned",
    Place {
        get: |spec| Some(Value::Flag(ucb(spec)?.bound == Bound::Tuned)),
        set: |spec, value| {
            let bound = &mut ucb_mut(spec)?.bound;
            match (value == Value::Flag(true), *bound) {
                (true, Bound::Ucb1(ucb1)) if ucb1 != Ucb1::default() => {
                    Err("UCB1-Tuned knows no `spread`, `grave`, `prior` or `experience`")
                }
                (true, _) => {
                    *bound = Bound::Tuned;
                    Ok(())
                }
                (false, Bound::Tuned) => {
                    *bound = Bound::Ucb1(Ucb1::default());
                    Ok(())
                }
                (false, Bound::Ucb1(_)) => Ok(()),
            }
        },
    },
    "UCB1-Tuned instead of UCB1",
));
pub(super) const SPREAD: TreeParameter = selecting(Parameter::flag(
    "spread",
    Place {
        get: |spec| Some(Value::Flag(ucb1(spec).is_some_and(|ucb1| ucb1.spread))),
        set: |spec, value| {
            if value == Value::Flag(false) && ucb1(spec).is_none() {
                return Ok(());
            }
            ucb1_mut(spec)?.spread = value == Value::Flag(true);
            Ok(())
        },
    },
    "multiplies c by twice the standard deviation of the payoffs",
));
pub(super) const PRIOR: TreeParameter = selecting(Parameter::number(
    "prior",
    0.01..=1_000.0,
    Place {
        get: |spec| match ucb1(spec)?.estimate {
            Estimate::Prior(visits) => Some(Value::Number(visits)),
            Estimate::None | Estimate::Grave(_) | Estimate::Value(_) => None,
        },
        set: |spec, value| {
            let ucb1 = ucb1_mut(spec)?;
            ucb1.estimate = value.number().map_or(ucb1.estimate, Estimate::Prior);
            Ok(())
        },
    },
    "visits with which the actions of a new node begin, at their mean payoff in playouts that learn, \
     instead of being tried once each",
));
pub(super) const VALUE_PRIOR: TreeParameter = Parameter {
    needs: Some(Hint::Facts),
    ..selecting(Parameter::number(
        "value-prior",
        0.01..=1_000.0,
        Place {
            get: |spec| match ucb1(spec)?.estimate {
                Estimate::Value(prior) => Some(Value::Number(prior.visits)),
                Estimate::None | Estimate::Grave(_) | Estimate::Prior(_) => None,
            },
            set: |spec, value| {
                let estimate = &mut ucb1_mut(spec)?.estimate;
                let c = match estimate {
                    Estimate::None | Estimate::Grave(_) => DEFAULT_VALUE_C,
                    // A preset may have a constant of its own.
                    Estimate::Value(prior) => prior.c,
                    Estimate::Prior(_) => {
                        return Err("arms begin in one way; expected no `prior` beside it");
                    }
                };
                let prior = value.number().map(|visits| Estimate::Value(ValuePrior { visits, c }));
                *estimate = prior.unwrap_or(*estimate);
                Ok(())
            },
        },
        "visits with which the actions of a new node begin, at what a value expects after them that is \
     learned from playouts as the match goes on, where it is of use",
    ))
};
pub(super) const VALUE_C: TreeParameter = selecting(Parameter::number(
    "value-c",
    0.001..=1_000.0,
    Place {
        get: |spec| match ucb1(spec)?.estimate {
            Estimate::Value(prior) if prior.c != DEFAULT_VALUE_C => Some(Value::Number(prior.c)),
            Estimate::None | Estimate::Prior(_) | Estimate::Value(_) | Estimate::Grave(_) => None,
        },
        set: |spec, value| match &mut ucb1_mut(spec)?.estimate {
            Estimate::Value(prior) => {
                prior.c = value.number().unwrap_or(prior.c);
                Ok(())
            }
            Estimate::None | Estimate::Prior(_) | Estimate::Grave(_) => {
                Err("no arms begin at a value; expected `value-prior` beside it")
            }
        },
    },
    "exploration constant where arms began at the value, instead of `c`; usually 0.2",
));
pub(super) const GRAVE: TreeParameter = selecting(Parameter::integer(
    "grave",
    0..=1_000_000,
    Place {
        get: |spec| match ucb1(spec)?.estimate {
            Estimate::Grave(grave) => Some(Value::Integer(grave.reference.into())),
            Estimate::None | Estimate::Prior(_) | Estimate::Value(_) => None,
        },
        set: |spec, value| {
            let estimate = &mut ucb1_mut(spec)?.estimate;
            let bias = match estimate {
                Estimate::None => DEFAULT_BIAS,
                // A preset may have a bias of its own.
                Estimate::Grave(grave) => grave.bias,
                Estimate::Prior(_) | Estimate::Value(_) => {
                    return Err(
                        "AMAF values take the place of a prior; expected no `prior` or `value-prior` \
                         beside it",
                    );
                }
            };
            let reference = value.whole().unwrap_or(0) as u32;
            *estimate = Estimate::Grave(Grave { reference, bias });
            Ok(())
        },
    },
    "GRAVE: AMAF values of the closest node above with this number of visits; its paper has c=0",
));
pub(super) const BIAS: TreeParameter = selecting(Parameter::number(
    "bias",
    0.0..=1_000.0,
    Place {
        get: |spec| match ucb1(spec)?.estimate {
            Estimate::Grave(grave) if grave.bias != DEFAULT_BIAS => Some(Value::Number(grave.bias)),
            Estimate::None | Estimate::Prior(_) | Estimate::Value(_) | Estimate::Grave(_) => None,
        },
        set: |spec, value| match &mut ucb1_mut(spec)?.estimate {
            Estimate::Grave(grave) => {
                grave.bias = value.number().unwrap_or(grave.bias);
                Ok(())
            }
            Estimate::None | Estimate::Prior(_) | Estimate::Value(_) => {
                Err("only GRAVE has a bias; expected `grave` beside it")
            }
        },
    },
    "squared bias of the AMAF values of GRAVE; usually 0.00001",
));
pub(super) const SOLVER: TreeParameter = selecting(Parameter::flag(
    "solver",
    Place {
        get: |spec| Some(Value::Flag(ucb(spec)?.proofs != Proofs::Off)),
        set: |spec, value| {
            let proofs = &mut ucb_mut(spec)?.proofs;
            *proofs = match (value == Value::Flag(true), *proofs) {
                (true, Proofs::Off) => Proofs::Solver,
                (true, known) => known,
                (false, _) => Proofs::Off,
            };
            Ok(())
        },
    },
    "proven results are backed up (MCTS-Solver)",
));
pub(super) const LOOK_AHEAD: TreeParameter = selecting(Parameter::flag(
    "look-ahead",
    Place {
        get: |spec| Some(Value::Flag(ucb(spec)?.proofs == Proofs::LookAhead)),
        set: |spec, value| {
            let proofs = &mut ucb_mut(spec)?.proofs;
            match (value == Value::Flag(true), *proofs) {
                (true, Proofs::Off) => {
                    return Err("what is found ahead is proven; expected `solver` beside it");
                }
                (true, _) => *proofs = Proofs::LookAhead,
                (false, Proofs::LookAhead) => *proofs = Proofs::Solver,
                (false, Proofs::Off | Proofs::Solver) => {}
            }
            Ok(())
        },
    },
    "a node that is expanded looks for ends one action away; goes with `solver`",
));
pub(super) const GROUPS: TreeParameter = Parameter {
    needs: Some(Hint::Groups),
    group: Group::Knowledge,
    ..Parameter::new(
        "groups",
        Domain::Word(&["one", "shared"]),
        Place {
            get: |spec| {
                let word = match ucb(spec)?.groups? {
                    Groups::Representative => "one",
                    Groups::Shared => "shared",
                };
                Some(Value::Text(word.to_owned()))
            },
            set: |spec, word| {
                let is_shared = word.text() == "shared";
                let groups = if is_shared { Groups::Shared } else { Groups::Representative };
                ucb_mut(spec)?.groups = Some(groups);
                Ok(())
            },
        },
        "similar actions have one arm: that of `one` of them, or one that is `shared`",
    )
};
pub(super) const WIDEN: TreeParameter = Parameter {
    needs: Some(Hint::Ranks),
    group: Group::Knowledge,
    ..Parameter::number(
        "widen",
        0.01..=1_000.0,
        Place {
            get: |spec| ucb(spec)?.widen.map(Value::Number),
            set: |spec, value| {
                ucb_mut(spec)?.widen = value.number();
                Ok(())
            },
        },
        "progressive widening: 1 + widen * sqrt(visits) arms, best rank first",
    )
};
pub(super) const MIX: TreeParameter = selecting(Parameter::flag(
    "mix",
    Place {
        get: |spec| Some(Value::Flag(ucb(spec)?.answer == Answer::Mix)),
        set: |spec, value| {
            let mixes = value == Value::Flag(true);
            ucb_mut(spec)?.answer = if mixes { Answer::Mix } else { Answer::Max };
            Ok(())
        },
    },
    "draws its move from the shares of visits instead of taking the most visited",
));

fn ties(selection: &mut Selection) -> Option<&mut Ties> {
    match selection {
        Selection::Ucb(ucb) => Some(&mut ucb.ties),
        Selection::Joint(joint) => Some(&mut joint.ties),
        Selection::Mixed(_) | Selection::Sampling(_) => None,
    }
}

pub(super) const TIE_BREAK: TreeParameter = selecting(Parameter::new(
    "tie-break",
    Domain::Word(&["draw", "first"]),
    Place {
        get: |spec| {
            let mut selection = spec.search.selection;
            let word = match ties(&mut selection)? {
                Ties::Draw => "draw",
                Ties::First => "first",
            };
            Some(Value::Text(word.to_owned()))
        },
        set: |spec, word| {
            let is_first = word.text() == "first";
            let ties = ties(&mut spec.search.selection).ok_or("only scores have ties")?;
            *ties = if is_first { Ties::First } else { Ties::Draw };
            Ok(())
        },
    },
    "where players choose at once: `draw` among the scores within 0.01 of the highest, or take the \
     `first` of the highest",
));
pub(super) const TRIED_ONLY: TreeParameter = selecting(Parameter::flag(
    "tried-only",
    Place {
        get: |spec| match spec.search.selection {
            Selection::Joint(joint) => Some(Value::Flag(joint.tried_only)),
            Selection::Ucb(_) | Selection::Mixed(_) | Selection::Sampling(_) => None,
        },
        set: |spec, value| match &mut spec.search.selection {
            Selection::Joint(joint) => {
                joint.tried_only = value == Value::Flag(true);
                Ok(())
            }
            Selection::Ucb(_) | Selection::Mixed(_) | Selection::Sampling(_) => {
                Err("only SM-UCT has it")
            }
        },
    },
    "adds up over the joint actions tried so far instead of trying each of them first",
));

fn explore(selection: &mut Selection) -> Option<&mut f64> {
    match selection {
        Selection::Mixed(Mixed::Exp3 { explore } | Mixed::RegretMatching { explore, .. }) => {
            Some(explore)
        }
        Selection::Sampling(sampling) => Some(&mut sampling.explore),
        Selection::Ucb(_) | Selection::Joint(_) => None,
    }
}

pub(super) const EXPLORE: TreeParameter = selecting(Parameter::number(
    "explore",
    0.0..=1.0,
    Place {
        get: |spec| {
            let mut selection = spec.search.selection;
            explore(&mut selection).map(|share| Value::Number(*share))
        },
        set: |spec, value| {
            let share =
                explore(&mut spec.search.selection).ok_or("only mixed strategies have it")?;
            *share = value.number().unwrap_or(*share);
            Ok(())
        },
    },
    "share of uniformly random picks",
));
/// Where a pick is divided by its probability, none may be impossible.
pub(super) const EXPLORE_SOME: TreeParameter =
    Parameter { domain: Domain::Number(0.000_001..=1.0), ..EXPLORE };
pub(super) const PLUS: TreeParameter = selecting(Parameter::flag(
    "plus",
    Place {
        get: |spec| match spec.search.selection {
            Selection::Mixed(Mixed::RegretMatching { plus, .. }) => Some(Value::Flag(plus)),
            Selection::Mixed(Mixed::Exp3 { .. })
            | Selection::Ucb(_)
            | Selection::Joint(_)
            | Selection::Sampling(_) => None,
        },
        set: |spec, value| match &mut spec.search.selection {
            Selection::Mixed(Mixed::RegretMatching { plus, .. }) => {
                *plus = value == Value::Flag(true);
                Ok(())
            }
            Selection::Mixed(Mixed::Exp3 { .. })
            | Selection::Ucb(_)
            | Selection::Joint(_)
            | Selection::Sampling(_) => Err("only regret matching has it"),
        },
    },
    "regrets never fall below 0 (RM+)",
));
pub(super) const RAW_PAYOFF: TreeParameter = selecting(Parameter::flag(
    "raw-payoff",
    Place {
        get: |spec| match spec.search.selection {
            Selection::Sampling(sampling) => Some(Value::Flag(sampling.raw_payoff)),
            Selection::Ucb(_) | Selection::Joint(_) | Selection::Mixed(_) => None,
        },
        set: |spec, value| match &mut spec.search.selection {
            Selection::Sampling(sampling) => {
                sampling.raw_payoff = value == Value::Flag(true);
                Ok(())
            }
            Selection::Ucb(_) | Selection::Joint(_) | Selection::Mixed(_) => {
                Err("only outcome sampling has it")
            }
        },
    },
    "backs up the payoff itself (Lanctot et al. 2013) instead of the strategy's value",
));
