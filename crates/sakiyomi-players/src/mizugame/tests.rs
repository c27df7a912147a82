//! The players in whole matches and in single situations.

use sakiyomi_core::{Agent, Budget, Context, Game, Player, Rng, Stop, Turn};
use sakiyomi_games::mizugame::{Cell, Map, MapSettings, Orders, Pool, Position, Settings};

use super::*;

fn generated(seed: u64, sessions: u16) -> Mizugame {
    let map = Map::generate(&MapSettings::default(), seed).unwrap();
    Mizugame::new(vec![map], &Settings { sessions, ..Settings::default() }).unwrap()
}

/// Plays a match between players and returns its end.
fn run(game: &Mizugame, names: [&str; 6], seed: u64) -> Position {
    let mut players: Vec<Box<dyn Agent<Mizugame>>> =
        names.iter().map(|name| Mizugame::named(name, None).expect("a player")).collect();
    let mut rngs: Vec<Rng> = (0..6).map(|seat| Rng::stream(&[seed, seat])).collect();
    let stop = Stop::new();
    let mut position = game.start();
    while let Turn::Choose(who) = game.turn(&position) {
        let mut orders = Vec::new();
        for player in who {
            let context = &mut Context { rng: &mut rngs[player.index()], stop: &stop };
            let choice = players[player.index()].choose(game, &position, player, context).unwrap();
            assert!(game.legal(&position, player, choice.action));
            orders.push(choice.action);
        }
        game.apply(&mut position, &orders);
    }
    position
}

const STAND_INS: [&str; 5] = ["painter", "double-painter", "ring-builder", "sucker", "wanderer"];

/// The paper's player is last at first, because it fills up, and first in the end.
#[test]
fn the_papers_player_beats_the_stand_ins() {
    let game = generated(11, 100);
    let [a, b, c, d, e] = STAND_INS;
    let end = run(&game, ["mizugame-paper", a, b, c, d, e], 1);
    let scores: Vec<u32> = (0..6).map(|team| end.water.score(team)).collect();
    assert!(scores[1..].iter().all(|&score| score < scores[0] && score > 0), "{scores:?}");
    assert_eq!(end, run(&game, ["mizugame-paper", a, b, c, d, e], 1), "it is repeatable");
    let units: u32 = (0..6).map(|team| end.water.units(team)).sum();
    assert!(units > 300, "{units}");
}

/// A tank that cannot hold what is wanted is full when it is full.
#[test]
fn players_leave_the_jar_with_a_small_tank() {
    let map = Map::generate(&MapSettings::default(), 14).unwrap();
    let settings = Settings { sessions: 30, tank_max: 10, ..Settings::default() };
    let game = Mizugame::new(vec![map], &settings).unwrap();
    let end = run(&game, ["mizugame-paper", "painter", "sucker", "hunter", "painter", "sucker"], 1);
    assert!(end.water.score(0) > 20, "{}", end.water.score(0));
}

/// A hunter paints until five sevenths of the match have passed, then takes cells of the leading team.
#[test]
fn a_hunter_turns_on_the_leader() {
    let game = generated(13, 70);
    let mut position = game.start();
    let map = game.field(&position).map();
    let cells: Vec<Cell> = Cell::all().filter(|&cell| map.terrain(cell).is_ground()).collect();
    for (i, &cell) in cells.iter().enumerate().take(600) {
        let team = if i % 3 == 0 { 4 } else { 2 };
        position.water.set(map, cell, Some(Pool { team, amount: 1 }));
    }
    let home = *cells.iter().find(|&&cell| position.water.at(cell).is_none()).unwrap();
    for robot in &mut position.robots[..3] {
        (robot.cell, robot.tank) = (home, 5);
    }
    let taken = |session: u16| {
        let mut position = Position { session, ..position.clone() };
        for _ in 0..12 {
            let mut player = Mizugame::named("hunter", None).unwrap();
            let (mut rng, stop) = (Rng::new(1), Stop::new());
            let context = &mut Context { rng: &mut rng, stop: &stop };
            let choice = player.choose(&game, &position, Player(0), context).unwrap();
            let mut orders = [Orders::NONE; 6];
            orders[0] = choice.action;
            game.apply(&mut position, &orders);
        }
        [2, 4].map(|team| position.water.n_own(team))
    };
    let start = [2, 4].map(|team| position.water.n_own(team));
    assert_eq!(taken(10), start, "free cells come first");
    let [leader, other] = taken(55);
    // A robot that stands on another team's water begins with that.
    assert!(leader < start[0] - 20 && other >= start[1] - 3, "{leader} {other} of {start:?}");
}

