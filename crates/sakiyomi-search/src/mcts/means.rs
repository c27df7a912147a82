//! What every node knows about its payoffs, for selections that look at more than the arms: what a
//! joint action gives is the mean of the node to which it leads.

use sakiyomi_core::{MAX_PLAYERS, Payoffs, Player};

use super::arms::{column_bytes, growth, make_room};
use super::path::NodeId;

/// The mean payoffs of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Means {
    None,
    /// One number of visits, and the mean of each player.
    OfAll,
    /// Visits and mean of each player, who learn in different iterations.
    OfEach,
}

/// The visits and the mean payoffs of every node, if the selection asks for them; otherwise
/// nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeMeans {
    /// Per node the visits, then the mean of each player; or visits and mean of one player after
    /// the other, if players learn in different iterations.
    numbers: Vec<f64>,
    /// Numbers per node; 0 if nothing is kept.
    width: usize,
    /// From the mean of one player to that of the next.
    step: usize,
}

impl NodeMeans {
    pub(super) fn new(means: Means, n_players: usize) -> NodeMeans {
        let (width, step) = match means {
            Means::OfEach => (2 * n_players, 2),
            Means::OfAll => (1 + n_players, 1),
            Means::None => (0, 1),
        };
        NodeMeans { numbers: Vec::new(), width, step }
    }

    pub(super) fn clear(&mut self) {
        self.numbers.clear();
    }

    pub(super) fn bytes_per_node(&self) -> usize {
        self.width * size_of::<f64>()
    }

    pub(super) fn bytes(&self) -> usize {
        column_bytes(&self.numbers)
    }

    /// By how many bytes the memory grows with the next node.
    pub(super) fn bytes_to_grow(&self) -> usize {
        match self.numbers.capacity() - self.numbers.len() < self.width {
            true => growth(&self.numbers, self.width) * size_of::<f64>(),
            false => 0,
        }
    }

    pub(super) fn add(&mut self) {
        make_room(&mut self.numbers, self.width);
        self.numbers.resize(self.numbers.len() + self.width, 0.0);
    }

    /// Appends the numbers of a node of another tree.
    pub(super) fn copy(&mut self, from: &NodeMeans, node: NodeId) {
        let start = node as usize * from.width;
        make_room(&mut self.numbers, from.width);
        self.numbers.extend_from_slice(&from.numbers[start..start + from.width]);
    }

    /// An empty one of the same kind.
    pub(super) fn like(&self) -> NodeMeans {
        NodeMeans { numbers: Vec::new(), ..*self }
    }

    #[inline]
    pub(super) fn visits(&self, node: NodeId) -> f64 {
        self.numbers[node as usize * self.width]
    }

    #[inline]
    pub(super) fn mean(&self, node: NodeId, player: Player) -> f64 {
        self.numbers[node as usize * self.width + 1 + player.index() * self.step]
    }

    /// The mean, if the player has learned here.
    pub(super) fn known_mean(&self, node: NodeId, player: Player) -> Option<f64> {
        let start = node as usize * self.width + player.index() * self.step;
        (self.numbers[start] > 0.0).then(|| self.numbers[start + 1])
    }

    pub(super) fn learn_one(&mut self, node: NodeId, player: Player, payoff: f64) {
        let start = node as usize * self.width + player.index() * self.step;
        self.numbers[start] += 1.0;
        self.numbers[start + 1] += (payoff - self.numbers[start + 1]) / self.numbers[start];
    }

    /// Lets every player learn its own payoff, where visits are kept for each.
    pub(super) fn learn_each(&mut self, node: NodeId, payoffs: &Payoffs) {
        for player in 0..self.width / self.step {
            let player = Player(player as u8);
            self.learn_one(node, player, payoffs[player]);
        }
    }

    #[inline]
    pub(super) fn learn(&mut self, node: NodeId, payoffs: &Payoffs) {
        if self.width == 0 {
            return;
        }
        let start = node as usize * self.width;
        let (visits, means) = self.numbers[start..start + self.width].split_at_mut(1);
        visits[0] += 1.0;
        let share = 1.0 / visits[0];
        for (mean, payoff) in means.iter_mut().zip(payoffs.as_slice(MAX_PLAYERS)) {
            *mean += share * (payoff - *mean);
        }
    }
}
