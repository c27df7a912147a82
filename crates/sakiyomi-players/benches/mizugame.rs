//! How fast Mizugame is, in CPU time, and whether its fast scores are right: a million random changes
//! against a plain flood. `cargo bench -p sakiyomi-players --bench mizugame -- 50000` checks fewer.

#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;
use sakiyomi_core::{Agent, Budget, Context, Game, Player, Rng, Stop, Turn};
use sakiyomi_games::Mizugame;
use sakiyomi_games::mizugame::{
    Cell, Map, MapSettings, Orders, Pool, Position, Settings, Water, plain_scores,
};
use sakiyomi_players::HasPlayers;
use sakiyomi_players::mizugame::{PaperPlayer, PaperSettings};

fn main() {
    let n_checked = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(1_000_000);
    let map = Map::generate(&MapSettings::default(), 1).expect("default settings make maps");
    measure_scores(&map);
    let game =
        Mizugame::new(vec![map], &Settings::default()).expect("default settings can be played");
    let (decisions, end) = play(&game);
    measure_match(&game, &decisions, &end);
    measure_search();
    measure_simplifications();
    check_scores(game.field(&end).map(), n_checked);
}

/// Random changes within a few cells of each other, so that rings close and open all the time.
fn random_changes(map: &Map, n: usize, rng: &mut Rng) -> Vec<(Cell, Pool)> {
    let ground: Vec<Cell> = Cell::all().filter(|&cell| map.terrain(cell).is_ground()).collect();
    let mut near = Vec::new();
    let mut n_teams = 1;
    (0..n)
        .map(|i| {
            if i % 250 == 0 {
                let (centre, radius) = (ground[rng.below(ground.len())], 2 + rng.below(8) as u32);
                let is_near = |cell: &Cell| cell.distance(centre) <= radius;
                near = ground.iter().copied().filter(is_near).collect();
                n_teams = 1 + rng.below(6);
            }
            let pool = Pool { team: rng.below(n_teams) as u8, amount: rng.below(4) as u8 };
            (near[rng.below(near.len())], pool)
        })
        .collect()
}

fn report(what: &str, time: Duration, n: usize, goal: &str) {
    let nanoseconds = time.as_nanos() as f64 / n as f64;
    let (value, unit) = match nanoseconds {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "us"),
        ns => (ns / 1e6, "ms"),
    };
    println!("{what:<44} {value:>8.2} {unit}   goal {goal}");
}

fn measure_scores(map: &Map) {
    let n = 1_000_000;
    let changes = random_changes(map, n, &mut Rng::new(1));
    let mut water = Water::default();
    let start = ThreadTime::now();
    for &(cell, pool) in &changes {
        water.set(map, cell, Some(pool));
    }
    report("one changed cell, rings all the time", start.elapsed(), n, "<= 0.3 us");
    let n = 20_000;
    let start = ThreadTime::now();
    for _ in 0..n {
        black_box(black_box(&water).scores_from_nothing(map));
    }
    report("scores of six teams from nothing", start.elapsed(), n, "<= 5 us");
    let n = 200;
    let start = ThreadTime::now();
    for _ in 0..n {
        black_box(plain_scores(map, black_box(&water)));
    }
    report("the same by a plain flood", start.elapsed(), n, "(to compare)");
}

/// A match of the paper's player against five others: all decisions, and the end.
fn play(game: &Mizugame) -> (Vec<Vec<Orders>>, Position) {
    let names =
        ["mizugame-paper", "painter", "double-painter", "ring-builder", "sucker", "wanderer"];
    let mut players: Vec<Box<dyn Agent<Mizugame>>> =
        names.iter().filter_map(|name| Mizugame::named(name, None)).collect();
    let (mut rng, stop) = (Rng::new(1), Stop::new());
    let (mut position, mut decisions) = (game.start(), Vec::new());
    while let Turn::Choose(who) = game.turn(&position) {
        let mut choose = |player: Player| {
            let context = &mut Context { rng: &mut rng, stop: &stop };
            let choice = players[player.index()].choose(game, &position, player, context);
            choice.map_or(Orders::NONE, |choice| choice.action)
        };
        let orders: Vec<Orders> = who.map(&mut choose).collect();
        game.apply(&mut position, &orders);
        decisions.push(orders);
    }
    (decisions, position)
}

fn measure_match(game: &Mizugame, decisions: &[Vec<Orders>], end: &Position) {
    let scores: Vec<u32> = (0..game.players()).map(|team| end.water.score(team)).collect();
    println!("paper, painter, double-painter, ring-builder, sucker, wanderer: {scores:?}");
    let n = 200;
    let start = ThreadTime::now();
    for _ in 0..n {
        let mut position = game.start();
        for orders in decisions {
            game.apply(&mut position, black_box(orders));
        }
        assert_eq!(&position, end, "a match is repeatable");
    }
    report("a match of 5 minutes without its players", start.elapsed(), n, "<= 2 ms");
}

