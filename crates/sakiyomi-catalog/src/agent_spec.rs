//! Agents by name, with their parameters.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sakiyomi_core::{Agent, Budget, Hint, Playable, Player, PlayoutOptions, RestrictBy};
use sakiyomi_games::hagetaka::{Reading, StrengthPlayer};
use sakiyomi_search::{
    Bandit, Evolution, EvolutionSettings, Exact, ExactPlayer, FlatMonteCarlo, Groups, MaxN, Mcts,
    MctsSettings, RandomPlayer, SequentialUct,
};

use crate::evolution::{self, EVOLUTION};
use crate::exec::{self, Program};
use crate::fields::{Fields, LARGEST, Reader, bytes_text, spec_forms};
use crate::parameters::{
    C, CPU, EXPAND, FRESH, GRAPH, ITERATIONS, KEEN, LIMIT, MEMORY, NODES, PRUNED, TIME, TREES,
};
use crate::simultaneous::{self, DUCB1T, DUCT, EXP3, OOS, RM, SMUCT};
use crate::{Entry, GameSpec, Listed, Parameter, SpecError, load_solution};

/// Which agent, with all its parameters. The text form is `name:key=value,flag`.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentSpec {
    Random,
    Flat {
        budget: Budget,
    },
    Mcts(MctsSettings),
    /// The same search with the rules that are made for choosing at once.
    Simultaneous(MctsSettings),
    /// UCT that treats choosing at once as choosing one after the other.
    Sequential {
        c: f64,
        budget: Budget,
    },
    /// Plays the exact solution, which it reads from a file or works out.
    Exact {
        file: Option<String>,
        memory: u64,
    },
    /// The reference player of Hagetaka.
    Strength(Reading),
    MaxN {
        depth: u32,
        pruned: bool,
        budget: Budget,
    },
    /// Online evolution of whole turns.
    Evolution(EvolutionSettings),
    Exec {
        command: String,
        time: Duration,
    },
    RuleBased,
    SangokuBest {
        budget: Budget,
    },
}

/// Which seat of which match an agent is built for.
#[derive(Clone, Copy, Debug)]
pub struct Seat<'a> {
    pub game: &'a GameSpec,
    pub player: Player,
    pub seed: u64,
}

pub(crate) const DEFAULT_ITERATIONS: u64 = 1_000;
const DEFAULT_C: f64 = 1.0;
const DEFAULT_DEPTH: u32 = 4;
const DEFAULT_MARGIN: u32 = 2;

