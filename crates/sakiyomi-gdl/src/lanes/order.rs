//! In which order operations are computed, and where their values lie.
//!
//! Operations of the same shape (this many inputs, this many of them negated) stand together in runs:
//! an interpreter has one tight loop per run, and no branch that depends on the single operation.
//! From what is ready, all operations of the most frequent shape come next. A slot holds one value
//! at a time and is used again when the last reader is done. Fixpoints that do not need each other
//! share one loop.

use rustc_hash::FxHashMap;

use crate::lanes::code::{Code, Output, Segment, Shape};
use crate::lanes::logic::{Logic, Op};
use crate::network::gates::{Lit, is_negated, node_of};

/// What is asked of the logic: literals that are read after the first part, those that are read
/// after the picks, if these are repeated, and fluents that get new values in the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    pub(super) outputs: &'a [Lit],
    pub(super) picks: &'a [Lit],
    pub(super) next: &'a [(u32, Lit)],
}

/// Slot 0 is false, then come the fluents, the drawn bits, and everything else.
pub(super) fn order(logic: &Logic, n_fluents: usize, n_draws: u32, wanted: Wanted<'_>) -> Code {
    // A fluent that keeps its value is not touched.
    let stores: Vec<(u32, Lit)> = (wanted.next.iter().copied())
        .filter(|&(fluent, lit)| {
            is_negated(lit)
                || logic.op(node_of(lit)) != Op::Fluent
                || logic.number(node_of(lit)) != fluent
        })
        .collect();
    let mut order = Order::new(logic, &wanted, &stores);
    let mut steps = order.part(wanted.outputs.iter().copied());
    let first = steps.len();
    steps.extend(order.part(wanted.picks.iter().copied()));
    let pauses = [first, steps.len()];
    steps.extend(order.part(stores.iter().map(|&(_, lit)| lit)));
    let inverted = order.inverted;
    let first_temporary = 1 + n_fluents as u32 + n_draws;
    let mut places = Places::new(logic, first_temporary, n_fluents as u32, inverted);
    places.note_uses(&steps, pauses, &wanted, &stores);
    places.emit(&steps, pauses, &wanted, &stores)
}

/// One thing to do.
enum Step {
    Node(u32),
    LoopStart(Vec<u32>),
    /// The variables of the loop with what they become.
    LoopEnd(Vec<(u32, Lit)>),
}

struct Order<'a> {
    logic: &'a Logic,
    is_done: Vec<bool>,
    /// What each variable becomes.
    bodies: FxHashMap<u32, Lit>,
    /// Ands that are computed negated: nothing reads them but one store of their negation.
    inverted: Vec<bool>,
}

