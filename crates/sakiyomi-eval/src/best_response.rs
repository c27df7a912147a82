//! How much any agent can be exploited, a program of unknown insides too, found by playing against
//! it.
//!
//! Exact exploitability needs the agent's strategy in every state. Here it is asked only where a
//! match leads: a response is searched for in games against it, each with another seed, and then
//! plays games with seeds that were never used before. A best response does at least as well as any
//! response, so what the found one wins bounds from below what the agent gives away. Finding nothing
//! shows nothing.
//!
//! Three ways to respond are looked at: a search that knows nothing of the agent, and two that know
//! it only as an opponent, by a tree over their own decisions that is grown in whole games; beyond the
//! tree one plays at random, the other as the search. Trial games say which of them goes on to the
//! games that count. The two that look for answers also do so during the match, in games that begin
//! where it is.

mod report;
mod responder;
mod sparring;
mod tree;

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use sakiyomi_catalog::{
    AgentSpec, CatalogGame, GameSpec, Record, Seat, SpecError, Visitor, step_texts,
};
use sakiyomi_core::{Agent, Fault, Payoffs, Player, Rng, Scratch, Stop};
use serde::Serialize;

use crate::arena::play_match;
use responder::{PerDecision, Responder};
use sparring::{Beginning, Limit, Opponent, Own, Sparred, Trainee};
use tree::ResponseTree;

pub use report::{ResponseReport, ResponseSeat, SparringReport, TrialReport};

/// What is to be found out.
#[derive(Clone, Debug)]
pub struct BestResponse {
    pub game: GameSpec,
    pub agent: AgentSpec,
    pub budget: ResponseBudget,
    /// Games that count; rounded up so that every seat is taken equally often.
    pub games: u64,
    pub seed: u64,
    pub threads: usize,
}

/// How long to look for a response.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseBudget {
    /// For all of it: a quarter to look for responses, a quarter for trial games, half for the games that
    /// count.
    Wall(Duration),
    /// Games against the agent for each of the two responses, and a hundredth of it for a decision where
    /// the tree does not reach. The same seed gives the same result.
    Games(u64),
}

/// How far it is.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "stage")]
pub enum ResponseProgress {
    /// Games that were played to find responses, and their mean payoff.
    Search { games: u64, mean: f64 },
    /// Trial games, of all that are planned.
    Trials { games: u64, of: u64 },
    /// Games that count.
    Games { games: u64, of: u64, mean: f64 },
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ResponseError {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error("{game} is for one, so there is no one to exploit")]
    Alone { game: String },
    #[error("stopped before a game counted")]
    Stopped,
}

impl Fault for ResponseError {
    fn is_input(&self) -> bool {
        match self {
            ResponseError::Spec(_) | ResponseError::Alone { .. } => true,
            ResponseError::Stopped => false,
        }
    }
}

/// The search that knows nothing of the agent. Its iterations are those of one's own side in games
/// against the agent, so they are few.
const SEARCH: &str = "uct:iterations=100,reuse=false";
/// Of the search when it plays itself.
const SEARCH_ITERATIONS: u64 = 2_000;

/// Streams of random numbers by purpose.
const SPARRING: u64 = 1;
const TRIALS: u64 = 2;
const GAMES: u64 = 3;
const BASELINE: u64 = 4;

/// Looks for a response and plays it.
pub fn run_best_response(
    request: &BestResponse,
    stop: &Stop,
    progress: &(dyn Fn(ResponseProgress) + Sync),
) -> Result<ResponseReport, ResponseError> {
    request.game.with(Run { request, stop, progress })?
}

struct Run<'a> {
    request: &'a BestResponse,
    stop: &'a Stop,
    progress: &'a (dyn Fn(ResponseProgress) + Sync),
}

impl Visitor for Run<'_> {
    type Out = Result<ResponseReport, ResponseError>;

    fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
        let Run { request, stop, progress } = self;
        if game.players() < 2 {
            return Err(ResponseError::Alone { game: request.game.to_string() });
        }
        let BestResponse { game: spec, agent, .. } = request;
        let opponent = Opponent { game: &game, spec, agent, stop };
        Hunt { request, opponent: &opponent, progress, begin: Instant::now() }.run()
    }
}

/// A way to respond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// A search that knows nothing of the agent.
    Search,
    /// A tree of games against the agent; beyond it one plays at random.
    TreeAtRandom,
    /// The same; beyond it one plays as the search.
    TreeAsTheSearch,
}

impl Way {
    const ALL: [Way; 3] = [Way::Search, Way::TreeAtRandom, Way::TreeAsTheSearch];

