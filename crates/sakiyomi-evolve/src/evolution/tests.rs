use super::*;
use crate::{
    FairnessSettings, MapProblem, NumberProblem, ScenarioProblem, Strength, Threads, judge_game,
};

fn settings() -> Settings {
    Settings {
        seed: 5,
        population: 8,
        generations: 3,
        tournament: 2,
        elites: 2,
        fitness: Fitness::Graded,
        judges: vec!["sample+noise".parse().unwrap()],
        stages: vec![Stage { games: 4, share: 1.0 }, Stage { games: 6, share: 0.5 }],
        fresh_games: 4,
        max_games: 20,
        archive: true,
        from_archive: 0.5,
        distinct: true,
        crossover: 0.5,
        polish: None,
    }
}

fn numbers() -> NumberProblem {
    NumberProblem::new(&"sangoku:scenario=c".parse().unwrap(), Vec::new()).unwrap()
}

fn run<P: Problem>(
    evolution: &mut Evolution<P::Genome>,
    problem: &P,
    threads: usize,
    generations: usize,
) {
    for _ in 0..generations {
        evolution.step(problem, &Threads(threads), &Stop::new(), &|_, _| {}, None).unwrap();
    }
}

fn done<P: Problem>(settings: Settings, problem: &P, threads: usize) -> Evolution<P::Genome> {
    let mut evolution = Evolution::new(settings, "test".to_owned()).unwrap();
    run(&mut evolution, problem, threads, 4);
    assert!(evolution.is_done());
    evolution
}

#[test]
fn a_run_is_the_same_on_any_number_of_threads() {
    let problem = MapProblem::fair(false);
    let one = done(settings(), &problem, 1);
    assert_eq!(done(settings(), &problem, 3), one);
    assert_ne!(done(Settings { seed: 6, ..settings() }, &problem, 2).population, one.population);
    assert_eq!(one.history.len(), 3);
    assert!(!one.archive.is_empty());
}

