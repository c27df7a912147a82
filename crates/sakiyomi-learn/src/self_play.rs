//! Matches of a network (Silver et al. 2017): many at once, each on a thread of its own, whose leaves are gathered
//! into one batch for all of them. The network is asked when every match that still goes on waits for it, so a batch
//! and with it every result depends on the seed alone. With an opponent the network plays against an agent
//! instead of itself.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, Seat, SpecError, Visitor};
use sakiyomi_core::{Agent, Budget, Choice, Context, Forfeit, Player, Rng, Stop, Turn};
use sakiyomi_search::{
    Evaluation, EvaluationError, LeafEvaluator, LeafPosition, LeafRows, PuctSettings, RootNoise,
    evaluations_of_rows,
};

use crate::numbers::Layout;

/// What is to be played.
#[derive(Clone, Debug)]
pub struct SelfPlay {
    pub game: GameSpec,
    pub games: u64,
    /// Matches at the same time, whose leaves share a batch.
    pub at_once: usize,
    pub simulations: u64,
    /// Leaves of one match that wait together.
    pub leaves: usize,
    pub c: f64,
    pub noise: Option<RootNoise>,
    /// In the first moves of a match the action is drawn in proportion to visits^(1 / temperature); afterwards it
    /// is the most visited one.
    pub temperature: f64,
    pub temperature_moves: u32,
    pub seed: u64,
    /// The agent of all other seats. The network takes the seats in turn, match after match.
    pub opponent: Option<AgentSpec>,
}

/// A network, asked about many positions at once.
pub trait Network {
    /// Answers `n` rows: observations one after the other, and for each the mask of its legal actions.
    fn evaluate(&mut self, rows: Rows<'_>) -> Result<Answer, NetworkError>;
}

/// What the network is asked about: one row for every choosing player of every position.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    pub n: usize,
    pub observations: &'a [f32],
    pub masks: &'a [bool],
}

/// What the network says.
#[derive(Clone, Debug)]
pub struct Answer {
    /// For each row and action a weight from 0 on; those of illegal actions are not looked at.
    pub priors: Vec<f32>,
    /// For each row what its player is going to get, or what each player is going to get, from 0 to 1.
    pub values: Vec<f32>,
}

/// Why a network gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NetworkError(pub String);

/// A match of the network.
#[derive(Clone, Debug)]
pub struct GameRecord {
    pub number: u64,
    /// The seat of the network, if it had an opponent.
    pub seat: Option<Player>,
    /// The decisions of the network.
    pub steps: Vec<Step>,
    pub payoffs: Vec<f64>,
}

/// One decision.
#[derive(Clone, Debug)]
pub struct Step {
    pub player: Player,
    pub observation: Vec<f32>,
    /// The numbers of the actions with their shares of the visits.
    pub policy: Vec<(u32, f32)>,
    pub value: f64,
}

impl Step {
    pub(crate) fn of<G: CatalogGame, S: Copy + Into<f64>>(
        game: &G,
        layout: &Layout,
        state: &G::State,
        player: Player,
        policy: &[(G::Action, S)],
        value: f64,
    ) -> Step {
        let mut observation = vec![0.0; layout.observation_len()];
        game.observe(state, player, &mut observation);
        let numbered = |&(action, share): &(G::Action, S)| {
            Some((game.action_index(state, player, action)? as u32, share.into() as f32))
        };
        let policy = policy.iter().filter_map(numbered).collect();
        Step { player, observation, policy, value }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SelfPlayError {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error("{game} has no observations for a network")]
    NoObservations { game: String },
    #[error("{game} has no numbers for its actions that mean the same in every position")]
    NoActionNumbers { game: String },
    #[error(
        "in {game} players choose at once, there are more than two, or payoffs do not add up to the same"
    )]
    NotInTurn { game: String },
    #[error(
        "{game} has another shape than {first}; expected games with the same board and the same actions"
    )]
    OtherShape { first: String, game: String },
    #[error("{what} is {found}; expected {expected}")]
    Setting { what: &'static str, found: String, expected: &'static str },
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error("match {number}: {reason}")]
    Forfeit { number: u64, reason: String },
    #[error("stopped")]
    Stopped,
}

