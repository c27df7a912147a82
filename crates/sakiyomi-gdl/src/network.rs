//! From ground rules to a network of gates over the fluents and moves.
//!
//! Equal gates are stored once and constants are folded away. Gates are numbered so that inputs come
//! first, except inside components: atoms that depend on each other through recursion, whose value
//! is the least fixpoint.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::FxHasher;

use crate::error::GdlError;
use crate::ground::{Instances, Program};
use crate::meter::{Meter, vec_bytes};
use crate::term::{TermId, Terms};

/// Twice the number of a node, plus one for its negation.
pub(crate) type Lit = u32;

pub(crate) const FALSE: Lit = 0;
pub(crate) const TRUE: Lit = 1;

pub(crate) fn node_of(lit: Lit) -> usize {
    (lit >> 1) as usize
}

pub(crate) fn is_negated(lit: Lit) -> bool {
    lit & 1 == 1
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Node 0, which is false.
    Constant,
    /// A fluent of the state.
    Base,
    /// A move being made.
    Does,
    And,
    Or,
}

/// A move that a role may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RoleMove {
    pub(crate) role: u8,
    pub(crate) term: TermId,
}

#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(crate) gates: Gates,
    /// Fluent i is node 1 + i.
    pub(crate) fluents: Vec<TermId>,
    /// Move j is node 1 + number of fluents + j. Moves are sorted by role, then by text.
    pub(crate) moves: Vec<RoleMove>,
    /// The moves of each role.
    pub(crate) role_moves: Vec<Range<usize>>,
    pub(crate) next: Vec<Lit>,
    pub(crate) legal: Vec<Lit>,
    pub(crate) terminal: Lit,
    /// Per role, the values with the literals that grant them.
    pub(crate) goals: Vec<Vec<(u8, Lit)>>,
    pub(crate) initial: Vec<u32>,
}

impl Network {
    pub(crate) fn new(
        program: &Program,
        instances: Instances,
        meter: &mut Meter<'_>,
    ) -> Result<Network, GdlError> {
        let n_terms = program.terms.len() as u64;
        // Per instance its place by head, and per term the literal and what the search for
        // components notes.
        let held = program.bytes() + instances.bytes() + 12 * instances.n() + 32 * n_terms;
        // Moves and fluents are sorted by their texts.
        let list =
            |key| program.facts.find_predicate(key).map_or(0, |p| program.facts.list(p).len());
        let n_leaves = list((program.words.true_, 1)) + list((program.words.does, 2));
        let held = held + 100 * n_leaves as u64;
        meter.begin("gates", held);
        let mut build = Builder::new(program);
        build.derive(&instances, meter)?;
        drop(instances);
        let network = build.finish();
        meter.begin("network", program.bytes());
        // Moves and fluents have bits, groups, phases and places in the table of transitions.
        let leaves = 200 * network.moves.len() as u64 + 100 * network.fluents.len() as u64;
        meter.look((network.gates.len(), network.gates.bytes_to_the_end() + leaves));
        meter.check()?;
        Ok(network)
    }

    pub(crate) fn move_node(&self, index: usize) -> usize {
        1 + self.fluents.len() + index
    }

    /// The value of every node, the plain way: the oracle of the incremental evaluation.
    pub(crate) fn evaluate(&self, facts: &[u64], does: &[u32], values: &mut Vec<bool>) {
        values.clear();
        values.resize(self.gates.len(), false);
        for fluent in 0..self.fluents.len() {
            values[1 + fluent] = facts[fluent / 64] >> (fluent % 64) & 1 == 1;
        }
        for &index in does {
            values[self.move_node(index as usize)] = true;
        }
        let mut node = self.move_node(self.moves.len());
        while node < self.gates.len() {
            match self.gates.component(node) {
                None => {
                    values[node] = self.gates.value(node, values);
                    node += 1;
                }
                Some(range) => {
                    let mut changed = true;
                    while std::mem::take(&mut changed) {
                        for inner in range.clone() {
                            if !values[inner] && self.gates.value(inner, values) {
                                values[inner] = true;
                                changed = true;
                            }
                        }
                    }
                    node = range.end;
                }
            }
        }
    }
}

/// Alternatives of an Or that are looked through for one that holds, and literals that are known to.
const MOST_ALTERNATIVES: usize = 256;
const MOST_KNOWN: usize = 64;

