//! Games of an agent against itself before a match, from which it learns whether and how experience fits
//! the game.
//!
//! [`probe`] measures what the paper does: how far similar positions are apart in the tree. Its 10
//! games have 10 plies with 250 playouts each. The mean distance over all hits and the mean, over
//! distances, of the standard deviation between games of the share of hits at that distance decide
//! whether positions at distance 2 are used.
//!
//! [`try_encodings`] measures what matters instead: how well the payoffs of similar positions foretell
//! the payoff of the iteration that adds a node, beyond the mean of the node above. With x the
//! difference between what is lent and that mean, and y the difference between the payoff and that
//! mean, the best multiple of x explains (sum xy)^2 / sum x^2 of the squared error. The setting that
//! explains most, per node, is chosen; the multiple is how far it is trusted, from 0 to 1.

use rustc_hash::FxHashMap;
use sakiyomi_core::order::sort_descending;
use sakiyomi_core::{Agent, Budget, Context, Hints, Payoffs, Player, Rng, Stop, Turn};

use super::{Decide, Encoding, ExperienceSettings, Lent, Neighbour, Table};
use crate::mcts::{Mcts, MctsSettings};

/// Games of a probe.
const GAMES: u64 = 10;
/// Games of a trial: all trials together cost about as much as the probe of the paper.
const TRIAL_GAMES: u64 = 2;
const PLIES: usize = 10;
const PLAYOUTS: u64 = 250;
/// The largest mean distance at which the paper uses similar positions, after a probe like this one.
const MAX_MEAN_DISTANCE: f64 = 2.92;
/// The paper's bound for the mean standard deviation.
const MAX_DEVIATION: f64 = 2.6e-2;
/// The settings that trials compare.
const CANDIDATES: [(Encoding, u32); 5] = [
    (Encoding::Huffman, 0),
    (Encoding::Huffman, 2),
    (Encoding::Order, 2),
    (Encoding::OneHot, 2),
    (Encoding::OneHot, 3),
];
/// Explained squared error, in standard errors, below which a trial shows nothing.
const MIN_STANDARD_ERRORS: f64 = 2.0;

/// What a probe found.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeReport {
    /// The hits of each game by tree distance: edges between the node and the similar position.
    pub histograms: Vec<Vec<u64>>,
    /// Mean over all hits, if there were any.
    pub mean_distance: Option<f64>,
    pub deviation: f64,
    /// The distance of codes that the paper's bounds ask for: 2 or 0.
    pub distance: u32,
    /// Playouts that the probe took.
    pub playouts: u64,
}

/// What a trial of a setting found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    pub settings: ExperienceSettings,
    /// Squared error that is explained, per node.
    pub explained: f64,
    /// The best multiple of what is lent, and its standard error.
    pub slope: f64,
    pub slope_error: f64,
    pub playouts: u64,
}

/// Plays the probe of the paper, at distance 2.
pub fn probe<G: Hints>(game: &G, search: &MctsSettings, rng: &mut Rng, stop: &Stop) -> ProbeReport {
    let settings = search.experience.unwrap_or(ExperienceSettings::paper(Encoding::Huffman, 2));
    let settings = ExperienceSettings { distance: 2, ..settings };
    let mut histograms = Vec::new();
    let mut playouts = 0;
    for _ in 0..GAMES {
        let surveys = self_play(game, search, settings, rng, stop, &mut playouts);
        let mut histogram: Vec<u64> = Vec::new();
        for survey in surveys {
            histogram.resize(histogram.len().max(survey.distances.len()), 0);
            histogram.iter_mut().zip(&survey.distances).for_each(|(sum, n)| *sum += n);
        }
        histograms.push(histogram);
    }
    ProbeReport::of(histograms, playouts)
}

