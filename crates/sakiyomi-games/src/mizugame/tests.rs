//! The rules, one by one, on small situations.

use sakiyomi_core::{Game, Hints, Orders as _, Player, Rng, Scratch, Show, Turn};

use super::*;

/// An empty field on which six teams start; `(x, y, letter)` change the ground.
fn field(n_teams: usize, ground: &[(i32, i32, char)]) -> Map {
    let mut text = String::from("41 41 free 0\n");
    for y in 0..SIDE as i32 {
        for x in 0..SIDE as i32 {
            let changed = ground.iter().find(|&&(a, b, _)| (a, b) == (x, y)).map(|place| place.2);
            let usual = if Cell::at(x, y).is_some() { '.' } else { '#' };
            text.push(changed.unwrap_or(usual));
        }
        text.push('\n');
    }
    for (team, (x, y)) in STARTS.into_iter().enumerate().take(n_teams) {
        for robot in 0..3 {
            text += &format!("{team} {robot} {} {y}\n", x + robot);
        }
    }
    Map::read(&text).unwrap_or_else(|error| panic!("{error}"))
}

const STARTS: [(i32, i32); 6] = [(10, 10), (10, 20), (20, 10), (20, 30), (30, 20), (30, 30)];

fn game(n_teams: usize, ground: &[(i32, i32, char)], change: impl Fn(&mut Settings)) -> Mizugame {
    let mut settings = Settings { latency: 0, ..Settings::default() };
    change(&mut settings);
    Mizugame::new(vec![field(n_teams, ground)], &settings).unwrap()
}

/// Gives orders to the first teams; the others do nothing.
fn play(game: &Mizugame, position: &mut Position, texts: &[&str]) {
    let mut orders = vec![Orders::NONE; game.players()];
    for (orders, text) in orders.iter_mut().zip(texts) {
        *orders = Orders::parse(text).unwrap();
        assert!(game.legal(position, Player(0), *orders));
    }
    game.apply(position, &orders);
}

fn at(x: i32, y: i32) -> Cell {
    Cell::at(x, y).unwrap()
}

fn place(position: &Position, robot: usize) -> (i32, i32) {
    let cell = position.robots[robot].cell;
    (cell.x(), cell.y())
}

/// A pool that is put there by hand.
fn put(game: &Mizugame, position: &mut Position, (x, y): (i32, i32), team: u8, amount: u8) {
    position.water.set(&game.fields[0].map, at(x, y), Some(Pool { team, amount }));
}

#[test]
fn moves_take_40_frames_and_run_on() {
    let game = game(2, &[], |_| {});
    let mut position = game.start();
    play(&game, &mut position, &["000000 1 222"]);
    // Four moves end by frame 160, the fifth runs on until frame 200.
    assert_eq!(place(&position, 0), (14, 10));
    assert_eq!((position.robots[0].busy, position.robots[0].deed), (20, Deed::Move(0)));
    assert_eq!((place(&position, 1), place(&position, 2)), ((12, 11), (12, 13)));
    assert_eq!((position.robots[1].busy, position.robots[1].deed), (0, Deed::Idle));
    // What was left of the string is gone; the move that runs is completed first.
    play(&game, &mut position, &["333 - -"]);
    assert_eq!(place(&position, 0), (12, 10));
    assert_eq!((position.robots[0].busy, position.session), (0, 2));
}

#[test]
fn an_action_that_ends_with_the_session_counts() {
    let game = game(2, &[], |settings| settings.session_frames = 80);
    let mut position = game.start();
    play(&game, &mut position, &["000 . -"]);
    assert_eq!((place(&position, 0), position.robots[0].busy), ((12, 10), 0));
}

#[test]
fn orders_wait_for_the_next_session_with_latency() {
    let game = game(2, &[], |settings| (settings.latency, settings.sessions) = (1, 3));
    let mut position = game.start();
    play(&game, &mut position, &["0 - -"]);
    assert_eq!((place(&position, 0), position.pending[0].to_string()), ((10, 10), "0 - -".into()));
    // The second orders are the last that can be carried out, so both sessions follow.
    play(&game, &mut position, &["1 - -"]);
    assert_eq!((place(&position, 0), position.session), ((12, 11), 3));
    assert!(matches!(game.turn(&position), Turn::Over(_)));
    assert!(!game.legal(&position, Player(0), Orders::NONE), "it is over");
}

