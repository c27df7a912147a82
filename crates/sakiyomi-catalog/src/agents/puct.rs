//! PUCT: with random playouts, or with a network, from a file or that of the game.

use std::sync::Arc;

use rten::ThreadPool;
use sakiyomi_core::{Agent, Budget, Playable, PlayoutOptions};
use sakiyomi_search::{LeafEvaluator, PlayoutEvaluator, PuctSearch, PuctSettings};

use super::search::{
    Budgeted, DEFAULT_ITERATIONS, adjust_iterations, cpu, iterations, memory, nodes, time,
};
use super::{AgentSettings, Seat};
use crate::fields::Value;
use crate::network::{NetworkEvaluator, OnPool};
use crate::parameter::{Defined, Definition, Domain, Group, Parameter, Place, place};

#[derive(Clone, Debug, PartialEq)]
pub struct PuctSpec {
    /// Without one leaves are played out and all actions have the same prior.
    pub network: Option<NetworkSource>,
    pub settings: PuctSettings,
}

/// Where a network comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkSource {
    /// It comes with the program; see [`games_with_networks`](crate::games_with_networks).
    OfGame,
    File(String),
}

const FILE: Parameter<PuctSpec> = Parameter::new(
    "file",
    Domain::Text,
    Place {
        get: |spec| match &spec.network {
            Some(NetworkSource::File(file)) => Some(Value::Text(file.clone())),
            _ => None,
        },
        set: |spec, file| match file.text() {
            "" => Err("a file is missing; expected for example `file=four.onnx`"),
            file => {
                spec.network = Some(NetworkSource::File(file.to_owned()));
                Ok(())
            }
        },
    },
    "the network: observations in; logits of all actions and values from 0 to 1 out; without it, that of the game",
);

impl Budgeted for PuctSpec {
    fn budget(&self) -> &Budget {
        &self.settings.budget
    }

    fn budget_mut(&mut self) -> &mut Budget {
        &mut self.settings.budget
    }
}

const C: Parameter<PuctSpec> = Parameter {
    group: Group::Selection,
    ..Parameter::number("c", 0.0..=1_000.0, place!(settings.c), "weight of priors and exploration")
};
const BATCH: Parameter<PuctSpec> = Parameter {
    group: Group::Budget,
    ..Parameter::integer(
        "batch",
        1..=4_096,
        Place {
            get: |spec| Some(Value::Integer(spec.settings.batch as u64)),
            set: |spec, value| {
                if let Value::Integer(batch) = value {
                    spec.settings.batch = batch as usize;
                }
                Ok(())
            },
        },
        "leaves that are evaluated together; more is faster and searches less well",
    )
};
const TEMPERATURE: Parameter<PuctSpec> = Parameter {
    group: Group::Selection,
    ..Parameter::number(
        "temperature",
        0.0..=100.0,
        place!(settings.temperature),
        "moves are drawn in proportion to visits^(1/temperature); 0 takes the most visited",
    )
};
const REUSE: Parameter<PuctSpec> = Parameter {
    group: Group::Tree,
    ..Parameter::flag(
        "reuse",
        place!(settings.reuse),
        "keeps the tree between moves instead of starting without one at every decision",
    )
};

fn defaults() -> PuctSpec {
    let budget = Budget::iterations(DEFAULT_ITERATIONS);
    PuctSpec { network: None, settings: PuctSettings::new(budget) }
}

/// Values of a network are surer than playouts, so that priors and exploration weigh less.
fn network_defaults() -> PuctSpec {
    let settings = PuctSettings { c: 0.5, ..defaults().settings };
    PuctSpec { network: Some(NetworkSource::OfGame), settings }
}

impl Defined for PuctSpec {
    const DEFINITIONS: &'static [Definition<PuctSpec>] = &[
        Definition {
            adjust: adjust_iterations,
            ..Definition::new(
                "puct",
                "tree search by PUCT, the rule of AlphaZero, with random playouts and equal priors",
                defaults,
                &[iterations(), time(), cpu(), C, TEMPERATURE, REUSE, nodes(), memory()],
                "puct:iterations=10000,c=1.25",
            )
        },
        Definition {
            adjust: adjust_iterations,
            ..Definition::new(
                "net",
                "tree search by PUCT with a network instead of playouts: the game's own, or an ONNX file",
                network_defaults,
                &[
                    FILE,
                    iterations(),
                    time(),
                    cpu(),
                    C,
                    BATCH,
                    TEMPERATURE,
                    REUSE,
                    nodes(),
                    memory(),
                ],
                "net:file=four.onnx,iterations=200",
            )
        },
    ];
}

impl AgentSettings for PuctSpec {
    fn build<G: Playable>(&self, game: &G, seat: &Seat<'_>) -> Result<Box<dyn Agent<G>>, String> {
        let Some(network) = &self.network else {
            let evaluator = PlayoutEvaluator::new(PlayoutOptions::default());
            let evaluator: Box<dyn LeafEvaluator<G>> = Box::new(evaluator);
            return Ok(Box::new(PuctSearch::new(self.settings, evaluator)));
        };
        let pool = Arc::new(ThreadPool::with_num_threads(1));
        let evaluator: Box<dyn LeafEvaluator<G>> =
            Box::new(NetworkEvaluator::open(network, game, seat.game, &pool)?);
        Ok(Box::new(OnPool { pool, agent: PuctSearch::new(self.settings, evaluator) }))
    }

    fn budget_mut(&mut self) -> Option<&mut Budget> {
        Some(&mut self.settings.budget)
    }

    fn uses_machine(&self) -> bool {
        matches!(self.network, Some(NetworkSource::File(_)))
    }
}
