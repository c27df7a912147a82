//! Map files, `.tbsmap`: text with the sizes, limits, terrain and units of a map.

use encoding_rs::SHIFT_JIS;

use super::map::{MAX_HIT_POINTS, MAX_SIZE, MIN_SIZE, Map, Place, Unit};
use super::tags::{FileError, Tag, Warnings, decode, number, numbers, plain, tags};
use super::units::{Kind, Terrain};

/// Keys of replays, which may follow a map.
const REPLAY_KEYS: [&str; 7] =
    ["PLAYEDDATE", "PLAYEDRULE", "PLAYERRED", "PLAYERBLUE", "TURNINFO", "ACTION", "COM"];

/// Reads a map file: Shift_JIS or UTF-8, with whatever line ends.
pub fn read_map(bytes: &[u8]) -> Result<(Map, Warnings), FileError> {
    map_of_tags(&tags(&decode(bytes)))
}

/// The text of a map file.
pub fn write_map(map: &Map) -> String {
    let [red, blue] = announced(map);
    let mut text = format!(
        "SIZEX[{}];SIZEY[{}];\nTURNLIMIT[{}];HPTHRESHOLD[{}];\nUNITNUMRED[{red}];UNITNUMBLUE[{blue}];\n",
        map.width, map.height, map.turn_limit, map.hp_threshold
    );
    for (key, value) in [("AUTHOR", &map.author), ("MAPCOM", &map.comment)] {
        if let Some(value) = value {
            text += &format!("{key}[{}];\n", plain(value));
        }
    }
    for unit in &map.units {
        let Unit { x, y, kind, team, hit_points, finished } = unit;
        let name = kind.name();
        text += &format!("UNIT[{x},{y},{name},{team},{hit_points},{}];\n", u8::from(*finished));
    }
    for row in map.terrain.chunks(map.width.max(1).into()) {
        let codes: Vec<String> = row.iter().map(|terrain| terrain.code().to_string()).collect();
        text += &format!("MAP[{}];\n", codes.join(","));
    }
    text
}

/// What the file announces. What was read is kept unless there is no room any more for all units.
fn announced(map: &Map) -> [u32; 2] {
    let listed = map.n_units().map(|n| n as u32);
    let has_room =
        |[red, blue]: &[u32; 2]| u64::from(*red) + u64::from(*blue) >= map.units.len() as u64;
    map.announced.filter(has_room).unwrap_or(listed)
}

/// A map file in the encoding of the original. Characters that it lacks are written as their numbers.
pub fn write_map_shift_jis(map: &Map) -> Vec<u8> {
    SHIFT_JIS.encode(&write_map(map)).0.into_owned()
}

/// What the tags say, before it is put together.
#[derive(Default)]
struct Draft<'a> {
    size_x: Option<u16>,
    size_y: Option<u16>,
    turn_limit: Option<u16>,
    hp_threshold: Option<u32>,
    n_red: Option<u32>,
    n_blue: Option<u32>,
    author: Option<String>,
    comment: Option<String>,
    rows: Vec<&'a Tag>,
    units: Vec<&'a Tag>,
}

pub(super) fn map_of_tags(tags: &[Tag]) -> Result<(Map, Warnings), FileError> {
    let mut warnings = Warnings::default();
    let draft = sort(tags, &mut warnings)?;
    let missing = |key: &str| FileError::whole(format!("{key}[] is missing"));
    let width = draft.size_x.ok_or_else(|| missing("SIZEX"))?;
    let height = draft.size_y.ok_or_else(|| missing("SIZEY"))?;
    let turn_limit = draft.turn_limit.ok_or_else(|| missing("TURNLIMIT"))?;
    let hp_threshold = draft.hp_threshold.ok_or_else(|| missing("HPTHRESHOLD"))?;
    let n_red = draft.n_red.ok_or_else(|| missing("UNITNUMRED"))?;
    let n_blue = draft.n_blue.ok_or_else(|| missing("UNITNUMBLUE"))?;
    let terrain = terrain(&draft.rows, width, height, &mut warnings)?;
    check_counts(&draft.units, n_red, n_blue, &mut warnings)?;
    let units = draft.units.iter().map(|tag| unit(tag)).collect::<Result<Vec<_>, _>>()?;
    let Draft { author, comment, .. } = draft;
    let mut map = Map { author, comment, terrain, units, ..Map::plain(width, height) };
    (map.turn_limit, map.hp_threshold) = (turn_limit, hp_threshold);
    let is_listed = [n_red, n_blue].map(|n| n as usize) == map.n_units();
    map.announced = (!is_listed).then_some([n_red, n_blue]);
    let at = |place: Place, message: String| match place {
        Place::Unit(unit) => FileError::at(draft.units[unit].line, message),
        Place::Map => FileError::whole(message),
    };
    map.check().map_err(|fault| at(fault.place, fault.message))?;
    map.warnings().into_iter().for_each(|(place, text)| warnings.add(at(place, text)));
    Ok((map, warnings))
}

