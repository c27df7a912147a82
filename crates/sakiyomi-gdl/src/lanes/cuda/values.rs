//! What the code of a phase computes as values, each made once, in an order in which few of them
//! are needed at a time.
//!
//! An interpreter wants runs of equal operations; a compiler wants what is needed next. So from
//! each thing that is asked for, operations come when their result is about to be read.

use crate::lanes::code::{Code, Operands, Output, Segment, Shape};
use crate::lanes::logic::Op;

/// Where a word comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    False,
    /// The value of a fluent before the ply.
    Fluent(u32),
    /// A bit of a number that was drawn, by its place among all of them.
    Draw(u32),
    /// The result of an operation, or a variable of a loop.
    Made(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Signed {
    pub(super) value: Value,
    pub(super) is_negated: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) result: u32,
    pub(super) op: Op,
    pub(super) inputs: Vec<Signed>,
    pub(super) is_inverted: bool,
}

/// Operations that are repeated until the variables, which are false at first, do not change.
#[derive(Clone, Debug, Default)]
pub(super) struct Loop {
    pub(super) variables: Vec<u32>,
    pub(super) body: Vec<Operation>,
    /// What the variables are set to after each round.
    pub(super) sets: Vec<(u32, Signed)>,
}

#[derive(Clone, Debug)]
pub(super) enum Item {
    One(Operation),
    Loop(Loop),
}

impl Item {
    /// The values that are made.
    pub(super) fn results(&self) -> Vec<u32> {
        match self {
            Item::One(operation) => vec![operation.result],
            Item::Loop(one) => {
                let body = one.body.iter().map(|operation| operation.result);
                one.variables.iter().copied().chain(body).collect()
            }
        }
    }

    /// All that is read, what a loop makes itself included.
    pub(super) fn inputs(&self) -> Vec<Value> {
        let own = |operation: &Operation| -> Vec<Value> {
            operation.inputs.iter().map(|input| input.value).collect()
        };
        match self {
            Item::One(operation) => own(operation),
            Item::Loop(one) => {
                let sets = one.sets.iter().map(|(_, from)| from.value);
                one.body.iter().flat_map(own).chain(sets).collect()
            }
        }
    }
}

/// The code of one phase, or of the goals.
#[derive(Debug)]
pub(super) struct Values {
    pub(super) n_made: usize,
    /// What is computed before moves are drawn, and after that.
    pub(super) first: Vec<Item>,
    pub(super) second: Vec<Item>,
    pub(super) outputs: Vec<Signed>,
    /// The fluents that change, with their new values.
    pub(super) stores: Vec<(u32, Signed)>,
}

impl Values {
    pub(super) fn new(code: &Code, n_fluents: usize) -> Values {
        let mut reader = Reader::new(code.n_slots, n_fluents);
        code.first.iter().for_each(|segment| reader.read(segment));
        let outputs: Vec<Signed> =
            code.outputs.iter().map(|&output| reader.output(output)).collect();
        code.second.iter().for_each(|segment| reader.read(segment));
        let stores: Vec<(u32, Signed)> = (0..n_fluents as u32)
            .map(|fluent| (fluent, reader.slots[1 + fluent as usize]))
            .filter(|&(fluent, now)| now != plain(Value::Fluent(fluent)))
            .collect();
        let mut order = Order::new(&reader.items, reader.n_made as usize);
        let first = order.until(outputs.iter().map(|output| output.value));
        let second = order.until(stores.iter().map(|store| store.1.value));
        let mut items: Vec<Option<Item>> = reader.items.into_iter().map(Some).collect();
        let mut take =
            |order: Vec<usize>| order.into_iter().filter_map(|i| items[i].take()).collect();
        let (first, second) = (take(first), take(second));
        Values { n_made: reader.n_made as usize, first, second, outputs, stores }
    }

    /// Everything that is computed.
    pub(super) fn items(&self) -> impl Iterator<Item = &Item> {
        self.first.iter().chain(&self.second)
    }
}

fn plain(value: Value) -> Signed {
    Signed { value, is_negated: false }
}

/// Follows what is in each slot.
struct Reader {
    slots: Vec<Signed>,
    items: Vec<Item>,
    n_made: u32,
}

impl Reader {
    fn new(n_slots: usize, n_fluents: usize) -> Reader {
        // Slots beyond the drawn bits are written before they are read.
        let slots = (0..n_slots.max(1 + n_fluents))
            .map(|slot| match slot {
                0 => Value::False,
                _ if slot <= n_fluents => Value::Fluent(slot as u32 - 1),
                _ => Value::Draw((slot - 1 - n_fluents) as u32),
            })
            .map(plain)
            .collect();
        Reader { slots, items: Vec::new(), n_made: 0 }
    }

