//! What every phase of a match means for a state: which fluents change with it, and which groups of
//! moves can be legal (see `network/sequence.rs`).

use crate::network::graph::Network;
use crate::network::sequence::{PhaseValues, Sequence};
use crate::run::live::LiveLit;

/// How a match goes on from one phase.
#[derive(Clone, Debug, Default)]
pub(crate) struct Phase {
    pub(super) next: u32,
    /// Fluents that change and that nothing reads: words of bits with what changes in them.
    pub(super) without_readers: Vec<(u32, u64)>,
    /// Fluents that change and that others read.
    pub(super) with_readers: Vec<u32>,
    /// Per role, the groups of moves that can be legal.
    groups: Vec<Vec<OpenGroup>>,
}

/// A group of moves that may be legal in a phase.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenGroup {
    pub(super) group: usize,
    /// The group's condition, if the phase does not decide it.
    pub(super) condition: Option<LiveLit>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Phases(Vec<Phase>);

impl Phases {
    /// All phases of a sequence. `has_readers` says whether anything reads a fluent, `groups` which
    /// groups of each role can be legal.
    pub(super) fn new(
        sequence: &Sequence,
        network: &Network,
        has_readers: impl Fn(&u32) -> bool,
        groups: impl Fn(&PhaseValues) -> Vec<Vec<OpenGroup>>,
    ) -> Phases {
        let phase = |(i, state): (usize, &Vec<u32>)| {
            let next = sequence.next(i);
            let after = &sequence.phases()[next];
            let leaves = state.iter().filter(|fluent| after.binary_search(fluent).is_err());
            let comes = after.iter().filter(|fluent| state.binary_search(fluent).is_err());
            let (with_readers, others): (Vec<u32>, Vec<u32>) =
                leaves.chain(comes).partition(|fluent| has_readers(fluent));
            let mut without_readers: Vec<(u32, u64)> = Vec::new();
            for fluent in others {
                match without_readers.iter_mut().find(|(word, _)| *word == fluent / 64) {
                    Some((_, mask)) => *mask |= 1 << (fluent % 64),
                    None => without_readers.push((fluent / 64, 1 << (fluent % 64))),
                }
            }
            let groups = groups(&sequence.values(network, state));
            Phase { next: next as u32, without_readers, with_readers, groups }
        };
        Phases(sequence.phases().iter().enumerate().map(phase).collect())
    }

    #[inline]
    pub(super) fn get(&self, phase: u32) -> &Phase {
        &self.0[phase as usize]
    }

    #[inline]
    pub(super) fn groups(&self, phase: u32, role: usize) -> &[OpenGroup] {
        &self.0[phase as usize].groups[role]
    }
}
