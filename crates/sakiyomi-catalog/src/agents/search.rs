//! Parameters that several searches have.

use sakiyomi_core::{Budget, Hint, PlayoutOptions};

use crate::fields::{MAX_INTEGER, Value};
use crate::parameter::{Domain, Group, Parameter, Place, Stored};

/// Playouts of a decision, if nothing is said.
pub(super) const DEFAULT_ITERATIONS: u64 = 1_000;

/// Settings of a search within a budget.
pub(super) trait Budgeted: 'static {
    fn budget(&self) -> &Budget;
    fn budget_mut(&mut self) -> &mut Budget;
}

/// Settings of a search that plays out.
pub(super) trait PlaysOut: 'static {
    fn options(&self) -> &PlayoutOptions;
    fn options_mut(&mut self) -> &mut PlayoutOptions;
}

/// A place in the budget or in the options of playouts.
macro_rules! within {
    ($get:ident, $get_mut:ident, $field:ident) => {
        Place {
            get: |settings| Stored::load(&settings.$get().$field),
            set: |settings, value| {
                Stored::store(&mut settings.$get_mut().$field, value);
                Ok(())
            },
        }
    };
}

pub(super) const fn iterations<S: Budgeted>() -> Parameter<S> {
    Parameter {
        group: Group::Budget,
        ..Parameter::integer(
            "iterations",
            1..=MAX_INTEGER,
            within!(budget, budget_mut, iterations),
            "playouts a decision; no limit if only a time is given",
        )
    }
}

pub(super) const fn time<S: Budgeted>() -> Parameter<S> {
    Parameter {
        group: Group::Budget,
        ..Parameter::new(
            "time",
            Domain::Time,
            within!(budget, budget_mut, wall),
            "wall time a decision, such as 50ms or 3s",
        )
    }
}

pub(super) const fn cpu<S: Budgeted>() -> Parameter<S> {
    Parameter {
        group: Group::Budget,
        ..Parameter::new(
            "cpu",
            Domain::Time,
            within!(budget, budget_mut, cpu),
            "CPU time a decision, of all its trees together, for fair matches at equal time",
        )
    }
}

pub(super) const fn nodes<S: Budgeted>() -> Parameter<S> {
    Parameter {
        group: Group::Budget,
        ..Parameter::integer(
            "nodes",
            1..=MAX_INTEGER,
            within!(budget, budget_mut, nodes),
            "nodes at which the tree stops growing; the search goes on in it",
        )
    }
}

pub(super) const fn memory<S: Budgeted>() -> Parameter<S> {
    Parameter {
        group: Group::Budget,
        ..Parameter::new(
            "memory",
            Domain::Bytes,
            Place {
                get: |settings| Some(Value::Bytes(settings.budget().memory)),
                set: |settings, value| {
                    settings.budget_mut().memory = value.bytes();
                    Ok(())
                },
            },
            "size at which the tree stops growing; the search goes on in it",
        )
    }
}

pub(super) const fn pruned<S: PlaysOut>() -> Parameter<S> {
    Parameter {
        needs: Some(Hint::Prune),
        group: Group::Knowledge,
        ..Parameter::flag(
            "pruned",
            within!(options, options_mut, prune),
            "considers only the actions that the game's own pruning rule keeps",
        )
    }
}

pub(super) const fn urgent<S: PlaysOut>() -> Parameter<S> {
    Parameter {
        needs: Some(Hint::Urgent),
        group: Group::Playouts,
        ..Parameter::number(
            "urgent",
            0.0..=1.0,
            within!(options, options_mut, urgent_probability),
            "probability, from 0 to 1, that a playout step considers urgent actions only",
        )
    }
}

pub(super) const fn round_limit<S: PlaysOut>() -> Parameter<S> {
    Parameter {
        needs: Some(Hint::Rounds),
        group: Group::Playouts,
        ..Parameter::integer(
            "round-limit",
            1..=1_000,
            within!(options, options_mut, round_limit),
            "playouts stop at this round, or half as many rounds after their start, and count progress",
        )
    }
}

/// A time alone limits a search: the default of iterations goes.
pub(super) fn adjust_iterations<S: Budgeted>(mut defaults: S, said: &S) -> S {
    if said.budget().wall.is_some() || said.budget().cpu.is_some() {
        defaults.budget_mut().iterations = None;
    }
    defaults
}
