//! The fast evaluation of a network: only what changes is computed.
//!
//! Every gate counts the inputs that keep it from its neutral value: an And counts false inputs, an
//! Or true ones. A fluent that changes adjusts the counts of the gates that read it, and a gate whose
//! count reaches or leaves zero has changed in turn. A ply changes few fluents, so this touches few
//! gates. Three things keep it so:
//!
//! - A literal that many legal moves share, such as who is in control, is not an input of their
//!   gates. The moves form a group with that literal as its gate, and the gate is read when the moves
//!   are listed.
//! - Fluents that follow from each other whatever is played, such as control and step counters, run
//!   through a fixed sequence of phases, which is worked out in advance (see `phase.rs`).
//! - Other fluents whose next value does not depend on moves are watched: those that will change are
//!   kept in a set.
//! - Everything that depends on moves is specialised for each joint move (see `transition.rs`), so
//!   move inputs never enter the counts.
//!
//! Components, that is recursion through the state, are computed anew when an input changes; counts
//! cannot do that, since facts that support each other would keep each other alive.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::formula::{Code, Formulas, localise, read};
use crate::network::{FALSE, Gates, Kind, Lit, Network, TRUE, is_negated, node_of};
use crate::phase::{OpenGroup, Phases, Sequence};

/// A literal over live nodes: twice the live number, plus one if it holds while the node is "low".
/// A fluent is high when it is true, a gate when its count is zero.
///
/// Live numbers are bits of [`Live::bits`]: fluents first, then at least one bit that is never high
/// and stands for the constant, then gates from the next word on.
pub(crate) type LiveLit = u32;

const ABSENT: u32 = u32::MAX;

/// What is the same for all states of a game.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// The words of bits that hold the fluents.
    n_fact_words: usize,
    /// The live number of the first gate.
    first_gate: u32,
    /// The live number of every network node, or `ABSENT`.
    live: Vec<u32>,
    /// Whether a network node is an Or.
    is_or: Vec<bool>,
    /// The network node of every live number.
    nodes: Vec<u32>,
    /// The first of the gates that do nothing but decide about one move, and the bits of these.
    first_move_gate: u32,
    move_gate_slots: Vec<u32>,
    spans: Vec<Fanout>,
    /// Edges and watchers of all live nodes. An edge is twice a gate's number, plus one if the
    /// gate's count grows when the source becomes high.
    edges: Vec<u32>,
    groups: Vec<Group>,
    /// The bit of every move, and the move of every bit; a group starts at a word.
    slots: Vec<u32>,
    moves: Vec<u32>,
    /// The group that a word of bits belongs to.
    word_groups: Vec<u32>,
    /// The condition of every move beside the gate of its group, over network nodes.
    rests: Vec<Lit>,
    phases: Phases,
    components: Vec<Component>,
    pub(crate) terminal: LiveLit,
    /// Per role, the values with the codes that grant them.
    goals: Vec<Vec<(u8, Code)>>,
    goal_formulas: Formulas,
}

#[derive(Clone, Copy, Debug, Default)]
struct Fanout {
    start: u32,
    moves: u32,
    watchers: u32,
    end: u32,
}

/// Moves of one role that are legal only while the gate holds.
#[derive(Clone, Debug)]
struct Group {
    gate: LiveLit,
    /// The words of [`Live::possible`] that hold its members.
    words: Range<usize>,
}

#[derive(Clone, Debug)]
struct Component {
    /// The gates in it, by live number, contiguous.
    gates: Range<usize>,
    /// Inputs of each gate.
    inputs: Vec<Vec<LiveLit>>,
    /// Whether each gate is an And.
    is_and: Vec<bool>,
    /// The gates inside that read each gate, counted from the component's start.
    readers: Vec<Vec<u32>>,
}

// What a watcher does: the lowest two bits.
const WATCH_MOVE: u32 = 0;
const WATCH_NEXT: u32 = 1;
const WATCH_COMPONENT: u32 = 2;

