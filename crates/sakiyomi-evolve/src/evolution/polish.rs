//! The last phase: the best individuals that differ are refined, each by itself, so that none of them is lost to a better one of another
//! kind.
//!
//! A genome has numbers that set the strength of a side in small steps ([`Problem::strengths`]), such as hit points. A [`Model`] learns from all games
//! of a lineage what a step of each is worth for every judge. In every generation the few steps that should bring all judges to
//! balance are tried, and so are changes of any other kind, since steps alone do not always suffice. In the last
//! generation nothing is changed: all lineages play on, so that those that were lucky are found out.

use sakiyomi_core::Rng;
use sakiyomi_core::stats::Tally;
use serde::{Deserialize, Serialize};

use super::model::{Model, imbalance};
use super::{Evolution, EvolveError, Individual, MAX_TRIES, Next, POLISH, Play, sort_by_fitness};
use crate::{Problem, Strength};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Polish {
    pub generations: usize,
    /// Individuals that are refined; what evolution did not find is drawn.
    pub lineages: usize,
    /// Children of each of them in a generation that differ by few steps of its numbers.
    pub children: usize,
    /// Children that differ in any other way.
    pub mutants: usize,
    /// Games of each judge for every parent and child in a generation.
    pub games: u64,
    /// Games of each judge that everyone has in the end.
    pub last_games: u64,
    /// How different they are and stay.
    pub distance: f64,
}

/// An individual that is refined, and what its games have taught.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lineage<G> {
    pub individual: Individual<G>,
    model: Model,
}

/// A lineage in the middle of a generation.
struct Family<G> {
    parent: Individual<G>,
    model: Model,
    children: Vec<Individual<G>>,
    mutants: Vec<Individual<G>>,
}

impl Polish {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.lineages == 0 || self.lineages > 10_000 {
            return Err("1 to 10000 individuals must be refined".to_owned());
        }
        if self.children + self.mutants == 0 || self.games == 0 {
            return Err("those that are refined must have children and play games".to_owned());
        }
        Ok(())
    }
}

/// Sorts the fairest to the front by their own games; of equals the one that was made first.
pub(super) fn sort_by_balance<G>(all: &mut [&Individual<G>]) {
    sort_by_fitness(all, |one| -imbalance(&one.tallies()), |one| one.id);
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
        let is_first = self.lineages.is_empty();
        let lineages = match is_first {
            true => self.first_lineages(problem, polish, rng),
            false => self.lineages.clone(),
        };
        let ids = lineages.iter().map(|one| one.individual.id + 1);
        let mut next_id = ids.fold(self.next_id, u64::max);
        let mut id = || {
            next_id += 1;
            next_id - 1
        };
        // Nothing is known in the first generation; in the last one nothing is changed.
        let is_last = self.history.len() + 1 >= self.settings.all_generations();
        let mut families: Vec<Family<G>> = Vec::new();
        for Lineage { individual: parent, model } in lineages {
            let mut family = Family { parent, model, children: Vec::new(), mutants: Vec::new() };
            if !is_first && !is_last {
                let steps = family.best_steps(problem, polish.children);
                let mutants =
                    (0..polish.mutants).map(|_| mutant(problem, &family.parent.genome, rng));
                family.mutants = mutants.map(|genome| self.blank(id(), genome)).collect();
                family.children = steps.into_iter().map(|it| self.blank(id(), it)).collect();
            }
            families.push(family);
        }
        let before: Vec<Vec<Tally>> =
            families.iter().map(|family| family.parent.tallies()).collect();
        let (mut playing, mut wanted) = (Vec::new(), Vec::new());
        for Family { parent, children, mutants, .. } in &mut families {
            let missing = polish.last_games.saturating_sub(parent.fewest_games());
            wanted.push(if is_last { missing } else { polish.games });
            playing.push(parent);
            wanted.resize(wanted.len() + children.len() + mutants.len(), polish.games);
            playing.extend(children.iter_mut().chain(mutants));
        }
        if !play.games(problem, &mut playing, &wanted)? {
            return Ok(None);
        }
        let mut after: Vec<Lineage<G>> = Vec::new();
        for (mut family, before) in families.into_iter().zip(&before) {
            family.learn(problem, before);
            if is_last {
                after.push(Lineage { individual: family.parent, model: family.model });
                continue;
            }
            let genomes: Vec<G> = after.iter().map(|one| one.individual.genome.clone()).collect();
            let is_far = |genome: &G| {
                let far = |other: &G| problem.distance(genome, other) >= polish.distance;
                genomes.iter().all(far)
                    && self
                        .lineages
                        .iter()
                        .skip(after.len() + 1)
                        .all(|other| far(&other.individual.genome))
            };
            family.adopt(problem, &is_far);
            let chosen = family.fairest(problem);
            let Family { parent, model, children, mutants } = family;
            let known = [parent].into_iter().chain(children).chain(mutants);
            let individual = known
                .into_iter()
                .find(|one| one.genome == chosen)
                .unwrap_or_else(|| self.blank(id(), chosen));
            after.push(Lineage { individual, model });
        }
        let (population, archive) = (self.population.clone(), self.archive.clone());
        Ok(Some(Next { population, archive, lineages: after, next_id }))
    }

    /// The best that differ; the rest is drawn. All begin without games: those so far were the ones by which they were chosen.
    fn first_lineages<P: Problem<Genome = G>>(
        &self,
        problem: &P,
        polish: &Polish,
        rng: &mut Rng,
    ) -> Vec<Lineage<G>> {
        let best = self.best(problem, polish.distance);
        let mut genomes: Vec<G> =
            best.into_iter().take(polish.lineages).map(|one| one.genome.clone()).collect();
        for _ in 0..MAX_TRIES * polish.lineages {
            if genomes.len() >= polish.lineages {
                break;
            }
            let drawn = self.fresh(problem, rng);
            if genomes.iter().all(|one| problem.distance(one, &drawn) >= polish.distance) {
                genomes.push(drawn);
            }
        }
        let n_judges = self.settings.judges.len();
        let begin = |(id, genome): (u64, G)| {
            let model = Model::new(&problem.strengths(&genome), n_judges);
            Lineage { individual: self.blank(id, genome), model }
        };
        (self.next_id..).zip(genomes).map(begin).collect()
    }
}

