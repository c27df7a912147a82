//! One match of the player, from START to STOP: what was played, who thinks, and when to answer.
//!
//! Every question has two moments. At the first, the clock less the margin, thinking is stopped and
//! the answer is due. At the second, half the margin later, the best move so far is answered, whether
//! the thread that thinks has noticed the stop or not. A follower of the rules, apart from that
//! thread, knows what is legal even if it is stuck or has failed; a move of another ply is never
//! answered. On a machine that wakes us later than the margin allows for, both moments are earlier.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sakiyomi_catalog::AgentSpec;
use sakiyomi_core::{Rng, Stop};
use sakiyomi_gdl::protocol::NIL;
use sakiyomi_gdl::{GdlGame, Progress, Settings};
use tokio::sync::{oneshot, watch};
use tokio::task::spawn_blocking;
use tokio::time::{sleep_until, timeout_at};

use super::best::BestSoFar;
use super::follower::{Follower, Following};
use super::lock;
use super::log::Log;
use super::mind::{Alive, Compiled, Halt, History, Order, Task, Tell, Thought, awaken};

/// What a match is about, as START says.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) id: String,
    pub(super) role: usize,
    pub(super) rules: String,
    pub(super) start_clock: Duration,
    pub(super) play_clock: Duration,
}

/// How the player goes about it.
#[derive(Clone, Debug)]
pub(super) struct Manner {
    pub(super) agent: AgentSpec,
    pub(super) margin: Duration,
    pub(super) settings: Settings,
    pub(super) seed: u64,
}

type Answer = watch::Receiver<Option<String>>;

#[derive(Debug)]
pub(super) struct Session {
    terms: Terms,
    manner: Manner,
    log: Arc<Log>,
    history: History,
    compiled: watch::Receiver<Compiled>,
    follower: Mutex<Option<Follower>>,
    following: Arc<Following>,
    /// Orders to the thread that thinks, until the match is closed.
    orders: Mutex<Option<Sender<Order>>>,
    /// Ends what is being thought at the moment.
    halt: Arc<Mutex<Arc<Halt>>>,
    /// Ends compiling.
    closed: Arc<Stop>,
    /// Becomes true when the START was answered.
    ready: watch::Sender<bool>,
    /// One PLAY at a time is looked at.
    turnstile: tokio::sync::Mutex<Option<Question>>,
    last_heard: Mutex<Instant>,
    lateness: Arc<Lateness>,
}

/// What comes of an order to think.
#[derive(Debug)]
struct Expected {
    thought: oneshot::Receiver<Thought>,
    legal: oneshot::Receiver<Vec<String>>,
    best: Arc<BestSoFar>,
}

/// The last PLAY, with its answer as soon as there is one.
#[derive(Debug)]
struct Question {
    moves: Option<Vec<String>>,
    answer: Answer,
}

impl Session {
    /// Begins to compile the rules and to think.
    pub(super) fn open(
        terms: Terms,
        manner: Manner,
        known: Option<GdlGame>,
        log: Arc<Log>,
        alive: &Alive,
    ) -> std::io::Result<Arc<Session>> {
        let (to_compiled, compiled) = watch::channel(known.map(Ok));
        let (history, following) = (History::default(), Arc::<Following>::default());
        let (id, to_log) = (terms.id.clone(), Arc::clone(&log));
        let task = Task {
            rules: terms.rules.clone(),
            role: terms.role,
            agent: manner.agent.clone(),
            seed: manner.seed,
            history: Arc::clone(&history),
            compiled: compiled.clone(),
            following: Arc::clone(&following),
            tell: Tell(Box::new(move |text| to_log.line(&format!("{id} {text}")))),
        };
        let orders = awaken(task, alive)?;
        let closed = Arc::<Stop>::default();
        let session = Arc::new(Session {
            terms,
            manner,
            log,
            history,
            compiled,
            follower: Mutex::new(None),
            following,
            orders: Mutex::new(Some(orders)),
            halt: Arc::default(),
            ready: watch::channel(false).0,
            turnstile: tokio::sync::Mutex::default(),
            last_heard: Mutex::new(Instant::now()),
            lateness: Lateness::watch(Arc::clone(&closed)),
            closed,
        });
        if session.compiled.borrow().is_none() {
            session.compile(to_compiled, alive)?;
        }
        Ok(session)
    }

