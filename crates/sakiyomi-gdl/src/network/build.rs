//! From ground rules to a network of gates over the fluents and moves.
//!
//! Gates are numbered so that inputs come first, except inside components: atoms that depend on
//! each other through recursion, whose value is the least fixpoint.

use crate::ground::meter::Meter;
use crate::ground::program::{Instances, Program, goal_value};
use crate::network::gates::{FALSE, Gates, Kind, Lit, TRUE, is_negated, node_of};
use crate::network::graph::{Network, RoleMove};
use crate::read::error::GdlError;
use crate::read::term::TermId;

impl Network {
    /// Builds the network of a program from its ground rules.
    pub(crate) fn new(
        program: &Program,
        instances: Instances,
        meter: &mut Meter<'_>,
    ) -> Result<Network, GdlError> {
        let n_terms = program.terms.len() as u64;
        // Per instance its place by head, and per term the literal and what the search for
        // components notes.
        let held = program.bytes() + instances.bytes() + 12 * instances.n() + 32 * n_terms;
        // Moves and fluents are sorted by their texts.
        let written = |key| {
            let predicate = program.facts.find_predicate(key);
            let list = predicate.map_or(&[][..], |predicate| program.facts.list(predicate));
            list.iter().map(|&atom| 80 + program.terms.written(atom)).sum::<u64>()
        };
        let held = held + written((program.keywords.true_, 1));
        let held = held + written((program.keywords.does, 2));
        meter.begin("making gates", held);
        meter.look((0, 0));
        meter.check()?;
        let mut build = Builder::new(program);
        build.derive(&instances, meter)?;
        drop(instances);
        let network = build.finish();
        meter.begin("making the network", program.bytes());
        network.look(meter)?;
        Ok(network)
    }
}

/// An atom without a literal yet.
const OPEN: Lit = u32::MAX;

struct Builder<'a> {
    program: &'a Program,
    gates: Gates,
    fluents: Vec<TermId>,
    moves: Vec<RoleMove>,
    /// The literal of every atom.
    lits: Vec<Lit>,
}

