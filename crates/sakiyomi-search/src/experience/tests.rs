//! Experience in the search, on a game of cells that is small enough for brute force.

use super::encoding::Encoding;
use super::lend::Experience;
use super::papers::{ProbeReport, ProbeSettings, probe};
use super::prepare::{Prepare, Prepared};
use super::rehearsal::{Play, Rehearsals, play};
use super::settings::{ExperienceSettings, MAX_DISTANCE};
use super::table::Lent;
use crate::mcts::agent::{Mcts, TreeSearch};
use crate::mcts::select::Selection;
use crate::mcts::select::ucb::{Bound, Ucb, Ucb1};
use crate::mcts::settings::MctsSettings;
use sakiyomi_core::{
    Agent, Budget, CellShape, Context, Game, Hint, HintSet, Hints, Payoffs, Player, Players, Rng,
    Stop, Turn,
};

/// Two players put stones on a row of cells in turn; the first to have two next to each other wins,
/// and a full row is a draw. Orders of the same stones lead to the same position.
#[derive(Debug)]
pub(crate) struct Pairs {
    n_cells: usize,
}

pub(crate) type Row = Vec<u8>;

fn to_move(row: &Row) -> u8 {
    (row.iter().filter(|&&cell| cell > 0).count() % 2) as u8
}

impl Game for Pairs {
    type State = Row;
    type Action = u8;

    fn players(&self) -> usize {
        2
    }

    fn start(&self) -> Row {
        vec![0; self.n_cells]
    }

    fn turn(&self, row: &Row) -> Turn {
        let pair = row.windows(2).find(|pair| pair[0] > 0 && pair[0] == pair[1]);
        match pair {
            Some(pair) => Turn::Over(Payoffs::win(Player(pair[0] - 1))),
            None if row.iter().all(|&cell| cell > 0) => Turn::Over(Payoffs::of([0.5, 0.5])),
            None => Turn::Choose(Players::one(Player(to_move(row)))),
        }
    }

    fn actions(&self, row: &Row, _: Player, out: &mut Vec<u8>) {
        out.extend((0..row.len()).filter(|&cell| row[cell] == 0).map(|cell| cell as u8));
    }

    fn apply(&self, row: &mut Row, actions: &[u8]) {
        row[usize::from(actions[0])] = to_move(row) + 1;
    }
}

impl Hints for Pairs {
    fn provides(&self) -> HintSet {
        HintSet::of(&[Hint::Cells])
    }

    fn cell_shape(&self) -> Option<CellShape> {
        Some(CellShape { rows: 1, columns: self.n_cells, n_codes: 3 })
    }

    fn cells(&self, row: &Row, out: &mut Vec<u8>) {
        out.extend_from_slice(row);
    }
}

pub(crate) const GAME: Pairs = Pairs { n_cells: 7 };
const ALL: [Encoding; 4] =
    [Encoding::Random { bits: 20 }, Encoding::Order, Encoding::Huffman, Encoding::OneHot];

pub(crate) fn settings(iterations: u64, experience: ExperienceSettings) -> MctsSettings {
    let bound = Bound::Ucb1(Ucb1 { experience: Some(experience), ..Ucb1::default() });
    let ucb = Ucb { bound, ..Ucb::new(0.7) };
    MctsSettings {
        selection: Selection::Ucb(ucb),
        ..MctsSettings::new(Budget::iterations(iterations))
    }
}

pub(crate) fn searched(settings: MctsSettings, seed: u64) -> Mcts<Pairs> {
    let mut agent = Mcts::new(settings);
    let mut context = Context { rng: &mut Rng::new(seed), stop: &Stop::new() };
    agent.search(&GAME, &GAME.start(), &mut context).unwrap();
    agent
}

