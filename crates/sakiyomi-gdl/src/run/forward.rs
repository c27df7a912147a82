//! Plays a joint move by computing what its moves reach, once: for joint moves that occur too
//! seldom to be specialised (see `transition.rs`).
//!
//! The gates that depend on moves are numbered on their own, inputs first. Those that the moves
//! reach are computed in that order; a gate that keeps the value that it has when no role moves
//! reaches nothing further. All other gates have that value, which is a constant or a live node
//! nearly always, and is computed on demand otherwise.

use crate::network::gates::{FALSE, Kind, Lit, TRUE, is_negated, node_of};
use crate::network::graph::Network;
use crate::run::buffers::ForwardBuffers;
use crate::run::effects::Effects;
use crate::run::layout::Layout;
use crate::run::live::{Live, LiveLit};

/// A live literal, or a gate that depends on moves: its number doubled, plus one if negated, with
/// the highest bit set.
type Input = u32;

const LOCAL: u32 = 1 << 31;
/// What always and what never holds.
const ALWAYS: Input = u32::MAX;
const NEVER: Input = u32::MAX - 1;
/// No constant and no live literal: computed on demand.
const OPEN: Input = u32::MAX - 2;

#[derive(Debug, Default)]
pub(crate) struct Forward {
    gates: Vec<Gate>,
    inputs: Vec<Input>,
    readers: Vec<Reader>,
    /// Fluents whose next value is a gate, doubled, plus one if it is the negation, and who keep
    /// their value when no role moves.
    followers: Vec<u32>,
    /// Fluents that may change when no role moves, with their next value.
    changes_without_move: Vec<(u32, Input)>,
    /// The gate of every move.
    moves: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Gate {
    is_and: bool,
    /// The value when no role moves.
    without_moves: Input,
    /// Where its inputs, readers and followers end; they start where those of the gate before end.
    /// An Or lists only inputs that are not false when no role moves.
    inputs_end: u32,
    readers_end: u32,
    followers_end: u32,
}

/// A gate that reads a gate.
#[derive(Clone, Copy, Debug)]
struct Reader {
    /// Its number doubled, plus one if it reads the negation.
    gate: u32,
    /// The reader keeps the value that it has when no role moves unless this holds.
    guard: LiveLit,
}

const IS_KNOWN: u8 = 1;
const HOLDS: u8 = 2;
/// An Or that has a true input.
const HAS_TRUE_INPUT: u8 = 4;

impl Forward {
    pub(crate) fn new(effects: &Effects, network: &Network, layout: &Layout) -> Forward {
        let nodes: Vec<usize> =
            (0..effects.n_nodes()).filter(|&node| network.gates.by_moves(node)).collect();
        let mut numbers = vec![u32::MAX; effects.n_nodes()];
        for (number, &node) in nodes.iter().enumerate() {
            numbers[node] = number as u32;
        }
        let input = |lit: Lit| match numbers[node_of(lit)] {
            u32::MAX => layout.try_live_lit(lit).unwrap_or(NEVER),
            number => LOCAL | number << 1 | u32::from(is_negated(lit)),
        };
        let mut followers: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
        for (&node, fluents) in effects.keeps_without_move() {
            for &fluent in fluents {
                let next = network.next[fluent as usize];
                let own = &mut followers[numbers[node as usize] as usize];
                own.push(fluent << 1 | u32::from(is_negated(next)));
            }
        }
        let mut forward = Forward {
            changes_without_move: (effects.changes_without_move().iter())
                .map(|&fluent| (fluent, input(network.next[fluent as usize])))
                .collect(),
            moves: (0..network.moves.len())
                .map(|index| numbers[network.move_node(index)])
                .collect(),
            ..Forward::default()
        };
        for (number, &node) in nodes.iter().enumerate() {
            let kind = network.gates.kind(node);
            let own = match kind {
                Kind::Or => effects.inputs_without_moves(node),
                _ => network.gates.inputs(node),
            };
            // What is false when no role moves decides an And most often, so it comes first.
            let mut own: Vec<Lit> = own.to_vec();
            own.sort_by_key(|&lit| effects.without_moves(node_of(lit)) != FALSE ^ (lit & 1));
            forward.inputs.extend(own.iter().map(|&lit| input(lit)));
            for &reader in effects.readers(node) {
                let inputs = network.gates.inputs(reader as usize);
                for negated in [0, 1] {
                    let lit = (node as Lit) << 1 | negated;
                    if inputs.binary_search(&lit).is_ok() && matters(lit, reader, effects, network)
                    {
                        let gate = numbers[reader as usize] << 1 | negated;
                        let guard = guard(reader, effects, network, layout);
                        forward.readers.push(Reader { gate, guard });
                    }
                }
            }
            followers[number].sort_unstable();
            forward.followers.extend(&followers[number]);
            forward.gates.push(Gate {
                is_and: kind == Kind::And,
                without_moves: match effects.without_moves(node) {
                    TRUE => ALWAYS,
                    FALSE => NEVER,
                    lit => layout.try_live_lit(lit).unwrap_or(OPEN),
                },
                inputs_end: forward.inputs.len() as u32,
                readers_end: forward.readers.len() as u32,
                followers_end: forward.followers.len() as u32,
            });
        }
        forward
    }

