use std::borrow::Cow;
use std::sync::LazyLock;

use sakiyomi_games::sangoku::{Battle, SCENARIOS, Scenario, ScenarioError, Skirmish, War};

use super::{GameSettings, Visitor};
use crate::compiled::compiled;
use crate::fields::Value;
use crate::parameter::{Defined, Definition, Domain, Parameter, Place};
use crate::read_text;
use crate::shared_rules::SharedRules;

/// Where a battle of sangoku comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Battlefield {
    /// One of the scenarios that are always there.
    Scenario(String),
    /// A scenario in a file.
    File(String),
    /// The scenario itself, as [`Scenario::code`] writes it.
    Code(String),
}

const DEFAULT_SCENARIO: &str = "a";

const SCENARIO: Parameter<Battlefield> = Parameter::new(
    "scenario",
    Domain::Text,
    Place {
        get: |field| match field {
            Battlefield::Scenario(name) => Some(Value::Text(name.clone())),
            _ => None,
        },
        set: |field, name| {
            *field = Battlefield::Scenario(name.text().to_owned());
            Ok(())
        },
    },
    "a, b, c (the paper's), random (parameters too), field (20x20), plain (40x40)",
);

const FILE: Parameter<Battlefield> = Parameter::new(
    "file",
    Domain::Text,
    Place {
        get: |field| match field {
            Battlefield::File(path) => Some(Value::Text(path.clone())),
            _ => None,
        },
        set: |field, path| {
            *field = Battlefield::File(path.text().to_owned());
            Ok(())
        },
    },
    "a scenario of your own as TOML, such as games/sangoku/c.toml",
);

const CODE: Parameter<Battlefield> = Parameter::new(
    "code",
    Domain::Text,
    Place {
        get: |field| match field {
            Battlefield::Code(code) => Some(Value::Text(code.clone())),
            _ => None,
        },
        set: |field, code| {
            *field = Battlefield::Code(code.text().to_owned());
            Ok(())
        },
    },
    "the scenario itself in one word, as evolution writes it",
);

impl Defined for Battlefield {
    const DEFINITIONS: &'static [Definition<Battlefield>] = &[Definition {
        check: |_, said| match said {
            [] | [_] => Ok(()),
            _ => Err("only one of `scenario`, `file` and `code`".to_owned()),
        },
        ..Definition::new(
            "sangoku",
            "tactics of three against three: zones of control, recoil and five abilities",
            || Battlefield::Scenario(DEFAULT_SCENARIO.to_owned()),
            &[SCENARIO, FILE, CODE],
            "sangoku:scenario=c",
        )
    }];
}

compiled!(Skirmish, Battle, War; with players);

impl GameSettings for Battlefield {
    fn open<V: Visitor>(&self, visitor: V) -> Result<V::Out, String> {
        Ok(match self.rules()? {
            Rules::Skirmish(game) => visitor.visit(game),
            Rules::Battle(game) => visitor.visit(game),
            Rules::War(game) => visitor.visit(game),
        })
    }

    fn presets() -> Vec<String> {
        SCENARIOS.iter().map(|(name, _)| format!("sangoku:scenario={name}")).collect()
    }

    fn opponents(&self) -> Option<[&'static str; 4]> {
        Some([
            "rule-based",
            "uct:iterations=300",
            "sangoku-best:time=500ms",
            "sangoku-best:time=3s",
        ])
    }

    fn file(&self) -> Option<&str> {
        match self {
            Battlefield::File(path) => Some(path),
            _ => None,
        }
    }
}

/// What compiled scenarios may take together; beyond that those go that were not used for longest.
const MAX_COMPILED_BYTES: u64 = 64 << 20;

impl Battlefield {
    /// The rules of the scenario. Those that were compiled once are not compiled again.
    fn rules(&self) -> Result<Rules, String> {
        static KNOWN: LazyLock<SharedRules<String, Rules>> =
            LazyLock::new(|| SharedRules::new(MAX_COMPILED_BYTES));
        let text = self.text()?;
        if let Some(rules) = KNOWN.get(text.as_ref()) {
            return Ok(rules);
        }
        let rules = match self {
            Battlefield::Scenario(name) => {
                Rules::read(&text).map_err(|e| format!("{name}: {e}"))?
            }
            Battlefield::File(path) => Rules::read(&text).map_err(|e| format!("{path}: {e}"))?,
            Battlefield::Code(code) => Rules::of(&Scenario::from_code(code)?),
        };
        let n_bytes = rules.n_bytes() + text.len() as u64;
        KNOWN.put(text.into_owned(), rules.clone(), n_bytes);
        Ok(rules)
    }

    /// The scenario as it is written.
    fn text(&self) -> Result<Cow<'static, str>, String> {
        match self {
            Battlefield::Scenario(name) => {
                let known = SCENARIOS.iter().find(|(known, _)| known == name);
                known.map(|&(_, text)| text.into()).ok_or_else(|| {
                    let known: Vec<&str> = SCENARIOS.iter().map(|(name, _)| *name).collect();
                    format!("no scenario is called `{name}`; known: {}", known.join(", "))
                })
            }
            Battlefield::Code(code) => Ok(code.clone().into()),
            Battlefield::File(path) => {
                let text = read_text(path.as_ref()).map_err(|error| format!("{path}: {error}"))?;
                Ok(text.into())
            }
        }
    }
}

/// A scenario in the smallest size that holds it, which is the fastest.
#[derive(Clone, Debug)]
enum Rules {
    Skirmish(Skirmish),
    Battle(Battle),
    War(War),
}

impl Rules {
    fn read(text: &str) -> Result<Rules, ScenarioError> {
        Ok(Rules::of(&Scenario::read(text)?))
    }

    fn of(scenario: &Scenario) -> Rules {
        if let Some(game) = Skirmish::new(scenario) {
            Rules::Skirmish(game)
        } else if let Some(game) = Battle::new(scenario) {
            Rules::Battle(game)
        } else {
            Rules::War(War::new(scenario).expect("every scenario fits the largest"))
        }
    }

    fn n_bytes(&self) -> u64 {
        match self {
            Rules::Skirmish(game) => game.n_bytes(),
            Rules::Battle(game) => game.n_bytes(),
            Rules::War(game) => game.n_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn rules_are_shared_by_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.toml");
        let skirmish = |field: &Battlefield| match field.rules().unwrap() {
            Rules::Skirmish(game) => game,
            _ => panic!("this scenario has the size of the paper's"),
        };
        let named = skirmish(&Battlefield::Scenario("b".to_owned()));
        let file = Battlefield::File(path.to_str().unwrap().to_owned());
        let write = |name: &str| {
            let (_, text) = SCENARIOS.iter().find(|(known, _)| *known == name).unwrap();
            fs::write(&path, text).unwrap();
        };
        write("b");
        assert!(skirmish(&file).shares_rules_with(&named));
        write("c");
        assert!(!skirmish(&file).shares_rules_with(&named), "the file has changed");
    }
}
