//! Scenarios: boards, pieces and constants as TOML. Whatever the paper leaves open has its default
//! here, in one place, and can be said otherwise in a file.

use sakiyomi_core::cell_name;
use serde::Deserialize;

use super::Ability;

/// The largest board and the most pieces of one side.
const MAX_SIDE: u32 = 40;
const MAX_PIECES: usize = 32;

/// A battle before it begins.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Scenario {
    pub title: String,
    pub width: u32,
    pub height: u32,
    /// After this many rounds the larger sum of hit points wins.
    pub rounds: u16,
    pub hit_points: u16,
    /// Cells that a piece moves in a turn; one more with sprint.
    pub movement: u8,
    /// Twice the damage of an attack between equals.
    pub attack_scale: u32,
    /// Twice the damage of fire between equals.
    pub fire_scale: u32,
    /// Who attacks suffers the damage divided by this; 0 is no recoil at all.
    pub recoil: u32,
    /// Whether a charge also does the damage of an attack, with its recoil.
    pub charge_hurts: bool,
    /// What each side gets when both are wiped out, or equal at the end.
    pub draw: f64,
    pub first: Vec<Soldier>,
    pub second: Vec<Soldier>,
}

/// One piece of a scenario.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Soldier {
    /// Where it starts, such as `a2`.
    pub cell: String,
    #[serde(default = "Stat::usual")]
    pub attack: Stat,
    #[serde(default = "Stat::usual")]
    pub defence: Stat,
    #[serde(default = "Stat::usual")]
    pub intellect: Stat,
    #[serde(default)]
    pub ability: Talent,
}

/// A number from 1 to 100, or one that is dealt when the match begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Stat {
    Given(u8),
    Dealt(Random),
}

/// The word `random`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Random {
    Random,
}

/// An ability, or one that is dealt when the match begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Talent {
    #[default]
    Random,
    #[serde(untagged)]
    Given(Ability),
}

impl Stat {
    fn usual() -> Stat {
        Stat::Given(50)
    }
}

impl Default for Scenario {
    fn default() -> Scenario {
        Scenario {
            title: String::new(),
            width: 7,
            height: 6,
            rounds: 10,
            hit_points: 1000,
            movement: 4,
            attack_scale: 1200,
            fire_scale: 600,
            recoil: 3,
            charge_hurts: true,
            draw: 0.5,
            first: Vec::new(),
            second: Vec::new(),
        }
    }
}

