//! Lets gates share what they have in common: a pair of literals that many Ands read becomes a gate
//! of its own. The jumps of a draughts sheet all ask whether a piece can be jumped over and whether
//! the cell behind it is free; with that as one gate, a piece that moves touches a few gates and
//! not all jumps that lead past it.

use rustc_hash::FxHashMap;

use crate::ground::meter::Meter;
use crate::network::gates::{Gates, Kind, Lit, is_negated, node_of};
use crate::network::graph::Network;
use crate::network::groups::MoveGroups;

/// A pair that fewer Ands read stays as it is.
const MIN_READERS: u32 = 6;
const MAX_PASSES: usize = 12;
/// Different pairs that are counted, in about 100 bytes each while the table grows.
const MAX_COUNTED: usize = 1 << 22;

/// Rewrites a network without components. False if there is nothing to share, and the network is
/// what it was; otherwise nodes have new numbers.
pub(crate) fn share_pairs(
    network: &mut Network,
    groups: &MoveGroups,
    meter: &mut Meter<'_>,
) -> bool {
    if !network.gates.components().is_empty() {
        return false;
    }
    let mut open = groups.state_roots(network);
    let mut seen = vec![false; network.gates.len()];
    let mut inputs: FxHashMap<u32, Vec<Lit>> = FxHashMap::default();
    while let Some(lit) = open.pop() {
        let node = node_of(lit);
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        let own = network.gates.inputs(node);
        open.extend(own);
        if network.gates.kind(node) == Kind::And && own.len() > 2 && !network.gates.by_moves(node) {
            inputs.insert(node as u32, own.to_vec());
        }
    }
    let pairs = find_pairs(&mut inputs, network, meter);
    if pairs.is_empty() {
        return false;
    }
    let mut rewrite = Rewrite {
        network,
        inputs,
        pairs,
        gates: Gates::default(),
        lits: Vec::new(),
        pair_lits: FxHashMap::default(),
    };
    rewrite.run(groups);
    true
}

/// Replaces pairs by new numbers after those of the nodes, until no pair is frequent or there are
/// too many to count. Returns the pairs.
fn find_pairs(
    inputs: &mut FxHashMap<u32, Vec<Lit>>,
    network: &Network,
    meter: &mut Meter<'_>,
) -> Vec<(Lit, Lit)> {
    let next = network.gates.len() as u32;
    let mut pairs: Vec<(Lit, Lit)> = Vec::new();
    let mut nodes: Vec<u32> = inputs.keys().copied().collect();
    nodes.sort_unstable();
    for _ in 0..MAX_PASSES {
        let mut counts: FxHashMap<(Lit, Lit), u32> = FxHashMap::default();
        for node in &nodes {
            let lits = &inputs[node];
            if !(3..=24).contains(&lits.len()) {
                continue;
            }
            meter.work(lits.len() * lits.len() / 4, || network.made());
            if counts.len() > MAX_COUNTED || meter.is_over() {
                return pairs;
            }
            for (i, &first) in lits.iter().enumerate() {
                for &second in &lits[i + 1..] {
                    *counts.entry((first.min(second), first.max(second))).or_default() += 1;
                }
            }
        }
        let best_count = counts.values().copied().max().unwrap_or(0);
        if best_count < MIN_READERS {
            break;
        }
        // All pairs that are about as frequent as the best one are taken in one pass.
        let min = MIN_READERS.max(best_count / 2);
        let mut chosen: Vec<((Lit, Lit), u32)> =
            counts.into_iter().filter(|&(_, count)| count >= min).collect();
        chosen.sort_unstable_by_key(|&(pair, count)| (u32::MAX - count, pair));
        let ranks: FxHashMap<(Lit, Lit), usize> =
            chosen.iter().enumerate().map(|(rank, &(pair, _))| (pair, rank)).collect();
        let mut numbers: Vec<Option<Lit>> = vec![None; chosen.len()];
        for node in &nodes {
            let lits = inputs.entry(*node).or_default();
            while let Some((rank, i, j)) = best_pair(lits, &ranks) {
                let number = *numbers[rank].get_or_insert_with(|| {
                    pairs.push(chosen[rank].0);
                    (next + pairs.len() as u32 - 1) << 1
                });
                lits.swap_remove(j);
                lits[i] = number;
            }
        }
    }
    pairs
}

/// The most frequent pair that a gate reads, with the places of its literals, the later one last.
fn best_pair(lits: &[Lit], ranks: &FxHashMap<(Lit, Lit), usize>) -> Option<(usize, usize, usize)> {
    if lits.len() < 3 {
        return None;
    }
    let places = (0..lits.len()).flat_map(|i| (i + 1..lits.len()).map(move |j| (i, j)));
    places
        .filter_map(|(i, j)| {
            let pair = (lits[i].min(lits[j]), lits[i].max(lits[j]));
            ranks.get(&pair).map(|&rank| (rank, i, j))
        })
        .min()
}

struct Rewrite<'a> {
    network: &'a mut Network,
    inputs: FxHashMap<u32, Vec<Lit>>,
    pairs: Vec<(Lit, Lit)>,
    gates: Gates,
    /// The new literal of every old node.
    lits: Vec<Lit>,
    pair_lits: FxHashMap<u32, Lit>,
}

impl Rewrite<'_> {
    fn run(&mut self, groups: &MoveGroups) {
        for node in 0..self.network.gates.len() {
            let kind = self.network.gates.kind(node);
            let lit = match kind {
                Kind::Constant | Kind::Fluent | Kind::Move => (self.gates.leaf(kind) as Lit) << 1,
                Kind::And | Kind::Or => {
                    let inputs = match self.inputs.get(&(node as u32)) {
                        Some(inputs) => inputs.clone(),
                        None => self.network.gates.inputs(node).to_vec(),
                    };
                    let mut inputs: Vec<Lit> = inputs.iter().map(|&lit| self.lit(lit)).collect();
                    match kind {
                        Kind::And => self.gates.and(&mut inputs),
                        _ => self.gates.or(&mut inputs),
                    }
                }
            };
            self.lits.push(lit);
        }
        for (index, &(rest, group)) in groups.moves.iter().enumerate() {
            let gate = groups.groups[group as usize].0;
            let mut both = vec![self.lit(gate), self.lit(rest)];
            self.network.legal[index] = self.gates.and(&mut both);
        }
        for i in 0..self.network.next.len() {
            self.network.next[i] = self.lit(self.network.next[i]);
        }
        self.network.terminal = self.lit(self.network.terminal);
        for role in 0..self.network.goals.len() {
            for i in 0..self.network.goals[role].len() {
                self.network.goals[role][i].1 = self.lit(self.network.goals[role][i].1);
            }
        }
        self.network.gates = std::mem::take(&mut self.gates);
    }

    /// The new form of an old literal, or of the number of a pair.
    fn lit(&mut self, lit: Lit) -> Lit {
        let node = node_of(lit);
        if let Some(&new) = self.lits.get(node) {
            return new ^ u32::from(is_negated(lit));
        }
        if let Some(&new) = self.pair_lits.get(&(node as u32)) {
            return new;
        }
        let (first, second) = self.pairs[node - self.network.gates.len()];
        let mut both = vec![self.lit(first), self.lit(second)];
        let new = self.gates.and(&mut both);
        self.pair_lits.insert(node as u32, new);
        new
    }
}
