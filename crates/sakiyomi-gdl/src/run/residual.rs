//! What a joint move leaves open about the next state: the fluents that become true or false, and
//! formulas for the rest. It can be taken apart into parts that have nothing in common, folded by
//! what is known of a live node, and written as plain conditions where it is simple.

use rustc_hash::FxHashMap;

use crate::run::formula::{ALWAYS, Code, Gate, NEVER, gate_of, local};
use crate::run::live::LiveLit;

#[derive(Clone, Debug, Default)]
pub(crate) struct Residual {
    pub(crate) becomes_true: Vec<u32>,
    pub(crate) becomes_false: Vec<u32>,
    /// Fluents with the code of their next value.
    pub(crate) follows: Vec<(u32, Code)>,
    pub(crate) gates: Vec<Gate>,
}

impl Residual {
    /// The bytes that it takes, and a transition that is made of it, more or less.
    pub(crate) fn bytes(&self) -> usize {
        let gates: usize = self.gates.iter().map(|(_, inputs)| 40 + 12 * inputs.len()).sum();
        let n_changes = self.becomes_true.len() + self.becomes_false.len();
        300 + 16 * n_changes + 24 * self.follows.len() + gates
    }

    /// The live node on which most of the formulas depend.
    pub(super) fn question(&self, supports: &[Vec<u32>]) -> Option<u32> {
        let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
        for &node in supports.iter().flatten() {
            *counts.entry(node).or_default() += 1;
        }
        // Among equals the lowest number, so that the same game always asks the same.
        counts.into_iter().max_by_key(|&(node, count)| (count, u32::MAX - node)).map(|best| best.0)
    }

    /// The live nodes on which each of the formulas depends; none where it is a single one.
    pub(super) fn supports(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![usize::MAX; self.gates.len()];
        let support = |(i, &(_, code)): (usize, &(u32, Code))| {
            let mut nodes: Vec<u32> = Vec::new();
            let mut open: Vec<usize> = gate_of(code).into_iter().collect();
            while let Some(gate) = open.pop() {
                if std::mem::replace(&mut seen[gate], i) == i {
                    continue;
                }
                for &input in &self.gates[gate].1 {
                    match gate_of(input) {
                        Some(inner) => open.push(inner),
                        None => nodes.push(input >> 1),
                    }
                }
            }
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        self.follows.iter().enumerate().map(support).collect()
    }

    /// The formulas in parts that depend on no node together; none if all that are more than a node
    /// depend on each other.
    pub(super) fn parts(&self, supports: &[Vec<u32>]) -> Vec<Residual> {
        // Each formula points to an earlier one of its part, or to itself.
        let mut leaders: Vec<usize> = (0..self.follows.len()).collect();
        let leader = |leaders: &[usize], mut i: usize| {
            while leaders[i] != i {
                i = leaders[i];
            }
            i
        };
        let mut first_readers: FxHashMap<u32, usize> = FxHashMap::default();
        for (i, nodes) in supports.iter().enumerate() {
            for &node in nodes {
                let other = *first_readers.entry(node).or_insert(i);
                let (a, b) = (leader(&leaders, i), leader(&leaders, other));
                leaders[a.max(b)] = a.min(b);
            }
        }
        let leads = |&i: &usize| leaders[i] == i && !supports[i].is_empty();
        if (0..leaders.len()).filter(leads).count() < 2 {
            return Vec::new();
        }
        let mut members: Vec<Vec<(u32, Code)>> = vec![Vec::new(); self.follows.len()];
        for (i, &follow) in self.follows.iter().enumerate() {
            members[leader(&leaders, i)].push(follow);
        }
        members.retain(|members| !members.is_empty());
        let part = |follows| {
            let mut part = Residual::default();
            part.keep_used(follows, &self.gates);
            part
        };
        members.into_iter().map(part).collect()
    }

    /// What is left when it is known whether the bit of a live node is set.
    pub(super) fn assume(&self, node: u32, is_set: bool) -> Residual {
        let mut left = Residual {
            becomes_true: self.becomes_true.clone(),
            becomes_false: self.becomes_false.clone(),
            ..Residual::default()
        };
        let mut folded: Vec<Code> = Vec::with_capacity(self.gates.len());
        let mut gates: Vec<Gate> = Vec::new();
        let known = |code: Code, folded: &[Code]| match gate_of(code) {
            Some(gate) => negate_if(folded[gate], code & 1 == 1),
            None if code < NEVER && code >> 1 == node => constant(is_set != (code & 1 == 1)),
            None => code,
        };
        for (is_and, inputs) in &self.gates {
            let inputs = inputs.iter().map(|&code| known(code, &folded)).collect();
            folded.push(fold(*is_and, inputs, &mut gates));
        }
        let mut open = Vec::new();
        for &(fluent, code) in &self.follows {
            match known(code, &folded) {
                ALWAYS if fluent == node && is_set => {}
                NEVER if fluent == node && !is_set => {}
                ALWAYS => left.becomes_true.push(fluent),
                NEVER => left.becomes_false.push(fluent),
                code if code == fluent << 1 => {}
                code => open.push((fluent, code)),
            }
        }
        left.keep_used(open, &gates);
        left
    }

    /// Takes over formulas with the gates that they use.
    fn keep_used(&mut self, follows: Vec<(u32, Code)>, gates: &[Gate]) {
        let mut used = vec![false; gates.len()];
        for gate in follows.iter().filter_map(|&(_, code)| gate_of(code)) {
            used[gate] = true;
        }
        for gate in (0..gates.len()).rev().filter(|&gate| gates[gate].1.len() > 1) {
            if used[gate] {
                for inner in gates[gate].1.iter().filter_map(|&code| gate_of(code)) {
                    used[inner] = true;
                }
            }
        }
        let mut codes = vec![0; gates.len()];
        let renumber = |code: Code, codes: &[Code]| match gate_of(code) {
            Some(gate) => codes[gate] ^ (code & 1),
            None => code,
        };
        for (gate, (is_and, inputs)) in gates.iter().enumerate().filter(|(gate, _)| used[*gate]) {
            codes[gate] = local(self.gates.len());
            let inputs = inputs.iter().map(|&code| renumber(code, &codes)).collect();
            self.gates.push((*is_and, inputs));
        }
        self.follows =
            follows.into_iter().map(|(fluent, code)| (fluent, renumber(code, &codes))).collect();
    }
}

fn constant(value: bool) -> Code {
    if value { ALWAYS } else { NEVER }
}

fn negate_if(code: Code, negate: bool) -> Code {
    match code {
        ALWAYS | NEVER => constant((code == ALWAYS) != negate),
        _ => code ^ u32::from(negate),
    }
}

/// The code of a gate with these inputs; a gate is added only if something is left of it.
fn fold(is_and: bool, mut inputs: Vec<Code>, gates: &mut Vec<Gate>) -> Code {
    let (neutral, decides) = (constant(is_and), constant(!is_and));
    inputs.retain(|&code| code != neutral);
    inputs.sort_unstable();
    inputs.dedup();
    let opposed = inputs.windows(2).any(|pair| pair[0] ^ 1 == pair[1] && pair[1] < NEVER);
    match inputs[..] {
        _ if opposed || inputs.contains(&decides) => decides,
        [] => neutral,
        [code] => code,
        _ => {
            gates.push((is_and, inputs));
            local(gates.len() - 1)
        }
    }
}

// The head of an operation: these bits, and above them the number of literals.
pub(super) const FROM_FALSE: u32 = 1;
pub(super) const FROM_TRUE: u32 = 2;
pub(super) const NOT_ALL: u32 = 4;

impl Residual {
    /// The head and the literals of an operation that is as good as the formula, if there is one.
    pub(super) fn condition(&self, fluent: u32, code: Code) -> Option<(u32, Vec<LiveLit>)> {
        let Some(gate) = gate_of(code) else {
            return Some((FROM_FALSE | FROM_TRUE, vec![code]));
        };
        let (is_and, inputs) = &self.gates[gate];
        let own = fluent << 1;
        let others: Vec<Code> = inputs.iter().copied().filter(|&input| input != own).collect();
        let keeps = others.len() < inputs.len() && code & 1 == 0;
        if !keeps {
            let mut head = FROM_FALSE | FROM_TRUE;
            let negated = code & 1 == 1;
            let literals = self.conjunction(inputs, *is_and)?;
            // An Or holds if not all negations do.
            if *is_and == negated {
                head |= NOT_ALL;
            }
            return Some((head, literals));
        }
        match is_and {
            // Stays true only if the others hold.
            true => Some((FROM_TRUE, self.conjunction(&others, true)?)),
            // Becomes true if any of the others holds.
            false => match others[..] {
                [single] if gate_of(single).is_some() => {
                    let (head, literals) = self.condition(u32::MAX >> 1, single)?;
                    Some((head & NOT_ALL | FROM_FALSE, literals))
                }
                _ => Some((FROM_FALSE | NOT_ALL, self.conjunction(&others, false)?)),
            },
        }
    }

