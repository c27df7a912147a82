//! A running match with its types erased: what a command line, a server or a binding holds. Moves
//! come as text, and here is the one place where their legality is checked.

use std::time::Instant;

use sakiyomi_core::{Agent, Context, Forfeit, Playable, Player, Rng, Stop, Turn, View};
use serde::{Deserialize, Serialize};

use crate::fields::suggestion;
use crate::{AgentSpec, GameSpec, Seat, SpecError, Visitor};

/// One match. Chance is drawn by the table itself, from the seed, as soon as it is chance's turn.
pub trait Table: Send {
    fn game(&self) -> &GameSpec;
    fn players(&self) -> usize;
    fn player_name(&self, player: Player) -> String;
    fn turn(&self) -> Turn;
    fn view(&self) -> View;

    /// The legal actions of a player who is choosing; none for others.
    fn legal(&self, player: Player) -> Vec<LegalAction>;

    /// Plays one text per choosing player, in player order. Nothing changes if one is not legal.
    fn play(&mut self, texts: &[&str]) -> Result<(), TableError>;

    /// Takes back the last choice, and the chance that followed it. False at the start.
    fn undo(&mut self) -> bool;

    /// Seats an agent, which from now on watches the match and keeps what it learns.
    fn seat(&mut self, player: Player, agent: &AgentSpec) -> Result<(), TableError>;

    /// Lets the seated agent of a choosing player think. It does not play.
    fn think(&mut self, player: Player, stop: &Stop) -> Result<Advice, TableError>;

    /// Asks any agent what it would play for a choosing player.
    fn advise(&self, agent: &AgentSpec, player: Player, stop: &Stop) -> Result<Advice, TableError>;

    fn record(&self) -> Record;
}

/// A match as data. Playing its texts in order rebuilds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub game: GameSpec,
    pub seed: u64,
    /// Per step one text for each choosing player, or the outcome of chance.
    pub moves: Vec<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LegalAction {
    pub text: String,
    /// Cells to click, in order; see [`sakiyomi_core::Show::action_cells`].
    pub cells: Vec<u16>,
}

/// What an agent thinks, for people and other programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    pub action: String,
    /// All actions it considered, the largest share first.
    pub policy: Vec<Share>,
    pub value: Option<f64>,
    pub iterations: u64,
    pub nodes: u64,
    pub seconds: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    pub action: String,
    pub share: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    #[error("the match is over")]
    Over,
    #[error("{name} does not choose now")]
    NotChoosing { name: String },
    #[error("{expected} choose now, but {found} actions were given")]
    Count { expected: usize, found: usize },
    #[error("`{text}` is not legal for {name}{suggestion}; legal: {legal}")]
    Illegal { text: String, name: String, suggestion: String, legal: String },
    #[error("step {step} of the record: `{text}` cannot happen by chance here")]
    Chance { step: usize, text: String },
    #[error("step {step} of the record: {error}")]
    Step { step: usize, error: Box<TableError> },
    #[error("no agent is seated as {name}")]
    NoAgent { name: String },
    #[error("{name} gives up: {forfeit}")]
    Forfeit { name: String, forfeit: Forfeit },
    #[error(transparent)]
    Spec(#[from] SpecError),
}

/// Opens a match at its start.
pub fn open_table(game: &GameSpec, seed: u64) -> Result<Box<dyn Table>, SpecError> {
    let record = Record { game: game.clone(), seed, moves: Vec::new() };
    game.with(Open(&record)).map(|opened| opened.expect("an empty record has no wrong step"))
}

/// Opens a match and plays a record.
pub fn replay(record: &Record) -> Result<Box<dyn Table>, TableError> {
    record.game.with(Open(record))?
}

/// The views of a recorded match: at its start and after every step.
pub fn views(record: &Record) -> Result<Vec<View>, TableError> {
    struct Views<'a>(&'a Record);
    impl Visitor for Views<'_> {
        type Out = Result<Vec<View>, TableError>;

        fn visit<G: Playable>(self, game: G) -> Self::Out {
            let mut table = TableOf::new(game, self.0);
            let mut views = vec![table.view()];
            for (step, texts) in self.0.moves.iter().enumerate() {
                table.replay_step(step + 1, texts)?;
                views.push(table.view());
            }
            Ok(views)
        }
    }
    record.game.with(Views(record))?
}

