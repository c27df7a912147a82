//! A running match with its types erased: what a command line, a server or a binding holds. Moves
//! come as text, and here is the one place where their legality is checked.

use std::time::Instant;

use sakiyomi_core::{
    Agent, Colour, Context, Effect, Fault, Forfeit, LegendEntry, OrderForm, Phrase, Player, Rng,
    Stop, Turn, View, Watch, Way,
};
use serde::{Deserialize, Serialize};

use crate::fields::suggestion;
use crate::thought::{PlayedStep, Scene, played_step, step_texts};
use crate::{AgentSpec, CatalogGame, GameSpec, Seat, SpecError, Thought, Visitor};

/// One match. Chance is drawn by the table itself, from the seed, as soon as it is chance's turn.
pub trait Table: Send {
    fn game(&self) -> &GameSpec;
    fn players(&self) -> usize;
    /// The name in English.
    fn player_name(&self, player: Player) -> String;
    /// How a player is shown.
    fn player_face(&self, player: Player) -> PlayerFace;
    /// What the drawings on the board stand for.
    fn legend(&self) -> Vec<LegendEntry>;
    fn turn(&self) -> Turn;
    /// Why the match ends here although its rules do not say so; see [`Game::trouble`].
    ///
    /// [`Game::trouble`]: sakiyomi_core::Game::trouble
    fn trouble(&self) -> Option<String>;
    fn view(&self) -> View;

    /// The legal actions of a player who is choosing, or some of them where they are too many to
    /// list; none for others.
    fn legal(&self, player: Player) -> Vec<LegalAction>;

    /// How many actions [`Table::legal`] has.
    fn n_legal(&self, player: Player) -> usize;

    /// How a player who is choosing writes an action, where it is put together from orders.
    fn order_form(&self, player: Player) -> Option<OrderForm>;

    /// Through which cells pieces went in the last step, where the game tells.
    fn ways(&self) -> Vec<Way>;

    /// The text of the legal action that a person's text means, as it stands in a record.
    fn legal_text(&self, player: Player, text: &str) -> Result<String, TableError>;

    /// Plays one text per choosing player, in player order. Nothing changes if one is not legal.
    fn play(&mut self, texts: &[&str]) -> Result<(), TableError>;

    /// Takes back the last choice, and the chance that followed it. False at the start.
    fn undo(&mut self) -> bool;

    /// Seats an agent, which from now on watches the match and keeps what it learns.
    fn seat(&mut self, player: Player, agent: &AgentSpec) -> Result<(), TableError>;

    /// Lets the seated agent of a choosing player think. It does not play.
    fn think(&mut self, player: Player, stop: &Stop) -> Result<Thought, TableError>;

    /// Asks any agent what it would play for a choosing player.
    fn advise(&self, agent: &AgentSpec, player: Player, stop: &Stop)
    -> Result<Thought, TableError>;

    /// Asks like [`Table::advise`], is told by `watch` what is known while the agent thinks, and
    /// gets its tree in the end.
    fn inspect(
        &self,
        agent: &AgentSpec,
        player: Player,
        stop: &Stop,
        watch: &mut dyn FnMut(Thought),
    ) -> Result<Thought, TableError>;

    /// Who did what so far, one entry per step.
    fn past(&self) -> Vec<PlayedStep>;

    fn record(&self) -> Record;
}

/// Places of its tree that an agent shows when it has decided.
const SHOWN_PLACES: usize = 400;

/// A match as data. Playing its texts in order rebuilds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub game: GameSpec,
    pub seed: u64,
    /// Per step one text for each choosing player, or the outcome of chance.
    pub moves: Vec<Vec<String>>,
}

/// An action that a player may choose now.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LegalAction {
    pub text: String,
    /// Cells to click, in order; none if it is chosen by its text or its card.
    pub cells: Vec<u16>,
    /// Further cells that mean the same as the last of `cells`.
    pub area: Vec<u16>,
    /// The card of the player's hand that it plays.
    pub card: Option<u16>,
    /// What kind of action it is, such as `attack`, where there are several.
    pub kind: Option<Phrase>,
    /// What it would do, in numbers.
    pub effects: Vec<Effect>,
    /// It does nothing but end the turn.
    pub ends_turn: bool,
}

/// How a player is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlayerFace {
    pub name: Phrase,
    /// The colour of its pieces, if the game has one for it.
    pub colour: Option<Colour>,
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
    #[error("the rules cannot be followed: {message}")]
    Trouble { message: String },
    #[error("no agent is seated as {name}")]
    NoAgent { name: String },
    #[error("{name} gives up: {forfeit}")]
    Forfeit { name: String, forfeit: Forfeit },
    #[error(transparent)]
    Spec(#[from] SpecError),
}

