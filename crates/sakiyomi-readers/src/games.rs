//! Maps, scenarios, replays and the texts of contests.

use std::sync::OnceLock;

use sakiyomi::catalog::{GameSpec, Record, views};
use sakiyomi::core::{Game, Rng, Scratch};
use sakiyomi::games::mizugame;
use sakiyomi::games::sangoku::Scenario;
use sakiyomi::games::tubstap::network::{Order, read_answer};
use sakiyomi::games::tubstap::{
    BattleResult, Large, Map, Medium, Question, Settings, SizeClass, Small, read_map, read_replay,
    verify, write_map, write_replay,
};

/// Maps of both games that have files for them, and their codes.
pub(crate) fn map(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(map) = mizugame::Map::read(&text) {
        assert_eq!(mizugame::Map::read(&map.text()).as_ref(), Ok(&map));
        assert_eq!(mizugame::Map::from_code(&map.code()).as_ref(), Ok(&map));
    }
    let _ = (mizugame::Map::from_code(&text), Map::from_code(&text));
    let Ok((map, _)) = read_map(bytes) else { return };
    assert_eq!(read_map(write_map(&map).as_bytes()).map(|read| read.0).as_ref(), Ok(&map));
    play(&map);
}

fn play(map: &Map) {
    let (mut rng, mut scratch) = (Rng::new(1), Scratch::default());
    let settings = Settings::default();
    match SizeClass::of(map) {
        SizeClass::Small => {
            let game = Small::new(map, settings).expect("the map was checked");
            game.playout(&mut game.start(), &mut scratch, &mut rng);
        }
        SizeClass::Medium => {
            let game = Medium::new(map, settings).expect("the map was checked");
            game.playout(&mut game.start(), &mut scratch, &mut rng);
        }
        SizeClass::Large => {
            let game = Large::new(map, settings).expect("the map was checked");
            game.playout(&mut game.start(), &mut scratch, &mut rng);
        }
    }
}

/// Scenarios of Sangoku and their codes.
pub(crate) fn scenario(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = Scenario::from_code(&text);
    let Ok(mut scenario) = Scenario::read(&text) else { return };
    // A code leaves it out.
    scenario.title = String::new();
    assert_eq!(Scenario::from_code(&scenario.code()), Ok(scenario.clone()));
    let game: Result<GameSpec, _> = format!("sangoku:code={}", scenario.code()).parse();
    if let Ok(game) = game {
        let _ = sakiyomi::catalog::open_table(&game, 1);
    }
}

/// Steps of a record that are played here.
const MAX_STEPS: usize = 100;

/// Replays of two contests, and records of any game.
pub(crate) fn replay(bytes: &[u8]) {
    static FIELD: OnceLock<mizugame::Map> = OnceLock::new();
    let text = String::from_utf8_lossy(bytes);
    if let Ok((replay, _)) = read_replay(bytes) {
        let _ = read_replay(write_replay(&replay).as_bytes());
    }
    let field = FIELD.get_or_init(|| {
        mizugame::Map::generate(&mizugame::MapSettings::default(), 5).expect("the usual map")
    });
    let _ = mizugame::read_replay(field, &text);
    let Ok(record) = serde_json::from_str::<Record>(&text) else { return };
    // Files are not ours to read here, and rule sheets have a reader of their own.
    let is_own = record.game.file().is_none() && !matches!(record.game.base(), GameSpec::Gdl(_));
    if is_own && record.moves.len() <= MAX_STEPS {
        let _ = views(&record);
    }
}

const FORD: &[u8] = include_bytes!("../../../games/tubstap/ford.tbsmap");

/// What servers and clients of the contests say, line by line.
pub(crate) fn contest(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (ford, _) = read_map(FORD).expect("a map of ours");
    let game = Small::new(&ford, Settings::default()).expect("the map was checked");
    for line in text.lines().take(20) {
        if let Ok(order) = Order::read(line) {
            let again = Order::read(&order.text());
            assert!(again.is_ok(), "{order:?} is written as {}", order.text());
        }
        let _ = (read_answer(line), BattleResult::read(line), verify(FORD, line));
        if let Ok(question) = Question::read(line) {
            let _ = game.state_of(&question);
        }
        let _ = (mizugame::Plan::parse(line), mizugame::Orders::parse(line));
    }
}