fn best_value(row: &Row) -> f64 {
    match GAME.turn(row) {
        Turn::Over(payoffs) => payoffs[Player(0)],
        _ => {
            let after = (0..row.len()).filter(|&cell| row[cell] == 0).map(|cell| {
                let mut next = row.clone();
                GAME.apply(&mut next, &[cell as u8]);
                best_value(&next)
            });
            match to_move(row) {
                0 => after.fold(0.0, f64::max),
                _ => after.fold(1.0, f64::min),
            }
        }
    }
}

#[test]
fn every_encoding_and_distance_finds_the_best_move() {
    for encoding in ALL {
        for distance in 0..=MAX_DISTANCE {
            let experience = ExperienceSettings::weighted(encoding, distance);
            let settings = settings(6_000, experience);
            let choose = || {
                let mut context = Context { rng: &mut Rng::new(1), stop: &Stop::new() };
                Mcts::new(settings).choose(&GAME, &GAME.start(), Player(0), &mut context).unwrap()
            };
            let choice = choose();
            if distance == 2 {
                assert_eq!(choice, choose(), "the same seed gives the same");
            }
            let mut next = GAME.start();
            GAME.apply(&mut next, &[choice.action]);
            assert_eq!(best_value(&next), best_value(&GAME.start()), "{encoding:?} {distance}");
        }
    }
}

/// With distance 0 and codes that tell all positions apart, what is lent to a node is exactly what
/// iterations before found in its position.
#[test]
fn distance_0_lends_what_was_found_in_the_same_position() {
    let mut experience = experience(ExperienceSettings::paper(Encoding::OneHot, 0));
    let row = |text: &str| -> Row { text.bytes().map(|byte| byte - b'0').collect() };
    let play = |experience: &mut Experience, rows: &[&str], payoffs| {
        experience.begin(&GAME, &GAME.start());
        experience.restart();
        rows.iter().for_each(|text| experience.pass(&GAME, &row(text)));
        let lent = experience.lend(|| None);
        experience.finish(&payoffs);
        lent
    };
    let won = Payoffs::of([1.0, 0.0]);
    assert_eq!(play(&mut experience, &["1000000", "1020000", "1120000"], won), None);
    assert_eq!(play(&mut experience, &["0010000", "2010000"], Payoffs::of([0.0, 1.0])), None);
    let lent = play(&mut experience, &["0100000", "0120000", "1120000"], won);
    assert_eq!(lent, Some(Lent { visits: 1.0, sums: won }));
    let lent = play(&mut experience, &["1120000"], won);
    assert_eq!(lent, Some(Lent { visits: 2.0, sums: Payoffs::of([2.0, 0.0]) }));
    // The start was passed by all.
    let lent = play(&mut experience, &[], won);
    assert_eq!(lent, Some(Lent { visits: 4.0, sums: Payoffs::of([3.0, 1.0]) }));
}

fn experience(settings: ExperienceSettings) -> Experience {
    Experience::new(&GAME, settings, 1 << 24, &mut Rng::new(1)).unwrap()
}

#[test]
fn weights_follow_distance_and_are_limited() {
    let lend = |settings: ExperienceSettings| {
        let mut experience = experience(settings);
        let mut row: Row = vec![1, 0, 2, 0, 0, 0, 0];
        experience.begin(&GAME, &row);
        (0..10).for_each(|_| experience.finish(&Payoffs::of([1.0, 0.0])));
        // The first stone is moved: two bits differ.
        row.swap(0, 1);
        experience.begin(&GAME, &row);
        experience.lend(|| None)
    };
    let base = ExperienceSettings::paper(Encoding::OneHot, 2);
    let lent = |visits: f64| Some(Lent { visits, sums: Payoffs::of([visits, 0.0]) });
    assert_eq!(lend(base), lent(10.0));
    assert_eq!(lend(ExperienceSettings { distance: 1, ..base }), None);
    assert_eq!(lend(ExperienceSettings { fade: 0.5, ..base }), lent(2.5));
    assert_eq!(lend(ExperienceSettings { trust: 0.5, ..base }), lent(5.0));
    assert_eq!(lend(ExperienceSettings { most: Some(4.0), trust: 0.5, ..base }), lent(2.0));
}

