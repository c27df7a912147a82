//! What all parameters of the tree search are about.

use sakiyomi_core::{Budget, PlayoutOptions};
use sakiyomi_search::{MctsSettings, Prepare};

use crate::agents::search::{Budgeted, PlaysOut};
use crate::parameter::Parameter;

pub(super) type TreeParameter = Parameter<TreeSpec>;

/// A tree search, and what it finds out before a match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeSpec {
    pub search: MctsSettings,
    pub prepare: Option<Prepare>,
}

impl Budgeted for TreeSpec {
    fn budget(&self) -> &Budget {
        &self.search.budget
    }

    fn budget_mut(&mut self) -> &mut Budget {
        &mut self.search.budget
    }
}

impl PlaysOut for TreeSpec {
    fn options(&self) -> &PlayoutOptions {
        &self.search.playout.options
    }

    fn options_mut(&mut self) -> &mut PlayoutOptions {
        &mut self.search.playout.options
    }
}
