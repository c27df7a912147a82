//! Games of an agent against itself before a match, from which it learns whether and how experience fits
//! the game.
//!
//! [`probe`] measures what the paper does: how far similar positions are apart in the tree. Its 10
//! games have 10 plies with 250 playouts each. The mean distance over all hits and the mean, over
//! distances, of the standard deviation between games of the share of hits at that distance decide
//! whether positions at distance 2 are used. It also measures how much of the squared error of payoffs is saved by
//! believing what is lent, which is the better measure: distance tells where similar positions are, not whether
//! they are worth the same.
//!
//! [`try_encodings`] measures what matters instead: how well the payoffs of similar positions foretell
//! the payoff of the iteration that adds a node, beyond the mean of the node above. With x the
//! difference between what is lent and that mean, and y the difference between the payoff and that
//! mean, the best multiple of x explains (sum xy)^2 / sum x^2 of the squared error. The setting that
//! explains most, per node, is chosen; the multiple is how far it is trusted, from 0 to 1.
//!
//! Rehearsals (see `rehearsal.rs`) tell how to play out, and in equal time whether experience, which the survey
//! judges by playouts alone, is worth its time.
//!
//! All of it is limited: in playouts, and where decisions are limited in time, in time as well.

use std::fmt::Write;
use std::time::Duration;

use sakiyomi_core::{Budget, Hints, Preparation, Rng, Stop};

use super::survey::{Agreement, Fit, Survey};
use super::{Decide, Encoding, ExperienceCounts, ExperienceSettings};
use crate::mcts::rehearsal::{Bar, LONG, Sparring, counts_playouts, time_limit};
use crate::mcts::{Mcts, MctsSettings, PlayoutPolicy};

/// Games of a probe.
const GAMES: u64 = 10;
const PLIES: usize = 10;
/// Playouts of a decision in the probe of the paper.
pub const PROBE_PLAYOUTS: u64 = 250;
/// Games of a trial. All trials together cost less than the probe of the paper.
const TRIAL_GAMES: u64 = 2;
/// The largest mean distance at which the paper uses similar positions, after a probe like this one.
const MAX_MEAN_DISTANCE: f64 = 2.92;
/// The paper's bound for the mean standard deviation.
const MAX_DEVIATION: f64 = 2.6e-2;
/// The settings that trials compare.
const CANDIDATES: [(Encoding, u32); 3] =
    [(Encoding::Huffman, 0), (Encoding::Order, 2), (Encoding::OneHot, 2)];
/// Slope, in standard errors, below which a trial shows nothing.
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
    /// Squared error of payoffs that is saved, per node, by believing what is lent.
    pub gain: f64,
    /// How often similar positions were found, over all games and players.
    pub counts: ExperienceCounts,
    /// Playouts and CPU time that it took.
    pub playouts: u64,
    pub cpu: Duration,
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
}

/// Plays the probe of the paper, with this number of playouts for a decision.
pub fn probe<G: Hints>(
    game: &G,
    search: &MctsSettings,
    playouts: u64,
    rng: &mut Rng,
    stop: &Stop,
) -> ProbeReport {
    let meter = time_limit(&search.budget).begin(stop);
    let mut sparring = Sparring { game, search: *search, stop, meter: &meter, playouts: 0 };
    let settings = search.experience.unwrap_or(ExperienceSettings::paper(Encoding::Huffman, 2));
    let (mut counts, mut agreement) = (ExperienceCounts::default(), Agreement::default());
    let mut histograms = Vec::new();
    for _ in 0..GAMES {
        let mut histogram: Vec<u64> = Vec::new();
        for (survey, more) in sparring.survey(settings, playouts, rng) {
            histogram.resize(histogram.len().max(survey.distances.len()), 0);
            histogram.iter_mut().zip(&survey.distances).for_each(|(sum, n)| *sum += n);
            counts.add(&more);
            agreement.add(&survey.agreement);
        }
        histograms.push(histogram);
    }
    let report = ProbeReport::of(histograms);
    let (gain, playouts, cpu) = (agreement.gain(), sparring.playouts, meter.cpu_time());
    ProbeReport { counts, gain, playouts, cpu, ..report }
}