/// All agents, in the order in which they are listed.
pub const AGENTS: &[Entry] = &[
    Entry {
        name: "random",
        summary: "chooses uniformly at random",
        parameters: &[],
        example: "random",
    },
    Entry {
        name: "flat",
        summary: "flat Monte Carlo: the same number of random playouts after every action",
        parameters: &[ITERATIONS, TIME, CPU],
        example: "flat:iterations=5000",
    },
    Entry {
        name: "uct",
        summary: "Monte-Carlo tree search (UCT; DUCT where players choose at once)",
        parameters: &[
            ITERATIONS,
            TIME,
            CPU,
            C,
            Parameter { name: "tuned", default: "off", meaning: "UCB1-Tuned instead of UCB1" },
            EXPAND,
            GRAPH,
            Parameter {
                name: "solver",
                default: "off",
                meaning: "proven results are backed up (MCTS-Solver)",
            },
            PRUNED,
            Parameter {
                name: "pairs",
                default: "off",
                meaning: "no turn ends before what a move has prepared is done",
            },
            KEEN,
            LIMIT,
            Parameter {
                name: "balanced",
                default: "off",
                meaning: "tallies of two players are set off against each other",
            },
            Parameter {
                name: "horizon",
                default: "none",
                meaning: "rounds after which playouts end; worth the game's estimate",
            },
            Parameter {
                name: "groups",
                default: "none",
                meaning: "actions of a group have one arm: `one` of them, or one that is `shared`",
            },
            Parameter {
                name: "widen",
                default: "none",
                meaning: "shows arms by rank, this times the root of the visits",
            },
            Parameter {
                name: "cut",
                default: "none",
                meaning: "searches the battlefield only: a `box` found once, or the enemies' `reach`",
            },
            Parameter { name: "margin", default: "2", meaning: "cells around the box of `cut`" },
            Parameter {
                name: "bonus",
                default: "0",
                meaning: "share of a payoff that every round before the end takes away",
            },
            TREES,
            FRESH,
            NODES,
            MEMORY,
        ],
        example: "uct:iterations=10000,c=0.7,solver",
    },
    SMUCT,
    DUCT,
    DUCB1T,
    EXP3,
    RM,
    OOS,
    Entry {
        name: "sequential",
        summary: "UCT that commits first and lets those who choose at once reply one by one",
        parameters: &[ITERATIONS, TIME, CPU, C],
        example: "sequential:iterations=10000",
    },
    Entry {
        name: "exact",
        summary: "plays the exact equilibrium of a game of two",
        parameters: &[
            Parameter {
                name: "file",
                default: "none",
                meaning: "a solution that `sakiyomi solve` has saved; worked out if not given",
            },
            Parameter { name: "memory", default: "1GiB", meaning: "for what it works out itself" },
        ],
        example: "exact:file=hagetaka-7.solution",
    },
    Entry {
        name: "sp",
        summary: "plays a card as strong as the vulture card (hagetaka and goofspiel)",
        parameters: &[Parameter {
            name: "reading",
            default: "nearest",
            meaning: "of equal strength is the card `nearest` to the vulture card's magnitude, or \
                      the one with the same `rank` in the hand as it has in the deck",
        }],
        example: "sp",
    },
    Entry {
        name: "maxn",
        summary: "max^n by iterative deepening; alpha-beta where two players make it sound",
        parameters: &[
            Parameter { name: "depth", default: "4", meaning: "decisions to look ahead" },
            Parameter {
                name: "iterations",
                default: "none",
                meaning: "positions it may look at in a decision",
            },
            TIME,
            CPU,
            PRUNED,
        ],
        example: "maxn:depth=6",
    },
    EVOLUTION,
    Entry {
        name: "rule-based",
        summary: "the simple player that some games bring along",
        parameters: &[],
        example: "rule-based",
    },
    Entry {
        name: "sangoku-best",
        summary: "the strongest search for sangoku that was measured",
        parameters: &[ITERATIONS, TIME, CPU],
        example: "sangoku-best:cpu=50ms",
    },
    Entry {
        name: "exec",
        summary: "a program in any language that speaks the line protocol of docs/protocol.md",
        parameters: &[Parameter {
            name: "time",
            default: "5s",
            meaning: "wall time a decision; who takes longer loses the game",
        }],
        example: "exec:time=2s,./bot.py",
    },
];

impl AgentSpec {
    /// The agent itself, ready to play one match.
    pub fn build<G: Listed>(
        &self,
        game: &G,
        seat: &Seat<'_>,
    ) -> Result<Box<dyn Agent<G>>, SpecError> {
        game.agent(self, seat)
    }

