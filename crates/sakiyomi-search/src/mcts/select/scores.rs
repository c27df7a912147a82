//! What selections share that give every arm a score and take the highest.

use std::sync::LazyLock;

use sakiyomi_core::Rng;

/// What happens at a node where players choose at once if several arms have about the highest
/// score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// One is drawn among those within 0.01 of the highest: rows that all take their highest score
    /// fall into step with each other and do not mix, as Bošanský et al. (2016) found.
    Draw,
    /// The first of the highest is taken.
    First,
}

/// How far from the highest score an arm may be to be drawn at a simultaneous node.
const CLOSE: f32 = 0.01;

/// The logarithm of a node's visits, and its root.
#[derive(Clone, Copy, Debug)]
pub(in crate::mcts) struct Exploration {
    pub(super) ln: f32,
    pub(super) root: f32,
}

impl Exploration {
    /// Small numbers, which are asked for most, come from a table.
    #[inline]
    pub(super) fn of(visits: u32) -> Exploration {
        const SMALL: usize = 2048;
        static TABLE: LazyLock<Vec<Exploration>> =
            LazyLock::new(|| (0..SMALL).map(|n| Exploration::compute(n as u32)).collect());
        match TABLE.get(visits as usize) {
            Some(&known) => known,
            None => Exploration::compute(visits),
        }
    }

    /// The same, multiplied.
    #[inline]
    pub(super) fn scaled(self, factor: f32) -> Exploration {
        Exploration { root: self.root * factor, ..self }
    }

    fn compute(visits: u32) -> Exploration {
        let ln = libm::logf(visits.max(1) as f32);
        Exploration { ln, root: ln.sqrt() }
    }
}

/// The index of the highest score, the first of equals.
#[inline]
pub(super) fn highest(scores: impl Iterator<Item = f32>) -> usize {
    let (mut best, mut top) = (0, f32::NEG_INFINITY);
    for (i, score) in scores.enumerate() {
        if score > top {
            (best, top) = (i, score);
        }
    }
    best
}

/// An index that is drawn among those whose score is close to the highest; `buffer` is emptied.
pub(super) fn draw_close(
    scores: impl Iterator<Item = f32>,
    buffer: &mut Vec<f32>,
    rng: &mut Rng,
) -> usize {
    buffer.clear();
    buffer.extend(scores);
    let bar = buffer.iter().copied().fold(f32::NEG_INFINITY, f32::max) - CLOSE;
    let draw = rng.below(buffer.iter().filter(|&&score| score >= bar).count());
    let mut close = buffer.iter().enumerate().filter(|&(_, &score)| score >= bar);
    close.nth(draw).map_or(0, |(pick, _)| pick)
}
