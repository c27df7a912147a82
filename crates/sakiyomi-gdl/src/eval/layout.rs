//! Lays a network out for the fast evaluation: which nodes are live, who reads whom, and where the
//! bits of moves are.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::groups::{cone, deciding_gates, group_moves, live_roots};
use super::{
    ABSENT, Component, Fanout, Group, Layout, Live, LiveLit, WATCH_COMPONENT, WATCH_MOVE,
    WATCH_NEXT, Watched,
};
use crate::formula::{Counting, Formulas, localise};
use crate::gates::{Gates, Kind, Lit, is_negated, node_of};
use crate::network::Network;
use crate::phase::{OpenGroup, Phases, Sequence};

impl Layout {
    /// `extra` are state literals that transitions read, `usual` the next values of fluents unless a joint
    /// move makes something else of them.
    pub(crate) fn new(
        network: &mut Network,
        extra: &[Lit],
        usual: &FxHashMap<u32, Lit>,
        sequence: &Sequence,
    ) -> Layout {
        let (gates_of_moves, role_groups, groups) = group_moves(network, sequence);
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
        gate_nodes.retain(|node| !deciding.contains_key(node));
        let first_move_gate = gate_nodes.len() as u32;
        let mut layout = Layout { slots: vec![0; network.moves.len()], ..Layout::default() };
        layout.place_moves(&gates_of_moves, groups.len());
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
            rests: gates_of_moves.iter().map(|&(rest, _)| rest).collect(),
            ..layout
        };
        for (group, &(gate, _)) in groups.iter().enumerate() {
            layout.groups[group].gate = layout.live_lit(gate);
        }
        layout.prepare_goals(network);
        layout.terminal = layout.live_lit(network.terminal);
        layout.watched = layout.watched_fluents(network, sequence, usual);
        layout.connect(network, &gates_of_moves);
        layout.phases = layout.prepare_phases(network, sequence, &groups, &role_groups);
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
            self.groups.push(Group { gate: 0, words });
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

    /// A literal that always holds.
    pub(crate) fn always(&self) -> LiveLit {
        self.live[0] << 1 | 1
    }

    /// The live form of a network literal whose node is live.
    fn live_lit(&self, lit: Lit) -> LiveLit {
        self.try_live_lit(lit).unwrap_or_default()
    }

    /// The live form of a network literal, if its node is constant, or live and can be read: gates that do
    /// nothing but decide about a move cannot.
    pub(crate) fn try_live_lit(&self, lit: Lit) -> Option<LiveLit> {
        let live = *self.live.get(node_of(lit))?;
        let low = is_negated(lit) != self.is_or[node_of(lit)];
        let is_readable = live < self.first_gate + self.first_move_gate;
        is_readable.then_some(live << 1 | u32::from(low))
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

    /// Counts the gates of goals from a first state on, if they are many.
    pub(crate) fn count_goals(&mut self, first: &Live) {
        let is_large = self.goal_formulas.n_inputs() > LARGE_GOALS;
        self.goal_counting = is_large.then(|| Counting::new(&self.goal_formulas, first));
    }

    /// The same, also if they are few.
    #[cfg(test)]
    pub(crate) fn count_all_goals(&mut self, first: &Live) {
        self.goal_counting = Some(Counting::new(&self.goal_formulas, first));
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

    /// The fluents that become something whatever is played, or usually. A fluent that keeps its value never
    /// changes; one that belongs to the sequence of phases is not watched.
    fn watched_fluents(
        &self,
        network: &Network,
        sequence: &Sequence,
        usual: &FxHashMap<u32, Lit>,
    ) -> Vec<Watched> {
        let watched = |(fluent, &next): (usize, &Lit)| {
            let by_moves = network.gates.by_moves(node_of(next));
            let fluent = fluent as u32;
            let next = if by_moves { *usual.get(&fluent)? } else { next };
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
                    // An And counts false inputs, so its count grows when a high source makes
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

/// Inputs of goals that are too many to be looked at for every payoff.
const LARGE_GOALS: usize = 2_000;
