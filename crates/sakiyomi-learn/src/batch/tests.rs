use super::*;

#[derive(Debug, PartialEq)]
struct Arrays {
    observations: Vec<f32>,
    masks: Vec<bool>,
    rewards: Vec<f32>,
    ended: Vec<bool>,
    players: Vec<i8>,
}

impl Arrays {
    fn of(batch: &dyn Batch) -> Arrays {
        let (n, layout) = (batch.len(), batch.layout());
        Arrays {
            observations: vec![0.0; n * batch.rows() * layout.observation_len()],
            masks: vec![false; n * batch.rows() * layout.n_actions],
            rewards: vec![0.0; n * layout.n_players],
            ended: vec![false; n],
            players: vec![0; n],
        }
    }

    fn buffers(&mut self) -> Buffers<'_> {
        Buffers {
            observations: &mut self.observations,
            masks: &mut self.masks,
            rewards: &mut self.rewards,
            ended: &mut self.ended,
            players: &mut self.players,
        }
    }
}

fn open(game: &str, n: usize, per_player: bool, threads: usize) -> Box<dyn Batch> {
    let settings = BatchSettings { n_environments: n, per_player, threads, seed: 5 };
    open_batch(&game.parse().unwrap(), settings).unwrap().unwrap()
}

/// Everything that random play shows, as one list of numbers.
fn history(game: &str, per_player: bool, threads: usize) -> Vec<f64> {
    let mut batch = open(game, 7, per_player, threads);
    let mut arrays = Arrays::of(&*batch);
    let mut actions = vec![0; batch.len() * batch.rows()];
    let mut history = Vec::new();
    batch.reset(5, arrays.buffers()).unwrap();
    for _ in 0..60 {
        batch.random_actions(&mut actions).unwrap();
        batch.step(&actions, arrays.buffers()).unwrap();
        history.extend(actions.iter().map(|&action| action as f64));
        history.extend(arrays.observations.iter().map(|&x| f64::from(x)));
        history.extend(arrays.rewards.iter().map(|&x| f64::from(x)));
        history.extend(arrays.masks.iter().map(|&x| f64::from(u8::from(x))));
        history.extend(arrays.players.iter().map(|&x| f64::from(x)));
    }
    history
}

#[test]
fn threads_change_nothing() {
    for (game, per_player) in [("connect-four:5x4", false), ("goofspiel:n=4", true)] {
        let alone = history(game, per_player, 1);
        assert_eq!(alone, history(game, per_player, 3), "{game}");
        assert!(alone.contains(&-1.0) && alone.contains(&1.0), "{game}: matches end");
    }
}

/// Opens a batch that lists what is legal, whatever the game can do.
struct WithLists<'a>(&'a GameSpec, BatchSettings);

impl Visitor for WithLists<'_> {
    type Out = Box<dyn Batch>;
    fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
        assert!(game.has_direct_indices(), "{}: it has lists anyway", self.0);
        Box::new(BatchOf::with_lists(game, self.0, self.1, true).unwrap())
    }
}

#[test]
fn games_that_tell_what_is_legal_without_a_list_are_seen_and_played_the_same() {
    for game in ["connect-four", "connect-four:5x4", "tic-tac-toe", "othello", "hex:5x5"] {
        let spec: GameSpec = game.parse().unwrap();
        let settings = BatchSettings { n_environments: 9, per_player: false, threads: 1, seed: 5 };
        let mut listed = spec.with(WithLists(&spec, settings)).unwrap();
        let mut direct = open(game, 9, false, 1);
        let [mut seen, mut expected] = [Arrays::of(&*direct), Arrays::of(&*listed)];
        direct.reset(5, seen.buffers()).unwrap();
        listed.reset(5, expected.buffers()).unwrap();
        let (mut actions, mut n_ended) = (vec![0; 9], 0);
        for step in 0..200 {
            assert_eq!(seen, expected, "{game}, step {step}");
            direct.random_actions(&mut actions).unwrap();
            let mut wrong = actions.clone();
            wrong[4] = [-1, 65, 300, i64::MAX][step % 4];
            let error = listed.step(&wrong, expected.buffers()).unwrap_err();
            assert_eq!(direct.step(&wrong, seen.buffers()), Err(error), "{game}, step {step}");
            direct.step(&actions, seen.buffers()).unwrap();
            listed.step(&actions, expected.buffers()).unwrap();
            n_ended += seen.ended.iter().filter(|&&ended| ended).count();
        }
        assert!(n_ended > 9, "{game}: {n_ended} matches ended");
    }
}

#[test]
fn a_match_that_ends_begins_again() {
    let mut batch = open("tic-tac-toe", 1, false, 1);
    let mut arrays = Arrays::of(&*batch);
    batch.reset(1, arrays.buffers()).unwrap();
    for (ply, action) in [0, 3, 1, 4].into_iter().enumerate() {
        assert_eq!(i32::from(arrays.players[0]), ply as i32 % 2);
        batch.step(&[action], arrays.buffers()).unwrap();
        assert!(!arrays.ended[0]);
    }
    batch.step(&[2], arrays.buffers()).unwrap();
    assert!(arrays.ended[0] && arrays.rewards == [1.0, -1.0]);
    assert!(arrays.masks.iter().all(|&legal| legal), "the next match has begun");
    batch.step(&[2], arrays.buffers()).unwrap();
    assert!(!arrays.ended[0] && arrays.rewards == [0.0, 0.0]);
}

#[test]
fn what_is_wrong_changes_nothing() {
    let mut batch = open("tic-tac-toe", 2, false, 1);
    let mut arrays = Arrays::of(&*batch);
    batch.reset(1, arrays.buffers()).unwrap();
    let error = batch.step(&[4, 9], arrays.buffers()).unwrap_err();
    assert!(error.to_string().starts_with("environment 1: action 9 is not legal"), "{error}");
    batch.step(&[4, 4], arrays.buffers()).expect("the first environment was not played");
    let error = batch.step(&[4], arrays.buffers()).unwrap_err();
    assert_eq!(error.to_string(), "actions: 1 numbers, expected 2");
    arrays.masks.pop();
    assert!(batch.step(&[0, 0], arrays.buffers()).is_err());
    let settings = BatchSettings { n_environments: 1, per_player: false, threads: 1, seed: 1 };
    let goofspiel = "goofspiel:n=3".parse().unwrap();
    let opened = open_batch(&goofspiel, settings).unwrap();
    assert!(matches!(opened, Err(BatchError::Simultaneous { n: 2, .. })));
}
