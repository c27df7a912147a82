//! The settings of experience.

use super::encoding::Encoding;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExperienceSettings {
    pub encoding: Encoding,
    /// The largest Hamming distance of similar positions, up to [`MAX_DISTANCE`].
    pub distance: u32,
    /// An entry counts with this to the power of its distance.
    pub fade: f64,
    /// Visits that are lent at most.
    pub most: Option<f64>,
    /// What is lent counts half after this number of visits of the arm itself.
    pub half: Option<f64>,
    /// What is lent is multiplied with this.
    pub trust: f64,
    /// Positions of a playout that are remembered, from its beginning; all if none is given.
    pub reach: Option<u32>,
}

/// Positions of a playout that weighted experience remembers. Later ones are hardly ever met again,
/// and remembering them takes several times as long as playing on.
const REACH: u32 = 10;
/// The largest distance at which neighbours are looked for.
pub const MAX_DISTANCE: u32 = 3;

impl ExperienceSettings {
    /// As the paper has it.
    pub fn paper(encoding: Encoding, distance: u32) -> ExperienceSettings {
        ExperienceSettings {
            encoding,
            distance,
            fade: 1.0,
            most: None,
            half: None,
            trust: 1.0,
            reach: None,
        }
    }

    /// With weights, for encodings that are chosen by trials.
    pub fn weighted(encoding: Encoding, distance: u32) -> ExperienceSettings {
        ExperienceSettings {
            fade: 0.5,
            most: Some(5.0),
            half: Some(5.0),
            reach: Some(REACH),
            ..ExperienceSettings::paper(encoding, distance)
        }
    }

    /// Own visits of an arm are multiplied with this, and one added, to get what divides what is
    /// lent.
    pub(crate) fn decay(&self) -> f32 {
        self.half.map_or(0.0, |half| 1.0 / half.max(1e-6) as f32)
    }
}
