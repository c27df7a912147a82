//! A game as a network, laid out for one match at a time: everything that is the same for all
//! states.

use rustc_hash::FxHashMap;
use sakiyomi_core::Rng;

use crate::ground::meter::Meter;
use crate::ground::program::{Program, Splitting};
use crate::network::gates::Lit;
use crate::network::graph::Network;
use crate::network::groups::MoveGroups;
use crate::network::sequence::Sequence;
use crate::network::share::share_pairs;
use crate::read::error::GdlError;
use crate::run::default_next::default_next;
use crate::run::effects::Effects;
use crate::run::forward::Forward;
use crate::run::goals::Goals;
use crate::run::layout::Layout;
use crate::run::live::Live;
use crate::run::residual::Residual;

#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) program: Program,
    pub(crate) network: Network,
    pub(crate) layout: Layout,
    pub(super) goals: Goals,
    pub(super) forward: Forward,
    pub(super) start: Live,
    effects: Effects,
    pub(crate) sequence: Sequence,
    /// The next values of fluents unless a joint move makes something else of them.
    pub(super) default_next: FxHashMap<u32, Lit>,
}

impl Compiled {
    /// Grounds a program and compiles it.
    pub(crate) fn new(
        mut program: Program,
        splitting: Splitting,
        meter: &mut Meter<'_>,
    ) -> Result<Compiled, GdlError> {
        let instances = program.ground(meter, splitting)?;
        let mut network = Network::new(&program, instances, meter)?;
        refuse_unsupported(&network)?;
        let mut sequence = Sequence::new(&network, meter);
        let mut groups = MoveGroups::new(&mut network, &sequence);
        network.look(meter)?;
        if share_pairs(&mut network, &groups, meter) {
            // It is another network now, with other nodes.
            sequence = Sequence::new(&network, meter);
            groups = MoveGroups::new(&mut network, &sequence);
        }
        network.look(meter)?;
        let effects = Effects::new(&mut network);
        let default_next = default_next(&mut network, &effects, &sequence);
        network.look(meter)?;
        let mut extra: Vec<Lit> = (effects.state_inputs(&network))
            .chain(default_next.values().copied())
            .map(|lit| lit & !1)
            .collect();
        extra.sort_unstable();
        extra.dedup();
        let mut layout = Layout::new(&network, &sequence, &groups, &extra, &default_next);
        network.look(meter)?;
        let forward = Forward::new(&effects, &network, &layout);
        network.look(meter)?;
        let start = layout.start(&network, &network.initial_facts());
        let goals = Goals::new(&network, &layout, &start);
        network.look(meter)?;
        choose_order(&mut layout, &forward, &start, network.role_moves.len());
        Ok(Compiled {
            program,
            network,
            layout,
            goals,
            forward,
            start,
            effects,
            sequence,
            default_next,
        })
    }

    /// What a joint move does: what it leaves open, and the fluents that do not become their
    /// default next value.
    pub(super) fn specialise(&self, joint: &[u32]) -> (Residual, Vec<u32>) {
        let Compiled { network, layout, effects, sequence, default_next, .. } = self;
        let live_lit = |lit: Lit| layout.try_live_lit(lit);
        effects.specialise(network, sequence, default_next, live_lit, joint)
    }

    /// The texts of the fluents, by number.
    pub(crate) fn fluent_texts(&self) -> Vec<String> {
        let terms = &self.program.terms;
        self.network.fluents.iter().map(|&term| terms.text(term)).collect()
    }
}

/// Follows changes in the order of the gates if gates would change back and forth otherwise, by the
/// same random match played both ways.
fn choose_order(layout: &mut Layout, forward: &Forward, start: &Live, n_roles: usize) {
    let mut count = |in_order: bool| {
        layout.in_order = in_order;
        let (mut live, mut rng) = (start.clone(), Rng::new(1));
        let mut work = 0;
        for _ in 0..SAMPLE_PLIES {
            let n_legal: Vec<usize> = (0..n_roles).map(|role| live.n_legal(layout, role)).collect();
            if live.holds(layout.terminal) || n_legal.contains(&0) || work > MAX_SAMPLE_WORK {
                break;
            }
            let joint: Vec<u32> = (n_legal.iter().enumerate())
                .map(|(role, &n)| live.legal(layout, role, rng.below(n)))
                .collect();
            work += forward.run(layout, &mut live, &joint);
        }
        live.n_followed()
    };
    let (depth_first, in_order) = (count(false), count(true));
    // After every component the gates would be looked through again.
    layout.in_order = depth_first * 2 > in_order * 3 && !layout.has_components();
}

/// Plies and work of the match by which the order is chosen.
const SAMPLE_PLIES: usize = 100;
const MAX_SAMPLE_WORK: usize = 1_000_000;

/// What the network's evaluation does not do; rare enough to be left to the interpreter.
fn refuse_unsupported(network: &Network) -> Result<(), GdlError> {
    let gates = &network.gates;
    let refuse = |what: &str| {
        Err(GdlError::TooLarge { stage: "making the network", limit: what.to_owned(), rule: None })
    };
    if gates.components().iter().any(|component| gates.by_moves(component.start)) {
        return refuse("what the network has: recursion that depends on moves");
    }
    let mut outputs = (network.legal.iter())
        .chain(network.goals.iter().flatten().map(|(_, lit)| lit))
        .chain([&network.terminal]);
    if outputs.any(|&lit| gates.by_moves((lit >> 1) as usize)) {
        return refuse("what the network has: legal moves, goals or the end depend on moves");
    }
    Ok(())
}
