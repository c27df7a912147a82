//! The player: answers the messages of hosts, and plays one match at a time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sakiyomi_catalog::{AgentSpec, RandomSpec};
use sakiyomi_gdl::protocol::{
    ABORTED, BUSY, DONE, PlayerStatus, ProtocolError, READY, Request, Status, same_id,
};
use sakiyomi_gdl::{GdlGame, Limits, Settings, Severity, Sheet, check};
use tokio::task::spawn_blocking;
use tokio::time::timeout_at;

use super::lock;
use super::log::Log;
use super::mind::Alive;
use super::session::{Manner, Session, Terms};

/// Who plays, and how.
#[derive(Clone, Debug)]
pub struct PlayerSettings {
    pub name: String,
    /// Its own budget does not count: the clock does.
    pub agent: AgentSpec,
    /// How long before the end of a clock thinking ends, so that the answer arrives in time.
    pub margin: Duration,
    /// Trees that a tree search grows at the same time, each on a core, if its own number is 1.
    pub trees: u32,
    /// Thinking about a move also ends after this number of iterations.
    pub iterations: Option<u64>,
    pub limits: Limits,
    pub seed: u64,
    /// Origins of web pages that may ask, such as `http://localhost:8000`; `*` is any.
    pub allowed_origins: Vec<String>,
}

impl PlayerSettings {
    pub const DEFAULT_MARGIN: Duration = Duration::from_millis(500);

    pub fn new(agent: AgentSpec) -> PlayerSettings {
        PlayerSettings {
            name: "sakiyomi".to_owned(),
            agent,
            margin: PlayerSettings::DEFAULT_MARGIN,
            trees: 1,
            iterations: None,
            limits: Limits::default(),
            seed: 1,
            allowed_origins: Vec::new(),
        }
    }
}

/// An agent that does not keep to a clock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{agent} cannot be held to a clock; choose a search, such as uct, or random")]
pub struct Timeless {
    pub agent: String,
}

impl sakiyomi_core::Fault for Timeless {}

#[derive(Debug)]
pub struct Player {
    settings: PlayerSettings,
    log: Arc<Log>,
    current: Mutex<Option<Arc<Session>>>,
    /// The rules that were compiled last, with their game: hosts like to repeat a game.
    known: Mutex<Option<(String, GdlGame)>>,
    n_started: AtomicU64,
    alive: Alive,
}

impl Player {
    pub fn new(settings: PlayerSettings, log: Log) -> Result<Arc<Player>, Timeless> {
        let mut settings = settings;
        if let Some(budget) = settings.agent.budget_mut() {
            (budget.iterations, budget.wall, budget.cpu) = (settings.iterations, None, None);
        } else if settings.agent != RandomSpec.into() {
            return Err(Timeless { agent: settings.agent.to_string() });
        }
        let tree = settings.agent.tree_search_mut().map(|search| &mut search.tree);
        if let Some(tree) = tree.filter(|tree| tree.trees == 1) {
            tree.trees = settings.trees.max(1);
        }
        Ok(Arc::new(Player {
            settings,
            log: Arc::new(log),
            current: Mutex::default(),
            known: Mutex::default(),
            n_started: AtomicU64::new(0),
            alive: Alive::default(),
        }))
    }

    /// Answers a message that came at `received`. Only what is no message is an error.
    pub async fn answer(
        self: &Arc<Player>,
        message: &str,
        received: Instant,
    ) -> Result<String, ProtocolError> {
        let answer = match Request::parse(message)? {
            Request::Info => {
                let status = if self.is_busy() { Status::Busy } else { Status::Available };
                PlayerStatus { name: Some(self.settings.name.clone()), status }.to_string()
            }
            Request::Preview { rules, clock } => self.preview(rules, received + clock).await.into(),
            Request::Start { id, role, rules, start_clock, play_clock } => {
                let terms = Terms { id, role: 0, rules, start_clock, play_clock };
                self.start(terms, role, received).await.into()
            }
            Request::Play { id, moves } => match self.session(&id) {
                Some(session) => session.play(moves, received).await,
                None => BUSY.into(),
            },
            Request::Stop { id, moves } => match self.leave(&id) {
                Some(session) => {
                    session.stop(moves);
                    DONE.into()
                }
                None => BUSY.into(),
            },
            Request::Abort { id } => match self.leave(&id) {
                Some(session) => {
                    session.close();
                    ABORTED.into()
                }
                None => BUSY.into(),
            },
        };
        Ok(answer)
    }

    /// Ends the match that is being played, if there is one.
    pub fn close(&self) {
        if let Some(session) = lock(&self.current).take() {
            session.close();
        }
    }

    /// Whether a match is being played.
    pub fn is_busy(&self) -> bool {
        lock(&self.current).as_ref().is_some_and(|session| !session.is_forsaken())
    }

    /// The threads that think about a match, or have not yet noticed that it is over.
    pub fn n_thinking(&self) -> usize {
        self.alive.count()
    }

