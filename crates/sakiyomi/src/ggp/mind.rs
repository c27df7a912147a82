//! The thread that thinks about one match. It compiles the rules, keeps the agent and its tree, and
//! takes orders: each names a point of the match and a stop, and gets an answer when the stop is
//! requested or thinking is done. Where there is nothing to choose it answers at once and goes on
//! thinking about what comes next.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

use sakiyomi_catalog::{AgentSpec, GameSpec, GdlSpec, RuleSheet, Seat};
use sakiyomi_core::{Agent, Context, Game, Player as SeatNumber, Preparation, Rng, Stop, Turn};
use sakiyomi_gdl::{GdlGame, Move, State, Stepper};
use tokio::sync::{oneshot, watch};

use super::lock;

/// The joint moves of a match so far, shared by those who follow it.
pub(super) type History = Arc<Mutex<Vec<Vec<String>>>>;

/// A request to think.
#[derive(Debug)]
pub(super) struct Order {
    /// How many joint moves are to be followed first.
    pub(super) plies: usize,
    pub(super) stop: Arc<Stop>,
    pub(super) answer: oneshot::Sender<Thought>,
}

/// What came of thinking.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Thought {
    Move {
        text: String,
        remark: String,
    },
    /// There is no move to find: the match is over, or its moves could not be followed.
    Nothing,
}

/// What a mind has to know of its match.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) role: usize,
    pub(super) agent: AgentSpec,
    pub(super) seed: u64,
    pub(super) history: History,
    /// Writes a line of the log.
    pub(super) tell: Tell,
}

/// Someone who is told what is worth a line in the log.
pub(super) struct Tell(pub(super) Box<dyn Fn(&str) + Send>);

impl std::fmt::Debug for Tell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tell")
    }
}

/// Starts a thread that thinks; it ends when the sender of orders is dropped. `compile` makes the
/// game, which is made known to `compiled`. `n_alive` counts the threads.
pub(super) fn awaken(
    task: Task,
    compile: impl FnOnce() -> Result<GdlGame, String> + Send + 'static,
    compiled: watch::Sender<Option<Result<GdlGame, String>>>,
    n_alive: &Arc<AtomicUsize>,
) -> std::io::Result<Sender<Order>> {
    let (orders, inbox) = mpsc::channel();
    n_alive.fetch_add(1, Ordering::SeqCst);
    let alive = Alive(Arc::clone(n_alive));
    thread::Builder::new().name("mind".to_owned()).spawn(move || {
        let _alive = alive;
        let game = compile();
        compiled.send_replace(Some(game.clone()));
        if let Ok(game) = game
            && let Some(mut mind) = Mind::new(task, game)
        {
            mind.serve(&inbox);
        }
    })?;
    Ok(orders)
}

