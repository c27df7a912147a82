//! Lays a network out for the fast evaluation: which nodes are live, who reads whom, and where the
//! bits of moves are.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::network::gates::{Gates, Kind, Lit, is_negated, node_of};
use crate::network::graph::Network;
use crate::network::groups::MoveGroups;
use crate::network::sequence::Sequence;
use crate::run::live::LiveLit;
use crate::run::phase::{OpenGroup, Phases};

const ABSENT: u32 = u32::MAX;

/// What is the same for all states of a game.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// The words of bits that hold the fluents.
    pub(super) n_fact_words: usize,
    /// The live number of the first gate.
    pub(super) first_gate: u32,
    /// The live number of every network node, or `ABSENT`.
    pub(super) live: Vec<u32>,
    /// Whether a network node is an Or.
    pub(super) is_or: Vec<bool>,
    /// The network node of every live number.
    pub(super) nodes: Vec<u32>,
    /// The first of the gates that do nothing but decide about one move. They are numbered by the
    /// bits of their moves; a move that has no such gate leaves its number free.
    pub(super) first_move_gate: u32,
    /// Whether changes are followed in the order of the gates.
    pub(super) in_order: bool,
    pub(super) spans: Vec<Fanout>,
    /// Edges and watchers of all live nodes. An edge is twice a gate's number, plus one if the
    /// gate's count grows when the source's bit is set.
    pub(super) edges: Vec<u32>,
    pub(super) groups: Vec<Group>,
    /// The bit of every move, and the move of every bit; a group starts at a word.
    pub(super) slots: Vec<u32>,
    pub(super) moves: Vec<u32>,
    /// The group that a word of bits belongs to.
    pub(super) word_groups: Vec<u32>,
    /// The condition of every move beside the gate of its group, over network nodes.
    pub(super) rests: Vec<Lit>,
    pub(super) phases: Phases,
    pub(super) watched: Vec<Watched>,
    pub(super) components: Vec<Component>,
    pub(super) terminal: LiveLit,
}

/// A fluent with its next value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched {
    pub(super) fluent: u32,
    pub(super) next: Lit,
    /// Whether a joint move may make something else of it.
    pub(super) by_moves: bool,
}

/// Where the readers of a live node lie among the edges: gates, then gates that only decide about a
/// move, then watchers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fanout {
    pub(super) start: u32,
    pub(super) moves: u32,
    pub(super) watchers: u32,
    pub(super) end: u32,
}

/// Moves of one role that are legal only while the condition holds.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) condition: LiveLit,
    /// The words of `Live::possible` that hold its members.
    pub(super) words: Range<usize>,
    /// Per block of 64 numbers of the role's moves the first bit of its members from there on, and
    /// the bit after the last.
    pub(super) blocks: Vec<u32>,
}

/// Gates that depend on each other: their values are a least fixpoint.
#[derive(Clone, Debug)]
pub(super) struct Component {
    /// The gates in it, by live number, contiguous.
    pub(super) gates: Range<usize>,
    /// Inputs of each gate.
    pub(super) inputs: Vec<Vec<LiveLit>>,
    /// Whether each gate is an And.
    pub(super) is_and: Vec<bool>,
    /// The gates inside that read each gate, counted from the component's start.
    pub(super) readers: Vec<Vec<u32>>,
}

// What a watcher does: the lowest two bits.
pub(super) const WATCH_MOVE: u32 = 0;
pub(super) const WATCH_NEXT: u32 = 1;
pub(super) const WATCH_COMPONENT: u32 = 2;

