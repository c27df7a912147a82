//! Numbers of a game as genomes, so that it becomes fair without a change of its rules: those that
//! sangoku and TUBSTAP declare, parameters of any other game of the catalog, and numbers in a rule
//! sheet, which are found by the words before them.

use std::str::FromStr;

use sakiyomi_catalog::{Battlefield, GameSpec, GdlSpec, MapSource, TubstapSpec, keep_rules};
use sakiyomi_core::Rng;
use sakiyomi_games::sangoku::Scenario;
use sakiyomi_games::tubstap::Map;
use serde::{Deserialize, Serialize};

use crate::{Evidence, Problem, Strength, map_game};

/// One number for each of [`NumberProblem::numbers`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberGenome(pub Vec<u32>);

/// The game that is to be balanced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberProblem {
    pub game: GameSpec,
    pub numbers: Vec<Number>,
}

/// A number that may change, within its range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    pub name: String,
    pub least: u32,
    pub most: u32,
}

/// How likely one more change is.
const MORE: f64 = 0.5;
/// The part of a range that a small step is.
const STEPS: u32 = 20;
/// Of a number on an axis of the archive.
const CLASSES: u32 = 5;
/// Rule sheets that a run may make of one: all of them are kept in memory.
const MAX_SHEETS: u64 = 60;
const AXES: &[&str] = &["first number", "second number", "length"];
/// Hit points of a unit.
const HIT_POINTS: (u32, u32) = (1, 10);

const SANGOKU: [(&str, u32, u32); 5] = [
    ("attack-scale", 200, 4000),
    ("fire-scale", 100, 4000),
    ("recoil", 1, 10),
    ("hit-points", 300, 3000),
    ("rounds", 5, 20),
];
const RED: &str = "red-hit-points";
const BLUE: &str = "blue-hit-points";
const TURN_LIMIT: &str = "turn-limit";

impl FromStr for Number {
    type Err = String;
    fn from_str(text: &str) -> Result<Number, String> {
        let parse = || {
            let (name, range) = text.rsplit_once('=')?;
            let (least, most) = range.split_once('-')?;
            let (least, most) = (least.trim().parse().ok()?, most.trim().parse().ok()?);
            (least <= most && most <= 1_000_000).then(|| Number {
                name: name.trim().to_owned(),
                least,
                most,
            })
        };
        parse().ok_or_else(|| format!("`{text}`: expected NAME=LEAST-MOST, such as n=3-9"))
    }
}

impl NumberProblem {
    /// A game with the numbers that are named, or all that it declares.
    pub fn new(game: &GameSpec, named: Vec<Number>) -> Result<NumberProblem, String> {
        let game = game.portable().map_err(|error| error.to_string())?;
        let numbers = if named.is_empty() { declared(&game)? } else { named };
        Ok(NumberProblem { game, numbers })
    }

