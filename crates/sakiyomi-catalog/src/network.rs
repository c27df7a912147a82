//! Networks in ONNX as evaluators of leaves, run by the `rten` crate, which is Rust all through.
//!
//! A network takes observations (rows, planes, rows of the board, columns) and has two outputs: the logits of all
//! actions (rows, actions), and what the player who observes is going to get, from 0 to 1 (rows) or (rows, 1), or what each
//! player is going to get (rows, players). Priors are the softmax of the logits of the legal actions.

use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use rten::{Dimension, Model, NodeId, RunOptions, ThreadPool, Value, ValueOrView, ValueView};
use sakiyomi_core::{
    Agent, Choice, Context, Forfeit, Game, Insight, ObservationShape, Playable, Player, Rng,
};
use sakiyomi_search::{
    Evaluation, EvaluationError, LeafEvaluator, LeafPosition, LeafRows, evaluations_of_rows,
    one_value_is_enough,
};

use crate::GameSpec;
use crate::agents::NetworkSource;
use crate::files::read_bytes;
use crate::onnx_lengths::check_lengths;
use crate::shipped_networks::{games_with_networks, shipped_network};

/// The largest file that is read as a network.
const MAX_NETWORK_BYTES: u64 = 1 << 30;
/// Networks that are kept, since an agent is built for every match.
const MAX_KEPT: usize = 4;

/// A network for games of one shape.
pub(crate) struct Network {
    model: Model,
    input: NodeId,
    outputs: [NodeId; 2],
    /// Whether it takes one row at a time only.
    is_single: bool,
}

/// What a network has to fit.
#[derive(Clone, Copy)]
struct Fit {
    observation: ObservationShape,
    n_actions: usize,
    n_players: usize,
    one_value_is_enough: bool,
}

/// An evaluator that asks a network. It runs on the thread that calls it if that is the pool's.
pub(crate) struct NetworkEvaluator {
    network: Arc<Network>,
    fit: Fit,
    pool: Arc<ThreadPool>,
}

impl NetworkEvaluator {
    /// Reads the network and tries the network on a row of zeros, so that one that does not fit the game is refused
    /// before the first match. `pool` has one thread.
    pub(crate) fn open<G: Playable>(
        source: &NetworkSource,
        game: &G,
        spec: &GameSpec,
        pool: &Arc<ThreadPool>,
    ) -> Result<NetworkEvaluator, String> {
        let observation = game.observation_shape().filter(|shape| !shape.is_empty());
        let observation = observation.ok_or("the game has no observations for a network")?;
        let n_actions = game.n_action_indices();
        if n_actions == 0 {
            return Err("the game has no numbers for its actions that mean the same in every \
                        position, which a network needs"
                .to_owned());
        }
        let fit = Fit {
            observation,
            n_actions,
            n_players: game.players(),
            one_value_is_enough: one_value_is_enough(game),
        };
        let (network, name) = match source {
            NetworkSource::File(file) => (load(file), file.clone()),
            NetworkSource::OfGame => (load_shipped(spec), format!("the network of {spec}")),
        };
        let network = network.map_err(|error| format!("{name}: {error}"))?;
        let evaluator = NetworkEvaluator { network, fit, pool: Arc::clone(pool) };
        let zeros = vec![0.0; observation.len()];
        let tried = evaluator.network.check_input(&fit).and_then(|()| evaluator.run(1, &zeros));
        tried.map_err(|error| format!("{name}: {error}"))?;
        Ok(evaluator)
    }

    /// Logits and values of some rows.
    fn run(&self, n: usize, observations: &[f32]) -> Result<(Vec<f32>, Vec<f32>), String> {
        if n <= 1 || !self.network.is_single {
            return self.run_together(n, observations);
        }
        let (mut logits, mut values) = (Vec::new(), Vec::new());
        for row in observations.chunks(self.fit.observation.len()) {
            let (of_row, value) = self.run_together(1, row)?;
            logits.extend(of_row);
            values.extend(value);
        }
        Ok((logits, values))
    }

