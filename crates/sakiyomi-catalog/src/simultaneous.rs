//! Agents for games in which players choose at once, as fields. All are the one tree search with
//! another rule at the nodes; their defaults are those of Lanctot, Lisý and Winands (2013) and, for
//! outcome sampling, of Bošanský et al. (2016).

use sakiyomi_core::Budget;
use sakiyomi_search::{Answer, Bandit, MctsSettings};

use crate::agent_spec::{DEFAULT_ITERATIONS, read_budget, write_budget};
use crate::fields::{Fields, LARGEST, Reader, bytes_text};
use crate::parameters::{C, of_tree};
use crate::{Entry, Parameter, SpecError};

const ENDGAME: Parameter = Parameter {
    name: "endgame",
    default: "0",
    meaning: "solves the last turns of two players exactly, from so many on",
};
const MIX: Parameter = Parameter {
    name: "mix",
    default: "off",
    meaning: "draws its move from the shares of visits instead of taking the most visited",
};
const STRICT: Parameter = Parameter {
    name: "strict",
    default: "off",
    meaning: "takes the highest score instead of drawing among those within 0.01 of it",
};
const ORDERED: Parameter = Parameter {
    name: "ordered",
    default: "off",
    meaning: "tries actions in the order in which the game lists them instead of a drawn order",
};
const TRIED: Parameter = Parameter {
    name: "tried",
    default: "off",
    meaning: "adds up over the joint actions tried so far instead of trying each of them first",
};
const PAYOFF: Parameter = Parameter {
    name: "payoff",
    default: "off",
    meaning: "backs up the payoff itself (Lanctot et al. 2013) instead of the strategy's value",
};
const PLUS: Parameter =
    Parameter { name: "plus", default: "off", meaning: "regrets never fall below 0 (RM+)" };
const EXPLORE: Parameter =
    Parameter { name: "explore", default: "0.2", meaning: "share of uniformly random picks" };

pub(crate) const SMUCT: Entry = Entry {
    name: "smuct",
    summary: "SM-UCT: every action scores the sum of UCB1 over its joint actions",
    parameters: &of_tree::<14>(&[
        Parameter { default: "1.5", ..C },
        TRIED,
        STRICT,
        ORDERED,
        ENDGAME,
    ]),
    example: "smuct:iterations=10000",
};
pub(crate) const DUCT: Entry = Entry {
    name: "duct",
    summary: "decoupled UCT: every player maximises UCB1 by itself",
    parameters: &of_tree::<14>(&[Parameter { default: "1.5", ..C }, MIX, STRICT, ORDERED, ENDGAME]),
    example: "duct:iterations=10000,mix",
};
pub(crate) const DUCB1T: Entry = Entry {
    name: "ducb1t",
    summary: "decoupled UCB1-Tuned",
    parameters: &of_tree::<14>(&[C, MIX, STRICT, ORDERED, ENDGAME]),
    example: "ducb1t:iterations=10000",
};
pub(crate) const EXP3: Entry = Entry {
    name: "exp3",
    summary: "Exp3 for every player; draws its move from the shares of visits",
    parameters: &of_tree::<11>(&[EXPLORE, ENDGAME]),
    example: "exp3:iterations=10000,explore=0.1",
};
pub(crate) const RM: Entry = Entry {
    name: "rm",
    summary: "regret matching for every player; draws its move from the average strategy",
    parameters: &of_tree::<12>(&[Parameter { default: "0.025", ..EXPLORE }, PLUS, ENDGAME]),
    example: "rm:iterations=10000,endgame=5",
};
pub(crate) const OOS: Entry = Entry {
    name: "oos",
    summary: "online outcome sampling; draws its move from the average strategy",
    parameters: &of_tree::<12>(&[Parameter { default: "0.6", ..EXPLORE }, PAYOFF, ENDGAME]),
    example: "oos:iterations=10000",
};

