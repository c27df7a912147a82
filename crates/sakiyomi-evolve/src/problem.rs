//! What evolution has to know of what it evolves.

use sakiyomi_catalog::GameSpec;
use sakiyomi_core::Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Evidence;

/// Something to be made fair. All methods are pure: what is drawn comes from the random source alone.
pub trait Problem: Sync {
    type Genome: Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync;

    /// A genome of the first generation.
    fn draw(&self, rng: &mut Rng) -> Self::Genome;

    /// Two children that share what their parents have.
    fn cross(&self, parents: [&Self::Genome; 2], rng: &mut Rng) -> [Self::Genome; 2];

    fn mutate(&self, genome: &mut Self::Genome, rng: &mut Rng);

    /// A small change that helps a side, 0 for the one that moves first; any small change where it is not known what helps.
    fn favour(&self, genome: &mut Self::Genome, _side: usize, rng: &mut Rng) {
        self.mutate(genome, rng);
    }

    /// Makes a genome keep the constraints as far as it can; nothing, if there are none.
    fn repair(&self, genome: &mut Self::Genome, rng: &mut Rng);

    /// Whether a genome keeps all constraints. One that does not is never judged.
    fn is_allowed(&self, genome: &Self::Genome) -> bool;

    /// The game that a genome stands for, with noise before its start if that is asked for; none if it cannot be
    /// played, which counts as entirely unfair.
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
