//! The last phase: the best individuals that differ are refined, each by itself, so that none of them is lost to a better one of another
//! kind. In every generation each has a few children, most of which help the side that scores less; few games tell which
//! of them look better, and one takes its parent's place if it still is better after the same number of games. What looks fair
//! has no children and plays on, so that the lucky are found out.
//!
//! This is a (1 + n) evolution strategy per individual with racing. The fitness is the paper's here: near balance it is not flat, and it
//! is what is asked for.

use sakiyomi_core::Rng;
use serde::{Deserialize, Serialize};

use super::{
    Evolution, EvolveError, Individual, MAX_TRIES, Next, POLISH, Play, Stage, sort_by_fitness,
};
use crate::{Fitness, Problem};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Polish {
    pub generations: usize,
    /// Individuals that are refined; what evolution did not find is drawn.
    pub lineages: usize,
    /// Children of each of them in a generation.
    pub children: usize,
    /// Rounds of games; each is played by the best of the children of a parent only.
    pub stages: Vec<Stage>,
    /// Fresh games of each judge for every parent in a generation, up to this number.
    pub max_games: u64,
    /// How different they are and stay.
    pub distance: f64,
}

/// One that scores this close to balance for every judge has no children: more games tell whether it is as good as it looks.
const CLOSE: f64 = 0.045;
/// One that has more draws than this for some judge has children all the same.
const MANY_DRAWS: f64 = 0.2;
/// How much of a lead a single change is expected to mend.
const LEAD_OF_A_CHANGE: f64 = 0.1;
/// How likely a child has a change of any kind, apart from those that help a side.
const ANY_CHANGE: f64 = 0.5;
/// The share of the graded fitness, which slopes where the paper's is flat.
const GRADED: f64 = 0.1;

/// The fitness of this phase.
pub(super) fn closeness<G>(one: &Individual<G>) -> f64 {
    let of = |fitness: Fitness| fitness.of_all(&one.evidence);
    (1.0 - GRADED) * of(Fitness::Paper) + GRADED * of(Fitness::Graded)
}

impl Polish {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.lineages == 0 || self.children == 0 || self.lineages > 10_000 {
            return Err("1 to 10000 individuals must be refined, with children".to_owned());
        }
        if self.stages.first().is_none_or(|stage| stage.games == 0 || stage.share < 1.0) {
            return Err("in the first stage all children must play at least one game".to_owned());
        }
        if self.stages.iter().any(|stage| !(0.0..=1.0).contains(&stage.share)) {
            return Err("shares must be from 0 to 1".to_owned());
        }
        Ok(())
    }

    /// Games of a child that plays all stages.
    fn all_games(&self) -> u64 {
        self.stages.iter().map(|stage| stage.games).sum()
    }

    /// Further games of a parent: first those of a child; then more for one that looks good than for one that is to be replaced.
    fn wanted<G>(&self, parent: &Individual<G>) -> u64 {
        let played = parent.fewest_games();
        let more = if looks_fair(parent) { self.all_games() } else { self.all_games() / 4 };
        let more = self.all_games().saturating_sub(played).max(more);
        more.min(self.max_games.saturating_sub(played))
    }
}

fn looks_fair<G>(parent: &Individual<G>) -> bool {
    parent.evidence.iter().all(|evidence| {
        let lead = evidence.tally.score().map_or(1.0, |score| (score - 0.5).abs());
        lead <= CLOSE && evidence.draw_rate() <= MANY_DRAWS
    })
}

impl<G: Clone + PartialEq + Serialize + serde::de::DeserializeOwned + Send + Sync> Evolution<G> {
    /// The next generation of the lineages; nothing if it was stopped.
    pub(super) fn polished<P: Problem<Genome = G>>(
        &self,
        problem: &P,
        polish: &Polish,
        play: &mut Play<'_>,
    ) -> Result<Option<Next<G>>, EvolveError> {
        let rng = &mut Rng::stream(&[self.settings.seed, self.history.len() as u64, POLISH]);
        let mut parents = match self.lineages.is_empty() {
            true => self.first_lineages(problem, polish, rng),
            false => self.lineages.clone(),
        };
        let wanted: Vec<u64> = parents.iter().map(|one| polish.wanted(one)).collect();
        if !play.games(problem, &mut parents.iter_mut().collect::<Vec<_>>(), &wanted)? {
            return Ok(None);
        }
        let mut next_id = parents.iter().map(|one| one.id + 1).fold(self.next_id, u64::max);
        let mut families: Vec<Vec<Individual<G>>> = Vec::new();
        for parent in &parents {
            let n = if looks_fair(parent) { 0 } else { polish.children };
            let mut child = || {
                next_id += 1;
                self.blank(next_id - 1, refined(problem, parent, rng))
            };
            families.push((0..n).map(|_| child()).collect());
        }
        if !play.race_families(problem, polish, &mut families)?
            || !play.confirm(problem, &parents, &mut families)?
        {
            return Ok(None);
        }
        for (at, family) in families.into_iter().enumerate() {
            let Some(child) = family.into_iter().next() else { continue };
            let others = || parents.iter().enumerate().filter(|(other, _)| *other != at);
            let is_different = others().all(|(_, other)| {
                problem.distance(&child.genome, &other.genome) >= polish.distance
            });
            if is_different && closeness(&child) > closeness(&parents[at]) {
                parents[at] = child;
            }
        }
        let (population, archive) = (self.population.clone(), self.archive.clone());
        Ok(Some(Next { population, archive, lineages: parents, next_id }))
    }

