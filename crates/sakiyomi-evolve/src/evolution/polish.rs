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
    /// The share of them that goes on after a generation: those that should be fairest. The games of
    /// the others would be wasted.
    pub share: f64,
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
    /// The games that the parent had before it.
    before: Vec<Tally>,
    model: Model,
    children: Vec<Individual<G>>,
    mutants: Vec<Individual<G>>,
}

/// Numbers of individuals.
struct Ids(u64);

impl Ids {
    fn next(&mut self) -> u64 {
        self.0 += 1;
        self.0 - 1
    }
}

impl Polish {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.lineages == 0 || self.lineages > 10_000 {
            return Err("1 to 10000 individuals must be refined".to_owned());
        }
        if self.children + self.mutants == 0 || self.games == 0 {
            return Err("those that are refined must have children and play games".to_owned());
        }
        if !(self.share > 0.0 && self.share <= 1.0) {
            return Err("the share of them that goes on must be above 0 and at most 1".to_owned());
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
        let is_last = self.history.len() + 1 >= self.settings.all_generations();
        let lineages = match is_first {
            true => self.first_lineages(problem, polish, rng),
            false => self.lineages.clone(),
        };
        let ids = lineages.iter().map(|one| one.individual.id + 1);
        let mut ids = Ids(ids.fold(self.next_id, u64::max));
        let alone = |Lineage { individual: parent, model }| {
            let before = parent.tallies();
            Family { parent, before, model, children: Vec::new(), mutants: Vec::new() }
        };
        let mut families: Vec<Family<G>> = lineages.into_iter().map(alone).collect();
        // Nothing is known in the first generation; in the last one nothing is changed.
        if !is_first && !is_last {
            families
                .iter_mut()
                .for_each(|family| self.breed(problem, polish, family, &mut ids, rng));
        }
        if !play.families(problem, polish, &mut families, is_last)? {
            return Ok(None);
        }
        let mut lineages: Vec<Lineage<G>> = Vec::new();
        for mut family in families {
            family.learn(problem);
            let next = match is_last {
                true => Lineage { individual: family.parent, model: family.model },
                false => self.heir(problem, polish, family, &lineages, &mut ids),
            };
            lineages.push(next);
        }
        if !is_last {
            keep_fairest(problem, polish.share, &mut lineages);
        }
        let (population, archive) = (self.population.clone(), self.archive.clone());
        Ok(Some(Next { population, archive, lineages, next_id: ids.0 }))
    }

    /// Gives a family its children.
    fn breed<P: Problem<Genome = G>>(
        &self,
        problem: &P,
        polish: &Polish,
        family: &mut Family<G>,
        ids: &mut Ids,
        rng: &mut Rng,
    ) {
        let parent = &family.parent.genome;
        let mutants = (0..polish.mutants).map(|_| mutant(problem, parent, rng));
        let mutants = mutants.map(|genome| self.blank(ids.next(), genome)).collect();
        let steps = family.best_steps(problem, polish.children).into_iter();
        family.children = steps.map(|genome| self.blank(ids.next(), genome)).collect();
        family.mutants = mutants;
    }

    /// What the lineage goes on with. The lineages before it have been decided; those after it are as they were.
    fn heir<P: Problem<Genome = G>>(
        &self,
        problem: &P,
        polish: &Polish,
        mut family: Family<G>,
        decided: &[Lineage<G>],
        ids: &mut Ids,
    ) -> Lineage<G> {
        let others = || decided.iter().chain(self.lineages.iter().skip(decided.len() + 1));
        family.adopt(problem, &|genome| {
            others().all(|it| problem.distance(genome, &it.individual.genome) >= polish.distance)
        });
        let chosen = family.fairest(problem);
        let Family { parent, model, children, .. } = family;
        let known = [parent].into_iter().chain(children).find(|one| one.genome == chosen);
        let individual = known.unwrap_or_else(|| self.blank(ids.next(), chosen));
        Lineage { individual, model }
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
    fn learn<P: Problem<Genome = G>>(&mut self, problem: &P) {
        let fresh = |(after, before): (Tally, &Tally)| Tally {
            wins: after.wins - before.wins,
            draws: after.draws - before.draws,
            losses: after.losses - before.losses,
        };
        let tallies = self.parent.tallies().into_iter().zip(&self.before);
        let fresh: Vec<Tally> = tallies.map(fresh).collect();
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
            let (before, children, mutants) = (Vec::new(), Vec::new(), Vec::new());
            let family = Family { parent: mutant, before, model, children, mutants };
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

/// Ends the lineages that should be least fair, but for this share of all.
fn keep_fairest<P: Problem>(problem: &P, share: f64, lineages: &mut Vec<Lineage<P::Genome>>) {
    let expected = |it: &Lineage<P::Genome>| {
        it.model.expected(&problem.strengths(&it.individual.genome), true)
    };
    lineages.sort_by(|a, b| expected(a).total_cmp(&expected(b)));
    lineages.truncate((share * lineages.len() as f64).ceil() as usize);
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

impl Play<'_> {
    /// The games of all families; in the last generation what their parents lack. False if it was stopped.
    fn families<P: Problem>(
        &mut self,
        problem: &P,
        polish: &Polish,
        families: &mut [Family<P::Genome>],
        is_last: bool,
    ) -> Result<bool, EvolveError> {
        let (mut playing, mut wanted) = (Vec::new(), Vec::new());
        for Family { parent, children, mutants, .. } in families {
            let missing = polish.last_games.saturating_sub(parent.fewest_games());
            wanted.push(if is_last { missing } else { polish.games });
            playing.push(parent);
            wanted.resize(wanted.len() + children.len() + mutants.len(), polish.games);
            playing.extend(children.iter_mut().chain(mutants));
        }
        self.games(problem, &mut playing, &wanted)
    }
}