impl Fault for TableError {
    fn is_input(&self) -> bool {
        match self {
            TableError::NoAgent { .. } | TableError::Forfeit { .. } => false,
            TableError::Step { error, .. } => error.is_input(),
            TableError::Over
            | TableError::NotChoosing { .. }
            | TableError::Count { .. }
            | TableError::Illegal { .. }
            | TableError::Chance { .. }
            | TableError::Trouble { .. }
            | TableError::Spec(_) => true,
        }
    }
}

impl TableError {
    /// The step of a record that is wrong, counted from 1.
    pub fn step(&self) -> Option<usize> {
        match self {
            TableError::Chance { step, .. } | TableError::Step { step, .. } => Some(*step),
            _ => None,
        }
    }
}

/// Opens a match at its start.
pub fn open_table(game: &GameSpec, seed: u64) -> Result<Box<dyn Table>, SpecError> {
    let record = Record { game: game.clone(), seed, moves: Vec::new() };
    let opened = game.with(Open { record: &record, look: &mut |_| {} })?;
    opened.map_err(|error| SpecError { spec: game.to_string(), message: error.to_string() })
}

/// Opens a match and plays a record.
pub fn replay(record: &Record) -> Result<Box<dyn Table>, TableError> {
    replay_each(record, &mut |_| {})
}

/// Opens a match and plays a record, and shows the match to `look` at its start and after every
/// step.
pub fn replay_each(
    record: &Record,
    look: &mut dyn FnMut(&dyn Table),
) -> Result<Box<dyn Table>, TableError> {
    record.game.with(Open { record, look })?
}

/// The views of a recorded match: at its start and after every step.
pub fn views(record: &Record) -> Result<Vec<View>, TableError> {
    let mut views = Vec::new();
    replay_each(record, &mut |table| views.push(table.view()))?;
    Ok(views)
}

struct Open<'a> {
    record: &'a Record,
    look: &'a mut dyn FnMut(&dyn Table),
}

impl Visitor for Open<'_> {
    type Out = Result<Box<dyn Table>, TableError>;

    fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
        let Open { record, look } = self;
        let mut table = TableOf::new(game, record);
        look(&table);
        for (step, texts) in record.moves.iter().enumerate() {
            table.replay_step(step + 1, texts)?;
            look(&table);
        }
        table.draw_chance();
        match table.trouble() {
            Some(message) => Err(TableError::Trouble { message }),
            None => Ok(Box::new(table)),
        }
    }
}

struct TableOf<G: CatalogGame> {
    game: G,
    spec: GameSpec,
    seed: u64,
    state: G::State,
    /// Every step so far: the state before it, and what was played there.
    past: Vec<(G::State, Vec<G::Action>)>,
    agents: Vec<Option<Seated<G>>>,
}

struct Seated<G: CatalogGame> {
    spec: AgentSpec,
    agent: Box<dyn Agent<G>>,
}

impl<G: CatalogGame> TableOf<G> {
    /// The start of the match that the record is of.
    fn new(game: G, record: &Record) -> TableOf<G> {
        TableOf {
            state: game.start(),
            agents: (0..game.players()).map(|_| None).collect(),
            game,
            // What cannot be made independent of its file stays as it is.
            spec: record.game.portable().unwrap_or_else(|_| record.game.clone()),
            seed: record.seed,
            past: Vec::new(),
        }
    }

    /// Who chooses now, if `player` is one of them.
    fn choosing(&self, player: Player) -> Result<(), TableError> {
        match self.game.turn(&self.state) {
            Turn::Choose(who) if who.contains(player) => Ok(()),
            Turn::Over(_) => Err(TableError::Over),
            _ => Err(TableError::NotChoosing { name: self.player_name(player) }),
        }
    }

