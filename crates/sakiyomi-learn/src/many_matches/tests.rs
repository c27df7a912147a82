use sakiyomi_search::{StepRule, StepSettings};

use super::*;

/// Says the same of every position, and notes how large the batches were.
struct Uniform {
    batches: Vec<usize>,
    n_actions: usize,
    /// For each row.
    n_values: usize,
}

impl Network for Uniform {
    fn evaluate(&mut self, rows: Rows<'_>) -> Result<Answer, NetworkError> {
        self.batches.push(rows.n);
        let values = vec![0.5; rows.n * self.n_values];
        Ok(Answer { priors: vec![1.0; rows.n * self.n_actions], values })
    }
}

const GUMBEL: SearchSettings = step(StepRule::Gumbel { considered: 4, is_noisy: true });
const PUCT: SearchSettings = step(StepRule::Puct { c: 1.0, noise: None });
const DESCENT: SearchSettings = SearchSettings::Descent { evaluations: 8, share: 0.7 };

const fn step(rule: StepRule) -> SearchSettings {
    SearchSettings::Step(StepSettings { simulations: 12, rule })
}

fn play(game: &str, search: SearchSettings, threads: usize) -> (Vec<GameRecord>, Vec<usize>) {
    let settings = ManyMatches {
        games: vec![game.parse().unwrap()],
        matches: 40,
        at_once: 16,
        search,
        has_random_images: true,
        opening_plies: 6,
        drawn_moves: 4,
        seed: 3,
        threads,
    };
    let (n_actions, n_values) = match game {
        "tic-tac-toe" => (9, 1),
        "gdl:sheet=tic-tac-toe" => (10, 2),
        _ => (7, 1),
    };
    let mut network = Uniform { batches: Vec::new(), n_actions, n_values };
    let records = play_many_matches(&settings, &mut network, &Stop::new(), &mut |_| {}).unwrap();
    (records, network.batches)
}

#[test]
fn all_matches_are_played_and_do_not_depend_on_threads() {
    for search in [GUMBEL, PUCT, DESCENT] {
        for game in ["connect-four", "tic-tac-toe", "gdl:sheet=tic-tac-toe"] {
            let (records, batches) = play(game, search, 1);
            let numbers: Vec<u64> = records.iter().map(|record| record.number).collect();
            assert_eq!(numbers, (0..40).collect::<Vec<_>>());
            // Half of those at once share a batch. Descent asks about all states that follow on one.
            let is_step = matches!(search, SearchSettings::Step(_));
            assert!(if is_step { batches[0] == 8 } else { batches[0] > 24 }, "{batches:?}");
            let (again, _) = play(game, search, 2);
            assert_eq!(format!("{records:?}"), format!("{again:?}"));
            for record in &records {
                assert!(!record.steps.is_empty());
                for step in &record.steps {
                    let sum: f32 = step.policy.iter().map(|(_, share)| share).sum();
                    assert!((sum - 1.0).abs() < 1e-3, "{sum}");
                }
            }
        }
    }
}

#[test]
fn games_that_do_not_fit_are_refused() {
    for game in ["goofspiel:n=3", "mizugame"] {
        let settings = ManyMatches {
            games: vec![game.parse().unwrap()],
            matches: 1,
            at_once: 1,
            search: GUMBEL,
            has_random_images: true,
            opening_plies: 0,
            drawn_moves: 0,
            seed: 1,
            threads: 1,
        };
        let mut network = Uniform { batches: Vec::new(), n_actions: 1, n_values: 1 };
        let refused = play_many_matches(&settings, &mut network, &Stop::new(), &mut |_| {});
        assert!(refused.is_err(), "{game}");
        assert!(network.batches.is_empty());
    }
}
