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
        Box::new(BatchOf::with_lists(game, self.1, true).unwrap())
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

/// Opens a batch that plays its matches on together, if the game does, and one that plays one match
/// after the other.
struct BothWays(BatchSettings);

impl Visitor for BothWays {
    type Out = Option<[Box<dyn Batch>; 2]>;
    fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
        let together = Together::new(&game, &self.0).unwrap()?;
        Some([Box::new(together), Box::new(BatchOf::new(game, self.0).unwrap())])
    }
}

/// Steps both batches with the same actions and compares all that is seen, wrong actions included;
/// tells how many matches ended.
fn compare(game: &str, together: &mut dyn Batch, single: &mut dyn Batch, n_steps: usize) -> usize {
    let [mut seen, mut expected] = [Arrays::of(together), Arrays::of(single)];
    together.reset(5, seen.buffers()).unwrap();
    single.reset(5, expected.buffers()).unwrap();
    let mut actions = vec![0; together.len() * together.rows()];
    let mut others = actions.clone();
    let mut n_ended = 0;
    for step in 0..n_steps {
        assert!(seen == expected, "{game}, step {step}");
        together.random_actions(&mut actions).unwrap();
        single.random_actions(&mut others).unwrap();
        assert_eq!(actions, others, "{game}, step {step}");
        if let Some(chooser) = expected.players.iter().position(|&player| player >= 0) {
            let mut wrong = actions.clone();
            let row = if single.rows() == 1 { 0 } else { expected.players[chooser] as usize };
            wrong[chooser * single.rows() + row] = [-1, 1 << 40, i64::MAX][step % 3];
            let error = single.step(&wrong, expected.buffers()).unwrap_err();
            assert_eq!(together.step(&wrong, seen.buffers()), Err(error), "{game}, step {step}");
        }
        together.step(&actions, seen.buffers()).unwrap();
        single.step(&actions, expected.buffers()).unwrap();
        n_ended += seen.ended.iter().filter(|&&ended| ended).count();
    }
    n_ended
}

/// Rule sheets play their matches on together, alternating and simultaneous ones, on any number of
/// threads; those with chance do not.
#[test]
fn matches_that_are_played_on_together_are_seen_and_played_the_same() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/gdl");
    let (mut n_together, mut n_ended) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "kif") {
            continue;
        }
        let game = format!("gdl:file={}", path.display());
        let spec: GameSpec = game.parse().unwrap();
        let is_simultaneous = spec.with(IsSimultaneous).unwrap();
        let threads = 1 + n_together % 3;
        let settings = BatchSettings {
            n_environments: 64 * 4 * threads + 3,
            per_player: is_simultaneous || n_together % 2 == 1,
            threads,
            seed: 5,
        };
        let Some([mut together, mut single]) = spec.with(BothWays(settings)).unwrap() else {
            assert!(game.contains("pig"), "{game} has no chance");
            continue;
        };
        n_together += 1;
        n_ended += compare(&game, &mut *together, &mut *single, 40);
    }
    assert!(n_together > 15 && n_ended > 1_000, "{n_together} sheets, {n_ended} matches");
}

struct IsSimultaneous;

impl Visitor for IsSimultaneous {
    type Out = bool;
    fn visit<G: CatalogGame>(self, game: G) -> bool {
        // Some choose alone at first and together later.
        game.players() > 1 && (Layout::of(&game).is_simultaneous || game.players() > 2)
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
