//! What a joint move does to the state: the network, specialised for the moves that are made.
//!
//! With the moves known, most of the network that depends on moves folds away: nearly every fluent
//! keeps its value, a few become true or false, and only what is left is a formula over the state.
//! What makes the moves legal is known to hold, and folds more. Gates that none of the moves touch
//! have the value that they have when no role moves, which is folded once; so a joint move looks
//! only at the gates that its moves reach.
//!
//! What is left is a [`Residual`], which is split by cases when it is played (see `cases.rs`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::network::gates::{FALSE, Kind, Lit, TRUE, is_negated, node_of};
use crate::network::graph::Network;
use crate::network::sequence::Sequence;
use crate::run::formula::localise;
use crate::run::live::LiveLit;
use crate::run::residual::Residual;

/// The part of a network that depends on moves, prepared for specialisation.
#[derive(Debug)]
pub(crate) struct Effects {
    /// What every node is when no role moves. Nodes that do not depend on moves are themselves.
    without_moves: Vec<Lit>,
    /// The gates that read a node and depend on moves.
    readers: Vec<Vec<u32>>,
    /// For Or gates that depend on moves: the inputs that are not false when no role moves.
    inputs_without_moves: FxHashMap<u32, Vec<Lit>>,
    /// The fluents whose next value depends on moves and that do not keep their value by
    /// themselves when no role moves.
    changes_without_move: Vec<u32>,
    /// The other fluents whose next value depends on moves, by the node that it is.
    keeps_without_move: FxHashMap<u32, Vec<u32>>,
}

impl Effects {
    /// Prepares a network. Folding what happens when no role moves may add gates to it.
    pub(crate) fn new(network: &mut Network) -> Effects {
        let n = network.gates.len();
        let mut without_moves: Vec<Lit> = (0..n as Lit).map(|node| node << 1).collect();
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut inputs_without_moves = FxHashMap::default();
        for node in 0..n {
            if !network.gates.by_moves(node) {
                continue;
            }
            let kind = network.gates.kind(node);
            if kind == Kind::Move {
                without_moves[node] = FALSE;
                continue;
            }
            let raw = network.gates.inputs(node).to_vec();
            for &lit in &raw {
                if network.gates.by_moves(node_of(lit)) {
                    readers[node_of(lit)].push(node as u32);
                }
            }
            let folded = |lit: &Lit| without_moves[node_of(*lit)] ^ u32::from(is_negated(*lit));
            let mut inputs: Vec<Lit> = raw.iter().map(folded).collect();
            if kind == Kind::Or {
                let kept = raw.iter().copied().filter(|lit| folded(lit) != FALSE).collect();
                inputs_without_moves.insert(node as u32, kept);
                without_moves[node] = network.gates.or(&mut inputs);
            } else {
                without_moves[node] = network.gates.and(&mut inputs);
            }
        }
        let mut changes_without_move = Vec::new();
        let mut keeps_without_move: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (fluent, &next) in network.next.iter().enumerate() {
            if !network.gates.by_moves(node_of(next)) {
                continue;
            }
            let fluent = fluent as u32;
            let value = without_moves[node_of(next)] ^ u32::from(is_negated(next));
            match value == (fluent + 1) << 1 {
                true => keeps_without_move.entry(next >> 1).or_default().push(fluent),
                false => changes_without_move.push(fluent),
            }
        }
        Effects {
            without_moves,
            readers,
            inputs_without_moves,
            changes_without_move,
            keeps_without_move,
        }
    }

    /// The nodes that the network had; folding may have added more.
    pub(crate) fn n_nodes(&self) -> usize {
        self.without_moves.len()
    }

    /// What a node is when no role moves.
    pub(crate) fn without_moves(&self, node: usize) -> Lit {
        self.without_moves[node]
    }

    pub(crate) fn readers(&self, node: usize) -> &[u32] {
        &self.readers[node]
    }