/// The gates and what they read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gates {
    kinds: Vec<Kind>,
    ranges: Vec<(u32, u32)>,
    inputs: Vec<Lit>,
    /// Whether a node depends on moves.
    by_moves: Vec<bool>,
    /// Ranges of nodes that depend on each other, in order.
    components: Vec<Range<usize>>,
    /// Open addressing over the gates that are stored once; the length is a power of two.
    table: Vec<u32>,
    n_in_table: usize,
}

impl Gates {
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn n_inputs(&self) -> usize {
        self.inputs.len()
    }

    pub(crate) fn kind(&self, node: usize) -> Kind {
        self.kinds[node]
    }

    pub(crate) fn inputs(&self, node: usize) -> &[Lit] {
        let (start, end) = self.ranges[node];
        &self.inputs[start as usize..end as usize]
    }

    pub(crate) fn by_moves(&self, node: usize) -> bool {
        self.by_moves[node]
    }

    pub(crate) fn components(&self) -> &[Range<usize>] {
        &self.components
    }

    /// The component that a node belongs to.
    pub(crate) fn component(&self, node: usize) -> Option<Range<usize>> {
        let after = self.components.partition_point(|range| range.start <= node);
        let range = self.components.get(after.checked_sub(1)?)?;
        range.contains(&node).then(|| range.clone())
    }

    pub(crate) fn value(&self, node: usize, values: &[bool]) -> bool {
        let holds = |&lit: &Lit| values[node_of(lit)] != is_negated(lit);
        match self.kinds[node] {
            Kind::And => self.inputs(node).iter().all(holds),
            Kind::Or => self.inputs(node).iter().any(holds),
            _ => values[node],
        }
    }

    pub(crate) fn leaf(&mut self, kind: Kind) -> usize {
        self.kinds.push(kind);
        self.ranges.push((0, 0));
        self.by_moves.push(kind == Kind::Does);
        self.kinds.len() - 1
    }

    /// The conjunction of literals.
    pub(crate) fn and(&mut self, lits: &mut Vec<Lit>) -> Lit {
        if !clean(lits, TRUE, FALSE) {
            return FALSE;
        }
        self.absorb(lits);
        match lits[..] {
            [] => TRUE,
            [lit] => lit,
            // "None of these" and "any of these" are one gate.
            _ if lits.iter().all(|&lit| is_negated(lit)) => {
                lits.iter_mut().for_each(|lit| *lit ^= 1);
                self.gate(Kind::Or, lits) ^ 1
            }
            _ => self.gate(Kind::And, lits),
        }
    }

    /// Drops from a conjunction what follows from the rest: "some capture can be made" beside one that can. Whatever
    /// changes in one capture would otherwise have to be told to all others.
    fn absorb(&self, lits: &mut Vec<Lit>) {
        let alternatives = |lit: Lit| match self.kinds[node_of(lit)] {
            Kind::Or if !is_negated(lit) => self.inputs(node_of(lit)),
            _ => &[],
        };
        let is_open = |lit: &Lit| (1..=MOST_ALTERNATIVES).contains(&alternatives(*lit).len());
        if lits.len() < 2 || !lits.iter().any(is_open) {
            return;
        }
        // All that holds if the others do.
        let mut known: Vec<Lit> = lits.iter().copied().filter(|lit| !is_open(lit)).collect();
        let mut next = 0;
        while next < known.len() && known.len() < MOST_KNOWN {
            known.extend(self.conjuncts(known[next]));
            next += 1;
        }
        known.sort_unstable();
        let holds = |lit: &Lit| known.binary_search(lit).is_ok();
        let follows = |&lit: &Lit| {
            holds(&lit) || !self.conjuncts(lit).is_empty() && self.conjuncts(lit).iter().all(holds)
        };
        lits.retain(|lit| !is_open(lit) || !alternatives(*lit).iter().any(follows));
    }

    /// The literals that a conjunction consists of; none if it is something else.
    fn conjuncts(&self, lit: Lit) -> &[Lit] {
        match self.kinds[node_of(lit)] {
            Kind::And if !is_negated(lit) => self.inputs(node_of(lit)),
            _ => &[],
        }
    }