    fn own(self) -> Option<Own> {
        match self {
            Way::Search => None,
            Way::TreeAtRandom => Some(Own::AtRandom),
            Way::TreeAsTheSearch => Some(Own::AsTheSearch),
        }
    }
}

/// A way with the tree that was grown for it.
struct Response {
    way: Way,
    tree: ResponseTree,
    sparred: Sparred,
}

/// One game of a response against the agent.
struct Bout {
    number: u64,
    seat: Player,
    payoffs: Payoffs,
    n_turns: u32,
    /// Who gave up, and why.
    forfeit: Option<(Player, String)>,
    moves: Vec<Vec<String>>,
}

struct Hunt<'a, G> {
    request: &'a BestResponse,
    opponent: &'a Opponent<'a, G>,
    progress: &'a (dyn Fn(ResponseProgress) + Sync),
    begin: Instant,
}

impl<G: CatalogGame> Hunt<'_, G> {
    fn run(&self) -> Result<ResponseReport, ResponseError> {
        self.check()?;
        let n_seats = self.opponent.game.players() as u64;
        let n_games = self.request.games.next_multiple_of(n_seats);
        let fair = self.fair_share(n_games)?;
        let responses = self.search()?;
        if self.opponent.stop.requested() {
            return Err(ResponseError::Stopped);
        }
        let n_trials = (n_games / 5).next_multiple_of(n_seats);
        let trials = self.compare(&responses, n_trials)?;
        let best = (0..trials.len()).max_by(|&a, &b| trials[a].mean.total_cmp(&trials[b].mean));
        let Some(response) = best.map(|best| &responses[best]) else {
            return Err(ResponseError::Stopped);
        };
        let per_decision = self.per_decision(&responses, 0.5, n_games);
        let tell = |bouts: u64, mean: f64| {
            (self.progress)(ResponseProgress::Games { games: bouts, of: n_games, mean });
        };
        let bouts = self.play_all(response, GAMES, n_games, per_decision, &tell)?;
        if bouts.is_empty() {
            return Err(ResponseError::Stopped);
        }
        Ok(ResponseReport::new(self, &responses, response, trials, &bouts, &fair))
    }

    /// Tries to build all that plays, so that what cannot be played is an error before the first
    /// game.
    fn check(&self) -> Result<(), ResponseError> {
        let seat = Seat { game: self.opponent.spec, player: Player(0), seed: 0 };
        self.opponent.agent.build(self.opponent.game, &seat)?;
        self.search_agent(Player(0), 1)?;
        Ok(())
    }

    fn search_agent(
        &self,
        player: Player,
        iterations: u64,
    ) -> Result<Box<dyn Agent<G>>, SpecError> {
        let mut spec: AgentSpec = SEARCH.parse()?;
        if let Some(budget) = spec.budget_mut() {
            budget.iterations = Some(iterations);
        }
        let seat = Seat { game: self.opponent.spec, player, seed: self.request.seed };
        spec.build(self.opponent.game, &seat)
    }

    /// Grows the trees, side by side if there are two threads.
    fn search(&self) -> Result<Vec<Response>, ResponseError> {
        let [plain, at_random, as_search] = Way::ALL;
        let (n_games, sum) = (AtomicU64::new(0), Mutex::new(0.0));
        let grow = |way: Way, share: f64| self.grow(way, share, &n_games, &sum);
        let (first, second) = match self.request.threads {
            0 | 1 => (grow(at_random, 0.125), grow(as_search, 0.25)),
            _ => thread::scope(|scope| {
                let first = scope.spawn(|| grow(at_random, 0.25));
                let second = grow(as_search, 0.25);
                // A panic of a thread is one of the whole, as without threads.
                (first.join().unwrap_or_else(|panic| resume_unwind(panic)), second)
            }),
        };
        let (tree, sparred) = Default::default();
        Ok(vec![Response { way: plain, tree, sparred }, first?, second?])
    }

    /// Plays against the agent until this share of the time since the beginning is over.
    fn grow(
        &self,
        way: Way,
        share: f64,
        n_games: &AtomicU64,
        sum: &Mutex<f64>,
    ) -> Result<Response, SpecError> {
        let game = self.opponent.game;
        let mut tree = ResponseTree::default();
        let mut sparred = Sparred::default();
        let seats: Vec<Player> = (0..game.players()).map(|i| Player(i as u8)).collect();
        let mut rng = Rng::stream(&[self.request.seed, SPARRING, way as u64]);
        let mut search = self.search_agent(Player(0), SPARRING_ITERATIONS)?;
        let (own, state) = (way.own().unwrap_or(Own::AtRandom), game.start());
        let from = Beginning { steps: &[], state: &state };
        let search = search.as_mut();
        let mut trainee = Trainee { tree: &mut tree, own, search, games: 0 };
        loop {
            let (limit, is_last) = match self.request.budget {
                ResponseBudget::Wall(time) => {
                    let end = self.begin + time.mul_f64(share);
                    let pause = Instant::now() + TELL_INTERVAL;
                    (Limit::At(end.min(pause)), end <= pause)
                }
                ResponseBudget::Games(games) => {
                    let left = games.saturating_sub(sparred.games);
                    (Limit::Games(left.min(TELL_GAMES)), left <= TELL_GAMES)
                }
            };
            let more = self.opponent.spar(&from, &seats, limit, &mut trainee, &mut rng)?;
            sparred.games += more.games;
            sparred.decisions += more.decisions;
            sparred.sum += more.sum;
            self.tell_search(more, n_games, sum);
            if is_last || self.opponent.stop.requested() {
                return Ok(Response { way, tree, sparred });
            }
        }
    }

    fn tell_search(&self, more: Sparred, n_games: &AtomicU64, sum: &Mutex<f64>) {
        let games = n_games.fetch_add(more.games, Ordering::Relaxed) + more.games;
        let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
        *sum += more.sum;
        let mean = *sum / games.max(1) as f64;
        (self.progress)(ResponseProgress::Search { games, mean });
    }

    /// How long a decision may take if this many games are to be played in a share of the time.
    fn per_decision(&self, responses: &[Response], share: f64, games: u64) -> PerDecision {
        match self.request.budget {
            ResponseBudget::Games(n) => PerDecision::Games(n.div_ceil(100)),
            ResponseBudget::Wall(time) => {
                let total = |count: fn(&Sparred) -> u64| -> u64 {
                    responses.iter().map(|response| count(&response.sparred)).sum()
                };
                let (decisions, sparred) = (total(|all| all.decisions), total(|all| all.games));
                let per_game = decisions as f64 / sparred.max(1) as f64;
                let threads = self.request.threads.max(1) as f64;
                let all = games as f64 * per_game.max(1.0);
                PerDecision::Wall(time.mul_f64(share * threads / all))
            }
        }
    }

    /// Plays trial games with every response.
    fn compare(
        &self,
        responses: &[Response],
        games: u64,
    ) -> Result<Vec<TrialReport>, ResponseError> {
        let n_all = games * responses.len() as u64;
        let per_decision = self.per_decision(responses, 0.25, n_all);
        let mut trials = Vec::new();
        for (i, response) in (0..).zip(responses) {
            let tell = |bouts: u64, _: f64| {
                let games = games * i + bouts;
                (self.progress)(ResponseProgress::Trials { games, of: n_all });
            };
            let stream = TRIALS + STREAMS * (1 + i);
            let bouts = self.play_all(response, stream, games, per_decision, &tell)?;
            if (bouts.len() as u64) < games {
                return Err(ResponseError::Stopped);
            }
            trials.push(TrialReport::new(response.way, &bouts));
        }
        Ok(trials)
    }

    /// Plays this many games of a response, shared out to threads; a game that is stopped does not
    /// count. Games depend on their number only.
    fn play_all(
        &self,
        response: &Response,
        stream: u64,
        games: u64,
        per_decision: PerDecision,
        tell: &(dyn Fn(u64, f64) + Sync),
    ) -> Result<Vec<Bout>, SpecError> {
        let seats = self.opponent.game.players() as u64;
        let play = |number: u64| {
            let seat = Player((number % seats) as u8);
            let responder = self.responder(response, seat, per_decision)?;
            self.play(Some((seat, responder)), stream, number)
        };
        self.share_out(games, &play, tell)
    }

    fn share_out(
        &self,
        games: u64,
        play: &(dyn Fn(u64) -> Result<Option<Bout>, SpecError> + Sync),
        tell: &(dyn Fn(u64, f64) + Sync),
    ) -> Result<Vec<Bout>, SpecError> {
        let next = AtomicU64::new(0);
        let done: Mutex<(Vec<Bout>, f64)> = Mutex::default();
        let work = || -> Result<(), SpecError> {
            while !self.opponent.stop.requested() {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= games {
                    break;
                }
                let Some(bout) = play(number)? else { break };
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                done.1 += bout.payoffs[bout.seat];
                done.0.push(bout);
                tell(done.0.len() as u64, done.1 / done.0.len() as f64);
            }
            Ok(())
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (1..self.request.threads).map(|_| scope.spawn(work)).collect();
            let own = work();
            // A panic of a thread is one of the whole, as without threads.
            let others = threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            others.fold(own, Result::and)
        })?;
        let (mut bouts, _) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        bouts.sort_unstable_by_key(|bout| bout.number);
        Ok(bouts)
    }

    fn responder<'a>(
        &'a self,
        response: &'a Response,
        seat: Player,
        per_decision: PerDecision,
    ) -> Result<Box<dyn Agent<G> + 'a>, SpecError> {
        let Some(own) = response.way.own() else {
            return self
                .search_agent(seat, SEARCH_ITERATIONS)
                .map(|agent| agent as Box<dyn Agent<G> + 'a>);
        };
        Ok(Box::new(Responder {
            opponent: self.opponent,
            tree: &response.tree,
            own,
            search: self.search_agent(seat, SPARRING_ITERATIONS)?,
            per_decision,
            before: Some(ResponseTree::before(seat.index())),
            steps: Vec::new(),
        }))
    }

    /// Plays one game, with the responder in its seat or with the agent in all of them.
    fn play<'a>(
        &'a self,
        responder: Option<(Player, Box<dyn Agent<G> + 'a>)>,
        stream: u64,
        number: u64,
    ) -> Result<Option<Bout>, SpecError> {
        let Opponent { game, stop, .. } = *self.opponent;
        let seed = Rng::stream(&[self.request.seed, stream, number]).bits();
        let seat = responder.as_ref().map(|(seat, _)| *seat);
        let mut own = responder.map(|(_, agent)| agent);
        let seated =
            self.opponent.seat_all(seat, seed)?.into_iter().filter_map(|built| match built {
                Some(agent) => Some(agent as Box<dyn Agent<G> + 'a>),
                None => own.take(),
            });
        let mut agents: Vec<Box<dyn Agent<G> + 'a>> = seated.collect();
        let stream_of = |purpose: u64| Rng::stream(&[seed, purpose]);
        let mut rngs: Vec<Rng> = (0..game.players() as u64).map(|i| stream_of(1 + i)).collect();
        let mut moves = Vec::new();
        let mut watch =
            |state: &G::State, joint: &[G::Action]| moves.push(step_texts(game, state, joint));
        let played = play_match(game, &mut agents, &[], stream_of(0), &mut rngs, stop, &mut watch);
        // What was stopped in the middle is no game.
        if stop.requested() {
            return Ok(None);
        }
        Ok(Some(Bout {
            number,
            seat: seat.unwrap_or(Player(0)),
            payoffs: played.payoffs,
            n_turns: played.n_turns,
            forfeit: played.forfeit,
            moves,
        }))
    }

    /// What all seats get on average if no one exploits the agent. Where payoffs always add up to the
    /// same that is known; elsewhere the agent plays itself.
    fn fair_share(&self, games: u64) -> Result<Fair, ResponseError> {
        let game = self.opponent.game;
        let n_seats = game.players();
        let mean =
            |payoffs: &Payoffs| payoffs.as_slice(n_seats).iter().sum::<f64>() / n_seats as f64;
        if game.constant_sum() {
            let rng = &mut Rng::stream(&[self.request.seed, BASELINE]);
            let payoffs = game.playout(&mut game.start(), &mut Scratch::default(), rng);
            return Ok(Fair::Known(mean(&payoffs)));
        }
        let play = |number: u64| self.play(None, BASELINE, number);
        let alone = self.share_out(games, &play, &|_, _| {})?;
        match self.opponent.stop.requested() {
            true => Err(ResponseError::Stopped),
            false => Ok(Fair::Played(alone.iter().map(|bout| mean(&bout.payoffs)).collect())),
        }
    }

    fn record(&self, bout: &Bout) -> Record {
        let (game, seed) = (self.request.game.clone(), self.request.seed);
        Record { game, seed, moves: bout.moves.clone() }
    }
}

/// What all seats get on average if no one exploits the agent.
enum Fair {
    Known(f64),
    /// The means of games in which the agent plays itself.
    Played(Vec<f64>),
}

/// Iterations of the search in games that are played to find a response.
const SPARRING_ITERATIONS: u64 = 100;
/// Between streams of trial games.
const STREAMS: u64 = 16;
/// How often the search tells how far it is.
const TELL_INTERVAL: Duration = Duration::from_millis(200);
const TELL_GAMES: u64 = 60;
