//! The scripted players in whole matches and in single situations.

use sakiyomi_core::{Agent, Budget, Context, Game, Hints, Player, Rng, Show, Stop, Turn};

use super::*;

fn generated(seed: u64, sessions: u16) -> Mizugame {
    let map = Map::generate(&MapSettings::default(), seed).unwrap();
    Mizugame::new(map, Settings { sessions, ..Settings::default() }).unwrap()
}

/// Plays a match between scripted players and returns its end.
fn run(game: &Mizugame, names: [&str; 6], seed: u64) -> Position {
    let mut players: Vec<Box<dyn Agent<Mizugame>>> =
        names.iter().map(|name| game.script(name, None).expect("a player")).collect();
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

#[test]
fn every_listed_player_can_be_had() {
    let game = generated(1, 4);
    for script in game.scripted() {
        assert!(game.script(script.name, None).is_some(), "{}", script.name);
        assert!(!script.summary.is_empty());
    }
    assert!(game.script("nobody", None).is_none());
}

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
    let game = Mizugame::new(map, settings).unwrap();
    let end = run(&game, ["mizugame-paper", "painter", "sucker", "hunter", "painter", "sucker"], 1);
    assert!(end.water.score(0) > 20, "{}", end.water.score(0));
}

/// A hunter paints until five sevenths of the match have passed, then takes cells of the leading team.
#[test]
fn a_hunter_turns_on_the_leader() {
    let game = generated(13, 70);
    let mut position = game.start();
    let cells: Vec<Cell> = game.map.ground.iter().collect();
    for (i, &cell) in cells.iter().enumerate().take(600) {
        let team = if i % 3 == 0 { 4 } else { 2 };
        position.water.set(&game.map, cell, Some(Pool { team, amount: 1 }));
    }
    let home = *cells.iter().find(|&&cell| position.water.at(cell).is_none()).unwrap();
    for robot in &mut position.robots[..3] {
        (robot.cell, robot.tank) = (home, 5);
    }
    let taken = |session: u16| {
        let mut position = Position { session, ..position.clone() };
        for _ in 0..12 {
            let mut player = game.script("hunter", None).unwrap();
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
    for name in game.scripted().iter().map(|script| script.name) {
        let choose = |position: &Position| {
            let mut player = game.script(name, Some(Budget::iterations(300))).unwrap();
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
    let game = Mizugame::new(map.unwrap(), Settings { latency: 0, ..Settings::default() }).unwrap();
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

#[test]
fn candidates_are_legal_and_combine() {
    let game = generated(13, 30);
    let mut position = game.start();
    position.robots[0].tank = 5;
    let player = Player(0);
    let orders: Vec<Vec<Orders>> = (0..game.agents(&position, player))
        .map(|agent| {
            let mut orders = Vec::new();
            game.orders(&position, player, agent, &mut orders);
            orders
        })
        .collect();
    assert_eq!(orders.len(), 3);
    for (agent, own) in orders.iter().enumerate() {
        assert!(own.len() >= 6, "{own:?}");
        for (i, order) in own.iter().enumerate() {
            assert!(game.legal(&position, player, *order) && !own[..i].contains(order));
            let joined = game.combine(&position, player, &[*order, orders[1][0], orders[2][0]]);
            assert!(
                agent > 0 || joined == Orders([order.0[0], orders[1][0].0[1], orders[2][0].0[2]])
            );
        }
    }
    let mut listed = Vec::new();
    game.actions(&position, player, &mut listed);
    for action in listed {
        let text = game.action_text(&position, player, action);
        assert_eq!(game.parse(&position, player, &text), Some(action));
    }
    assert_eq!(game.turns_left(&position), Some(29));
    assert!(game.estimate(&position).unwrap().as_slice(6).iter().all(|p| (p - 0.5).abs() < 1e-9));
}

#[test]
fn the_view_shows_water_robots_and_enclosed_cells() {
    let game = generated(14, 30);
    let mut position = game.start();
    let centre = Cell::all()
        .find(|cell| {
            let near = Cell::all().filter(|other| other.distance(*cell) <= 1).collect::<Vec<_>>();
            near.len() == 7 && near.iter().all(|&cell| game.map.terrain(cell).is_ground())
        })
        .unwrap();
    for cell in centre.neighbours() {
        position.water.set(&game.map, cell, Some(Pool { team: 2, amount: 3 }));
    }
    position.robots[4].tank = 12;
    let view = game.view(&position);
    let board = view.board.unwrap();
    assert_eq!((board.cells.len(), board.cells.iter().filter(|c| c.is_hole).count()), (1681, 420));
    let inside = &board.cells[centre.array_index()];
    assert_eq!((inside.owners.clone(), inside.amount), (vec![2], None));
    let fence = &board.cells[centre.step(0).array_index()];
    assert_eq!((fence.owners.clone(), fence.amount), (vec![2], Some(3)));
    assert_eq!(board.cells.iter().map(|cell| cell.pieces.len()).sum::<usize>(), 18);
    let piece = board.cells[position.robots[4].cell.array_index()].top().unwrap();
    assert_eq!((piece.owner, piece.gauge.as_ref().map(|gauge| gauge.value)), (Some(1), Some(12)));
    assert_eq!(view.players[2].score.as_ref().unwrap().value, 7.0);
    assert_eq!(view.caption, "all teams give orders");
    position.session = 30;
    assert_eq!(game.view(&position).caption, "team 3 wins with 7 cells");
}
