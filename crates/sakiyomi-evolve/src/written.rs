//! What is found as words and as files.

use sakiyomi_catalog::GameSpec;
use sakiyomi_games::sangoku::{Scenario, Stat, Talent};
use sakiyomi_games::tubstap::{Map, write_map};

use crate::numbers::scenario_of;
use crate::{
    MapGenome, MapProblem, NumberGenome, NumberProblem, Problem, ScenarioGenome, ScenarioProblem,
};

/// A problem whose finds can be written.
pub(crate) trait Written: Problem {
    /// The word that makes the game.
    fn code(&self, genome: &Self::Genome) -> String;
    /// The ending of files, and the text of one.
    fn file(&self, genome: &Self::Genome, title: &str) -> (&'static str, String);
}

impl Written for MapProblem {
    fn code(&self, genome: &MapGenome) -> String {
        self.write(genome).map.code()
    }

    fn file(&self, genome: &MapGenome, title: &str) -> (&'static str, String) {
        let author = Some("Sakiyomi".to_owned());
        let map = Map { author, comment: Some(title.to_owned()), ..self.write(genome).map };
        ("tbsmap", write_map(&map))
    }
}

impl Written for ScenarioProblem {
    fn code(&self, genome: &ScenarioGenome) -> String {
        self.write(genome).map(|scenario| scenario.code()).unwrap_or_default()
    }

    fn file(&self, genome: &ScenarioGenome, title: &str) -> (&'static str, String) {
        ("toml", scenario_text(self.write(genome), title))
    }
}

impl Written for NumberProblem {
    fn code(&self, genome: &NumberGenome) -> String {
        match &self.game {
            GameSpec::Gdl(_) => self.text(genome),
            _ => self.write(genome).map(|game| game.to_string()).unwrap_or_default(),
        }
    }

    fn file(&self, genome: &NumberGenome, title: &str) -> (&'static str, String) {
        match self.write(genome) {
            Ok(GameSpec::Sangoku(field)) => {
                ("toml", scenario_text(scenario_of(&field.settings).ok(), title))
            }
            Ok(GameSpec::Tubstap(spec)) => {
                let map = spec
                    .settings
                    .map
                    .read()
                    .map(|map| Map { comment: Some(title.to_owned()), ..map });
                ("tbsmap", map.map(|map| write_map(&map)).unwrap_or_default())
            }
            Ok(GameSpec::Gdl(_)) => ("kif", self.rules(genome).unwrap_or_default()),
            other => ("txt", other.map(|game| game.to_string()).unwrap_or_default()),
        }
    }
}

/// A scenario as a file that sangoku reads.
fn scenario_text(scenario: Option<Scenario>, title: &str) -> String {
    let Some(it) = scenario else { return String::new() };
    let mut text = format!(
        "title = {title:?}\nwidth = {}\nheight = {}\nrounds = {}\nhit-points = {}\nmovement = {}\nattack-scale = {}\n\
         fire-scale = {}\nrecoil = {}\ncharge-hurts = {}\ndraw = {:?}\n",
        it.width,
        it.height,
        it.rounds,
        it.hit_points,
        it.movement,
        it.attack_scale,
        it.fire_scale,
        it.recoil,
        it.charge_hurts,
        it.draw
    );
    for (side, soldiers) in [("first", &it.first), ("second", &it.second)] {
        for soldier in soldiers {
            let stat = |stat: Stat| match stat {
                Stat::Given(value) => value.to_string(),
                Stat::Dealt(_) => "\"random\"".to_owned(),
            };
            let ability = match soldier.ability {
                Talent::Random => "random".to_owned(),
                Talent::Given(ability) => format!("{ability:?}").to_lowercase(),
            };
            let [attack, defence, intellect] =
                [soldier.attack, soldier.defence, soldier.intellect].map(stat);
            text += &format!(
                "\n[[{side}]]\ncell = {:?}\nattack = {attack}\ndefence = {defence}\nintellect = {intellect}\n\
                 ability = {ability:?}\n",
                soldier.cell
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_games::sangoku::SCENARIOS;

    #[test]
    fn scenarios_are_written_as_they_are_read() {
        for (name, _) in SCENARIOS {
            let scenario = Scenario::named(name).unwrap();
            let text = scenario_text(Some(scenario.clone()), &scenario.title);
            assert_eq!(Scenario::read(&text).unwrap(), scenario, "{name}");
        }
    }
}