    /// Plays a joint move. Returns how much work that was: gates that were reached, and connections
    /// that were looked at.
    pub(crate) fn run(&self, layout: &Layout, live: &mut Live, joint: &[u32]) -> usize {
        let mut buffers = live.forward.take().unwrap_or_default();
        buffers.known.resize(self.gates.len(), 0);
        buffers.open.resize(self.gates.len() / 64 + 1, 0);
        buffers.work = self.changes_without_move.len();
        let mut at = usize::MAX;
        for &index in joint {
            let gate = self.moves[index as usize];
            self.settle(gate, true, live, &mut buffers);
            at = at.min(gate as usize / 64);
        }
        while let Some(&word) = buffers.open.get(at) {
            if word == 0 {
                at += 1;
                continue;
            }
            let gate = (at * 64) as u32 + word.trailing_zeros();
            buffers.open[at] &= word - 1;
            let value = buffers.known[gate as usize] & HAS_TRUE_INPUT != 0
                || self.compute(gate, live, &mut buffers);
            if self.without_moves(gate, live) == Some(value) {
                self.learn(gate, value, &mut buffers);
            } else {
                self.settle(gate, value, live, &mut buffers);
            }
        }
        live.reserve_events(self.changes_without_move.len());
        for &(fluent, next) in &self.changes_without_move {
            let value = self.value(next, live, &mut buffers);
            let now = live.fact(fluent);
            live.note(fluent, now, value != now);
        }
        for gate in buffers.touched.drain(..) {
            buffers.known[gate as usize] = 0;
        }
        let work = buffers.work;
        live.forward = Some(buffers);
        live.advance(layout, None);
        work
    }

    /// Gives a gate its value, which is not the one when no role moves, and tells its readers.
    fn settle(&self, gate: u32, value: bool, live: &mut Live, buffers: &mut ForwardBuffers) {
        self.learn(gate, value, buffers);
        let (own, before) = self.spans(gate);
        let readers = &self.readers[before.readers_end as usize..own.readers_end as usize];
        for &reader in readers {
            if !live.holds(reader.guard) {
                continue;
            }
            let number = (reader.gate >> 1) as usize;
            buffers.open[number / 64] |= 1 << (number % 64);
            let holds = value != (reader.gate & 1 == 1);
            if holds && !self.gates[number].is_and {
                if buffers.known[number] == 0 {
                    buffers.touched.push(number as u32);
                }
                buffers.known[number] |= HAS_TRUE_INPUT;
            }
        }
        let followers = &self.followers[before.followers_end as usize..own.followers_end as usize];
        live.reserve_events(followers.len());
        for &follower in followers {
            let now = live.fact(follower >> 1);
            live.note(follower >> 1, now, (value != (follower & 1 == 1)) != now);
        }
        buffers.work += readers.len() + followers.len();
    }