/// The state of one match with everything that is derived from it.
#[derive(Debug, Default)]
pub(crate) struct Live {
    /// Whether each live number is high. Gates that only decide about a move are left out.
    bits: Vec<u64>,
    n_fact_words: usize,
    counts: Vec<u16>,
    /// The moves whose own condition holds, whatever the gate of their group.
    possible: Vec<u64>,
    /// How many members of each group are possible.
    lengths: Vec<u32>,
    /// The watched fluents that change with the next ply.
    pending: Vec<u64>,
    phase: u32,
    /// Buffers, of no meaning between calls. `events` holds `n_events` changes that have not been
    /// followed yet: a live number doubled, plus one if it is high now.
    events: Vec<u32>,
    n_events: usize,
    dirty: Vec<u32>,
    open: Vec<u32>,
    pub(crate) values: Vec<bool>,
}

impl Clone for Live {
    fn clone(&self) -> Live {
        let mut clone = Live::default();
        clone.clone_from(self);
        clone
    }

    fn clone_from(&mut self, other: &Live) {
        self.bits.clone_from(&other.bits);
        self.n_fact_words = other.n_fact_words;
        self.counts.clone_from(&other.counts);
        self.possible.clone_from(&other.possible);
        self.lengths.clone_from(&other.lengths);
        self.pending.clone_from(&other.pending);
        self.phase = other.phase;
    }
}

impl Layout {
    /// `extra` are state literals that transitions read.
    pub(crate) fn new(network: &mut Network, extra: &[Lit]) -> Layout {
        let (gates_of_moves, role_groups, groups) = group_moves(network);
        // Formulas have no fixpoints, so the components on which goals depend must be live.
        let goals = cone(network, network.goals.iter().flatten().map(|&(_, lit)| lit));
        let recursive_goals: Vec<Lit> = (goals.iter())
            .filter(|&&node| network.gates.component(node as usize).is_some())
            .map(|&node| node << 1)
            .collect();
        // Whatever is asked for its value, now or in a case of some transition.
        let read: Vec<u32> = (goals.into_iter())
            .chain(extra.iter().chain([&network.terminal]).map(|lit| lit >> 1))
            .chain(groups.iter().map(|(gate, _)| gate >> 1))
            .collect();
        let roots = live_roots(network, &gates_of_moves, &groups).into_iter();
        let needed = cone(network, roots.chain(extra.iter().copied()).chain(recursive_goals));
        let n_fluents = network.fluents.len();
        let gates = &network.gates;
        let mut live = vec![ABSENT; gates.len()];
        let n_fact_words = n_fluents / 64 + 1;
        let mut gate_nodes: Vec<u32> = Vec::new();
        gate_nodes.extend(needed.into_iter().filter(|&node| {
            matches!(gates.kind(node as usize), Kind::And | Kind::Or)
                && !gates.by_moves(node as usize)
        }));
        let deciding = deciding_gates(network, &gate_nodes, &gates_of_moves, &read);
        gate_nodes.sort_by_key(|&node| deciding.contains_key(&node));
        let first_move_gate = (gate_nodes.len() - deciding.len()) as u32;
        let mut nodes: Vec<u32> = (1..=n_fluents as u32).collect();
        nodes.resize(n_fact_words * 64, 0);
        nodes.extend(gate_nodes);
        for (number, &node) in nodes.iter().enumerate().filter(|&(_, &node)| node != 0) {
            live[node as usize] = number as u32;
        }
        live[0] = n_fluents as u32;
        let is_or = (0..gates.len()).map(|node| gates.kind(node) == Kind::Or).collect();
        let mut layout = Layout {
            n_fact_words,
            first_gate: n_fact_words as u32 * 64,
            live,
            is_or,
            nodes,
            first_move_gate,
            slots: vec![0; network.moves.len()],
            rests: gates_of_moves.iter().map(|&(rest, _)| rest).collect(),
            ..Layout::default()
        };
        layout.prepare_goals(network);
        layout.terminal = layout.live_lit(network.terminal);
        layout.place_moves(&gates_of_moves, &groups);
        layout.move_gate_slots =
            (layout.nodes.iter().skip((layout.first_gate + first_move_gate) as usize))
                .map(|node| layout.slots[deciding[node] as usize])
                .collect();
        let sequence = Sequence::new(network);
        layout.connect(network, &gates_of_moves, &sequence);
        layout.phases = layout.prepare_phases(network, &sequence, &groups, &role_groups);
        layout
    }

