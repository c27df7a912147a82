//! Games whose code is too large to compile: operations as numbers, for one small kernel.
//!
//! The words of a thread lie in the memory of the device: those of the phases by their slots, then
//! those of the goals, which keep the states of matches that are over.

use crate::lanes::Lanes;
use crate::lanes::code::{Operands, Output, Segment, Shape};
use crate::lanes::cuda::source::{TAIL, head};
use crate::lanes::logic::Op;

/// The operations of a game and the tables that say what they are for.
#[derive(Debug)]
pub(super) struct OperationList {
    pub(super) list: Vec<u32>,
    /// Words that every thread needs.
    pub(super) n_words: usize,
}

/// The kernel for a list. It depends on a few sizes of the game only.
pub(super) fn list_source(lanes: &Lanes) -> String {
    let sizes =
        format!("#define N_FLUENTS {}u\n#define N_SLOTS {}u\n", lanes.n_fluents, lanes.n_slots);
    [&sizes, &head(lanes), include_str!("../../../kernels/list.cu"), TAIL].concat()
}

/// What an operation of a list is; the numbers are those of `kernels/list.cu`.
#[derive(Clone, Copy)]
enum Kind {
    And = 0,
    /// And with the result of the operation before.
    AndMore = 1,
    Xor = 2,
    Majority = 3,
    AndOr = 4,
    Choose = 5,
    /// Sets a variable of a loop.
    Set = 6,
    /// Goes back unless nothing was changed.
    Repeat = 7,
}

const INVERTED: u32 = 32;
const STORED: u32 = 16;

impl OperationList {
    pub(super) fn new(lanes: &Lanes) -> OperationList {
        // The first four words are for the place of the tables.
        let mut writer = Writer { list: vec![0; 4] };
        let mut ranges = Vec::new();
        for phase in &lanes.phases {
            let start = writer.n();
            phase.code.first.iter().for_each(|segment| writer.segment(segment, 0));
            let middle = writer.n();
            phase.code.second.iter().for_each(|segment| writer.segment(segment, 0));
            ranges.push([start, middle, writer.n()]);
        }
        let goals_start = writer.n();
        let offset = lanes.n_slots as u32;
        lanes.goals.code.first.iter().for_each(|segment| writer.segment(segment, offset));
        let goals = [goals_start, writer.n()];
        let mut list = writer.list;
        list[0] = list.len() as u32;
        list.extend(tables(lanes, &ranges, goals));
        OperationList { list, n_words: lanes.n_slots + lanes.goals.code.n_slots }
    }
}

fn literal(output: Output, offset: u32) -> u32 {
    (output.slot + offset) << 1 | u32::from(output.is_negated)
}

/// What `kernels/list.cu` reads beside the operations; places are counted from the start of the tables.
fn tables(lanes: &Lanes, ranges: &[[u32; 3]], goals: [u32; 2]) -> Vec<u32> {
    let n_head = 6 * lanes.period() + 5;
    let (mut head, mut rest) = (Vec::new(), Vec::new());
    for (phase, range) in lanes.phases.iter().zip(ranges) {
        let outputs = &phase.code.outputs;
        head.extend(range);
        head.extend([literal(outputs[0], 0), literal(outputs[1], 0)]);
        head.push((n_head + rest.len()) as u32);
        let drawing = || phase.roles.iter().enumerate().filter(|(_, own)| !own.draws.is_empty());
        rest.push(drawing().count() as u32);
        for (role, own) in drawing() {
            let sizes = [role, own.count.len(), own.draws.len(), own.draws.start];
            rest.extend(sizes.map(|size| size as u32));
            rest.extend(outputs[own.count.clone()].iter().map(|&output| literal(output, 0)));
        }
    }
    head.extend(goals);
    head.push((n_head + rest.len()) as u32);
    rest.push(lanes.goals.slots.len() as u32);
    rest.extend(&lanes.goals.slots);
    head.push((n_head + rest.len()) as u32);
    let fixed = lanes.phases.first().map_or(&[][..], |phase| &phase.fixed);
    rest.push(fixed.len() as u32);
    let offset = lanes.n_slots as u32;
    for &(fluent, _) in fixed {
        let holds = |phase: usize| lanes.phases[phase].fixed.binary_search(&(fluent, true)).is_ok();
        let phases = (0..lanes.period()).fold(0, |bits, p| bits | u32::from(holds(p)) << p);
        rest.extend([offset + 1 + fluent, phases]);
    }
    head.push((n_head + rest.len()) as u32);
    let mut outputs = lanes.goals.code.outputs.iter();
    for values in &lanes.goals.values {
        rest.push(values.len() as u32);
        for (&value, &output) in values.iter().zip(outputs.by_ref()) {
            rest.extend([value.into(), literal(output, offset)]);
        }
    }
    head.extend(rest);
    head
}

