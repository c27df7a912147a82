//! The thread that thinks about one match. It keeps the agent and its tree, and takes orders: each
//! names a point of the match and when to stop, and gets an answer when the stop is requested or
//! thinking is done. Meanwhile the best move so far can be taken at any moment, whether this thread
//! is running or not. Where there is nothing to choose it answers at once and goes on thinking about
//! what comes next.
//!
//! Rules are compiled on a thread of their own. Until that is done the search interprets them, which
//! is slow but better than nothing: it looks at the current decision only, with playouts that are cut
//! short if a ply takes long, so that some of them end. Then it moves over to the compiled game, also
//! in the middle of an order. Its tree does not move with it, as the two number states differently; but
//! what it has found is answered if the compiled game gets fewer iterations in the time that is left.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use sakiyomi_catalog::{AgentSpec, GameSpec, GdlSpec, RuleSheet, Seat};
use sakiyomi_core::{
    Agent, Branch, Budget, Choice, Context, Game, Insight, Player as SeatNumber, Preparation, Rng,
    Stop, Turn, Watch,
};
use sakiyomi_gdl::{GdlGame, Move, State, Stepper, solve};
use sakiyomi_search::{MctsSettings, Proofs};
use tokio::sync::{oneshot, watch};

use super::account::{Account, Searched};
use super::best::BestSoFar;
use super::follower::Following;
use super::lock;

/// The joint moves of a match so far, shared by those who follow it.
pub(super) type History = Arc<Mutex<Vec<Vec<String>>>>;

/// The compiled game, or why there is none, as soon as compiling is done.
pub(super) type Compiled = Option<Result<GdlGame, String>>;

/// A request to think.
#[derive(Debug)]
pub(super) struct Order {
    /// How many joint moves are to be followed first.
    pub(super) plies: usize,
    /// Whether a move is asked for. If not, it is time to get ready.
    pub(super) is_play: bool,
    pub(super) halt: Arc<Halt>,
    /// Is told the legal moves, before anything is searched.
    pub(super) legal: oneshot::Sender<Vec<String>>,
    pub(super) best: Arc<BestSoFar>,
    pub(super) answer: oneshot::Sender<Thought>,
}

/// Ends an order.
#[derive(Debug, Default)]
pub(super) struct Halt {
    stop: Arc<Stop>,
    /// Ends what is done with interpreted rules only.
    interim: Arc<Stop>,
}

impl Halt {
    pub(super) fn request(&self) {
        self.stop.request();
        self.interim.request();
    }

    /// Lets a search with interpreted rules end early, because the compiled game is there.
    pub(super) fn request_interim(&self) {
        self.interim.request();
    }
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
    pub(super) rules: String,
    pub(super) role: usize,
    pub(super) agent: AgentSpec,
    pub(super) seed: u64,
    pub(super) history: History,
    pub(super) compiled: watch::Receiver<Compiled>,
    pub(super) following: Arc<Following>,
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

impl Task {
    /// Waits until the legal moves after this many plies are known. False if there is no time left, or
    /// the compiled game is there.
    fn wait_for_follower(&self, plies: usize, halt: &Halt) -> bool {
        while !self.following.knows(plies) && !halt.interim.requested() {
            thread::sleep(Duration::from_millis(5));
        }
        self.following.knows(plies)
    }