    /// Gives every move a bit, the moves of a group in words of their own.
    fn place_moves(&mut self, moves: &[(Lit, u32)], groups: &[(Lit, u32)]) {
        for (group, &(gate, _)) in groups.iter().enumerate() {
            let start = self.word_groups.len();
            for (index, _) in moves.iter().enumerate().filter(|(_, m)| m.1 as usize == group) {
                self.slots[index] = self.moves.len() as u32;
                self.moves.push(index as u32);
            }
            self.moves.resize(self.moves.len().next_multiple_of(64), ABSENT);
            self.word_groups.resize(self.moves.len() / 64, group as u32);
            let words = start..self.word_groups.len();
            self.groups.push(Group { gate: self.live_lit(gate), words });
        }
    }

    pub(crate) fn n_live(&self) -> usize {
        self.nodes.iter().filter(|&&node| node != 0).count()
    }

    pub(crate) fn n_edges(&self) -> usize {
        self.edges.len()
    }

    /// The live form of a network literal whose node is live.
    fn live_lit(&self, lit: Lit) -> LiveLit {
        self.try_live_lit(lit).unwrap_or_default()
    }

    /// The live form of a network literal, if its node is live or constant.
    pub(crate) fn try_live_lit(&self, lit: Lit) -> Option<LiveLit> {
        let live = *self.live.get(node_of(lit))?;
        let low = is_negated(lit) != self.is_or[node_of(lit)];
        (live != ABSENT).then_some(live << 1 | u32::from(low))
    }

    fn prepare_goals(&mut self, network: &Network) {
        let gate = |node| (network.gates.kind(node) == Kind::And, network.gates.inputs(node));
        let lits: Vec<Lit> = network.goals.iter().flatten().map(|&(_, lit)| lit).collect();
        let (gates, codes) = localise(&lits, self, &gate);
        let mut codes = codes.into_iter();
        self.goals = (network.goals.iter())
            .map(|goals| goals.iter().map(|&(value, _)| value).zip(&mut codes).collect())
            .collect();
        self.goal_formulas = Formulas::new(&gates);
    }

    /// Says for every phase which fluents change, and which groups of moves can be legal.
    fn prepare_phases(
        &self,
        network: &Network,
        sequence: &Sequence,
        groups: &[(Lit, u32)],
        role_groups: &[Range<usize>],
    ) -> Phases {
        let is_silent = |fluent: &u32| {
            let span = self.spans[*fluent as usize];
            span.start == span.end
        };
        sequence.phases(network, is_silent, |values| {
            let open = |group: usize| match values.value(groups[group].0) {
                Some(false) => None,
                Some(true) => Some(OpenGroup { group, gate: None }),
                None => Some(OpenGroup { group, gate: Some(self.groups[group].gate) }),
            };
            let filled = |&group: &usize| groups[group].1 > 0;
            role_groups
                .iter()
                .map(|r| r.clone().filter(filled).filter_map(open).collect())
                .collect()
        })
    }