/// Plays all matches. `progress` is told after every batch how many matches have ended.
pub fn self_play(
    settings: &SelfPlay,
    network: &mut dyn Network,
    stop: &Stop,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<GameRecord>, SelfPlayError> {
    settings.check()?;
    settings.game.with(Run { settings, network, stop, progress })?
}

impl SelfPlay {
    fn check(&self) -> Result<(), SelfPlayError> {
        let wrong =
            |what, found: String, expected| Err(SelfPlayError::Setting { what, found, expected });
        let positive = "a number from 1 on";
        if self.at_once == 0 || self.at_once > 4_096 {
            return wrong("at_once", self.at_once.to_string(), "1 to 4096");
        }
        if self.leaves == 0 {
            return wrong("leaves", "0".to_owned(), positive);
        }
        if self.simulations == 0 {
            return wrong("simulations", "0".to_owned(), positive);
        }
        if !(self.temperature.is_finite() && self.temperature >= 0.0) {
            return wrong("temperature", self.temperature.to_string(), "a number from 0 on");
        }
        Ok(())
    }

    fn puct(&self) -> PuctSettings {
        PuctSettings {
            c: self.c,
            batch: self.leaves,
            noise: self.noise,
            ..PuctSettings::new(Budget::iterations(self.simulations))
        }
    }
}

struct Run<'a> {
    settings: &'a SelfPlay,
    network: &'a mut dyn Network,
    stop: &'a Stop,
    progress: &'a mut dyn FnMut(u64),
}

/// What a thread tells: rows to be evaluated, a match that ended, or that it has no more to play.
enum Message {
    Rows { thread: usize, rows: LeafRows },
    Ended(GameRecord),
    Failed(SelfPlayError),
    Idle,
}

impl Visitor for Run<'_> {
    type Out = Result<Vec<GameRecord>, SelfPlayError>;

    fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
        let Run { settings, network, stop, progress } = self;
        let layout = Layout::of(&game);
        let name = || settings.game.to_string();
        if layout.observation.is_none() {
            return Err(SelfPlayError::NoObservations { game: name() });
        }
        if layout.is_ranked {
            return Err(SelfPlayError::NoActionNumbers { game: name() });
        }
        let n_threads = settings.at_once.min(settings.games as usize);
        let (sender, receiver) = mpsc::channel();
        let mut host = Host { layout, network, answers: Vec::new(), waiting: Vec::new() };
        thread::scope(|scope| {
            for thread in 0..n_threads {
                let (answer, answers) = mpsc::channel();
                host.answers.push(answer);
                let match_thread = MatchThread {
                    thread,
                    settings,
                    game: &game,
                    layout,
                    stop,
                    sender: sender.clone(),
                };
                let builder = thread::Builder::new().stack_size(STACK_BYTES);
                let spawned = builder.spawn_scoped(scope, move || match_thread.run(answers));
                if let Err(error) = spawned {
                    // The threads that run see that the host is gone.
                    let what = "at_once";
                    let found = format!("{n_threads} ({error})");
                    return Err(SelfPlayError::Setting { what, found, expected: "fewer threads" });
                }
            }
            drop(sender);
            host.run(n_threads, &receiver, stop, progress)
        })
    }
}

const STACK_BYTES: usize = 1 << 20;

/// Gathers the rows of all matches and asks the network.
struct Host<'a> {
    layout: Layout,
    network: &'a mut dyn Network,
    answers: Vec<Sender<Option<Answer>>>,
    waiting: Vec<(usize, LeafRows)>,
}