    /// Compiles the rules on a thread of its own, until the match is closed. A search that
    /// interprets them meanwhile is stopped when they are compiled.
    fn compile(&self, done: watch::Sender<Compiled>, alive: &Alive) -> std::io::Result<()> {
        let (rules, settings) = (self.terms.rules.clone(), self.manner.settings);
        let (halt, closed) = (Arc::clone(&self.halt), Arc::clone(&self.closed));
        let following = Arc::clone(&self.following);
        alive.spawn("compiler", move || {
            let mut goes_on = |_: &Progress| {
                if following.is_at_work() {
                    std::thread::sleep(Duration::from_millis(5));
                }
                !closed.requested()
            };
            let game = GdlGame::watched(&rules, &settings, None, &mut goes_on);
            done.send_replace(Some(game.map_err(|error| error.to_string())));
            lock(&halt).request_interim();
        })
    }

    pub(super) fn id(&self) -> &str {
        &self.terms.id
    }

    pub(super) fn rules(&self) -> &str {
        &self.terms.rules
    }

    /// The game, once its rules are compiled.
    pub(super) fn game(&self) -> Option<GdlGame> {
        self.compiled.borrow().clone()?.ok()
    }

    /// Whether the host has been silent for so long that it must be gone.
    pub(super) fn is_forsaken(&self) -> bool {
        let clock = self.terms.start_clock.max(self.terms.play_clock);
        lock(&self.last_heard).elapsed() > 3 * clock + Duration::from_secs(60)
    }

    /// Thinks within the start clock, and returns when START is to be answered.
    pub(super) async fn prepare(self: &Arc<Session>, received: Instant) {
        let (soft, hard) = self.deadlines(received, self.terms.start_clock);
        let Expected { thought, .. } = self.order(0, false, soft);
        // Legal moves are known from the first second on: if compiling takes longer than a moment, by
        // interpreting the rules.
        let early = received + PATIENCE.min(self.terms.start_clock / 3);
        let mut compiled = self.compiled.clone();
        let _ = timeout_at(early.into(), compiled.wait_for(Option::is_some)).await;
        let session = Arc::clone(self);
        let follow = spawn_blocking(move || session.follow(|_| ()));
        let _ = timeout_at(hard.into(), thought).await;
        let _ = timeout_at(hard.into(), follow).await;
        let notice = match &*self.compiled.borrow() {
            None => {
                Some("the rules are still being compiled, and interpreted until then".to_owned())
            }
            Some(Ok(game)) => game.notice().map(str::to_owned),
            Some(Err(error)) => Some(error.clone()),
        };
        if let Some(notice) = notice {
            self.log.line(&format!("{} {notice}", self.id()));
        }
        self.ready.send_replace(true);
    }

    /// Returns when START was answered; for a host that asks twice.
    pub(super) async fn until_ready(&self) {
        let _ = self.ready.subscribe().wait_for(|ready| *ready).await;
    }

    /// Answers a PLAY.
    pub(super) async fn play(
        self: &Arc<Session>,
        moves: Option<Vec<String>>,
        received: Instant,
    ) -> String {
        *lock(&self.last_heard) = received;
        let mut last = self.turnstile.lock().await;
        let repeated = match &*last {
            Some(question) => self.is_repeated(question, &moves).await,
            None => false,
        };
        if !repeated {
            let answer = self.ask(&moves, received);
            *last = Some(Question { moves, answer });
        }
        let answer = last.as_ref().map(|question| question.answer.clone());
        drop(last);
        let Some(mut answer) = answer else { return NIL.to_owned() };
        let text = answer.wait_for(Option::is_some).await.ok().and_then(|text| text.clone());
        text.unwrap_or_else(|| NIL.to_owned())
    }

    /// Takes note of the last joint move, and ends the match.
    pub(super) fn stop(self: &Arc<Session>, moves: Option<Vec<String>>) {
        self.close();
        lock(&self.history).extend(moves);
        let session = Arc::clone(self);
        drop(spawn_blocking(move || {
            let goals = session.with_follower(drop, |follower| follower.goals()).flatten();
            let goal = |goal: Option<u8>| goal.map_or("none".to_owned(), |goal| goal.to_string());
            let text = match goals {
                Some(goals) => goals.into_iter().map(goal).collect::<Vec<_>>().join(" "),
                None => "unknown".to_owned(),
            };
            session.log.line(&format!("{} over, goals {text}", session.id()));
        }));
    }

