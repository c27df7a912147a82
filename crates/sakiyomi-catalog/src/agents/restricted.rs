//! An agent that searches a part of the board only, in games that know such parts.

use sakiyomi_core::{Agent, Budget};
use sakiyomi_games::sangoku::Restriction;

use super::{AgentSettings, AgentSpec, Seat};
use crate::fields::Value;
use crate::parameter::{Defined, Definition, Domain, Parameter, Place};
use crate::{CatalogGame, SpecError};

/// Which agent, and to what it is restricted.
#[derive(Clone, Debug, PartialEq)]
pub struct RestrictedSpec {
    pub by: Restriction,
    /// An agent that could not be read is refused as soon as all was read.
    pub agent: Result<Box<AgentSpec>, SpecError>,
}

const BOX: &str = "box";
const DEFAULT_MARGIN: u32 = 2;

const BY: Parameter<RestrictedSpec> = Parameter::new(
    "by",
    Domain::Word(&[BOX, "reach"]),
    Place {
        get: |spec| {
            let word = if spec.by == Restriction::Reach { "reach" } else { BOX };
            Some(Value::Text(word.to_owned()))
        },
        set: |spec, word| {
            spec.by = match word.text() {
                BOX => Restriction::Box { margin: DEFAULT_MARGIN },
                _ => Restriction::Reach,
            };
            Ok(())
        },
    },
    "the part of the board: a `box` around the first fight, or what the enemies `reach` next turn",
);

const MARGIN: Parameter<RestrictedSpec> = Parameter::integer(
    "margin",
    0..=100,
    Place {
        get: |spec| match spec.by {
            Restriction::Box { margin } => Some(Value::Integer(margin.into())),
            Restriction::Reach => None,
        },
        set: |spec, value| match &mut spec.by {
            Restriction::Box { margin } => {
                *margin = value.whole().map_or(*margin, |n| n as u32);
                Ok(())
            }
            Restriction::Reach => Err("only a box has a margin; expected `by=box` beside it"),
        },
    },
    "cells around the box",
);

const AGENT: Parameter<RestrictedSpec> = Parameter::new(
    "agent",
    Domain::Text,
    Place {
        get: |spec| Some(Value::Text(format!("({})", spec.agent.as_ref().ok()?))),
        set: |spec, value| {
            let text = value.text();
            let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
            spec.agent = inner.unwrap_or(text).parse().map(Box::new);
            Ok(())
        },
    },
    "the agent that searches, in parentheses",
);

impl Defined for RestrictedSpec {
    const DEFINITIONS: &'static [Definition<RestrictedSpec>] = &[Definition {
        check: |spec, _| match &spec.agent {
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        },
        ..Definition::new(
            "restricted",
            "an agent on a part of the board only (sangoku)",
            || RestrictedSpec {
                by: Restriction::Box { margin: DEFAULT_MARGIN },
                agent: "uct".parse().map(Box::new),
            },
            &[BY, MARGIN, AGENT],
            "restricted:by=reach,agent=(uct:iterations=1000,c=0.15)",
        )
    }];
}

impl AgentSettings for RestrictedSpec {
    fn build<G: CatalogGame>(
        &self,
        game: &G,
        seat: &Seat<'_>,
    ) -> Result<Box<dyn Agent<G>>, String> {
        let agent = self.agent.as_ref().map_err(ToString::to_string)?;
        let agent = game.agent(agent, seat).map_err(|error| error.to_string())?;
        G::restricted(self.by, agent)
            .ok_or_else(|| format!("{} has no parts to be restricted to", seat.game))
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        self.agent.as_mut().ok()?.budget_mut()
    }

    fn shorten(&mut self) -> bool {
        self.agent.as_mut().is_ok_and(|agent| agent.shorten())
    }

    fn is_repeatable(&self) -> bool {
        self.agent.as_ref().is_ok_and(|agent| agent.is_repeatable())
    }

    fn uses_machine(&self) -> bool {
        self.agent.as_ref().is_ok_and(|agent| agent.uses_machine())
    }
}