impl Host<'_> {
    fn run(
        mut self,
        n_threads: usize,
        receiver: &Receiver<Message>,
        stop: &Stop,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<GameRecord>, SelfPlayError> {
        let mut records = Vec::new();
        let mut n_active = n_threads;
        let mut failed = None;
        while n_active > 0 {
            let Ok(message) = receiver.recv() else { break };
            match message {
                Message::Rows { thread, rows } => self.waiting.push((thread, rows)),
                Message::Ended(record) => records.push(record),
                Message::Failed(error) => failed = failed.or(Some(error)),
                Message::Idle => n_active -= 1,
            }
            if failed.is_some() || stop.requested() {
                self.refuse();
            } else if self.waiting.len() == n_active && n_active > 0 {
                progress(records.len() as u64);
                if let Err(error) = self.evaluate() {
                    failed = Some(error.into());
                    self.refuse();
                }
            }
        }
        records.sort_by_key(|record: &GameRecord| record.number);
        match failed {
            _ if stop.requested() => Err(SelfPlayError::Stopped),
            Some(error) => Err(error),
            None => Ok(records),
        }
    }

    /// Lets all that wait end without an answer.
    fn refuse(&mut self) {
        for (thread, _) in self.waiting.drain(..) {
            // A thread that is gone needs no answer.
            let _ = self.answers[thread].send(None);
        }
    }

    fn evaluate(&mut self) -> Result<(), NetworkError> {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_by_key(|(thread, _)| *thread);
        let mut all = LeafRows::default();
        waiting.iter().for_each(|(_, rows)| all.append(rows));
        let LeafRows { n, observations, masks } = &all;
        let answer = self.network.evaluate(Rows { n: *n, observations, masks });
        let answer = answer.and_then(|answer| check_answer(&self.layout, *n, masks, answer));
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                self.waiting = waiting;
                return Err(error);
            }
        };
        let (n_actions, width) = (self.layout.n_actions, answer.values.len() / n);
        let mut row = 0;
        for (thread, rows) in waiting {
            let own = row..row + rows.n;
            let part = Answer {
                priors: answer.priors[own.start * n_actions..own.end * n_actions].to_vec(),
                values: answer.values[own.start * width..own.end * width].to_vec(),
            };
            row = own.end;
            let _ = self.answers[thread].send(Some(part));
        }
        Ok(())
    }
}

/// Whether the answer has the right size and all of its numbers can be used.
pub(crate) fn check_answer(
    layout: &Layout,
    n: usize,
    masks: &[bool],
    answer: Answer,
) -> Result<Answer, NetworkError> {
    let Layout { n_actions, n_players, is_constant_sum, .. } = *layout;
    let Answer { priors, values } = &answer;
    let wrong = |text: String| Err(NetworkError(text));
    if priors.len() != n * n_actions {
        let found = priors.len();
        return wrong(format!("{found} priors for {n} rows of {n_actions} actions"));
    }
    let is_enough = n_players == 1 || n_players == 2 && is_constant_sum;
    if values.len() != n * n_players && !(values.len() == n && is_enough) {
        let expected =
            if is_enough { "one each, or one for each player" } else { "one for each player" };
        let found = values.len();
        return wrong(format!(
            "{found} values for {n} rows and {n_players} players; expected {expected}"
        ));
    }
    let is_value = |value: &f32| (0.0..=1.0).contains(value);
    if let Some(at) = values.iter().position(|value| !is_value(value)) {
        let row = at / (values.len() / n);
        return wrong(format!("row {row}: the value is {}; expected 0 to 1", values[at]));
    }
    let is_prior = |prior: f32| prior.is_finite() && prior >= 0.0;
    for row in 0..n {
        let of_row = row * n_actions..(row + 1) * n_actions;
        let legal = priors[of_row.clone()].iter().zip(&masks[of_row]).filter(|(_, legal)| **legal);
        let mut sum = 0.0;
        for (prior, _) in legal {
            if !is_prior(*prior) {
                return wrong(format!(
                    "row {row}: a prior is {prior}; expected a number from 0 on"
                ));
            }
            sum += prior;
        }
        if sum <= 0.0 {
            return wrong(format!("row {row}: the priors of the legal actions add up to 0"));
        }
    }
    Ok(answer)
}

/// Plays every match whose number is this thread's, one after the other.
struct MatchThread<'a, G> {
    thread: usize,
    settings: &'a SelfPlay,
    game: &'a G,
    layout: Layout,
    stop: &'a Stop,
    sender: Sender<Message>,
}

