//! Online evolution of turns, as fields.

use sakiyomi_core::PlayoutOptions;
use sakiyomi_search::EvolutionSettings;

use crate::agent_spec::{DEFAULT_ITERATIONS, read_budget, write_budget};
use crate::fields::{Fields, Reader};
use crate::parameters::{CPU, ITERATIONS, KEEN, LIMIT, PRUNED, TIME};
use crate::{Entry, Parameter, SpecError};

const DEFAULT_POPULATION: u64 = 20;
const DEFAULT_MUTATION: f64 = 0.2;

pub(crate) const EVOLUTION: Entry = Entry {
    name: "oep",
    summary: "online evolution of the actions of a whole turn, rated by playouts",
    parameters: &[
        ITERATIONS,
        TIME,
        CPU,
        Parameter { name: "population", default: "20", meaning: "plans that compete" },
        Parameter {
            name: "mutation",
            default: "0.2",
            meaning: "probability with which an action of a new plan is drawn anew",
        },
        PRUNED,
        KEEN,
        LIMIT,
    ],
    example: "oep:cpu=50ms,keen=0.8",
};

pub(crate) fn read(reader: &mut Reader) -> Result<EvolutionSettings, SpecError> {
    let population = reader.integer("population", 2..=100_000)?.unwrap_or(DEFAULT_POPULATION);
    Ok(EvolutionSettings {
        budget: read_budget(reader, DEFAULT_ITERATIONS)?,
        population: population as usize,
        mutation: reader.number("mutation", 0.0..=1.0)?.unwrap_or(DEFAULT_MUTATION),
        playout: PlayoutOptions {
            prune: reader.flag("pruned")?,
            urgent_probability: reader.number("keen", 0.0..=1.0)?.unwrap_or(0.0),
            round_limit: reader.integer("limit", 1..=1_000)?.map(|n| n as u32),
            ..PlayoutOptions::default()
        },
    })
}

pub(crate) fn write(settings: &EvolutionSettings) -> Fields {
    let EvolutionSettings { budget, population, mutation, playout } = settings;
    write_budget(Fields::new(EVOLUTION.name), budget, DEFAULT_ITERATIONS)
        .with_unless("population", *population as u64, DEFAULT_POPULATION)
        .with_unless("mutation", *mutation, DEFAULT_MUTATION)
        .with_unless("pruned", playout.prune, false)
        .with_unless("keen", playout.urgent_probability, 0.0)
        .with_some("limit", playout.round_limit)
}
