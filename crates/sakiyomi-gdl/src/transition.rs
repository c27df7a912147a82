//! What a joint move does to the state, worked out for joint moves that occur often, and kept.
//!
//! With the moves known, most of the network that depends on moves folds away: nearly every fluent
//! keeps its value, a few become true or false, and only what is left is a formula over the state.
//! What makes the moves legal is known to hold, and folds more. Gates that none of the moves touch
//! have the value that they have when no role moves, which is folded once; so a joint move looks only
//! at the gates that its moves reach.
//!
//! What is left is split by cases (see `residual.rs`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use rustc_hash::FxHashMap;

use crate::engine::Compiled;
use crate::eval::{Layout, Live};
use crate::formula::localise;
use crate::gates::{FALSE, Kind, Lit, TRUE, is_negated, node_of};
use crate::network::Network;
use crate::phase::Sequence;
use crate::residual::{Cases, Residual};
use crate::usual::usual_values;

/// The part of a network that depends on moves, prepared for specialisation.
#[derive(Debug)]
pub(crate) struct Effects {
    /// What every node is when no role moves. Nodes that do not depend on moves are themselves.
    idle: Vec<Lit>,
    /// The gates that read a node and depend on moves.
    readers: Vec<Vec<u32>>,
    /// For Or gates that depend on moves: the inputs that are not false when no role moves.
    idle_inputs: FxHashMap<u32, Vec<Lit>>,
    /// The fluents whose next value depends on moves and that do not keep their value by
    /// themselves when no role moves.
    restless: Vec<u32>,
    /// The other fluents whose next value depends on moves, by the node that it is.
    restful: FxHashMap<u32, Vec<u32>>,
    /// The next value of some of the restless fluents, unless a joint move makes something else of them.
    usual: FxHashMap<u32, Lit>,
    sequence: Sequence,
}

impl Effects {
    /// Prepares a network. Folding what happens when no role moves may add gates to it.
    pub(crate) fn new(network: &mut Network) -> Effects {
        let n = network.gates.len();
        let mut idle: Vec<Lit> = (0..n as Lit).map(|node| node << 1).collect();
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut idle_inputs = FxHashMap::default();
        for node in 0..n {
            if !network.gates.by_moves(node) {
                continue;
            }
            let kind = network.gates.kind(node);
            if kind == Kind::Does {
                idle[node] = FALSE;
                continue;
            }
            let raw = network.gates.inputs(node).to_vec();
            for &lit in &raw {
                if network.gates.by_moves(node_of(lit)) {
                    readers[node_of(lit)].push(node as u32);
                }
            }
            let folded = |lit: &Lit| idle[node_of(*lit)] ^ u32::from(is_negated(*lit));
            let mut inputs: Vec<Lit> = raw.iter().map(folded).collect();
            if kind == Kind::Or {
                let kept = raw.iter().copied().filter(|lit| folded(lit) != FALSE).collect();
                idle_inputs.insert(node as u32, kept);
                idle[node] = network.gates.or(&mut inputs);
            } else {
                idle[node] = network.gates.and(&mut inputs);
            }
        }
        let mut restless = Vec::new();
        let mut restful: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (fluent, &next) in network.next.iter().enumerate() {
            if !network.gates.by_moves(node_of(next)) {
                continue;
            }
            let fluent = fluent as u32;
            let at_rest = idle[node_of(next)] ^ u32::from(is_negated(next));
            match at_rest == (fluent + 1) << 1 {
                true => restful.entry(next >> 1).or_default().push(fluent),
                false => restless.push(fluent),
            }
        }
        let (usual, sequence) = (FxHashMap::default(), Sequence::new(network));
        let mut effects =
            Effects { idle, readers, idle_inputs, restless, restful, usual, sequence };
        effects.usual = usual_values(network, &effects);
        effects
    }

    /// The nodes that the network had; folding may have added more.
    pub(crate) fn n_nodes(&self) -> usize {
        self.idle.len()
    }

    /// What a node is when no role moves.
    pub(crate) fn idle(&self, node: usize) -> Lit {
        self.idle[node]
    }

    pub(crate) fn readers(&self, node: usize) -> &[u32] {
        &self.readers[node]
    }

