//! Ordered operations as data: runs of equal shape over numbered slots.

use crate::lanes::logic::Op;

/// What the operations of a run have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) enum Shape {
    /// Operands: where the result goes, inputs, negated inputs.
    And { positive: u32, negated: u32, is_inverted: bool },
    /// Operands: where the result goes, inputs; bit i of `signs` negates input i.
    Table { op: Op, signs: u32 },
    /// Operands: to, from.
    Copy { is_negated: bool },
}

#[cfg(any(test, feature = "cuda"))]
impl Shape {
    /// How many operands each operation has.
    pub(super) fn n_operands(self) -> usize {
        match self {
            Shape::And { positive, negated, .. } => 1 + (positive + negated) as usize,
            Shape::Table { op: Op::Xor, .. } => 3,
            Shape::Table { .. } => 4,
            Shape::Copy { .. } => 2,
        }
    }
}

/// Operations that are computed in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Segment {
    /// Shapes with how many operands their operations have together.
    pub(super) runs: Vec<(Shape, usize)>,
    operands: Vec<u32>,
    /// The same as `operands` if all slots have small numbers; then the others are dropped.
    narrow: Vec<u16>,
    /// The segment is repeated until nothing changes: the variables, which are false at first, and
    /// what they are set to after each round (to, from, whether it is negated).
    pub(super) fixpoint: Option<Fixpoint>,
}

pub(super) type Fixpoint = (Vec<u32>, Vec<(u32, u32, bool)>);

/// The operands of a segment, two or four bytes each.
pub(super) enum Operands<'a> {
    Narrow(&'a [u16]),
    Wide(&'a [u32]),
}

impl Segment {
    pub(super) fn push(&mut self, shape: Shape, operands: &[u32]) {
        match self.runs.last_mut() {
            Some((last, n)) if *last == shape => *n += operands.len(),
            _ => self.runs.push((shape, operands.len())),
        }
        self.operands.extend_from_slice(operands);
    }

    pub(super) fn operands(&self) -> Operands<'_> {
        if self.narrow.is_empty() {
            Operands::Wide(&self.operands)
        } else {
            Operands::Narrow(&self.narrow)
        }
    }

    /// Half as much to read while it is executed.
    fn make_narrow(&mut self) {
        self.narrow = self.operands.iter().map(|&slot| slot as u16).collect();
        self.operands = Vec::new();
    }

    fn n_operands(&self) -> usize {
        self.operands.len() + self.narrow.len()
    }
}

/// Where a literal lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub(super) slot: u32,
    pub(super) is_negated: bool,
}

/// Everything that is computed from the fluents in one phase.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    /// What is known before moves are chosen.
    pub(super) first: Vec<Segment>,
    /// The moves that are made by the numbers that are drawn, if that can be repeated with others;
    /// else that is a part of what follows.
    pub(super) pick: Vec<Segment>,
    /// The next state.
    pub(super) second: Vec<Segment>,
    /// What is read after the first part, and after the picks.
    pub(super) outputs: Vec<Output>,
    pub(super) picks: Vec<Output>,
    pub(super) n_slots: usize,
}

impl Code {
    pub(super) fn finish(&mut self) {
        if self.n_slots <= usize::from(u16::MAX) {
            let rest = self.pick.iter_mut().chain(&mut self.second);
            self.first.iter_mut().chain(rest).for_each(Segment::make_narrow);
        }
    }

    /// What it costs to execute, more or less.
    pub(super) fn work(&self) -> usize {
        self.segments().map(Segment::n_operands).sum()
    }

    /// All of it, in order.
    pub(super) fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.first.iter().chain(&self.pick).chain(&self.second)
    }
}
