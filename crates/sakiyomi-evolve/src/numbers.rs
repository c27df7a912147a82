//! Numbers of the rules as genomes: the damage scales, the recoil, the hit points and the length of
//! sangoku, so that a given scenario becomes fair without a change of its pieces.

use sakiyomi_catalog::{Battlefield, GameSpec};
use sakiyomi_core::Rng;
use sakiyomi_games::sangoku::Scenario;
use serde::{Deserialize, Serialize};

use crate::{Evidence, Problem, Strength};

/// One number for each entry of [`NumberProblem::RANGES`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberGenome(pub Vec<u32>);

/// The scenario that is to be balanced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberProblem {
    /// By its name.
    pub scenario: String,
}

/// How likely one more change is.
const MORE: f64 = 0.5;
/// The part of a range that a small step is.
const STEPS: u32 = 20;
const AXES: &[&str] = &["damage", "rounds", "length"];

impl NumberProblem {
    /// Name, least and most of every number.
    pub const RANGES: [(&'static str, u32, u32); 5] = [
        ("attack-scale", 200, 4000),
        ("fire-scale", 100, 4000),
        ("recoil", 1, 10),
        ("hit-points", 300, 3000),
        ("rounds", 5, 20),
    ];

    pub fn check(&self) -> Result<(), String> {
        let known = Scenario::named(&self.scenario).is_some();
        if known { Ok(()) } else { Err(format!("no scenario is called `{}`", self.scenario)) }
    }

    pub fn write(&self, genome: &NumberGenome) -> Option<Scenario> {
        let &[attack_scale, fire_scale, recoil, hit_points, rounds] = genome.0.as_slice() else {
            return None;
        };
        let base = Scenario::named(&self.scenario)?;
        let (hit_points, rounds) = (hit_points as u16, rounds as u16);
        Some(Scenario { attack_scale, fire_scale, recoil, hit_points, rounds, ..base })
    }
}

fn step(least: u32, most: u32) -> u32 {
    ((most - least) / STEPS).max(1)
}

impl Problem for NumberProblem {
    type Genome = NumberGenome;

    fn draw(&self, rng: &mut Rng) -> NumberGenome {
        let number = |(_, least, most): (&str, u32, u32)| {
            least + rng.below((most - least + 1) as usize) as u32
        };
        NumberGenome(NumberProblem::RANGES.map(number).to_vec())
    }

    fn cross(&self, [a, b]: [&NumberGenome; 2], rng: &mut Rng) -> [NumberGenome; 2] {
        let mut children = [a.clone(), b.clone()];
        for at in 0..a.0.len() {
            if rng.below(2) == 0 {
                (children[0].0[at], children[1].0[at]) = (b.0[at], a.0[at]);
            }
        }
        children
    }

    /// Changes a number by up to a fifth of its range, half of the time one more.
    fn mutate(&self, genome: &mut NumberGenome, rng: &mut Rng) {
        loop {
            let at = rng.below(genome.0.len());
            let (_, least, most) = NumberProblem::RANGES[at];
            let step = ((most - least) / 5).max(1);
            let up = rng.below(2 * step as usize + 1) as u32;
            genome.0[at] = (genome.0[at] + up).saturating_sub(step).clamp(least, most);
            if rng.unit() >= MORE {
                return;
            }
        }
    }

    /// All of them; it is not known which side a step helps.
    fn strengths(&self, genome: &NumberGenome) -> Vec<Strength> {
        let all = genome.0.iter().zip(NumberProblem::RANGES);
        let strength = |(&number, (_, least, most)): (&u32, (&str, u32, u32))| {
            Strength::in_steps(number, (least, most), step(least, most), None)
        };
        all.map(strength).collect()
    }

    fn with_strengths(&self, genome: &NumberGenome, values: &[i32]) -> NumberGenome {
        let all = genome
            .0
            .iter()
            .zip(self.strengths(genome))
            .zip(values.iter().zip(NumberProblem::RANGES));
        let moved = all.map(|((&number, strength), (&value, (_, least, most)))| {
            strength.moved(number, step(least, most), value)
        });
        NumberGenome(moved.collect())
    }

    /// Numbers are always within their ranges.
    fn repair(&self, _: &mut NumberGenome, _: &mut Rng) {}

    fn is_allowed(&self, _: &NumberGenome) -> bool {
        true
    }

    fn game(&self, genome: &NumberGenome, _: bool) -> Option<GameSpec> {
        Some(Battlefield::Code(self.write(genome)?.code()).into())
    }

    fn axes(&self) -> &'static [&'static str] {
        AXES
    }

    fn cell(&self, genome: &NumberGenome, evidence: &Evidence) -> Vec<u8> {
        let &[attack, _, _, hit_points, rounds] = genome.0.as_slice() else { return Vec::new() };
        let strikes = f64::from(hit_points) / (f64::from(attack) / 2.0).max(1.0);
        let length = (evidence.mean_actions() / 10.0).min(9.0) as u8;
        vec![(2.0 * strikes).min(9.0) as u8, (rounds / 4) as u8, length]
    }

    /// The mean difference as a share of the range.
    fn distance(&self, a: &NumberGenome, b: &NumberGenome) -> f64 {
        let pairs = a.0.iter().zip(&b.0).zip(NumberProblem::RANGES);
        let share = |((a, b), (_, least, most)): ((&u32, &u32), (&str, u32, u32))| {
            f64::from(a.abs_diff(*b)) / f64::from(most - least)
        };
        pairs.map(share).sum::<f64>() / a.0.len().max(1) as f64
    }
}
