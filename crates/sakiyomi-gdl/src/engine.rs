//! The two ways to play a rule sheet behind one door: the network of gates, and the interpreter of
//! the rules for sheets whose network would be too large.
//!
//! A [`Position`] is one raw state: nothing is skipped here, and every role moves at every ply.

use std::sync::Arc;

use sakiyomi_core::{Rng, Stop};

use crate::error::GdlError;
use crate::eval::{Buffers, Layout, Live};
use crate::forward::Forward;
use crate::ground::{Evaluate, Program, Splitting};
use crate::interpret::{Interpreter, MOST_DEPTH, RulesPosition};
use crate::meter::{Limits, Meter, Watcher};
use crate::network::Network;
use crate::parse::Sheet;
use crate::share::share_pairs;
use crate::term::TermId;
use crate::transition::{Cache, Effects};

/// Which engine plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EngineChoice {
    /// The network, or the interpreter if the network would exceed the limits.
    #[default]
    Auto,
    Network,
    Interpreter,
}

#[derive(Debug)]
pub(crate) enum Engine {
    Network(Box<Compiled>),
    Rules(Box<Interpreter>),
}

/// A raw state with its legal moves. Positions of one game are all of the same engine.
#[derive(Debug)]
pub(crate) enum Position {
    Network(Live),
    Rules(RulesPosition),
}

impl Clone for Position {
    fn clone(&self) -> Position {
        match self {
            Position::Network(live) => Position::Network(live.clone()),
            Position::Rules(rules) => Position::Rules(rules.clone()),
        }
    }

    fn clone_from(&mut self, other: &Position) {
        match (self, other) {
            (Position::Network(mine), Position::Network(theirs)) => mine.clone_from(theirs),
            (Position::Rules(mine), Position::Rules(theirs)) => mine.clone_from(theirs),
            (mine, theirs) => *mine = theirs.clone(),
        }
    }
}

impl Position {
    /// The facts, in a form that is equal exactly if they are.
    pub(crate) fn key(&self) -> &[u64] {
        match self {
            Position::Network(live) => live.facts(),
            Position::Rules(rules) => &rules.facts,
        }
    }
}

impl Position {
    /// The bytes that it takes beside its own, more or less.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Position::Network(live) => live.bytes(),
            Position::Rules(rules) => {
                let n_moves: usize = rules.legal.iter().map(Vec::len).sum();
                8 * rules.facts.len() + 4 * n_moves + 32 * rules.legal.len()
            }
        }
    }
}

/// A game as a network, with all that its evaluation needs.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) program: Program,
    pub(crate) network: Network,
    pub(crate) layout: Layout,
    pub(crate) effects: Effects,
    pub(crate) forward: Forward,
    cache: Cache,
    start: Live,
}

impl Compiled {
    pub(crate) fn new(program: Program, meter: &mut Meter<'_>) -> Result<Compiled, GdlError> {
        Compiled::with(program, Splitting::default(), meter)
    }

    fn with(
        mut program: Program,
        splitting: Splitting,
        meter: &mut Meter<'_>,
    ) -> Result<Compiled, GdlError> {
        let instances = program.ground(meter, splitting)?;
        let mut network = Network::new(&program, instances, meter)?;
        refuse_odd_networks(&network)?;
        share_pairs(&mut network);
        let effects = Effects::new(&mut network);
        let state_inputs = effects.state_inputs(&network);
        let mut layout =
            Layout::new(&mut network, &state_inputs, effects.usual(), effects.sequence());
        let forward = Forward::new(&effects, &network, &layout);
        let mut facts = vec![0u64; network.fluents.len().div_ceil(64)];
        for &fluent in &network.initial {
            facts[fluent as usize / 64] |= 1 << (fluent % 64);
        }
        let start = layout.start(&network, &facts);
        layout.count_goals(&start);
        choose_order(&mut layout, &forward, &start, network.role_moves.len());
        let cache = Cache::new(network.moves.len(), is_small(&network));
        Ok(Compiled { program, network, layout, effects, forward, cache, start })
    }

    #[inline]
    pub(crate) fn step(&self, live: &mut Live, joint: &[u32]) {
        self.cache.run(self, joint, live);
    }
}