    /// The same for any game. It pulls in every search, so only [`Listed`] may call it.
    pub(crate) fn compile<G: Playable>(
        &self,
        game: &G,
        seat: &Seat<'_>,
    ) -> Result<Box<dyn Agent<G>>, SpecError> {
        if self.prunes() && !game.provides().contains(Hint::Prune) {
            return Err(self.to_fields().error(format!(
                "`pruned` would do nothing: {} has no rule by which actions are pruned",
                seat.game
            )));
        }
        if let Some((_, word)) =
            self.asks().into_iter().find(|(hint, _)| !game.provides().contains(*hint))
        {
            return Err(self.to_fields().error(format!(
                "`{word}` would do nothing: {} does not know what it needs",
                seat.game
            )));
        }
        let restrict = self.tree_search().and_then(|settings| settings.restrict);
        if restrict.is_some_and(|by| game.restrictions().iter().all(|kind| kind.name != by.name)) {
            return Err(self.to_fields().error(format!(
                "`cut` would do nothing: {} does not know what it needs",
                seat.game
            )));
        }
        Ok(match self {
            AgentSpec::RuleBased => game.script("rule-based", None).ok_or_else(|| {
                let message = format!("{} has no rule-based player", seat.game);
                self.to_fields().error(message)
            })?,
            AgentSpec::SangokuBest { budget } => Box::new(Mcts::new(sangoku_best(*budget))),
            AgentSpec::Random => Box::new(RandomPlayer),
            AgentSpec::Flat { budget } => Box::new(FlatMonteCarlo::new(*budget)),
            AgentSpec::Mcts(settings) => Box::new(Mcts::new(*settings)),
            AgentSpec::Simultaneous(settings) => {
                if settings.endgame > 0
                    && (!Exact::suits(game) || game.turns_left(&game.start()).is_none())
                {
                    return Err(self.to_fields().error(format!(
                        "`endgame` needs two players and a game that knows how long it lasts; {} is not one",
                        seat.game
                    )));
                }
                Box::new(Mcts::new(*settings))
            }
            AgentSpec::Sequential { c, budget } => Box::new(SequentialUct::new(MctsSettings {
                bandit: Bandit::Ucb1 { c: *c },
                ..MctsSettings::new(*budget)
            })),
            AgentSpec::Exact { file, memory } => {
                if !Exact::suits(game) {
                    let message = "exact solutions need two players whose payoffs add up to 1";
                    return Err(self.to_fields().error(message));
                }
                let known = match file {
                    Some(file) => load_solution(Path::new(file), seat.game)
                        .map_err(|error| self.to_fields().error(error.to_string()))?,
                    None => Arc::default(),
                };
                Box::new(ExactPlayer::new(*memory, known))
            }
            AgentSpec::Strength(reading) => {
                let name = StrengthPlayer(*reading).script().name;
                game.script(name, None).ok_or_else(|| {
                    let message = format!("{} has no vulture cards to rank", seat.game);
                    self.to_fields().error(message)
                })?
            }
            AgentSpec::MaxN { depth, pruned, budget } => {
                Box::new(MaxN::new(*depth, *pruned, *budget))
            }
            AgentSpec::Evolution(settings) => Box::new(Evolution::new(*settings)),
            AgentSpec::Exec { command, time } => {
                Box::new(Program::new(command, *time, seat, game.players()))
            }
        })
    }

    /// What limits its thinking, if it is a search.
    pub fn budget_mut(&mut self) -> Option<&mut Budget> {
        match self {
            AgentSpec::Random
            | AgentSpec::RuleBased
            | AgentSpec::Strength(_)
            | AgentSpec::Exact { .. }
            | AgentSpec::Exec { .. } => None,
            AgentSpec::Flat { budget }
            | AgentSpec::MaxN { budget, .. }
            | AgentSpec::SangokuBest { budget }
            | AgentSpec::Sequential { budget, .. } => Some(budget),
            AgentSpec::Mcts(settings) | AgentSpec::Simultaneous(settings) => {
                Some(&mut settings.budget)
            }
            AgentSpec::Evolution(settings) => Some(&mut settings.budget),
        }
    }

    /// Whether the same seed gives the same decisions again.
    pub fn is_repeatable(&self) -> bool {
        match self {
            AgentSpec::Random
            | AgentSpec::RuleBased
            | AgentSpec::Exact { .. }
            | AgentSpec::Strength(_) => true,
            AgentSpec::Flat { budget }
            | AgentSpec::MaxN { budget, .. }
            | AgentSpec::SangokuBest { budget }
            | AgentSpec::Sequential { budget, .. } => budget.is_repeatable(),
            AgentSpec::Mcts(settings) | AgentSpec::Simultaneous(settings) => {
                settings.budget.is_repeatable()
            }
            AgentSpec::Evolution(settings) => settings.budget.is_repeatable(),
            AgentSpec::Exec { .. } => false,
        }
    }

    /// The settings of the tree search, if it is one.
    pub fn tree_search(&self) -> Option<&MctsSettings> {
        match self {
            AgentSpec::Mcts(settings) | AgentSpec::Simultaneous(settings) => Some(settings),
            _ => None,
        }
    }

    fn prunes(&self) -> bool {
        match self {
            AgentSpec::Mcts(settings) => settings.playout.prune,
            AgentSpec::MaxN { pruned, .. } => *pruned,
            AgentSpec::Evolution(settings) => settings.playout.prune,
            _ => false,
        }
    }