#[test]
fn walls_and_the_rim_stop_a_robot_after_its_time() {
    let game = game(2, &[(10, 11, 'X')], |_| {});
    let mut position = game.start();
    position.robots[1].cell = at(0, 0);
    play(&game, &mut position, &["2000 33334 -"]);
    assert_eq!(place(&position, 0), (13, 10), "three of four moves, 40 frames each");
    assert_eq!(place(&position, 1), (0, 0));
    assert_eq!(position.robots[1].busy, 20);
}

#[test]
fn rough_ground_slows_what_starts_on_it() {
    let rough = [(10, 10, '~'), (11, 11, '~')];
    let at_standing = game(2, &rough, |_| {});
    let mut position = at_standing.start();
    position.robots[0].tank = 9;
    position.robots[1].tank = 9;
    // 2 * 19 frames to pour and 80 to leave; the second robot enters rough ground in 40.
    play(&at_standing, &mut position, &["A0AA 2A -"]);
    assert_eq!(position.water.at(at(10, 10)), Some(Pool { team: 0, amount: 1 }));
    assert_eq!(place(&position, 0), (11, 10));
    assert_eq!(position.water.at(at(11, 10)).map(|pool| pool.amount), Some(2));
    assert_eq!(position.robots[0].busy, 0, "38 + 80 + 19 + 19 frames");
    assert_eq!(position.water.at(at(11, 11)).map(|pool| pool.amount), Some(1));
    let entering = game(2, &rough, |settings| settings.rough = Rough::Entering);
    let mut position = entering.start();
    play(&entering, &mut position, &["00 200 -"]);
    assert_eq!((place(&position, 0), place(&position, 1)), ((12, 10), (13, 11)));
    assert_eq!(position.robots[1].busy, 0, "80 + 40 + 40 frames");
    let mild = game(2, &rough, |settings| settings.rough_percent = 150);
    assert_eq!(mild.fields[0].frames(at(10, 10), Deed::Move(0)), 60);
    assert_eq!(mild.fields[0].frames(at(10, 10), Deed::Wait), 10, "waiting is no action");
}

#[test]
fn the_context_action_refills_pours_and_sucks() {
    let game = game(2, &[(10, 10, 'O')], |_| {});
    let mut position = game.start();
    position.robots[1].tank = 2;
    position.robots[2].tank = 1;
    put(&game, &mut position, (12, 10), 1, 3);
    play(&game, &mut position, &["AAAAAAA AAA AA"]);
    assert_eq!((position.robots[0].tank, position.robots[0].busy), (7, 0), "7 times 24 frames");
    assert_eq!(position.water.at(at(11, 10)), Some(Pool { team: 0, amount: 2 }));
    assert_eq!(position.robots[1].tank, 0, "the third pour had nothing to pour");
    assert_eq!(position.water.at(at(12, 10)), Some(Pool { team: 1, amount: 1 }));
    assert_eq!(position.robots[2].tank, 3);
    // Emptied, the cell is free, and the next action pours.
    play(&game, &mut position, &["- - AA"]);
    assert_eq!(position.water.at(at(12, 10)), Some(Pool { team: 0, amount: 1 }));
    assert_eq!((position.poured[0], position.poured[1]), (3, 0));
}

#[test]
fn limits_of_tanks_and_cells_hold() {
    let limits = |settings: &mut Settings| (settings.tank_max, settings.cell_max) = (3, 2);
    let game = game(2, &[(10, 10, 'O')], limits);
    let mut position = game.start();
    position.robots[1].tank = 3;
    position.robots[2].tank = 3;
    put(&game, &mut position, (12, 10), 1, 2);
    play(&game, &mut position, &["AAAAA AAA AAA"]);
    assert_eq!([0, 1, 2].map(|robot| position.robots[robot].tank), [3, 1, 2]);
    assert_eq!(position.water.at(at(11, 10)).map(|pool| pool.amount), Some(2));
}

