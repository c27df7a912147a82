//! Kinds of units and of terrain, what a unit does to another, and what a step costs.

/// A kind of unit, in the order of all tables and files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    Fighter,
    Attacker,
    Panzer,
    Cannon,
    AntiAir,
    Infantry,
}

impl Kind {
    pub const ALL: [Kind; 6] =
        [Kind::Fighter, Kind::Attacker, Kind::Panzer, Kind::Cannon, Kind::AntiAir, Kind::Infantry];

    /// The name in map files.
    pub fn name(self) -> &'static str {
        ["fighter", "attacker", "panzer", "cannon", "antiair", "infantry"][self as usize]
    }

    /// One letter, as on the original's board.
    pub fn mark(self) -> char {
        ['F', 'A', 'P', 'U', 'R', 'I'][self as usize]
    }

    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    pub fn move_points(self) -> u32 {
        [9, 7, 6, 5, 6, 3][self as usize]
    }

    /// Whether terrain neither slows nor covers it.
    pub fn is_air(self) -> bool {
        matches!(self, Kind::Fighter | Kind::Attacker)
    }

    /// Whether it attacks from a distance, without moving, and neither gives nor takes counters.
    pub fn is_indirect(self) -> bool {
        self == Kind::Cannon
    }

    /// How hard it hits the other kind; 0 means that it cannot hurt it.
    pub fn power(self, other: Kind) -> u32 {
        POWER[self as usize][other as usize]
    }

    /// What entering a terrain costs; none if it cannot.
    pub fn step_cost(self, terrain: Terrain) -> Option<u32> {
        use Terrain::{Forbidden, Mountain, Sea, Wood};
        match (self, terrain) {
            (_, Forbidden) => None,
            (Kind::Fighter | Kind::Attacker, _) => Some(1),
            (_, Sea) => None,
            (Kind::Infantry, Mountain) => Some(2),
            (Kind::Infantry, _) => Some(1),
            (_, Mountain) => None,
            (_, Wood) => Some(2),
            _ => Some(1),
        }
    }
}

const POWER: [[u32; 6]; 6] = [
    [55, 65, 0, 0, 0, 0],
    [0, 0, 105, 105, 85, 115],
    [0, 0, 55, 70, 75, 75],
    [0, 0, 60, 75, 65, 90],
    [70, 70, 15, 50, 45, 105],
    [0, 0, 5, 10, 3, 55],
];

/// How far a cannon shoots, in steps.
pub const CANNON_RANGE: std::ops::RangeInclusive<u32> = 2..=3;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Terrain {
    #[default]
    Forbidden,
    Plain,
    Sea,
    Wood,
    Mountain,
    Road,
    Fortress,
}

impl Terrain {
    pub const ALL: [Terrain; 7] = [
        Terrain::Forbidden,
        Terrain::Plain,
        Terrain::Sea,
        Terrain::Wood,
        Terrain::Mountain,
        Terrain::Road,
        Terrain::Fortress,
    ];

    /// The terrain with this number in map files.
    pub fn from_code(code: i64) -> Option<Terrain> {
        usize::try_from(code).ok().and_then(|code| Terrain::ALL.get(code)).copied()
    }

    pub fn code(self) -> u8 {
        self as u8
    }

    pub fn name(self) -> &'static str {
        ["forbidden", "plain", "sea", "wood", "mountain", "road", "fortress"][self as usize]
    }

    /// How well it covers a unit on the ground.
    pub fn stars(self) -> u32 {
        [0, 1, 0, 3, 4, 0, 4][self as usize]
    }
}

/// The damage of an attack: by the attacker's hit points, against a defender with its own and with
/// the stars of the terrain it stands on.
pub fn damage(attacker: Kind, hit_points: u32, defender: Kind, left: u32, stars: u32) -> u32 {
    let stars = if defender.is_air() { 0 } else { stars };
    let damage = (attacker.power(defender) * hit_points + 70) / (100 + stars * left);
    damage.min(left)
}

/// Damage and counter of an attack on open ground: what the original's table of exchanges lists.
pub fn exchange(attacker: (Kind, u32, u32), defender: (Kind, u32, u32)) -> (u32, u32) {
    let (kind, hit_points, stars) = attacker;
    let (other, other_hit_points, other_stars) = defender;
    let hurt = damage(kind, hit_points, other, other_hit_points, other_stars);
    let left = other_hit_points - hurt;
    let answers = left > 0 && !kind.is_indirect() && !other.is_indirect();
    (hurt, if answers { damage(other, left, kind, hit_points, stars) } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attacks of full units on plain, with their counters.
    #[test]
    fn exchanges_on_plain_are_the_known_ones() {
        let known = [
            "6/2 7/0 0/0 0/0 0/7 0/0",
            "0/7 0/0 10/0 10/0 8/2 10/0",
            "0/0 0/10 5/3 7/0 7/1 7/0",
            "0/0 0/0 6/0 7/0 6/0 8/0",
            "7/0 7/2 2/6 5/0 4/3 10/0",
            "0/0 0/10 1/6 1/0 0/10 5/3",
        ];
        for (attacker, row) in Kind::ALL.into_iter().zip(known) {
            let texts: Vec<String> = Kind::ALL
                .into_iter()
                .map(|defender| exchange((attacker, 10, 1), (defender, 10, 1)))
                .map(|(damage, counter)| format!("{damage}/{counter}"))
                .collect();
            assert_eq!(texts.join(" "), row, "{attacker:?}");
        }
    }

    #[test]
    fn terrain_covers_units_on_the_ground() {
        let cases = [
            ((Kind::Panzer, 4, 1), (Kind::Infantry, 10, 4), (2, 1)),
            ((Kind::Cannon, 10, 1), (Kind::Panzer, 4, 1), (4, 0)),
            ((Kind::AntiAir, 5, 0), (Kind::Attacker, 7, 1), (4, 3)),
            ((Kind::Attacker, 1, 1), (Kind::Infantry, 1, 4), (1, 0)),
            ((Kind::Panzer, 10, 4), (Kind::Panzer, 10, 4), (4, 2)),
        ];
        for (attacker, defender, expected) in cases {
            assert_eq!(exchange(attacker, defender), expected, "{attacker:?} on {defender:?}");
        }
    }
}