#[test]
fn the_probe_measures_and_switches() {
    let search = settings(50, ExperienceSettings::paper(Encoding::Huffman, 2));
    let report = probe(&GAME, &search, ProbeSettings::default(), &mut Rng::new(1), &Stop::new());
    assert_eq!(report.histograms.len(), 10);
    assert!(report.mean_distance.is_some() && report.playouts > 0, "{report:?}");
    assert!(report.counts.hits > 0 && report.counts.hits <= report.counts.nodes, "{report:?}");
    let again = probe(&GAME, &search, ProbeSettings::default(), &mut Rng::new(1), &Stop::new());
    assert_eq!(report, ProbeReport { cpu: report.cpu, ..again });
    for prepare in [Prepare::Distances, Prepare::Payoffs] {
        let mut agent = Prepared::new(prepare, search);
        agent.prepare(&GAME, &mut Context { rng: &mut Rng::new(1), stop: &Stop::new() });
        let found = agent.preparation().unwrap().found;
        assert!(found.ends_with("d=0") || found.ends_with("d=2"), "{found}");
    }
    // Positions are worth what they are, however they were reached.
    let exact = settings(50, ExperienceSettings::paper(Encoding::Huffman, 0));
    let exact = probe(&GAME, &exact, ProbeSettings::default(), &mut Rng::new(1), &Stop::new());
    assert!(exact.gain > 0.0, "{exact:?}");
}

/// In this game orders of moves do not matter, so what was found in a position before says much.
#[test]
fn trials_find_that_experience_is_of_use() {
    let search = settings(50, ExperienceSettings::paper(Encoding::Huffman, 2));
    let stop = Stop::new();
    let play: &Play<'_> = &|seats, meter, rng| play(&GAME, seats, meter, &stop, rng);
    let trials = Rehearsals::new(play, 2, search, &stop).trials(&mut Rng::new(1));
    assert!(trials.is_sorted_by(|a, b| a.explained >= b.explained));
    let best = trials[0].settings().expect("one of them is of use");
    assert!(best.trust > 0.1 && best.trust <= 1.0, "{trials:?}");
}

#[test]
fn getting_ready_is_bounded_reported_and_done_once() {
    let paper = ExperienceSettings::paper(Encoding::Huffman, 2);
    let auto = || Prepared::new(Prepare::Trials, settings(50, paper));
    let mut agent = auto();
    assert_eq!(agent.preparation(), None);
    let mut rng = Rng::new(1);
    agent.prepare(&GAME, &mut Context { rng: &mut rng, stop: &Stop::new() });
    let done = agent.preparation().unwrap();
    assert!(done.playouts > 1_000 && done.playouts < 55_000, "{done:?}");
    assert!(done.found.contains("MAST") && done.found.contains("NST"), "{done:?}");
    let mut context = Context { rng: &mut rng, stop: &Stop::new() };
    let choice = agent.choose(&GAME, &GAME.start(), Player(0), &mut context).unwrap();
    assert_eq!((choice.iterations, agent.preparation()), (50, Some(done)));
    // Who is asked to stop has to do without.
    let stop = Stop::new();
    stop.request();
    let mut hurried = auto();
    hurried.prepare(&GAME, &mut Context { rng: &mut rng, stop: &stop });
    assert_eq!(hurried.preparation().map(|done| done.playouts), Some(0));
    assert!(hurried.preparation().unwrap().found.ends_with("no experience"));
}

#[test]
fn only_the_beginning_of_a_playout_is_remembered() {
    let entries = |reach| {
        let experience =
            ExperienceSettings { reach, ..ExperienceSettings::paper(Encoding::Huffman, 0) };
        searched(settings(1, experience), 1).experience_counts().entries
    };
    // One iteration from the start: the root, the new node and then the playout.
    assert_eq!([entries(Some(0)), entries(Some(1))], [2, 3]);
    assert!(entries(None) > 3);
}
