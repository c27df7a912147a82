//! The engine that plays by the network of gates.

use std::sync::Arc;

use sakiyomi_core::Stop;

use crate::network::graph::Network;
use crate::read::error::GdlError;
use crate::run::compiled::Compiled;
use crate::run::live::Live;
use crate::run::rules::Rules;
use crate::run::transition::Cache;

#[derive(Debug)]
pub(crate) struct NetworkEngine {
    pub(crate) compiled: Compiled,
    cache: Cache,
}

impl NetworkEngine {
    pub(super) fn new(compiled: Compiled) -> NetworkEngine {
        let network = &compiled.network;
        let cache = Cache::new(network.moves.len(), is_small(network));
        NetworkEngine { compiled, cache }
    }
}

impl Rules for NetworkEngine {
    type Position = Live;

    fn role_names(&self) -> Vec<String> {
        let program = &self.compiled.program;
        program.roles.iter().map(|&role| program.terms.text(role)).collect()
    }

    fn start(&self) -> Live {
        self.compiled.start.clone()
    }

    #[inline(always)]
    fn is_terminal(&self, live: &Live) -> bool {
        live.holds(self.compiled.layout.terminal)
    }

    #[inline(always)]
    fn n_legal(&self, live: &Live, role: usize) -> usize {
        live.n_legal(&self.compiled.layout, role)
    }

    #[inline(always)]
    fn legal(&self, live: &Live, role: usize, number: usize) -> u32 {
        live.legal(&self.compiled.layout, role, number)
    }

    /// A ply is too short to be stopped in the middle.
    #[inline(always)]
    fn step(&self, live: &mut Live, joint: &[u32], _stop: Option<&Arc<Stop>>) {
        self.cache.run(&self.compiled, joint, live);
    }

    fn goals(&self, live: &mut Live, out: &mut [Option<u8>]) {
        let mut buffers = std::mem::take(&mut live.buffers);
        self.compiled.goals.read(live, &mut buffers, out);
        live.buffers = buffers;
    }

    fn facts(&self, live: &Live) -> Vec<String> {
        let Compiled { program, network, .. } = &self.compiled;
        let fluents = network.fluents.iter().enumerate();
        let held = fluents.filter(|&(fluent, _)| live.fact(fluent as u32));
        held.map(|(_, &term)| program.terms.text(term)).collect()
    }

    fn move_text(&self, number: u32) -> String {
        let Compiled { program, network, .. } = &self.compiled;
        program.terms.text(network.moves[number as usize].term)
    }

    fn trouble(&self) -> Option<GdlError> {
        None
    }
}

/// Whether all joint moves together cost little to work out.
fn is_small(network: &Network) -> bool {
    let n_joint: usize = network.role_moves.iter().map(|moves| moves.len().max(1)).product();
    n_joint.saturating_mul(network.gates.len()) < SMALL
}