    pub(crate) fn idle_inputs(&self, or: usize) -> &[Lit] {
        self.idle_inputs.get(&(or as u32)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn restless(&self) -> &[u32] {
        &self.restless
    }

    pub(crate) fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    pub(crate) fn usual(&self) -> &FxHashMap<u32, Lit> {
        &self.usual
    }

    pub(crate) fn restful(&self) -> &FxHashMap<u32, Vec<u32>> {
        &self.restful
    }

    /// The state literals that the gates which depend on moves read, and the usual next values.
    pub(crate) fn state_inputs(&self, network: &Network) -> Vec<Lit> {
        let mut lits: Vec<Lit> = (0..self.idle.len())
            .filter(|&node| network.gates.by_moves(node))
            .flat_map(|node| network.gates.inputs(node).iter().copied())
            .filter(|&lit| !network.gates.by_moves(node_of(lit)))
            .chain(self.usual.values().copied())
            .map(|lit| lit & !1)
            .collect();
        lits.sort_unstable();
        lits.dedup();
        lits
    }

    /// The next values of the restless fluents at a joint move, as literals over the state. Gates that
    /// are missing are added.
    pub(crate) fn next_values(&self, network: &mut Network, joint: &[u32]) -> Vec<(u32, Lit)> {
        let fold = Fold::new(self, network, joint);
        let values: Vec<(u32, Lit)> = (self.restless.iter())
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

    /// Specialises the network for a joint move. Returns also the fluents that do not become what they
    /// usually become, sorted.
    pub(crate) fn specialise(
        &self,
        network: &Network,
        layout: &Layout,
        joint: &[u32],
    ) -> (Residual, Vec<u32>) {
        let fold = Fold::new(self, network, joint);
        let mut unusual = Vec::new();
        let mut residual = Residual::default();
        let mut open: Vec<(u32, Lit)> = Vec::new();
        // A gate that keeps its value by itself does so unless the moves reach it.
        let reached = fold.values.keys().filter_map(|node| self.restful.get(node)).flatten();
        let mut fluents: Vec<u32> = reached.chain(&self.restless).copied().collect();
        fluents.sort_unstable();
        for fluent in fluents {
            let own = fold.value((fluent + 1) << 1);
            let value = fold.value(network.next[fluent as usize]);
            match self.usual.get(&fluent) {
                Some(&usual) if usual == value => continue,
                Some(_) => unusual.push(fluent),
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
        let (gates, codes) = localise(&lits, layout, &gate);
        residual.gates = gates;
        residual.follows = open.iter().map(|&(fluent, _)| fluent).zip(codes).collect();
        (residual, unusual)
    }
}

/// The folding of one joint move.
struct Fold<'a> {
    effects: &'a Effects,
    network: &'a Network,
    /// The nodes whose value differs from the idle one.
    values: FxHashMap<u32, Lit>,
    /// Nodes of the state whose value is known, since the moves are legal.
    assumed: FxHashMap<u32, Lit>,
    /// Gates that are left over, numbered after those of the network: whether it is an And, inputs.
    extra: Vec<(bool, Vec<Lit>)>,
}

impl<'a> Fold<'a> {
    fn new(effects: &'a Effects, network: &'a Network, joint: &[u32]) -> Fold<'a> {
        let mut fold = Fold {
            effects,
            network,
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
            None => self.effects.idle[node as usize],
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
        for (fluent, value) in self.effects.sequence.follows_from(&known) {
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
            if value != self.effects.idle[node as usize] {
                self.values.insert(node, value);
                open.reach(node, self.effects);
            }
        }
    }

    fn gate(&mut self, node: u32, touched: &[u32]) -> Lit {
        let raw = self.network.gates.inputs(node as usize);
        match self.effects.idle_inputs.get(&node) {
            Some(idle) => {
                // An Or may have thousands of inputs, nearly all false: those that are not, and
                // those that changed. The sign of a changed input is found among its inputs.
                let mut lits: Vec<Lit> = idle.iter().map(|&lit| self.value(lit)).collect();
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
        if lits.len() <= MOST_ABSORBED && lits.iter().any(|&lit| self.adds(lit, !is_and, &lits)) {
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
    /// Whether a literal is one of the others with more conditions (`is_and`) or more alternatives: beside it
    /// the literal does not matter in an Or, or an And.
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
const MOST_ABSORBED: usize = 12;

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

/// Transitions that were worked out, shared by all threads. A joint move is worked out when it has
/// occurred a few times; until then, and where the table or its memory is full, what it does is
/// computed at every ply (see `forward.rs`). Nothing is ever removed.
#[derive(Debug)]
pub(crate) struct Cache {
    slots: Vec<OnceLock<Box<Entry>>>,
    /// How often joint moves occurred that are not in the table: part of the key, and the count. A
    /// joint move that has the same place as another one begins again.
    occurrences: Vec<AtomicU32>,
    /// How often a joint move must occur, while there are few transitions and later.
    early: u32,
    late: u32,
    n_entries: AtomicUsize,
    n_few: usize,
    /// Bytes of all transitions.
    size: AtomicUsize,
}

#[derive(Debug)]
struct Entry {
    key: u64,
    joint: Box<[u32]>,
    cases: Cases,
    /// The fluents that do not become what they usually become.
    unusual: Box<[u32]>,
    /// How much work it is to compute the joint move forward, on average.
    forward_work: AtomicUsize,
}

impl Entry {
    /// Plays the joint move by what is known of it, or forward if that is less work.
    #[inline]
    fn run(&self, compiled: &Compiled, live: &mut Live, often: u32, size: &AtomicUsize) {
        // A step forward costs about twice as much as looking at an input of a formula.
        let mut allowed = self.forward_work.load(Ordering::Relaxed) * 2;
        match self.cases.note(live, often, size, &mut allowed) {
            true => live.advance(&compiled.layout, Some(&self.unusual)),
            false => self.run_forward(compiled, live),
        }
    }

    #[inline(never)]
    fn run_forward(&self, compiled: &Compiled, live: &mut Live) {
        live.drop_notes();
        let work = compiled.forward.run(&compiled.layout, live, &self.joint);
        let average = self.forward_work.load(Ordering::Relaxed);
        self.forward_work.store((average * 7 + work) / 8, Ordering::Relaxed);
    }
}

/// How many slots are tried before the table counts as full.
const MOST_PROBES: usize = 32;
/// Bytes of all transitions together.
pub(crate) const MOST_BYTES: usize = 192 << 20;
/// A joint move is worked out when it occurs this often: that costs as much as some dozens of plies.
/// Where one role moves at a time the joint moves are about equal in number to the moves, so that many are
/// worked out earlier.
const LATE: u32 = 12;
const EARLY: u32 = 3;
const MOST_OCCURRENCES: usize = 1 << 16;

impl Cache {
    /// A cache for a game with this many moves. With `at_once` every joint move is worked out the first
    /// time.
    pub(crate) fn new(n_moves: usize, at_once: bool) -> Cache {
        let n_slots = (n_moves * 8).next_power_of_two().clamp(1 << 12, 1 << 18);
        let slots = std::iter::repeat_with(OnceLock::new).take(n_slots).collect();
        let occurrences = (0..n_slots.min(MOST_OCCURRENCES)).map(|_| AtomicU32::new(0)).collect();
        Cache {
            slots,
            occurrences,
            early: if at_once { 1 } else { EARLY },
            late: if at_once { 1 } else { LATE },
            n_entries: AtomicUsize::new(0),
            n_few: n_moves,
            size: AtomicUsize::new(0),
        }
    }

    /// Plays a joint move.
    #[inline]
    pub(crate) fn run(&self, compiled: &Compiled, joint: &[u32], live: &mut Live) {
        // For one or two roles the key is the joint move itself, for more it is a hash.
        let key = match *joint {
            [only] => u64::from(only),
            [first, second] => u64::from(first) << 32 | u64::from(second),
            _ => joint.iter().fold(0, |key: u64, &index| {
                (key.rotate_left(5) ^ u64::from(index)).wrapping_mul(FACTOR)
            }),
        };
        let mask = self.slots.len() - 1;
        let home = ((key ^ key >> 32).wrapping_mul(FACTOR) >> 32) as usize;
        for probe in 0..MOST_PROBES {
            let slot = &self.slots[(home + probe) & mask];
            let entry = match slot.get() {
                Some(entry) => entry,
                None if self.is_frequent(key) && self.size.load(Ordering::Relaxed) < MOST_BYTES => {
                    slot.get_or_init(|| self.entry(compiled, key, joint))
                }
                None => break,
            };
            if entry.key == key && (joint.len() <= 2 || *entry.joint == *joint) {
                return entry.run(compiled, live, self.late, &self.size);
            }
        }
        compiled.forward.run(&compiled.layout, live, joint);
    }

    /// Counts that a joint move occurs, and says whether it does often.
    fn is_frequent(&self, key: u64) -> bool {
        let hash = (key ^ key >> 29).wrapping_mul(FACTOR);
        let place = &self.occurrences[(hash >> 32) as usize & (self.occurrences.len() - 1)];
        let tag = hash as u32 & !0xff;
        let old = place.load(Ordering::Relaxed);
        let count = if old & !0xff == tag { (old & 0xff) + 1 } else { 1 };
        place.store(tag | count.min(0xff), Ordering::Relaxed);
        let few = self.n_entries.load(Ordering::Relaxed) < self.n_few;
        count >= if few { self.early } else { self.late }
    }

    fn entry(&self, compiled: &Compiled, key: u64, joint: &[u32]) -> Box<Entry> {
        let Compiled { effects, network, layout, .. } = compiled;
        let (residual, unusual) = effects.specialise(network, layout, joint);
        self.size.fetch_add(residual.bytes(), Ordering::Relaxed);
        self.n_entries.fetch_add(1, Ordering::Relaxed);
        let forward_work = AtomicUsize::new(0);
        let (joint, unusual) = (joint.into(), unusual.into());
        Box::new(Entry { key, joint, cases: Cases::new(residual), unusual, forward_work })
    }
}

const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