    /// The hints without which an option of this agent would do nothing, with its word.
    fn asks(&self) -> Vec<(Hint, &'static str)> {
        let settings = match self {
            AgentSpec::SangokuBest { budget } => sangoku_best(*budget),
            AgentSpec::Mcts(settings) => *settings,
            AgentSpec::Evolution(settings) => {
                MctsSettings { playout: settings.playout, ..MctsSettings::new(settings.budget) }
            }
            _ => return Vec::new(),
        };
        let MctsSettings { playout, groups, widen, bonus, .. } = settings;
        let asks = [
            (playout.prune_pairs, Hint::PrunePairs, "pairs"),
            (playout.urgent_probability > 0.0, Hint::Urgent, "keen"),
            (playout.round_limit.is_some(), Hint::Rounds, "limit"),
            (playout.horizon.is_some(), Hint::Rounds, "horizon"),
            (groups.is_some(), Hint::Groups, "groups"),
            (widen.is_some(), Hint::Ranks, "widen"),
            (bonus > 0.0, Hint::Rounds, "bonus"),
        ];
        asks.into_iter().filter(|ask| ask.0).map(|(_, hint, word)| (hint, word)).collect()
    }

    pub(crate) fn from_fields(fields: Fields) -> Result<AgentSpec, SpecError> {
        let name = fields.name.clone();
        let mut reader = Reader::new(fields);
        let spec = match name.as_str() {
            // Who measures strategies calls it uniform.
            "random" | "uniform" => AgentSpec::Random,
            "flat" => AgentSpec::Flat { budget: read_budget(&mut reader, DEFAULT_ITERATIONS)? },
            "uct" => AgentSpec::Mcts(read_mcts(&mut reader)?),
            "sequential" => AgentSpec::Sequential {
                budget: read_budget(&mut reader, DEFAULT_ITERATIONS)?,
                c: reader.number("c", 0.0..=1_000.0)?.unwrap_or(DEFAULT_C),
            },
            "exact" => AgentSpec::Exact {
                file: reader.text("file"),
                memory: reader.bytes("memory")?.unwrap_or(Budget::DEFAULT_MEMORY),
            },
            "sp" => AgentSpec::Strength(read_reading(&mut reader)?),
            "maxn" => AgentSpec::MaxN {
                depth: reader.integer("depth", 1..=1_000)?.unwrap_or(DEFAULT_DEPTH.into()) as u32,
                budget: read_budget(&mut reader, u64::MAX)?,
                pruned: reader.flag("pruned")?,
            },
            "oep" => AgentSpec::Evolution(evolution::read(&mut reader)?),
            "rule-based" => AgentSpec::RuleBased,
            "sangoku-best" => {
                AgentSpec::SangokuBest { budget: read_budget(&mut reader, DEFAULT_ITERATIONS)? }
            }
            exec::NAME => {
                let time = reader.duration("time")?.unwrap_or(exec::DEFAULT_TIME);
                let command = reader.text(exec::COMMAND).unwrap_or_default();
                exec::check(&command).map_err(|message| reader.fields().error(message))?;
                AgentSpec::Exec { command, time }
            }
            _ => match simultaneous::read(&name, &mut reader)? {
                Some(settings) => AgentSpec::Simultaneous(settings),
                None => return Err(reader.fields().unknown_name("agent", AGENTS)),
            },
        };
        reader.finish()?;
        Ok(spec)
    }

