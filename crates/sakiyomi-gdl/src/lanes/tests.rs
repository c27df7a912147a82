//! Lanes against the plain evaluation of the network.

use std::sync::Arc;

use sakiyomi_core::{Rng, Stop};

use crate::ground::meter::{Limits, Meter, Progress};
use crate::ground::program::{Evaluate, Program, Splitting};
use crate::lanes::batch::{Batch, NO_GOAL};
use crate::lanes::run::{Word, execute, execute_anywhere, execute_avx2};
use crate::lanes::{Fixed, Form, LaneLimits, Lanes, N_LANES, Phase, Picks, Refusal};
use crate::network::gates::holds;
use crate::network::graph::Network;
use crate::read::parse::Sheet;
use crate::run::compiled::Compiled;
use crate::tests::random_sheets::random_sheet;

pub(super) fn compiled(text: &str) -> Compiled {
    let sheet = Sheet::parse(text).unwrap();
    let watcher = &mut |_: &Progress| true;
    let mut meter = Meter::new(&Limits::default(), watcher);
    let program = Program::new(&sheet, &mut meter, Evaluate::All).unwrap();
    Compiled::new(program, Splitting::default(), &mut meter).unwrap()
}

/// Plays random matches in all lanes with moves that are given, and compares some of the lanes at
/// every ply with the plain evaluation.
fn check_against_plain(network: &Network, lanes: &Lanes, n_plies: usize, looked: &[usize]) {
    let mut rng = Rng::new(1);
    let mut batch: Batch<&Lanes> = Batch::new(lanes);
    let all = Word::ALL;
    batch.load(all, &network.initial_facts());
    let mut is_playing = vec![true; N_LANES];
    let (mut values, mut after, mut goals) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n_plies {
        let over = batch.evaluate();
        batch.keep(all);
        batch.goals(all, &mut goals);
        let mut expected = Vec::new();
        for &lane in looked {
            if !is_playing[lane] {
                continue;
            }
            let facts = batch.facts(lane);
            network.evaluate(&facts, &[], &mut values);
            assert_eq!(over.terminal.get(lane), holds(&values, network.terminal));
            let mut joint = Vec::new();
            for (role, range) in network.role_moves.iter().enumerate() {
                let legal: Vec<usize> =
                    range.clone().filter(|&m| holds(&values, network.legal[m])).collect();
                assert_eq!(batch.count(role, lane) as usize, legal.len());
                let held: Vec<u8> = (network.goals[role].iter())
                    .filter(|goal| holds(&values, goal.1))
                    .map(|goal| goal.0)
                    .collect();
                let goal = goals[lane * network.role_moves.len() + role];
                assert_eq!(goal, if held.len() == 1 { held[0] } else { NO_GOAL });
                if !legal.is_empty() {
                    let place = rng.below(legal.len());
                    batch.pick(role, lane, place as u32);
                    joint.push(legal[place] as u32);
                }
            }
            assert_eq!(over.stuck.get(lane), joint.len() < network.role_moves.len());
            if over.terminal.get(lane) || over.stuck.get(lane) {
                is_playing[lane] = false;
                continue;
            }
            network.evaluate(&facts, &joint, &mut after);
            let next: Vec<bool> = network.next.iter().map(|&lit| holds(&after, lit)).collect();
            expected.push((lane, next));
        }
        batch.step();
        for (lane, next) in expected {
            let facts = batch.facts(lane);
            for (fluent, &value) in next.iter().enumerate() {
                assert_eq!(facts[fluent / 64] >> (fluent % 64) & 1 == 1, value, "fluent {fluent}");
            }
        }
    }
}

/// Lanes in which effects of moves have one of the two forms.
fn of_form(compiled: &Compiled, form: Form, picks: Picks) -> Lanes {
    let Compiled { network, sequence, .. } = compiled;
    let mut lanes = Lanes::new(network, sequence, picks, usual(), None).unwrap();
    let bounds =
        super::Bounds { limits: usual(), started: cpu_time::ThreadTime::now(), stop: None };
    for phase in &mut lanes.phases {
        let fixed: Fixed = phase.fixed.iter().copied().collect();
        *phase = Phase::of_form(network, &fixed, form, picks, &bounds).unwrap();
    }
    lanes.n_slots = lanes.phases.iter().map(|phase| phase.code.n_slots).max().unwrap();
    lanes
}

