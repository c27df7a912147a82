use super::*;

fn dimension(agent: &str, text: &str) -> Result<Dimension, RangeError> {
    Dimension::parse(&agent.parse().unwrap(), text)
}

fn tuning(agent: &str, parameters: &[&str], steps: u32) -> Tuning {
    let agent: AgentSpec = agent.parse().unwrap();
    let game: GameSpec = "tic-tac-toe".parse().unwrap();
    Tuning {
        dimensions: parameters.iter().map(|text| Dimension::parse(&agent, text).unwrap()).collect(),
        agent,
        games: vec![game.clone()],
        unseen_games: vec![game],
        method: None,
        steps,
        games_per_step: 20,
        test_games: 200,
        test: Sprt::new(0.0, 50.0, 0.05, 0.05).unwrap(),
        openings: None,
        seed: 1,
        threads: 2,
    }
}

fn run(tuning: &Tuning, store: Option<&Path>) -> TuneReport {
    run_tuning(tuning, store, &Stop::new(), &mut |_| {}).unwrap()
}

#[test]
fn bounds_follow_from_the_catalog_and_from_what_is_asked() {
    let c = dimension("uct:c=0.8", "c").unwrap();
    assert_eq!((c.low, c.high, c.start), (0.1, 6.4, 0.8));
    let given = dimension("uct", "c=0.2:1.5").unwrap();
    assert_eq!((given.low, given.high, given.start), (0.2, 1.5, 0.4));
    for wrong in ["c=2", "c=2:1", "c=-1:1", "c=0:1e9"] {
        assert!(matches!(dimension("uct", wrong), Err(RangeError::Wrong { .. })), "{wrong}");
    }
    let unknown = dimension("uct", "speed").unwrap_err().to_string();
    assert!(unknown.contains("no number `speed`") && unknown.contains("expand"), "{unknown}");
    assert!(matches!(dimension("uct", "graph"), Err(RangeError::Unknown { .. })));
}

#[test]
fn places_and_values_lead_to_each_other() {
    let wide = dimension("uct", "c=0.01:1").unwrap();
    assert_eq!(wide.value(0.5), 0.1);
    assert_eq!(wide.value(wide.start_place()), 0.4);
    let integer = dimension("uct", "expand=1:4").unwrap();
    let values: Vec<f64> = [0.0, 0.3, 0.6, 1.0, 7.0].map(|place| integer.value(place)).into();
    assert_eq!(values, [1.0, 2.0, 3.0, 4.0, 4.0]);
    let agent = wide.set(&"uct:iterations=50".parse().unwrap(), 0.25).unwrap();
    assert_eq!(agent.to_string(), "uct:iterations=50,c=0.25");
}

/// Scores that are known, with a peak at 0.7 and 0.2.
fn peak(place: &[f64]) -> f64 {
    0.7 - (place[0] - 0.7).powi(2) - (place[1] - 0.2).powi(2)
}

#[test]
fn the_model_finds_a_peak() {
    let mut surface = Surface::new(vec![0.1, 0.9], 10_000, 3);
    for _ in 0..30 {
        let place = surface.ask();
        let score = peak(&place);
        surface.tell(place, score);
    }
    let best = surface.best();
    assert!(peak(&best) > 0.68, "{best:?}");
}

#[test]
fn perturbation_climbs() {
    let mut spsa = Spsa::new(vec![0.1, 0.9], 200, 3);
    for step in 0..200 {
        let [plus, minus] = spsa.ask(step);
        spsa.tell((0.5 + 2.0 * (peak(&plus) - peak(&minus))).clamp(0.0, 1.0));
    }
    let mean = spsa.mean();
    assert!(peak(&mean) > 0.68, "{mean:?}");
}

/// A budget of one iteration plays at random; the number of iterations is what can be gained.
#[test]
fn what_is_better_is_found_and_tested_on_other_seeds() {
    let tuning = tuning("uct:iterations=4", &["iterations=1:200"], 6);
    let report = run(&tuning, None);
    assert_eq!(report.method, Method::Surface);
    assert!(report.parameters[0].tuned > 20.0, "{:?}", report.tuned);
    let [test] = &report.tests[..] else { panic!("one game, one test") };
    assert!(test.score.unwrap() > 0.6, "{test:?}");
    assert_eq!(test.seed, tuning.seed + UNSEEN);
    assert!(report.steps.iter().all(|step| step.tally.games() == 20));
}

#[test]
fn threads_and_interruptions_change_nothing() {
    let names = ["iterations=1:60", "c", "expand=1:6", "trees=1:2"];
    let mut asked = tuning("uct:iterations=8", &names, 4);
    asked.unseen_games.clear();
    let whole = run(&asked, None);
    assert_eq!(whole.method, Method::Spsa);
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("tune.sqlite");
    let stop = Stop::new();
    let stopped = run_tuning(&asked, Some(&store), &stop, &mut |progress| {
        if progress.steps == 2 {
            stop.request();
        }
    });
    assert!(stopped.unwrap().interrupted);
    asked.threads = 1;
    let resumed = run(&asked, Some(&store));
    assert!(resumed.games_before >= 40, "{}", resumed.games_before);
    assert!(!resumed.interrupted);
    assert_eq!(resumed.tuned, whole.tuned);
    let scores = |report: &TuneReport| report.steps.iter().map(|it| it.score).collect::<Vec<_>>();
    assert_eq!(scores(&resumed), scores(&whole));
}
