use super::*;

const MAP: &str = "SIZEX[5];SIZEY[5];\r\nTURNLIMIT[9];HPTHRESHOLD[3];\r\nUNITNUMRED[1];UNITNUMBLUE[1];\r\n\
    AUTHOR[me];MAPCOM[a small one];\r\nUNIT[1,1,panzer,0,10,0];\r\nUNIT[3,3,cannon,1,7,1];\r\n\
    MAP[0,0,0,0,0];\r\nMAP[0,1,2,3,0];\r\nMAP[0,4,5,6,0];\r\nMAP[0,1,1,1,0];\r\nMAP[0,0,0,0,0];";

fn message(text: &str) -> String {
    read_map(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_map_is_read_and_written() {
    let (map, warnings) = read_map(MAP.as_bytes()).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!((map.width, map.height, map.turn_limit, map.hp_threshold), (5, 5, 9, 3));
    assert_eq!(map.terrain_at(3, 1), Terrain::Wood);
    assert_eq!((map.units[1].kind, map.units[1].finished), (Kind::Cannon, true));
    assert_eq!(read_map(write_map(&map).as_bytes()).unwrap().0, map);
    let japanese = Map { comment: Some("森と城".to_owned()), ..map.clone() };
    assert_eq!(read_map(&write_map_shift_jis(&japanese)).unwrap().0, japanese);
    let with_mark = [b"\xef\xbb\xbf".as_slice(), MAP.as_bytes()].concat();
    assert_eq!(read_map(&with_mark).unwrap().0, map);
}

#[test]
fn faults_are_named_with_their_line() {
    let faults = [
        ("SIZEX[5]", "SIZEX[1000000000]", "line 1: SIZEX[1000000000] must be 3 to 34"),
        ("SIZEY[5]", "SIZEY[x]", "line 1: SIZEY[]: `x` is not a whole number"),
        ("SIZEY[5]", "", "SIZEY[] is missing"),
        ("TURNLIMIT[9]", "TURNLIMIT[9", "line 2: TURNLIMIT[ has no `]` before the next `;`"),
        ("TURNLIMIT[9]", "TURNLIMIT[0]", "line 2: TURNLIMIT[0] must be 1 to 9999"),
        ("HPTHRESHOLD[3]", "HPTHRESHOLD[-1]", "line 2: HPTHRESHOLD[-1] must be 0 to 999999"),
        ("BLUE[1]", "BLUE[0]", "line 6: 2 units, but UNITNUMRED and UNITNUMBLUE announce 1"),
        (
            "panzer",
            "tank",
            "line 5: UNIT[]: `tank` is none of fighter, attacker, panzer, cannon, antiair, infantry",
        ),
        ("3,3,cannon", "1,1,cannon", "line 6: it stands at (1, 1), where unit 0 already stands"),
        (
            "3,3,cannon",
            "4,3,cannon",
            "line 6: it stands at (4, 3), but the map goes from (1, 1) to (3, 3)",
        ),
        (
            "3,3,cannon",
            "999999999999,3,cannon",
            "line 6: UNIT[]: x is 999999999999, but it must be 0 to 34",
        ),
        ("cannon,1,7", "cannon,2,7", "line 6: UNIT[]: team is 2, but it must be 0 to 1"),
        ("cannon,1,7", "cannon,1,0", "line 6: UNIT[]: HP is 0, but it must be 1 to 99"),
        (
            "cannon,1,7,1",
            "cannon,1,7",
            "line 6: UNIT[] has 5 fields, not x,y,name,team,HP,finished",
        ),
        ("4,5,6", "4,7,6", "line 9: terrain 7 at x = 2 must be 0 to 6"),
        ("4,5,6", "4,5,6,1", "line 9: 6 cells in a MAP[] row, but SIZEX[5]"),
        (
            "MAP[0,0,0,0,0];\r\nMAP[0,1,2",
            "MAP[0];\r\nMAP[0];\r\nMAP[0,1,2",
            "line 12: MAP[] row 5, but SIZEY[5] has rows 0 to 4",
        ),
    ];
    for (from, to, expected) in faults {
        assert!(MAP.contains(from), "{from}");
        assert_eq!(message(&MAP.replacen(from, to, 1)), expected);
    }
    assert_eq!(message(""), "SIZEX[] is missing");
}

#[test]
fn what_the_original_tolerates_is_a_warning() {
    let odd = [
        ("RED[1]", "RED[4]", "2 units, though UNITNUMRED and UNITNUMBLUE announce 5"),
        ("MAP[0,4,5,6,0]", "MAP[0,4,5]", "line 9: 3 cells of 5; the others are forbidden"),
        (
            "MAP[0,1,1,1,0]",
            "MAP[1,1,1,1,0]",
            "line 10: the border at (0, 3) must be 0; it is taken for that",
        ),
        ("AUTHOR[me]", "AUTHOR[me]COLOUR[3]", "line 4: unknown key COLOUR[] is ignored"),
        (
            "3,3,cannon,1,7",
            "1,2,cannon,1,7",
            "line 6: cannon starts on mountain, which it cannot enter; it may leave",
        ),
        ("cannon,1,7", "cannon,1,12", "line 6: 12 hit points are more than 10"),
        ("cannon,1,7", "cannon,0,7", "BLUE has no unit and loses at once"),
    ];
    for (from, to, expected) in odd {
        let (map, warnings) = read_map(MAP.replacen(from, to, 1).as_bytes()).unwrap();
        let texts: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(texts, [expected]);
        assert_eq!(read_map(write_map(&map).as_bytes()).unwrap().0, map);
    }
}

/// The original copies the lines of a map into its replays, so what a file announces stays.
#[test]
fn announced_units_are_written_as_they_were_read() {
    let announced = MAP.replacen("RED[1]", "RED[4]", 1);
    let (map, _) = read_map(announced.as_bytes()).unwrap();
    assert!(write_map(&map).contains("UNITNUMRED[4];UNITNUMBLUE[1];"), "{}", write_map(&map));
    // A map that has more units by now needs the room.
    let mut edited = map.clone();
    let unit = map.units[0];
    edited.units.extend((1..=3).map(|x| Unit { x, y: 2, ..unit }));
    edited.units.push(Unit { x: 2, y: 1, ..unit });
    assert!(write_map(&edited).contains("UNITNUMRED[5];UNITNUMBLUE[1];"), "{}", write_map(&edited));
    let (plain, _) = read_map(MAP.as_bytes()).unwrap();
    assert_eq!(plain.announced, None);
}

/// The maps of this project are faultless, and the same for both sides turned by half a turn.
#[test]
fn our_own_maps_are_clean_and_symmetric() {
    let maps = [
        include_bytes!("../../../../games/tubstap/ford.tbsmap").as_slice(),
        include_bytes!("../../../../games/tubstap/air.tbsmap"),
        include_bytes!("../../../../games/tubstap/pass.tbsmap"),
        include_bytes!("../../../../games/tubstap/coast.tbsmap"),
    ];
    for bytes in maps {
        let (map, warnings) = read_map(bytes).unwrap();
        let name = map.comment.clone().unwrap();
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        let turned: Vec<Terrain> = map.terrain.iter().rev().copied().collect();
        assert_eq!(map.terrain, turned, "{name}");
        for unit in &map.units {
            let other = map.unit_at(map.width - 1 - unit.x, map.height - 1 - unit.y);
            let other = map.units[other.unwrap_or_else(|| panic!("{name}: {unit:?}"))];
            let found = (other.kind, other.hit_points, other.finished, other.team ^ 1);
            assert_eq!(found, (unit.kind, unit.hit_points, unit.finished, unit.team), "{name}");
        }
    }
}
