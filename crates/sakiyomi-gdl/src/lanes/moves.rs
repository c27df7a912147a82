//! From a network to the logic of one phase: what can be said of a state, the pick of a move for
//! every role, and the next state.
//!
//! What depends on moves has two forms. As gates, a move is a literal like any other. As a vector,
//! a value is kept by move: one state literal for every move of a role, most of them equal. Ands
//! and Ors are then worked out move by move when the logic is built, which is exact since a role
//! makes one move. A frame rule ("a cell keeps its piece unless one of 300 moves touches it") is
//! then one Or of the moves that touch it; as gates it is an And per move and cell. Vectors copy a
//! large formula for every move whose effect it is, so neither form is always smaller.

use rustc_hash::FxHashMap;

use crate::lanes::logic::{Logic, Op};
use crate::lanes::pick::pick;
use crate::lanes::{Bounds, Refusal};
use crate::network::gates::{FALSE, Kind, Lit, TRUE, is_negated, node_of};
use crate::network::graph::Network;

/// How effects of moves are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Gates,
    Vectors,
}

/// A fluent that has the same value whenever a phase comes.
pub(super) type Fixed = FxHashMap<u32, bool>;

/// The logic of one phase.
#[derive(Debug)]
pub(super) struct PhaseLogic {
    pub(super) logic: Logic,
    pub(super) terminal: Lit,
    /// Whether some role has no legal move.
    pub(super) stuck: Lit,
    /// Per role the number of legal moves, and the drawn bits that pick one.
    pub(super) roles: Vec<(Vec<Lit>, std::ops::Range<u32>)>,
    /// Per move whether it is legal, and whether it is made.
    pub(super) legal: Vec<Lit>,
    pub(super) does: Vec<Lit>,
    /// The next value of every fluent that is not fixed.
    pub(super) next: Vec<(u32, Lit)>,
}

/// The logic of the goals: per role the values with the literals that grant them.
#[derive(Debug)]
pub(super) struct GoalLogic {
    pub(super) logic: Logic,
    pub(super) goals: Vec<Vec<(u8, Lit)>>,
}

impl PhaseLogic {
    pub(super) fn new(
        network: &Network,
        fixed: &Fixed,
        form: Form,
        bounds: &Bounds<'_>,
    ) -> Result<PhaseLogic, Refusal> {
        let mut builder = Builder::new(network, bounds);
        let needed = cone(
            network,
            network.next.iter().chain(&network.legal).chain([&network.terminal]).copied(),
        );
        builder.state_nodes(&needed, fixed)?;
        builder.legal = network.legal.iter().map(|&lit| builder.state_lit(lit)).collect();
        let roles = builder.pick_moves();
        let stuck: Vec<Lit> =
            roles.iter().map(|(count, _)| builder.logic.or(count.clone()) ^ 1).collect();
        let stuck = builder.logic.or(stuck);
        builder.move_nodes(&needed, form)?;
        let mut next = Vec::new();
        for (fluent, &lit) in network.next.iter().enumerate() {
            if !fixed.contains_key(&(fluent as u32)) {
                next.push((fluent as u32, builder.next_lit(lit)));
            }
        }
        bounds.check(&builder.logic)?;
        let terminal = builder.state_lit(network.terminal);
        let Builder { logic, legal, does, .. } = builder;
        Ok(PhaseLogic { logic, terminal, stuck, roles, legal, does, next })
    }
}

impl GoalLogic {
    pub(super) fn new(network: &Network, bounds: &Bounds<'_>) -> Result<GoalLogic, Refusal> {
        let mut builder = Builder::new(network, bounds);
        let needed = cone(network, network.goals.iter().flatten().map(|&(_, lit)| lit));
        builder.state_nodes(&needed, &Fixed::default())?;
        let goals = (network.goals.iter())
            .map(|goals| {
                goals.iter().map(|&(value, lit)| (value, builder.state_lit(lit))).collect()
            })
            .collect();
        bounds.check(&builder.logic)?;
        Ok(GoalLogic { goals, logic: builder.logic })
    }
}

/// The nodes on which literals depend.
fn cone(network: &Network, roots: impl Iterator<Item = Lit>) -> Vec<bool> {
    let gates = &network.gates;
    let mut seen = vec![false; gates.len()];
    let mut open: Vec<usize> = roots.map(node_of).collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(gates.inputs(node).iter().map(|&lit| node_of(lit)));
            open.extend(gates.component(node).unwrap_or(0..0));
        }
    }
    seen
}