    fn connect(&mut self, network: &Network, moves: &[(Lit, u32)], sequence: &Sequence) {
        let gates = &network.gates;
        let n = self.nodes.len();
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut watchers: Vec<Vec<u32>> = vec![Vec::new(); n];
        self.components = self.live_components(gates);
        let mut component_of: FxHashMap<u32, u32> = FxHashMap::default();
        for (i, component) in self.components.iter().enumerate() {
            component_of.extend(component.gates.clone().map(|gate| (gate as u32, i as u32)));
        }
        for number in self.first_gate as usize..n {
            let node = self.nodes[number] as usize;
            let own = component_of.get(&(number as u32));
            for &lit in gates.inputs(node) {
                let Some(source) = self.try_live_lit(lit) else { continue };
                let from = (source >> 1) as usize;
                match own {
                    Some(_) if component_of.get(&(from as u32)) == own => {}
                    Some(component) => {
                        let watcher = component << 2 | WATCH_COMPONENT;
                        if !watchers[from].contains(&watcher) {
                            watchers[from].push(watcher);
                        }
                    }
                    // An And counts false inputs, so its count grows when a high source makes
                    // the literal false; an Or counts true ones.
                    None => {
                        let grows = (source & 1 == 1) != (gates.kind(node) == Kind::Or);
                        let gate = number as u32 - self.first_gate;
                        edges[from].push(gate << 1 | u32::from(grows));
                    }
                }
            }
        }
        for (index, &(rest, _)) in moves.iter().enumerate() {
            let decides = |lit: LiveLit| {
                (lit >> 1).checked_sub(self.first_gate + self.first_move_gate).is_some()
            };
            if let Some(lit) = self.try_live_lit(rest).filter(|&lit| !decides(lit)) {
                watchers[(lit >> 1) as usize].push(self.slots[index] << 2 | WATCH_MOVE);
            }
        }
        for (fluent, &next) in network.next.iter().enumerate() {
            // A fluent that keeps its value never changes; one that follows moves or belongs to the
            // sequence of phases is not watched.
            if gates.by_moves(node_of(next))
                || next == (fluent as u32 + 1) << 1
                || sequence.contains(fluent)
            {
                continue;
            }
            let watcher = (fluent as u32) << 2 | WATCH_NEXT;
            watchers[fluent].push(watcher);
            if let Some(lit) = self.try_live_lit(next) {
                watchers[(lit >> 1) as usize].push(watcher);
            }
        }
        for (edges, own_watchers) in edges.iter_mut().zip(&watchers) {
            let start = self.edges.len() as u32;
            edges.sort_unstable();
            let n_gates = edges.partition_point(|&edge| edge >> 1 < self.first_move_gate) as u32;
            self.edges.extend(edges.iter());
            let watchers = self.edges.len() as u32;
            self.edges.extend(own_watchers);
            let end = self.edges.len() as u32;
            self.spans.push(Fanout { start, moves: start + n_gates, watchers, end });
        }
    }

    fn live_components(&self, gates: &Gates) -> Vec<Component> {
        let mut components = Vec::new();
        for range in gates.components() {
            let numbers: Vec<usize> = (range.clone())
                .map(|node| self.live[node])
                .filter(|&number| number != ABSENT)
                .map(|number| number as usize)
                .collect();
            let (Some(&first), Some(&last)) = (numbers.first(), numbers.last()) else { continue };
            let mut component = Component {
                gates: first..last + 1,
                inputs: Vec::new(),
                is_and: Vec::new(),
                readers: vec![Vec::new(); numbers.len()],
            };
            for (i, &number) in numbers.iter().enumerate() {
                let node = self.nodes[number] as usize;
                let inputs: Vec<LiveLit> =
                    gates.inputs(node).iter().map(|&lit| self.live_lit(lit)).collect();
                for &lit in &inputs {
                    let source = (lit >> 1) as usize;
                    if component.gates.contains(&source) {
                        component.readers[source - first].push(i as u32);
                    }
                }
                component.inputs.push(inputs);
                component.is_and.push(gates.kind(node) == Kind::And);
            }
            components.push(component);
        }
        components
    }

