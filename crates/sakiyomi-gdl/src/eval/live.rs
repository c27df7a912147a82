//! A state that is kept up to date: facts, gates and legal moves.

use std::sync::atomic::Ordering;

use super::select::select;
use super::{Component, Fanout, Layout, LiveLit, WATCH_MOVE, WATCH_NEXT};
use crate::formula::{Code, Counts, read};
use crate::forward::ForwardBuffers;
use crate::gates::{Kind, Lit, is_negated, node_of};
use crate::network::Network;

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
    /// Changes that have been followed.
    n_followed: u32,
    /// The gates that have changed and have not been followed yet.
    changed: Vec<u64>,
    dirty: Vec<u32>,
    open: Vec<u32>,
    pub(crate) buffers: Buffers,
    pub(crate) forward: Option<Box<ForwardBuffers>>,
}

/// Memory for formulas, of no meaning between calls.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) values: Vec<bool>,
    counts: Option<Box<Counts>>,
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
        self.changed.resize(other.changed.len(), 0);
    }
}

impl Layout {
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
        let n_bits = (self.first_gate + self.first_move_gate) as usize;
        let mut bits = vec![0; n_bits.div_ceil(64)];
        bits[..facts.len()].copy_from_slice(facts);
        let gates = self.nodes.iter().enumerate().take(n_bits).skip(self.first_gate as usize);
        for (number, &node) in gates {
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
            changed: vec![0; self.first_move_gate.div_ceil(64) as usize],
            ..Live::default()
        };
        for (index, &rest) in self.rests.iter().enumerate() {
            if holds(rest) {
                live.toggle_move(self, self.slots[index]);
            }
        }
        for watched in &self.watched {
            if holds(watched.next) != values[watched.fluent as usize + 1] {
                live.toggle_pending(watched.fluent);
            }
        }
        live
    }
}

impl Layout {
    /// Whether a fluent is watched whose next value may depend on moves.
    fn is_usual(&self, fluent: u32) -> bool {
        let found = self.watched.binary_search_by_key(&fluent, |watched| watched.fluent);
        found.is_ok_and(|at| self.watched[at].by_moves)
    }
}

impl Live {
    /// The fluents that hold, as bits.
    pub(crate) fn facts(&self) -> &[u64] {
        &self.bits[..self.n_fact_words]
    }