/// Counts a thread out, also if it panics.
struct Alive(Arc<AtomicUsize>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Mind {
    game: GdlGame,
    stepper: Stepper,
    state: State,
    me: SeatNumber,
    agent: Box<dyn Agent<GdlGame>>,
    /// Whether what is found out for one player serves the others too.
    keeps_a_tree: bool,
    task: Task,
    /// Joint moves that were followed, or could not be.
    n_seen: usize,
    is_prepared: bool,
}

impl Mind {
    fn new(task: Task, game: GdlGame) -> Option<Mind> {
        let me = game.player_of(task.role)?;
        // Only programs ask for the name of the game, and they do not play here.
        let unnamed = GameSpec::from(GdlSpec::new(RuleSheet::File(String::new())));
        let seat = Seat { game: &unnamed, player: me, seed: task.seed };
        let agent = task.agent.build(&game, &seat).ok()?;
        let keeps_a_tree = task.agent.tree_search().is_some();
        let (stepper, state) = (game.stepper(), game.start());
        Some(Mind {
            stepper,
            state,
            me,
            agent,
            keeps_a_tree,
            n_seen: 0,
            is_prepared: false,
            game,
            task,
        })
    }

    fn serve(&mut self, inbox: &Receiver<Order>) {
        while let Ok(mut order) = inbox.recv() {
            // Whoever asked earlier has stopped waiting.
            while let Ok(newer) = inbox.try_recv() {
                order = newer;
            }
            self.prepare(&order.stop);
            self.catch_up(order.plies);
            self.think(order);
        }
    }

    /// Lets the agent get ready, which only the first time takes long: in the start clock.
    fn prepare(&mut self, stop: &Stop) {
        let mut context = Context { rng: &mut Rng::stream(&[self.task.seed]), stop };
        self.agent.prepare(&self.game, &mut context);
        if let Some(preparation) = self.agent.preparation().filter(|_| !self.is_prepared) {
            let Preparation { found, playouts, cpu } = preparation;
            let cpu = cpu.as_secs_f64();
            (self.task.tell.0)(&format!(
                "prepared: {found} ({playouts} playouts, {cpu:.2} s of CPU time)"
            ));
        }
        self.is_prepared = true;
    }

    /// Follows the joint moves that came since the last time. One that cannot be played is passed
    /// over: there is nothing better than the position that is known.
    fn catch_up(&mut self, plies: usize) {
        let news: Vec<Vec<String>> = {
            let history = lock(&self.task.history);
            history[self.n_seen.min(plies)..plies.min(history.len())].to_vec()
        };
        for texts in news {
            self.n_seen += 1;
            let Ok(joint) = self.stepper.joint(&texts) else { continue };
            let before = self.stepper.plies();
            if self.stepper.step(&joint).is_ok() {
                let Mind { game, state, agent, .. } = self;
                game.follow(state, before, &joint, |state, actions| {
                    agent.observe(game, state, actions);
                });
            }
        }
    }

    fn think(&mut self, order: Order) {
        let is_now = self.state.plies() == self.stepper.plies();
        let choosing = match self.game.turn(&self.state) {
            Turn::Choose(who) => who,
            Turn::Chance | Turn::Over(_) => Default::default(),
        };
        if is_now && choosing.contains(self.me) {
            let thought = self.search(self.me, &order.stop);
            let _ = order.answer.send(thought.unwrap_or(Thought::Nothing));
            return;
        }
        let forced = self.stepper.legal(self.task.role).first().copied();
        let _ = order.answer.send(forced.map_or(Thought::Nothing, |forced| Thought::Move {
            text: self.game.move_text(forced),
            remark: "no choice".to_owned(),
        }));
        if let Some(other) = { choosing }.next().filter(|_| self.keeps_a_tree) {
            let player = if choosing.contains(self.me) { self.me } else { other };
            self.search(player, &order.stop);
        }
    }

    fn search(&mut self, player: SeatNumber, stop: &Stop) -> Option<Thought> {
        let address = [self.task.seed, u64::from(player.0), u64::from(self.stepper.plies())];
        let mut context = Context { rng: &mut Rng::stream(&address), stop };
        let choice = self.agent.choose(&self.game, &self.state, player, &mut context).ok()?;
        let value =
            choice.value.map_or_else(String::new, |value| format!(", {:.1}", 100.0 * value));
        Some(Thought::Move {
            text: self.game.move_text(choice.action),
            remark: format!("{} iterations{value}", choice.iterations),
        })
    }
}

/// Follows a match by its rules alone, so that there is always a legal move to answer with.
#[derive(Debug)]
pub(super) struct Follower {
    game: GdlGame,
    stepper: Stepper,
    n_seen: usize,
}

impl Follower {
    pub(super) fn new(game: GdlGame) -> Follower {
        Follower { stepper: game.stepper(), n_seen: 0, game }
    }

    /// Follows the history so far, and says which joint move could not be played.
    pub(super) fn catch_up(&mut self, history: &[Vec<String>]) -> Option<String> {
        let mut lost = None;
        for texts in &history[self.n_seen.min(history.len())..] {
            self.n_seen += 1;
            if let Err(error) = self.stepper.step_texts(texts) {
                lost = Some(format!("ply {}: {error}", self.n_seen));
            }
        }
        lost
    }

    pub(super) fn legal(&self, role: usize) -> Vec<String> {
        let moves: Vec<Move> = self.stepper.legal(role);
        moves.into_iter().map(|legal| self.game.move_text(legal)).collect()
    }

    /// Whether a joint move can be played now.
    pub(super) fn accepts(&self, texts: &[String]) -> bool {
        self.stepper.joint(texts).is_ok()
    }

    /// What went wrong in following the rules.
    pub(super) fn trouble(&self) -> Option<String> {
        self.game.trouble().map(|error| error.to_string())
    }

    /// The goal of every role, if the match is over.
    pub(super) fn goals(&self) -> Option<Vec<Option<u8>>> {
        self.stepper.is_terminal().then(|| self.stepper.goals())
    }
}