    /// Everything that follows from a set of facts.
    pub(crate) fn start(&self, network: &Network, facts: &[u64]) -> Live {
        let mut values = Vec::new();
        network.evaluate(facts, &[], &mut values);
        let holds = |lit: Lit| values[node_of(lit)] != is_negated(lit);
        let in_component = |number: usize| {
            self.components.iter().any(|component| component.gates.contains(&number))
        };
        let counts = (self.first_gate as usize..self.nodes.len())
            .map(|number| {
                let node = self.nodes[number] as usize;
                let is_and = network.gates.kind(node) == Kind::And;
                if in_component(number) {
                    return u16::from(values[node] != is_and);
                }
                let inputs = network.gates.inputs(node);
                inputs.iter().filter(|&&lit| holds(lit) != is_and).count() as u16
            })
            .collect();
        let mut bits = vec![0; self.nodes.len().div_ceil(64)];
        bits[..facts.len()].copy_from_slice(facts);
        for (number, &node) in self.nodes.iter().enumerate().skip(self.first_gate as usize) {
            let high = values[node as usize] != self.is_or[node as usize];
            bits[number / 64] |= u64::from(high) << (number % 64);
        }
        let mut live = Live {
            bits,
            n_fact_words: self.n_fact_words,
            counts,
            possible: vec![0; self.word_groups.len()],
            lengths: vec![0; self.groups.len()],
            pending: vec![0; self.n_fact_words],
            ..Live::default()
        };
        for (index, &rest) in self.rests.iter().enumerate() {
            if holds(rest) {
                live.toggle_move(self, self.slots[index]);
            }
        }
        for (fluent, &next) in network.next.iter().enumerate() {
            let watched =
                !network.gates.by_moves(node_of(next)) && !self.phases.contains(fluent as u32);
            if watched && holds(next) != values[fluent + 1] {
                live.toggle_pending(fluent as u32);
            }
        }
        live
    }
}

#[cfg(test)]
impl Layout {
    /// Compares everything that is kept with the values of all nodes.
    pub(crate) fn check(&self, live: &Live, network: &Network, values: &[bool]) {
        let first_pure = (self.first_gate + self.first_move_gate) as usize;
        for (number, &node) in self.nodes.iter().enumerate().filter(|&(_, &node)| node != 0) {
            let high = values[node as usize] != self.is_or[node as usize];
            if number < first_pure {
                assert_eq!(live.holds((number as u32) << 1), high, "live number {number}");
            }
            if number >= self.first_gate as usize {
                let count = live.counts[number - self.first_gate as usize];
                assert_eq!(count == 0, high, "count of live number {number}");
            }
        }
        for (role, range) in network.role_moves.iter().enumerate() {
            let holds = |&index: &usize| {
                let lit = network.legal[index];
                values[node_of(lit)] != is_negated(lit)
            };
            let expected: Vec<u32> = range.clone().filter(holds).map(|i| i as u32).collect();
            let n = live.n_legal(self, role);
            let mut legal: Vec<u32> = (0..n).map(|i| live.legal(self, role, i)).collect();
            legal.sort_unstable();
            assert_eq!(legal, expected, "legal moves of role {role}");
        }
    }
}

impl Live {
    /// The fluents that hold, as bits.
    pub(crate) fn facts(&self) -> &[u64] {
        &self.bits[..self.n_fact_words]
    }

    #[inline]
    pub(crate) fn fact(&self, fluent: u32) -> bool {
        self.holds(fluent << 1)
    }

    #[inline]
    pub(crate) fn holds(&self, lit: LiveLit) -> bool {
        let high = self.bits[(lit >> 7) as usize] >> (lit >> 1 & 63) & 1;
        high != u64::from(lit & 1)
    }

    /// How many moves a role has.
    #[inline]
    pub(crate) fn n_legal(&self, layout: &Layout, role: usize) -> usize {
        let mut n = 0;
        for open in layout.phases.groups(self.phase, role) {
            if open.gate.is_none_or(|gate| self.holds(gate)) {
                n += self.lengths[open.group] as usize;
            }
        }
        n
    }