struct Open<'a>(&'a Record);

impl Visitor for Open<'_> {
    type Out = Result<Box<dyn Table>, TableError>;

    fn visit<G: Playable>(self, game: G) -> Self::Out {
        let mut table = TableOf::new(game, self.0);
        for (step, texts) in self.0.moves.iter().enumerate() {
            table.replay_step(step + 1, texts)?;
        }
        table.draw_chance();
        Ok(Box::new(table))
    }
}

struct TableOf<G: Playable> {
    game: G,
    spec: GameSpec,
    seed: u64,
    state: G::State,
    /// Every step so far: the state before it, and what was played there.
    past: Vec<(G::State, Vec<G::Action>)>,
    agents: Vec<Option<Seated<G>>>,
}

struct Seated<G: Playable> {
    spec: AgentSpec,
    agent: Box<dyn Agent<G>>,
}

impl<G: Playable> TableOf<G> {
    /// The start of the match that the record is of.
    fn new(game: G, record: &Record) -> TableOf<G> {
        TableOf {
            state: game.start(),
            agents: (0..game.players()).map(|_| None).collect(),
            game,
            spec: record.game.clone(),
            seed: record.seed,
            past: Vec::new(),
        }
    }

    /// Who chooses now, if `player` is one of them.
    fn choosing(&self, player: Player) -> Result<(), TableError> {
        match self.game.turn(&self.state) {
            Turn::Choose(who) if who.contains(player) => Ok(()),
            Turn::Over(_) => Err(TableError::Over),
            _ => Err(TableError::NotChoosing { name: self.game.player_name(player) }),
        }
    }

    fn parse(&self, player: Player, text: &str) -> Result<G::Action, TableError> {
        self.game.parse(&self.state, player, text).ok_or_else(|| {
            let legal: Vec<String> = self.legal(player).into_iter().map(|a| a.text).collect();
            let texts: Vec<&str> = legal.iter().map(String::as_str).collect();
            TableError::Illegal {
                text: text.trim().to_owned(),
                name: self.game.player_name(player),
                suggestion: suggestion(text.trim(), &texts),
                legal: texts.join(" "),
            }
        })
    }

    fn step(&mut self, actions: Vec<G::Action>) {
        for seated in self.agents.iter_mut().flatten() {
            seated.agent.observe(&self.game, &self.state, &actions);
        }
        let mut next = self.state.clone();
        self.game.apply(&mut next, &actions);
        self.past.push((std::mem::replace(&mut self.state, next), actions));
    }

    /// Draws for chance until it is someone's turn. Every step has a stream of its own, so that
    /// what was drawn before does not depend on how it came about.
    fn draw_chance(&mut self) {
        while self.game.turn(&self.state) == Turn::Chance {
            let mut rng = Rng::stream(&[self.seed, CHANCE, self.past.len() as u64]);
            let outcome = self.game.sample(&self.state, &mut Vec::new(), &mut rng);
            self.step(vec![outcome]);
        }
    }