    pub(crate) fn to_fields(&self) -> Fields {
        match self {
            AgentSpec::Random => Fields::new("random"),
            AgentSpec::Flat { budget } => {
                write_budget(Fields::new("flat"), budget, DEFAULT_ITERATIONS)
            }
            AgentSpec::Mcts(settings) => write_mcts(settings),
            AgentSpec::Simultaneous(settings) => simultaneous::write(settings),
            AgentSpec::Sequential { c, budget } => {
                let fields = Fields::new("sequential");
                write_budget(fields, budget, DEFAULT_ITERATIONS).with_unless("c", *c, DEFAULT_C)
            }
            AgentSpec::Exact { file, memory } => {
                let limit = (*memory != Budget::DEFAULT_MEMORY).then(|| bytes_text(*memory));
                Fields::new("exact").with_some("file", file.clone()).with_some("memory", limit)
            }
            AgentSpec::Strength(reading) => {
                let rank = (*reading == Reading::Rank).then(|| "rank".to_owned());
                Fields::new("sp").with_some("reading", rank)
            }
            AgentSpec::MaxN { depth, pruned, budget } => {
                let fields = Fields::new("maxn").with_unless("depth", *depth, DEFAULT_DEPTH);
                write_budget(fields, budget, u64::MAX).with_unless("pruned", *pruned, false)
            }
            AgentSpec::Evolution(settings) => evolution::write(settings),
            AgentSpec::RuleBased => Fields::new("rule-based"),
            AgentSpec::SangokuBest { budget } => {
                write_budget(Fields::new("sangoku-best"), budget, DEFAULT_ITERATIONS)
            }
            AgentSpec::Exec { command, time } => Fields::new(exec::NAME)
                .with_unless("time", *time, exec::DEFAULT_TIME)
                .with(exec::COMMAND, command.clone()),
        }
    }
}

spec_forms!(AgentSpec);

/// Reads the limits of a search. Without any limit `default` iterations are the limit;
/// `u64::MAX` stands for none.
pub(crate) fn read_budget(reader: &mut Reader, default: u64) -> Result<Budget, SpecError> {
    let iterations = reader.integer("iterations", 1..=LARGEST)?;
    let wall = reader.duration("time")?;
    let cpu = reader.duration("cpu")?;
    let unlimited = wall.is_some() || cpu.is_some() || default == u64::MAX;
    let iterations = iterations.or((!unlimited).then_some(default));
    Ok(Budget { iterations, wall, cpu, ..Budget::iterations(0) })
}

pub(crate) fn write_budget(fields: Fields, budget: &Budget, default: u64) -> Fields {
    let unlimited = budget.wall.is_some() || budget.cpu.is_some() || default == u64::MAX;
    let implied = (!unlimited).then_some(default);
    fields
        .with_some("iterations", budget.iterations.filter(|_| budget.iterations != implied))
        .with_some("time", budget.wall)
        .with_some("cpu", budget.cpu)
}

fn read_mcts(reader: &mut Reader) -> Result<MctsSettings, SpecError> {
    let mut budget = read_budget(reader, DEFAULT_ITERATIONS)?;
    let c = reader.number("c", 0.0..=1_000.0)?.unwrap_or(DEFAULT_C);
    let tuned = reader.flag("tuned")?;
    let bandit = if tuned { Bandit::Ucb1Tuned { c } } else { Bandit::Ucb1 { c } };
    let expand = reader.integer("expand", 1..=1_000_000)?.unwrap_or(1) as u32;
    let graph = reader.flag("graph")?;
    let solver = reader.flag("solver")?;
    let playout = read_playout(reader)?;
    let groups = read_groups(reader)?;
    if solver && groups == Some(Groups::Shared) {
        return Err(reader.fields().error("nothing can be proven of actions that share an arm"));
    }
    let widen = reader.number("widen", 0.01..=1_000.0)?;
    let restrict = read_restrict(reader)?;
    let bonus = reader.number("bonus", 0.0..=0.5)?.unwrap_or(0.0);
    let trees = reader.integer("trees", 1..=256)?.unwrap_or(1) as u32;
    let fresh = reader.flag("fresh")?;
    budget.nodes = reader.integer("nodes", 1..=LARGEST)?;
    budget.memory = reader.bytes("memory")?.unwrap_or(Budget::DEFAULT_MEMORY);
    Ok(MctsSettings {
        bandit,
        expand,
        graph,
        solver,
        playout,
        groups,
        widen,
        restrict,
        bonus,
        trees,
        fresh,
        ..MctsSettings::new(budget)
    })
}

fn read_playout(reader: &mut Reader) -> Result<PlayoutOptions, SpecError> {
    Ok(PlayoutOptions {
        prune: reader.flag("pruned")?,
        prune_pairs: reader.flag("pairs")?,
        urgent_probability: reader.number("keen", 0.0..=1.0)?.unwrap_or(0.0),
        round_limit: reader.integer("limit", 1..=1_000)?.map(|n| n as u32),
        balance: reader.flag("balanced")?,
        horizon: reader.integer("horizon", 1..=1_000)?.map(|n| n as u32),
    })
}

