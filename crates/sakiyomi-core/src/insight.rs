//! What a search knows, for people who look over its shoulder.

use crate::Player;

/// What a search has found out about a state so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Insight<A> {
    pub iterations: u64,
    /// Positions that it holds in memory.
    pub nodes: u64,
    /// The arms of every choosing player.
    pub rows: Vec<InsightRow<A>>,
    /// The state itself, with the places below it that were visited most.
    pub root: Branch<A>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct InsightRow<A> {
    pub player: Player,
    pub arms: Vec<InsightArm<A>>,
    /// The arm that would be chosen now, once one was tried.
    pub best: Option<usize>,
}

impl<A> Insight<A> {
    /// What `player` would choose now, once something was tried.
    pub fn best(&self, player: Player) -> Option<&InsightArm<A>> {
        let row = self.rows.iter().find(|row| row.player == player)?;
        row.arms.get(row.best?)
    }
}

/// What is known about one action of one player.
#[derive(Clone, Debug, PartialEq)]
pub struct InsightArm<A> {
    pub action: A,
    pub visits: u64,
    /// What it gives this player, from 0 to 1, once it was tried.
    pub value: Option<f64>,
    /// Its part in the strategy that was learned; the parts of a row add up to 1.
    pub share: f64,
    /// Whether the value is proven.
    pub proven: bool,
    /// What was expected of it before it was tried, by those who look before they search.
    pub prior: Option<f64>,
}

/// A place in the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch<A> {
    /// What led here from the place above: one action per choosing player, or the outcome of
    /// chance. Empty at the root.
    pub actions: Vec<A>,
    pub visits: u64,
    /// What these actions give those who chose them, where known; empty after chance.
    pub values: Vec<Option<f64>>,
    /// The most visited first.
    pub children: Vec<Branch<A>>,
}