    fn is_compiled(&self) -> bool {
        matches!(*self.compiled.borrow(), Some(Ok(_)))
    }
}

/// Counts the threads that work on matches.
#[derive(Clone, Debug, Default)]
pub(super) struct Alive(Arc<AtomicUsize>);

impl Alive {
    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    /// Starts a thread that counts until it ends, also if it panics.
    pub(super) fn spawn(
        &self,
        name: &str,
        work: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<()> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let counted = CountOut(self.clone());
        let thread = thread::Builder::new().name(name.to_owned());
        thread.spawn(move || {
            let _counted = counted;
            work();
        })?;
        Ok(())
    }
}

struct CountOut(Alive);

impl Drop for CountOut {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Starts a thread that thinks; it ends when the sender of orders is dropped.
pub(super) fn awaken(task: Task, alive: &Alive) -> std::io::Result<Sender<Order>> {
    let (orders, inbox) = mpsc::channel();
    let account = Account::default();
    let thinker = move || Thinker { task, mind: None, has_failed: false, account }.serve(&inbox);
    alive.spawn("mind", thinker)?;
    Ok(orders)
}

/// How long compiling is waited for before the rules are interpreted: most sheets need less.
const PATIENCE: Duration = Duration::from_millis(150);

struct Thinker {
    task: Task,
    mind: Option<Mind>,
    /// Whether the rules cannot even be interpreted.
    has_failed: bool,
    account: Account,
}

impl Thinker {
    fn serve(&mut self, inbox: &Receiver<Order>) {
        while let Ok(mut order) = inbox.recv() {
            // Earlier orders are not waited for any more.
            while let Ok(newer) = inbox.try_recv() {
                order = newer;
            }
            self.think(order);
        }
        if let Some(text) = self.account.text(&self.task.agent) {
            (self.task.tell.0)(&text);
        }
    }

    /// Thinks about an order: with interpreted rules at first, if there is nothing else, and from the
    /// moment they are compiled with the compiled game.
    fn think(&mut self, order: Order) {
        let Order { plies, is_play, halt, legal, best, answer } = order;
        let (mut legal, mut answer) = (Some(legal), Some(answer));
        let mut found: Option<Found> = None;
        loop {
            self.choose_game(&halt);
            let Some(mind) = &mut self.mind else { return };
            if mind.is_interim && !self.task.wait_for_follower(plies, &halt) {
                // Whoever falls behind must not take the time of those who know what is legal.
                match self.task.is_compiled() && !halt.stop.requested() {
                    true => continue,
                    false => break,
                }
            }
            mind.catch_up(&self.task, plies);
            if let Some(legal) = legal.take() {
                let _ = legal.send(mind.legal(&self.task));
            }
            mind.prepare(&self.task, &halt);
            let before = found.as_ref().map_or(0, |found| found.iterations);
            let thought = match mind.is_my_choice() {
                true if mind.is_interim && !is_play => {
                    mind.think_ahead(&self.task, &halt);
                    None
                }
                true => mind.choose(&self.task, &halt, &Published { best: &best, before }),
                false => {
                    let forced = mind.forced(&self.task);
                    if let Some(answer) = answer.take() {
                        let _ = answer.send(forced);
                    }
                    mind.think_ahead(&self.task, &halt);
                    None
                }
            };
            if let Some(new) = thought {
                let is_better = |old: &Found| old.iterations <= new.iterations;
                found = if found.as_ref().is_none_or(is_better) { Some(new) } else { found };
            }
            let moves_over = mind.is_interim && self.task.is_compiled();
            if !moves_over || halt.stop.requested() {
                break;
            }
        }
        if let (Some(found), true) = (&found, is_play) {
            self.account.add(found.searched);
        }
        if let Some(answer) = answer {
            let _ = answer.send(found.map_or(Thought::Nothing, |found| found.thought));
        }
    }

