//! How maps are drawn, crossed and mutated.

use sakiyomi_core::Rng;

use super::{MapGenome, MapOperators, MapProblem, UnitGene};

/// How often a cell of a first map is the same as one beside it, so that terrain lies together.
const SMOOTHNESS: f64 = 0.4;
/// How likely one more small change is.
const MORE: f64 = 0.5;

/// A map of the first generation: random terrain, and units on cells that they can enter.
pub(super) fn draw(problem: &MapProblem, rng: &mut Rng) -> MapGenome {
    let mut genome = MapGenome { terrain: Vec::new(), units: Vec::new() };
    for index in 0..problem.n_cells() {
        let (x, y) = problem.place(index);
        let beside: Vec<usize> =
            [(x > 0).then(|| index - 1), (y > 0).then(|| index - usize::from(problem.columns))]
                .into_iter()
                .flatten()
                .collect();
        let is_smooth = problem.constraints.is_some() && !beside.is_empty();
        let code = match is_smooth && rng.unit() < SMOOTHNESS {
            true => genome.terrain[beside[rng.below(beside.len())]],
            false => pick(&problem.terrain, rng),
        };
        genome.terrain.push(code);
    }
    if problem.symmetric_start {
        let n = genome.terrain.len();
        for index in 0..n / 2 {
            genome.terrain[n - 1 - index] = genome.terrain[index];
        }
    }
    let teams = if problem.symmetric_start { 1 } else { 2 };
    for team in 0..teams {
        for _ in 0..problem.units_a_side {
            if let Some(unit) = draw_unit(problem, &genome, team, rng) {
                genome.units.push(unit);
            }
        }
    }
    if problem.symmetric_start {
        let turned = |unit: &UnitGene| UnitGene {
            x: problem.columns - 1 - unit.x,
            y: problem.rows - 1 - unit.y,
            team: 1,
            ..*unit
        };
        let others: Vec<UnitGene> = genome.units.iter().map(turned).collect();
        genome.units.extend(others);
    }
    genome
}

/// A random unit on a free cell that it can enter and where its side may start; none if there is none.
pub(super) fn draw_unit(
    problem: &MapProblem,
    genome: &MapGenome,
    team: u8,
    rng: &mut Rng,
) -> Option<UnitGene> {
    let kind = pick(&problem.kinds, rng);
    let hit_points = draw_hit_points(problem, rng);
    let cells = free_cells(problem, genome, kind, team);
    if cells.is_empty() {
        return None;
    }
    let (x, y) = problem.place(cells[rng.below(cells.len())]);
    // The paper draws the flag as well when it mutates; its first units may all act.
    Some(UnitGene { x, y, kind, team, hit_points, finished: false })
}

/// Free cells that a unit can enter and where its side may start.
pub(super) fn free_cells(
    problem: &MapProblem,
    genome: &MapGenome,
    kind: u8,
    team: u8,
) -> Vec<usize> {
    (0..problem.n_cells())
        .filter(|&index| problem.can_stand(genome, kind, index))
        .filter(|&index| {
            let (x, y) = problem.place(index);
            let is_free = genome.units.iter().all(|unit| (unit.x, unit.y) != (x, y));
            is_free && problem.constraints.as_ref().is_none_or(|it| it.may_start(problem, team, y))
        })
        .collect()
}

fn draw_hit_points(problem: &MapProblem, rng: &mut Rng) -> u8 {
    let (least, most) = problem.hit_points;
    least + rng.below(usize::from(most - least) + 1) as u8
}

fn pick(from: &[u8], rng: &mut Rng) -> u8 {
    from[rng.below(from.len())]
}

/// Both children: where the one has a cell and its units from the first parent, the other has it from the second.
pub(super) fn cross(
    problem: &MapProblem,
    [a, b]: [&MapGenome; 2],
    rng: &mut Rng,
) -> [MapGenome; 2] {
    let n = problem.n_cells();
    let is_first: Box<dyn Fn(u16, u16) -> bool> = match problem.operators {
        MapOperators::Paper | MapOperators::OnePoint => {
            let cut = 1 + rng.below(n - 1);
            Box::new(move |x, y| problem.index(x, y) < cut)
        }
        MapOperators::Rectangle => {
            let (left, top) = problem.place(1 + rng.below(n - 1));
            Box::new(move |x, y| x < left || y < top)
        }
    };
    let child = |one: &MapGenome, other: &MapGenome| {
        let of = |index: usize| {
            let (x, y) = problem.place(index);
            if is_first(x, y) { one.terrain[index] } else { other.terrain[index] }
        };
        let stays = one.units.iter().filter(|unit| is_first(unit.x, unit.y));
        let comes = other.units.iter().filter(|unit| !is_first(unit.x, unit.y));
        MapGenome {
            terrain: (0..n).map(of).collect(),
            units: stays.chain(comes).copied().collect(),
        }
    };
    [child(a, b), child(b, a)]
}

/// The paper's mutation: every cell and every field of a unit is drawn again with the same small probability.
pub(super) fn mutate_all(problem: &MapProblem, genome: &mut MapGenome, rng: &mut Rng) {
    for code in &mut genome.terrain {
        if rng.unit() < problem.mutation {
            *code = pick(&problem.terrain, rng);
        }
    }
    for unit in &mut genome.units {
        if rng.unit() < problem.mutation {
            unit.x = rng.below(problem.columns.into()) as u16;
        }
        if rng.unit() < problem.mutation {
            unit.y = rng.below(problem.rows.into()) as u16;
        }
        if rng.unit() < problem.mutation {
            unit.kind = pick(&problem.kinds, rng);
        }
        if rng.unit() < problem.mutation {
            unit.team = rng.below(2) as u8;
        }
        if rng.unit() < problem.mutation {
            unit.hit_points = draw_hit_points(problem, rng);
        }
        if rng.unit() < problem.mutation {
            unit.finished = rng.below(2) == 1;
        }
    }
}

/// Our mutation: at least one small change, half of the time one more, and so on. Small ones, such as a hit point more or less, let
/// evolution come ever closer to balance; exchanging cells keeps the mix of terrain (Rupp and others, 2023).
pub(super) fn mutate_few(problem: &MapProblem, genome: &mut MapGenome, rng: &mut Rng) {
    loop {
        match rng.below(10) {
            0 | 1 => {
                let index = rng.below(problem.n_cells());
                genome.terrain[index] = pick(&problem.terrain, rng);
            }
            2 | 3 => {
                let index = rng.below(problem.n_cells());
                let beside: Vec<usize> = problem.neighbours(index).collect();
                genome.terrain.swap(index, beside[rng.below(beside.len())]);
            }
            _ if genome.units.is_empty() => {}
            4..=6 => {
                let unit = rng.below(genome.units.len());
                let (least, most) = problem.hit_points;
                let before = genome.units[unit].hit_points;
                let after = if rng.below(2) == 0 { before - 1 } else { before + 1 };
                genome.units[unit].hit_points = after.clamp(least, most);
            }
            7 | 8 => {
                let unit = rng.below(genome.units.len());
                let UnitGene { x, y, .. } = genome.units[unit];
                let beside: Vec<usize> = problem.neighbours(problem.index(x, y)).collect();
                let (x, y) = problem.place(beside[rng.below(beside.len())]);
                (genome.units[unit].x, genome.units[unit].y) = (x, y);
            }
            _ => {
                let unit = rng.below(genome.units.len());
                genome.units[unit].kind = pick(&problem.kinds, rng);
            }
        }
        if rng.unit() >= MORE {
            return;
        }
    }
}
