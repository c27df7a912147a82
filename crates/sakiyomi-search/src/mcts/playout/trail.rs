//! The actions of an iteration, from the root to the end.

use std::ops::Range;

use sakiyomi_core::Player;

/// The actions of players from the root on. Outcomes of chance are left out.
#[derive(Clone, Copy, Debug)]
pub(in crate::mcts) struct Trail<'a, A> {
    pub(in crate::mcts) steps: &'a [(Player, A)],
    /// Where in `steps` the actions of each turn start: players who choose at once share a turn.
    pub(in crate::mcts) turns: &'a [u32],
}

impl<A> Trail<'_, A> {
    /// The steps of each turn.
    pub(super) fn turns(&self) -> impl Iterator<Item = Range<usize>> + use<'_, A> {
        let ends = self.turns.iter().skip(1).map(|&end| end as usize).chain([self.steps.len()]);
        self.turns.iter().map(|&start| start as usize).zip(ends).map(|(start, end)| start..end)
    }
}

/// The trail of an iteration while it grows.
#[derive(Clone, Debug)]
pub(in crate::mcts) struct Steps<A> {
    steps: Vec<(Player, A)>,
    turns: Vec<u32>,
}

impl<A> Default for Steps<A> {
    fn default() -> Steps<A> {
        Steps { steps: Vec::new(), turns: Vec::new() }
    }
}

impl<A> Steps<A> {
    pub(in crate::mcts) fn clear(&mut self) {
        self.steps.clear();
        self.turns.clear();
    }

    /// Adds the actions of a turn in the tree.
    pub(in crate::mcts) fn extend(&mut self, actions: impl Iterator<Item = (Player, A)>) {
        self.begin_turn();
        self.steps.extend(actions);
    }

    /// Begins a turn, and returns where its actions start.
    pub(super) fn begin_turn(&mut self) -> usize {
        self.turns.push(self.steps.len() as u32);
        self.steps.len()
    }

    /// Adds an action to the turn.
    pub(super) fn push(&mut self, player: Player, action: A) {
        self.steps.push((player, action));
    }

    pub(in crate::mcts) fn trail(&self) -> Trail<'_, A> {
        Trail { steps: &self.steps, turns: &self.turns }
    }
}