    pub fn check(&self) -> Result<(), String> {
        if self.numbers.is_empty() {
            return Err(format!("{} declares no numbers; name one of them", self.game));
        }
        if let GameSpec::Gdl(_) = &self.game {
            let sheets = self.numbers.iter().map(|it| u64::from(it.most - it.least) + 1);
            let n = sheets.fold(1, u64::saturating_mul);
            if n > MAX_SHEETS {
                return Err(format!("{n} rule sheets; at most {MAX_SHEETS} are compared"));
            }
        }
        for end in [|it: &Number| it.least, |it: &Number| it.most] {
            let game = self.write(&NumberGenome(self.numbers.iter().map(end).collect()))?;
            game.players().map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// The game with these numbers.
    pub fn write(&self, genome: &NumberGenome) -> Result<GameSpec, String> {
        let unknown = |name: &str| format!("{} has no number `{name}`", self.game);
        let numbers =
            || self.numbers.iter().map(|it| it.name.as_str()).zip(genome.0.iter().copied());
        match &self.game {
            GameSpec::Sangoku(field) => {
                let mut scenario = scenario_of(&field.settings)?;
                for (name, number) in numbers() {
                    set_scenario(&mut scenario, name, number).ok_or_else(|| unknown(name))?;
                }
                Ok(Battlefield::Code(scenario.code()).into())
            }
            GameSpec::Tubstap(spec) => {
                let mut map = spec.settings.map.read()?;
                for (name, number) in numbers() {
                    set_map(&mut map, name, number).ok_or_else(|| unknown(name))?;
                }
                Ok(TubstapSpec { map: MapSource::Code(map.code()), ..spec.settings.clone() }.into())
            }
            GameSpec::Gdl(_) => keep_rules(&self.rules(genome)?).map_err(|error| error.to_string()),
            other => {
                let mut text = other.to_string();
                for (name, number) in numbers() {
                    text = with_parameter(&text, name, number);
                }
                text.parse().map_err(|error| format!("{error}"))
            }
        }
    }

    /// The rule sheet with these numbers.
    pub(crate) fn rules(&self, genome: &NumberGenome) -> Result<String, String> {
        let GameSpec::Gdl(sheet) = &self.game else { return Ok(String::new()) };
        let mut rules = GdlSpec::text(&sheet.settings).map_err(|error| error.to_string())?;
        for (Number { name, .. }, number) in self.numbers.iter().zip(&genome.0) {
            rules = with_fact(&rules, name, *number)
                .ok_or_else(|| format!("{}: no number stands behind `{name}`", self.game))?;
        }
        Ok(rules)
    }

    /// The numbers as they are named.
    pub(crate) fn text(&self, genome: &NumberGenome) -> String {
        let one = |(it, number): (&Number, &u32)| format!("{}={number}", it.name);
        self.numbers.iter().zip(&genome.0).map(one).collect::<Vec<_>>().join(",")
    }
}

/// All numbers that a game declares.
fn declared(game: &GameSpec) -> Result<Vec<Number>, String> {
    let number = |name: &str, (least, most)| Number { name: name.to_owned(), least, most };
    Ok(match game {
        GameSpec::Sangoku(_) => {
            SANGOKU.iter().map(|&(name, least, most)| number(name, (least, most))).collect()
        }
        GameSpec::Tubstap(spec) => {
            let map = spec.settings.map.read()?;
            let sides = [(RED, 0), (BLUE, 1)].map(|(name, side)| {
                let n = map.n_units()[side] as u32;
                number(name, (n * HIT_POINTS.0, n * HIT_POINTS.1))
            });
            sides.into_iter().chain([number(TURN_LIMIT, (4, 30))]).collect()
        }
        GameSpec::Hagetaka(_) => vec![number("n", (3, 15))],
        _ => Vec::new(),
    })
}

pub(crate) fn scenario_of(field: &Battlefield) -> Result<Scenario, String> {
    match field {
        Battlefield::Scenario(name) => {
            Scenario::named(name).ok_or_else(|| format!("no scenario is called `{name}`"))
        }
        Battlefield::Code(code) => Scenario::from_code(code),
        Battlefield::File(path) => Err(format!("{path}: hand over the scenario itself")),
    }
}

fn set_scenario(scenario: &mut Scenario, name: &str, number: u32) -> Option<()> {
    match name {
        "attack-scale" => scenario.attack_scale = number,
        "fire-scale" => scenario.fire_scale = number,
        "recoil" => scenario.recoil = number,
        "hit-points" => scenario.hit_points = number.try_into().ok()?,
        "rounds" => scenario.rounds = number.try_into().ok()?,
        _ => return None,
    }
    Some(())
}

fn set_map(map: &mut Map, name: &str, number: u32) -> Option<()> {
    match name {
        RED => deal_hit_points(map, 0, number),
        BLUE => deal_hit_points(map, 1, number),
        TURN_LIMIT => map.turn_limit = number.try_into().ok()?,
        "threshold" => map.hp_threshold = number,
        _ => return None,
    }
    Some(())
}

/// Gives the units of a side this number of hit points together, one after the other to the unit
/// that has lost the most of them, or gained the least.
fn deal_hit_points(map: &mut Map, team: u8, total: u32) {
    let own: Vec<usize> = (0..map.units.len()).filter(|&at| map.units[at].team == team).collect();
    let before: Vec<u8> = own.iter().map(|&at| map.units[at].hit_points).collect();
    let (least, most) = (HIT_POINTS.0 as u8, HIT_POINTS.1 as u8);
    own.iter().for_each(|&at| map.units[at].hit_points = least);
    for _ in own.len() as u32..total {
        let room = own.iter().zip(&before).filter(|&(&at, _)| map.units[at].hit_points < most);
        let share = |&(&at, &before): &(&usize, &u8)| {
            u32::from(map.units[at].hit_points) * 100 / u32::from(before.max(1))
        };
        let Some((&at, _)) = room.min_by_key(share) else { return };
        map.units[at].hit_points += 1;
    }
}

/// The text of a game with another value of a parameter.
fn with_parameter(game: &str, name: &str, number: u32) -> String {
    let (word, fields) = game.split_once(':').unwrap_or((game, ""));
    let is_other = |field: &&str| field.split('=').next() != Some(name) && !field.is_empty();
    let others = fields.split(',').filter(is_other).map(str::to_owned);
    let fields: Vec<String> = [format!("{name}={number}")].into_iter().chain(others).collect();
    format!("{word}:{}", fields.join(","))
}

/// The rules with another number wherever one stands directly behind these words, which begin a
/// term and have dots between them; none if that is nowhere.
fn with_fact(rules: &str, words: &str, number: u32) -> Option<String> {
    let start = format!("({} ", words.replace('.', " "));
    let mut parts = rules.split(start.as_str());
    let mut text = parts.next()?.to_owned();
    let mut is_found = false;
    for part in parts {
        let n_digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let ends = part[n_digits..].starts_with([')', ' ', '\n', '\r', '\t']);
        text += &start;
        match n_digits > 0 && ends {
            true => {
                is_found = true;
                text += &format!("{number}{}", &part[n_digits..]);
            }
            false => text += part,
        }
    }
    is_found.then_some(text)
}

fn step(least: u32, most: u32) -> u32 {
    ((most - least) / STEPS).max(1)
}

impl Problem for NumberProblem {
    type Genome = NumberGenome;

    fn draw(&self, rng: &mut Rng) -> NumberGenome {
        let number = |it: &Number| it.least + rng.below((it.most - it.least + 1) as usize) as u32;
        NumberGenome(self.numbers.iter().map(number).collect())
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
            let Number { least, most, .. } = self.numbers[at];
            let step = ((most - least) / 5).max(1);
            let up = rng.below(2 * step as usize + 1) as u32;
            genome.0[at] = (genome.0[at] + up).saturating_sub(step).clamp(least, most);
            if rng.unit() >= MORE {
                return;
            }
        }
    }

    /// All of them; of most it is not known which side a step helps.
    fn strengths(&self, genome: &NumberGenome) -> Vec<Strength> {
        let strength = |(&number, it): (&u32, &Number)| {
            let side = [RED, BLUE].iter().position(|name| it.name == *name);
            Strength::in_steps(number, (it.least, it.most), step(it.least, it.most), side)
        };
        genome.0.iter().zip(&self.numbers).map(strength).collect()
    }

    fn with_strengths(&self, genome: &NumberGenome, values: &[i32]) -> NumberGenome {
        let all = genome.0.iter().zip(self.strengths(genome)).zip(values.iter().zip(&self.numbers));
        let moved = all.map(|((&number, strength), (&value, it))| {
            strength.moved(number, step(it.least, it.most), value)
        });
        NumberGenome(moved.collect())
    }

    /// Numbers are always within their ranges.
    fn repair(&self, _: &mut NumberGenome, _: &mut Rng) {}

    fn is_allowed(&self, _: &NumberGenome) -> bool {
        true
    }

    fn game(&self, genome: &NumberGenome, noise: bool) -> Option<GameSpec> {
        match self.write(genome).ok()? {
            GameSpec::Tubstap(spec) => Some(map_game(&spec.settings.map.read().ok()?, noise)),
            game => Some(game),
        }
    }

    fn axes(&self) -> &'static [&'static str] {
        AXES
    }