    fn replay_step(&mut self, step: usize, texts: &[String]) -> Result<(), TableError> {
        if self.game.turn(&self.state) == Turn::Chance {
            let mut outcomes = Vec::new();
            self.game.outcomes(&self.state, &mut outcomes);
            let text = texts.first().map(String::as_str).unwrap_or_default();
            let drawn = outcomes
                .into_iter()
                .find(|outcome| self.game.outcome_text(&self.state, outcome.0) == text);
            let (outcome, _) =
                drawn.ok_or_else(|| TableError::Chance { step, text: text.to_owned() })?;
            self.step(vec![outcome]);
            return Ok(());
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let actions = self
            .joint(&texts)
            .map_err(|error| TableError::Step { step, error: Box::new(error) })?;
        self.step(actions);
        Ok(())
    }

    fn joint(&self, texts: &[&str]) -> Result<Vec<G::Action>, TableError> {
        let Turn::Choose(who) = self.game.turn(&self.state) else { return Err(TableError::Over) };
        if who.len() != texts.len() {
            return Err(TableError::Count { expected: who.len(), found: texts.len() });
        }
        who.zip(texts).map(|(player, text)| self.parse(player, text)).collect()
    }

    fn build(&self, spec: &AgentSpec, player: Player) -> Result<Box<dyn Agent<G>>, TableError> {
        let seat = Seat { game: &self.spec, player, seed: self.seed };
        let mut agent = spec.build(&self.game, &seat)?;
        for (before, actions) in &self.past {
            agent.observe(&self.game, before, actions);
        }
        Ok(agent)
    }

    fn ask(
        &self,
        agent: &mut dyn Agent<G>,
        player: Player,
        stop: &Stop,
    ) -> Result<Advice, TableError> {
        self.choosing(player)?;
        let address = [self.seed, 1 + u64::from(player.0), self.past.len() as u64];
        let mut context = Context { rng: &mut Rng::stream(&address), stop };
        let start = Instant::now();
        let choice =
            agent.choose(&self.game, &self.state, player, &mut context).map_err(|forfeit| {
                TableError::Forfeit { name: self.game.player_name(player), forfeit }
            })?;
        let text = |action: G::Action| self.game.action_text(&self.state, player, action);
        let shares = choice.policy.iter().map(|&(a, share)| Share { action: text(a), share });
        let mut policy: Vec<Share> = shares.collect();
        policy.sort_by(|a, b| b.share.total_cmp(&a.share));
        Ok(Advice {
            action: text(choice.action),
            policy,
            value: choice.value,
            iterations: choice.iterations,
            nodes: choice.nodes,
            seconds: start.elapsed().as_secs_f64(),
        })
    }
}

/// The stream of chance; those of the players are counted from 1.
const CHANCE: u64 = 0;

impl<G: Playable> Table for TableOf<G> {
    fn game(&self) -> &GameSpec {
        &self.spec
    }

    fn players(&self) -> usize {
        self.game.players()
    }

    fn player_name(&self, player: Player) -> String {
        self.game.player_name(player)
    }

    fn turn(&self) -> Turn {
        self.game.turn(&self.state)
    }

    fn view(&self) -> View {
        self.game.view(&self.state)
    }

    fn legal(&self, player: Player) -> Vec<LegalAction> {
        if self.choosing(player).is_err() {
            return Vec::new();
        }
        let mut actions = Vec::new();
        self.game.actions(&self.state, player, &mut actions);
        let show = |action| LegalAction {
            text: self.game.action_text(&self.state, player, action),
            cells: self.game.action_cells(&self.state, player, action),
        };
        actions.into_iter().map(show).collect()
    }

    fn play(&mut self, texts: &[&str]) -> Result<(), TableError> {
        let actions = self.joint(texts)?;
        self.step(actions);
        self.draw_chance();
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let is_choice = |(state, _): &(G::State, _)| self.game.turn(state) != Turn::Chance;
        let Some(last) = self.past.iter().rposition(is_choice) else { return false };
        let (state, _) = self.past.swap_remove(last);
        self.past.truncate(last);
        self.state = state;
        // What agents learned of moves that were taken back is forgotten with them.
        for i in 0..self.agents.len() {
            if let Some(Seated { spec, .. }) = self.agents[i].take() {
                let _ = self.seat(Player(i as u8), &spec);
            }
        }
        true
    }

    fn seat(&mut self, player: Player, agent: &AgentSpec) -> Result<(), TableError> {
        let seated = Seated { spec: agent.clone(), agent: self.build(agent, player)? };
        self.agents[player.index()] = Some(seated);
        Ok(())
    }

    fn think(&mut self, player: Player, stop: &Stop) -> Result<Advice, TableError> {
        let name = || self.game.player_name(player);
        let mut seated = self.agents[player.index()]
            .take()
            .ok_or_else(|| TableError::NoAgent { name: name() })?;
        let advice = self.ask(seated.agent.as_mut(), player, stop);
        self.agents[player.index()] = Some(seated);
        advice
    }

    fn advise(&self, agent: &AgentSpec, player: Player, stop: &Stop) -> Result<Advice, TableError> {
        self.ask(self.build(agent, player)?.as_mut(), player, stop)
    }

    fn record(&self) -> Record {
        let texts = |(state, actions): &(G::State, Vec<G::Action>)| match self.game.turn(state) {
            Turn::Choose(who) => who
                .zip(actions)
                .map(|(player, &action)| self.game.action_text(state, player, action))
                .collect(),
            _ => vec![self.game.outcome_text(state, actions[0])],
        };
        let moves = self.past.iter().map(texts).collect();
        Record { game: self.spec.clone(), seed: self.seed, moves }
    }
}