    /// Ends all thinking.
    pub(super) fn close(&self) {
        self.closed.request();
        lock(&self.orders).take();
        lock(&self.halt).request();
    }

    /// Whether a PLAY is the last one again, because the host was in doubt. The same moves may
    /// also be played twice; then our part in them is what we answered.
    async fn is_repeated(
        self: &Arc<Session>,
        last: &Question,
        moves: &Option<Vec<String>>,
    ) -> bool {
        if *moves != last.moves {
            return false;
        }
        let Some(moves) = moves.clone() else { return true };
        let Some(answered) = last.answer.borrow().clone() else { return true };
        let ours = moves.get(self.terms.role);
        if ours.is_some_and(|ours| !ours.eq_ignore_ascii_case(&answered)) {
            return true;
        }
        let session = Arc::clone(self);
        let accepts = spawn_blocking(move || session.with_follower(drop, |f| f.accepts(&moves)));
        accepts.await.ok().flatten() == Some(false)
    }

    /// Starts to look for the answer to a new PLAY. It is looked for even if the host does not wait any more.
    fn ask(self: &Arc<Session>, moves: &Option<Vec<String>>, received: Instant) -> Answer {
        let plies = {
            let mut history = lock(&self.history);
            history.extend(moves.clone());
            history.len()
        };
        let (soft, hard) = self.deadlines(received, self.terms.play_clock);
        let expected = self.order(plies, true, soft);
        let (to_answer, answer) = watch::channel(None);
        let session = Arc::clone(self);
        tokio::spawn(async move {
            let (text, remark) = session.decide(plies, expected, hard).await;
            let line = format!("{} ply {} {text}: {remark}", session.id(), plies + 1);
            to_answer.send_replace(Some(text));
            session.log.line(&line);
        });
        answer
    }

    /// The answer, and why it is that.
    async fn decide(
        self: &Arc<Session>,
        plies: usize,
        expected: Expected,
        hard: Instant,
    ) -> (String, String) {
        let Expected { mut thought, legal: mut thinkers, best } = expected;
        let (to_legal, mut followers) = oneshot::channel();
        let session = Arc::clone(self);
        drop(spawn_blocking(move || {
            session.follow(|legal| {
                let _ = to_legal.send(legal);
            });
        }));
        let (mut thinks, mut follows, mut starts) = (true, true, true);
        let mut known: Option<Vec<String>> = None;
        loop {
            tokio::select! {
                biased;
                found = &mut thought, if thinks => match found {
                    Ok(Thought::Move { text, remark }) => {
                        return self.settle(plies, Some((text, remark)), known, "the search is astray");
                    }
                    Ok(Thought::Nothing) | Err(_) => thinks = false,
                },
                found = &mut followers, if follows => {
                    follows = false;
                    known = found.ok().or(known);
                }
                found = &mut thinkers, if starts => {
                    starts = false;
                    known = known.or(found.ok());
                }
                () = sleep_until(hard.into()) => {
                    self.lateness.note(hard.elapsed());
                    return self.settle(plies, best.get(), known, "out of time");
                }
            }
            match &known {
                Some(legal) if legal.len() == 1 => {
                    return (legal[0].clone(), "no choice".to_owned());
                }
                Some(_) if !thinks => {
                    return self.settle(plies, best.get(), known, "the search has failed");
                }
                _ => {}
            }
        }
    }

    /// What was found, unless it is known not to be legal; without it one of the legal moves, at
    /// random. A move of another ply is no better than none.
    fn settle(
        &self,
        plies: usize,
        found: Option<(String, String)>,
        legal: Option<Vec<String>>,
        trouble: &str,
    ) -> (String, String) {
        let mut legal = legal.unwrap_or_default();
        match found {
            Some(found) if legal.is_empty() || legal.contains(&found.0) => found,
            _ if legal.is_empty() => {
                (NIL.to_owned(), format!("{trouble}, and no legal move is known"))
            }
            _ => {
                let mut rng = Rng::stream(&[self.manner.seed, plies as u64]);
                (legal.swap_remove(rng.below(legal.len())), format!("{trouble}, at random"))
            }
        }
    }