impl<'a> Builder<'a> {
    fn new(program: &'a Program) -> Builder<'a> {
        let terms = &program.terms;
        let keywords = &program.keywords;
        let facts = &program.facts;
        let list = |key| facts.find_predicate(key).map_or(&[][..], |p| facts.list(p));
        let mut gates = Gates::default();
        gates.leaf(Kind::Constant);
        let mut lits = vec![OPEN; terms.len()];
        let mut fluents: Vec<(String, TermId)> = (list((keywords.true_, 1)).iter())
            .map(|&atom| (terms.text(terms.arguments(atom)[0]), atom))
            .collect();
        fluents.sort_unstable();
        for &(_, atom) in &fluents {
            lits[atom as usize] = (gates.leaf(Kind::Fluent) as Lit) << 1;
        }
        let mut moves: Vec<(usize, String, TermId)> = Vec::new();
        for &atom in list((keywords.does, 2)) {
            let arguments = terms.arguments(atom);
            match program.roles.iter().position(|&role| role == arguments[0]) {
                Some(role) => moves.push((role, terms.text(arguments[1]), atom)),
                // A move of someone who does not play never happens.
                None => lits[atom as usize] = FALSE,
            }
        }
        moves.sort_unstable();
        for &(_, _, atom) in &moves {
            lits[atom as usize] = (gates.leaf(Kind::Move) as Lit) << 1;
        }
        let argument = |atom, i: usize| terms.arguments(atom)[i];
        Builder {
            program,
            gates,
            fluents: fluents.into_iter().map(|(_, atom)| argument(atom, 0)).collect(),
            moves: (moves.into_iter())
                .map(|(role, _, atom)| RoleMove { role: role as u8, term: argument(atom, 1) })
                .collect(),
            lits,
        }
    }

    /// Gives every derived atom its literal, component by component.
    fn derive(&mut self, instances: &Instances, meter: &mut Meter<'_>) -> Result<(), GdlError> {
        let by_head = ByHead::new(instances, self.lits.len());
        for component in components(instances, &by_head, &self.lits) {
            meter.tick(|| (self.gates.len(), self.gates.bytes()));
            let n_cases: usize = component.iter().map(|&atom| by_head.of(atom).len()).sum();
            meter.work(n_cases, || (self.gates.len(), self.gates.bytes()));
            meter.check()?;
            match component[..] {
                [atom] => {
                    let lit = self.single(atom, instances, &by_head)?;
                    self.lits[atom as usize] = lit;
                }
                _ => self.recursive(&component, instances, &by_head)?,
            }
        }
        Ok(())
    }

    fn single(
        &mut self,
        atom: TermId,
        instances: &Instances,
        by_head: &ByHead,
    ) -> Result<Lit, GdlError> {
        let mut cases = Vec::new();
        let mut body: Vec<Lit> = Vec::new();
        for &instance in by_head.of(atom) {
            let literals = instances.body(instance as usize);
            if literals.contains(&(atom << 1 | 1)) {
                return Err(self.not_stratified(atom));
            }
            // A rule that needs its own head adds nothing to a least fixpoint.
            if literals.contains(&(atom << 1)) {
                continue;
            }
            body.clear();
            body.extend(literals.iter().map(|&literal| self.lit(literal)));
            let case = self.gates.and(&mut body);
            if case == TRUE {
                return Ok(TRUE);
            }
            cases.push(case);
        }
        Ok(self.gates.or(&mut cases))
    }

    fn recursive(
        &mut self,
        component: &[TermId],
        instances: &Instances,
        by_head: &ByHead,
    ) -> Result<(), GdlError> {
        let start = self.gates.len();
        for &atom in component {
            self.lits[atom as usize] = (self.gates.leaf(Kind::Or) as Lit) << 1;
        }
        let end = self.gates.len();
        let mut body: Vec<Lit> = Vec::new();
        for (i, &atom) in component.iter().enumerate() {
            let mut cases = Vec::new();
            for &instance in by_head.of(atom) {
                body.clear();
                body.extend(instances.body(instance as usize).iter().map(|&l| self.lit(l)));
                let inside = |&lit: &Lit| (start..end).contains(&node_of(lit));
                if body.iter().any(|lit| is_negated(*lit) && inside(lit)) {
                    return Err(self.not_stratified(atom));
                }
                cases.push(self.gates.and(&mut body));
            }
            cases.retain(|&case| case != FALSE && node_of(case) != start + i);
            cases.sort_unstable();
            cases.dedup();
            self.gates.fill(start + i, &cases);
        }
        self.gates.close_component(start);
        Ok(())
    }

    fn lit(&self, literal: u32) -> Lit {
        let lit = self.lits[(literal >> 1) as usize];
        debug_assert_ne!(lit, OPEN);
        lit ^ (literal & 1)
    }

    fn not_stratified(&self, atom: TermId) -> GdlError {
        GdlError::NotStratified { atom: self.program.terms.text(atom) }
    }

    fn finish(self) -> Network {
        let Program { terms, keywords, roles, initial, .. } = self.program;
        let lit_of = |functor, arguments: &[TermId]| {
            let lit = terms.find(functor, arguments).map_or(OPEN, |atom| self.lits[atom as usize]);
            if lit == OPEN { FALSE } else { lit }
        };
        let next = self.fluents.iter().map(|&fluent| lit_of(keywords.next, &[fluent])).collect();
        let legal = (self.moves.iter())
            .map(|m| lit_of(keywords.legal, &[roles[m.role as usize], m.term]))
            .collect();
        let role_moves = (0..roles.len())
            .map(|role| {
                let start = self.moves.partition_point(|m| usize::from(m.role) < role);
                start..self.moves.partition_point(|m| usize::from(m.role) <= role)
            })
            .collect();
        let facts = &self.program.facts;
        let goal_atoms =
            facts.find_predicate((keywords.goal, 2)).map_or(&[][..], |goal| facts.list(goal));
        let mut goals = vec![Vec::new(); roles.len()];
        for &atom in goal_atoms {
            let [role, value] = *terms.arguments(atom) else { continue };
            let lit = self.lits[atom as usize];
            let role = roles.iter().position(|&other| other == role);
            if let (Some(role), Some(value)) = (role, goal_value(terms, value))
                && lit != OPEN
                && lit != FALSE
            {
                goals[role].push((value, lit));
            }
        }
        let mut initial: Vec<u32> = (initial.iter())
            .filter_map(|fluent| terms.find(keywords.true_, &[*fluent]))
            .map(|atom| node_of(self.lits[atom as usize]) as u32 - 1)
            .collect();
        initial.sort_unstable();
        let terminal = lit_of(keywords.terminal, &[]);
        let Builder { gates, fluents, moves, .. } = self;
        Network { gates, fluents, moves, role_moves, next, legal, terminal, goals, initial }
    }
}

/// Instances grouped by head.
struct ByHead {
    starts: Vec<u32>,
    instances: Vec<u32>,
}

impl ByHead {
    fn new(instances: &Instances, n_atoms: usize) -> ByHead {
        let mut starts = vec![0u32; n_atoms + 1];
        for &head in &instances.heads {
            starts[head as usize + 1] += 1;
        }
        for i in 0..n_atoms {
            starts[i + 1] += starts[i];
        }
        let mut place = starts.clone();
        let mut sorted = vec![0; instances.heads.len()];
        for (instance, &head) in instances.heads.iter().enumerate() {
            sorted[place[head as usize] as usize] = instance as u32;
            place[head as usize] += 1;
        }
        ByHead { starts, instances: sorted }
    }

