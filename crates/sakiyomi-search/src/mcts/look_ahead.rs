//! Ends one action away from nodes that are expanded, which are then proven: one node at a time, or
//! all that a batch of leaves has expanded, which some games find much faster.

use std::sync::Arc;

use sakiyomi_core::{EndAhead, Game, Hints, Payoffs, Turn};

use super::leaf::Leaf;
use super::path::{NodeId, Path};
use super::select::solver::{Proofs, back_up, proof_by_arms};
use super::value::Value;
use super::walk::Walk;

/// Nodes that were expanded and look for ends one action away.
#[derive(Debug)]
pub(super) struct LookAhead<G: Game> {
    /// Whether they wait until there are several.
    pub(super) waits: bool,
    /// Of these lists the first `n` wait: their states, and the paths to them.
    n: usize,
    states: Vec<G::State>,
    paths: Vec<Path>,
    ends: Vec<EndAhead<G::Action>>,
    /// A buffer for the states that a node looks ahead to.
    buffer: Option<G::State>,
}

impl<G: Game> Default for LookAhead<G> {
    fn default() -> LookAhead<G> {
        let (states, paths, ends) = (Vec::new(), Vec::new(), Vec::new());
        LookAhead { waits: false, n: 0, states, paths, ends, buffer: None }
    }
}

impl<G: Game> LookAhead<G> {
    pub(super) fn add(&mut self, leaf: &Leaf<G>) {
        if self.states.len() == self.n {
            self.states.push(leaf.state.clone());
            self.paths.push(leaf.path.clone());
        } else {
            self.states[self.n].clone_from(&leaf.state);
            self.paths[self.n].clone_from(&leaf.path);
        }
        self.n += 1;
    }
}

impl<G: Hints> Walk<G> {
    /// Whether a node that was just expanded looks one action ahead: for ends, or for what arms begin
    /// with.
    pub(super) fn looks_ahead(&self, node: NodeId) -> bool {
        // What one action of a group leads to says nothing of the others.
        (self.proofs == Proofs::LookAhead || self.begins_with_value().is_some())
            && self.candidates.groups.is_none()
            && self.tree.nodes[node as usize].choosing().single().is_some()
    }

    /// The visits with which arms begin at what the value expects, if they do, and the value.
    fn begins_with_value(&self) -> Option<(f64, Arc<Value>)> {
        Some((self.select.value_visits()?, self.value.clone()?))
    }

    /// Looks at what is one action away from a node that was just expanded: proves the ends, and the
    /// payoffs of the node itself if they follow from them, and lets arms begin with what the value
    /// expects after them.
    pub(super) fn look_ahead(
        &mut self,
        game: &G,
        node: NodeId,
        state: &G::State,
    ) -> Option<Payoffs> {
        let row = self.tree.rows(node).next()?;
        let mut ahead = self.ahead.buffer.take().unwrap_or_else(|| state.clone());
        let mut is_any = false;
        let value = self.begins_with_value();
        for pick in 0..row.len {
            ahead.clone_from(state);
            game.apply(&mut ahead, &[self.tree.actions[row.first + pick]]);
            let end = match game.turn(&ahead) {
                Turn::Over(payoffs) => Some(self.playout.shaped(game, &ahead, payoffs)),
                _ => None,
            };
            if let Some((visits, value)) = &value {
                let payoffs = end.unwrap_or_else(|| value.of(game.facts(&ahead)));
                self.tree.arms.begin_with(row.first + pick, *visits, payoffs[row.player]);
            }
            if let Some(payoffs) = end.filter(|_| self.proofs == Proofs::LookAhead) {
                self.prove_end(node, pick as u16, payoffs);
                is_any = true;
                if payoffs[row.player] >= 1.0 {
                    break;
                }
            }
        }
        self.ahead.buffer = Some(ahead);
        let payoffs = proof_by_arms(&self.tree, node).filter(|_| is_any)?;
        self.tree.prove(node, payoffs);
        Some(payoffs)
    }

    /// Proves the end that an arm leads to.
    fn prove_end(&mut self, node: NodeId, pick: u16, payoffs: Payoffs) {
        let slot = self.tree.slot(node, &[pick]);
        let child = match self.tree.child(slot) {
            Some(child) => child,
            None => {
                let child = self.tree.add(&Turn::Over(payoffs));
                self.tree.set_child(slot, child);
                child
            }
        };
        self.tree.prove(child, payoffs);
        self.tree.mark_proven(node, pick);
    }

    /// The same for all nodes that were expanded since looking ahead was told to wait. Payoffs are
    /// those of the game.
    pub(super) fn look_ahead_together(&mut self, game: &G) {
        let mut ahead = std::mem::take(&mut self.ahead);
        ahead.ends.clear();
        if ahead.n > 0 {
            game.ends_ahead(&ahead.states[..ahead.n], &mut self.scratch, &mut ahead.ends);
        }
        for own in ahead.ends.chunk_by(|a, b| a.state == b.state) {
            let path = &ahead.paths[own[0].state as usize];
            let Some(node) = path.steps.last().map(|step| step.node) else { continue };
            let Some(row) = self.tree.rows(node).next() else { continue };
            for EndAhead { action, payoffs, .. } in own {
                if let Some(pick) = self.tree.find(row, action) {
                    self.prove_end(node, pick as u16, *payoffs);
                }
            }
            if let Some(payoffs) = proof_by_arms(&self.tree, node) {
                self.tree.prove(node, payoffs);
                back_up(&mut self.tree, path);
            }
        }
        (ahead.n, ahead.waits) = (0, false);
        self.ahead = ahead;
    }
}
