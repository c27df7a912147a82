//! Everything that the reconstruction of the rules decided, each with a name, so that an experiment
//! can ask what a decision matters. The numbers that the paper prints are here too.

use std::fmt;

use super::map::MAX_TEAMS;
use super::orders::MAX_COMMANDS;

/// The rules of a match. [`Settings::default`] is the contest of the paper in 5 minutes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Settings {
    /// Sessions of a match: 100 are 5 minutes, 140 are the final's 7.
    pub sessions: u16,
    /// Frames of a session, 60 to the second.
    pub session_frames: u16,
    /// Sessions that pass before orders are carried out: 1 as in the contest, or 0.
    pub latency: u8,
    /// The most commands that a robot is given for a session.
    pub max_commands: u8,
    pub move_frames: u16,
    pub suck_frames: u16,
    pub refill_frames: u16,
    pub pour_frames: u16,
    pub wait_frames: u16,
    /// How long an action takes on rough ground, in percent of its usual time.
    pub rough_percent: u16,
    pub rough: Rough,
    pub effect: Effect,
    /// Whether the team that acts first among those whose actions end in the same frame changes
    /// from session to session. Otherwise it is always the first.
    pub rotates_order: bool,
    /// Units that one refill gives.
    pub refill_units: u16,
    /// Units that one suck moves into the tank; it always takes one from the cell.
    pub suck_gain: u16,
    pub tank_max: u32,
    pub cell_max: u8,
    /// Whether a robot cannot move into a cell where another one stands.
    pub robots_block: bool,
    pub tie_break: TieBreak,
    pub payoff: Payoff,
}

/// Which actions rough ground makes longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rough {
    /// Every action that is started on it.
    Standing,
    /// Moves into it.
    Entering,
}

/// When an action changes the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    AtEnd,
    AtStart,
}

/// What decides between teams with the same score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TieBreak {
    /// The water that lies on their cells at the end.
    WaterOnField,
    /// All the water that they have poured.
    WaterPoured,
}

/// What a team gets for its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Payoff {
    /// The share of the other teams that it leaves behind; half for those with the same place.
    Rank,
    /// One point, shared by the first.
    First,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            sessions: 100,
            session_frames: 180,
            latency: 1,
            max_commands: MAX_COMMANDS as u8,
            move_frames: 40,
            suck_frames: 40,
            refill_frames: 24,
            pour_frames: 19,
            wait_frames: 10,
            rough_percent: 200,
            rough: Rough::Standing,
            effect: Effect::AtEnd,
            rotates_order: true,
            refill_units: 1,
            suck_gain: 1,
            tank_max: 1_000_000,
            cell_max: 99,
            robots_block: false,
            tie_break: TieBreak::WaterOnField,
            payoff: Payoff::Rank,
        }
    }
}

impl Settings {
    /// The settings, or the first that cannot be played.
    pub fn checked(self) -> Result<Settings, SettingError> {
        let Settings { sessions, session_frames, latency, max_commands, .. } = self;
        check("sessions", sessions.into(), 2, 10_000)?;
        check("session_frames", session_frames.into(), 1, 10_000)?;
        check("latency", latency.into(), 0, 1)?;
        check("max_commands", max_commands.into(), 1, MAX_COMMANDS as u64)?;
        let frames = [
            ("move_frames", self.move_frames),
            ("suck_frames", self.suck_frames),
            ("refill_frames", self.refill_frames),
            ("pour_frames", self.pour_frames),
            ("wait_frames", self.wait_frames),
        ];
        for (name, frames) in frames {
            check(name, frames.into(), 1, 1_000)?;
        }
        check("rough_percent", self.rough_percent.into(), 100, 1_000)?;
        check("refill_units", self.refill_units.into(), 1, 10_000)?;
        check("suck_gain", self.suck_gain.into(), 0, 1)?;
        check("tank_max", self.tank_max.into(), 1, 1_000_000)?;
        check("cell_max", self.cell_max.into(), 1, 255)?;
        Ok(self)
    }
}

/// How maps are made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MapSettings {
    pub symmetry: Symmetry,
    /// 2 to 6.
    pub teams: u8,
    pub wall_percent: u8,
    pub rough_percent: u8,
    /// The fewest and the most jars with point symmetry. With six-fold symmetry there are 7: the
    /// centre and six around it.
    pub jars: [u8; 2],
    /// At least this part of the cells that are no walls can be reached from each other.
    pub connected_percent: u8,
    /// The middle of each team's robots is this far from the centre.
    pub start_ring: u8,
    /// Robots of one team start at most this far from each other.
    pub start_spread: u8,
    /// Robots of different teams start at least this far from each other.
    pub start_distance: u8,
}

/// The symmetry of the ground and of the starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symmetry {
    /// About the centre, as the paper says: opposite teams are equal, neighbours are not.
    Point,
    /// Rotation by 60 degrees: all six seats are equal.
    SixFold,
}

impl Symmetry {
    /// Its name in map files.
    pub fn name(self) -> &'static str {
        match self {
            Symmetry::Point => "C2",
            Symmetry::SixFold => "C6",
        }
    }

    pub fn named(name: &str) -> Option<Symmetry> {
        [Symmetry::Point, Symmetry::SixFold].into_iter().find(|symmetry| symmetry.name() == name)
    }
}

impl Default for MapSettings {
    fn default() -> MapSettings {
        MapSettings {
            symmetry: Symmetry::SixFold,
            teams: 6,
            wall_percent: 6,
            rough_percent: 12,
            jars: [2, 10],
            connected_percent: 90,
            start_ring: 14,
            start_spread: 4,
            start_distance: 8,
        }
    }
}

impl MapSettings {
    /// The settings, or the first that cannot be used.
    pub fn checked(self) -> Result<MapSettings, SettingError> {
        check("teams", self.teams.into(), 2, MAX_TEAMS as u64)?;
        check("wall_percent", self.wall_percent.into(), 0, 30)?;
        check("rough_percent", self.rough_percent.into(), 0, 60)?;
        let [fewest, most] = self.jars;
        check("jars (fewest)", fewest.into(), 1, 60)?;
        check("jars (most)", most.into(), fewest.into(), 60)?;
        check("connected_percent", self.connected_percent.into(), 0, 100)?;
        check("start_ring", self.start_ring.into(), 6, 18)?;
        check("start_spread", self.start_spread.into(), 2, 8)?;
        check("start_distance", self.start_distance.into(), 1, 12)?;
        Ok(self)
    }
}

/// A setting that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    pub name: &'static str,
    pub found: u64,
    pub low: u64,
    pub high: u64,
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SettingError { name, found, low, high } = self;
        write!(f, "`{name}` is {found}; it must be from {low} to {high}")
    }
}

impl std::error::Error for SettingError {}

fn check(name: &'static str, found: u64, low: u64, high: u64) -> Result<(), SettingError> {
    match (low..=high).contains(&found) {
        true => Ok(()),
        false => Err(SettingError { name, found, low, high }),
    }
}