    fn parse(&self, player: Player, text: &str) -> Result<G::Action, TableError> {
        self.game.parse(&self.state, player, text).ok_or_else(|| {
            let legal: Vec<String> = self.legal(player).into_iter().map(|a| a.text).collect();
            let texts: Vec<&str> = legal.iter().map(String::as_str).collect();
            let (suggestion, legal) = match self.game.lists_all_actions() {
                true => (suggestion(text.trim(), &texts), texts.join(" ")),
                false => (String::new(), too_many(&texts)),
            };
            let (text, name) = (text.trim().to_owned(), self.player_name(player));
            TableError::Illegal { text, name, suggestion, legal }
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
        let Turn::Choose(who) = self.game.turn(&self.state) else {
            let trouble = self.trouble().map(|message| TableError::Trouble { message });
            return Err(trouble.unwrap_or(TableError::Over));
        };
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

    /// The stream of a player's decision at this step.
    fn rng_of(&self, player: Player) -> Rng {
        Rng::stream(&[self.seed, 1 + u64::from(player.0), self.past.len() as u64])
    }

    fn gives_up(&self, player: Player, forfeit: Forfeit) -> TableError {
        TableError::Forfeit { name: self.player_name(player), forfeit }
    }

    /// Lets an agent decide. If it is watched, what it knows is told while it thinks, and its tree
    /// in the end.
    fn ask(
        &self,
        agent: &mut dyn Agent<G>,
        player: Player,
        stop: &Stop,
        watch: Option<&mut dyn FnMut(Thought)>,
    ) -> Result<Thought, TableError> {
        self.choosing(player)?;
        let scene = Scene { game: &self.game, state: &self.state, player };
        let mut context = Context { rng: &mut self.rng_of(player), stop };
        let is_watched = watch.is_some();
        let seen = self.game.seen_by(&self.state, player);
        let start = Instant::now();
        let choice = match watch {
            Some(watch) => {
                let mut tell =
                    |insight| watch(scene.so_far(&insight, start.elapsed().as_secs_f64()));
                let mut watch = Watch::new(&mut tell);
                agent.choose_watched(&self.game, &seen, player, &mut context, &mut watch)
            }
            None => agent.choose(&self.game, &seen, player, &mut context),
        };
        let choice = choice.map_err(|forfeit| self.gives_up(player, forfeit))?;
        let seconds = start.elapsed().as_secs_f64();
        let insight = match is_watched {
            true => agent.insight(&self.game, &seen, SHOWN_PLACES),
            false => None,
        };
        Ok(scene.decided(&choice, insight.as_ref(), seconds))
    }
}

/// What is legal where there is too much of it to be listed.
fn too_many(texts: &[&str]) -> String {
    let some: Vec<String> = texts.iter().take(3).map(|text| format!("`{text}`")).collect();
    format!("too many to list, such as {}", some.join(", "))
}

/// The stream of chance; those of the players are counted from 1.
const CHANCE: u64 = 0;

impl<G: CatalogGame> Table for TableOf<G> {
    fn game(&self) -> &GameSpec {
        &self.spec
    }

    fn players(&self) -> usize {
        self.game.players()
    }

    fn player_name(&self, player: Player) -> String {
        self.game.player_name(player).to_string()
    }

    fn player_face(&self, player: Player) -> PlayerFace {
        let colour = self.game.player_colour(player);
        PlayerFace { name: self.game.player_name(player), colour }
    }

    fn legend(&self) -> Vec<LegendEntry> {
        self.game.legend()
    }

    fn turn(&self) -> Turn {
        self.game.turn(&self.state)
    }

    fn trouble(&self) -> Option<String> {
        self.game.trouble(&self.state)
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
        let (game, state) = (&self.game, &self.state);
        let show = |action| LegalAction {
            text: game.action_text(state, player, action),
            cells: game.action_cells(state, player, action),
            area: game.action_area(state, player, action),
            card: game.action_card(state, player, action),
            kind: game.action_kind(state, player, action),
            effects: game.action_effects(state, player, action),
            ends_turn: game.ends_turn(state, player, action),
        };
        actions.into_iter().map(show).collect()
    }

    fn n_legal(&self, player: Player) -> usize {
        let mut actions = Vec::new();
        if self.choosing(player).is_ok() {
            self.game.actions(&self.state, player, &mut actions);
        }
        actions.len()
    }

    fn order_form(&self, player: Player) -> Option<OrderForm> {
        self.choosing(player).ok()?;
        self.game.order_form(&self.state, player)
    }

    fn ways(&self) -> Vec<Way> {
        let chosen = self.past.last().filter(|(state, _)| self.game.turn(state) != Turn::Chance);
        chosen.map_or_else(Vec::new, |(state, actions)| self.game.ways(state, actions))
    }

    fn legal_text(&self, player: Player, text: &str) -> Result<String, TableError> {
        self.choosing(player)?;
        Ok(self.game.action_text(&self.state, player, self.parse(player, text)?))
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

    fn think(&mut self, player: Player, stop: &Stop) -> Result<Thought, TableError> {
        let Some(mut seated) = self.agents[player.index()].take() else {
            return Err(TableError::NoAgent { name: self.player_name(player) });
        };
        let thought = self.ask(seated.agent.as_mut(), player, stop, None);
        self.agents[player.index()] = Some(seated);
        thought
    }

    fn advise(
        &self,
        agent: &AgentSpec,
        player: Player,
        stop: &Stop,
    ) -> Result<Thought, TableError> {
        self.ask(self.build(agent, player)?.as_mut(), player, stop, None)
    }

    fn inspect(
        &self,
        agent: &AgentSpec,
        player: Player,
        stop: &Stop,
        watch: &mut dyn FnMut(Thought),
    ) -> Result<Thought, TableError> {
        self.ask(self.build(agent, player)?.as_mut(), player, stop, Some(watch))
    }

    fn past(&self) -> Vec<PlayedStep> {
        let steps = self.past.iter();
        steps.map(|(state, actions)| played_step(&self.game, state, actions)).collect()
    }

    fn record(&self) -> Record {
        let texts =
            |(state, actions): &(G::State, Vec<G::Action>)| step_texts(&self.game, state, actions);
        let moves = self.past.iter().map(texts).collect();
        Record { game: self.spec.clone(), seed: self.seed, moves }
    }
}