    fn run_together(&self, n: usize, observations: &[f32]) -> Result<(Vec<f32>, Vec<f32>), String> {
        let Network { model, input, outputs, .. } = &*self.network;
        let ObservationShape { planes, rows, columns } = self.fit.observation;
        let view = ValueView::from_shape([n, planes, rows, columns], observations);
        let view = view.map_err(|error| format!("the observations do not fit: {error}"))?;
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.pool)));
        let answer = model.run_n(vec![(*input, ValueOrView::from(view))], *outputs, Some(options));
        let [logits, values] =
            answer.map_err(|error| format!("the network does not run: {error}"))?;
        let (shape, logits) = numbers(logits, "first")?;
        let n_actions = self.fit.n_actions;
        if shape != [n, n_actions] {
            return Err(format!(
                "its first output, the logits, has the shape {shape:?} for {n} rows; expected [{n}, {n_actions}]"
            ));
        }
        let (shape, values) = numbers(values, "second")?;
        self.check_values(n, &shape)?;
        Ok((logits, values))
    }

    fn check_values(&self, n: usize, shape: &[usize]) -> Result<(), String> {
        let Fit { n_players, one_value_is_enough, .. } = self.fit;
        let is_one = shape == [n] || shape == [n, 1];
        if shape == [n, n_players] || is_one && one_value_is_enough {
            return Ok(());
        }
        let one = if one_value_is_enough { format!("[{n}] or ") } else { String::new() };
        Err(format!(
            "its second output, the values, has the shape {shape:?} for {n} rows; expected {one}[{n}, {n_players}]"
        ))
    }
}

impl<G: Playable> LeafEvaluator<G> for NetworkEvaluator {
    fn evaluate(
        &mut self,
        game: &G,
        leaves: &[LeafPosition<'_, G>],
        _rng: &mut Rng,
    ) -> Result<Vec<Evaluation>, EvaluationError> {
        let LeafRows { n, observations, masks } = LeafRows::of(game, leaves);
        let (mut logits, values) = self.run(n, &observations).map_err(EvaluationError::Failed)?;
        for (row, mask) in
            logits.chunks_mut(self.fit.n_actions).zip(masks.chunks(self.fit.n_actions))
        {
            soften(row, mask);
        }
        Ok(evaluations_of_rows(game, leaves, &logits, &values))
    }
}

/// Makes priors of the logits of the legal actions. What is not a number stays none, so that the search refuses it.
fn soften(logits: &mut [f32], legal: &[bool]) {
    let of_legal = logits.iter().zip(legal).filter(|(_, legal)| **legal);
    let largest = of_legal.map(|(logit, _)| *logit).fold(f32::NEG_INFINITY, f32::max);
    for (logit, _) in logits.iter_mut().zip(legal).filter(|(_, legal)| **legal) {
        *logit = (*logit - largest).exp();
    }
}

/// The shape and the numbers of an output.
fn numbers(value: Value, which: &str) -> Result<(Vec<usize>, Vec<f32>), String> {
    use rten_tensor::prelude::*;
    let tensor = value.into_tensor::<f32>();
    let tensor =
        tensor.ok_or_else(|| format!("its {which} output has no floating-point numbers"))?;
    Ok((tensor.shape().to_vec(), tensor.into_data()))
}

impl Network {
    fn read(path: &Path) -> Result<Network, String> {
        Network::parse(read_bytes(path, MAX_NETWORK_BYTES).map_err(|error| error.to_string())?)
    }

    fn parse(bytes: Vec<u8>) -> Result<Network, String> {
        let unreadable =
            |error: &dyn fmt::Display| format!("is no network in ONNX that can be read: {error}");
        check_lengths(&bytes).map_err(|problem| unreadable(&format!("it {problem}")))?;
        let model = Model::load(bytes).map_err(|error| unreadable(&error))?;
        let (inputs, outputs) = (model.input_ids(), model.output_ids());
        let (&[input], &[logits, values]) = (inputs, outputs) else {
            return Err(format!(
                "has {} inputs and {} outputs; expected 1 input, the observations, and 2 outputs, \
                 logits and values",
                inputs.len(),
                outputs.len()
            ));
        };
        let is_single = model
            .input_shape(0)
            .is_some_and(|shape| matches!(shape.first(), Some(Dimension::Fixed(1))));
        Ok(Network { model, input, outputs: [logits, values], is_single })
    }

