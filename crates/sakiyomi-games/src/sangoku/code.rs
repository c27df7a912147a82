//! A scenario in one word, so that a match needs no file: size, constants, then the pieces of both sides, such as
//! `7x6-10-1000-4-1200-600-3-hurts-0.5-a2.50.50.50.fire_..-g5.50.50.50.random_..`. A piece is its cell, attack, defence, intellect and
//! ability; `r` stands for a number that is dealt.

use super::{Ability, Random, Scenario, Soldier, Stat, Talent};

const NAMES: [&str; 5] = ["sprint", "fire", "valour", "charge", "confuse"];
const RANDOM: &str = "random";
const HURTS: [&str; 2] = ["harmless", "hurts"];

impl Scenario {
    /// The scenario in one word; the title is left out.
    pub fn code(&self) -> String {
        let side = |soldiers: &[Soldier]| {
            let soldiers: Vec<String> = soldiers.iter().map(soldier_text).collect();
            soldiers.join("_")
        };
        format!(
            "{}x{}-{}-{}-{}-{}-{}-{}-{}-{}-{}-{}",
            self.width,
            self.height,
            self.rounds,
            self.hit_points,
            self.movement,
            self.attack_scale,
            self.fire_scale,
            self.recoil,
            HURTS[usize::from(self.charge_hurts)],
            self.draw,
            side(&self.first),
            side(&self.second)
        )
    }

    /// Reads and checks what [`Scenario::code`] writes, or says what is wrong with it.
    pub fn from_code(code: &str) -> Result<Scenario, String> {
        let parts: Vec<&str> = code.split('-').collect();
        let &[size, rounds, hit_points, movement, attack, fire, recoil, hurts, draw, first, second] =
            parts.as_slice()
        else {
            return Err(format!("{} parts between `-`; expected 11", parts.len()));
        };
        let (width, height) = size.split_once('x').ok_or("a size such as 7x6 is missing")?;
        let scenario = Scenario {
            title: String::new(),
            width: number("width", width)?,
            height: number("height", height)?,
            rounds: number("rounds", rounds)?,
            hit_points: number("hit-points", hit_points)?,
            movement: number("movement", movement)?,
            attack_scale: number("attack-scale", attack)?,
            fire_scale: number("fire-scale", fire)?,
            recoil: number("recoil", recoil)?,
            charge_hurts: match HURTS.iter().position(|&word| word == hurts) {
                Some(at) => at == 1,
                None => return Err(format!("`{hurts}` instead of `harmless` or `hurts`")),
            },
            draw: number("draw", draw)?,
            first: first.split('_').map(read_soldier).collect::<Result<_, _>>()?,
            second: second.split('_').map(read_soldier).collect::<Result<_, _>>()?,
        };
        scenario.check().map_err(|error| error.to_string())?;
        Ok(scenario)
    }
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is no number for `{name}`"))
}

fn soldier_text(soldier: &Soldier) -> String {
    let stat = |stat: Stat| match stat {
        Stat::Given(value) => value.to_string(),
        Stat::Dealt(Random::Random) => "r".to_owned(),
    };
    let ability = match soldier.ability {
        Talent::Random => RANDOM,
        Talent::Given(ability) => NAMES[ability as usize],
    };
    let [attack, defence, intellect] =
        [soldier.attack, soldier.defence, soldier.intellect].map(stat);
    format!("{}.{attack}.{defence}.{intellect}.{ability}", soldier.cell)
}

fn read_soldier(text: &str) -> Result<Soldier, String> {
    let parts: Vec<&str> = text.split('.').collect();
    let &[cell, attack, defence, intellect, ability] = parts.as_slice() else {
        return Err(format!("`{text}` is no piece; expected one such as a2.50.50.50.fire"));
    };
    let stat = |text: &str| match text {
        "r" => Ok(Stat::Dealt(Random::Random)),
        text => number("stat", text).map(Stat::Given),
    };
    let known = NAMES.iter().position(|&name| name == ability);
    Ok(Soldier {
        cell: cell.to_owned(),
        attack: stat(attack)?,
        defence: stat(defence)?,
        intellect: stat(intellect)?,
        ability: match known {
            Some(at) => Talent::Given(Ability::ALL[at]),
            None if ability == RANDOM => Talent::Random,
            None => {
                let known = NAMES.join(", ");
                return Err(format!("`{ability}` is no ability; known: {known}, {RANDOM}"));
            }
        },
    })
}

#[cfg(test)]
mod tests {
    use super::super::SCENARIOS;
    use super::*;

    #[test]
    fn every_scenario_is_one_word() {
        for (name, _) in SCENARIOS {
            let scenario = Scenario::named(name).unwrap();
            let code = scenario.code();
            assert!(!code.contains([',', '=', ':', ' ']), "{code}");
            let read = Scenario::from_code(&code).unwrap();
            assert_eq!(Scenario { title: scenario.title.clone(), ..read }, scenario, "{name}");
        }
    }

    #[test]
    fn wrong_codes_say_what_is_wrong() {
        let code = Scenario::named("c").unwrap().code();
        for (from, to, part) in [
            ("7x6", "76", "such as 7x6"),
            ("-hurts-", "-hurt-", "`hurt`"),
            ("-0.5-", "-", "expected 11"),
            ("-0.5-", "-0.7-", "`draw` is 0.7"),
            (".fire", ".ice", "`ice` is no ability"),
            ("-1000-", "-x-", "`hit-points`"),
        ] {
            assert!(code.contains(from), "{code}");
            let error = Scenario::from_code(&code.replacen(from, to, 1)).unwrap_err();
            assert!(error.contains(part), "`{part}` is not in: {error}");
        }
    }
}