    /// The disjunction of literals. Literals that all cases share are taken out, which lets a search
    /// for moves see at once that a role is not in control.
    pub(crate) fn or(&mut self, lits: &mut Vec<Lit>) -> Lit {
        if !clean(lits, FALSE, TRUE) {
            return TRUE;
        }
        match lits[..] {
            [] => return FALSE,
            [lit] => return lit,
            _ => {}
        }
        let mut shared = self.shared(lits);
        if shared.is_empty() {
            return self.gate(Kind::Or, lits);
        }
        let mut rests = Vec::with_capacity(lits.len());
        for &lit in lits.iter() {
            let mut rest: Vec<Lit> = match self.kinds[node_of(lit)] {
                Kind::And if !is_negated(lit) => self.inputs(node_of(lit)).to_vec(),
                _ => vec![lit],
            };
            rest.retain(|lit| !shared.contains(lit));
            let rest = self.and(&mut rest);
            rests.push(rest);
        }
        let rest = self.or(&mut rests);
        shared.push(rest);
        self.and(&mut shared)
    }

    fn shared(&self, lits: &[Lit]) -> Vec<Lit> {
        let mut shared = self.conjuncts(lits[0]).to_vec();
        for &lit in &lits[1..] {
            let inputs = self.conjuncts(lit);
            shared.retain(|lit| inputs.binary_search(lit).is_ok());
            if shared.is_empty() {
                break;
            }
        }
        shared
    }