/// Follows changes in the order of the gates if gates would change back and forth otherwise, by the same
/// random match played both ways.
fn choose_order(layout: &mut Layout, forward: &Forward, start: &Live, n_roles: usize) {
    let mut count = |in_order: bool| {
        layout.in_order = in_order;
        let (mut live, mut rng) = (start.clone(), Rng::new(1));
        let mut work = 0;
        for _ in 0..SAMPLE_PLIES {
            let n_legal: Vec<usize> = (0..n_roles).map(|role| live.n_legal(layout, role)).collect();
            if live.holds(layout.terminal) || n_legal.contains(&0) || work > MOST_SAMPLE_WORK {
                break;
            }
            let joint: Vec<u32> = (n_legal.iter().enumerate())
                .map(|(role, &n)| live.legal(layout, role, rng.below(n)))
                .collect();
            work += forward.run(layout, &mut live, &joint);
        }
        live.n_followed()
    };
    let (at_once, in_order) = (count(false), count(true));
    // After every component the gates would be looked through again.
    layout.in_order = at_once * 2 > in_order * 3 && !layout.has_components();
}

/// Plies and work of the match by which the order is chosen.
const SAMPLE_PLIES: usize = 100;
const MOST_SAMPLE_WORK: usize = 1_000_000;

/// Whether all joint moves together cost little to work out.
fn is_small(network: &Network) -> bool {
    let n_joint: usize = network.role_moves.iter().map(|moves| moves.len().max(1)).product();
    n_joint.saturating_mul(network.gates.len()) < SMALL
}

/// Joint moves times gates in a small game.
const SMALL: usize = 1_000_000;

/// What the network's evaluation does not do; rare enough to be left to the interpreter.
fn refuse_odd_networks(network: &Network) -> Result<(), GdlError> {
    let gates = &network.gates;
    let odd = |what: &str| Err(GdlError::TooLarge { limit: what.to_owned() });
    if gates.components().iter().any(|component| gates.by_moves(component.start)) {
        return odd("what the network has: recursion that depends on moves");
    }
    let mut outputs = (network.legal.iter())
        .chain(network.goals.iter().flatten().map(|(_, lit)| lit))
        .chain([&network.terminal]);
    if outputs.any(|&lit| gates.by_moves((lit >> 1) as usize)) {
        return odd("what the network has: legal moves, goals or the end depend on moves");
    }
    Ok(())
}