impl<'a> Order<'a> {
    fn new(logic: &'a Logic, wanted: &Wanted<'_>, stores: &[(u32, Lit)]) -> Order<'a> {
        let mut n_readers = vec![0u8; logic.len()];
        let mut read = |lit: Lit| {
            let n = &mut n_readers[node_of(lit)];
            *n = n.saturating_add(1);
        };
        (0..logic.len()).flat_map(|node| logic.inputs(node)).for_each(|&lit| read(lit));
        wanted.outputs.iter().chain(wanted.picks).for_each(|&lit| read(lit));
        stores.iter().for_each(|&(_, lit)| read(lit));
        logic.fixpoints.iter().for_each(|&(_, lit)| read(lit));
        let mut inverted = vec![false; logic.len()];
        for &(_, lit) in stores {
            let node = node_of(lit);
            inverted[node] = is_negated(lit) && n_readers[node] == 1 && logic.op(node) == Op::And;
        }
        Order {
            logic,
            is_done: vec![false; logic.len()],
            bodies: logic.fixpoints.iter().copied().collect(),
            inverted,
        }
    }

    /// All that is needed for these literals and not yet done.
    fn part(&mut self, roots: impl Iterator<Item = Lit>) -> Vec<Step> {
        let mut levels: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
        let mut open: Vec<u32> = roots.map(|lit| lit >> 1).collect();
        let mut nodes = Vec::new();
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut self.is_done[node as usize], true) {
                continue;
            }
            nodes.push(node);
            open.extend(self.logic.inputs(node as usize).iter().map(|lit| lit >> 1));
            open.extend(self.bodies.get(&node).map(|lit| lit >> 1));
        }
        nodes.sort_unstable();
        for node in nodes {
            let level = usize::from(self.logic.level(node as usize));
            if levels.len() <= level {
                levels.resize_with(level + 1, Default::default);
            }
            match self.logic.op(node as usize) {
                Op::Constant | Op::Fluent | Op::Draw => {}
                Op::Variable => levels[level].0.push(node),
                _ => levels[level].1.push(node),
            }
        }
        let mut steps = Vec::new();
        for (variables, nodes) in levels {
            let inner = self.inner(&variables, &nodes);
            let (inner, outer): (Vec<u32>, Vec<u32>) =
                nodes.iter().partition(|node| inner.binary_search(node).is_ok());
            if !variables.is_empty() {
                let sets = variables.iter().map(|node| (*node, self.bodies[node])).collect();
                steps.push(Step::LoopStart(variables));
                steps.extend(self.runs(&inner).into_iter().map(Step::Node));
                steps.push(Step::LoopEnd(sets));
            }
            steps.extend(self.runs(&outer).into_iter().map(Step::Node));
        }
        steps
    }

    /// The nodes of a level that its variables depend on, sorted.
    fn inner(&self, variables: &[u32], nodes: &[u32]) -> Vec<u32> {
        let mut inner = Vec::new();
        let mut seen: FxHashMap<u32, ()> = FxHashMap::default();
        let mut open: Vec<u32> = variables.iter().map(|node| self.bodies[node] >> 1).collect();
        while let Some(node) = open.pop() {
            if nodes.binary_search(&node).is_ok() && seen.insert(node, ()).is_none() {
                inner.push(node);
                open.extend(self.logic.inputs(node as usize).iter().map(|lit| lit >> 1));
            }
        }
        inner.sort_unstable();
        inner
    }

    /// Nodes, sorted, in runs of equal shape.
    fn runs(&self, nodes: &[u32]) -> Vec<u32> {
        let place = |node: u32| nodes.binary_search(&node).ok();
        let mut n_missing = vec![0u32; nodes.len()];
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
        let mut ready: FxHashMap<Shape, Vec<u32>> = FxHashMap::default();
        for (i, &node) in nodes.iter().enumerate() {
            for &lit in self.logic.inputs(node as usize) {
                if let Some(input) = place(lit >> 1) {
                    n_missing[i] += 1;
                    readers[input].push(i as u32);
                }
            }
            if n_missing[i] == 0 {
                ready.entry(self.shape(node)).or_default().push(i as u32);
            }
        }
        let mut result = Vec::with_capacity(nodes.len());
        while let Some((&shape, _)) = (ready.iter())
            .filter(|(_, ready)| !ready.is_empty())
            .max_by_key(|(shape, ready)| (ready.len(), **shape))
        {
            for i in ready.insert(shape, Vec::new()).unwrap_or_default() {
                result.push(nodes[i as usize]);
                for &reader in &readers[i as usize] {
                    n_missing[reader as usize] -= 1;
                    if n_missing[reader as usize] == 0 {
                        let shape = self.shape(nodes[reader as usize]);
                        ready.entry(shape).or_default().push(reader);
                    }
                }
            }
        }
        result
    }

    fn shape(&self, node: u32) -> Shape {
        shape(self.logic, node as usize, self.inverted[node as usize])
    }
}

fn shape(logic: &Logic, node: usize, is_inverted: bool) -> Shape {
    let inputs = logic.inputs(node);
    let n_negated = inputs.iter().filter(|&&lit| is_negated(lit)).count() as u32;
    match logic.op(node) {
        Op::And => Shape::And {
            positive: inputs.len() as u32 - n_negated,
            negated: n_negated,
            is_inverted,
        },
        op => {
            let signs = inputs.iter().rev().fold(0, |signs, lit| signs << 1 | lit & 1);
            Shape::Table { op, signs }
        }
    }
}

/// No slot yet.
const NOWHERE: u32 = u32::MAX;