/// Sorts the tags by their keys. Later header values overwrite earlier ones, as in the original.
fn sort<'a>(tags: &'a [Tag], warnings: &mut Warnings) -> Result<Draft<'a>, FileError> {
    let mut draft = Draft::default();
    for tag in tags {
        let key = tag.key.as_str();
        let is_text = matches!(key, "AUTHOR" | "MAPCOM") || REPLAY_KEYS.contains(&key);
        let is_known = is_text
            || matches!(key, "SIZEX" | "SIZEY" | "TURNLIMIT" | "HPTHRESHOLD" | "MAP" | "UNIT")
            || matches!(key, "UNITNUMRED" | "UNITNUMBLUE");
        if !tag.is_closed && is_known {
            let error = FileError::at(tag.line, format!("{key}[ has no `]` before the next `;`"));
            if !is_text {
                return Err(error);
            }
            warnings.add(error);
        }
        match key {
            "SIZEX" => draft.size_x = Some(header(tag, MIN_SIZE.into(), MAX_SIZE.into())? as u16),
            "SIZEY" => draft.size_y = Some(header(tag, MIN_SIZE.into(), MAX_SIZE.into())? as u16),
            "TURNLIMIT" => {
                draft.turn_limit = Some(header(tag, 1, super::MAX_TURN_LIMIT.into())? as u16);
            }
            "HPTHRESHOLD" => {
                draft.hp_threshold = Some(header(tag, 0, super::MAX_HP_THRESHOLD.into())? as u32);
            }
            "UNITNUMRED" => draft.n_red = Some(header(tag, 0, i32::MAX.into())? as u32),
            "UNITNUMBLUE" => draft.n_blue = Some(header(tag, 0, i32::MAX.into())? as u32),
            "AUTHOR" => draft.author = Some(tag.value.clone()),
            "MAPCOM" => draft.comment = Some(tag.value.clone()),
            "MAP" => draft.rows.push(tag),
            "UNIT" => draft.units.push(tag),
            _ if is_known => {}
            _ => {
                let shown: String = key.chars().take(30).collect();
                warnings.add(FileError::at(tag.line, format!("unknown key {shown}[] is ignored")));
            }
        }
    }
    Ok(draft)
}

fn header(tag: &Tag, least: i64, most: i64) -> Result<i64, FileError> {
    let value = number(tag, &tag.value)?;
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    let text = format!("{}[{value}] must be {least} to {most}", tag.key);
    Err(FileError::at(tag.line, text))
}

/// The original has room for the sum of both numbers and accepts fewer units.
fn check_counts(
    units: &[&Tag],
    n_red: u32,
    n_blue: u32,
    warnings: &mut Warnings,
) -> Result<(), FileError> {
    let room = u64::from(n_red) + u64::from(n_blue);
    let n_units = units.len() as u64;
    if n_units > room {
        let tag = units[room as usize];
        let text = format!("{n_units} units, but UNITNUMRED and UNITNUMBLUE announce {room}");
        return Err(FileError::at(tag.line, text));
    }
    if n_units < room {
        let text = format!("{n_units} units, though UNITNUMRED and UNITNUMBLUE announce {room}");
        warnings.add(FileError::whole(text));
    }
    Ok(())
}

fn terrain(
    rows: &[&Tag],
    width: u16,
    height: u16,
    warnings: &mut Warnings,
) -> Result<Vec<Terrain>, FileError> {
    if let Some(tag) = rows.get(usize::from(height)) {
        let text = format!("MAP[] row {height}, but SIZEY[{height}] has rows 0 to {}", height - 1);
        return Err(FileError::at(tag.line, text));
    }
    if rows.len() < usize::from(height) {
        let text = format!("{} MAP[] rows of {height}; the others are forbidden", rows.len());
        warnings.add(FileError::whole(text));
    }
    let mut terrain = vec![Terrain::Forbidden; usize::from(width) * usize::from(height)];
    for (y, (tag, line)) in rows.iter().zip(terrain.chunks_mut(width.into())).enumerate() {
        let codes = numbers(tag, None)?;
        if codes.len() > usize::from(width) {
            let text = format!("{} cells in a MAP[] row, but SIZEX[{width}]", codes.len());
            return Err(FileError::at(tag.line, text));
        }
        if codes.len() < usize::from(width) {
            let text = format!("{} cells of {width}; the others are forbidden", codes.len());
            warnings.add(FileError::at(tag.line, text));
        }
        for (x, &code) in codes.iter().enumerate() {
            line[x] = Terrain::from_code(code).ok_or_else(|| {
                FileError::at(tag.line, format!("terrain {code} at x = {x} must be 0 to 6"))
            })?;
            let is_border = !map_inside(x, width) || !map_inside(y, height);
            if is_border && line[x] != Terrain::Forbidden {
                let text = format!("the border at ({x}, {y}) must be 0; it is taken for that");
                warnings.add(FileError::at(tag.line, text));
                line[x] = Terrain::Forbidden;
            }
        }
    }
    Ok(terrain)
}

fn map_inside(place: usize, size: u16) -> bool {
    place > 0 && place + 1 < usize::from(size)
}

fn unit(tag: &Tag) -> Result<Unit, FileError> {
    let parts: Vec<&str> = tag.value.split(',').map(str::trim).collect();
    let &[x, y, name, team, hit_points, finished] = parts.as_slice() else {
        let text = format!("UNIT[] has {} fields, not x,y,name,team,HP,finished", parts.len());
        return Err(FileError::at(tag.line, text));
    };
    let field = |what: &str, text: &str, least: i64, most: i64| {
        let value = number(tag, text)?;
        if (least..=most).contains(&value) {
            return Ok(value);
        }
        let text = format!("UNIT[]: {what} is {value}, but it must be {least} to {most}");
        Err(FileError::at(tag.line, text))
    };
    let kind = Kind::from_name(name).ok_or_else(|| {
        let shown: String = name.chars().take(20).collect();
        let known = Kind::ALL.map(Kind::name).join(", ");
        FileError::at(tag.line, format!("UNIT[]: `{shown}` is none of {known}"))
    })?;
    Ok(Unit {
        x: field("x", x, 0, MAX_SIZE.into())? as u16,
        y: field("y", y, 0, MAX_SIZE.into())? as u16,
        kind,
        team: field("team", team, 0, 1)? as u8,
        hit_points: field("HP", hit_points, 1, MAX_HIT_POINTS.into())? as u8,
        finished: field("finished", finished, 0, 1)? == 1,
    })
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