    /// Whether what the file says of its input fits the observations.
    fn check_input(&self, fit: &Fit) -> Result<(), String> {
        let Some(shape) = self.model.input_shape(0) else { return Ok(()) };
        let ObservationShape { planes, rows, columns } = fit.observation;
        let fits = |(found, wanted): (&Dimension, usize)| match found {
            Dimension::Fixed(found) => *found == wanted,
            Dimension::Symbolic(_) => true,
        };
        let is_right = shape.len() == 4
            && shape[1..].iter().zip([planes, rows, columns]).all(fits)
            && (self.is_single || matches!(shape[0], Dimension::Symbolic(_)));
        if is_right {
            return Ok(());
        }
        let text = |dimension: &Dimension| match dimension {
            Dimension::Fixed(n) => n.to_string(),
            Dimension::Symbolic(name) => name.clone(),
        };
        let found: Vec<String> = shape.iter().map(text).collect();
        Err(format!(
            "takes observations of the shape [{}]; those of this game are [n, {planes}, {rows}, {columns}], with n \
             for any number of rows or 1",
            found.join(", ")
        ))
    }
}

/// What keeps these bytes from being a network for any game at all.
pub fn check_network(bytes: &[u8]) -> Result<(), String> {
    Network::parse(bytes.to_vec()).map(drop)
}

/// Which file it was: its path, when it was changed, and its length.
type Mark = (String, Option<SystemTime>, u64);

/// The network of a file. A file that has changed is read again.
fn load(file: &str) -> Result<Arc<Network>, String> {
    static KEPT: Mutex<Vec<(Mark, Arc<Network>)>> = Mutex::new(Vec::new());
    let found = fs::metadata(file).map_err(|error| error.to_string())?;
    let mark = (file.to_owned(), found.modified().ok(), found.len());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, network)) = kept.iter().find(|(known, _)| *known == mark) {
        return Ok(Arc::clone(network));
    }
    let network = Arc::new(Network::read(Path::new(file))?);
    kept.retain(|((known, ..), _)| known != file);
    if kept.len() == MAX_KEPT {
        kept.remove(0);
    }
    kept.push((mark, Arc::clone(&network)));
    Ok(network)
}

/// The network that comes with the program for a game.
fn load_shipped(game: &GameSpec) -> Result<Arc<Network>, String> {
    static KEPT: Mutex<Vec<(&'static str, Arc<Network>)>> = Mutex::new(Vec::new());
    let Some((taught, onnx)) = shipped_network(game) else {
        let known: Vec<&str> = games_with_networks().collect();
        return Err(format!(
            "none comes with the program; expected a file (`net:file=PATH`), which `sakiyomi train {game}` writes, \
             or one of these games: {}",
            known.join(", ")
        ));
    };
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, network)) = kept.iter().find(|(known, _)| *known == taught) {
        return Ok(Arc::clone(network));
    }
    let network = Arc::new(Network::parse(onnx.to_vec())?);
    kept.push((taught, Arc::clone(&network)));
    Ok(network)
}

/// An agent whose decisions are made on the one thread of a pool, so that its network runs there too: nothing is
/// handed from thread to thread, and CPU time is counted in full.
pub(crate) struct OnPool<A> {
    pub(crate) pool: Arc<ThreadPool>,
    pub(crate) agent: A,
}

impl<G: Game, A: Agent<G>> Agent<G> for OnPool<A> {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        let OnPool { pool, agent } = self;
        pool.run(|| agent.choose(game, state, player, context))
    }

    fn observe(&mut self, game: &G, before: &G::State, actions: &[G::Action]) {
        self.agent.observe(game, before, actions);
    }

    fn insight(&self, game: &G, state: &G::State, places: usize) -> Option<Insight<G::Action>> {
        self.agent.insight(game, state, places)
    }
}
