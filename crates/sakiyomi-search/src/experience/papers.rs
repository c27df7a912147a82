//! The papers' ways to decide about experience, kept for the tables that repeat them: a probe
//! before the match chooses between distance 2 and 0 (`experience=switch` and
//! `experience=payoffs`). The encodings that only their tables compare, [`Encoding::Order`] and
//! [`Encoding::Random`], stand with the others.
//!
//! [`probe`] measures what the paper does: how far similar positions are apart in the tree. Its 10
//! games have 10 plies with 250 playouts each. The mean distance over all hits and the mean, over
//! distances, of the standard deviation between games of the share of hits at that distance decide
//! whether positions at distance 2 are used. It also measures how much of the squared error of
//! payoffs is saved by believing what is lent, which is the better measure: distance tells where
//! similar positions are, not whether they are worth the same.

use std::time::Duration;

use sakiyomi_core::{Hints, Preparation, Rng, Stop};

use super::encoding::Encoding;
use super::lend::ExperienceCounts;
use super::rehearsal::{Play, Rehearsals, experience_of, play, with_experience};
use super::settings::ExperienceSettings;
use super::survey::Agreement;
use crate::mcts::settings::MctsSettings;

/// Games of a probe.
const GAMES: u64 = 10;
/// Plies of each of them.
pub(super) const PLIES: usize = 10;
/// Playouts of a decision in the probe of the paper.
pub const PROBE_PLAYOUTS: u64 = 250;
/// The largest mean distance at which the paper uses similar positions, after a probe like this
/// one.
const MAX_MEAN_DISTANCE: f64 = 2.92;
/// The paper's bound for the mean standard deviation.
const MAX_DEVIATION: f64 = 2.6e-2;

/// How large a probe is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeSettings {
    /// Playouts of a decision.
    pub playouts: u64,
    /// Plies of each game, if it is not over before.
    pub plies: usize,
}

/// The probe of the paper.
impl Default for ProbeSettings {
    fn default() -> ProbeSettings {
        ProbeSettings { playouts: PROBE_PLAYOUTS, plies: PLIES }
    }
}

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

/// Plays the probe of the paper.
pub fn probe<G: Hints>(
    game: &G,
    search: &MctsSettings,
    settings: ProbeSettings,
    rng: &mut Rng,
    stop: &Stop,
) -> ProbeReport {
    let play: &Play<'_> = &|seats, meter, rng| play(game, seats, meter, stop, rng);
    Rehearsals::new(play, game.players(), *search, stop).probe(settings, rng)
}

impl Rehearsals<'_> {
    pub(super) fn probe(&mut self, size: ProbeSettings, rng: &mut Rng) -> ProbeReport {
        let settings =
            experience_of(&self.search).unwrap_or(ExperienceSettings::paper(Encoding::Huffman, 2));
        let (mut counts, mut agreement) = (ExperienceCounts::default(), Agreement::default());
        let mut histograms = Vec::new();
        for _ in 0..GAMES {
            let mut histogram: Vec<u64> = Vec::new();
            for (survey, more) in self.survey(settings, size.playouts, size.plies, rng) {
                histogram.resize(histogram.len().max(survey.distances.len()), 0);
                histogram.iter_mut().zip(&survey.distances).for_each(|(sum, n)| *sum += n);
                counts.add(&more);
                agreement.add(&survey.agreement);
            }
            histograms.push(histogram);
        }
        let report = ProbeReport::of(histograms);
        let (gain, playouts, cpu) = (agreement.gain(), self.playouts, self.meter.cpu_time());
        ProbeReport { counts, gain, playouts, cpu, ..report }
    }
}

/// Chooses the distance by where similar positions are: distances in the tree.
pub(super) fn switch_by_distance(
    search: &mut MctsSettings,
    mut probe: impl FnMut(MctsSettings) -> ProbeReport,
) -> Preparation {
    let report = probe(*search);
    let ProbeReport { distance, mean_distance, deviation, playouts, cpu, .. } = report;
    set_distance(search, distance);
    let mean = mean_distance.map_or_else(|| "none".to_owned(), |mean| format!("{mean:.2}"));
    let found = format!("mean tree distance {mean}, deviation {deviation:.4}: d={distance}");
    Preparation { found, playouts, cpu }
}

/// Chooses the distance by how well what is lent foretells payoffs.
pub(super) fn switch_by_payoffs(
    search: &mut MctsSettings,
    mut probe: impl FnMut(MctsSettings) -> ProbeReport,
) -> Preparation {
    let [exact, similar] = [0, 2].map(|distance| {
        let mut search = *search;
        set_distance(&mut search, distance);
        probe(search)
    });
    // Where similar positions do not even save an error, they mislead.
    let distance = if similar.gain > exact.gain.max(0.0) { 2 } else { 0 };
    set_distance(search, distance);
    let found = format!(
        "squared error saved {:.4} at d=0, {:.4} at d=2: d={distance}",
        exact.gain, similar.gain
    );
    let playouts = exact.playouts + similar.playouts;
    Preparation { found, playouts, cpu: exact.cpu + similar.cpu }
}

fn set_distance(search: &mut MctsSettings, distance: u32) {
    let experience = experience_of(search);
    *search = with_experience(
        *search,
        experience.map(|experience| ExperienceSettings { distance, ..experience }),
    );
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
}