/// In session 0 the first team acts first, in session 1 the second.
#[test]
fn the_order_of_teams_rotates() {
    for (rotates, winners) in [(true, [0, 1]), (false, [0, 0])] {
        let game = game(2, &[], |settings| settings.rotates_order = rotates);
        for (session, winner) in winners.into_iter().enumerate() {
            let mut position = game.start();
            position.session = session as u16;
            for robot in [0, 3] {
                position.robots[robot].cell = at(15, 15);
                position.robots[robot].tank = 1;
            }
            play(&game, &mut position, &["A - -", "A - -"]);
            assert_eq!(position.water.at(at(15, 15)), Some(Pool { team: winner, amount: 1 }));
            // The other found the cell taken when its pour ended, and keeps its water.
            assert_eq!(position.robots[3 - 3 * usize::from(winner)].tank, 1);
        }
    }
}

#[test]
fn robots_block_only_if_the_setting_says_so() {
    for (robots_block, reached) in [(false, (11, 10)), (true, (10, 10))] {
        let game = game(2, &[], |settings| settings.robots_block = robots_block);
        let mut position = game.start();
        play(&game, &mut position, &["0 - -"]);
        assert_eq!(place(&position, 0), reached);
    }
}

#[test]
fn effects_may_come_at_the_start() {
    for (effect, amount, tank) in [(Effect::AtEnd, 9, 1), (Effect::AtStart, 10, 0)] {
        let game = game(2, &[], |settings| {
            (settings.effect, settings.session_frames) = (effect, 172);
        });
        let mut position = game.start();
        position.robots[0].tank = 10;
        position.robots[0].deed = Deed::Pour;
        position.robots[0].busy = 1;
        play(&game, &mut position, &["AAAAAAAAA - -"]);
        // With effects at the start the pour that runs has had its effect already.
        let expected = if effect == Effect::AtEnd { (amount + 1, tank - 1) } else { (9, 1) };
        let found = position.water.at(at(10, 10)).map_or(0, |pool| pool.amount);
        assert_eq!((found, position.robots[0].tank), expected);
    }
}

#[test]
fn score_ties_are_broken_by_water_and_shared_beyond() {
    let payoffs = |settings: fn(&mut Settings)| {
        let game = game(3, &[], settings);
        let mut position = game.start();
        put(&game, &mut position, (1, 1), 0, 1);
        put(&game, &mut position, (3, 3), 1, 2);
        put(&game, &mut position, (5, 5), 2, 1);
        position.poured = [7, 2, 2, 0, 0, 0];
        position.session = game.fields[0].settings.sessions;
        match game.turn(&position) {
            Turn::Over(payoffs) => payoffs.as_slice(3).to_vec(),
            turn => panic!("{turn:?}"),
        }
    };
    assert_eq!(payoffs(|_| {}), [0.25, 1.0, 0.25]);
    assert_eq!(payoffs(|s| s.tie_break = TieBreak::WaterPoured), [1.0, 0.25, 0.25]);
    assert_eq!(payoffs(|s| s.payoff = Payoff::First), [0.0, 1.0, 0.0]);
}

/// Walls, jars and other teams' water let the flood through and do not score.
#[test]
fn only_own_water_fences() {
    let game = game(2, &[(5, 5, 'X'), (20, 20, 'O')], |_| {});
    let mut position = game.start();
    let ring = |position: &mut Position, centre: Cell, radius: u32| {
        for cell in Cell::all().filter(|cell| cell.distance(centre) == radius) {
            put(&game, position, (cell.x(), cell.y()), 0, 1);
        }
    };
    ring(&mut position, at(20, 20), 2);
    assert_eq!(position.water.score(0), 12 + 6, "the jar in the middle does not score");
    put(&game, &mut position, (20, 21), 1, 1);
    assert_eq!((position.water.score(0), position.water.score(1)), (12 + 5, 1));
    position.water.set(&game.fields[0].map, at(22, 22), None);
    assert_eq!(position.water.score(0), 11, "a gap lets everything out");
    put(&game, &mut position, (22, 22), 1, 1);
    assert_eq!(position.water.score(0), 11, "another team's water is no fence");
    // The rim is no fence: five cells around a corner enclose nothing.
    let mut corner = game.start();
    for cell in at(0, 0).neighbours() {
        if Cell::at(cell.x(), cell.y()).is_some() {
            put(&game, &mut corner, (cell.x(), cell.y()), 0, 1);
        }
    }
    assert_eq!(corner.water.score(0), 3);
}