    pub(crate) fn inputs_without_moves(&self, or: usize) -> &[Lit] {
        self.inputs_without_moves.get(&(or as u32)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn changes_without_move(&self) -> &[u32] {
        &self.changes_without_move
    }

    pub(crate) fn keeps_without_move(&self) -> &FxHashMap<u32, Vec<u32>> {
        &self.keeps_without_move
    }

    /// The state literals that the gates which depend on moves read.
    pub(crate) fn state_inputs(&self, network: &Network) -> impl Iterator<Item = Lit> {
        (0..self.without_moves.len())
            .filter(|&node| network.gates.by_moves(node))
            .flat_map(|node| network.gates.inputs(node).iter().copied())
            .filter(|&lit| !network.gates.by_moves(node_of(lit)))
    }

    /// The next values of the fluents that change without a move, at a joint move, as literals over
    /// the state. Gates that are missing are added.
    pub(crate) fn next_values(
        &self,
        network: &mut Network,
        sequence: &Sequence,
        joint: &[u32],
    ) -> Vec<(u32, Lit)> {
        let fold = Fold::new(self, network, sequence, joint);
        let values: Vec<(u32, Lit)> = (self.changes_without_move.iter())
            .map(|&fluent| (fluent, fold.value(network.next[fluent as usize])))
            .collect();
        let (n, extra) = (network.gates.len(), fold.extra);
        let mut added: Vec<Lit> = Vec::new();
        let settled = |lit: Lit, added: &[Lit]| match node_of(lit).checked_sub(n) {
            Some(extra) => added[extra] ^ u32::from(is_negated(lit)),
            None => lit,
        };
        for (is_and, lits) in extra {
            let mut lits: Vec<Lit> = lits.into_iter().map(|lit| settled(lit, &added)).collect();
            lits.sort_unstable();
            added.push(network.gates.exact(is_and, &lits));
        }
        values.into_iter().map(|(fluent, value)| (fluent, settled(value, &added))).collect()
    }

    /// Specialises the network for a joint move. Returns also the fluents that do not become their
    /// default next value, sorted. `live_lit` is the live form of a literal, if it has one.
    pub(crate) fn specialise(
        &self,
        network: &Network,
        sequence: &Sequence,
        default_next: &FxHashMap<u32, Lit>,
        live_lit: impl Fn(Lit) -> Option<LiveLit>,
        joint: &[u32],
    ) -> (Residual, Vec<u32>) {
        let fold = Fold::new(self, network, sequence, joint);
        let mut exceptions = Vec::new();
        let mut residual = Residual::default();
        let mut open: Vec<(u32, Lit)> = Vec::new();
        // A gate that keeps its value by itself does so unless the moves reach it.
        let reached =
            fold.values.keys().filter_map(|node| self.keeps_without_move.get(node)).flatten();
        let mut fluents: Vec<u32> = reached.chain(&self.changes_without_move).copied().collect();
        fluents.sort_unstable();
        for fluent in fluents {
            let own = fold.value((fluent + 1) << 1);
            let value = fold.value(network.next[fluent as usize]);
            match default_next.get(&fluent) {
                Some(&default) if default == value => continue,
                Some(_) => exceptions.push(fluent),
                None => {}
            }
            match value {
                same if same == own => {}
                TRUE => residual.becomes_true.push(fluent),
                FALSE => residual.becomes_false.push(fluent),
                lit => open.push((fluent, lit)),
            }
        }
        let lits: Vec<Lit> = open.iter().map(|&(_, lit)| lit).collect();
        let n = network.gates.len();
        let gate = |node: usize| match node.checked_sub(n) {
            Some(extra) => (fold.extra[extra].0, fold.extra[extra].1.as_slice()),
            None => (network.gates.kind(node) == Kind::And, network.gates.inputs(node)),
        };
        let (gates, codes) = localise(&lits, live_lit, gate);
        residual.gates = gates;
        residual.follows = open.iter().map(|&(fluent, _)| fluent).zip(codes).collect();
        (residual, exceptions)
    }
}

/// The folding of one joint move.
struct Fold<'a> {
    effects: &'a Effects,
    network: &'a Network,
    sequence: &'a Sequence,
    /// The nodes whose value differs from the one when no role moves.
    values: FxHashMap<u32, Lit>,
    /// Nodes of the state whose value is known, since the moves are legal.
    assumed: FxHashMap<u32, Lit>,
    /// Gates that are left over, numbered after those of the network: whether it is an And, inputs.
    extra: Vec<(bool, Vec<Lit>)>,
}

impl<'a> Fold<'a> {
    fn new(
        effects: &'a Effects,
        network: &'a Network,
        sequence: &'a Sequence,
        joint: &[u32],
    ) -> Fold<'a> {
        let mut fold = Fold {
            effects,
            network,
            sequence,
            values: FxHashMap::default(),
            assumed: FxHashMap::default(),
            extra: Vec::new(),
        };
        for &index in joint {
            fold.assume(network.legal[index as usize]);
        }
        fold.assume_phase();
        fold.spread(joint);
        fold
    }

    fn value(&self, lit: Lit) -> Lit {
        let node = node_of(lit) as u32;
        let value = match self.values.get(&node) {
            Some(&value) => value,
            None => self.effects.without_moves[node as usize],
        };
        let known = self.assumed.get(&(value >> 1)).map(|&known| known ^ (value & 1));
        known.unwrap_or(value) ^ u32::from(is_negated(lit))
    }

    fn assume(&mut self, lit: Lit) {
        let mut open = vec![lit];
        while let Some(lit) = open.pop() {
            let node = node_of(lit);
            if lit == TRUE || self.assumed.insert(node as u32, TRUE ^ (lit & 1)).is_some() {
                continue;
            }
            match (self.network.gates.kind(node), is_negated(lit)) {
                (Kind::And, false) => open.extend(self.network.gates.inputs(node)),
                (Kind::Or, true) => {
                    open.extend(self.network.gates.inputs(node).iter().map(|&input| input ^ 1));
                }
                _ => {}
            }
        }
    }