    /// The best that differ; the rest is drawn.
    fn first_lineages<P: Problem<Genome = G>>(
        &self,
        problem: &P,
        polish: &Polish,
        rng: &mut Rng,
    ) -> Vec<Individual<G>> {
        let best = self.best(problem, polish.distance);
        let mut lineages: Vec<Individual<G>> =
            best.into_iter().take(polish.lineages).cloned().collect();
        let mut next_id = self.next_id;
        for _ in 0..MAX_TRIES * polish.lineages {
            if lineages.len() >= polish.lineages {
                break;
            }
            let drawn = self.fresh(problem, rng);
            let far =
                |one: &Individual<G>| problem.distance(&one.genome, &drawn) >= polish.distance;
            if lineages.iter().all(far) {
                lineages.push(self.blank(next_id, drawn));
                next_id += 1;
            }
        }
        lineages
    }
}

/// A child that is meant to be closer to balance: changes that help the side that scores less, more of them the farther it is behind,
/// and often one of any kind, since judges that do not agree are not brought together by strength alone.
fn refined<P: Problem>(problem: &P, parent: &Individual<P::Genome>, rng: &mut Rng) -> P::Genome {
    let scores = parent.evidence.iter().map(|evidence| evidence.tally.score().unwrap_or(0.5));
    let lead = scores.sum::<f64>() / parent.evidence.len().max(1) as f64 - 0.5;
    let mut child = parent.genome.clone();
    for _ in 0..MAX_TRIES {
        child = parent.genome.clone();
        if rng.unit() < ANY_CHANGE {
            problem.mutate(&mut child, rng);
        }
        // A lead of one change or more is mended by that number of changes, give or take one half.
        let changes = lead.abs() / LEAD_OF_A_CHANGE * (0.5 + rng.unit());
        let whole = changes.floor() as usize + usize::from(rng.unit() < changes.fract());
        for _ in 0..whole {
            problem.favour(&mut child, usize::from(lead > 0.0), rng);
        }
        problem.repair(&mut child, rng);
        if child != parent.genome && problem.is_allowed(&child) {
            break;
        }
    }
    child
}

impl Play<'_> {
    /// All stages of the children of all parents together; then each family has its best first. False if it was stopped.
    fn race_families<P: Problem>(
        &mut self,
        problem: &P,
        polish: &Polish,
        families: &mut [Vec<Individual<P::Genome>>],
    ) -> Result<bool, EvolveError> {
        for stage in &polish.stages {
            let mut playing: Vec<&mut Individual<P::Genome>> = Vec::new();
            for family in families.iter_mut() {
                sort_family(family);
                let n = (stage.share * family.len() as f64).ceil() as usize;
                playing.extend(family.iter_mut().take(n));
            }
            let wanted = vec![stage.games; playing.len()];
            if !self.games(problem, &mut playing, &wanted)? {
                return Ok(false);
            }
        }
        for family in families {
            let all = polish.all_games();
            family.retain(|child| child.fewest_games() >= all);
            sort_family(family);
        }
        Ok(true)
    }

    /// The best child of each family, if it looks better than its parent, plays until both have the same number of games.
    /// False if it was stopped.
    fn confirm<P: Problem>(
        &mut self,
        problem: &P,
        parents: &[Individual<P::Genome>],
        families: &mut [Vec<Individual<P::Genome>>],
    ) -> Result<bool, EvolveError> {
        let (mut playing, mut wanted) = (Vec::new(), Vec::new());
        for (parent, family) in parents.iter().zip(families) {
            let Some(best) = family.first_mut() else { continue };
            if closeness(best) > closeness(parent) {
                wanted.push(parent.fewest_games().saturating_sub(best.fewest_games()));
                playing.push(best);
            }
        }
        self.games(problem, &mut playing, &wanted)
    }
}

fn sort_family<G>(family: &mut [Individual<G>]) {
    sort_by_fitness(family, closeness, |one| one.id);
}
