//! A map in one word, so that a match needs no file: size with the border, limits, the terrain codes of all cells
//! inside the border row by row, then the units in their order, such as `8x8-29-10-1111..-I1.1.10_p5.4.4`. A unit is its
//! mark (capital for RED), x, y and hit points; `!` says that it misses its first turn.

use super::map::{MAX_HIT_POINTS, MAX_SIZE, MAX_UNITS, MIN_SIZE, Map, Unit};
use super::units::{Kind, Terrain};

impl Map {
    /// The map in one word; author and comment are left out.
    pub fn code(&self) -> String {
        let inside = (1..self.height - 1).flat_map(|y| (1..self.width - 1).map(move |x| (x, y)));
        let terrain: String =
            inside.map(|(x, y)| char::from(b'0' + self.terrain_at(x, y).code())).collect();
        let unit = |unit: &Unit| {
            let mark = unit.kind.mark();
            let mark = if unit.team == 0 { mark } else { mark.to_ascii_lowercase() };
            let missed = if unit.finished { "!" } else { "" };
            format!("{mark}{}.{}.{}{missed}", unit.x, unit.y, unit.hit_points)
        };
        let units: Vec<String> = self.units.iter().map(unit).collect();
        let Map { width, height, turn_limit, hp_threshold, .. } = self;
        format!("{width}x{height}-{turn_limit}-{hp_threshold}-{terrain}-{}", units.join("_"))
    }

    /// Reads what [`Map::code`] writes, or says what is wrong with it.
    pub fn from_code(code: &str) -> Result<Map, String> {
        let parts: Vec<&str> = code.split('-').collect();
        let &[size, turn_limit, hp_threshold, terrain, units] = parts.as_slice() else {
            return Err(format!("{} parts between `-`; expected 5", parts.len()));
        };
        let (width, height) = size.split_once('x').ok_or("a size such as 8x8 is missing")?;
        let side = |text: &str| {
            let side = text.parse().ok().filter(|side| (MIN_SIZE..=MAX_SIZE).contains(side));
            side.ok_or_else(|| format!("a side of `{text}`; possible are {MIN_SIZE} to {MAX_SIZE}"))
        };
        let mut map = Map::plain(side(width)?, side(height)?);
        let number = |what: &str, text: &str| format!("`{text}` is no {what}");
        map.turn_limit = turn_limit.parse().map_err(|_| number("number of turns", turn_limit))?;
        map.hp_threshold =
            hp_threshold.parse().map_err(|_| number("number of hit points", hp_threshold))?;
        let n_inside = usize::from(map.width - 2) * usize::from(map.height - 2);
        if terrain.len() != n_inside {
            return Err(format!("terrain of {} cells; expected {n_inside}", terrain.len()));
        }
        for (i, digit) in terrain.bytes().enumerate() {
            let code = i64::from(digit) - i64::from(b'0');
            let terrain = Terrain::from_code(code)
                .ok_or_else(|| format!("`{}` is no terrain; expected 0 to 6", char::from(digit)))?;
            let inside = usize::from(map.width - 2);
            map.set_terrain((1 + i % inside) as u16, (1 + i / inside) as u16, terrain);
        }
        let units: Vec<&str> = units.split('_').filter(|unit| !unit.is_empty()).collect();
        if units.len() > MAX_UNITS {
            return Err(format!("{} units; possible are up to {MAX_UNITS}", units.len()));
        }
        map.units =
            units
                .into_iter()
                .map(|text| {
                    read_unit(text).ok_or_else(|| {
                format!("`{text}` is no unit; expected its mark, x, y and hit points as in I1.1.10")
            })
                })
                .collect::<Result<_, _>>()?;
        map.check().map_err(|fault| fault.to_string())?;
        Ok(map)
    }
}

fn read_unit(text: &str) -> Option<Unit> {
    let mark = text.chars().next().filter(char::is_ascii_alphabetic)?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.mark() == mark.to_ascii_uppercase())?;
    let rest = &text[1..];
    let finished = rest.ends_with('!');
    let mut numbers = rest.trim_end_matches('!').split('.').map(str::parse::<u16>);
    let mut next = || numbers.next()?.ok();
    let (x, y, hit_points) = (next()?, next()?, next()?);
    let hit_points = u8::try_from(hit_points).ok().filter(|&n| n <= MAX_HIT_POINTS)?;
    let team = u8::from(mark.is_ascii_lowercase());
    numbers.next().is_none().then_some(Unit { x, y, kind, team, hit_points, finished })
}

#[cfg(test)]
mod tests {
    use sakiyomi_core::Rng;

    use super::super::Generator;
    use super::*;

    #[test]
    fn a_code_is_read_back() {
        for seed in 0..30 {
            let mut map = Generator::default().generate(&mut Rng::new(seed)).unwrap();
            map.units[0].finished = seed % 2 == 0;
            let code = map.code();
            assert!(
                code.chars().all(|c| c.is_ascii_alphanumeric() || "-._!".contains(c)),
                "{code}"
            );
            assert_eq!(Map::from_code(&code).unwrap(), map, "{code}");
        }
    }

    #[test]
    fn a_wrong_code_says_what_is_wrong() {
        let right = Generator::default().generate(&mut Rng::new(1)).unwrap().code();
        let swap = |part: usize, text: &str| {
            let mut parts: Vec<&str> = right.split('-').collect();
            parts[part] = text;
            Map::from_code(&parts.join("-")).unwrap_err()
        };
        for (message, expected) in [
            (Map::from_code("").unwrap_err(), "expected 5"),
            (swap(0, "9"), "8x8"),
            (swap(0, "1000000000x9"), "possible are"),
            (swap(1, "soon"), "number of turns"),
            (swap(3, "111"), "expected 60"),
            (swap(3, &"9".repeat(60)), "no terrain"),
            (swap(4, "Z1.1.10"), "no unit"),
            (swap(4, "I1.1"), "no unit"),
            (swap(4, &"I1.1.10_".repeat(60)), "possible are up to"),
        ] {
            assert!(message.contains(expected), "`{expected}` is not in: {message}");
        }
    }
}