/// Tries several settings, and returns what each has shown, the best one first.
pub fn try_encodings<G: Hints>(
    game: &G,
    search: &MctsSettings,
    rng: &mut Rng,
    stop: &Stop,
) -> Vec<Trial> {
    let trial = |(encoding, distance)| {
        let settings = ExperienceSettings::weighted(encoding, distance);
        let mut playouts = 0;
        let mut agreement = Agreement::default();
        for _ in 0..TRIAL_GAMES {
            let surveys = self_play(game, search, settings, rng, stop, &mut playouts);
            surveys.iter().for_each(|survey| agreement.add(&survey.agreement));
        }
        agreement.trial(settings, playouts)
    };
    let mut trials: Vec<Trial> = CANDIDATES.into_iter().map(trial).collect();
    sort_descending(&mut trials, |trial| trial.explained);
    trials
}

impl Trial {
    /// The settings to play with, if what was lent has shown to be of use.
    pub fn settings(&self) -> Option<ExperienceSettings> {
        let is_clear = self.slope > MIN_STANDARD_ERRORS * self.slope_error;
        is_clear.then(|| ExperienceSettings { trust: self.slope.min(1.0), ..self.settings })
    }
}

impl ProbeReport {
    fn of(histograms: Vec<Vec<u64>>, playouts: u64) -> ProbeReport {
        let n_bins = histograms.iter().map(Vec::len).max().unwrap_or(0);
        let at = |histogram: &Vec<u64>, i: usize| histogram.get(i).copied().unwrap_or(0) as f64;
        let total: f64 = histograms.iter().flatten().map(|&n| n as f64).sum();
        let weighted = histograms.iter().flat_map(|h| h.iter().enumerate());
        let sum: f64 = weighted.map(|(i, &n)| i as f64 * n as f64).sum();
        let deviations = (0..n_bins).map(|i| {
            let shares = histograms.iter().map(|histogram| {
                let hits: u64 = histogram.iter().sum();
                at(histogram, i) / (hits as f64).max(1.0)
            });
            standard_deviation(&shares.collect::<Vec<_>>())
        });
        let deviation = deviations.sum::<f64>() / (n_bins as f64).max(1.0);
        let mean_distance = (total > 0.0).then(|| sum / total);
        let is_near = mean_distance.is_some_and(|mean| mean <= MAX_MEAN_DISTANCE);
        let distance = if is_near && deviation < MAX_DEVIATION { 2 } else { 0 };
        ProbeReport { histograms, mean_distance, deviation, distance, playouts }
    }
}

fn standard_deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / n).sqrt()
}

impl MctsSettings {
    /// Lets a probe or trials decide about experience, if they are to.
    pub(in crate::mcts) fn decide_experience<G: Hints>(
        &mut self,
        game: &G,
        rng: &mut Rng,
        stop: &Stop,
    ) {
        let Some(settings) = self.experience else { return };
        self.experience = match settings.decide {
            Decide::Settings => return,
            Decide::Switch => {
                let distance = probe(game, self, rng, stop).distance;
                Some(ExperienceSettings { distance, decide: Decide::Settings, ..settings })
            }
            Decide::Auto => {
                let trials = try_encodings(game, self, rng, stop);
                trials.first().and_then(Trial::settings)
            }
        };
    }
}

/// Plays the first plies of a game, each player with its own search, and returns what they measured.
fn self_play<G: Hints>(
    game: &G,
    search: &MctsSettings,
    experience: ExperienceSettings,
    rng: &mut Rng,
    stop: &Stop,
    playouts: &mut u64,
) -> Vec<Survey> {
    let experience = ExperienceSettings { decide: Decide::Settings, ..experience };
    let budget = Budget { memory: search.budget.memory, ..Budget::iterations(PLAYOUTS) };
    let settings = MctsSettings { experience: Some(experience), budget, trees: 1, ..*search };
    let mut agents: Vec<Mcts<G>> = (0..game.players()).map(|_| Mcts::surveying(settings)).collect();
    let mut state = game.start();
    let mut plies = 0;
    let mut outcomes = Vec::new();
    while plies < PLIES && !stop.requested() {
        let mut actions = Vec::new();
        match game.turn(&state) {
            Turn::Over(_) => break,
            Turn::Chance => actions.push(game.sample(&state, &mut outcomes, rng)),
            Turn::Choose(who) => {
                plies += 1;
                for player in who {
                    let mut context = Context { rng: &mut *rng, stop };
                    let agent = &mut agents[player.index()];
                    let Ok(choice) = agent.choose(game, &state, player, &mut context) else {
                        return Vec::new();
                    };
                    *playouts += choice.iterations;
                    actions.push(choice.action);
                }
            }
        }
        agents.iter_mut().for_each(|agent| agent.observe(game, &state, &actions));
        game.apply(&mut state, &actions);
    }
    agents.iter().filter_map(|agent| agent.survey().cloned()).collect()
}

