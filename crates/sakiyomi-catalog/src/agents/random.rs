use sakiyomi_core::{Agent, Budget, Playable};
use sakiyomi_search::RandomPlayer;

use super::{AgentSettings, Seat};
use crate::parameter::{Defined, Definition};

#[derive(Clone, Debug, PartialEq)]
pub struct RandomSpec;

impl Defined for RandomSpec {
    const DEFINITIONS: &'static [Definition<RandomSpec>] = &[Definition {
        // Those who measure strategies call it uniform.
        aliases: &["uniform"],
        ..Definition::new("random", "chooses uniformly at random", || RandomSpec, &[], "random")
    }];
}

impl AgentSettings for RandomSpec {
    fn build<G: Playable>(&self, _: &G, _: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        Ok(Box::new(RandomPlayer))
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        None
    }

    fn plays_without_list(&self) -> bool {
        true
    }
}
