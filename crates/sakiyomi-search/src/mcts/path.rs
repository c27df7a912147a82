//! The way of an iteration through the tree.

pub(super) type NodeId = u32;

pub(super) const ROOT: NodeId = 0;

/// The nodes of an iteration from the root on, with the picks that were made there.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    pub(super) steps: Vec<Step>,
    /// The picks of all steps, one per choosing player each.
    pub(super) picks: Vec<u16>,
    /// How likely each of them was, if the selection draws.
    pub(super) odds: Vec<f64>,
    /// Whether its visits are counted already, as losses (virtual loss), while the payoffs are to
    /// come.
    pub(super) is_counted_ahead: bool,
}

/// A node on the path. A leaf, and a node of chance, has no picks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) node: NodeId,
    pub(super) first_pick: u32,
    pub(super) n_picks: u32,
}

/// How an iteration went at one node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit<'a> {
    pub(super) node: NodeId,
    pub(super) picks: &'a [u16],
    /// How likely each pick was; empty if picks are not drawn.
    pub(super) odds: &'a [f64],
    /// The node after this one on the path.
    pub(super) child: Option<NodeId>,
}

impl Path {
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.picks.clear();
        self.odds.clear();
        self.is_counted_ahead = false;
    }

    /// Adds a node to the path; its picks follow.
    #[inline]
    pub(super) fn enter(&mut self, node: NodeId) {
        self.steps.push(Step { node, first_pick: self.picks.len() as u32, n_picks: 0 });
    }

    /// Counts the picks that were made since the last node was entered.
    #[inline]
    pub(super) fn count_picks(&mut self) {
        if let Some(step) = self.steps.last_mut() {
            step.n_picks = self.picks.len() as u32 - step.first_pick;
        }
    }

    /// The picks at a step.
    #[inline]
    pub(super) fn picks_at(&self, step: &Step) -> &[u16] {
        &self.picks[step.first_pick as usize..][..step.n_picks as usize]
    }

    /// How the iteration went at each step.
    pub(super) fn visits(&self) -> impl DoubleEndedIterator<Item = Visit<'_>> + ExactSizeIterator {
        self.steps.iter().enumerate().map(|(i, step)| {
            let range = step.first_pick as usize..(step.first_pick + step.n_picks) as usize;
            Visit {
                node: step.node,
                picks: &self.picks[range.clone()],
                odds: self.odds.get(range).unwrap_or_default(),
                child: self.steps.get(i + 1).map(|step| step.node),
            }
        })
    }
}