    /// Takes the compiled game if it is there, or else interprets the rules. That takes a while, and
    /// what is legal comes first.
    fn choose_game(&mut self, halt: &Halt) {
        if self.mind.as_ref().is_some_and(|mind| !mind.is_interim) {
            return;
        }
        for _ in 0..PATIENCE.as_millis() / 5 {
            if self.mind.is_some() || self.task.is_compiled() {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let has_nothing = self.mind.is_none() && !self.task.is_compiled();
        if has_nothing && !self.task.wait_for_follower(0, halt) && !self.task.is_compiled() {
            return;
        }
        let compiled = self.task.compiled.borrow().clone();
        match compiled {
            Some(Ok(game)) => self.mind = Mind::new(&self.task, game, false),
            _ if self.mind.is_some() || self.has_failed => {}
            _ => {
                let game = GdlGame::interpreted(&self.task.rules).ok();
                self.mind = game.and_then(|game| Mind::new(&self.task, game, true));
                self.has_failed = self.mind.is_none();
            }
        }
    }
}

/// A thought, and how much thinking is behind it.
struct Found {
    thought: Thought,
    iterations: u64,
    /// None if it is a move of a line that was solved.
    searched: Option<Searched>,
}

/// Where the best move so far is published, unless more thinking was behind another one before.
struct Published<'a> {
    best: &'a BestSoFar,
    before: u64,
}

struct Mind {
    game: GdlGame,
    /// Whether the rules are interpreted until they are compiled.
    is_interim: bool,
    /// How long one ply took, as busy as the machine is.
    ply_time: Duration,
    stepper: Stepper,
    state: State,
    me: SeatNumber,
    agent: Box<dyn Agent<GdlGame>>,
    /// Whether what is found out for one player serves the others too.
    keeps_a_tree: bool,
    /// The best line that is known, in a game of one player.
    line: Option<Line>,
    /// Joint moves that were followed, or could not be.
    n_seen: usize,
    is_prepared: bool,
}

/// Moves to an end of a game of one player.
struct Line {
    moves: VecDeque<Move>,
    payoff: f64,
    is_best: bool,
}

impl Mind {
    fn new(task: &Task, game: GdlGame, is_interim: bool) -> Option<Mind> {
        let me = game.player_of(task.role)?;
        let mut agent = task.agent.clone();
        agent.fit(&game);
        if let Some(MctsSettings { tree, selection, .. }) = agent.tree_search_mut() {
            if is_interim {
                // What a search finds before its horizon proves nothing, and is of no use later.
                tree.reuse = false;
                selection.ucb_mut().into_iter().for_each(|ucb| ucb.proofs = Proofs::Off);
            }
            // An interpreter serves one caller at a time; a solver takes one of the cores.
            let others = u32::from(is_puzzle(&game));
            tree.trees = if game.is_interpreted() { 1 } else { tree.trees - others };
            tree.trees = tree.trees.max(1);
        }
        // Only programs ask for the name of the game, and they do not play here.
        let unnamed = GameSpec::from(GdlSpec::new(RuleSheet::File(String::new())));
        let seat = Seat { game: &unnamed, player: me, seed: task.seed };
        let keeps_a_tree = agent.tree_search_mut().is_some();
        let agent = agent.build(&game, &seat).ok()?;
        let (stepper, state) = (game.stepper(), game.start());
        let ply_time = if is_interim { time_of_a_ply(&stepper) } else { Duration::ZERO };
        Some(Mind {
            game,
            is_interim,
            ply_time,
            stepper,
            state,
            me,
            agent,
            keeps_a_tree,
            line: None,
            n_seen: 0,
            is_prepared: false,
        })
    }

    /// Lets the agent get ready, which only the first time takes long: in the start clock.
    /// Interpreted rules are too slow for it.
    fn prepare(&mut self, task: &Task, halt: &Halt) {
        if self.is_interim || self.is_prepared {
            return;
        }
        let mut context = Context { rng: &mut Rng::stream(&[task.seed]), stop: &halt.stop };
        self.agent.prepare(&self.game.with_stop(Arc::clone(&halt.stop)), &mut context);
        if let Some(preparation) = self.agent.preparation() {
            let Preparation { found, playouts, cpu } = preparation;
            let cpu = cpu.as_secs_f64();
            (task.tell.0)(&format!(
                "prepared: {found} ({playouts} playouts, {cpu:.2} s of CPU time)"
            ));
        }
        self.is_prepared = true;
    }

    /// Follows the joint moves that came since the last time. One that cannot be played is passed
    /// over: there is nothing better than the position that is known.
    fn catch_up(&mut self, task: &Task, plies: usize) {
        let news: Vec<Vec<String>> = {
            let history = lock(&task.history);
            history[self.n_seen.min(plies)..plies.min(history.len())].to_vec()
        };
        for texts in news {
            self.n_seen += 1;
            let Ok(joint) = self.stepper.joint(&texts) else { continue };
            let before = self.stepper.plies();
            let is_played = self.stepper.step(&joint).is_ok();
            if is_played && self.is_interim {
                // Its tree is not kept, and playing a ply twice takes too long.
                self.state = self.game.state(&self.stepper);
            } else if is_played {
                let Mind { game, state, agent, line, .. } = self;
                game.follow(state, before, &joint, |state, actions| {
                    agent.observe(game, state, actions);
                    follow_line(line, actions);
                });
            }
        }
    }