    fn output(&self, output: Output) -> Signed {
        let Signed { value, is_negated } = self.slots[output.slot as usize];
        Signed { value, is_negated: is_negated != output.is_negated }
    }

    fn make(&mut self) -> u32 {
        self.n_made += 1;
        self.n_made - 1
    }

    fn read(&mut self, segment: &Segment) {
        let Some((variables, sets)) = &segment.fixpoint else {
            let operations = self.operations(segment);
            return self.items.extend(operations.into_iter().map(Item::One));
        };
        let mut one = Loop::default();
        for &slot in variables {
            let made = self.make();
            one.variables.push(made);
            self.slots[slot as usize] = plain(Value::Made(made));
        }
        one.body = self.operations(segment);
        for &(to, from, is_negated) in sets {
            let from = self.output(Output { slot: from, is_negated });
            if let Value::Made(variable) = self.slots[to as usize].value {
                one.sets.push((variable, from));
            }
        }
        self.items.push(Item::Loop(one));
    }

    fn operations(&mut self, segment: &Segment) -> Vec<Operation> {
        let mut result = Vec::new();
        let operands: Vec<u32> = match segment.operands() {
            Operands::Narrow(operands) => operands.iter().map(|&slot| slot.into()).collect(),
            Operands::Wide(operands) => operands.to_vec(),
        };
        let mut rest = &operands[..];
        for &(shape, n) in &segment.runs {
            let (own, after) = rest.split_at(n);
            rest = after;
            for operands in own.chunks_exact(shape.n_operands()) {
                self.operation(shape, operands, &mut result);
            }
        }
        result
    }

    fn operation(&mut self, shape: Shape, operands: &[u32], result: &mut Vec<Operation>) {
        let (to, from) = (operands[0] as usize, &operands[1..]);
        let input = |i: usize, is_negated| self.output(Output { slot: from[i], is_negated });
        match shape {
            Shape::Copy { is_negated } => self.slots[to] = input(0, is_negated),
            Shape::Table { op, signs } => {
                let inputs = (0..from.len()).map(|i| input(i, signs >> i & 1 == 1)).collect();
                self.push(Operation { result: 0, op, inputs, is_inverted: false }, to, result);
            }
            Shape::And { positive, is_inverted, .. } => {
                let mut inputs: Vec<Signed> =
                    (0..from.len()).map(|i| input(i, i >= positive as usize)).collect();
                // Three at a time, so that the others need not be known yet.
                while inputs.len() > 3 {
                    let rest = inputs.split_off(3);
                    let result_slot = usize::MAX;
                    let one = Operation { result: 0, op: Op::And, inputs, is_inverted: false };
                    let made = self.push(one, result_slot, result);
                    inputs = std::iter::once(plain(Value::Made(made))).chain(rest).collect();
                }
                self.push(Operation { result: 0, op: Op::And, inputs, is_inverted }, to, result);
            }
        }
    }

    fn push(&mut self, mut one: Operation, slot: usize, result: &mut Vec<Operation>) -> u32 {
        one.result = self.make();
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = plain(Value::Made(one.result));
        }
        let made = one.result;
        result.push(one);
        made
    }
}

/// Items in the order in which they are needed.
struct Order<'a> {
    items: &'a [Item],
    /// The item that makes each value.
    makers: Vec<usize>,
    is_done: Vec<bool>,
}

impl<'a> Order<'a> {
    fn new(items: &'a [Item], n_made: usize) -> Order<'a> {
        let mut makers = vec![usize::MAX; n_made];
        for (i, item) in items.iter().enumerate() {
            item.results().into_iter().for_each(|made| makers[made as usize] = i);
        }
        Order { items, makers, is_done: vec![false; items.len()] }
    }

    /// The items that are needed for these values and are not done yet.
    fn until(&mut self, wanted: impl Iterator<Item = Value>) -> Vec<usize> {
        let mut result = Vec::new();
        for value in wanted {
            let mut open = Vec::from_iter(self.maker(value).map(|item| (item, false)));
            while let Some((item, is_ready)) = open.pop() {
                if self.is_done[item] {
                    continue;
                }
                if is_ready {
                    self.is_done[item] = true;
                    result.push(item);
                    continue;
                }
                open.push((item, true));
                let inputs = self.items[item].inputs();
                let needed = inputs.into_iter().rev().filter_map(|input| self.maker(input));
                open.extend(needed.filter(|&other| other != item).map(|other| (other, false)));
            }
        }
        result
    }

    fn maker(&self, value: Value) -> Option<usize> {
        match value {
            Value::Made(made) => Some(self.makers[made as usize]),
            _ => None,
        }
    }
}