#[test]
fn a_cell_inside_two_rings_scores_for_both() {
    let game = game(2, &[], |_| {});
    let mut position = game.start();
    for (team, radius) in [(0, 3), (1, 1)] {
        for cell in Cell::all().filter(|cell| cell.distance(at(20, 20)) == radius) {
            put(&game, &mut position, (cell.x(), cell.y()), team, 1);
        }
    }
    assert_eq!(position.water.score(0), 18 + 19 - 6);
    assert_eq!(position.water.score(1), 6 + 1);
    assert_eq!(plain_scores(&game.fields[0].map, &position.water)[..2], [31, 7]);
}

#[test]
fn what_others_have_ordered_is_not_seen() {
    let game = game(3, &[], |settings| settings.latency = 1);
    let mut position = game.start();
    play(&game, &mut position, &["0 - -", "1 1 1", "2 2 2"]);
    let mut other = game.start();
    play(&game, &mut other, &["0 - -", "A A A", "- 5 -"]);
    assert_ne!(position, other);
    let first = Player(0);
    assert_eq!(game.seen_by(&position, first), game.seen_by(&other, first));
    assert_eq!(
        game.fields[0].foreseen_by(&position, first),
        game.fields[0].foreseen_by(&other, first)
    );
    assert_eq!(place(&game.fields[0].foreseen_by(&position, first), 0), (11, 10));
    assert_ne!(game.seen_by(&position, Player(1)), game.seen_by(&other, Player(1)));
    let listed = |position: &Position| {
        let mut actions = Vec::new();
        game.actions(position, first, &mut actions);
        actions
    };
    assert_eq!(listed(&position), listed(&other));
}

#[test]
fn random_matches_are_repeatable_and_scores_stay_right() {
    let map = Map::generate(&MapSettings::default(), 3).unwrap();
    let settings = Settings { sessions: 30, ..Settings::default() };
    let game = Mizugame::new(vec![map], &settings).unwrap();
    let play = |seed: u64| {
        let (mut state, mut scratch) = (game.start(), Scratch::default());
        for robot in &mut state.robots {
            robot.tank = 100;
        }
        let payoffs = game.playout(&mut state, &mut scratch, &mut Rng::new(seed));
        (state, payoffs)
    };
    let (state, payoffs) = play(1);
    assert_eq!((state.clone(), payoffs), play(1));
    assert_ne!(state, play(2).0);
    assert!(state.water.score(0) > 0);
    assert_eq!(
        plain_scores(&game.fields[0].map, &state.water),
        state.water.scores_from_nothing(&game.fields[0].map)
    );
    let sum: f64 = payoffs.as_slice(6).iter().sum();
    assert!((sum - 3.0).abs() < 1e-9);
}

#[test]
fn maps_are_read_back_and_have_their_symmetry() {
    for symmetry in [Symmetry::Point, Symmetry::SixFold] {
        for teams in 2..=6 {
            let settings = MapSettings { symmetry, teams, ..MapSettings::default() };
            let map = Map::generate(&settings, 40 + u64::from(teams)).unwrap();
            assert_eq!(map, Map::generate(&settings, 40 + u64::from(teams)).unwrap());
            assert_ne!(map, Map::generate(&settings, 1).unwrap());
            assert_eq!(Map::read(&map.text()).unwrap(), map, "the symmetry is checked on the way");
            check_starts(&map, &settings);
            let count = |kind| Cell::all().filter(|&cell| map.terrain(cell) == kind).count();
            assert!((20..=160).contains(&count(Terrain::Wall)), "{}", count(Terrain::Wall));
            assert!((60..=260).contains(&count(Terrain::Rough)), "{}", count(Terrain::Rough));
            match symmetry {
                Symmetry::Point => assert!((1..=10).contains(&count(Terrain::Jar))),
                Symmetry::SixFold => assert!((1..=7).contains(&count(Terrain::Jar))),
            }
        }
    }
}

fn check_starts(map: &Map, settings: &MapSettings) {
    for team in 0..map.n_teams() {
        let [a, b, c] = map.starts(team);
        assert!([a.distance(b), b.distance(c), a.distance(c)].iter().all(|d| (1..=4).contains(d)));
        let middle = |of: fn(Cell) -> i32| (of(a) + of(b) + of(c)) / 3;
        let middle = at(middle(Cell::x), middle(Cell::y));
        assert_eq!(middle.distance(Cell::centre()), u32::from(settings.start_ring));
        for other in (0..team).flat_map(|other| map.starts(other)) {
            assert!([a, b, c].iter().all(|own| own.distance(other) >= 8));
        }
        let reached = map.component(a);
        assert!(reached.iter().any(|&cell| map.terrain(cell) == Terrain::Jar));
    }
    if map.n_teams() == 6 {
        assert_eq!(map.starts(3), map.starts(0).map(Cell::opposite));
        let is_turned = map.starts(1) == map.starts(0).map(Cell::rotated);
        assert!(is_turned || settings.symmetry == Symmetry::Point);
    }
}