    /// The legal move of a role with this number, in an order that depends on the facts only.
    #[inline]
    pub(crate) fn legal(&self, layout: &Layout, role: usize, mut number: usize) -> u32 {
        for open in layout.phases.groups(self.phase, role) {
            if open.gate.is_none_or(|gate| self.holds(gate)) {
                let length = self.lengths[open.group] as usize;
                if number < length {
                    return self.member(layout, open.group, number as u32);
                }
                number -= length;
            }
        }
        debug_assert!(false, "a role has fewer legal moves");
        0
    }

    #[inline]
    fn member(&self, layout: &Layout, group: usize, mut number: u32) -> u32 {
        let words = layout.groups[group].words.clone();
        let start = words.start;
        for (i, &word) in self.possible[words].iter().enumerate() {
            let n = word.count_ones();
            if number < n {
                let mut word = word;
                for _ in 0..number {
                    word &= word - 1;
                }
                return layout.moves[(start + i) * 64 + word.trailing_zeros() as usize];
            }
            number -= n;
        }
        debug_assert!(false, "a group has fewer members");
        0
    }

    /// Makes room for this many changes of fluents beyond those that are there.
    #[inline]
    pub(crate) fn reserve_events(&mut self, n: usize) {
        if self.n_events + n > self.events.len() {
            self.events.resize((self.n_events + n) * 2 + 64, 0);
        }
    }

    /// Notes that a fluent will change, if `changes`; without a branch, since that is hard to
    /// predict. There must be room for it.
    #[inline]
    pub(crate) fn note(&mut self, fluent: u32, now: bool, changes: bool) {
        self.events[self.n_events] = fluent << 1 | u32::from(!now);
        self.n_events += usize::from(changes);
    }

    /// Changes the fluents that were noted and those that change by themselves, and what follows.
    #[inline]
    pub(crate) fn advance(&mut self, layout: &Layout) {
        let phase = layout.phases.get(self.phase);
        self.phase = phase.next;
        self.reserve_events(phase.loud.len());
        for &fluent in &phase.loud {
            self.note(fluent, self.fact(fluent), true);
        }
        for i in 0..self.pending.len() {
            let mut word = self.pending[i];
            while word != 0 {
                let fluent = i as u32 * 64 + word.trailing_zeros();
                self.push_event(fluent << 1 | u32::from(!self.fact(fluent)));
                word &= word - 1;
            }
        }
        for &(word, mask) in &phase.silent {
            self.bits[word as usize] ^= mask;
        }
        loop {
            self.propagate(layout);
            let Some(component) = self.dirty.pop() else { break };
            // Several inputs may have marked the same component.
            self.dirty.retain(|&other| other != component);
            self.recompute(layout, &layout.components[component as usize]);
        }
    }

    fn propagate(&mut self, layout: &Layout) {
        let first_gate = layout.first_gate;
        let mut n_events = self.n_events;
        while n_events > 0 {
            n_events -= 1;
            let event = self.events[n_events];
            let high = event & 1;
            let number = event >> 1;
            self.bits[(number / 64) as usize] ^= 1 << (number % 64);
            let span = layout.spans[number as usize];
            let room = n_events + (span.watchers - span.start) as usize + 1;
            if room > self.events.len() {
                self.events.resize(room * 2, 0);
            }
            for &edge in &layout.edges[span.start as usize..span.moves as usize] {
                let gate = edge >> 1;
                let count = &mut self.counts[gate as usize];
                // Whether a count reaches or leaves zero is hard to predict, so it is not a branch.
                let grows = u32::from(edge & 1 == high);
                let old = *count;
                *count = old.wrapping_add((grows << 1) as u16).wrapping_sub(1);
                self.events[n_events] = (gate + first_gate) << 1 | (grows ^ 1);
                n_events += usize::from(u32::from(old) == 1 - grows);
            }
            for &edge in &layout.edges[span.moves as usize..span.watchers as usize] {
                let count = &mut self.counts[(edge >> 1) as usize];
                let grows = u32::from(edge & 1 == high);
                let old = *count;
                *count = old.wrapping_add((grows << 1) as u16).wrapping_sub(1);
                let crosses = u32::from(u32::from(old) == 1 - grows);
                let slot = layout.move_gate_slots[((edge >> 1) - layout.first_move_gate) as usize];
                let word = &mut self.possible[(slot / 64) as usize];
                *word ^= u64::from(crosses) << (slot % 64);
                let on = (*word >> (slot % 64)) as u32 & 1;
                let group = layout.word_groups[(slot / 64) as usize] as usize;
                self.lengths[group] = self.lengths[group].wrapping_add(crosses * on * 2);
                self.lengths[group] = self.lengths[group].wrapping_sub(crosses);
            }
            for &watcher in &layout.edges[span.watchers as usize..span.end as usize] {
                match watcher & 3 {
                    WATCH_MOVE => self.toggle_move(layout, watcher >> 2),
                    WATCH_NEXT => self.toggle_pending(watcher >> 2),
                    _ => self.dirty.push(watcher >> 2),
                }
            }
        }
        self.n_events = 0;
    }

