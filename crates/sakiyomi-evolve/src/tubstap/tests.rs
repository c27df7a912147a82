use super::*;
use sakiyomi_games::tubstap::{read_map, write_map};

fn genome(problem: &MapProblem, seed: u64) -> MapGenome {
    problem.draw(&mut Rng::new(seed))
}

#[test]
fn first_maps_are_the_papers() {
    let problem = MapProblem::paper(true);
    for seed in 0..50 {
        let genome = genome(&problem, seed);
        assert_eq!(genome.terrain.len(), 36);
        assert!(genome.terrain.iter().all(|code| (1..=6).contains(code)));
        let written = problem.write(&genome);
        assert_eq!((written.stuck, written.sharing), (0, 0), "units stand where they can");
        assert_eq!(written.map.n_units(), [4, 4]);
        assert_eq!((written.map.turn_limit, written.map.hp_threshold), (10, 10));
    }
    let ground = MapProblem::paper(false);
    let units = (0..50).flat_map(|seed| ground.write(&genome(&ground, seed)).map.units);
    assert!(units.into_iter().all(|unit| !unit.kind.is_air()));
}

/// Each child has every cell from one parent and its other cells from the other, with the units that stand there.
#[test]
fn crossover_cuts_where_it_says() {
    let all = |code: u8, team: u8, problem: &MapProblem| MapGenome {
        terrain: vec![code; problem.n_cells()],
        units: (0..6)
            .map(|i| UnitGene { x: i, y: i, kind: 5, team, hit_points: 5, finished: false })
            .collect(),
    };
    for operators in [MapOperators::Paper, MapOperators::Rectangle] {
        let problem = MapProblem { operators, ..MapProblem::paper(true) };
        let (a, b) = (all(1, 0, &problem), all(3, 1, &problem));
        for seed in 0..40 {
            let [first, second] = problem.cross([&a, &b], &mut Rng::new(seed));
            let is_a = |index: usize| first.terrain[index] == 1;
            for index in 0..36 {
                assert_eq!(first.terrain[index] + second.terrain[index], 4);
            }
            for unit in first.units.iter().chain(&second.units) {
                let child = if first.units.contains(unit) { &first } else { &second };
                let from_a = child.terrain[problem.index(unit.x, unit.y)] == 1;
                assert_eq!(unit.team == 0, from_a, "units go with their cells");
            }
            assert_eq!(first.units.len() + second.units.len(), 12);
            match operators {
                MapOperators::Paper => {
                    let cut = (0..36).filter(|&index| is_a(index)).count();
                    assert!((1..36).contains(&cut) && (0..cut).all(is_a));
                }
                _ => {
                    let from_b: Vec<(u16, u16)> =
                        (0..36).filter(|&i| !is_a(i)).map(|i| problem.place(i)).collect();
                    let (left, top) = from_b[0];
                    let area = usize::from(6 - left) * usize::from(6 - top);
                    assert_eq!(from_b.len(), area, "a rectangle to the lower right corner");
                    assert!(from_b.iter().all(|&(x, y)| x >= left && y >= top));
                }
            }
        }
    }
}

/// The probability holds for each cell and each of a unit's six fields.
#[test]
fn the_papers_mutation_has_its_rate() {
    let problem = MapProblem { mutation: 0.05, ..MapProblem::paper(true) };
    let (mut cells, mut hit_points, mut flags) = (0, 0, 0);
    let n = 2_000;
    for seed in 0..n {
        let before = genome(&problem, seed);
        let mut after = before.clone();
        problem.mutate(&mut after, &mut Rng::new(seed + 10_000));
        cells += before.terrain.iter().zip(&after.terrain).filter(|(a, b)| a != b).count();
        let units = || before.units.iter().zip(&after.units);
        hit_points += units().filter(|(a, b)| a.hit_points != b.hit_points).count();
        flags += units().filter(|(a, b)| a.finished != b.finished).count();
    }
    // A value that is drawn again may be the same: one in 6 terrains, 10 hit points, 2 flags.
    let near = |found: usize, n: f64, rate: f64| {
        let (mean, deviation) = (n * rate, (n * rate).sqrt());
        assert!((found as f64 - mean).abs() < 4.0 * deviation, "{found} instead of {mean}");
    };
    near(cells, 36.0 * n as f64, 0.05 * 5.0 / 6.0);
    near(hit_points, 8.0 * n as f64, 0.05 * 0.9);
    near(flags, 8.0 * n as f64, 0.05 * 0.5);
}