#[test]
fn broken_maps_say_what_would_be_right() {
    let text = Map::generate(&MapSettings::default(), 2).unwrap().text();
    let broken = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        Map::read(&changed).unwrap_err().to_string()
    };
    assert!(
        broken("41 41 C6 2", "41 41 C6").starts_with("line 1: `41 41 C6`; expected `41 41 C6 1`")
    );
    assert!(broken("41 41", "41 40").contains("must be 41 41"));
    assert!(broken("C6", "C3").contains("must be C2, C6 or free"));
    assert!(broken("C6 2", "C6 x").contains("must be a number"));
    assert!(broken("####################\n", "###\n").starts_with("line 2: 24 characters"));
    assert!(
        broken("####################\n", "###################.\n")
            .contains("column 41: `.` is outside")
    );
    assert!(broken("0 0 ", "0 1 ").contains("expected `0 0 x y`"));
    let last = text.trim_end().rfind('\n').unwrap();
    let cut = Map::read(&text[..last]).unwrap_err();
    assert_eq!(
        (cut.line, cut.message.as_str()),
        (60, "17 robots; expected 3 for each of 2 to 6 teams")
    );
    let more = format!("{text}6 0 20 20\n");
    assert!(Map::read(&more).unwrap_err().message.contains("after the robots of 6 teams"));
    let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
    let letter = if rows[21].as_bytes()[9] == b'~' { "." } else { "~" };
    rows[21].replace_range(9..10, letter);
    let lopsided = Map::read(&rows.join("\n")).unwrap_err();
    assert!(lopsided.message.contains("with C6 they must be equal"), "{lopsided}");
    assert!(Map::read("").is_err() && Map::read("\u{0}\n\n\n").is_err());
    let settings = MapSettings { teams: 7, ..MapSettings::default() };
    let error = Map::generate(&settings, 1).unwrap_err().to_string();
    assert_eq!(error, "`teams` is 7; it must be from 2 to 6");
    let settings = Settings { latency: 2, ..Settings::default() };
    assert!(Mizugame::new(vec![field(2, &[])], &settings).is_err());
}

#[test]
fn a_map_is_a_word() {
    for (symmetry, teams) in [(Symmetry::Point, 6), (Symmetry::SixFold, 3)] {
        let map = Map::generate(&MapSettings { symmetry, teams, ..MapSettings::default() }, 5);
        let map = map.unwrap();
        let code = map.code();
        assert!(code.len() < 1_400 && !code.contains([',', '=', ' ', '\n']), "{code}");
        assert_eq!(Map::from_code(&code), Ok(map));
        for wrong in ["", "C6", "C6.1/99999999999999.", &code[..code.len() - 1], &code[1..]] {
            assert!(Map::from_code(wrong).unwrap_err().contains("is no map"), "{wrong}");
        }
    }
    let plain = "free.0".to_owned() + &"/21.".repeat(SIDE);
    let error = Map::from_code(&plain).unwrap_err();
    assert!(error.contains("line 3: 40 characters; row 1"), "{error}");
}

fn on_maps(n: u64) -> Mizugame {
    let map = |seed| Map::generate(&MapSettings::default(), seed).unwrap();
    let settings = Settings { sessions: 5, ..Settings::default() };
    Mizugame::new((1..=n).map(map).collect(), &settings).unwrap()
}

#[test]
fn every_map_is_drawn_and_played_on() {
    let game = on_maps(3);
    let (mut rng, mut seen) = (Rng::new(1), [0; 3]);
    for _ in 0..300 {
        let mut state = game.start();
        assert_eq!(game.turn(&state), Turn::Chance);
        assert!(!game.legal(&state, Player(0), Orders::NONE));
        let drawn = game.sample(&state, &mut Vec::new(), &mut rng);
        game.apply(&mut state, &[drawn]);
        let number = usize::from(drawn.number());
        assert_eq!(game.field(&state).map().seed, 1 + number as u64);
        assert_eq!(state, game.fields[number].start());
        seen[number] += 1;
    }
    assert!(seen.iter().all(|&n| n > 70), "{seen:?}");
    assert!(matches!(on_maps(1).turn(&on_maps(1).start()), Turn::Choose(_)));
}