    fn of(&self, atom: TermId) -> &[u32] {
        let atom = atom as usize;
        &self.instances[self.starts[atom] as usize..self.starts[atom + 1] as usize]
    }
}

/// The strongly connected components of the atoms that rules derive, dependencies first (Tarjan's
/// algorithm without recursion).
fn components(instances: &Instances, by_head: &ByHead, lits: &[Lit]) -> Vec<Vec<TermId>> {
    const UNSEEN: u32 = u32::MAX;
    let mut index = vec![UNSEEN; lits.len()];
    let mut low = vec![0u32; lits.len()];
    let mut on_stack = vec![false; lits.len()];
    let (mut stack, mut result, mut counter) = (Vec::new(), Vec::new(), 0);
    // A frame is an atom with the instance and the literal that come next.
    let mut frames: Vec<(TermId, usize, usize)> = Vec::new();
    let mut roots: Vec<TermId> = instances.heads.clone();
    roots.sort_unstable();
    roots.dedup();
    for root in roots {
        if index[root as usize] != UNSEEN {
            continue;
        }
        frames.push((root, 0, 0));
        while let Some(&mut (atom, ref mut case, ref mut at)) = frames.last_mut() {
            let a = atom as usize;
            if index[a] == UNSEEN {
                (index[a], low[a], on_stack[a]) = (counter, counter, true);
                counter += 1;
                stack.push(atom);
            }
            let cases = by_head.of(atom);
            if *case == cases.len() {
                frames.pop();
                if let Some(&(parent, ..)) = frames.last() {
                    low[parent as usize] = low[parent as usize].min(low[a]);
                }
                if low[a] == index[a] {
                    let from = stack.iter().rposition(|&other| other == atom).unwrap_or(0);
                    let component = stack.split_off(from);
                    component.iter().for_each(|&member| on_stack[member as usize] = false);
                    result.push(component);
                }
                continue;
            }
            let body = instances.body(cases[*case] as usize);
            let Some(&literal) = body.get(*at) else {
                (*case, *at) = (*case + 1, 0);
                continue;
            };
            *at += 1;
            let child = literal >> 1;
            let c = child as usize;
            if lits[c] != OPEN {
                continue;
            }
            if index[c] == UNSEEN {
                frames.push((child, 0, 0));
            } else if on_stack[c] {
                low[a] = low[a].min(index[c]);
            }
        }
    }
    result
}
