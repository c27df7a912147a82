//! What evolution has to know of what it evolves.

use sakiyomi_catalog::GameSpec;
use sakiyomi_core::Rng;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Evidence;

/// Something to be made fair. All methods are pure: what is drawn comes from the random source
/// alone.
pub trait Problem: Sync {
    type Genome: Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync;

    /// A genome of the first generation.
    fn draw(&self, rng: &mut Rng) -> Self::Genome;

    /// Two children that share what their parents have.
    fn cross(&self, parents: [&Self::Genome; 2], rng: &mut Rng) -> [Self::Genome; 2];

    fn mutate(&self, genome: &mut Self::Genome, rng: &mut Rng);

    /// The numbers by which the strength of a side can be set in small steps; none if there are
    /// none.
    fn strengths(&self, _genome: &Self::Genome) -> Vec<Strength> {
        Vec::new()
    }

    /// The genome with other values of its [`Problem::strengths`], each between its least and its
    /// most.
    fn with_strengths(&self, genome: &Self::Genome, _values: &[i32]) -> Self::Genome {
        genome.clone()
    }

    /// Makes a genome keep the constraints as far as it can; nothing, if there are none.
    fn repair(&self, genome: &mut Self::Genome, rng: &mut Rng);

    /// Whether a genome keeps all constraints. One that does not is never judged.
    fn is_allowed(&self, genome: &Self::Genome) -> bool;

    /// The game that a genome stands for, with noise before its start if that is asked for; none if
    /// it cannot be played, which counts as entirely unfair.
    fn game(&self, genome: &Self::Genome, noise: bool) -> Option<GameSpec>;

    /// What is counted of the genomes of a generation, apart from their fitness.
    fn remarks(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether each of [`Problem::remarks`] is true of a genome.
    fn remark(&self, _genome: &Self::Genome) -> Vec<Remark> {
        Vec::new()
    }

    /// The names of the axes of an archive of different genomes.
    fn axes(&self) -> &'static [&'static str];

    /// The class of a genome on each axis, by what it is and by how it was played.
    fn cell(&self, genome: &Self::Genome, evidence: &Evidence) -> Vec<u8>;

    /// How different two genomes are, from 0 to 1.
    fn distance(&self, a: &Self::Genome, b: &Self::Genome) -> f64;
}

/// Whether a remark holds.
pub type Remark = bool;

/// A number of a genome that makes a side a little stronger with each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strength {
    /// In steps.
    pub value: i32,
    pub least: i32,
    pub most: i32,
    /// The side that a step up helps, 0 for the one that moves first; none if that is not known.
    pub side: Option<usize>,
}

impl Strength {
    /// A number within a range that is changed by `step` at a time.
    pub(crate) fn in_steps(
        number: u32,
        range: (u32, u32),
        step: u32,
        side: Option<usize>,
    ) -> Strength {
        let steps = |number: u32| (number / step) as i32;
        let value = steps(number);
        let least = value - steps(number - range.0);
        Strength { value, least, most: value + steps(range.1 - number), side }
    }

    /// What becomes of a number whose strength gets another value.
    pub(crate) fn moved(&self, number: u32, step: u32, value: i32) -> u32 {
        number.saturating_add_signed((value - self.value) * step as i32)
    }
}