/// The value of a node that depends on moves.
#[derive(Clone, Debug)]
enum Value {
    /// It does not, in this phase.
    State(Lit),
    /// By the move of one role: a state literal, and others for some moves, sorted.
    ByMove { role: usize, default: Lit, exceptions: Vec<(u32, Lit)> },
    /// By literals of moves.
    Mixed(Lit),
}

/// One input of a gate, by the move of a role.
struct Part {
    default: Lit,
    exceptions: Vec<(u32, Lit)>,
}

struct Builder<'a> {
    network: &'a Network,
    bounds: &'a Bounds<'a>,
    logic: Logic,
    /// Per node of the network that does not depend on moves, its literal.
    lits: Vec<Lit>,
    /// Per node that does, its value.
    values: Vec<Option<Value>>,
    /// Per move whether it is legal and whether it is made.
    legal: Vec<Lit>,
    does: Vec<Lit>,
    /// Per role how many moves can be legal.
    n_open: Vec<usize>,
    /// What holds if a move is legal.
    known: FxHashMap<u32, Vec<Lit>>,
}

impl<'a> Builder<'a> {
    fn new(network: &'a Network, bounds: &'a Bounds<'a>) -> Builder<'a> {
        let n = network.gates.len();
        Builder {
            network,
            bounds,
            logic: Logic::new(),
            lits: vec![FALSE; n],
            values: Vec::new(),
            legal: Vec::new(),
            does: vec![FALSE; network.moves.len()],
            n_open: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    fn state_lit(&self, lit: Lit) -> Lit {
        self.lits[node_of(lit)] ^ (lit & 1)
    }

    /// Everything that depends on the state alone.
    fn state_nodes(&mut self, needed: &[bool], fixed: &Fixed) -> Result<(), Refusal> {
        let gates = &self.network.gates;
        let mut node = 1;
        while node < gates.len() {
            if node.is_multiple_of(4096) {
                self.bounds.check(&self.logic)?;
            }
            if !needed[node] || gates.by_moves(node) {
                node += 1;
                continue;
            }
            if let Some(range) = gates.component(node) {
                node = range.end;
                self.fixpoint(range);
                continue;
            }
            self.lits[node] = match gates.kind(node) {
                Kind::Fluent => match fixed.get(&(node as u32 - 1)) {
                    Some(&value) => Lit::from(value),
                    None => self.logic.leaf(Op::Fluent, node as u32 - 1),
                },
                Kind::And | Kind::Or => self.state_gate(node),
                Kind::Constant | Kind::Move => FALSE,
            };
            node += 1;
        }
        Ok(())
    }

    fn state_gate(&mut self, node: usize) -> Lit {
        let gates = &self.network.gates;
        let lits = gates.inputs(node).iter().map(|&lit| self.state_lit(lit)).collect();
        self.logic.combine(gates.kind(node) == Kind::And, lits)
    }

    /// A component: gates that read later ones become variables.
    fn fixpoint(&mut self, range: std::ops::Range<usize>) {
        let gates = &self.network.gates;
        let outside = range.clone().flat_map(|node| gates.inputs(node)).map(|&lit| node_of(lit));
        let level = outside
            .filter(|node| !range.contains(node))
            .map(|node| self.logic.level(node_of(self.lits[node])))
            .max();
        let level = level.unwrap_or(0) + 1;
        let mut variables = Vec::new();
        for node in range {
            let reads_later = |&lit: &Lit| node_of(lit) >= node;
            if gates.inputs(node).iter().any(reads_later) {
                self.lits[node] = self.logic.variable(level);
                variables.push(node);
            } else {
                self.lits[node] = self.state_gate(node);
            }
        }
        for node in variables {
            let body = self.state_gate(node);
            self.logic.fixpoints.push((self.lits[node] >> 1, body));
        }
    }

    /// The picks of all roles: their counts, and the drawn bits.
    fn pick_moves(&mut self) -> Vec<(Vec<Lit>, std::ops::Range<u32>)> {
        let (mut roles, mut n_draws) = (Vec::new(), 0);
        for range in &self.network.role_moves {
            let open: Vec<usize> = range.clone().filter(|&m| self.legal[m] != FALSE).collect();
            let legal: Vec<Lit> = open.iter().map(|&index| self.legal[index]).collect();
            let picked = pick(&mut self.logic, &legal, n_draws);
            for (&index, lit) in open.iter().zip(picked.does) {
                self.does[index] = lit;
            }
            self.n_open.push(open.len());
            n_draws = picked.draws.end;
            roles.push((picked.count, picked.draws));
        }
        roles
    }

    /// Everything that depends on moves.
    fn move_nodes(&mut self, needed: &[bool], form: Form) -> Result<(), Refusal> {
        let gates = &self.network.gates;
        self.values.resize(gates.len(), None);
        let first_move = self.network.move_node(0);
        for node in (first_move..gates.len()).filter(|&n| needed[n] && gates.by_moves(n)) {
            let value = match gates.kind(node) {
                Kind::Move => self.move_value(node - first_move, form),
                _ => self.move_gate(node),
            };
            self.values[node] = Some(value);
            if node.is_multiple_of(256) {
                self.bounds.check(&self.logic)?;
            }
        }
        Ok(())
    }

    fn move_value(&self, index: usize, form: Form) -> Value {
        let role = usize::from(self.network.moves[index].role);
        match form {
            _ if self.legal[index] == FALSE => Value::State(FALSE),
            _ if self.n_open[role] == 1 => Value::State(TRUE),
            Form::Gates => Value::Mixed(self.does[index]),
            Form::Vectors => {
                Value::ByMove { role, default: FALSE, exceptions: vec![(index as u32, TRUE)] }
            }
        }
    }

    fn move_gate(&mut self, node: usize) -> Value {
        let gates = &self.network.gates;
        let is_and = gates.kind(node) == Kind::And;
        let (mut states, mut mixed) = (Vec::new(), Vec::new());
        let mut parts: Vec<Vec<Part>> = Vec::new();
        parts.resize_with(self.network.role_moves.len(), Vec::new);
        for &lit in gates.inputs(node) {
            let sign = lit & 1;
            match &self.values[node_of(lit)] {
                None => states.push(self.state_lit(lit)),
                Some(Value::State(state)) => states.push(state ^ sign),
                Some(Value::Mixed(lit)) => mixed.push(lit ^ sign),
                Some(Value::ByMove { role, default, exceptions }) => parts[*role].push(Part {
                    default: default ^ sign,
                    exceptions: exceptions.iter().map(|&(m, lit)| (m, lit ^ sign)).collect(),
                }),
            }
        }
        let state = self.logic.combine(is_and, states);
        if state == decides(is_and) {
            return Value::State(state);
        }
        let n_roles = parts.iter().filter(|parts| !parts.is_empty()).count();
        if n_roles == 0 && mixed.is_empty() {
            return Value::State(state);
        }
        if n_roles == 1 && mixed.is_empty() {
            let role = parts.iter().position(|parts| !parts.is_empty()).unwrap_or(0);
            let mut own = std::mem::take(&mut parts[role]);
            own.push(Part { default: state, exceptions: Vec::new() });
            return self.by_move(role, is_and, &own);
        }
        let mut lits = mixed;
        for (role, parts) in parts.iter().enumerate().filter(|(_, parts)| !parts.is_empty()) {
            let value = self.by_move(role, is_and, parts);
            lits.push(self.lit_of(&value));
        }
        lits.push(state);
        Value::Mixed(self.logic.combine(is_and, lits))
    }

    /// A gate whose inputs all depend on the move of one role.
    fn by_move(&mut self, role: usize, is_and: bool, parts: &[Part]) -> Value {
        let decides = decides(is_and);
        let n_deciding = parts.iter().filter(|part| part.default == decides).count();
        let others: Vec<usize> = (0..parts.len()).filter(|&i| parts[i].default > TRUE).collect();
        let mut by_move: Vec<(u32, u32, Lit)> = (parts.iter().enumerate())
            .flat_map(|(i, part)| part.exceptions.iter().map(move |&(m, lit)| (m, i as u32, lit)))
            .collect();
        by_move.sort_unstable();
        let defaults = parts.iter().map(|part| part.default).collect();
        let default = self.logic.combine(is_and, defaults);
        let mut exceptions: Vec<(u32, Lit)> = Vec::new();
        for own in by_move.chunk_by(|a, b| a.0 == b.0) {
            let own_part = |i: usize| own.iter().any(|&(_, part, _)| part as usize == i);
            let deciding = own.iter().filter(|own| parts[own.1 as usize].default == decides);
            let value = if n_deciding > deciding.count() {
                decides
            } else {
                let rest = others.iter().filter(|&&i| !own_part(i)).map(|&i| parts[i].default);
                let lits = own.iter().map(|own| own.2).chain(rest).collect();
                self.logic.combine(is_and, lits)
            };
            if value != default {
                exceptions.push((own[0].0, value));
            }
        }
        if exceptions.is_empty() {
            return Value::State(default);
        }
        let (default, exceptions) = self.with_common_default(role, default, exceptions);
        Value::ByMove { role, default, exceptions }
    }

    /// The same with the most common value as the default.
    fn with_common_default(
        &self,
        role: usize,
        default: Lit,
        exceptions: Vec<(u32, Lit)>,
    ) -> (Lit, Vec<(u32, Lit)>) {
        let n_open = self.n_open[role];
        if exceptions.len() * 2 <= n_open {
            return (default, exceptions);
        }
        let mut counts: FxHashMap<Lit, usize> = FxHashMap::default();
        for &(_, lit) in &exceptions {
            *counts.entry(lit).or_default() += 1;
        }
        let best = counts.into_iter().map(|(lit, count)| (count, lit)).max();
        let Some((count, best)) = best else { return (default, exceptions) };
        if count <= n_open.saturating_sub(exceptions.len()) {
            return (default, exceptions);
        }
        let value = |index: u32| match exceptions.binary_search_by_key(&index, |e| e.0) {
            Ok(at) => exceptions[at].1,
            Err(_) => default,
        };
        let range = &self.network.role_moves[role];
        let others = (range.start as u32..range.end as u32)
            .filter(|&index| self.legal[index as usize] != FALSE)
            .map(|index| (index, value(index)))
            .filter(|&(_, lit)| lit != best)
            .collect();
        (best, others)
    }

    fn next_lit(&mut self, lit: Lit) -> Lit {
        match self.values[node_of(lit)].take() {
            None => self.state_lit(lit),
            Some(value) => {
                let result = self.lit_of(&value) ^ u32::from(is_negated(lit));
                // Other fluents may have the same next value.
                self.values[node_of(lit)] = Some(value);
                result
            }
        }
    }

    fn lit_of(&mut self, value: &Value) -> Lit {
        match value {
            Value::State(lit) | Value::Mixed(lit) => *lit,
            Value::ByMove { role, default, exceptions } => {
                self.vector_lit(*role, *default, exceptions)
            }
        }
    }

    /// A vector as a literal: for each value an Or of the moves that lead to it.
    fn vector_lit(&mut self, role: usize, default: Lit, exceptions: &[(u32, Lit)]) -> Lit {
        let mut simpler = Vec::with_capacity(exceptions.len());
        for &(index, lit) in exceptions {
            if self.legal[index as usize] != FALSE {
                let lit = self.if_legal(index, lit);
                if lit != default {
                    simpler.push((index, lit));
                }
            }
        }
        let (default, mut exceptions) = self.with_common_default(role, default, simpler);
        exceptions.sort_unstable_by_key(|&(index, lit)| (lit, index));
        let (mut some, mut terms) = (Vec::new(), Vec::new());
        for group in exceptions.chunk_by(|a, b| a.1 == b.1) {
            let moves = group.iter().map(|&(index, _)| self.does[index as usize]).collect();
            let moves = self.logic.or(moves);
            some.push(moves);
            terms.push(self.logic.and2(group[0].1, moves));
        }
        if default != FALSE {
            let any = self.logic.or(some);
            terms.push(self.logic.and2(default, any ^ 1));
        }
        self.logic.or(terms)
    }

    /// A literal, given that a move is legal.
    fn if_legal(&mut self, index: u32, lit: Lit) -> Lit {
        if lit <= TRUE {
            return lit;
        }
        let known = self.known.remove(&index);
        let known = known.unwrap_or_else(|| self.logic.conjuncts(self.legal[index as usize]));
        let simpler = self.logic.simplify(lit, &known);
        self.known.insert(index, known);
        simpler
    }
}

/// The literal that decides a gate whatever the other inputs are.
fn decides(is_and: bool) -> Lit {
    if is_and { FALSE } else { TRUE }
}