    fn learn(&self, gate: u32, value: bool, buffers: &mut ForwardBuffers) {
        let known = &mut buffers.known[gate as usize];
        if *known == 0 {
            buffers.touched.push(gate);
        }
        *known |= IS_KNOWN | if value { HOLDS } else { 0 };
    }

    fn compute(&self, gate: u32, live: &Live, buffers: &mut ForwardBuffers) -> bool {
        let (own, before) = self.spans(gate);
        let inputs = &self.inputs[before.inputs_end as usize..own.inputs_end as usize];
        // An And is false as soon as an input is, an Or true.
        let decides = inputs.iter().position(|&i| self.value(i, live, buffers) != own.is_and);
        buffers.work += 1 + decides.map_or(inputs.len(), |at| at + 1);
        decides.is_some() != own.is_and
    }

    fn value(&self, input: Input, live: &Live, buffers: &mut ForwardBuffers) -> bool {
        if input & LOCAL == 0 {
            return live.holds(input as LiveLit);
        }
        if input >= NEVER {
            return input == ALWAYS;
        }
        let gate = (input & !LOCAL) >> 1;
        let known = buffers.known[gate as usize];
        let value = match known & IS_KNOWN != 0 {
            true => known & HOLDS != 0,
            false => self.without_moves(gate, live).unwrap_or_else(|| {
                let value = self.compute(gate, live, buffers);
                self.learn(gate, value, buffers);
                value
            }),
        };
        value != (input & 1 == 1)
    }

    /// The value of a gate when no role moves, if it is at hand.
    fn without_moves(&self, gate: u32, live: &Live) -> Option<bool> {
        match self.gates[gate as usize].without_moves {
            ALWAYS => Some(true),
            NEVER => Some(false),
            OPEN => None,
            lit => Some(live.holds(lit)),
        }
    }

    /// A gate and the one before it.
    fn spans(&self, gate: u32) -> (Gate, Gate) {
        const NOTHING: Gate = Gate {
            is_and: false,
            without_moves: NEVER,
            inputs_end: 0,
            readers_end: 0,
            followers_end: 0,
        };
        let gate = gate as usize;
        (self.gates[gate], gate.checked_sub(1).map_or(NOTHING, |before| self.gates[before]))
    }
}

/// Whether a gate may get another value than when no role moves because one of its inputs does.
fn matters(input: Lit, gate: u32, effects: &Effects, network: &Network) -> bool {
    let is_and = network.gates.kind(gate as usize) == Kind::And;
    let decides = if is_and { FALSE } else { TRUE };
    let input_changes_to = match effects.without_moves(node_of(input)) {
        FALSE => TRUE ^ (input & 1),
        TRUE => FALSE ^ (input & 1),
        _ => return true,
    };
    input_changes_to != decides || effects.without_moves(gate as usize) != decides
}

/// A literal of the state without which an And is false, as it is when no role moves. A fluent, if
/// there is one: most are false.
fn guard(gate: u32, effects: &Effects, network: &Network, layout: &Layout) -> LiveLit {
    let always = layout.always();
    if network.gates.kind(gate as usize) != Kind::And
        || effects.without_moves(gate as usize) != FALSE
    {
        return always;
    }
    let inputs = network.gates.inputs(gate as usize).iter();
    let of_state = inputs.filter(|&&lit| !network.gates.by_moves(node_of(lit)));
    let best = of_state.min_by_key(|&&lit| {
        (is_negated(lit), network.gates.kind(node_of(lit)) != Kind::Fluent, lit)
    });
    best.and_then(|&lit| layout.try_live_lit(lit)).unwrap_or(always)
}
