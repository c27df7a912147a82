//! Scenarios of sangoku as genomes: stats, abilities and placement of the pieces.

use sakiyomi_catalog::{Battlefield, GameSpec};
use sakiyomi_core::{Rng, cell_name};
use sakiyomi_games::sangoku::{Ability, Scenario, Soldier, Stat, Talent};
use serde::{Deserialize, Serialize};

use crate::{Evidence, Problem, Strength};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScenarioGenome {
    /// Both sides, each with the same number.
    pub sides: [Vec<SoldierGene>; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoldierGene {
    /// From 0 at a1.
    pub x: u8,
    pub y: u8,
    /// Attack, defence and intellect.
    pub stats: [u8; 3],
    /// By the order of [`Ability::ALL`].
    pub ability: u8,
}

/// What scenarios are allowed to be: the board and the constants of one of ours, and other pieces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioProblem {
    /// The scenario whose board and constants are kept, by its name.
    pub base: String,
    pub pieces_a_side: usize,
    /// How many columns from its edge a side starts within, the first on the left.
    pub start_columns: u8,
    pub stats: (u8, u8),
}

/// How likely one more change is.
const MORE: f64 = 0.5;
/// The most that a mutation changes a stat by.
const STEP: i32 = 15;
/// A small step of a stat.
const SMALL_STEP: u32 = 5;
const AXES: &[&str] = &["strength", "abilities", "distance", "length"];

impl ScenarioProblem {
    pub fn check(&self) -> Result<(), String> {
        let base = self.base()?;
        let (least, most) = self.stats;
        if least == 0 || least > most || most > 100 {
            return Err("stats must go from at least 1 to at most 100".to_owned());
        }
        if self.start_columns == 0 || 2 * u32::from(self.start_columns) > base.width {
            return Err(format!("the sides must start within 1 to {} columns", base.width / 2));
        }
        let room = usize::from(self.start_columns) * base.height as usize;
        if !(1..=room.min(32)).contains(&self.pieces_a_side) {
            return Err(format!("pieces a side must be 1 to {}", room.min(32)));
        }
        Ok(())
    }

    fn base(&self) -> Result<Scenario, String> {
        Scenario::named(&self.base).ok_or_else(|| format!("no scenario is called `{}`", self.base))
    }

    /// The scenario of a genome; none if the base is unknown.
    pub fn write(&self, genome: &ScenarioGenome) -> Option<Scenario> {
        let base = self.base().ok()?;
        let [first, second] = genome.sides.each_ref().map(|side| {
            let soldier = |gene: &SoldierGene| Soldier {
                cell: cell_name(gene.x.into(), gene.y.into()),
                attack: Stat::Given(gene.stats[0]),
                defence: Stat::Given(gene.stats[1]),
                intellect: Stat::Given(gene.stats[2]),
                ability: Talent::Given(Ability::ALL[usize::from(gene.ability)]),
            };
            side.iter().map(soldier).collect::<Vec<_>>()
        });
        Some(Scenario { first, second, ..base })
    }

    /// The cells where a side may start.
    fn cells(&self, side: usize) -> Vec<(u8, u8)> {
        let Ok(base) = self.base() else { return Vec::new() };
        let column = |x: u8| if side == 0 { x } else { base.width as u8 - 1 - x };
        let columns = (0..self.start_columns).map(column);
        columns.flat_map(|x| (0..base.height as u8).map(move |y| (x, y))).collect()
    }

    fn draw_soldier(&self, side: usize, rng: &mut Rng) -> SoldierGene {
        let cells = self.cells(side);
        let (x, y) = cells[rng.below(cells.len())];
        let (least, most) = self.stats;
        let stats = [0; 3].map(|_: u8| least + rng.below(usize::from(most - least) + 1) as u8);
        SoldierGene { x, y, stats, ability: rng.below(Ability::ALL.len()) as u8 }
    }
}

impl Problem for ScenarioProblem {
    type Genome = ScenarioGenome;

    fn draw(&self, rng: &mut Rng) -> ScenarioGenome {
        let sides = [0, 1]
            .map(|side| (0..self.pieces_a_side).map(|_| self.draw_soldier(side, rng)).collect());
        ScenarioGenome { sides }
    }

    /// Every piece comes from the same piece of one of the parents.
    fn cross(&self, [a, b]: [&ScenarioGenome; 2], rng: &mut Rng) -> [ScenarioGenome; 2] {
        let mut children = [a.clone(), b.clone()];
        for side in 0..2 {
            for at in 0..self.pieces_a_side {
                if rng.below(2) == 0 {
                    children[0].sides[side][at] = b.sides[side][at];
                    children[1].sides[side][at] = a.sides[side][at];
                }
            }
        }
        children
    }

    fn mutate(&self, genome: &mut ScenarioGenome, rng: &mut Rng) {
        loop {
            let (side, at) = (rng.below(2), rng.below(self.pieces_a_side));
            let fresh = self.draw_soldier(side, rng);
            let gene = &mut genome.sides[side][at];
            match rng.below(6) {
                0 => (gene.x, gene.y) = (fresh.x, fresh.y),
                1 => gene.ability = fresh.ability,
                _ => {
                    let stat = &mut gene.stats[rng.below(3)];
                    let change = rng.below(2 * STEP as usize + 1) as i32 - STEP;
                    let (least, most) = self.stats;
                    *stat = (i32::from(*stat) + change).clamp(least.into(), most.into()) as u8;
                }
            }
            if rng.unit() >= MORE {
                return;
            }
        }
    }

    /// Every stat of every piece.
    fn strengths(&self, genome: &ScenarioGenome) -> Vec<Strength> {
        let range = (self.stats.0.into(), self.stats.1.into());
        let strength =
            |side: usize, stat: u8| Strength::in_steps(stat.into(), range, SMALL_STEP, Some(side));
        let sides = genome.sides.iter().enumerate();
        let stats = |genes: &Vec<SoldierGene>| genes.iter().flat_map(|gene| gene.stats).collect();
        let all = sides.flat_map(|(side, genes)| {
            let stats: Vec<u8> = stats(genes);
            stats.into_iter().map(move |stat| (side, stat))
        });
        all.map(|(side, stat)| strength(side, stat)).collect()
    }

    fn with_strengths(&self, genome: &ScenarioGenome, values: &[i32]) -> ScenarioGenome {
        let mut changed = genome.clone();
        let stats = changed.sides.iter_mut().flatten().flat_map(|gene| &mut gene.stats);
        for ((stat, strength), &value) in stats.zip(self.strengths(genome)).zip(values) {
            *stat = strength.moved((*stat).into(), SMALL_STEP, value) as u8;
        }
        changed
    }

    /// Pieces on the cell of another one move to a free one.
    fn repair(&self, genome: &mut ScenarioGenome, rng: &mut Rng) {
        for side in 0..2 {
            for at in 0..self.pieces_a_side {
                let place = |gene: &SoldierGene| (gene.x, gene.y);
                let before = &genome.sides[side][..at];
                let taken: Vec<(u8, u8)> = before.iter().map(place).collect();
                let cells = self.cells(side);
                let here = place(&genome.sides[side][at]);
                if taken.contains(&here) || !cells.contains(&here) {
                    let free: Vec<(u8, u8)> =
                        cells.into_iter().filter(|cell| !taken.contains(cell)).collect();
                    let gene = &mut genome.sides[side][at];
                    (gene.x, gene.y) = free[rng.below(free.len())];
                }
            }
        }
    }

    /// Sides that are mirrored are no achievement.
    fn is_allowed(&self, genome: &ScenarioGenome) -> bool {
        let strengths = |side: usize| {
            let mut all: Vec<([u8; 3], u8)> =
                genome.sides[side].iter().map(|gene| (gene.stats, gene.ability)).collect();
            all.sort_unstable();
            all
        };
        strengths(0) != strengths(1)
    }

    /// There is no noise: players of this game are not asked to repeat themselves.
    fn game(&self, genome: &ScenarioGenome, _: bool) -> Option<GameSpec> {
        let scenario = self.write(genome)?;
        Some(Battlefield::Code(scenario.code()).into())
    }

    fn axes(&self) -> &'static [&'static str] {
        AXES
    }

    fn cell(&self, genome: &ScenarioGenome, evidence: &Evidence) -> Vec<u8> {
        let all = || genome.sides.iter().flatten();
        let n = all().count().max(1) as f64;
        let sum: u32 = all().flat_map(|gene| gene.stats).map(u32::from).sum();
        let mut abilities: Vec<u8> = all().map(|gene| gene.ability).collect();
        abilities.sort_unstable();
        abilities.dedup();
        let mean_x = |side: usize| {
            let side = &genome.sides[side];
            side.iter().map(|gene| f64::from(gene.x)).sum::<f64>() / side.len().max(1) as f64
        };
        vec![
            (f64::from(sum) / n / 3.0 / 20.0) as u8,
            abilities.len() as u8,
            (mean_x(1) - mean_x(0)).abs() as u8,
            (evidence.mean_actions() / 10.0).min(9.0) as u8,
        ]
    }

    /// The share of places, stats (by tens) and abilities that differ.
    fn distance(&self, a: &ScenarioGenome, b: &ScenarioGenome) -> f64 {
        let pairs = || a.sides.iter().flatten().zip(b.sides.iter().flatten());
        let differ = |(a, b): (&SoldierGene, &SoldierGene)| {
            let stats = a.stats.iter().zip(b.stats).filter(|(a, b)| a.abs_diff(*b) >= 10).count();
            stats + usize::from((a.x, a.y) != (b.x, b.y)) + usize::from(a.ability != b.ability)
        };
        let n = pairs().count().max(1) as f64;
        pairs().map(differ).sum::<usize>() as f64 / (5.0 * n)
    }
}