impl<G: Clone + PartialEq> Family<G> {
    /// The genomes that differ from the parent by one or two steps and should be the fairest, the best first.
    fn best_steps<P: Problem<Genome = G>>(&self, problem: &P, n: usize) -> Vec<G> {
        let mut all: Vec<(f64, Vec<Strength>)> = self
            .steps(problem)
            .into_iter()
            .map(|strengths| (self.model.expected(&strengths, false), strengths))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let genomes = all.iter().map(|(_, strengths)| self.with(problem, strengths));
        genomes.filter(|genome| problem.is_allowed(genome)).take(n).collect()
    }

    /// The numbers after one step, or two.
    fn steps<P: Problem<Genome = G>>(&self, problem: &P) -> Vec<Vec<Strength>> {
        let start = problem.strengths(&self.parent.genome);
        let single = |from: &[Strength], first: usize| -> Vec<(usize, Vec<Strength>)> {
            let step = |(at, by): (usize, i32)| {
                let mut to = from.to_vec();
                to[at].value += by;
                (to[at].least..=to[at].most).contains(&to[at].value).then_some((at, to))
            };
            let all = (first..from.len()).flat_map(|at| [(at, 1), (at, -1)]);
            all.filter_map(step).collect()
        };
        let mut all = Vec::new();
        for (at, once) in single(&start, 0) {
            let twice = single(&once, at).into_iter().map(|(_, twice)| twice);
            all.extend(twice.filter(|twice| *twice != start));
            all.push(once);
        }
        all
    }

    fn with<P: Problem<Genome = G>>(&self, problem: &P, strengths: &[Strength]) -> G {
        let values: Vec<i32> = strengths.iter().map(|strength| strength.value).collect();
        problem.with_strengths(&self.parent.genome, &values)
    }

    /// Takes in the games of the parent that it did not have before, and those of the children that differ by steps.
    fn learn<P: Problem<Genome = G>>(&mut self, problem: &P, before: &[Tally]) {
        let fresh = |(after, before): (Tally, &Tally)| Tally {
            wins: after.wins - before.wins,
            draws: after.draws - before.draws,
            losses: after.losses - before.losses,
        };
        let fresh: Vec<Tally> = self.parent.tallies().into_iter().zip(before).map(fresh).collect();
        self.model.learn(&problem.strengths(&self.parent.genome), &fresh);
        for child in &self.children {
            self.model.learn(&problem.strengths(&child.genome), &child.tallies());
        }
    }

    /// Goes on with a mutant if it, or what few steps make of it, should be fairer than what they make of the parent.
    fn adopt<P: Problem<Genome = G>>(&mut self, problem: &P, is_far: &dyn Fn(&G) -> bool) {
        let mut best = self.reach(problem);
        for mutant in std::mem::take(&mut self.mutants) {
            let strengths = problem.strengths(&mutant.genome);
            let mut model = self.model.loosened(&strengths);
            model.learn(&strengths, &mutant.tallies());
            let (children, mutants) = (Vec::new(), Vec::new());
            let family = Family { parent: mutant, model, children, mutants };
            let reach = family.reach(problem);
            if reach < best && is_far(&family.parent.genome) {
                (best, *self) = (reach, family);
            }
        }
    }

    /// How fair the parent or what few steps make of it should be at best; 0 is best.
    fn reach<P: Problem<Genome = G>>(&self, problem: &P) -> f64 {
        let own = self.model.expected(&problem.strengths(&self.parent.genome), true);
        let steps = self.steps(problem);
        steps.iter().map(|it| self.model.expected(it, true)).fold(own, f64::min)
    }

    /// The parent, or what one or two steps make of it if that should be fairer.
    fn fairest<P: Problem<Genome = G>>(&self, problem: &P) -> G {
        let expected = |it: &[Strength]| self.model.expected(it, true);
        let mut best =
            (expected(&problem.strengths(&self.parent.genome)), self.parent.genome.clone());
        for strengths in self.steps(problem) {
            let value = expected(&strengths);
            if value < best.0 {
                let genome = self.with(problem, &strengths);
                if problem.is_allowed(&genome) {
                    best = (value, genome);
                }
            }
        }
        best.1
    }
}

/// A genome that differs by changes of any kind.
fn mutant<P: Problem>(problem: &P, parent: &P::Genome, rng: &mut Rng) -> P::Genome {
    let mut child = parent.clone();
    for _ in 0..MAX_TRIES {
        child = parent.clone();
        problem.mutate(&mut child, rng);
        problem.repair(&mut child, rng);
        if child != *parent && problem.is_allowed(&child) {
            break;
        }
    }
    child
}