impl<G: CatalogGame> MatchThread<'_, G> {
    fn run(self, answers: Receiver<Option<Answer>>) {
        let MatchThread { thread, settings, .. } = self;
        let mut remote = Remote { thread, sender: self.sender.clone(), answers };
        let step = settings.at_once.min(settings.games as usize) as u64;
        let mut number = thread as u64;
        while number < settings.games {
            let played = self.play(number, &mut remote);
            let is_over = played.is_err();
            let _ = self.sender.send(played.map_or_else(Message::Failed, Message::Ended));
            if is_over {
                break;
            }
            number += step;
        }
        let _ = self.sender.send(Message::Idle);
    }

    fn play(&self, number: u64, remote: &mut Remote) -> Result<GameRecord, SelfPlayError> {
        let MatchThread { settings, game, stop, .. } = self;
        let n_players = game.players();
        let seat = settings.opponent.as_ref().map(|_| Player((number % n_players as u64) as u8));
        let mut others = self.opponents(number, seat)?;
        let mut search = G::puct(settings.puct(), Box::new(Borrowed(remote)));
        let mut chance = Rng::stream(&[settings.seed, number, 0]);
        let mut rng = Rng::stream(&[settings.seed, number, 1]);
        let (mut state, mut steps) = (game.start(), Vec::new());
        let failed = |Forfeit { reason }| SelfPlayError::Forfeit { number, reason };
        let mut moves = 0;
        loop {
            let actions = match game.turn(&state) {
                Turn::Over(payoffs) => {
                    let payoffs = payoffs.as_slice(n_players).to_vec();
                    return Ok(GameRecord { number, seat, steps, payoffs });
                }
                Turn::Chance => vec![game.sample(&state, &mut Vec::new(), &mut chance)],
                Turn::Choose(who) => {
                    let mut joint = Vec::with_capacity(who.len());
                    for player in who {
                        let mut context = Context { rng: &mut rng, stop };
                        let choice = match &mut others[player.index()] {
                            Some(agent) => agent.choose(*game, &state, player, &mut context),
                            None => search.choose(*game, &state, player, &mut context),
                        };
                        let choice = choice.map_err(failed)?;
                        let action = match others[player.index()] {
                            Some(_) => choice.action,
                            None => {
                                let value = choice.value.unwrap_or(0.5);
                                let policy = &choice.policy;
                                let layout = &self.layout;
                                steps.push(Step::of(*game, layout, &state, player, policy, value));
                                self.draw(&choice, moves, &mut rng)
                            }
                        };
                        joint.push(action);
                    }
                    moves += 1;
                    joint
                }
            };
            search.observe(*game, &state, &actions);
            for agent in others.iter_mut().flatten() {
                agent.observe(*game, &state, &actions);
            }
            game.apply(&mut state, &actions);
        }
    }

    /// The agents of the seats that are not the network's.
    fn opponents(&self, number: u64, seat: Option<Player>) -> Result<Opponents<G>, SpecError> {
        let SelfPlay { game: spec, opponent, seed, .. } = self.settings;
        let players = (0..self.game.players()).map(|i| Player(i as u8));
        let build = |player| match opponent {
            Some(agent) if Some(player) != seat => {
                let seed = seed.wrapping_add(number);
                agent.build(self.game, &Seat { game: spec, player, seed }).map(Some)
            }
            _ => Ok(None),
        };
        players.map(build).collect()
    }

    fn draw(&self, choice: &Choice<G::Action>, moves: u32, rng: &mut Rng) -> G::Action {
        let SelfPlay { temperature, temperature_moves, .. } = *self.settings;
        if moves >= temperature_moves || temperature <= 0.0 {
            return choice.action;
        }
        let weights: Vec<f64> =
            choice.policy.iter().map(|(_, share)| share.powf(1.0 / temperature)).collect();
        let sum: f64 = weights.iter().sum();
        choice.policy[rng.weighted(weights.iter().map(|weight| weight / sum))].0
    }
}

/// The agents of all seats; none where the network sits.
type Opponents<G> = Vec<Option<Box<dyn Agent<G>>>>;

/// Hands leaves to the host and waits for its answer.
#[derive(Debug)]
struct Remote {
    thread: usize,
    sender: Sender<Message>,
    answers: Receiver<Option<Answer>>,
}

/// What a search of one match holds of it.
struct Borrowed<'a>(&'a mut Remote);

impl<G: CatalogGame> LeafEvaluator<G> for Borrowed<'_> {
    fn evaluate(
        &mut self,
        game: &G,
        leaves: &[LeafPosition<'_, G>],
        _rng: &mut Rng,
    ) -> Result<Vec<Evaluation>, EvaluationError> {
        let rows = LeafRows::of(game, leaves);
        let _ = self.0.sender.send(Message::Rows { thread: self.0.thread, rows });
        match self.0.answers.recv() {
            Ok(Some(Answer { priors, values })) => {
                Ok(evaluations_of_rows(game, leaves, &priors, &values))
            }
            _ => Err(EvaluationError::Failed("the network gave no answer".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests;