    #[inline]
    fn push_event(&mut self, event: u32) {
        if self.n_events == self.events.len() {
            self.events.resize(self.n_events * 2 + 64, 0);
        }
        self.events[self.n_events] = event;
        self.n_events += 1;
    }

    /// The least fixpoint of a component, from nothing.
    fn recompute(&mut self, layout: &Layout, component: &Component) {
        let first = component.gates.start;
        let n = component.gates.len();
        let mut values = std::mem::take(&mut self.values);
        let mut open = std::mem::take(&mut self.open);
        values.clear();
        values.resize(n, false);
        open.clear();
        open.extend((0..n as u32).rev());
        while let Some(inner) = open.pop() {
            let inner = inner as usize;
            if values[inner] {
                continue;
            }
            let mut holds = component.inputs[inner].iter().map(|&lit| match (lit >> 1) as usize {
                source if component.gates.contains(&source) => values[source - first],
                _ => self.holds(lit),
            });
            let value = match component.is_and[inner] {
                true => holds.all(|value| value),
                false => holds.any(|value| value),
            };
            if value {
                values[inner] = true;
                open.extend(&component.readers[inner]);
            }
        }
        for (inner, &value) in values.iter().enumerate() {
            let count = &mut self.counts[first + inner - layout.first_gate as usize];
            let new = u16::from(value != component.is_and[inner]);
            if std::mem::replace(count, new) != new {
                self.push_event(((first + inner) as u32) << 1 | u32::from(new == 0));
            }
        }
        self.values = values;
        self.open = open;
    }

    #[inline]
    fn toggle_move(&mut self, layout: &Layout, slot: u32) {
        let at = (slot / 64) as usize;
        let word = self.possible[at] ^ 1 << (slot % 64);
        self.possible[at] = word;
        let on = (word >> (slot % 64)) as u32 & 1;
        let length = &mut self.lengths[layout.word_groups[at] as usize];
        *length = length.wrapping_add(on * 2).wrapping_sub(1);
    }

    #[inline]
    fn toggle_pending(&mut self, fluent: u32) {
        self.pending[(fluent / 64) as usize] ^= 1 << (fluent % 64);
    }

    /// The goal of each role, or nothing where not exactly one value holds.
    pub(crate) fn goals(&self, layout: &Layout, values: &mut Vec<bool>, out: &mut [Option<u8>]) {
        layout.goal_formulas.evaluate(self, values);
        for (goals, out) in layout.goals.iter().zip(out) {
            let mut held = (goals.iter()).filter(|&&(_, code)| read(code, self, values));
            let first = held.next().map(|&(value, _)| value);
            *out = first.filter(|_| held.next().is_none());
        }
    }
}