impl Layout {
    /// `extra` are state literals that transitions read, `default_next` the next values of fluents
    /// unless a joint move makes something else of them.
    pub(super) fn new(
        network: &Network,
        sequence: &Sequence,
        groups: &MoveGroups,
        extra: &[Lit],
        default_next: &FxHashMap<u32, Lit>,
    ) -> Layout {
        // Formulas have no fixpoints, so the components on which goals depend must be live.
        let goals = cone(network, network.goals.iter().flatten().map(|&(_, lit)| lit));
        let recursive_goals: Vec<Lit> = (goals.iter())
            .filter(|&&node| network.gates.component(node as usize).is_some())
            .map(|&node| node << 1)
            .collect();
        // Whatever is asked for its value, now or in a case of some transition.
        let read: Vec<u32> = (goals.into_iter())
            .chain(extra.iter().chain([&network.terminal]).map(|lit| lit >> 1))
            .chain(groups.groups.iter().map(|(condition, _)| condition >> 1))
            .collect();
        let roots = groups.state_roots(network).into_iter();
        let needed = cone(network, roots.chain(extra.iter().copied()).chain(recursive_goals));
        let n_fluents = network.fluents.len();
        let gates = &network.gates;
        let mut live = vec![ABSENT; gates.len()];
        let n_fact_words = n_fluents / 64 + 1;
        let is_state_gate = |&node: &u32| {
            let node = node as usize;
            matches!(gates.kind(node), Kind::And | Kind::Or) && !gates.by_moves(node)
        };
        let mut gate_nodes: Vec<u32> = needed.into_iter().filter(is_state_gate).collect();
        let deciding = deciding_gates(network, &gate_nodes, &groups.moves, &read);
        gate_nodes.retain(|node| !deciding.contains_key(node));
        let first_move_gate = gate_nodes.len() as u32;
        let mut layout = Layout { slots: vec![0; network.moves.len()], ..Layout::default() };
        layout.place_moves(&groups.moves, groups.groups.len());
        layout.place_blocks(network, groups);
        let mut nodes: Vec<u32> = (1..=n_fluents as u32).collect();
        nodes.resize(n_fact_words * 64, 0);
        nodes.extend(gate_nodes);
        let first_slot = nodes.len();
        nodes.resize(first_slot + layout.moves.len(), 0);
        for (&node, &index) in &deciding {
            nodes[first_slot + layout.slots[index as usize] as usize] = node;
        }
        for (number, &node) in nodes.iter().enumerate().filter(|&(_, &node)| node != 0) {
            live[node as usize] = number as u32;
        }
        live[0] = n_fluents as u32;
        let is_or = (0..gates.len()).map(|node| gates.kind(node) == Kind::Or).collect();
        layout = Layout {
            n_fact_words,
            first_gate: n_fact_words as u32 * 64,
            live,
            is_or,
            nodes,
            first_move_gate,
            rests: groups.moves.iter().map(|&(rest, _)| rest).collect(),
            ..layout
        };
        for (group, &(condition, _)) in groups.groups.iter().enumerate() {
            layout.groups[group].condition = layout.live_lit(condition);
        }
        layout.terminal = layout.live_lit(network.terminal);
        layout.watched = layout.watched_fluents(network, sequence, default_next);
        layout.connect(network, &groups.moves);
        layout.phases = layout.prepare_phases(network, sequence, groups);
        layout
    }

    /// Gives every move a bit, the moves of a group in words of their own.
    fn place_moves(&mut self, moves: &[(Lit, u32)], n_groups: usize) {
        for group in 0..n_groups {
            let start = self.word_groups.len();
            for (index, _) in moves.iter().enumerate().filter(|(_, m)| m.1 as usize == group) {
                self.slots[index] = self.moves.len() as u32;
                self.moves.push(index as u32);
            }
            self.moves.resize(self.moves.len().next_multiple_of(64), ABSENT);
            self.word_groups.resize(self.moves.len() / 64, group as u32);
            let words = start..self.word_groups.len();
            self.groups.push(Group { condition: 0, words, blocks: Vec::new() });
        }
    }

    /// Finds the members of every group in blocks of moves.
    fn place_blocks(&mut self, network: &Network, groups: &MoveGroups) {
        for (moves, own) in network.role_moves.iter().zip(&groups.by_role) {
            for group in &mut self.groups[own.clone()] {
                let start = group.words.start * 64;
                let members = &self.moves[start..group.words.end * 64];
                // What fills up the last word is behind all moves.
                let first_from = |number: usize| {
                    (start + members.partition_point(|&index| (index as usize) < number)) as u32
                };
                group.blocks =
                    (moves.clone().step_by(64).chain([moves.end])).map(first_from).collect();
            }
        }
    }