    /// The moves are legal in few phases only, such as those in which their role is in control.
    fn assume_phase(&mut self) {
        let n_fluents = self.network.fluents.len() as u32;
        let known: Vec<(u32, bool)> = (self.assumed.iter())
            .filter(|&(&node, _)| (1..=n_fluents).contains(&node))
            .map(|(&node, &value)| (node - 1, value == TRUE))
            .collect();
        for (fluent, value) in self.sequence.follows_from(&known) {
            self.assumed.insert(fluent + 1, if value { TRUE } else { FALSE });
        }
    }

    /// Works out every gate that the moves reach. Gates come in the order of their numbers, so the
    /// inputs of a gate are settled before it.
    fn spread(&mut self, joint: &[u32]) {
        let mut open = Open::default();
        for &index in joint {
            let node = self.network.move_node(index as usize) as u32;
            self.values.insert(node, TRUE);
            open.reach(node, self.effects);
        }
        while let Some(Reverse(node)) = open.heap.pop() {
            let touched = open.touched.remove(&node).unwrap_or_default();
            let value = self.gate(node, &touched);
            if value != self.effects.without_moves[node as usize] {
                self.values.insert(node, value);
                open.reach(node, self.effects);
            }
        }
    }

    fn gate(&mut self, node: u32, touched: &[u32]) -> Lit {
        let raw = self.network.gates.inputs(node as usize);
        match self.effects.inputs_without_moves.get(&node) {
            Some(without_moves) => {
                // An Or may have thousands of inputs, nearly all false: those that are not, and
                // those that changed. The sign of a changed input is found among its inputs.
                let mut lits: Vec<Lit> = without_moves.iter().map(|&lit| self.value(lit)).collect();
                for &input in touched {
                    for lit in [input << 1, input << 1 | 1] {
                        if raw.binary_search(&lit).is_ok() {
                            lits.push(self.value(lit));
                        }
                    }
                }
                self.fold(false, lits)
            }
            None => {
                let lits = raw.iter().map(|&lit| self.value(lit)).collect();
                self.fold(true, lits)
            }
        }
    }

    fn fold(&mut self, is_and: bool, mut lits: Vec<Lit>) -> Lit {
        let (neutral, decides) = if is_and { (TRUE, FALSE) } else { (FALSE, TRUE) };
        lits.retain(|&lit| lit != neutral);
        lits.sort_unstable();
        lits.dedup();
        let opposed = lits.windows(2).any(|pair| pair[0] ^ 1 == pair[1]);
        if lits.len() <= MAX_ABSORBED && lits.iter().any(|&lit| self.adds(lit, !is_and, &lits)) {
            let all = lits.clone();
            lits.retain(|&lit| !self.adds(lit, !is_and, &all));
        }
        match lits[..] {
            _ if opposed || lits.contains(&decides) => decides,
            [] => neutral,
            [lit] => lit,
            _ => self.network.gates.find(is_and, &lits).unwrap_or_else(|| {
                self.extra.push((is_and, lits));
                ((self.network.gates.len() + self.extra.len() - 1) as Lit) << 1
            }),
        }
    }
}

impl Fold<'_> {
    /// Whether a literal is one of the others with more conditions (`is_and`) or more alternatives:
    /// beside it the literal does not matter in an Or, or an And.
    fn adds(&self, lit: Lit, is_and: bool, others: &[Lit]) -> bool {
        let node = node_of(lit);
        let (gate_is_and, inputs) = match node.checked_sub(self.network.gates.len()) {
            Some(extra) => (self.extra[extra].0, self.extra[extra].1.as_slice()),
            None => match self.network.gates.kind(node) {
                Kind::And => (true, self.network.gates.inputs(node)),
                Kind::Or => (false, self.network.gates.inputs(node)),
                _ => return false,
            },
        };
        // A negated Or is an And of negations.
        let sign = u32::from(is_negated(lit));
        let has = |&other: &Lit| other != lit && inputs.binary_search(&(other ^ sign)).is_ok();
        gate_is_and == (is_and != is_negated(lit)) && others.iter().any(has)
    }
}

/// Inputs of a gate that are compared with each other.
const MAX_ABSORBED: usize = 12;

/// Gates to be worked out, each with the inputs that changed.
#[derive(Default)]
struct Open {
    heap: BinaryHeap<Reverse<u32>>,
    touched: FxHashMap<u32, Vec<u32>>,
}

impl Open {
    fn reach(&mut self, node: u32, effects: &Effects) {
        for &reader in &effects.readers[node as usize] {
            let heap = &mut self.heap;
            let touched = self.touched.entry(reader).or_insert_with(|| {
                heap.push(Reverse(reader));
                Vec::new()
            });
            touched.push(node);
        }
    }
}