    /// The bytes that a state takes.
    pub(crate) fn bytes(&self) -> usize {
        let words = self.bits.len() + self.possible.len() + self.pending.len();
        8 * words + 2 * self.counts.len() + 4 * self.lengths.len()
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
    #[inline(always)]
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
        let mut at = layout.groups[group].words.start;
        let last = layout.groups[group].words.end - 1;
        // What is not in the words before is in the last one, which need not be counted.
        while at < last {
            let n = self.possible[at].count_ones();
            if number < n {
                break;
            }
            number -= n;
            at += 1;
        }
        layout.moves[at * 64 + select(self.possible[at], number) as usize]
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

    /// How many live nodes have changed since the state was made or cloned.
    pub(crate) fn n_followed(&self) -> u32 {
        self.n_followed
    }

    /// Forgets what was noted.
    pub(crate) fn drop_notes(&mut self) {
        self.n_events = 0;
    }

    /// Changes the fluents that were noted and those that change by themselves, and what follows.
    /// `unusual` are the fluents that do not become what they usually become, or nothing if none does.
    #[inline(always)]
    pub(crate) fn advance(&mut self, layout: &Layout, unusual: Option<&[u32]>) {
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
                word &= word - 1;
                let is_noted = match unusual {
                    Some(unusual) => unusual.binary_search(&fluent).is_ok(),
                    None => layout.is_usual(fluent),
                };
                if !is_noted {
                    self.push_event(fluent << 1 | u32::from(!self.fact(fluent)));
                }
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

    #[inline(always)]
    fn propagate(&mut self, layout: &Layout) {
        match layout.in_order {
            true => self.propagate_in_order(layout),
            false => self.propagate_at_once(layout),
        }
    }

    /// Follows every change at once, the last one first. A gate may change several times.
    #[inline(always)]
    fn propagate_at_once(&mut self, layout: &Layout) {
        let first_gate = layout.first_gate;
        let mut n_events = self.n_events;
        let mut n_followed = 0u32;
        while n_events > 0 {
            n_events -= 1;
            n_followed += 1;
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
            self.tell(layout, span, high);
        }
        self.n_events = 0;
        self.n_followed = self.n_followed.wrapping_add(n_followed);
    }

    /// Follows changes in the order of the gates, inputs first, so that no gate changes twice.
    #[inline(never)]
    fn propagate_in_order(&mut self, layout: &Layout) {
        for i in 0..self.n_events {
            self.follow(layout, self.events[i] >> 1);
        }
        let mut n_followed = self.n_events as u32;
        self.n_events = 0;
        let first_word = layout.first_gate / 64;
        for at in 0..self.changed.len() {
            // What follows from a change has a higher number, maybe in the same word.
            while self.changed[at] != 0 {
                let word = self.changed[at];
                self.changed[at] = word & (word - 1);
                self.follow(layout, (first_word + at as u32) * 64 + word.trailing_zeros());
                n_followed += 1;
            }
        }
        self.n_followed = self.n_followed.wrapping_add(n_followed);
    }

    /// Changes one live node, and marks the gates that change with it.
    #[inline]
    fn follow(&mut self, layout: &Layout, number: u32) {
        let word = &mut self.bits[(number / 64) as usize];
        *word ^= 1 << (number % 64);
        let high = (*word >> (number % 64)) as u32 & 1;
        let span = layout.spans[number as usize];
        for &edge in &layout.edges[span.start as usize..span.moves as usize] {
            let gate = edge >> 1;
            let count = &mut self.counts[gate as usize];
            let grows = u32::from(edge & 1 == high);
            let old = *count;
            *count = old.wrapping_add((grows << 1) as u16).wrapping_sub(1);
            let crosses = u64::from(u32::from(old) == 1 - grows);
            // A gate that changes back before it was followed has not changed.
            self.changed[(gate / 64) as usize] ^= crosses << (gate % 64);
        }
        self.tell(layout, span, high);
    }

    /// Tells moves and watchers that a live node changed.
    #[inline(always)]
    fn tell(&mut self, layout: &Layout, span: Fanout, high: u32) {
        for &edge in &layout.edges[span.moves as usize..span.watchers as usize] {
            let count = &mut self.counts[(edge >> 1) as usize];
            let grows = u32::from(edge & 1 == high);
            let old = *count;
            *count = old.wrapping_add((grows << 1) as u16).wrapping_sub(1);
            let crosses = u32::from(u32::from(old) == 1 - grows);
            let slot = (edge >> 1) - layout.first_move_gate;
            let word = &mut self.possible[(slot / 64) as usize];
            *word ^= u64::from(crosses) << (slot % 64);
            let on = (*word >> (slot % 64)) as u32 & 1;
            let group = layout.word_groups[(slot / 64) as usize] as usize;
            let gained = (crosses & on).wrapping_mul(2).wrapping_sub(crosses);
            self.lengths[group] = self.lengths[group].wrapping_add(gained);
        }
        for &watcher in &layout.edges[span.watchers as usize..span.end as usize] {
            match watcher & 3 {
                WATCH_MOVE => self.toggle_move(layout, watcher >> 2),
                WATCH_NEXT => self.toggle_pending(watcher >> 2),
                _ => self.dirty.push(watcher >> 2),
            }
        }
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
        let mut values = std::mem::take(&mut self.buffers.values);
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
        self.buffers.values = values;
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
    pub(crate) fn goals(&self, layout: &Layout, buffers: &mut Buffers, out: &mut [Option<u8>]) {
        let formulas = &layout.goal_formulas;
        let work = layout.goal_work.load(Ordering::Relaxed);
        let counting = layout.goal_counting.as_ref();
        let Some(counting) = counting.filter(|_| work < formulas.n_inputs()) else {
            formulas.evaluate(self, &mut buffers.values);
            return layout.read_goals(out, |code| read(code, self, &buffers.values));
        };
        let counts = buffers.counts.get_or_insert_default();
        counting.count(self, counts);
        layout.read_goals(out, |code| counting.read(code, self, counts));
        layout.goal_work.store((work * 7 + counting.undo(counts)).div_ceil(8), Ordering::Relaxed);
    }
}

impl Layout {
    /// Says for every role which goal holds, if it is exactly one.
    fn read_goals(&self, out: &mut [Option<u8>], mut holds: impl FnMut(Code) -> bool) {
        for (goals, out) in self.goals.iter().zip(out) {
            let mut held = (goals.iter()).filter(|&&(_, code)| holds(code));
            let first = held.next().map(|&(value, _)| value);
            *out = first.filter(|_| held.next().is_none());
        }
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