    pub(crate) fn n_live(&self) -> usize {
        self.nodes.iter().filter(|&&node| node != 0).count()
    }

    pub(crate) fn has_components(&self) -> bool {
        !self.components.is_empty()
    }

    pub(crate) fn n_edges(&self) -> usize {
        self.edges.len()
    }

    /// Whether a fluent is watched although its next value may depend on moves.
    pub(super) fn has_default_next(&self, fluent: u32) -> bool {
        let found = self.watched.binary_search_by_key(&fluent, |watched| watched.fluent);
        found.is_ok_and(|at| self.watched[at].by_moves)
    }

    /// A literal that always holds.
    pub(crate) fn always(&self) -> LiveLit {
        self.live[0] << 1 | 1
    }

    /// The live form of a network literal whose node is live.
    fn live_lit(&self, lit: Lit) -> LiveLit {
        self.try_live_lit(lit).unwrap_or_default()
    }

    /// The live form of a network literal, if its node is constant, or live and can be read: gates
    /// that do nothing but decide about a move cannot.
    pub(crate) fn try_live_lit(&self, lit: Lit) -> Option<LiveLit> {
        let live = *self.live.get(node_of(lit))?;
        let is_clear = is_negated(lit) != self.is_or[node_of(lit)];
        let is_readable = live < self.first_gate + self.first_move_gate;
        is_readable.then_some(live << 1 | u32::from(is_clear))
    }

    /// Says for every phase which fluents change, and which groups of moves can be legal.
    fn prepare_phases(
        &self,
        network: &Network,
        sequence: &Sequence,
        groups: &MoveGroups,
    ) -> Phases {
        let has_readers = |fluent: &u32| {
            let span = self.spans[*fluent as usize];
            span.start != span.end
        };
        Phases::new(sequence, network, has_readers, |values| {
            let open = |group: usize| match values.value(groups.groups[group].0) {
                Some(false) => None,
                Some(true) => Some(OpenGroup { group, condition: None }),
                None => Some(OpenGroup { group, condition: Some(self.groups[group].condition) }),
            };
            let is_filled = |&group: &usize| groups.groups[group].1 > 0;
            let open_groups =
                |role: &Range<usize>| role.clone().filter(is_filled).filter_map(open).collect();
            groups.by_role.iter().map(open_groups).collect()
        })
    }

    /// The fluents whose next value does not depend on moves, or only at few joint moves. A fluent
    /// that keeps its value never changes; one that belongs to the sequence of phases is not
    /// watched.
    fn watched_fluents(
        &self,
        network: &Network,
        sequence: &Sequence,
        default_next: &FxHashMap<u32, Lit>,
    ) -> Vec<Watched> {
        let watched = |(fluent, &next): (usize, &Lit)| {
            let by_moves = network.gates.by_moves(node_of(next));
            let fluent = fluent as u32;
            let next = if by_moves { *default_next.get(&fluent)? } else { next };
            let keeps = next == (fluent + 1) << 1;
            let in_sequence = sequence.contains(fluent as usize);
            (!keeps && !in_sequence).then_some(Watched { fluent, next, by_moves })
        };
        network.next.iter().enumerate().filter_map(watched).collect()
    }

    fn connect(&mut self, network: &Network, moves: &[(Lit, u32)]) {
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
                    // An And counts false inputs, so its count grows when the source's bit makes
                    // the literal false; an Or counts true ones.
                    None => {
                        let grows = (source & 1 == 1) != (gates.kind(node) == Kind::Or);
                        debug_assert!(from < number, "inputs come first");
                        let gate = number as u32 - self.first_gate;
                        edges[from].push(gate << 1 | u32::from(grows));
                    }
                }
            }
        }
        for (index, &(rest, _)) in moves.iter().enumerate() {
            if let Some(lit) = self.try_live_lit(rest) {
                watchers[(lit >> 1) as usize].push(self.slots[index] << 2 | WATCH_MOVE);
            }
        }
        for &Watched { fluent, next, .. } in &self.watched {
            let watcher = fluent << 2 | WATCH_NEXT;
            watchers[fluent as usize].push(watcher);
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
