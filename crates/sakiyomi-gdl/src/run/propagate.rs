//! Keeps a state up to date: the facts that change with a ply, the gates that change with them, and
//! the legal moves.

use crate::network::gates::{Kind, holds};
use crate::network::graph::Network;
use crate::run::layout::{Component, Fanout, Group, Layout, WATCH_MOVE, WATCH_NEXT};
use crate::run::live::Live;
use crate::run::phase::OpenGroup;
use crate::run::select::select;

impl Layout {
    /// Everything that follows from a set of facts.
    pub(super) fn start(&self, network: &Network, facts: &[u64]) -> Live {
        let mut values = Vec::new();
        network.evaluate(facts, &[], &mut values);
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
                inputs.iter().filter(|&&lit| holds(&values, lit) != is_and).count() as u16
            })
            .collect();
        let n_bits = (self.first_gate + self.first_move_gate) as usize;
        let mut bits = vec![0; n_bits.div_ceil(64)];
        bits[..facts.len()].copy_from_slice(facts);
        let gates = self.nodes.iter().enumerate().take(n_bits).skip(self.first_gate as usize);
        for (number, &node) in gates {
            let is_set = values[node as usize] != self.is_or[node as usize];
            bits[number / 64] |= u64::from(is_set) << (number % 64);
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
            if holds(&values, rest) {
                live.toggle_move(self, self.slots[index]);
            }
        }
        for watched in &self.watched {
            if holds(&values, watched.next) != values[watched.fluent as usize + 1] {
                live.toggle_pending(watched.fluent);
            }
        }
        live
    }
}

impl Live {
    /// How many moves a role has.
    #[inline(always)]
    pub(crate) fn n_legal(&self, layout: &Layout, role: usize) -> usize {
        let mut n = 0;
        for open in layout.phases.groups(self.phase, role) {
            if open.condition.is_none_or(|lit| self.holds(lit)) {
                n += self.lengths[open.group] as usize;
            }
        }
        n
    }

    /// The legal move of a role with this place among all of them, in the order of their numbers.
    #[inline]
    pub(crate) fn legal(&self, layout: &Layout, role: usize, place: usize) -> u32 {
        let is_open = |open: &&OpenGroup| {
            self.lengths[open.group] > 0 && open.condition.is_none_or(|lit| self.holds(lit))
        };
        let mut groups = layout.phases.groups(self.phase, role).iter().filter(is_open);
        match (groups.next(), groups.next()) {
            (Some(only), None) => self.member(layout, only.group, place as u32),
            (Some(first), Some(second)) => {
                let all = [first, second].into_iter().chain(groups);
                self.member_of_several(layout, all.map(|open| &layout.groups[open.group]), place)
            }
            _ => {
                debug_assert!(false, "a role has fewer legal moves");
                0
            }
        }
    }

