use sakiyomi_games::sangoku::{Battle, SCENARIOS, Scenario, Skirmish, War};

use super::{GameSettings, Visitor};
use crate::compiled::compiled;
use crate::fields::Value;
use crate::parameter::{Defined, Definition, Domain, Parameter, Place};
use crate::read_text;

/// Where a battle of sangoku comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Battlefield {
    /// One of the scenarios that are always there.
    Scenario(String),
    /// A scenario in a file.
    File(String),
}

const DEFAULT_SCENARIO: &str = "a";

const SCENARIO: Parameter<Battlefield> = Parameter::new(
    "scenario",
    Domain::Text,
    Place {
        get: |field| match field {
            Battlefield::Scenario(name) => Some(Value::Text(name.clone())),
            Battlefield::File(_) => None,
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
            Battlefield::Scenario(_) => None,
        },
        set: |field, path| {
            *field = Battlefield::File(path.text().to_owned());
            Ok(())
        },
    },
    "a scenario of your own as TOML, such as games/sangoku/c.toml",
);

impl Defined for Battlefield {
    const DEFINITIONS: &'static [Definition<Battlefield>] = &[Definition {
        check: |_, said| match said {
            [_, _] => Err("either `scenario` or `file`, not both".to_owned()),
            _ => Ok(()),
        },
        ..Definition::new(
            "sangoku",
            "tactics of three against three: zones of control, recoil and five abilities",
            || Battlefield::Scenario(DEFAULT_SCENARIO.to_owned()),
            &[SCENARIO, FILE],
            "sangoku:scenario=c",
        )
    }];
}

compiled!(Skirmish, Battle, War);

impl GameSettings for Battlefield {
    fn open<V: Visitor>(&self, visitor: V) -> Result<V::Out, String> {
        let scenario = self.scenario()?;
        // The smallest size that holds the scenario is the fastest.
        Ok(if let Some(game) = Skirmish::new(&scenario) {
            visitor.visit(game)
        } else if let Some(game) = Battle::new(&scenario) {
            visitor.visit(game)
        } else {
            visitor.visit(War::new(&scenario).expect("every scenario fits the largest"))
        })
    }

    fn presets() -> Vec<String> {
        SCENARIOS.iter().map(|(name, _)| format!("sangoku:scenario={name}")).collect()
    }

    fn file(&self) -> Option<&str> {
        match self {
            Battlefield::File(path) => Some(path),
            Battlefield::Scenario(_) => None,
        }
    }
}

impl Battlefield {
    fn scenario(&self) -> Result<Scenario, String> {
        match self {
            Battlefield::Scenario(name) => Scenario::named(name).ok_or_else(|| {
                let known: Vec<&str> = SCENARIOS.iter().map(|(name, _)| *name).collect();
                format!("no scenario is called `{name}`; known: {}", known.join(", "))
            }),
            Battlefield::File(path) => {
                let text = read_text(path.as_ref()).map_err(|e| format!("{path}: {e}"))?;
                Scenario::read(&text).map_err(|error| format!("{path}: {error}"))
            }
        }
    }
}