    fn choosing(&self) -> sakiyomi_core::Players {
        match self.game.turn(&self.state) {
            Turn::Choose(who) => who,
            Turn::Chance | Turn::Over(_) => Default::default(),
        }
    }

    fn is_my_choice(&self) -> bool {
        self.state.plies() == self.stepper.plies() && self.choosing().contains(self.me)
    }

    fn legal(&self, task: &Task) -> Vec<String> {
        let moves = self.stepper.legal(task.role);
        moves.into_iter().map(|legal| self.game.move_text(legal)).collect()
    }

    /// The answer where there is no choice.
    fn forced(&self, task: &Task) -> Thought {
        let forced = self.stepper.legal(task.role).first().copied();
        forced.map_or(Thought::Nothing, |forced| Thought::Move {
            text: self.game.move_text(forced),
            remark: "no choice".to_owned(),
        })
    }

    fn choose(&mut self, task: &Task, halt: &Halt, published: &Published<'_>) -> Option<Found> {
        match is_puzzle(&self.game) && !self.is_interim {
            true => self.solve(task, halt, published),
            false => self.search_published(task, halt, published).map(|choice| self.found(&choice)),
        }
    }

    /// Thinks about a position at which others choose. As long as rules are interpreted, compiling
    /// them is the better use of the time.
    fn think_ahead(&mut self, task: &Task, halt: &Halt) {
        while self.is_interim && !halt.interim.requested() {
            thread::sleep(Duration::from_millis(5));
        }
        if self.is_interim {
            return;
        }
        let choosing = self.choosing();
        if let Some(other) = { choosing }.next().filter(|_| self.keeps_a_tree) {
            let player = if choosing.contains(self.me) { self.me } else { other };
            self.search(task, player, halt, None);
        }
    }

    /// Searches, and publishes the best move so far every few milliseconds.
    fn search_published(
        &mut self,
        task: &Task,
        halt: &Halt,
        published: &Published<'_>,
    ) -> Option<Choice<Move>> {
        let (game, me) = (self.game.clone(), self.me);
        let known = self.line.as_ref().map_or(-1.0, |line| line.payoff);
        let mut tell = |insight: Insight<Move>| {
            let visits = insight.root.visits;
            let best = insight.best(me).filter(|_| visits >= published.before);
            if let Some(arm) = best.filter(|arm| arm.value.unwrap_or(0.0) > known) {
                let remark = format!("best so far after {visits} visits");
                published.best.publish(game.move_text(arm.action), remark);
            }
        };
        self.search(task, me, halt, Some(&mut Watch::closely(&mut tell)))
    }

    fn search(
        &mut self,
        task: &Task,
        player: SeatNumber,
        halt: &Halt,
        watch: Option<&mut Watch<'_, Move>>,
    ) -> Option<Choice<Move>> {
        let stop = if self.is_interim { &halt.interim } else { &halt.stop };
        let mut rng = self.rng(task, player.0.into());
        let mut context = Context { rng: &mut rng, stop };
        // Playouts of interpreted rules, and making lanes, may take seconds, and end in the middle.
        let mut game = self.game.with_stop(Arc::clone(stop));
        if self.is_interim {
            let plies = INTERIM_PLAYOUT.as_micros() / self.ply_time.as_micros().max(1);
            game = game.with_horizon(self.state.plies() + plies.clamp(1, 2_000) as u32);
        }
        let Mind { agent, state, .. } = self;
        let choice = match watch {
            Some(watch) => agent.choose_watched(&game, state, player, &mut context, watch),
            None => agent.choose(&game, state, player, &mut context),
        };
        choice.ok()
    }

    fn rng(&self, task: &Task, purpose: u64) -> Rng {
        Rng::stream(&[task.seed, purpose, u64::from(self.stepper.plies())])
    }