    pub(super) fn allowed_origins(&self) -> &[String] {
        &self.settings.allowed_origins
    }

    pub(super) fn log(&self) -> &Log {
        &self.log
    }

    async fn start(
        self: &Arc<Player>,
        mut terms: Terms,
        role: String,
        received: Instant,
    ) -> &'static str {
        if let Some(session) = self.session(&terms.id) {
            session.until_ready().await;
            return READY;
        }
        let rules = terms.rules.clone();
        let found = spawn_blocking(move || role_number(&rules, &role)).await;
        match found.unwrap_or_else(|error| Err(error.to_string())) {
            Ok(role) => terms.role = role,
            Err(problem) => {
                self.log.line(&format!("{} is refused: {problem}", terms.id));
                return BUSY;
            }
        }
        let Some(session) = self.sit_down(terms) else { return BUSY };
        let (player, preparing) = (Arc::clone(self), Arc::clone(&session));
        // A task of its own: who started the match may hang up and ask again.
        tokio::spawn(async move {
            preparing.prepare(received).await;
            if let Some(game) = preparing.game() {
                player.remember(preparing.rules(), game);
            }
        });
        session.until_ready().await;
        READY
    }

    /// Opens a match, unless one is being played.
    fn sit_down(&self, terms: Terms) -> Option<Arc<Session>> {
        let mut current = lock(&self.current);
        if let Some(session) = current.as_ref() {
            if !session.is_forsaken() {
                return None;
            }
            self.log.line(&format!("{} is given up: its host is silent", session.id()));
            session.close();
        }
        if self.n_thinking() >= MOST_THREADS {
            self.log.line("busy: threads of cancelled matches have not ended yet");
            return None;
        }
        let number = self.n_started.fetch_add(1, Ordering::SeqCst);
        let manner = Manner {
            agent: self.settings.agent.clone(),
            margin: self.settings.margin,
            settings: self.compile_settings(),
            seed: self.settings.seed.wrapping_add(number),
        };
        let known = self.recall(&terms.rules);
        let log = Arc::clone(&self.log);
        match Session::open(terms, manner, known, log, &self.alive) {
            Ok(session) => {
                *current = Some(Arc::clone(&session));
                Some(session)
            }
            Err(error) => {
                self.log.line(&format!("no thread can be started: {error}"));
                None
            }
        }
    }

    async fn preview(self: &Arc<Player>, rules: String, until: Instant) -> &'static str {
        if self.is_busy() {
            return BUSY;
        }
        if self.recall(&rules).is_none() {
            let (player, settings) = (Arc::clone(self), self.compile_settings());
            let compile = spawn_blocking(move || match GdlGame::new(&rules, &settings) {
                Ok(game) => player.remember(&rules, game),
                Err(error) => player.log.line(&format!("the previewed rules: {error}")),
            });
            let _ =
                timeout_at((until - self.settings.margin.min(HALF_SECOND)).into(), compile).await;
        }
        READY
    }

    fn compile_settings(&self) -> Settings {
        Settings { limits: self.settings.limits, ..Settings::default() }
    }

    fn recall(&self, rules: &str) -> Option<GdlGame> {
        let known = lock(&self.known);
        known.as_ref().filter(|(known, _)| known == rules).map(|(_, game)| game.clone())
    }

    fn remember(&self, rules: &str, game: GdlGame) {
        // An interpreter serves one caller at a time, so everyone gets one of their own.
        if !game.is_interpreted() {
            *lock(&self.known) = Some((rules.to_owned(), game));
        }
    }

    /// The match with this id, if it is being played.
    fn session(&self, id: &str) -> Option<Arc<Session>> {
        lock(&self.current).clone().filter(|session| same_id(session.id(), id))
    }

    /// The match with this id, which is no longer played from now on.
    fn leave(&self, id: &str) -> Option<Arc<Session>> {
        let mut current = lock(&self.current);
        let ours = current.as_ref().is_some_and(|session| same_id(session.id(), id));
        if ours { current.take() } else { None }
    }
}

/// Threads of matches that are over may still be there for a moment: two of each match.
const MOST_THREADS: usize = 8;
const HALF_SECOND: Duration = Duration::from_millis(500);

/// The number of a role in rules that can be played at all.
fn role_number(rules: &str, role: &str) -> Result<usize, String> {
    let sheet = Sheet::parse(rules).map_err(|error| error.to_string())?;
    let error = check(&sheet).into_iter().find(|finding| finding.severity == Severity::Error);
    if let Some(error) = error {
        return Err(error.to_string());
    }
    let roles = sheet.roles();
    let exact = roles.iter().position(|other| other == role);
    let found = exact.or_else(|| roles.iter().position(|other| other.eq_ignore_ascii_case(role)));
    found.ok_or_else(|| format!("the rules have no role {role}, only {}", roles.join(", ")))
}