    /// The inputs of an And as live literals, with Ors of negations and Ands inside it taken apart;
    /// or the negations of the inputs of an Or.
    fn conjunction(&self, inputs: &[Code], is_and: bool) -> Option<Vec<LiveLit>> {
        let mut literals = Vec::new();
        let mut open: Vec<Code> = inputs.iter().map(|&code| code ^ u32::from(!is_and)).collect();
        while let Some(code) = open.pop() {
            match gate_of(code) {
                None => literals.push(code),
                Some(gate) => {
                    let (inner_and, inner) = &self.gates[gate];
                    // A negated Or is an And of negations; anything else is not a conjunction.
                    if *inner_and == (code & 1 == 1) {
                        return None;
                    }
                    open.extend(inner.iter().map(|&input| input ^ u32::from(!inner_and)));
                }
            }
            if literals.len() + open.len() > MAX_LITERALS {
                return None;
            }
        }
        Some(literals)
    }

    /// Whether operations do it: no formula needs to be computed, and there is little to look at.
    pub(super) fn is_plain(&self) -> bool {
        let mut n_literals = 0;
        self.follows.iter().all(|&(fluent, code)| match self.condition(fluent, code) {
            Some((_, literals)) => {
                n_literals += literals.len();
                gate_of(code).is_none() || n_literals <= MAX_PLAIN
            }
            None => false,
        })
    }
}

/// Literals in one operation.
const MAX_LITERALS: usize = 8;
/// Literals in all operations of a transition that is not split any more.
const MAX_PLAIN: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_no_node() {
        // Fluents 0 and 1 depend on node 9, fluent 2 on others, fluent 3 on a single node.
        let residual = Residual {
            follows: vec![(0, local(0)), (1, local(1)), (2, local(2)), (3, 18)],
            gates: vec![(true, vec![18, 20]), (false, vec![19, 22]), (true, vec![24, 26])],
            ..Residual::default()
        };
        let parts = residual.parts(&residual.supports());
        let fluents: Vec<Vec<u32>> =
            parts.iter().map(|part| part.follows.iter().map(|follow| follow.0).collect()).collect();
        assert_eq!(fluents, [vec![0, 1], vec![2], vec![3]]);
        assert_eq!(parts[1].gates, [(true, vec![24, 26])]);
    }
}
