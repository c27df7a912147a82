use super::*;

/// Likes low numbers, values everything the same, and counts what it is asked.
struct Counting {
    batches: Vec<usize>,
    n_actions: usize,
    breaks_at: Option<usize>,
}

impl Network for Counting {
    fn evaluate(&mut self, rows: Rows<'_>) -> Result<Answer, NetworkError> {
        assert_eq!(rows.masks.len(), rows.n * self.n_actions);
        self.batches.push(rows.n);
        if self.breaks_at == Some(self.batches.len()) {
            return Err(NetworkError("broken".to_owned()));
        }
        let priors = (0..rows.n * self.n_actions).map(|i| 1.0 / (1 + i % self.n_actions) as f32);
        Ok(Answer { priors: priors.collect(), values: vec![0.5; rows.n] })
    }
}

fn settings(game: &str, at_once: usize) -> SelfPlay {
    SelfPlay {
        game: game.parse().unwrap(),
        games: 6,
        at_once,
        simulations: 20,
        leaves: 2,
        c: 1.25,
        noise: Some(RootNoise { alpha: 1.0, share: 0.25 }),
        temperature: 1.0,
        temperature_moves: 4,
        seed: 3,
        opponent: None,
    }
}

fn network(n_actions: usize) -> Counting {
    Counting { batches: Vec::new(), n_actions, breaks_at: None }
}

fn play(settings: &SelfPlay, network: &mut Counting) -> Result<Vec<GameRecord>, SelfPlayError> {
    self_play(settings, network, &Stop::new(), &mut |_| {})
}

#[test]
fn matches_do_not_depend_on_how_many_are_played_at_once() {
    let run = |at_once| {
        let mut network = network(5);
        let records = play(&settings("connect-four:5x4", at_once), &mut network).unwrap();
        let shown: Vec<String> = records.iter().map(|record| format!("{record:?}")).collect();
        (shown, network.batches)
    };
    let (alone, batches) = run(1);
    assert!(batches.iter().all(|&n| n <= 2));
    let (together, batches) = run(6);
    assert_eq!(alone, together);
    assert!(batches.iter().any(|&n| n > 6), "leaves of all matches share a batch");
}

#[test]
fn records_hold_what_was_decided() {
    let mut network = network(9);
    let records = play(&settings("tic-tac-toe", 3), &mut network).unwrap();
    assert_eq!(records.iter().map(|record| record.number).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    for record in &records {
        assert!((record.payoffs.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!((5..=9).contains(&record.steps.len()));
        for step in &record.steps {
            let sum: f32 = step.policy.iter().map(|(_, share)| share).sum();
            assert!((sum - 1.0).abs() < 1e-5, "{step:?}");
        }
    }
}

#[test]
fn an_opponent_takes_the_other_seats() {
    let opponent = Some("random".parse().unwrap());
    let settings = SelfPlay { opponent, noise: None, ..settings("tic-tac-toe", 2) };
    let records = play(&settings, &mut network(9)).unwrap();
    for record in &records {
        let seat = Player((record.number % 2) as u8);
        assert_eq!(record.seat, Some(seat));
        assert!(record.steps.iter().all(|step| step.player == seat));
    }
}

#[test]
fn a_network_that_fails_ends_everything_with_its_error() {
    let mut broken = Counting { breaks_at: Some(4), ..network(9) };
    let error = play(&settings("tic-tac-toe", 3), &mut broken).unwrap_err();
    assert_eq!(error.to_string(), "broken");
    struct NotANumber;
    impl Network for NotANumber {
        fn evaluate(&mut self, rows: Rows<'_>) -> Result<Answer, NetworkError> {
            Ok(Answer { priors: vec![1.0; rows.n * 9], values: vec![f32::NAN; rows.n] })
        }
    }
    let error = self_play(&settings("tic-tac-toe", 3), &mut NotANumber, &Stop::new(), &mut |_| {});
    assert_eq!(error.unwrap_err().to_string(), "row 0: the value is NaN; expected 0 to 1");
    let error =
        play(&settings("gdl:sheet=connect-five,memory=100KB", 1), &mut network(9)).unwrap_err();
    assert!(error.to_string().ends_with("has no observations for a network"), "{error}");
}