    fn found(&self, choice: &Choice<Move>) -> Found {
        let value =
            choice.value.map_or_else(String::new, |value| format!(", {:.1}", 100.0 * value));
        let how = if self.game.is_interpreted() { ", interpreted" } else { "" };
        let remark = format!("{} iterations{value}{how}", choice.iterations);
        let text = self.game.move_text(choice.action);
        let searched = Searched {
            iterations: choice.iterations,
            value: choice.value,
            depth: self.agent.insight(&self.game, &self.state, LINE).map(|seen| depth(&seen.root)),
            is_interpreted: self.game.is_interpreted(),
        };
        let iterations = choice.iterations;
        Found { thought: Thought::Move { text, remark }, iterations, searched: Some(searched) }
    }

    /// Looks for the best line of a game of one player, beside the search, and follows it unless the
    /// search expects more. A line that is known to be the best needs no further thinking.
    fn solve(&mut self, task: &Task, halt: &Halt, published: &Published<'_>) -> Option<Found> {
        let mut choice = None;
        if let Some((text, remark)) = self.next_in_line() {
            published.best.publish(text, remark);
        }
        if self.line.as_ref().is_none_or(|line| !line.is_best) {
            let budget = Budget { iterations: None, ..Budget::iterations(0) };
            let (game, state) = (self.game.clone(), self.state.clone());
            let mut rng = self.rng(task, SOLVER);
            let stop = Arc::clone(&halt.stop);
            let solved = thread::scope(|scope| {
                let solver = scope.spawn(move || {
                    let solved = solve(&game, &state, &budget, &stop, &mut rng);
                    if solved.as_ref().is_some_and(|solved| solved.is_best) {
                        // The search beside it need not go on.
                        stop.request();
                    }
                    solved
                });
                choice = self.search_published(task, halt, published);
                solver.join().ok().flatten()
            });
            let known = self.line.as_ref().map_or(-1.0, |line| line.payoff);
            if let Some(solved) = solved.filter(|new| new.is_best || new.payoff > known) {
                let (payoff, is_best) = (solved.payoff, solved.is_best);
                self.line = Some(Line { moves: solved.line.into(), payoff, is_best });
            }
        }
        let expected = choice.as_ref().and_then(|choice| choice.value).unwrap_or(-1.0);
        let follows = |line: &Line| line.is_best || line.payoff >= expected;
        let next = self.next_in_line().filter(|_| self.line.as_ref().is_some_and(follows));
        let Some((text, remark)) = next else { return choice.map(|choice| self.found(&choice)) };
        Some(Found {
            thought: Thought::Move { text, remark },
            iterations: u64::MAX,
            searched: None,
        })
    }

    /// The next move of the line that is known, and what is known about it.
    fn next_in_line(&self) -> Option<(String, String)> {
        let line = self.line.as_ref()?;
        let next = *line.moves.front()?;
        let known = if line.is_best { "solved" } else { "best line so far" };
        let remark = format!("{known}: {:.0} in {} moves", 100.0 * line.payoff, line.moves.len());
        Some((self.game.move_text(next), remark))
    }
}

/// Places of the tree in which the main line is looked for.
const LINE: usize = 200;

/// Moves of the line that was visited most.
fn depth(root: &Branch<Move>) -> usize {
    root.children.first().map_or(0, |child| 1 + depth(child))
}

/// How long a playout may take as long as rules are interpreted.
const INTERIM_PLAYOUT: Duration = Duration::from_millis(200);

fn time_of_a_ply(start: &Stepper) -> Duration {
    let n_roles = start.goals().len();
    let joint: Vec<Move> =
        (0..n_roles).filter_map(|role| start.legal(role).first().copied()).collect();
    let mut next = start.clone();
    let begin = Instant::now();
    // Where it cannot be played nothing is to be timed.
    let _ = next.step(&joint);
    begin.elapsed()
}

/// The stream of random numbers of the solver.
const SOLVER: u64 = 1 << 32;

/// Whether the solver of games of one player suits a game.
fn is_puzzle(game: &GdlGame) -> bool {
    game.players() == 1 && game.random_role().is_none() && !game.is_interpreted()
}

/// Goes on in a line, or forgets it if something else was played.
fn follow_line(line: &mut Option<Line>, actions: &[Move]) {
    if let Some(known) = line
        && known.moves.pop_front().as_ref() != actions.first()
    {
        *line = None;
    }
}