/// Tries several settings, and returns what each has shown, the best one first.
pub fn try_encodings<G: Hints>(
    game: &G,
    search: &MctsSettings,
    rng: &mut Rng,
    stop: &Stop,
) -> Vec<Trial> {
    let meter = time_limit(&search.budget).begin(stop);
    Sparring { game, search: *search, stop, meter: &meter, playouts: 0 }.trials(rng)
}

impl Trial {
    fn of(settings: ExperienceSettings, fit: Fit) -> Trial {
        let Fit { explained, slope, slope_error } = fit;
        Trial { settings, explained, slope, slope_error }
    }

    /// The settings to play with, if what was lent has shown to be of use.
    pub fn settings(&self) -> Option<ExperienceSettings> {
        let is_clear = self.slope > MIN_STANDARD_ERRORS * self.slope_error;
        is_clear.then(|| ExperienceSettings { trust: self.slope.min(1.0), ..self.settings })
    }
}

impl ProbeReport {
    fn of(histograms: Vec<Vec<u64>>) -> ProbeReport {
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
        let (counts, playouts, cpu) = (ExperienceCounts::default(), 0, Duration::ZERO);
        let gain = 0.0;
        ProbeReport { histograms, mean_distance, deviation, distance, gain, counts, playouts, cpu }
    }
}

fn standard_deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / n).sqrt()
}

impl MctsSettings {
    /// Lets a probe or trials decide about experience, if they are to, and says what they found.
    pub(in crate::mcts) fn decide_experience<G: Hints>(
        &mut self,
        game: &G,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Option<Preparation> {
        let settings = self.experience?;
        match settings.decide {
            Decide::Settings => None,
            Decide::Switch => {
                let report = probe(game, self, PROBE_PLAYOUTS, rng, stop);
                let ProbeReport { distance, mean_distance, deviation, playouts, cpu, .. } = report;
                let decide = Decide::Settings;
                self.experience = Some(ExperienceSettings { distance, decide, ..settings });
                let mean =
                    mean_distance.map_or_else(|| "none".to_owned(), |mean| format!("{mean:.2}"));
                let found =
                    format!("mean tree distance {mean}, deviation {deviation:.4}: d={distance}");
                Some(Preparation { found, playouts, cpu })
            }
            Decide::Payoffs => {
                let [exact, similar] = [0, 2].map(|distance| {
                    let experience = Some(ExperienceSettings { distance, ..settings });
                    let search = MctsSettings { experience, ..*self };
                    probe(game, &search, PROBE_PLAYOUTS, rng, stop)
                });
                // Where similar positions do not even save an error, they mislead.
                let distance = if similar.gain > exact.gain.max(0.0) { 2 } else { 0 };
                let decide = Decide::Settings;
                self.experience = Some(ExperienceSettings { distance, decide, ..settings });
                let found = format!(
                    "squared error saved {:.4} at d=0, {:.4} at d=2: d={distance}",
                    exact.gain, similar.gain
                );
                let playouts = exact.playouts + similar.playouts;
                Some(Preparation { found, playouts, cpu: exact.cpu + similar.cpu })
            }
            Decide::Auto => Some(self.decide_by_trials(game, rng, stop)),
        }
    }

    fn decide_by_trials<G: Hints>(&mut self, game: &G, rng: &mut Rng, stop: &Stop) -> Preparation {
        let meter = time_limit(&self.budget).begin(stop);
        let mut sparring = Sparring { game, search: *self, stop, meter: &meter, playouts: 0 };
        let mut found = String::new();
        if self.policy == PlayoutPolicy::Uniform && self.playout.is_plain() {
            self.policy = sparring.choose_policy(rng, &mut found);
            sparring.search = *self;
        }
        self.experience = sparring.trials(rng).first().and_then(Trial::settings);
        if self.experience.is_some() && !counts_playouts(&self.budget) {
            let plain = MctsSettings { experience: None, ..*self };
            let score = sparring.rehearse(LONG, [*self, plain], rng);
            let _ = score.map(|score| write!(found, "experience {score}, "));
            let is_worth_it = score.is_some_and(|score| score.reaches(Bar::BeyondLuck));
            self.experience = self.experience.filter(|_| is_worth_it);
        }
        let _ = match self.experience {
            Some(ExperienceSettings { encoding, distance, trust, .. }) => {
                write!(found, "{encoding:?} codes, d={distance}, trust {trust:.2}")
            }
            None => write!(found, "no experience"),
        };
        Preparation { found, playouts: sparring.playouts, cpu: meter.cpu_time() }
    }
}

impl<G: Hints> Sparring<'_, G> {
    fn trials(&mut self, rng: &mut Rng) -> Vec<Trial> {
        let mut trials = Vec::new();
        for (encoding, distance) in CANDIDATES {
            let settings = ExperienceSettings::weighted(encoding, distance);
            let mut agreement = Agreement::default();
            for _ in 0..TRIAL_GAMES {
                let surveys = self.survey(settings, PROBE_PLAYOUTS, rng);
                surveys.iter().for_each(|(survey, _)| agreement.add(&survey.agreement));
            }
            trials.push(Trial::of(settings, agreement.fit()));
        }
        trials.sort_by(|a, b| b.explained.total_cmp(&a.explained));
        trials
    }