#[test]
fn what_cannot_stand_is_not_written_and_counted() {
    let problem = MapProblem::paper(true);
    let mut genome = MapGenome { terrain: vec![1; 36], units: Vec::new() };
    genome.terrain[0] = 2;
    let unit = UnitGene { x: 0, y: 0, kind: 2, team: 0, hit_points: 5, finished: false };
    genome.units = vec![unit, UnitGene { x: 1, ..unit }, UnitGene { x: 1, kind: 0, ..unit }];
    let written = problem.write(&genome);
    assert_eq!((written.stuck, written.sharing, written.map.units.len()), (1, 1, 1));
    assert_eq!(problem.remark(&genome), [true, true, true, true]);
    assert!(problem.game(&genome, false).is_some(), "a side without units has lost");
    genome.units.clear();
    assert_eq!(problem.game(&genome, false), None);
}

#[test]
fn repaired_maps_keep_the_constraints() {
    for (aircraft, symmetric_start) in [(false, false), (true, false), (true, true)] {
        let problem = MapProblem { symmetric_start, ..MapProblem::fair(aircraft) };
        problem.check().unwrap();
        let rng = &mut Rng::new(7);
        let mut allowed = 0;
        let mut genomes: Vec<MapGenome> = (0..100).map(|_| problem.draw(rng)).collect();
        for round in 0..300 {
            let at = round % 100;
            let other = genomes[rng.below(100)].clone();
            let [mut child, _] = problem.cross([&genomes[at], &other], rng);
            problem.mutate(&mut child, rng);
            problem.repair(&mut child, rng);
            let written = problem.write(&child);
            assert_eq!((written.stuck, written.sharing), (0, 0));
            assert_eq!(written.map.n_units(), [4, 4]);
            if problem.is_allowed(&child) {
                allowed += 1;
                let (read, warnings) = read_map(write_map(&written.map).as_bytes()).unwrap();
                assert!(warnings.is_empty(), "{warnings:?}");
                assert_eq!(problem.read(&read).as_ref(), Some(&child));
            }
            genomes[at] = child;
        }
        assert!(allowed > 60, "{allowed} of 300");
    }
}

#[test]
fn distance_sees_through_mirrors() {
    let problem = MapProblem::fair(true);
    let one = genome(&problem, 3);
    let map = problem.write(&one).map;
    assert_eq!(problem.distance(&one, &one), 0.0);
    let mut mirrored = map.clone();
    for y in 1..=6 {
        for x in 1..=6 {
            mirrored.set_terrain(7 - x, y, map.terrain_at(x, y));
        }
    }
    mirrored.units.iter_mut().for_each(|unit| unit.x = 7 - unit.x);
    assert_eq!(map_distance(&map, &mirrored), 0.0);
    let mut other = one.clone();
    other.terrain[0] = if other.terrain[0] == 1 { 3 } else { 1 };
    assert!((problem.distance(&one, &other) - 1.0 / 36.0).abs() < 1e-9);
    assert!(problem.distance(&one, &genome(&problem, 4)) > 0.3);
}

#[test]
fn impossible_settings_are_refused() {
    let refused = |problem: MapProblem, part: &str| {
        let error = problem.check().unwrap_err();
        assert!(error.contains(part), "`{part}` is not in: {error}");
    };
    refused(MapProblem { columns: 40, ..MapProblem::fair(true) }, "40x6");
    refused(MapProblem { units_a_side: 13, ..MapProblem::paper(true) }, "too many units");
    refused(MapProblem { kinds: vec![7], ..MapProblem::paper(true) }, "kind");
    refused(MapProblem { hit_points: (0, 5), ..MapProblem::paper(true) }, "hit points");
    let constraints = MapConstraints { start_rows: Some(4), ..MapConstraints::default() };
    let problem = MapProblem { constraints: Some(constraints), ..MapProblem::fair(true) };
    refused(problem, "4 rows");
}