    fn cell(&self, genome: &NumberGenome, evidence: &Evidence) -> Vec<u8> {
        let class = |(&number, it): (&u32, &Number)| {
            (CLASSES * (number - it.least) / (it.most - it.least + 1)) as u8
        };
        let mut classes = genome.0.iter().zip(&self.numbers).map(class).take(2).collect::<Vec<_>>();
        classes.resize(2, 0);
        classes.push((evidence.mean_actions() / 10.0).min(9.0) as u8);
        classes
    }

    /// The mean difference as a share of the range.
    fn distance(&self, a: &NumberGenome, b: &NumberGenome) -> f64 {
        let pairs = a.0.iter().zip(&b.0).zip(&self.numbers);
        let share = |((a, b), it): ((&u32, &u32), &Number)| {
            f64::from(a.abs_diff(*b)) / f64::from((it.most - it.least).max(1))
        };
        pairs.map(share).sum::<f64>() / a.0.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(game: &str, named: &[&str]) -> NumberProblem {
        let named = named.iter().map(|text| text.parse().unwrap()).collect();
        NumberProblem::new(&game.parse().unwrap(), named).unwrap()
    }

    fn written(problem: &NumberProblem, numbers: &[u32]) -> GameSpec {
        problem.check().unwrap();
        problem.write(&NumberGenome(numbers.to_vec())).unwrap()
    }

    #[test]
    fn numbers_are_those_of_the_game_that_is_named() {
        let sangoku = problem("sangoku:scenario=c", &[]);
        assert_eq!(sangoku.numbers.len(), SANGOKU.len());
        let GameSpec::Sangoku(field) = written(&sangoku, &[700, 300, 2, 900, 9]) else { panic!() };
        let scenario = scenario_of(&field.settings).unwrap();
        assert_eq!((scenario.attack_scale, scenario.recoil, scenario.rounds), (700, 2, 9));

        let game = written(&problem("hagetaka:n=5,players=3", &["n=3-7"]), &[4]);
        assert_eq!(game, "hagetaka:n=4,players=3".parse().unwrap());
    }

    #[test]
    fn hit_points_of_a_side_are_dealt_among_its_units() {
        let ford = problem("tubstap:map=ford", &["blue-hit-points=8-30", "turn-limit=6-12"]);
        let GameSpec::Tubstap(spec) = written(&ford, &[21, 8]) else { panic!() };
        let map = spec.settings.map.read().unwrap();
        let blue: Vec<u8> =
            map.units.iter().filter(|unit| unit.team == 1).map(|unit| unit.hit_points).collect();
        assert_eq!(blue.iter().map(|&n| u32::from(n)).sum::<u32>(), 21, "{blue:?}");
        assert!(blue.iter().max().unwrap() - blue.iter().min().unwrap() <= 2, "{blue:?}");
        assert_eq!(map.turn_limit, 8);
        let sides =
            ford.strengths(&NumberGenome(vec![21, 8])).iter().map(|it| it.side).collect::<Vec<_>>();
        assert_eq!(sides, [Some(1), None]);
    }

    #[test]
    fn a_rule_sheet_has_the_numbers_that_stand_behind_words() {
        let rules = "(target white 6)\n(target black 1) (<= w (target black 1))\n(target black 10)";
        let expected =
            "(target white 6)\n(target black 3) (<= w (target black 3))\n(target black 3)";
        assert_eq!(with_fact(rules, "target.black", 3).as_deref(), Some(expected));
        assert_eq!(with_fact(rules, "target", 3), None);
        let sheet = problem("gdl:sheet=breakthrough-small", &["target.black=1-3"]);
        assert_ne!(written(&sheet, &[1]), written(&sheet, &[2]));
        let wrong = problem("gdl:sheet=breakthrough-small", &["komi=1-3"]);
        assert!(wrong.check().unwrap_err().contains("behind `komi`"));
        let many = problem("gdl:sheet=breakthrough-small", &["target.black=1-3", "up.1=1-60"]);
        assert!(many.check().unwrap_err().contains("180 rule sheets"));
    }

    #[test]
    fn what_is_no_number_is_told() {
        for (game, number) in [
            ("tubstap:map=ford", "komi=1-3"),
            ("sangoku:scenario=c", "komi=1-3"),
            ("hex:5x5", "komi=1-3"),
        ] {
            assert!(problem(game, &[number]).check().unwrap_err().contains("komi"), "{game}");
        }
        assert!(problem("hex:5x5", &[]).check().unwrap_err().contains("declares no numbers"));
        assert!("komi=3-1".parse::<Number>().is_err());
    }
}