/// The settings of the agent of this name, if it is one of these.
pub(crate) fn read(name: &str, reader: &mut Reader) -> Result<Option<MctsSettings>, SpecError> {
    if default_bandit(name).is_none() {
        return Ok(None);
    }
    let mut budget = read_budget(reader, DEFAULT_ITERATIONS)?;
    let mut answer = Answer::Mix;
    let (mut strict, mut ordered) = (false, false);
    let bandit = match default_bandit(name) {
        Some(Bandit::Ucb1 { c }) => {
            let c = reader.number("c", 0.0..=1_000.0)?.unwrap_or(c);
            answer = if reader.flag("mix")? { Answer::Mix } else { Answer::Max };
            (strict, ordered) = (reader.flag("strict")?, reader.flag("ordered")?);
            Bandit::Ucb1 { c }
        }
        Some(Bandit::Ucb1Tuned { c }) => {
            let c = reader.number("c", 0.0..=1_000.0)?.unwrap_or(c);
            answer = if reader.flag("mix")? { Answer::Mix } else { Answer::Max };
            (strict, ordered) = (reader.flag("strict")?, reader.flag("ordered")?);
            Bandit::Ucb1Tuned { c }
        }
        Some(Bandit::JointUcb1 { c, .. }) => {
            answer = Answer::Max;
            (strict, ordered) = (reader.flag("strict")?, reader.flag("ordered")?);
            Bandit::JointUcb1 {
                c: reader.number("c", 0.0..=1_000.0)?.unwrap_or(c),
                tried: reader.flag("tried")?,
            }
        }
        Some(Bandit::Exp3 { explore }) => {
            Bandit::Exp3 { explore: reader.number("explore", 0.000_001..=1.0)?.unwrap_or(explore) }
        }
        Some(Bandit::RegretMatching { explore, .. }) => Bandit::RegretMatching {
            explore: reader.number("explore", 0.0..=1.0)?.unwrap_or(explore),
            plus: reader.flag("plus")?,
        },
        Some(Bandit::OutcomeSampling { explore, .. }) => Bandit::OutcomeSampling {
            explore: reader.number("explore", 0.000_001..=1.0)?.unwrap_or(explore),
            payoff: reader.flag("payoff")?,
        },
        None => return Ok(None),
    };
    let expand = reader.integer("expand", 1..=1_000_000)?.unwrap_or(1) as u32;
    let trees = reader.integer("trees", 1..=256)?.unwrap_or(1) as u32;
    let graph = reader.flag("graph")?;
    let fresh = reader.flag("fresh")?;
    budget.nodes = reader.integer("nodes", 1..=LARGEST)?;
    budget.memory = reader.bytes("memory")?.unwrap_or(Budget::DEFAULT_MEMORY);
    let endgame = reader.integer("endgame", 0..=20)?.unwrap_or(0) as u32;
    let settings = MctsSettings {
        bandit,
        answer,
        strict,
        ordered,
        expand,
        graph,
        trees,
        fresh,
        endgame,
        ..MctsSettings::new(budget)
    };
    Ok(Some(settings))
}

pub(crate) fn write(settings: &MctsSettings) -> Fields {
    let MctsSettings {
        bandit,
        answer,
        strict,
        ordered,
        budget,
        expand,
        graph,
        trees,
        fresh,
        endgame,
        ..
    } = settings;
    let name = name_of(*bandit);
    let fields = write_budget(Fields::new(name), budget, DEFAULT_ITERATIONS);
    let fields = match (*bandit, default_bandit(name)) {
        (Bandit::Ucb1 { c }, Some(Bandit::Ucb1 { c: usual }))
        | (Bandit::Ucb1Tuned { c }, Some(Bandit::Ucb1Tuned { c: usual })) => fields
            .with_unless("c", c, usual)
            .with_unless("mix", *answer == Answer::Mix, false)
            .with_unless("strict", *strict, false)
            .with_unless("ordered", *ordered, false),
        (Bandit::JointUcb1 { c, tried }, Some(Bandit::JointUcb1 { c: usual, .. })) => fields
            .with_unless("c", c, usual)
            .with_unless("tried", tried, false)
            .with_unless("strict", *strict, false)
            .with_unless("ordered", *ordered, false),
        (Bandit::Exp3 { explore }, Some(Bandit::Exp3 { explore: usual })) => {
            fields.with_unless("explore", explore, usual)
        }
        (
            Bandit::OutcomeSampling { explore, payoff },
            Some(Bandit::OutcomeSampling { explore: usual, .. }),
        ) => fields.with_unless("explore", explore, usual).with_unless("payoff", payoff, false),
        (
            Bandit::RegretMatching { explore, plus },
            Some(Bandit::RegretMatching { explore: usual, .. }),
        ) => fields.with_unless("explore", explore, usual).with_unless("plus", plus, false),
        _ => fields,
    };
    fields
        .with_unless("expand", *expand, 1)
        .with_unless("graph", *graph, false)
        .with_unless("trees", *trees, 1)
        .with_unless("fresh", *fresh, false)
        .with_some("nodes", budget.nodes)
        .with_some(
            "memory",
            (budget.memory != Budget::DEFAULT_MEMORY).then(|| bytes_text(budget.memory)),
        )
        .with_unless("endgame", *endgame, 0)
}

fn name_of(bandit: Bandit) -> &'static str {
    match bandit {
        Bandit::Ucb1 { .. } => DUCT.name,
        Bandit::Ucb1Tuned { .. } => DUCB1T.name,
        Bandit::JointUcb1 { .. } => SMUCT.name,
        Bandit::Exp3 { .. } => EXP3.name,
        Bandit::RegretMatching { .. } => RM.name,
        Bandit::OutcomeSampling { .. } => OOS.name,
        // No text of these agents gives it.
        Bandit::Puct { .. } => "puct",
    }
}

fn default_bandit(name: &str) -> Option<Bandit> {
    let bandits = [
        Bandit::Ucb1 { c: 1.5 },
        Bandit::Ucb1Tuned { c: 1.0 },
        Bandit::JointUcb1 { c: 1.5, tried: false },
        Bandit::Exp3 { explore: 0.2 },
        Bandit::RegretMatching { explore: 0.025, plus: false },
        Bandit::OutcomeSampling { explore: 0.6, payoff: false },
    ];
    bandits.into_iter().find(|&bandit| name_of(bandit) == name)
}