#[test]
fn maps_must_fit_together() {
    let two = MapSettings { teams: 2, ..MapSettings::default() };
    let maps = [MapSettings::default(), two].map(|s| Map::generate(&s, 1).unwrap());
    let error = Mizugame::new(maps.to_vec(), &Settings::default()).unwrap_err();
    assert!(error.to_string().contains("6 and with 2 teams"), "{error}");
    assert!(Mizugame::new(Vec::new(), &Settings::default()).is_err());
    let wrong = Settings { sessions: 0, ..Settings::default() };
    let error = Mizugame::new(maps[..1].to_vec(), &wrong).unwrap_err();
    assert!(error.to_string().contains("`sessions` is 0"), "{error}");
}

fn generated(seed: u64, sessions: u16) -> Mizugame {
    let map = Map::generate(&MapSettings::default(), seed).unwrap();
    Mizugame::new(vec![map], &Settings { sessions, ..Settings::default() }).unwrap()
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
            near.len() == 7 && near.iter().all(|&cell| game.fields[0].map.terrain(cell).is_ground())
        })
        .unwrap();
    for cell in centre.neighbours() {
        position.water.set(&game.fields[0].map, cell, Some(Pool { team: 2, amount: 3 }));
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

#[test]
fn ways_go_through_the_cells_of_the_orders() {
    let game = game(2, &[], |_| {});
    let position = game.start();
    let orders = |text: &str| [Orders::parse(text).unwrap(), Orders::NONE];
    let ways = game.ways(&position, &orders("0.1 - A"));
    assert_eq!(ways.len(), 1, "robots that stay have no way: {ways:?}");
    assert_eq!((ways[0].symbol.as_str(), ways[0].owner), ("a", 0));
    let cell = |x: i32, y: i32| at(x, y).array_index() as u16;
    let points: Vec<(u16, u16)> = ways[0]
        .points
        .iter()
        .map(|point| (point.cell, (point.at * 180.0).round() as u16))
        .collect();
    let there = cell(12, 11);
    let expected =
        [(cell(10, 10), 0), (cell(11, 10), 40), (cell(11, 10), 50), (there, 90), (there, 180)];
    assert_eq!(points, expected);
}

/// Orders are carried out a session later; in the end two sessions follow each other.
#[test]
fn ways_are_those_of_the_sessions_that_follow() {
    let game = game(2, &[], |settings| (settings.latency, settings.sessions) = (1, 3));
    let mut position = game.start();
    let orders = |text: &str| [Orders::parse(text).unwrap(), Orders::NONE];
    assert_eq!(game.ways(&position, &orders("0 - -")), []);
    game.apply(&mut position, &orders("0 - -"));
    let ways = game.ways(&position, &orders("1 - -"));
    let times: Vec<f64> = ways[0].points.iter().map(|point| point.at).collect();
    assert_eq!(times, [0.0, 40.0 / 360.0, 220.0 / 360.0, 1.0]);
    game.apply(&mut position, &orders("1 - -"));
    let last = ways[0].points.last().unwrap().cell;
    assert_eq!(usize::from(last), position.robots[0].cell.array_index());
}

#[test]
fn what_is_put_together_from_the_form_is_legal() {
    let game = game(3, &[(12, 12, 'O')], |_| {});
    let position = game.start();
    for player in (0..3).map(Player) {
        let form = game.order_form(&position, player).unwrap();
        assert!(form.pieces.iter().all(|piece| !piece.suggested.is_empty()));
        let letters: String = form.commands.iter().map(|command| command.letter.as_str()).collect();
        let text = [&letters, &form.pieces[1].suggested[0], &form.no_commands].map(String::as_str);
        let text = text.join(&form.separator);
        assert_eq!(
            game.parse(&position, player, &text).map(|orders| orders.to_string()),
            Some(text)
        );
        assert!(letters.len() <= usize::from(form.max_commands));
    }
}
