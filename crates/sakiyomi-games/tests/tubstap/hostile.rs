//! Damaged and hostile files: an error or a playable map, never a panic.

use proptest::prelude::*;
use sakiyomi_core::{Game, Rng, Scratch};
use sakiyomi_games::tubstap::{
    Large, Medium, Question, Settings, SizeClass, Small, read_map, read_replay, verify, write_map,
};

const MAPS: [&[u8]; 3] = [
    include_bytes!("../../../../games/tubstap/ford.tbsmap"),
    include_bytes!("../../../../games/tubstap/air.tbsmap"),
    include_bytes!("../../../../games/tubstap/coast.tbsmap"),
];

/// Whatever can be read can be written, read again and played.
fn survives(bytes: &[u8]) {
    let _ = read_replay(bytes);
    let Ok((map, _)) = read_map(bytes) else { return };
    assert_eq!(read_map(write_map(&map).as_bytes()).unwrap().0, map);
    let (mut rng, mut scratch) = (Rng::new(1), Scratch::default());
    match SizeClass::of(&map) {
        SizeClass::Small => {
            let game = Small::new(&map, Settings::default()).unwrap();
            game.playout(&mut game.start(), &mut scratch, &mut rng);
        }
        SizeClass::Medium => {
            let game = Medium::new(&map, Settings::default()).unwrap();
            game.playout(&mut game.start(), &mut scratch, &mut rng);
        }
        SizeClass::Large => {
            let game = Large::new(&map, Settings::default()).unwrap();
            game.playout(&mut game.start(), &mut scratch, &mut rng);
        }
    }
}

/// One change of a file: where, how much is taken out, and what is put there.
fn change() -> impl Strategy<Value = (usize, usize, Vec<u8>)> {
    let words = prop::sample::select(vec![
        "0",
        "-1",
        "99999999999999999999",
        "1000000000",
        "[",
        "]",
        ";",
        ",",
        "\n",
        "\r\n",
        "MAP[",
        "UNIT[",
        "SIZEX[",
        "SIZEX[34]",
        "SIZEY[34]",
        "UNITNUMRED[48]",
        "infantry",
        "\u{3000}",
        "TURNLIMIT[2]",
    ]);
    let inserted = prop_oneof![
        words.prop_map(|word| word.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    (any::<prop::sample::Index>(), 0..12usize, inserted)
        .prop_map(|(at, removed, inserted)| (at.index(4096), removed, inserted))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn mutated_maps_never_panic(
        which in 0..MAPS.len(),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let mut bytes = MAPS[which].to_vec();
        for (at, removed, inserted) in changes {
            let at = at % (bytes.len() + 1);
            let end = (at + removed).min(bytes.len());
            bytes.splice(at..end, inserted);
        }
        survives(&bytes);
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        survives(&bytes);
        let text = String::from_utf8_lossy(&bytes);
        prop_assert!(verify(MAPS[0], &text).is_err());
        prop_assert!(Question::read(&text).is_err());
    }
}

/// Questions with impossible states are refused.
#[test]
fn impossible_states_are_refused() {
    let map = read_map(include_bytes!("../../../../games/tubstap/pass.tbsmap")).unwrap().0;
    let game = Small::new(&map, Settings::default()).unwrap();
    let ask = |state: &str, turn: u32, side: u8| {
        let line = format!(
            r#"{{"map":"pass","swapped":false,"turn":{turn},"side":{side},"state":"{state}"}}"#
        );
        game.state_of(&Question::read(&line).unwrap())
    };
    let start = game.state_text(&game.start());
    assert_eq!(ask(&start, 0, 0).unwrap(), game.start());
    let refused = [
        ("11a0 21a0 13a0 66a0 56a0", 0, 0, "the state has 5 units, the map 6"),
        ("11a0 11a0 13a0 66a0 56a0 64a0", 0, 0, "another unit stands there"),
        ("11a0 91a0 13a0 66a0 56a0 64a0", 0, 0, "off the map"),
        ("11a0 2100 13a0 66a0 56a0 64a0", 0, 0, "hit points or finished out of range"),
        ("11a0 21a 13a0 66a0 56a0 64a0", 0, 0, "not x, y, HP and finished"),
        ("11a1 21a1 13a1 66a0 56a0 64a0", 0, 0, "all units of side 0 have acted"),
        ("- - - 66a0 56a0 64a0", 0, 1, "a side has no unit left"),
        (&start, 19, 0, "turn is 19, but the limit is 19"),
        (&start, 0, 2, "side is 2"),
    ];
    for (state, turn, side, expected) in refused {
        let error = ask(state, turn, side).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