    /// The move with this place among the members of several groups of a role: block by block.
    fn member_of_several<'a>(
        &self,
        layout: &Layout,
        groups: impl Iterator<Item = &'a Group> + Clone,
        place: usize,
    ) -> u32 {
        let n_blocks = groups.clone().next().map_or(0, |group| group.blocks.len() - 1);
        let mut place = place as u32;
        for block in 0..n_blocks {
            let members = |group: &Group| {
                let start = group.blocks[block];
                (start, self.possible_bits(start, group.blocks[block + 1] - start))
            };
            let n: u32 = groups.clone().map(|group| members(group).1.count_ones()).sum();
            if place >= n {
                place -= n;
                continue;
            }
            let (mut found, mut n) = ([0; 64], 0);
            for (start, mut bits) in groups.map(members) {
                while bits != 0 {
                    found[n] = layout.moves[(start + bits.trailing_zeros()) as usize];
                    n += 1;
                    bits &= bits - 1;
                }
            }
            found[..n].sort_unstable();
            return found[place as usize];
        }
        debug_assert!(false, "a role has fewer legal moves");
        0
    }

    /// At most 64 bits of `possible`.
    fn possible_bits(&self, start: u32, n: u32) -> u64 {
        let (at, shift) = (start as usize / 64, start % 64);
        if n == 0 {
            return 0;
        }
        let mut bits = self.possible[at] >> shift;
        if shift + n > 64 {
            bits |= self.possible[at + 1] << (64 - shift);
        }
        bits & (u64::MAX >> (64 - n))
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

    /// Changes the fluents that were noted and those that change by themselves, and what follows.
    /// `exceptions` are the watched fluents for which the joint move was looked at, so that a
    /// change of theirs was noted; without it these are all whose next value depends on moves.
    #[inline(always)]
    pub(crate) fn advance(&mut self, layout: &Layout, exceptions: Option<&[u32]>) {
        let phase = layout.phases.get(self.phase);
        self.phase = phase.next;
        self.reserve_events(phase.with_readers.len());
        for &fluent in &phase.with_readers {
            self.note(fluent, self.fact(fluent), true);
        }
        for i in 0..self.pending.len() {
            let mut word = self.pending[i];
            while word != 0 {
                let fluent = i as u32 * 64 + word.trailing_zeros();
                word &= word - 1;
                let is_noted = match exceptions {
                    Some(exceptions) => exceptions.binary_search(&fluent).is_ok(),
                    None => layout.has_default_next(fluent),
                };
                if !is_noted {
                    self.push_event(fluent << 1 | u32::from(!self.fact(fluent)));
                }
            }
        }
        for &(word, mask) in &phase.without_readers {
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
            false => self.propagate_depth_first(layout),
        }
    }

    /// Follows every change as soon as it is found, the last one first. A gate may change several
    /// times.
    #[inline(always)]
    fn propagate_depth_first(&mut self, layout: &Layout) {
        let first_gate = layout.first_gate;
        let mut n_events = self.n_events;
        let mut n_followed = 0u32;
        while n_events > 0 {
            n_events -= 1;
            n_followed += 1;
            let event = self.events[n_events];
            let is_set = event & 1;
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
                let grows = u32::from(edge & 1 == is_set);
                let old = *count;
                *count = old.wrapping_add((grows << 1) as u16).wrapping_sub(1);
                self.events[n_events] = (gate + first_gate) << 1 | (grows ^ 1);
                n_events += usize::from(u32::from(old) == 1 - grows);
            }
            self.update_readers(layout, span, is_set);
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
        let is_set = (*word >> (number % 64)) as u32 & 1;
        let span = layout.spans[number as usize];
        for &edge in &layout.edges[span.start as usize..span.moves as usize] {
            let gate = edge >> 1;
            let count = &mut self.counts[gate as usize];
            let grows = u32::from(edge & 1 == is_set);
            let old = *count;
            *count = old.wrapping_add((grows << 1) as u16).wrapping_sub(1);
            let crosses = u64::from(u32::from(old) == 1 - grows);
            // A gate that changes back before it was followed has not changed.
            self.changed[(gate / 64) as usize] ^= crosses << (gate % 64);
        }
        self.update_readers(layout, span, is_set);
    }

    /// Updates the moves and watchers that read a live node that changed.
    #[inline(always)]
    fn update_readers(&mut self, layout: &Layout, span: Fanout, is_set: u32) {
        for &edge in &layout.edges[span.moves as usize..span.watchers as usize] {
            let count = &mut self.counts[(edge >> 1) as usize];
            let grows = u32::from(edge & 1 == is_set);
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
}

#[cfg(test)]
impl Layout {
    /// Compares everything that is kept with the values of all nodes.
    pub(crate) fn check(&self, live: &Live, network: &Network, values: &[bool]) {
        let first_pure = (self.first_gate + self.first_move_gate) as usize;
        for (number, &node) in self.nodes.iter().enumerate().filter(|&(_, &node)| node != 0) {
            let is_set = values[node as usize] != self.is_or[node as usize];
            if number < first_pure {
                assert_eq!(live.holds((number as u32) << 1), is_set, "live number {number}");
            }
            if number >= self.first_gate as usize {
                let count = live.counts[number - self.first_gate as usize];
                assert_eq!(count == 0, is_set, "count of live number {number}");
            }
        }
        for (role, range) in network.role_moves.iter().enumerate() {
            let is_legal = |&index: &usize| holds(values, network.legal[index]);
            let expected: Vec<u32> = range.clone().filter(is_legal).map(|i| i as u32).collect();
            let n = live.n_legal(self, role);
            let mut legal: Vec<u32> = (0..n).map(|i| live.legal(self, role, i)).collect();
            legal.sort_unstable();
            assert_eq!(legal, expected, "legal moves of role {role}");
        }
    }
}