    /// Stops what is being thought, and orders to think until the given moment.
    fn order(&self, plies: usize, is_play: bool, until: Instant) -> Expected {
        let halt = Arc::new(Halt::default());
        std::mem::replace(&mut *lock(&self.halt), Arc::clone(&halt)).request();
        let (answer, thought) = oneshot::channel();
        let (to_legal, legal) = oneshot::channel();
        let best = Arc::<BestSoFar>::default();
        if let Some(orders) = &*lock(&self.orders) {
            let (halt, best) = (Arc::clone(&halt), Arc::clone(&best));
            let _ = orders.send(Order { plies, is_play, halt, legal: to_legal, best, answer });
        }
        tokio::spawn(async move {
            sleep_until(until.into()).await;
            halt.request();
        });
        Expected { thought, legal, best }
    }

    /// When thinking ends, and when anything at all must be answered. The margin is never more
    /// than half of the clock, and not even a late machine answers before half of it is over.
    fn deadlines(&self, received: Instant, clock: Duration) -> (Instant, Instant) {
        let margin = self.manner.margin.min(clock / 2);
        // Half of the margin is there for that anyway.
        let late = (2 * self.lateness.recent()).saturating_sub(margin / 2);
        let hard = clock - margin / 2 - late.min(clock / 2 - margin / 2);
        (received + (hard - margin / 2), received + hard)
    }

    /// Brings the follower up to date, and tells the legal moves of our role as soon as they are
    /// known.
    fn follow(&self, tell: impl FnOnce(Vec<String>)) {
        self.with_follower(tell, |_| ());
    }

    /// The same, for a look at the position. The follower is made if there is none, and from the
    /// moment the rules are compiled it follows the compiled game. Takes as long as it takes.
    fn with_follower<T>(
        &self,
        tell: impl FnOnce(Vec<String>),
        look: impl FnOnce(&Follower) -> T,
    ) -> Option<T> {
        let mut place = lock(&self.follower);
        let compiled = || self.game().filter(|game| !game.is_interpreted());
        if place.as_ref().is_none_or(Follower::is_interpreted) {
            // An interpreter serves one caller at a time, so that of the thinking thread is of no
            // use here.
            *place = match compiled() {
                Some(game) => Some(Follower::new(game)),
                None => place.take().or_else(|| self.interpreter().map(Follower::new)),
            };
        }
        let follower = place.as_mut()?;
        let history = lock(&self.history).clone();
        self.following.set_at_work(follower.is_interpreted());
        let lost = follower.catch_up(&history, self.terms.role, |legal| {
            tell(legal);
            self.following.note(history.len());
        });
        self.following.set_at_work(false);
        if let Some(lost) = lost.map(|lost| follower.trouble().unwrap_or(lost)) {
            self.log.line(&format!("{} {lost}", self.id()));
        }
        Some(look(follower))
    }

    fn interpreter(&self) -> Option<GdlGame> {
        self.following.set_at_work(true);
        match GdlGame::interpreted(&self.terms.rules) {
            Ok(game) => Some(game),
            Err(error) => {
                self.following.set_at_work(false);
                self.log.line(&format!("{} no legal moves are known: {error}", self.id()));
                None
            }
        }
    }
}

/// How late the machine wakes us: much other work makes every moment come later than it was set.
#[derive(Debug, Default)]
struct Lateness {
    /// In microseconds.
    recent: AtomicU64,
}

impl Lateness {
    /// Measures until `closed` is requested.
    fn watch(closed: Arc<Stop>) -> Arc<Lateness> {
        const PERIOD: Duration = Duration::from_millis(25);
        let lateness = Arc::new(Lateness::default());
        let measured = Arc::clone(&lateness);
        tokio::spawn(async move {
            while !closed.requested() {
                let due = Instant::now() + PERIOD;
                sleep_until(due.into()).await;
                // Forgotten by half in about twenty seconds.
                let before = measured.recent.load(Ordering::Relaxed);
                measured.recent.store(before - before / 1024, Ordering::Relaxed);
                measured.note(due.elapsed());
            }
        });
        lateness
    }

    fn note(&self, late: Duration) {
        self.recent.fetch_max(late.as_micros() as u64, Ordering::Relaxed);
    }

    fn recent(&self) -> Duration {
        Duration::from_micros(self.recent.load(Ordering::Relaxed))
    }
}

/// How long compiling is waited for before the rules are interpreted: most sheets need less.
const PATIENCE: Duration = Duration::from_millis(150);