struct Writer {
    list: Vec<u32>,
}

impl Writer {
    /// The number of the next operation.
    fn n(&self) -> u32 {
        (self.list.len() / 4) as u32
    }

    fn push(&mut self, to: u32, kind: Kind, flags: u32, inputs: [u32; 3]) {
        self.list.push(to << 6 | flags | kind as u32);
        self.list.extend(inputs);
    }

    fn segment(&mut self, segment: &Segment, offset: u32) {
        let Some((variables, sets)) = &segment.fixpoint else {
            return self.operations(segment, offset);
        };
        for &variable in variables {
            self.push(variable + offset, Kind::And, STORED, [0; 3]);
        }
        let start = self.n();
        self.operations(segment, offset);
        for &(to, slot, is_negated) in sets {
            let from = literal(Output { slot, is_negated }, offset);
            self.push(to + offset, Kind::Set, STORED, [from; 3]);
        }
        self.push(start, Kind::Repeat, 0, [0; 3]);
    }

    fn operations(&mut self, segment: &Segment, offset: u32) {
        let operands: Vec<u32> = match segment.operands() {
            Operands::Narrow(operands) => operands.iter().map(|&slot| slot.into()).collect(),
            Operands::Wide(operands) => operands.to_vec(),
        };
        let mut rest = &operands[..];
        for &(shape, n) in &segment.runs {
            let (own, after) = rest.split_at(n);
            rest = after;
            for operands in own.chunks_exact(shape.n_operands()) {
                let (to, from) = (operands[0] + offset, &operands[1..]);
                self.operation(shape, to, from, offset);
            }
        }
    }

    fn operation(&mut self, shape: Shape, to: u32, from: &[u32], offset: u32) {
        let input = |i: usize, is_negated| literal(Output { slot: from[i], is_negated }, offset);
        match shape {
            Shape::Copy { is_negated } => {
                self.push(to, Kind::And, STORED, [input(0, is_negated); 3]);
            }
            Shape::Table { op, signs } => {
                let signed = |i: usize| input(i, signs >> i & 1 == 1);
                let kind = match op {
                    Op::Majority => Kind::Majority,
                    Op::AndOr => Kind::AndOr,
                    Op::Choose => Kind::Choose,
                    _ => Kind::Xor,
                };
                let third = if from.len() == 3 { signed(2) } else { 0 };
                self.push(to, kind, STORED, [signed(0), signed(1), third]);
            }
            Shape::And { positive, is_inverted, .. } => {
                let inputs: Vec<u32> =
                    (0..from.len()).map(|i| input(i, i >= positive as usize)).collect();
                let n = inputs.chunks(3).len();
                for (i, three) in inputs.chunks(3).enumerate() {
                    let kind = if i == 0 { Kind::And } else { Kind::AndMore };
                    let inverted = if is_inverted { INVERTED } else { 0 };
                    let flags = if i + 1 == n { STORED | inverted } else { 0 };
                    let [a, b, c] = [0, 1, 2].map(|i| *three.get(i).unwrap_or(&three[0]));
                    self.push(to, kind, flags, [a, b, c]);
                }
            }
        }
    }
}