impl Engine {
    /// The engine, and a message if it is not the one that was hoped for.
    pub(crate) fn new<'a>(
        sheet: Sheet,
        choice: EngineChoice,
        limits: &Limits,
        watcher: &'a mut Watcher<'a>,
    ) -> Result<(Engine, Option<String>), GdlError> {
        let mut meter = Meter::new(limits, watcher);
        let interpreter = |sheet: Sheet, evaluate, meter: &mut Meter<'_>| {
            let program = Program::new(sheet, meter, evaluate)?;
            Ok::<Engine, GdlError>(Engine::Rules(Box::new(Interpreter::new(program))))
        };
        let program = match Program::new(sheet.clone(), &mut meter, Evaluate::All) {
            Err(error @ GdlError::TooManyFacts { .. }) if choice != EngineChoice::Network => {
                let notice = format!("{error}: the rules are interpreted, which is slow");
                meter.start_again();
                return Ok((interpreter(sheet, Evaluate::Little, &mut meter)?, Some(notice)));
            }
            program => program?,
        };
        if choice == EngineChoice::Interpreter {
            return Ok((Engine::Rules(Box::new(Interpreter::new(program))), None));
        }
        match Compiled::new(program, &mut meter) {
            Ok(compiled) => Ok((Engine::Network(Box::new(compiled)), None)),
            Err(error @ GdlError::TooLarge { .. }) if choice == EngineChoice::Auto => {
                // What grounding held is gone; a copy of the program would have counted as well.
                let notice = format!("{error}: the rules are interpreted instead, which is slow");
                meter.start_again();
                Ok((interpreter(sheet, Evaluate::All, &mut meter)?, Some(notice)))
            }
            Err(error) => Err(error),
        }
    }

    /// What went wrong in evaluating the rules of some state.
    pub(crate) fn trouble(&self) -> Option<GdlError> {
        match self {
            Engine::Rules(interpreter) if interpreter.was_too_deep() => {
                Some(GdlError::TooDeep { limit: MOST_DEPTH })
            }
            _ => None,
        }
    }

    pub(crate) fn role_names(&self) -> Vec<String> {
        match self {
            Engine::Network(compiled) => {
                let program = &compiled.program;
                program.roles.iter().map(|&role| program.terms.text(role)).collect()
            }
            Engine::Rules(interpreter) => interpreter.role_names(),
        }
    }

    pub(crate) fn start(&self) -> Position {
        match self {
            Engine::Network(compiled) => Position::Network(compiled.start.clone()),
            Engine::Rules(interpreter) => Position::Rules(interpreter.start()),
        }
    }

    #[inline]
    pub(crate) fn is_terminal(&self, position: &Position) -> bool {
        match (self, position) {
            (Engine::Network(compiled), Position::Network(live)) => {
                live.holds(compiled.layout.terminal)
            }
            (_, Position::Rules(rules)) => rules.terminal,
            _ => true,
        }
    }

    #[inline]
    pub(crate) fn n_legal(&self, position: &Position, role: usize) -> usize {
        match (self, position) {
            (Engine::Network(compiled), Position::Network(live)) => {
                live.n_legal(&compiled.layout, role)
            }
            (_, Position::Rules(rules)) => rules.legal[role].len(),
            _ => 0,
        }
    }

    /// The legal move with this number, in no special order.
    #[inline]
    pub(crate) fn legal(&self, position: &Position, role: usize, number: usize) -> u32 {
        match (self, position) {
            (Engine::Network(compiled), Position::Network(live)) => {
                live.legal(&compiled.layout, role, number)
            }
            (_, Position::Rules(rules)) => rules.legal[role][number],
            _ => 0,
        }
    }

    /// Plays one legal move per role. When `stop` is requested meanwhile the position may be without
    /// moves and goals.
    #[inline]
    pub(crate) fn step(&self, position: &mut Position, joint: &[u32], stop: Option<&Arc<Stop>>) {
        match (self, position) {
            (Engine::Network(compiled), Position::Network(live)) => compiled.step(live, joint),
            (Engine::Rules(interpreter), Position::Rules(rules)) => {
                interpreter.step(rules, joint, stop);
            }
            _ => {}
        }
    }

    pub(crate) fn goals(&self, position: &Position, out: &mut [Option<u8>]) {
        match (self, position) {
            (Engine::Network(compiled), Position::Network(live)) => {
                live.goals(&compiled.layout, &mut Buffers::default(), out);
            }
            (_, Position::Rules(rules)) => out.copy_from_slice(&rules.goals[..out.len()]),
            _ => {}
        }
    }

    /// The goals, without allocating once the position's buffers have grown.
    pub(crate) fn goals_mut(&self, position: &mut Position, out: &mut [Option<u8>]) {
        match (self, position) {
            (Engine::Network(compiled), Position::Network(live)) => {
                let mut buffers = std::mem::take(&mut live.buffers);
                live.goals(&compiled.layout, &mut buffers, out);
                live.buffers = buffers;
            }
            (_, position) => self.goals(position, out),
        }
    }

    /// The fluents that hold, sorted by text.
    pub(crate) fn facts(&self, position: &Position) -> Vec<String> {
        match (self, position) {
            (Engine::Network(compiled), Position::Network(live)) => {
                let fluents = compiled.network.fluents.iter().enumerate();
                let held = fluents.filter(|&(fluent, _)| live.fact(fluent as u32));
                held.map(|(_, &term)| compiled.program.terms.text(term)).collect()
            }
            (Engine::Rules(interpreter), Position::Rules(rules)) => {
                let facts = rules.facts.iter().map(|&term| term as TermId);
                let mut texts: Vec<String> = facts.map(|term| interpreter.text(term)).collect();
                texts.sort_unstable();
                texts
            }
            _ => Vec::new(),
        }
    }

    /// Every fluent of the network, by number; none for the interpreter, which does not know them.
    pub(crate) fn all_fluents(&self) -> Vec<String> {
        match self {
            Engine::Network(compiled) => {
                let terms = &compiled.program.terms;
                compiled.network.fluents.iter().map(|&term| terms.text(term)).collect()
            }
            Engine::Rules(_) => Vec::new(),
        }
    }

    pub(crate) fn move_text(&self, number: u32) -> String {
        match self {
            Engine::Network(compiled) => (compiled.network.moves.get(number as usize))
                .map_or_else(String::new, |m| compiled.program.terms.text(m.term)),
            Engine::Rules(interpreter) => interpreter.text(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gates::FALSE;
    use crate::meter::Progress;
    use std::sync::atomic::Ordering;

    fn compiled(text: &str, splitting: Splitting) -> Compiled {
        let sheet = Sheet::parse(text).unwrap();
        let watcher = &mut |_: &Progress| true;
        let mut meter = Meter::new(&Limits::default(), watcher);
        let program = Program::new(sheet, &mut meter, Evaluate::All).unwrap();
        Compiled::with(program, splitting, &mut meter).unwrap()
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
        let always = Splitting { most_unsplit: 0, factor: 0, few: 0 };
        let never = Splitting { most_unsplit: u64::MAX, factor: 0, few: 0 };
        let mut n_split = 0;
        for text in crate::sheets::ALL.iter().copied().chain([BLOCKER]) {
            let (split, whole) = (compiled(text, always), compiled(text, never));
            n_split += usize::from(split.program.rules.len() > whole.program.rules.len());
            let n_roles = whole.program.roles.len();
            for seed in 0..10 {
                let mut rng = Rng::new(seed);
                let (mut left, mut right) = (split.start.clone(), whole.start.clone());
                for _ in 0..60 {
                    // Fluents and moves have the same numbers, as they are sorted by their texts.
                    assert_eq!(left.facts(), right.facts());
                    let ends = right.holds(whole.layout.terminal);
                    assert_eq!(left.holds(split.layout.terminal), ends);
                    let mut goals = [vec![None; n_roles], vec![None; n_roles]];
                    left.goals(&split.layout, &mut Buffers::default(), &mut goals[0]);
                    right.goals(&whole.layout, &mut Buffers::default(), &mut goals[1]);
                    assert_eq!(goals[0], goals[1]);
                    if ends {
                        break;
                    }
                    let legal = |game: &Compiled, live: &Live, role| {
                        let n = live.n_legal(&game.layout, role);
                        let mut all: Vec<u32> =
                            (0..n).map(|i| live.legal(&game.layout, role, i)).collect();
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
                    split.step(&mut left, &joint);
                    whole.step(&mut right, &joint);
                }
            }
        }
        assert!(n_split >= 2, "{n_split}");
    }

    /// Plays random matches on the network and compares every live node with the plain evaluation.
    fn check_against_plain(text: &str, n_matches: u64) {
        let mut compiled = compiled(text, Splitting::default());
        compiled.layout.count_all_goals(&compiled.start);
        for in_order in [false, true] {
            compiled.layout.in_order = in_order;
            check_matches(&compiled, n_matches);
        }
    }

    fn check_matches(compiled: &Compiled, n_matches: u64) {
        let n_roles = compiled.program.roles.len();
        let at_once = Cache::new(compiled.network.moves.len(), true);
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
                let expected: Vec<bool> = (compiled.network.next.iter())
                    .map(|&lit| again[(lit >> 1) as usize] != (lit & 1 == 1))
                    .collect();
                let mut specialised = live.clone();
                at_once.run(compiled, &joint, &mut specialised);
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
        let holds = |lit: u32| values[(lit >> 1) as usize] != (lit & 1 == 1);
        let expected: Vec<Option<u8>> = (compiled.network.goals.iter())
            .map(|goals| {
                let held: Vec<u8> =
                    goals.iter().filter(|goal| holds(goal.1)).map(|goal| goal.0).collect();
                (held.len() == 1).then(|| held[0])
            })
            .collect();
        for work in [0, 1 << 40] {
            let mut buffers = Buffers::default();
            // The second time the counts must be as they were.
            for _ in 0..2 {
                compiled.layout.goal_work.store(work, Ordering::Relaxed);
                let mut goals = vec![None; expected.len()];
                live.goals(&compiled.layout, &mut buffers, &mut goals);
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
        let mut usual: Vec<(u32, u32)> =
            compiled.effects.usual().iter().map(|(&fluent, &value)| (fluent, value)).collect();
        usual.sort_unstable();
        // (first 1) comes before them, and keeps its value.
        assert_eq!(usual, [1, 2, 3, 4, 5].map(|fluent| (fluent, FALSE)));
        check_matches(&compiled, 5);
    }

    #[test]
    fn the_incremental_evaluation_agrees_with_the_plain_one() {
        for text in crate::sheets::ALL {
            check_against_plain(text, 20);
        }
    }

    #[test]
    fn the_incremental_evaluation_agrees_on_public_sheets() {
        let test = "the_incremental_evaluation_agrees_on_public_sheets";
        let Some(shared) = crate::shared::shared_data(test) else { return };
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