/// What is measured while a search with experience goes on.
#[derive(Clone, Debug, Default)]
pub(in crate::mcts) struct Survey {
    /// Paths from the root, as a tree: where each goes on from, and its length.
    above: Vec<(u32, u32)>,
    longer: FxHashMap<(u32, u64), u32>,
    /// The path on which the match is.
    root: u32,
    /// The path to each position of this iteration.
    paths: Vec<u32>,
    /// Hits by tree distance.
    distances: Vec<u64>,
    /// What was foretold in this iteration: for whom, what without and with similar positions.
    foretold: Option<(Player, f64, f64)>,
    agreement: Agreement,
}

impl Survey {
    /// Begins a search.
    pub(super) fn begin(&mut self) {
        if self.above.is_empty() {
            self.above.push((0, 0));
        }
        self.paths.clear();
        self.paths.push(self.root);
    }

    /// The match goes on to this position.
    pub(super) fn advance(&mut self, code: u64) {
        if !self.above.is_empty() {
            self.root = self.extend(self.root, code);
        }
    }

    pub(super) fn restart(&mut self) {
        self.paths.truncate(1);
        self.foretold = None;
    }

    pub(super) fn pass(&mut self, code: u64) {
        let Some(&last) = self.paths.last() else { return };
        let path = self.extend(last, code);
        self.paths.push(path);
    }

    /// The path to position `i` of this iteration.
    pub(super) fn path_at(&self, i: usize) -> u32 {
        self.paths[i]
    }

    pub(super) fn hit(
        &mut self,
        table: &Table,
        found: &[Neighbour],
        lent: &Lent,
        value: Option<(Player, f64)>,
    ) {
        let Some(&here) = self.paths.last() else { return };
        for neighbour in found {
            let distance = self.tree_distance(here, table.mark(neighbour.entry));
            self.distances.resize(self.distances.len().max(distance + 1), 0);
            self.distances[distance] += 1;
        }
        let (Some((player, value)), true) = (value, lent.visits > 0.0) else { return };
        self.foretold = Some((player, value, lent.sums[player] / lent.visits));
    }

    pub(super) fn finish(&mut self, payoffs: &Payoffs) {
        self.agreement.nodes += 1.0;
        if let Some((player, value, foretold)) = self.foretold.take() {
            self.agreement.note(foretold - value, payoffs[player] - value);
        }
    }

    /// The path that goes on with this position.
    fn extend(&mut self, path: u32, code: u64) -> u32 {
        *self.longer.entry((path, code)).or_insert_with(|| {
            self.above.push((path, self.above[path as usize].1 + 1));
            self.above.len() as u32 - 1
        })
    }

    /// Edges between the ends of two paths.
    fn tree_distance(&self, mut a: u32, mut b: u32) -> usize {
        let mut n_edges = 0;
        while a != b {
            let ((above_a, depth_a), (above_b, depth_b)) =
                (self.above[a as usize], self.above[b as usize]);
            if depth_a >= depth_b {
                a = above_a;
                n_edges += 1;
            }
            if depth_b >= depth_a {
                b = above_b;
                n_edges += 1;
            }
        }
        n_edges
    }
}