/// The gates that nothing reads but the list of moves, each with its one move.
fn deciding_gates(
    network: &Network,
    gates: &[u32],
    moves: &[(Lit, u32)],
    read: &[u32],
) -> FxHashMap<u32, u32> {
    let mut n_readers: FxHashMap<u32, u32> = read.iter().map(|&node| (node, 1)).collect();
    for &gate in gates {
        for &lit in network.gates.inputs(gate as usize) {
            *n_readers.entry(lit >> 1).or_default() += 1;
        }
    }
    for &lit in network.next.iter().chain(moves.iter().map(|(rest, _)| rest)) {
        *n_readers.entry(lit >> 1).or_default() += 1;
    }
    let needed: FxHashMap<u32, ()> = gates.iter().map(|&gate| (gate, ())).collect();
    (moves.iter().enumerate())
        .map(|(index, &(rest, _))| (rest >> 1, index as u32))
        .filter(|(node, _)| needed.contains_key(node) && n_readers[node] == 1)
        .filter(|&(node, _)| network.gates.component(node as usize).is_none())
        .collect()
}

/// A literal that at least this many moves of a role share becomes the gate of a group.
const LEAST_GROUP: usize = 3;
/// Groups with gates that one role may have; more would be slow to look through.
const MOST_GROUPS: usize = 6;

type Moves = Vec<(Lit, u32)>;

/// What must be known in every state: the conditions of moves, the end, and the fluents that change
/// by themselves.
pub(crate) fn live_roots(
    network: &Network,
    moves: &[(Lit, u32)],
    groups: &[(Lit, u32)],
) -> Vec<Lit> {
    let fixed_next =
        network.next.iter().filter(|&&lit| !network.gates.by_moves(node_of(lit))).copied();
    (moves.iter().chain(groups).map(|&(lit, _)| lit))
        .chain([network.terminal])
        .chain(fixed_next)
        .collect()
}

/// Splits the legal moves into groups. Returns per move the literal that is left and its group, per
/// role the groups, and per group its gate and length.
pub(crate) fn group_moves(network: &mut Network) -> (Moves, Vec<Range<usize>>, Vec<(Lit, u32)>) {
    let mut moves = vec![(FALSE, 0); network.moves.len()];
    let mut groups: Vec<(Lit, u32)> = Vec::new();
    let mut role_groups = Vec::new();
    for range in network.role_moves.clone() {
        let first = groups.len();
        groups.push((TRUE, 0));
        let mut open: Vec<usize> = range.collect();
        while groups.len() - first <= MOST_GROUPS {
            let mut counts: FxHashMap<Lit, usize> = FxHashMap::default();
            for &index in &open {
                for lit in conjuncts(network, network.legal[index]) {
                    *counts.entry(lit).or_default() += 1;
                }
            }
            let best = counts.into_iter().max_by_key(|&(lit, count)| (count, lit));
            let Some((gate, count)) = best.filter(|&(_, count)| count >= LEAST_GROUP) else {
                break;
            };
            let group = groups.len() as u32;
            groups.push((gate, count as u32));
            open.retain(|&index| {
                let legal = network.legal[index];
                let member = conjuncts(network, legal).contains(&gate);
                if member {
                    let mut rest = conjuncts(network, legal);
                    rest.retain(|&lit| lit != gate);
                    moves[index] = (network.gates.and(&mut rest), group);
                }
                !member
            });
        }
        for index in open {
            moves[index] = (network.legal[index], first as u32);
            groups[first].1 += 1;
        }
        role_groups.push(first..groups.len());
    }
    (moves, role_groups, groups)
}

fn conjuncts(network: &Network, lit: Lit) -> Vec<Lit> {
    match network.gates.kind(node_of(lit)) {
        Kind::And if !is_negated(lit) => network.gates.inputs(node_of(lit)).to_vec(),
        _ => vec![lit],
    }
}

/// The nodes on which literals depend, in order.
fn cone(network: &Network, roots: impl Iterator<Item = Lit>) -> Vec<u32> {
    let mut seen = vec![false; network.gates.len()];
    let mut open: Vec<usize> = roots.map(node_of).collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(network.gates.inputs(node).iter().map(|&lit| node_of(lit)));
        }
    }
    (0..seen.len()).filter(|&node| seen[node]).map(|node| node as u32).collect()
}