fn measure_search() {
    let settings = MapSettings { wall_percent: 0, rough_percent: 0, ..MapSettings::default() };
    let map = Map::generate(&settings, 1).expect("an empty field");
    let settings = Settings { latency: 0, ..Settings::default() };
    let game = Mizugame::new(vec![map], &settings).expect("default settings can be played");
    // A few sessions on a search has water to pour and others near.
    let position = filled(&game);
    for (depth, n, goal) in [(4, 20, "<= 1 ms"), (8, 1, "<= 2 s")] {
        let settings = PaperSettings { depth, fill: 0, ..PaperSettings::default() };
        let (mut rng, stop) = (Rng::new(1), Stop::new());
        let mut leaves = 0;
        let start = ThreadTime::now();
        for _ in 0..n {
            let mut player = PaperPlayer::new(settings, None);
            let context = &mut Context { rng: &mut rng, stop: &stop };
            let choice = player.choose(&game, &position, Player(0), context);
            leaves = choice.map_or(0, |choice| choice.nodes / 3);
        }
        let what = format!("{depth} moves of one robot, {leaves} leaves");
        report(&what, start.elapsed(), 3 * n, goal);
    }
}

/// The paper's table 2: positions of a ply with the simplifications one after the other, and how deep a
/// search gets in 3 seconds of CPU time. A move with its two pours is three plies of the paper's.
fn measure_simplifications() {
    let map = Map::generate(&MapSettings::default(), 1).expect("default settings make maps");
    let settings = Settings { latency: 0, ..Settings::default() };
    let game = Mizugame::new(vec![map], &settings).expect("default settings can be played");
    let position = filled(&game);
    let paper = PaperSettings { fill: 0, ..PaperSettings::default() };
    let none = PaperSettings {
        freezes_enemies: false,
        searches_each_alone: false,
        always_pours: false,
        ..paper
    };
    let frozen = PaperSettings { freezes_enemies: true, ..none };
    let alone = PaperSettings { searches_each_alone: true, ..frozen };
    for (name, settings, positions, unit) in [
        ("all robots of all teams", none, 7f64.powi(18), 1),
        ("(1) enemies frozen", frozen, 343.0, 1),
        ("(2) one robot at a time", alone, 7.0, 1),
        ("(3) always pour", paper, 6.0, 3),
    ] {
        // Three searches share the time where robots are searched for alone.
        let n_searches = if settings.searches_each_alone { 3 } else { 1 };
        let cpu = Some(Duration::from_secs(3) * n_searches);
        let budget = Budget { iterations: None, cpu, ..Budget::iterations(0) };
        let mut player = PaperPlayer::new(settings, Some(budget));
        let (mut rng, stop) = (Rng::new(1), Stop::new());
        let context = &mut Context { rng: &mut rng, stop: &stop };
        let choice = player.choose(&game, &position, Player(0), context);
        let leaves = choice.map_or(0, |choice| choice.nodes);
        let depth = player.depth_reached() * unit;
        println!(
            "{name:<28} {positions:>8.3e} positions a ply, depth {depth:>2} in 3 s ({leaves} leaves)"
        );
    }
}

/// The position after the paper's player has filled its tanks.
fn filled(game: &Mizugame) -> Position {
    let settings = PaperSettings { fill: 40, depth: 3, ..PaperSettings::default() };
    let mut players: Vec<PaperPlayer> = vec![PaperPlayer::new(settings, None); game.players()];
    let (mut rng, stop) = (Rng::new(1), Stop::new());
    let mut position = game.start();
    for _ in 0..30 {
        let mut orders = Vec::new();
        for (team, player) in players.iter_mut().enumerate() {
            let context = &mut Context { rng: &mut rng, stop: &stop };
            let choice = player.choose(game, &position, Player(team as u8), context);
            orders.push(choice.map_or(Orders::NONE, |choice| choice.action));
        }
        game.apply(&mut position, &orders);
    }
    position
}

fn check_scores(map: &Map, n: usize) {
    let mut water = Water::default();
    for (i, (cell, pool)) in random_changes(map, n, &mut Rng::new(2)).into_iter().enumerate() {
        water.set(map, cell, Some(pool));
        let plain = plain_scores(map, &water);
        let kept: Vec<u32> = (0..plain.len()).map(|team| water.score(team)).collect();
        assert_eq!(kept, plain, "change {i}");
    }
    println!("{n} changes scored as by a plain flood");
}