fn read_reading(reader: &mut Reader) -> Result<Reading, SpecError> {
    match reader.text("reading").as_deref() {
        None | Some("nearest") => Ok(Reading::Nearest),
        Some("rank") => Ok(Reading::Rank),
        Some(other) => Err(reader
            .fields()
            .error(format!("`reading` must be `nearest` or `rank`, not `{other}`"))),
    }
}

fn read_groups(reader: &mut Reader) -> Result<Option<Groups>, SpecError> {
    match reader.text("groups").as_deref() {
        None => Ok(None),
        Some("one") => Ok(Some(Groups::Representative)),
        Some("shared") => Ok(Some(Groups::Shared)),
        Some(other) => {
            Err(reader.fields().error(format!("`groups` must be `one` or `shared`, not `{other}`")))
        }
    }
}

fn read_restrict(reader: &mut Reader) -> Result<Option<RestrictBy>, SpecError> {
    let margin = reader.integer("margin", 0..=100)?.unwrap_or(DEFAULT_MARGIN.into()) as u32;
    match reader.text("cut").as_deref() {
        None => Ok(None),
        Some("box") => Ok(Some(RestrictBy { name: "box", margin })),
        Some("reach") => Ok(Some(RestrictBy { name: "reach", margin })),
        Some(other) => {
            Err(reader.fields().error(format!("`cut` must be `box` or `reach`, not `{other}`")))
        }
    }
}

fn write_mcts(settings: &MctsSettings) -> Fields {
    let (c, tuned) = match settings.bandit {
        Bandit::Ucb1Tuned { c } => (c, true),
        Bandit::Ucb1 { c } | Bandit::JointUcb1 { c, .. } => (c, false),
        // No text of `uct` gives these.
        Bandit::Exp3 { .. }
        | Bandit::RegretMatching { .. }
        | Bandit::OutcomeSampling { .. }
        | Bandit::Puct { .. } => (DEFAULT_C, false),
    };
    let (playout, memory) = (settings.playout, settings.budget.memory);
    let groups = settings.groups.map(|groups| match groups {
        Groups::Representative => "one".to_owned(),
        Groups::Shared => "shared".to_owned(),
    });
    let (cut, margin) = match settings.restrict {
        None => (None, DEFAULT_MARGIN),
        // Only a box has a margin.
        Some(RestrictBy { name: "box", margin }) => (Some("box".to_owned()), margin),
        Some(RestrictBy { name, .. }) => (Some(name.to_owned()), DEFAULT_MARGIN),
    };
    write_budget(Fields::new("uct"), &settings.budget, DEFAULT_ITERATIONS)
        .with_unless("c", c, DEFAULT_C)
        .with_unless("tuned", tuned, false)
        .with_unless("expand", settings.expand, 1)
        .with_unless("graph", settings.graph, false)
        .with_unless("solver", settings.solver, false)
        .with_unless("pruned", playout.prune, false)
        .with_unless("pairs", playout.prune_pairs, false)
        .with_unless("keen", playout.urgent_probability, 0.0)
        .with_some("limit", playout.round_limit)
        .with_unless("balanced", playout.balance, false)
        .with_some("horizon", playout.horizon)
        .with_some("groups", groups)
        .with_some("widen", settings.widen)
        .with_some("cut", cut)
        .with_unless("margin", margin, DEFAULT_MARGIN)
        .with_unless("bonus", settings.bonus, 0.0)
        .with_unless("trees", settings.trees, 1)
        .with_unless("fresh", settings.fresh, false)
        .with_some("nodes", settings.budget.nodes)
        .with_some("memory", (memory != Budget::DEFAULT_MEMORY).then(|| bytes_text(memory)))
}

/// What `sangoku-best` stands for, the strongest combination that was measured: playouts that strike
/// first, arms by rank instead of pruned moves, orders of the same actions that meet, and proofs.
fn sangoku_best(budget: Budget) -> MctsSettings {
    MctsSettings {
        bandit: Bandit::Ucb1 { c: 0.3 },
        playout: PlayoutOptions { urgent_probability: 0.8, ..PlayoutOptions::default() },
        widen: Some(1.0),
        graph: true,
        solver: true,
        ..MctsSettings::new(budget)
    }
}