    /// Plays the first plies of a game, each player with its own search, and returns what they
    /// measured.
    fn survey(
        &mut self,
        experience: ExperienceSettings,
        playouts: u64,
        rng: &mut Rng,
    ) -> Vec<(Survey, ExperienceCounts)> {
        let experience = ExperienceSettings { decide: Decide::Settings, ..experience };
        let budget = Budget { memory: self.search.budget.memory, ..Budget::iterations(playouts) };
        let experience = Some(experience);
        let settings = MctsSettings { experience, budget, trees: 1, ..self.search };
        let mut agents: Vec<Mcts<G>> =
            (0..self.game.players()).map(|_| Mcts::surveying(settings)).collect();
        self.play(&mut agents, PLIES, rng);
        let measured = |agent: &Mcts<G>| Some((agent.survey()?.clone(), agent.experience_counts()));
        agents.iter().filter_map(measured).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_of_the_paper_decide() {
        let near = vec![vec![0, 50, 50], vec![0, 52, 48], vec![0, 48, 52]];
        let report = ProbeReport::of(near);
        assert_eq!((report.mean_distance, report.distance), (Some(1.5), 2));
        // Standard deviations 0, sqrt(2 * 0.02^2 / 3) and the same.
        let expected = 2.0 / 3.0 * (2.0 * 0.02f64 * 0.02 / 3.0).sqrt();
        assert!((report.deviation - expected).abs() < 1e-12);
        let far = ProbeReport::of(vec![vec![0, 0, 0, 10]; 10]);
        assert_eq!((far.mean_distance, far.deviation, far.distance), (Some(3.0), 0.0, 0));
        let unsteady = ProbeReport::of(vec![vec![0, 10, 0], vec![0, 0, 10]]);
        assert_eq!((unsteady.mean_distance, unsteady.distance), (Some(1.5), 0));
        let none = ProbeReport::of(vec![vec![]; 10]);
        assert_eq!((none.mean_distance, none.distance), (None, 0));
    }

    #[test]
    fn a_slope_must_be_clear_to_be_trusted() {
        let settings = ExperienceSettings::weighted(Encoding::OneHot, 2);
        let trial = Trial { settings, explained: 0.1, slope: 0.5, slope_error: 0.2 };
        assert_eq!(trial.settings(), Some(ExperienceSettings { trust: 0.5, ..settings }));
        assert_eq!(Trial { slope: 0.3, ..trial }.settings(), None);
        let steep = Trial { slope: 1.7, ..trial };
        assert_eq!(steep.settings(), Some(ExperienceSettings { trust: 1.0, ..settings }));
    }
}