/// How far what was foretold agrees with what came.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Agreement {
    /// Iterations, with and without something foretold.
    nodes: f64,
    n: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Agreement {
    fn note(&mut self, x: f64, y: f64) {
        self.n += 1.0;
        self.xx += x * x;
        self.xy += x * y;
        self.yy += y * y;
    }

    fn add(&mut self, other: &Agreement) {
        self.nodes += other.nodes;
        self.n += other.n;
        self.xx += other.xx;
        self.xy += other.xy;
        self.yy += other.yy;
    }

    fn trial(&self, settings: ExperienceSettings, playouts: u64) -> Trial {
        let nothing = Trial { settings, explained: 0.0, slope: 0.0, slope_error: 0.0, playouts };
        if self.xx <= 0.0 || self.n < 2.0 {
            return nothing;
        }
        let slope = self.xy / self.xx;
        let rest = (self.yy - slope * self.xy).max(0.0);
        Trial {
            explained: self.xy.max(0.0) * slope / self.nodes.max(1.0),
            slope,
            slope_error: (rest / (self.n - 1.0) / self.xx).sqrt(),
            ..nothing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_distances_are_counted_over_the_last_common_position() {
        let mut survey = Survey::default();
        let mut walk = |codes: &[u64]| {
            survey.begin();
            codes.iter().for_each(|&code| survey.pass(code));
            *survey.paths.last().unwrap()
        };
        let (root, a, b) = (walk(&[]), walk(&[1, 2, 3]), walk(&[1, 4]));
        let (c, again) = (walk(&[5]), walk(&[1, 2, 3]));
        assert_eq!(a, again);
        let distance = |a, b| survey.tree_distance(a, b);
        assert_eq!([distance(a, a), distance(root, a), distance(a, root)], [0, 3, 3]);
        assert_eq!([distance(a, b), distance(b, c), distance(c, a)], [3, 3, 4]);
        // The match goes on to the position 1, and from there to 4.
        survey.advance(1);
        survey.begin();
        survey.pass(4);
        assert_eq!(*survey.paths.last().unwrap(), b);
    }

    #[test]
    fn the_bounds_of_the_paper_decide() {
        let near = vec![vec![0, 50, 50], vec![0, 52, 48], vec![0, 48, 52]];
        let report = ProbeReport::of(near, 7);
        assert_eq!((report.mean_distance, report.distance), (Some(1.5), 2));
        // Standard deviations 0, sqrt(2 * 0.02^2 / 3) and the same.
        let expected = 2.0 / 3.0 * (2.0 * 0.02f64 * 0.02 / 3.0).sqrt();
        assert!((report.deviation - expected).abs() < 1e-12);
        let far = ProbeReport::of(vec![vec![0, 0, 0, 10]; 10], 7);
        assert_eq!((far.mean_distance, far.deviation, far.distance), (Some(3.0), 0.0, 0));
        let unsteady = ProbeReport::of(vec![vec![0, 10, 0], vec![0, 0, 10]], 7);
        assert_eq!((unsteady.mean_distance, unsteady.distance), (Some(1.5), 0));
        let none = ProbeReport::of(vec![vec![]; 10], 7);
        assert_eq!((none.mean_distance, none.distance), (None, 0));
    }

    #[test]
    fn agreement_is_a_regression_through_the_origin() {
        let mut agreement = Agreement::default();
        // y = x / 2 up to a deviation that cancels out.
        for (x, y) in [(0.4, 0.3), (0.4, 0.1), (-0.2, 0.0), (-0.2, -0.2)] {
            agreement.nodes += 2.0;
            agreement.note(x, y);
        }
        let trial = agreement.trial(ExperienceSettings::weighted(Encoding::OneHot, 2), 1);
        assert!((trial.slope - 0.5).abs() < 1e-12);
        // A quarter of the sum of x squared, 0.4, over 8 nodes.
        assert!((trial.explained - 0.1 / 8.0).abs() < 1e-12);
        // What is left: 4 * 0.1^2, over 3 degrees of freedom and 0.4.
        assert!((trial.slope_error - (0.04f64 / 3.0 / 0.4).sqrt()).abs() < 1e-12);
        let used = trial.settings().unwrap();
        assert!((used.trust - 0.5).abs() < 1e-12);
        assert_eq!(Trial { slope: 0.3, slope_error: 0.2, ..trial }.settings(), None);
        assert_eq!(Agreement::default().trial(trial.settings, 1).settings(), None);
    }
}