#[test]
fn both_forms_agree_with_the_plain_evaluation() {
    let written = crate::tests::sheets::ALL.iter().map(|&text| text.to_owned());
    for text in written.chain((0..40).map(random_sheet)) {
        let compiled = compiled(&text);
        let forms = [Form::Gates, Form::Vectors];
        let all = forms.map(|form| [Picks::Once, Picks::Repeated].map(|picks| (form, picks)));
        for (form, picks) in all.into_iter().flatten() {
            let lanes = of_form(&compiled, form, picks);
            let looked: Vec<usize> = (0..N_LANES).step_by(13).collect();
            check_against_plain(&compiled.network, &lanes, 40, &looked);
        }
    }
}

#[test]
fn control_is_folded_away() {
    let compiled = compiled(crate::tests::sheets::LINES);
    let lanes =
        Lanes::new(&compiled.network, &compiled.sequence, Picks::Once, usual(), None).unwrap();
    assert_eq!(lanes.period(), 2);
    assert_eq!(lanes.phases[0].fixed.len(), 2);
    // The other role has one move, so it draws nothing.
    assert!(lanes.phases[0].roles[1].draws.is_empty());
    assert!(lanes.phases[1].roles[0].draws.is_empty());
}

#[test]
fn lanes_beyond_the_limits_are_refused() {
    let Compiled { network, sequence, .. } = compiled(crate::tests::sheets::LINES);
    let refuse = |limits| Lanes::new(&network, &sequence, Picks::Once, limits, None).unwrap_err();
    let limits = LaneLimits { inputs: 100, ..usual() };
    assert_eq!(refuse(limits), Refusal::TooLarge { limit: 100 });
    let limits = LaneLimits { seconds: 0.0, ..usual() };
    assert_eq!(refuse(limits), Refusal::TooSlow { seconds: 0.0 });
    let stop = Arc::new(Stop::new());
    stop.request();
    let stopped = Lanes::new(&network, &sequence, Picks::Once, usual(), Some(&stop)).unwrap_err();
    assert_eq!(stopped, Refusal::Stopped);
}

pub(super) fn usual() -> LaneLimits {
    LaneLimits::of(&Limits::default())
}

/// States go into lanes and come out again as they were.
#[test]
fn states_are_the_same_in_and_out_of_lanes() {
    let compiled = compiled(crate::tests::sheets::LINES);
    let lanes =
        Lanes::new(&compiled.network, &compiled.sequence, Picks::Once, usual(), None).unwrap();
    let (mut batch, mut rng): (Batch<&Lanes>, _) = (Batch::new(&lanes), Rng::new(2));
    let n_words = lanes.n_fluents.div_ceil(64);
    for n in [1, 63, 64, 65, N_LANES] {
        let mut states: Vec<u64> = (0..n * n_words).map(|_| rng.bits()).collect();
        for state in states.chunks_exact_mut(n_words) {
            for bit in lanes.n_fluents..n_words * 64 {
                state[bit / 64] &= !(1 << (bit % 64));
            }
            for &(fluent, value) in &lanes.phases[0].fixed {
                state[fluent as usize / 64] &= !(1 << (fluent % 64));
                state[fluent as usize / 64] |= u64::from(value) << (fluent % 64);
            }
        }
        let each: Vec<&[u64]> = states.chunks_exact(n_words).collect();
        batch.load_each(&each);
        assert_eq!(batch.facts(n - 1), each[n - 1]);
        let mut out = Vec::new();
        batch.unload(n, &mut out);
        assert_eq!(out, states);
    }
}

/// Whatever the processor has, the words are those that any processor computes.
#[test]
fn instruction_sets_agree() {
    let compiled = compiled(crate::tests::sheets::LINES);
    let lanes =
        Lanes::new(&compiled.network, &compiled.sequence, Picks::Once, usual(), None).unwrap();
    let mut rng = Rng::new(4);
    for phase in &lanes.phases {
        let mut words: Vec<Word> = vec![Word::ZERO; phase.code.n_slots];
        for word in &mut words[1..] {
            word.0.iter_mut().for_each(|word| *word = rng.bits());
        }
        let (mut others, mut some) = (words.clone(), words.clone());
        for segment in phase.code.segments() {
            execute(segment, &mut words);
            execute_anywhere(segment, &mut others);
            execute_avx2(segment, &mut some);
            assert_eq!(words, others);
            assert_eq!(words, some);
        }
    }
}