/// A run that is stopped in the middle of a generation keeps its games and ends as if it had not been stopped.
#[test]
fn a_run_goes_on_to_the_identical_result() {
    let problem = MapProblem::fair(true);
    let whole = done(settings(), &problem, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let mut evolution = Evolution::new(settings(), "test".to_owned()).unwrap();
    run(&mut evolution, &problem, 2, 1);
    let stop = Stop::new();
    let stop_soon = |done: u64, _: u64| {
        if done >= 9 {
            stop.request();
        }
    };
    assert_eq!(
        evolution.step(&problem, &Threads(2), &stop, &stop_soon, None).unwrap(),
        Step::Stopped
    );
    assert!(evolution.begun.len() >= 9, "{} games are kept", evolution.begun.len());
    assert_eq!(evolution.history.len(), 1);
    evolution.save(&path).unwrap();
    let mut read: Evolution<_> = Evolution::load(&path).unwrap();
    assert_eq!(read, evolution);
    run(&mut read, &problem, 1, 2);
    assert_eq!(read, whole);
    assert_eq!(
        read.step(&problem, &Threads(1), &Stop::new(), &|_, _| {}, None).unwrap(),
        Step::Done
    );
}

/// What is kept while the first generation is played is enough to go on from, for a run that is
/// killed then.
#[test]
fn games_are_kept_before_a_generation_is_complete() {
    let problem = MapProblem::fair(true);
    let whole = done(settings(), &problem, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let most = Cell::new(0);
    let keep = |so_far: &Evolution<_>| {
        if so_far.begun.len() > most.get() && most.get() < 20 {
            most.set(so_far.begun.len());
            so_far.save(&path).unwrap();
        }
    };
    let mut evolution = Evolution::new(settings(), "test".to_owned()).unwrap();
    let keep = Some((Duration::ZERO, &keep as &dyn Fn(&_)));
    evolution.step(&problem, &Threads(1), &Stop::new(), &|_, _| {}, keep).unwrap();
    let mut killed: Evolution<_> = Evolution::load(&path).unwrap();
    assert_eq!((killed.history.len(), killed.begun.len()), (0, most.get()));
    assert!(most.get() > 0);
    run(&mut killed, &problem, 2, 4);
    assert_eq!(killed, whole);
}

#[test]
fn elites_are_kept_and_play_fresh_games() {
    let problem = MapProblem::fair(false);
    let mut evolution = Evolution::new(settings(), "test".to_owned()).unwrap();
    run(&mut evolution, &problem, 2, 1);
    let best: Vec<(u64, u64)> =
        evolution.elites().iter().map(|one| (one.id, one.fewest_games())).collect();
    run(&mut evolution, &problem, 2, 1);
    for (id, games) in best {
        let kept = evolution.population.iter().find(|one| one.id == id).unwrap();
        assert_eq!(kept.fewest_games(), games + 4);
    }
    let paper = Settings {
        elites: 0,
        archive: false,
        from_archive: 0.0,
        fitness: Fitness::Paper,
        distinct: false,
        ..settings()
    };
    let mut evolution = Evolution::new(paper, "test".to_owned()).unwrap();
    let problem = MapProblem::paper(true);
    run(&mut evolution, &problem, 2, 1);
    let before: Vec<u64> = evolution.population.iter().map(|one| one.id).collect();
    run(&mut evolution, &problem, 2, 1);
    assert!(evolution.population.iter().all(|one| !before.contains(&one.id)));
    assert!(evolution.archive.is_empty());
    assert_eq!(evolution.history[0].remarks.len(), 4);
}

/// Only the best of the children play the later stages.
#[test]
fn racing_spends_games_on_the_best() {
    let problem = MapProblem::fair(false);
    let mut evolution = Evolution::new(settings(), "test".to_owned()).unwrap();
    run(&mut evolution, &problem, 2, 1);
    let mut games: Vec<u64> = evolution.population.iter().map(Individual::fewest_games).collect();
    games.sort_unstable();
    assert_eq!(games, [4, 4, 4, 4, 10, 10, 10, 10]);
    assert_eq!(evolution.history[0].games, 56);
}

#[test]
fn scenarios_and_numbers_evolve_through_the_same_trait() {
    let agent = vec!["rule-based".parse().unwrap(), "random".parse().unwrap()];
    let settings = Settings { judges: agent, ..settings() };
    let problem = ScenarioProblem {
        base: "c".to_owned(),
        pieces_a_side: 3,
        start_columns: 2,
        stats: (1, 100),
    };
    problem.check().unwrap();
    let one = done(settings.clone(), &problem, 2);
    assert!(one.population.iter().all(|one| problem.is_allowed(&one.genome)));
    assert!(one.population.iter().all(|one| problem.game(&one.genome, false).is_some()));
    assert!(one.population.iter().any(|one| one.total().games() > 0));
    let problem = numbers();
    let one = done(settings, &problem, 2);
    assert_eq!(one.population[0].genome.0.len(), problem.numbers.len());
    let best = one.best(&problem, 0.01);
    assert!(best.windows(2).all(|pair| one.fitness(pair[0]) >= one.fitness(pair[1])));
}

fn polishing() -> Settings {
    let polish = Polish {
        generations: 3,
        lineages: 5,
        children: 2,
        mutants: 1,
        games: 20,
        share: 0.7,
        last_games: 70,
        distance: 0.25,
    };
    Settings { generations: 1, polish: Some(polish), ..settings() }
}

/// The last phase is the same on any number of threads, and after it was stopped in the middle of a generation.
#[test]
fn refining_goes_on_to_the_identical_result() {
    let problem = MapProblem::fair(false);
    let whole = done(polishing(), &problem, 1);
    assert_eq!(
        whole.history.iter().map(|one| one.is_polished).collect::<Vec<_>>(),
        [false, true, true, true]
    );
    let mut evolution = Evolution::new(polishing(), "test".to_owned()).unwrap();
    run(&mut evolution, &problem, 2, 2);
    let stop = Stop::new();
    let stop_soon = |done: u64, _: u64| {
        if done >= 9 {
            stop.request();
        }
    };
    assert_eq!(
        evolution.step(&problem, &Threads(2), &stop, &stop_soon, None).unwrap(),
        Step::Stopped
    );
    let text = serde_json::to_string(&evolution).unwrap();
    let mut read: Evolution<_> = serde_json::from_str(&text).unwrap();
    run(&mut read, &problem, 3, 2);
    assert_eq!(read, whole);
    // Of 5 lineages 4 go on, and 3 of these.
    assert_eq!(whole.lineages.len(), 3);
}

/// What is refined stays different and allowed, comes closer to balance, and is what the run has in the end.
#[test]
fn refining_brings_maps_closer_to_balance() {
    let problem = MapProblem::fair(true);
    let mut settings = polishing();
    let polish = settings.polish.as_mut().unwrap();
    (polish.generations, polish.share) = (7, 1.0);
    let mut evolution = Evolution::new(settings, "test".to_owned()).unwrap();
    run(&mut evolution, &problem, 2, 2);
    let individuals = |evolution: &Evolution<_>| -> Vec<Individual<_>> {
        evolution.lineages.iter().map(|lineage| lineage.individual.clone()).collect()
    };
    let first = individuals(&evolution);
    assert_eq!(first.len(), 5, "what evolution did not find is drawn");
    let n_games = first.iter().map(Individual::fewest_games);
    assert!(
        n_games.clone().all(|games| games == 20 || games == 0),
        "{:?}",
        n_games.collect::<Vec<_>>()
    );
    run(&mut evolution, &problem, 2, 6);
    assert!(evolution.is_done());
    let last = individuals(&evolution);
    assert!(last.iter().all(|one| one.fewest_games() >= 70));
    // Both with the same number of fresh games, so that luck is on neither side.
    let lead = |one: &Individual<_>| {
        let game = |noise| problem.game(&one.genome, noise);
        let settings = FairnessSettings { games: 200, seed: 9, quorum: None };
        let judges = ["sample+noise".parse().unwrap()];
        let fairness =
            judge_game(&game, &judges, settings, &Threads(2), &Stop::new(), &|_| {}).unwrap();
        (fairness.judges[0].score - 0.5).abs()
    };
    let [before, after] = [&first, &last].map(|all| all.iter().map(lead).sum::<f64>() / 5.0);
    assert!(after < 0.7 * before, "{before} {after}");
    for (at, one) in last.iter().enumerate() {
        assert!(problem.is_allowed(&one.genome));
        for other in &last[..at] {
            assert!(problem.distance(&one.genome, &other.genome) >= 0.25);
        }
    }
    assert_eq!(evolution.best(&problem, 0.25).len(), 5);
}

/// Strengths are the same after they were set, and reach to the limits of their ranges.
#[test]
fn strengths_are_read_and_set() {
    fn check<P: Problem>(problem: &P)
    where
        P::Genome: std::fmt::Debug,
    {
        let rng = &mut Rng::new(3);
        let mut genome = problem.draw(rng);
        problem.repair(&mut genome, rng);
        let strengths = problem.strengths(&genome);
        assert!(!strengths.is_empty());
        let values =
            |strengths: &[Strength]| strengths.iter().map(|it| it.value).collect::<Vec<_>>();
        assert_eq!(problem.with_strengths(&genome, &values(&strengths)), genome);
        for side in [|it: &Strength| it.least, |it: &Strength| it.most] {
            let wanted: Vec<i32> = strengths.iter().map(side).collect();
            let changed = problem.with_strengths(&genome, &wanted);
            assert_eq!(values(&problem.strengths(&changed)), wanted);
            assert!(problem.game(&changed, false).is_some());
        }
    }
    check(&MapProblem::fair(true));
    check(&numbers());
    let base = "c".to_owned();
    check(&ScenarioProblem { base, pieces_a_side: 3, start_columns: 2, stats: (1, 100) });
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let refused = |settings: Settings, part: &str| {
        let error = settings.check().unwrap_err().to_string();
        assert!(error.contains(part), "`{part}` is not in: {error}");
    };
    refused(Settings { population: 1, ..settings() }, "population");
    refused(Settings { elites: 8, ..settings() }, "elites");
    refused(Settings { tournament: 0, ..settings() }, "tournament");
    refused(Settings { judges: Vec::new(), ..settings() }, "judge");
    refused(Settings { stages: Vec::new(), ..settings() }, "first stage");
    refused(Settings { from_archive: 1.5, ..settings() }, "shares");
    let polish = |polish: Polish| Settings { polish: Some(polish), ..settings() };
    let good = polishing().polish.unwrap();
    refused(polish(Polish { children: 0, mutants: 0, ..good.clone() }), "children");
    refused(polish(Polish { lineages: 0, ..good.clone() }), "refined");
    refused(polish(Polish { share: 0.0, ..good }), "share");
    let timed = vec!["m-uct:cpu=10ms".parse().unwrap()];
    refused(Settings { judges: timed, ..settings() }, "budget of time");
}