    /// A gate with exactly these inputs, which are sorted, if there is one.
    pub(crate) fn find(&self, is_and: bool, lits: &[Lit]) -> Option<Lit> {
        let kind = if is_and { Kind::And } else { Kind::Or };
        let mask = self.table.len().checked_sub(1)?;
        let mut slot = hash(kind, lits) & mask;
        while self.table[slot] != EMPTY {
            let node = self.table[slot] as usize;
            if self.kinds[node] == kind && self.inputs(node) == lits {
                return Some((node as Lit) << 1);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// A gate with exactly these inputs, which are sorted.
    pub(crate) fn exact(&mut self, is_and: bool, lits: &[Lit]) -> Lit {
        self.gate(if is_and { Kind::And } else { Kind::Or }, lits)
    }

    fn gate(&mut self, kind: Kind, lits: &[Lit]) -> Lit {
        // Counts of inputs are small numbers, so a very wide gate becomes two layers of gates.
        if lits.len() > WIDEST {
            let mut parts: Vec<Lit> =
                lits.chunks(WIDEST / 32).map(|part| self.gate(kind, part)).collect();
            parts.sort_unstable();
            return self.gate(kind, &parts);
        }
        if self.n_in_table * 2 >= self.table.len() {
            self.grow_table();
        }
        let mask = self.table.len() - 1;
        let mut slot = hash(kind, lits) & mask;
        loop {
            match self.table[slot] {
                EMPTY => break,
                node if self.kinds[node as usize] == kind && self.inputs(node as usize) == lits => {
                    return node << 1;
                }
                _ => slot = (slot + 1) & mask,
            }
        }
        let node = self.leaf(kind);
        self.fill(node, lits);
        self.table[slot] = node as u32;
        self.n_in_table += 1;
        (node as Lit) << 1
    }

    fn grow_table(&mut self) {
        let old = std::mem::take(&mut self.table);
        self.table = vec![EMPTY; (old.len() * 2).max(1024)];
        let mask = self.table.len() - 1;
        for node in old.into_iter().filter(|&node| node != EMPTY) {
            let mut slot = hash(self.kinds[node as usize], self.inputs(node as usize)) & mask;
            while self.table[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            self.table[slot] = node;
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        vec_bytes(&self.kinds)
            + vec_bytes(&self.ranges)
            + vec_bytes(&self.inputs)
            + vec_bytes(&self.by_moves)
            // The table doubles when it is half full, and the old one is read meanwhile.
            + 4 * self.table.len() as u64
                * if self.n_in_table >= self.table.len() / 16 * 7 { 3 } else { 1 }
    }

    /// The bytes that the gates and all that is made of them take, at most, until the game is ready.
    fn bytes_to_the_end(&self) -> u64 {
        self.bytes() + 100 * self.len() as u64 + 24 * self.inputs.len() as u64
    }

    fn fill(&mut self, node: usize, lits: &[Lit]) {
        let start = self.inputs.len() as u32;
        self.inputs.extend_from_slice(lits);
        self.ranges[node] = (start, self.inputs.len() as u32);
        self.by_moves[node] = lits.iter().any(|&lit| self.by_moves[node_of(lit)]);
    }

    /// Declares the nodes from `start` on as one component.
    fn close_component(&mut self, start: usize) {
        let end = self.len();
        let by_moves = (start..end)
            .any(|node| self.inputs(node).iter().any(|&lit| self.by_moves[node_of(lit)]));
        self.by_moves[start..end].fill(by_moves);
        self.components.push(start..end);
    }
}

/// A place in the table without a gate.
const EMPTY: u32 = u32::MAX;

fn hash(kind: Kind, lits: &[Lit]) -> usize {
    let mut hasher = FxHasher::default();
    (kind == Kind::And, lits).hash(&mut hasher);
    let hash = hasher.finish();
    (hash ^ hash >> 32) as usize
}

/// Inputs of a gate outside components.
const WIDEST: usize = 16_384;

/// Sorts, and drops what does not matter. False if the whole is decided: a literal is `decides`, or
/// a literal and its negation are there.
fn clean(lits: &mut Vec<Lit>, neutral: Lit, decides: Lit) -> bool {
    lits.retain(|&lit| lit != neutral);
    lits.sort_unstable();
    lits.dedup();
    let opposed = lits.windows(2).any(|pair| pair[0] ^ 1 == pair[1]);
    !opposed && !lits.contains(&decides)
}

/// An atom without a literal yet.
const OPEN: Lit = u32::MAX;

struct Builder<'a> {
    program: &'a Program,
    gates: Gates,
    fluents: Vec<TermId>,
    moves: Vec<RoleMove>,
    /// The literal of every atom.
    lits: Vec<Lit>,
}

impl<'a> Builder<'a> {
    fn new(program: &'a Program) -> Builder<'a> {
        let terms = &program.terms;
        let words = &program.words;
        let facts = &program.facts;
        let list = |key| facts.find_predicate(key).map_or(&[][..], |p| facts.list(p));
        let mut gates = Gates::default();
        gates.leaf(Kind::Constant);
        let mut lits = vec![OPEN; terms.len()];
        let mut fluents: Vec<(String, TermId)> = (list((words.true_, 1)).iter())
            .map(|&atom| (terms.text(terms.arguments(atom)[0]), atom))
            .collect();
        fluents.sort_unstable();
        for &(_, atom) in &fluents {
            lits[atom as usize] = (gates.leaf(Kind::Base) as Lit) << 1;
        }
        let mut moves: Vec<(usize, String, TermId)> = Vec::new();
        for &atom in list((words.does, 2)) {
            let arguments = terms.arguments(atom);
            match program.roles.iter().position(|&role| role == arguments[0]) {
                Some(role) => moves.push((role, terms.text(arguments[1]), atom)),
                // A move of someone who does not play never happens.
                None => lits[atom as usize] = FALSE,
            }
        }
        moves.sort_unstable();
        for &(_, _, atom) in &moves {
            lits[atom as usize] = (gates.leaf(Kind::Does) as Lit) << 1;
        }
        let argument = |atom, i: usize| terms.arguments(atom)[i];
        Builder {
            program,
            gates,
            fluents: fluents.into_iter().map(|(_, atom)| argument(atom, 0)).collect(),
            moves: (moves.into_iter())
                .map(|(role, _, atom)| RoleMove { role: role as u8, term: argument(atom, 1) })
                .collect(),
            lits,
        }
    }

    /// Gives every derived atom its literal, component by component.
    fn derive(&mut self, instances: &Instances, meter: &mut Meter<'_>) -> Result<(), GdlError> {
        let by_head = ByHead::new(instances, self.lits.len());
        for component in components(instances, &by_head, &self.lits) {
            meter.tick(|| (self.gates.len(), self.gates.bytes()));
            meter.check()?;
            match component[..] {
                [atom] => {
                    let lit = self.single(atom, instances, &by_head)?;
                    self.lits[atom as usize] = lit;
                }
                _ => self.recursive(&component, instances, &by_head)?,
            }
        }
        Ok(())
    }

    fn single(
        &mut self,
        atom: TermId,
        instances: &Instances,
        by_head: &ByHead,
    ) -> Result<Lit, GdlError> {
        let mut cases = Vec::new();
        let mut body: Vec<Lit> = Vec::new();
        for &instance in by_head.of(atom) {
            let literals = instances.body(instance as usize);
            if literals.contains(&(atom << 1 | 1)) {
                return Err(self.not_stratified(atom));
            }
            // A rule that needs its own head adds nothing to a least fixpoint.
            if literals.contains(&(atom << 1)) {
                continue;
            }
            body.clear();
            body.extend(literals.iter().map(|&literal| self.lit(literal)));
            let case = self.gates.and(&mut body);
            if case == TRUE {
                return Ok(TRUE);
            }
            cases.push(case);
        }
        Ok(self.gates.or(&mut cases))
    }

    fn recursive(
        &mut self,
        component: &[TermId],
        instances: &Instances,
        by_head: &ByHead,
    ) -> Result<(), GdlError> {
        let start = self.gates.len();
        for &atom in component {
            self.lits[atom as usize] = (self.gates.leaf(Kind::Or) as Lit) << 1;
        }
        let end = self.gates.len();
        let mut body: Vec<Lit> = Vec::new();
        for (i, &atom) in component.iter().enumerate() {
            let mut cases = Vec::new();
            for &instance in by_head.of(atom) {
                body.clear();
                body.extend(instances.body(instance as usize).iter().map(|&l| self.lit(l)));
                let inside = |&lit: &Lit| (start..end).contains(&node_of(lit));
                if body.iter().any(|lit| is_negated(*lit) && inside(lit)) {
                    return Err(self.not_stratified(atom));
                }
                cases.push(self.gates.and(&mut body));
            }
            cases.retain(|&case| case != FALSE && node_of(case) != start + i);
            cases.sort_unstable();
            cases.dedup();
            self.gates.fill(start + i, &cases);
        }
        self.gates.close_component(start);
        Ok(())
    }

    fn lit(&self, literal: u32) -> Lit {
        let lit = self.lits[(literal >> 1) as usize];
        debug_assert_ne!(lit, OPEN);
        lit ^ (literal & 1)
    }

    fn not_stratified(&self, atom: TermId) -> GdlError {
        GdlError::NotStratified { atom: self.program.terms.text(atom) }
    }

    fn finish(self) -> Network {
        let Program { terms, words, roles, initial, .. } = self.program;
        let lit_of = |functor, arguments: &[TermId]| {
            let lit = terms.find(functor, arguments).map_or(OPEN, |atom| self.lits[atom as usize]);
            if lit == OPEN { FALSE } else { lit }
        };
        let next = self.fluents.iter().map(|&fluent| lit_of(words.next, &[fluent])).collect();
        let legal = (self.moves.iter())
            .map(|m| lit_of(words.legal, &[roles[m.role as usize], m.term]))
            .collect();
        let role_moves = (0..roles.len())
            .map(|role| {
                let start = self.moves.partition_point(|m| usize::from(m.role) < role);
                start..self.moves.partition_point(|m| usize::from(m.role) <= role)
            })
            .collect();
        let facts = &self.program.facts;
        let goal_atoms =
            facts.find_predicate((words.goal, 2)).map_or(&[][..], |goal| facts.list(goal));
        let mut goals = vec![Vec::new(); roles.len()];
        for &atom in goal_atoms {
            let [role, value] = *terms.arguments(atom) else { continue };
            let lit = self.lits[atom as usize];
            let role = roles.iter().position(|&other| other == role);
            if let (Some(role), Some(value)) = (role, goal_value(terms, value))
                && lit != OPEN
                && lit != FALSE
            {
                goals[role].push((value, lit));
            }
        }
        let mut initial: Vec<u32> = (initial.iter())
            .filter_map(|fluent| terms.find(words.true_, &[*fluent]))
            .map(|atom| node_of(self.lits[atom as usize]) as u32 - 1)
            .collect();
        initial.sort_unstable();
        let terminal = lit_of(words.terminal, &[]);
        let Builder { gates, fluents, moves, .. } = self;
        Network { gates, fluents, moves, role_moves, next, legal, terminal, goals, initial }
    }
}

/// A goal counts if it is a number from 0 to 100.
pub(crate) fn goal_value(terms: &Terms, value: TermId) -> Option<u8> {
    terms.text(value).parse().ok().filter(|&value| value <= 100)
}

/// Instances grouped by head.
struct ByHead {
    starts: Vec<u32>,
    instances: Vec<u32>,
}

impl ByHead {
    fn new(instances: &Instances, n_atoms: usize) -> ByHead {
        let mut starts = vec![0u32; n_atoms + 1];
        for &head in &instances.heads {
            starts[head as usize + 1] += 1;
        }
        for i in 0..n_atoms {
            starts[i + 1] += starts[i];
        }
        let mut place = starts.clone();
        let mut sorted = vec![0; instances.heads.len()];
        for (instance, &head) in instances.heads.iter().enumerate() {
            sorted[place[head as usize] as usize] = instance as u32;
            place[head as usize] += 1;
        }
        ByHead { starts, instances: sorted }
    }

    fn of(&self, atom: TermId) -> &[u32] {
        let atom = atom as usize;
        &self.instances[self.starts[atom] as usize..self.starts[atom + 1] as usize]
    }
}

/// The strongly connected components of the atoms that rules derive, dependencies first (Tarjan's
/// algorithm without recursion).
fn components(instances: &Instances, by_head: &ByHead, lits: &[Lit]) -> Vec<Vec<TermId>> {
    const UNSEEN: u32 = u32::MAX;
    let mut index = vec![UNSEEN; lits.len()];
    let mut low = vec![0u32; lits.len()];
    let mut on_stack = vec![false; lits.len()];
    let (mut stack, mut result, mut counter) = (Vec::new(), Vec::new(), 0);
    // A frame is an atom with the instance and the literal that come next.
    let mut frames: Vec<(TermId, usize, usize)> = Vec::new();
    let mut roots: Vec<TermId> = instances.heads.clone();
    roots.sort_unstable();
    roots.dedup();
    for root in roots {
        if index[root as usize] != UNSEEN {
            continue;
        }
        frames.push((root, 0, 0));
        while let Some(&mut (atom, ref mut case, ref mut at)) = frames.last_mut() {
            let a = atom as usize;
            if index[a] == UNSEEN {
                (index[a], low[a], on_stack[a]) = (counter, counter, true);
                counter += 1;
                stack.push(atom);
            }
            let cases = by_head.of(atom);
            if *case == cases.len() {
                frames.pop();
                if let Some(&(parent, ..)) = frames.last() {
                    low[parent as usize] = low[parent as usize].min(low[a]);
                }
                if low[a] == index[a] {
                    let from = stack.iter().rposition(|&other| other == atom).unwrap_or(0);
                    let component = stack.split_off(from);
                    component.iter().for_each(|&member| on_stack[member as usize] = false);
                    result.push(component);
                }
                continue;
            }
            let body = instances.body(cases[*case] as usize);
            let Some(&literal) = body.get(*at) else {
                (*case, *at) = (*case + 1, 0);
                continue;
            };
            *at += 1;
            let child = literal >> 1;
            let c = child as usize;
            if lits[c] != OPEN {
                continue;
            }
            if index[c] == UNSEEN {
                frames.push((child, 0, 0));
            } else if on_stack[c] {
                low[a] = low[a].min(index[c]);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_from_the_rest_is_dropped() {
        let mut gates = Gates::default();
        gates.leaf(Kind::Constant);
        let [a, b, c, d] = [0; 4].map(|_| (gates.leaf(Kind::Base) as Lit) << 1);
        let pair = gates.and(&mut vec![a, b]);
        let some = gates.or(&mut vec![pair, c]);
        // One of the alternatives itself, and what it consists of, on its own or inside another gate.
        assert_eq!(gates.and(&mut vec![some, c]), c);
        assert_eq!(gates.and(&mut vec![some, pair]), pair);
        assert_eq!(gates.and(&mut vec![a, b, some]), pair);
        let more = gates.and(&mut vec![a, b, d]);
        assert_eq!(gates.and(&mut vec![some, more]), more);
        // Half an alternative is not enough, and two Ors do not hold each other up.
        let half = gates.and(&mut vec![a, some]);
        assert_eq!(gates.inputs(node_of(half)), [a, some]);
        let other = gates.or(&mut vec![some, d]);
        let both = gates.and(&mut vec![some, other]);
        assert_eq!(gates.inputs(node_of(both)), [some, other]);
    }
}