/// Why a scenario cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    #[error("{0}")]
    Toml(String),
    #[error("`{name}` is {found}; it must be from {low} to {high}")]
    Range { name: &'static str, found: u64, low: u64, high: u64 },
    #[error("the {side} side has {found} pieces; it must have from 1 to {MAX_PIECES}")]
    Pieces { side: &'static str, found: usize },
    #[error("`{cell}` is no cell of the board, which goes from a1 to {last}")]
    Cell { cell: String, last: String },
    #[error("two pieces start in {cell}")]
    Taken { cell: String },
    #[error("`draw` is {0}; it must be from 0 to 0.5")]
    Draw(String),
}

/// The scenarios that are always there, by name.
pub const SCENARIOS: &[(&str, &str)] = &[
    ("a", include_str!("../../scenarios/a.toml")),
    ("b", include_str!("../../scenarios/b.toml")),
    ("c", include_str!("../../scenarios/c.toml")),
    ("random", include_str!("../../scenarios/random.toml")),
    ("damage-550", include_str!("../../scenarios/damage-550.toml")),
    ("no-recoil", include_str!("../../scenarios/no-recoil.toml")),
    ("draw-0", include_str!("../../scenarios/draw-0.toml")),
    ("field", include_str!("../../scenarios/field.toml")),
    ("plain", include_str!("../../scenarios/plain.toml")),
];

impl Scenario {
    /// The scenario with this name in [`SCENARIOS`].
    pub fn named(name: &str) -> Option<Scenario> {
        let (_, text) = SCENARIOS.iter().find(|(known, _)| *known == name)?;
        Some(Scenario::read(text).expect("our own scenarios can be played"))
    }

    /// Reads and checks a scenario.
    pub fn read(text: &str) -> Result<Scenario, ScenarioError> {
        let scenario: Scenario =
            toml::from_str(text).map_err(|error| ScenarioError::Toml(error.to_string()))?;
        scenario.check()?;
        Ok(scenario)
    }

    /// The pieces of both sides, the first side's before the second's.
    pub(super) fn soldiers(&self) -> impl Iterator<Item = &Soldier> {
        self.first.iter().chain(&self.second)
    }

    /// The column and row of a piece that [`Scenario::check`] has seen.
    pub(super) fn place(&self, soldier: &Soldier) -> Option<(u32, u32)> {
        let cell = soldier.cell.trim().to_ascii_lowercase();
        let every = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        every.into_iter().find(|&(x, y)| cell_name(x as usize, y as usize) == cell)
    }

    pub(super) fn check(&self) -> Result<(), ScenarioError> {
        let range = |name, found: u64, low: u64, high: u64| match (low..=high).contains(&found) {
            true => Ok(()),
            false => Err(ScenarioError::Range { name, found, low, high }),
        };
        range("width", self.width.into(), 2, MAX_SIDE.into())?;
        range("height", self.height.into(), 1, MAX_SIDE.into())?;
        range("rounds", self.rounds.into(), 1, 1000)?;
        range("hit-points", self.hit_points.into(), 1, 10_000)?;
        range("movement", self.movement.into(), 1, 20)?;
        range("attack-scale", self.attack_scale.into(), 0, 20_000)?;
        range("fire-scale", self.fire_scale.into(), 0, 20_000)?;
        range("recoil", self.recoil.into(), 0, 1000)?;
        if !(0.0..=0.5).contains(&self.draw) {
            return Err(ScenarioError::Draw(self.draw.to_string()));
        }
        for (side, soldiers) in [("first", &self.first), ("second", &self.second)] {
            if !(1..=MAX_PIECES).contains(&soldiers.len()) {
                return Err(ScenarioError::Pieces { side, found: soldiers.len() });
            }
        }
        let mut taken = Vec::new();
        for soldier in self.soldiers() {
            let stats = [
                ("attack", soldier.attack),
                ("defence", soldier.defence),
                ("intellect", soldier.intellect),
            ];
            for (name, stat) in stats {
                if let Stat::Given(value) = stat {
                    range(name, value.into(), 1, 100)?;
                }
            }
            let cell = soldier.cell.clone();
            let place = self.place(soldier).ok_or_else(|| ScenarioError::Cell {
                cell: cell.clone(),
                last: cell_name(self.width as usize - 1, self.height as usize - 1),
            })?;
            if taken.contains(&place) {
                return Err(ScenarioError::Taken { cell });
            }
            taken.push(place);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_scenarios_can_be_played() {
        for (name, _) in SCENARIOS {
            assert!(Scenario::named(name).is_some());
        }
        assert_eq!(Scenario::named("z"), None);
        let [a, b] = ["a", "b"].map(|name| Scenario::named(name).unwrap());
        assert_eq!((a.first, a.second), (b.first, b.second), "b is a with another budget");
        let c = Scenario::named("c").unwrap();
        assert_eq!(c.second[2].attack, Stat::Given(58));
        assert_eq!(c.second[2].ability, Talent::Given(Ability::Charge));
        let plain = Scenario::named("plain").unwrap();
        assert_eq!((plain.width, plain.first.len(), plain.second.len()), (40, 32, 32));
    }

    #[test]
    fn a_wrong_scenario_says_what_is_wrong() {
        let two = "[[first]]\ncell = 'a1'\n[[second]]\n";
        for (text, part) in [
            ("width = 41".to_owned(), "`width` is 41; it must be from 2 to 40"),
            ("width = 'x'".to_owned(), "line 1"),
            ("wide = 3".to_owned(), "unknown field `wide`"),
            (String::new(), "the first side has 0 pieces"),
            (format!("{two}cell = 'h1'"), "`h1` is no cell of the board, which goes from a1 to g6"),
            (format!("{two}cell = 'A1'"), "two pieces start in A1"),
            (format!("{two}cell = 'b1'\nattack = 101"), "`attack` is 101"),
            (format!("{two}cell = 'b1'\nability = 'flight'"), "line 5"),
            (format!("draw = 0.7\n{two}cell = 'b1'"), "`draw` is 0.7"),
        ] {
            let error = Scenario::read(&text).unwrap_err().to_string();
            assert!(error.contains(part), "`{part}` is not in: {error}");
        }
    }
}