/// What a player does depends on nothing that the others have ordered for the session to come.
#[test]
fn players_do_not_see_the_orders_of_others() {
    let game = generated(12, 40);
    let mut position = game.start();
    let mut rng = Rng::new(5);
    for robot in &mut position.robots {
        robot.tank = 30;
    }
    for _ in 0..8 {
        let orders: Vec<Orders> = (0..6)
            .map(|team| {
                let mut actions = Vec::new();
                game.actions(&position, Player(team), &mut actions);
                actions[rng.below(actions.len())]
            })
            .collect();
        game.apply(&mut position, &orders);
    }
    let mut other = position.clone();
    for team in 1..6 {
        other.pending[team] = game.random_action(&position, Player(0), &mut Vec::new(), &mut rng);
    }
    assert_ne!(position, other);
    for name in Mizugame::PLAYERS.iter().map(|player| player.declaration.name) {
        let choose = |position: &Position| {
            let mut player = Mizugame::named(name, Some(Budget::iterations(300))).unwrap();
            let (mut rng, stop) = (Rng::new(9), Stop::new());
            let context = &mut Context { rng: &mut rng, stop: &stop };
            player.choose(&game, position, Player(0), context).unwrap().action
        };
        assert_eq!(choose(&position), choose(&other), "{name}");
    }
}

/// Near a leak the plan of 4 moves sees more than the first move: 750 leaves on open ground, and
/// with a budget the search deepens.
#[test]
fn the_papers_search_has_the_papers_size() {
    let map = Map::generate(
        &MapSettings { wall_percent: 0, rough_percent: 0, ..MapSettings::default() },
        3,
    );
    let game =
        Mizugame::new(vec![map.unwrap()], &Settings { latency: 0, ..Settings::default() }).unwrap();
    let mut position = game.start();
    for robot in &mut position.robots[..3] {
        robot.tank = 1_000;
    }
    let think = |settings: PaperSettings, budget: Option<Budget>| {
        let mut player = PaperPlayer::new(settings, budget);
        let (mut rng, stop) = (Rng::new(9), Stop::new());
        let context = &mut Context { rng: &mut rng, stop: &stop };
        let choice = player.choose(&game, &position, Player(0), context).unwrap();
        (choice.nodes, player.depth_reached(), choice.action)
    };
    let paper = PaperSettings::default();
    // Where they stand is poured on first, so that the search begins after that.
    let (leaves, depth, orders) = think(paper, None);
    assert_eq!((leaves, depth), (3 * 6 * 5 * 5 * 5, 4));
    assert!(orders.0.iter().all(|plan| plan.to_string().starts_with("AA")), "{orders}");
    let seven = PaperSettings { always_pours: false, depth: 2, ..paper };
    assert!(think(seven, None).0 <= 3 * 7 * 7);
    let team = PaperSettings { searches_each_alone: false, depth: 1, ..seven };
    assert_eq!(think(team, None).0, 343);
    let all = PaperSettings { freezes_enemies: false, ..team };
    let (leaves, depth, _) = think(all, Some(Budget::iterations(5_000)));
    assert_eq!((leaves, depth), (5_001, 0), "all robots at once are too many for one ply");
    let (_, deeper, _) = think(paper, Some(Budget::iterations(300_000)));
    assert!(deeper > 5, "{deeper}");
}
