//! What a cell of an experiment is made of: numbered pieces of work, each of which depends on the
//! task and its number alone.

use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, SpecError, TableError, Visitor};
use sakiyomi_core::Stop;

use crate::behaviour::behaviour;
use crate::exploit::{Exploit, ExploitError, run_exploit};
use crate::{Pairing, Played};

/// Memory for the values of states of a measurement, in bytes.
const MEASURE_MEMORY: u64 = 4 << 30;

#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Matches of two agents.
    Matches(Pairing),
    /// Measurements of what one agent learns.
    NashConv(Learner),
}

/// One agent at one game. Run number `n` is what `sakiyomi exploit` measures with the seed plus `n`.
#[derive(Clone, Debug, PartialEq)]
pub struct Learner {
    pub game: GameSpec,
    pub agent: AgentSpec,
    /// Asks the agent afresh in every state instead of following one tree from the start.
    pub fresh: bool,
    pub seed: u64,
}

/// What came out of a range of numbers, in their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Results {
    Games(Vec<Played>),
    Values(Vec<f64>),
}

impl Default for Results {
    fn default() -> Results {
        Results::Games(Vec::new())
    }
}

impl Results {
    pub fn len(&self) -> usize {
        match self {
            Results::Games(games) => games.len(),
            Results::Values(values) => values.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The task as a store keeps it: game, first agent, second agent, seed.
pub(crate) type TaskTexts = [String; 4];

/// What stands in place of the second agent where there is none.
const NASH_CONV: &str = "nash-conv";
const NASH_CONV_FRESH: &str = "nash-conv:fresh";

impl Task {
    pub fn game(&self) -> &GameSpec {
        match self {
            Task::Matches(pairing) => &pairing.game,
            Task::NashConv(learner) => &learner.game,
        }
    }

    pub fn agents(&self) -> &[AgentSpec] {
        match self {
            Task::Matches(pairing) => &pairing.agents,
            Task::NashConv(learner) => std::slice::from_ref(&learner.agent),
        }
    }

    pub fn seed(&self) -> u64 {
        match self {
            Task::Matches(pairing) => pairing.seed,
            Task::NashConv(learner) => learner.seed,
        }
    }

    /// Numbers that belong together: the seats of a round of matches.
    pub fn round(&self) -> Result<u64, SpecError> {
        match self {
            Task::Matches(pairing) => Ok(pairing.game.players()? as u64),
            Task::NashConv(_) => Ok(1),
        }
    }

    /// The fingerprint of game and agents.
    pub fn behaviour(&self) -> Result<String, TableError> {
        behaviour(self.game(), self.agents())
    }

    pub(crate) fn texts(&self) -> TaskTexts {
        let agents = self.agents();
        let second = match self {
            Task::Matches(_) => agents[1].to_string(),
            Task::NashConv(Learner { fresh: false, .. }) => NASH_CONV.to_owned(),
            Task::NashConv(Learner { fresh: true, .. }) => NASH_CONV_FRESH.to_owned(),
        };
        [self.game().to_string(), agents[0].to_string(), second, self.seed().to_string()]
    }

    /// What the second text of an agent says: that of an opponent, or what is measured.
    pub fn second_text(&self) -> String {
        let [_, _, second, _] = self.texts();
        second
    }

    /// Reads the texts back, if this version knows their names.
    pub(crate) fn from_texts([game, first, second, seed]: &TaskTexts) -> Option<Task> {
        let (game, seed, first) = (game.parse().ok()?, seed.parse().ok()?, first.parse().ok()?);
        let learner = |fresh| Learner { game, agent: first, fresh, seed };
        Some(match second.as_str() {
            NASH_CONV => Task::NashConv(learner(false)),
            NASH_CONV_FRESH => Task::NashConv(learner(true)),
            second => {
                let Learner { game, agent, seed, .. } = learner(false);
                Task::Matches(Pairing { game, agents: [agent, second.parse().ok()?], seed })
            }
        })
    }

    /// Whether the agents can do it, before anything is begun.
    pub(crate) fn check(&self) -> Result<(), ExploitError> {
        match self {
            Task::Matches(pairing) => Ok(pairing.try_out()?),
            Task::NashConv(learner) => learner.exploit(0).check(),
        }
    }

    /// Does the numbers from `first` to `first + n`. What is stopped in the middle is worth nothing.
    pub(crate) fn run(
        &self,
        first: u64,
        n: u64,
        keep: bool,
        stop: &Stop,
    ) -> Result<Results, ExploitError> {
        match self {
            Task::Matches(pairing) => {
                let play = Play { pairing, first, n, keep, stop };
                Ok(Results::Games(pairing.game.with(play)?))
            }
            Task::NashConv(learner) => {
                let measure = |number| {
                    let report = run_exploit(&learner.exploit(number), stop, &mut |_| {})?;
                    Ok(report.last.nash_conv)
                };
                (first..first + n).map(measure).collect::<Result<_, _>>().map(Results::Values)
            }
        }
    }
}

impl Learner {
    fn exploit(&self, number: u64) -> Exploit {
        let budget = self.agent.tree_search().and_then(|settings| settings.budget.iterations);
        Exploit {
            game: self.game.clone(),
            agent: self.agent.clone(),
            checkpoints: budget.into_iter().collect(),
            fresh: self.fresh,
            seed: self.seed.wrapping_add(number),
            memory: MEASURE_MEMORY,
        }
    }
}

struct Play<'a> {
    pairing: &'a Pairing,
    first: u64,
    n: u64,
    keep: bool,
    stop: &'a Stop,
}

impl Visitor for Play<'_> {
    type Out = Vec<Played>;
    fn visit<G: CatalogGame>(self, game: G) -> Vec<Played> {
        let Play { pairing, first, n, keep, stop } = self;
        let numbers = (first..first + n).take_while(|_| !stop.requested());
        numbers.map(|number| pairing.play(&game, number, keep, stop)).collect()
    }
}