/// Joint moves times gates in a small game.
const SMALL: usize = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::meter::{Limits, Meter, Progress};
    use crate::ground::program::{Evaluate, Program, Splitting};
    use crate::network::gates::{FALSE, holds};
    use crate::read::parse::Sheet;
    use crate::run::buffers::Buffers;
    use sakiyomi_core::Rng;
    use std::sync::atomic::Ordering;

    fn compiled(text: &str, splitting: Splitting) -> Compiled {
        let sheet = Sheet::parse(text).unwrap();
        let watcher = &mut |_: &Progress| true;
        let mut meter = Meter::new(&Limits::default(), watcher);
        let program = Program::new(&sheet, &mut meter, Evaluate::All).unwrap();
        Compiled::new(program, splitting, &mut meter).unwrap()
    }

    /// Both mark a cell of a row of six at the same time; equal marks go to the second.
    const BLOCKER: &str = "(role one) (role two)
        (cell 1) (cell 2) (cell 3) (cell 4) (cell 5) (cell 6)
        (<= (init (row ?x free)) (cell ?x))
        (<= (legal ?r (mark ?x ?y)) (role ?r) (true (row ?x free)) (true (row ?y free)))
        (<= (next (row ?x two)) (does two (mark ?x ?y)))
        (<= (next (row ?x one)) (does one (mark ?x ?y)) (does two (mark ?u ?v)) (distinct ?x ?u))
        (<= (next (row ?x ?m)) (true (row ?x ?m)) (does one (mark ?y ?z)) (does two (mark ?u ?v))
            (distinct ?x ?y) (distinct ?x ?u) (not (odd ?m)))
        (<= (odd ?m) (true (row ?x ?m)) (true (row ?y ?m)) (distinct ?x ?y) (does one (mark ?m ?x)))
        (<= open (true (row ?x free)))
        (<= terminal (not open))
        (<= (goal one 100) (true (row 1 one)) (true (row ?x one)) (true (row ?y one)) (distinct ?x ?y))
        (<= (goal one 0) (not (goal one 100)))
        (<= (goal two 50) (true (row ?x two)) (true (row ?y two)) (distinct ?x ?y))";

    #[test]
    fn split_rules_say_the_same() {
        let always = Splitting { max_unsplit_steps: 0, factor: 0, few: 0 };
        let never = Splitting { max_unsplit_steps: u64::MAX, factor: 0, few: 0 };
        let mut n_split = 0;
        for text in crate::tests::sheets::ALL.iter().copied().chain([BLOCKER]) {
            let [split, whole] = [always, never].map(|splitting| compiled(text, splitting));
            n_split += usize::from(split.program.rules.len() > whole.program.rules.len());
            let [split, whole] = [split, whole].map(NetworkEngine::new);
            let n_roles = whole.compiled.program.roles.len();
            for seed in 0..10 {
                let mut rng = Rng::new(seed);
                let (mut left, mut right) = (split.start(), whole.start());
                for _ in 0..60 {
                    // Fluents and moves have the same numbers, as they are sorted by their texts.
                    assert_eq!(left.facts(), right.facts());
                    let ends = whole.is_terminal(&right);
                    assert_eq!(split.is_terminal(&left), ends);
                    let mut goals = [vec![None; n_roles], vec![None; n_roles]];
                    split.goals(&mut left, &mut goals[0]);
                    whole.goals(&mut right, &mut goals[1]);
                    assert_eq!(goals[0], goals[1]);
                    if ends {
                        break;
                    }
                    let legal = |game: &NetworkEngine, live: &Live, role| {
                        let n = game.n_legal(live, role);
                        let mut all: Vec<u32> = (0..n).map(|i| game.legal(live, role, i)).collect();
                        all.sort_unstable();
                        all
                    };
                    let joint: Vec<u32> = (0..n_roles)
                        .map(|role| {
                            let all = legal(&whole, &right, role);
                            assert_eq!(legal(&split, &left, role), all);
                            all[rng.below(all.len())]
                        })
                        .collect();
                    split.step(&mut left, &joint, None);
                    whole.step(&mut right, &joint, None);
                }
            }
        }
        assert!(n_split >= 2, "{n_split}");
    }

    /// Plays random matches on the network and compares every live node with the plain evaluation.
    fn check_against_plain(text: &str, n_matches: u64) {
        let mut compiled = compiled(text, Splitting::default());
        compiled.goals.count_always(&compiled.start);
        for in_order in [false, true] {
            compiled.layout.in_order = in_order;
            check_matches(&compiled, n_matches);
        }
    }

    fn check_matches(compiled: &Compiled, n_matches: u64) {
        let n_roles = compiled.program.roles.len();
        let cache = Cache::new(compiled.network.moves.len(), true);
        let (mut values, mut again) = (Vec::new(), Vec::new());
        for seed in 0..n_matches {
            let mut rng = Rng::new(seed);
            let mut live = compiled.start.clone();
            for _ in 0..200 {
                compiled.network.evaluate(live.facts(), &[], &mut values);
                compiled.layout.check(&live, &compiled.network, &values);
                check_goals(compiled, &live, &values);
                if live.holds(compiled.layout.terminal) {
                    break;
                }
                let joint: Vec<u32> = (0..n_roles)
                    .map(|role| {
                        let n = live.n_legal(&compiled.layout, role);
                        live.legal(&compiled.layout, role, rng.below(n))
                    })
                    .collect();
                compiled.network.evaluate(live.facts(), &joint, &mut again);
                let expected: Vec<bool> =
                    (compiled.network.next.iter()).map(|&lit| holds(&again, lit)).collect();
                let mut specialised = live.clone();
                cache.run(compiled, &joint, &mut specialised);
                compiled.forward.run(&compiled.layout, &mut live, &joint);
                assert_eq!(specialised.facts(), live.facts());
                compiled.network.evaluate(specialised.facts(), &[], &mut again);
                compiled.layout.check(&specialised, &compiled.network, &again);
                for (fluent, &expected) in expected.iter().enumerate() {
                    assert_eq!(live.fact(fluent as u32), expected, "fluent {fluent}");
                }
            }
        }
    }

    /// Goals that are counted, and computed all at once, are those of the plain evaluation.
    fn check_goals(compiled: &Compiled, live: &Live, values: &[bool]) {
        let expected: Vec<Option<u8>> = (compiled.network.goals.iter())
            .map(|goals| {
                let held: Vec<u8> =
                    goals.iter().filter(|goal| holds(values, goal.1)).map(|goal| goal.0).collect();
                (held.len() == 1).then(|| held[0])
            })
            .collect();
        for work in [0, 1 << 40] {
            let mut buffers = Buffers::default();
            // The second time the counts must be as they were.
            for _ in 0..2 {
                compiled.goals.count_work.store(work, Ordering::Relaxed);
                let mut goals = vec![None; expected.len()];
                compiled.goals.read(live, &mut buffers, &mut goals);
                assert_eq!(goals, expected);
            }
        }
    }

    #[test]
    fn fluents_that_last_for_one_ply_are_watched() {
        let text = "(role r) (n 1) (n 2) (n 3) (n 4) (n 5) (init (last 1)) (init (first 1))
            (<= (legal r (go ?x)) (n ?x)) (<= (next (last ?x)) (does r (go ?x)))
            (<= (next (first ?x)) (true (first ?x)) (does r (go ?y)))
            (<= terminal (true (last 6))) (<= (goal r 50) (true (last 3)))";
        let compiled = compiled(text, Splitting::default());
        let mut default_next: Vec<(u32, u32)> =
            compiled.default_next.iter().map(|(&fluent, &value)| (fluent, value)).collect();
        default_next.sort_unstable();
        // (first 1) comes before them, and keeps its value.
        assert_eq!(default_next, [1, 2, 3, 4, 5].map(|fluent| (fluent, FALSE)));
        check_matches(&compiled, 5);
    }

    #[test]
    fn the_incremental_evaluation_agrees_with_the_plain_one() {
        for text in crate::tests::sheets::ALL {
            check_against_plain(text, 20);
        }
    }

    #[test]
    fn the_incremental_evaluation_agrees_on_public_sheets() {
        let test = "the_incremental_evaluation_agrees_on_public_sheets";
        let Some(shared) = crate::tests::shared::shared_data(test) else { return };
        for name in [
            "connectFour",
            "connect4",
            "breakthrough",
            "biddingTicTacToe",
            "reversiSuicide",
            "englishDraughts",
            "checkersTiny",
            "2pffa",
            "ttcc4_2player",
            "othelloHoles",
            "four_way_battle",
        ] {
            let path = shared.join(format!("data/kif/{name}.kif"));
            let text = std::fs::read_to_string(path).unwrap();
            check_against_plain(&text, 3);
        }
    }
}