struct Places<'a> {
    logic: &'a Logic,
    inverted: Vec<bool>,
    /// The step of the last use of every node, counted from 1.
    last_use: Vec<u32>,
    slots: Vec<u32>,
    free: Vec<u32>,
    /// The slots that are free after each step.
    dying: Vec<Vec<u32>>,
    n_slots: u32,
    /// The fluent that becomes the value of a node.
    store_of: FxHashMap<u32, u32>,
    /// The last use of each fluent's old value.
    fluent_use: Vec<u32>,
}

impl<'a> Places<'a> {
    fn new(
        logic: &'a Logic,
        first_temporary: u32,
        n_fluents: u32,
        inverted: Vec<bool>,
    ) -> Places<'a> {
        let slots = (0..logic.len())
            .map(|node| match logic.op(node) {
                Op::Constant => 0,
                Op::Fluent => 1 + logic.number(node),
                Op::Draw => 1 + n_fluents + logic.number(node),
                _ => NOWHERE,
            })
            .collect();
        Places {
            logic,
            inverted,
            last_use: vec![0; logic.len()],
            slots,
            free: Vec::new(),
            dying: Vec::new(),
            n_slots: first_temporary,
            store_of: FxHashMap::default(),
            fluent_use: vec![0; n_fluents as usize],
        }
    }

    /// Outputs are read until picks have been repeated for the last time, stores after everything.
    /// What the picks read is needed until they have been repeated for the last time.
    fn note_uses(
        &mut self,
        steps: &[Step],
        pauses: [usize; 2],
        wanted: &Wanted<'_>,
        stores: &[(u32, Lit)],
    ) {
        let [pause, picked] = pauses.map(|pause| pause as u32);
        let mut made = vec![0u32; self.logic.len()];
        let (mut loop_start, mut inside) = (None, Vec::new());
        for (i, step) in steps.iter().enumerate() {
            let now = i as u32 + 1;
            let read: Vec<usize> = match step {
                Step::Node(node) => {
                    made[*node as usize] = now;
                    self.logic.inputs(*node as usize).iter().map(|&lit| node_of(lit)).collect()
                }
                Step::LoopStart(variables) => {
                    variables.iter().for_each(|&node| made[node as usize] = now);
                    loop_start = Some(now);
                    variables.iter().map(|&node| node as usize).collect()
                }
                Step::LoopEnd(sets) => {
                    sets.iter().flat_map(|&(v, lit)| [v as usize, node_of(lit)]).collect()
                }
            };
            let is_repeated = now > pause && now <= picked;
            for &node in &read {
                let last = if is_repeated && made[node] <= pause { picked } else { now };
                self.last_use[node] = self.last_use[node].max(last);
            }
            if let Some(start) = loop_start {
                inside.extend(read);
                if matches!(step, Step::LoopEnd(_)) {
                    // What comes from outside is read again in the next round.
                    for node in inside.drain(..).filter(|&node| made[node] <= start) {
                        self.last_use[node] = now;
                    }
                    loop_start = None;
                }
            }
        }
        // Counts are read again where picks are repeated.
        for &lit in wanted.outputs.iter().chain(wanted.picks) {
            let last = &mut self.last_use[node_of(lit)];
            *last = (*last).max(picked);
        }
        let end = steps.len() as u32 + 1;
        for &(fluent, lit) in stores {
            self.last_use[node_of(lit)] = end;
            let is_same_sign = is_negated(lit) == self.inverted[node_of(lit)];
            if is_same_sign {
                self.store_of.entry(lit >> 1).or_insert(fluent);
            }
        }
        for node in 0..self.logic.len() {
            if self.logic.op(node) == Op::Fluent {
                self.fluent_use[self.logic.number(node) as usize] = self.last_use[node];
            }
        }
        self.dying.resize_with(steps.len() + 2, Vec::new);
    }

    /// A slot for a node that is made at this step. The new value of a fluent goes to its place at
    /// once if the old one is read no more.
    fn place(&mut self, node: u32, now: u32, is_last: bool) {
        if is_last
            && let Some(&fluent) = self.store_of.get(&node)
            && self.fluent_use[fluent as usize] <= now
        {
            self.slots[node as usize] = 1 + fluent;
            return;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.n_slots += 1;
            self.n_slots - 1
        });
        self.slots[node as usize] = slot;
        self.dying[self.last_use[node as usize].max(now) as usize].push(slot);
    }

    fn slot(&self, lit: Lit) -> u32 {
        self.slots[node_of(lit)]
    }

    fn emit(
        mut self,
        steps: &[Step],
        pauses: [usize; 2],
        wanted: &Wanted<'_>,
        stores: &[(u32, Lit)],
    ) -> Code {
        let mut parts: [Vec<Segment>; 3] = Default::default();
        let (mut segment, mut variables) = (Segment::default(), Vec::new());
        let mut current = 0;
        for (i, step) in steps.iter().enumerate() {
            let now = i as u32 + 1;
            let number = pauses.iter().filter(|&&pause| i >= pause).count();
            if number != current {
                parts[current].push(std::mem::take(&mut segment));
                current = number;
            }
            let is_last = number == 2;
            let part = &mut parts[number];
            match step {
                Step::Node(node) => {
                    // A value inside a loop is made again in every round, so it has a slot of its
                    // own.
                    self.place(*node, now, is_last && variables.is_empty());
                    self.emit_node(*node as usize, &mut segment);
                }
                Step::LoopStart(own) => {
                    part.push(std::mem::take(&mut segment));
                    own.iter().for_each(|&node| self.place(node, now, false));
                    variables = own.iter().map(|&node| self.slots[node as usize]).collect();
                }
                Step::LoopEnd(sets) => {
                    let sets = sets
                        .iter()
                        .map(|&(node, lit)| {
                            (self.slots[node as usize], self.slot(lit), is_negated(lit))
                        })
                        .collect();
                    let mut body = std::mem::take(&mut segment);
                    body.fixpoint = Some((std::mem::take(&mut variables), sets));
                    part.push(body);
                }
            }
            let freed = std::mem::take(&mut self.dying[now as usize]);
            self.free.extend(freed);
        }
        if current < 2 {
            parts[current].push(std::mem::take(&mut segment));
        }
        self.emit_stores(stores, &mut segment);
        parts[2].push(segment);
        let output = |&lit: &Lit| Output { slot: self.slot(lit), is_negated: is_negated(lit) };
        let outputs = wanted.outputs.iter().map(output).collect();
        let picks = wanted.picks.iter().map(output).collect();
        let [first, pick, second] = parts;
        Code { first, pick, second, outputs, picks, n_slots: self.n_slots as usize }
    }

    fn emit_node(&self, node: usize, segment: &mut Segment) {
        let shape = shape(self.logic, node, self.inverted[node]);
        let inputs = self.logic.inputs(node);
        let mut operands = vec![self.slots[node]];
        if let Shape::And { .. } = shape {
            let (negated, positive): (Vec<Lit>, Vec<Lit>) =
                inputs.iter().partition(|&&lit| is_negated(lit));
            operands.extend(positive.iter().chain(&negated).map(|&lit| self.slot(lit)));
        } else {
            operands.extend(inputs.iter().map(|&lit| self.slot(lit)));
        }
        segment.push(shape, &operands);
    }

    /// The new values that are not at their places yet. One that is the old value of another fluent
    /// is saved first.
    fn emit_stores(&mut self, stores: &[(u32, Lit)], segment: &mut Segment) {
        let mut copies = Vec::new();
        for &(fluent, lit) in stores {
            let mut from = self.slot(lit);
            let sign = is_negated(lit) != self.inverted[node_of(lit)];
            if from == 1 + fluent && !sign {
                continue;
            }
            // A node that went to the place of one fluent may be the new value of others as well.
            if self.logic.op(node_of(lit)) == Op::Fluent {
                let saved = self.n_slots;
                self.n_slots += 1;
                segment.push(Shape::Copy { is_negated: false }, &[saved, from]);
                from = saved;
            }
            copies.push((sign, 1 + fluent, from));
        }
        copies.sort_unstable();
        for (is_negated, to, from) in copies {
            segment.push(Shape::Copy { is_negated }, &[to, from]);
        }
    }
}
