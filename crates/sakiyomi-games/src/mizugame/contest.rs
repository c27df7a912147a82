//! A match on one of several maps, drawn by chance before the first session: what a catalog opens, so
//! that matches are played on many maps and those of a round share theirs. With a single map nothing
//! is drawn.

use std::borrow::Cow;

use sakiyomi_core::{
    Agent, Budget, CellShape, Choice, Context, Encode, Forfeit, Game, HintSet, Hints, Insight,
    Payoffs, Phrase, Player, Rng, Script, Show, Turn, View, if_legal,
};

use super::map::MAX_TEAMS;
use super::orders::Orders;
use super::{Map, Mizugame, Position, SettingError, Settings};

/// The most maps of a contest.
pub const MAX_MAPS: usize = 1_000;

/// The rules on several maps with the same number of teams.
#[derive(Clone, Debug)]
pub struct Contest {
    fields: Vec<Mizugame>,
}

/// A position of a contest.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ContestState {
    /// The number of the map, if it has been drawn.
    field: Option<u16>,
    /// Until then the start on the first map.
    position: Position,
}

/// Why maps do not make a contest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContestError {
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error("{0} maps; expected 1 to {MAX_MAPS}")]
    Number(usize),
    #[error("maps with {0} and with {1} teams; all must have the same number")]
    Teams(usize, usize),
}

impl Contest {
    /// The rules on these maps, or what cannot be played.
    pub fn new(maps: Vec<Map>, settings: &Settings) -> Result<Contest, ContestError> {
        if !(1..=MAX_MAPS).contains(&maps.len()) {
            return Err(ContestError::Number(maps.len()));
        }
        let n_teams = maps[0].n_teams();
        if let Some(other) = maps.iter().find(|map| map.n_teams() != n_teams) {
            return Err(ContestError::Teams(n_teams, other.n_teams()));
        }
        let fields = maps.into_iter().map(|map| Mizugame::new(map, settings.clone()));
        Ok(Contest { fields: fields.collect::<Result<_, _>>()? })
    }

    /// The rules on the map of a state.
    pub fn field(&self, state: &ContestState) -> &Mizugame {
        &self.fields[usize::from(state.field.unwrap_or_default())]
    }
}

impl ContestState {
    pub fn position(&self) -> &Position {
        &self.position
    }
}

impl Game for Contest {
    type State = ContestState;
    /// An outcome of chance is the number of a map, [`Orders::of_number`].
    type Action = Orders;

    fn players(&self) -> usize {
        self.fields[0].players()
    }

    fn start(&self) -> ContestState {
        let field = (self.fields.len() == 1).then_some(0);
        ContestState { field, position: self.fields[0].start() }
    }

    fn turn(&self, state: &ContestState) -> Turn {
        match state.field {
            Some(_) => self.field(state).turn(&state.position),
            None => Turn::Chance,
        }
    }

    fn actions(&self, state: &ContestState, player: Player, out: &mut Vec<Orders>) {
        self.field(state).actions(&state.position, player, out);
    }

    fn apply(&self, state: &mut ContestState, actions: &[Orders]) {
        if state.field.is_some() {
            return self.field(state).apply(&mut state.position, actions);
        }
        let number = actions.first().map_or(0, |drawn| drawn.number());
        state.field = Some(number);
        state.position = self.field(state).start();
    }

    fn outcomes(&self, _: &ContestState, out: &mut Vec<(Orders, f64)>) {
        let share = 1.0 / self.fields.len() as f64;
        out.extend((0..self.fields.len()).map(|i| (Orders::of_number(i as u16), share)));
    }

    fn sample(&self, _: &ContestState, _: &mut Vec<(Orders, f64)>, rng: &mut Rng) -> Orders {
        Orders::of_number(rng.below(self.fields.len()) as u16)
    }

    fn lists_all_actions(&self) -> bool {
        false
    }

    fn legal(&self, state: &ContestState, player: Player, orders: Orders) -> bool {
        state.field.is_some() && self.field(state).legal(&state.position, player, orders)
    }

    fn random_action(
        &self,
        state: &ContestState,
        player: Player,
        actions: &mut Vec<Orders>,
        rng: &mut Rng,
    ) -> Orders {
        self.field(state).random_action(&state.position, player, actions, rng)
    }

    fn seen_by<'s>(&self, state: &'s ContestState, player: Player) -> Cow<'s, ContestState> {
        match self.field(state).seen_by(&state.position, player) {
            Cow::Borrowed(_) => Cow::Borrowed(state),
            Cow::Owned(position) => Cow::Owned(ContestState { field: state.field, position }),
        }
    }

    fn constant_sum(&self) -> bool {
        true
    }
}

impl Hints for Contest {
    fn provides(&self) -> HintSet {
        self.fields[0].provides()
    }

    fn estimate(&self, state: &ContestState) -> Option<Payoffs> {
        self.field(state).estimate(&state.position)
    }

    fn progress(&self, state: &ContestState) -> Payoffs {
        self.field(state).progress(&state.position)
    }

    fn round(&self, state: &ContestState) -> u32 {
        self.field(state).round(&state.position)
    }

    fn turns_left(&self, state: &ContestState) -> Option<u32> {
        self.field(state).turns_left(&state.position)
    }

    fn cell_shape(&self) -> Option<CellShape> {
        self.fields[0].cell_shape()
    }

    fn cells(&self, state: &ContestState, out: &mut Vec<u8>) {
        self.field(state).cells(&state.position, out);
    }

    fn scripted(&self) -> &'static [Script] {
        self.fields[0].scripted()
    }

    fn script(&self, name: &str, budget: Option<Budget>) -> Option<Box<dyn Agent<Self>>> {
        let player = self.fields[0].script(name, budget)?;
        Some(Box::new(OnDrawnMap(player)))
    }

    fn agents(&self, state: &ContestState, player: Player) -> usize {
        self.field(state).agents(&state.position, player)
    }

    fn orders(&self, state: &ContestState, player: Player, agent: usize, out: &mut Vec<Orders>) {
        self.field(state).orders(&state.position, player, agent, out);
    }

    fn combine(&self, state: &ContestState, player: Player, orders: &[Orders]) -> Orders {
        self.field(state).combine(&state.position, player, orders)
    }
}

/// A player of Mizugame in a contest.
struct OnDrawnMap(Box<dyn Agent<Mizugame>>);

impl Agent<Contest> for OnDrawnMap {
    fn choose(
        &mut self,
        game: &Contest,
        state: &ContestState,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Orders>, Forfeit> {
        self.0.choose(game.field(state), &state.position, player, context)
    }

    fn observe(&mut self, game: &Contest, before: &ContestState, actions: &[Orders]) {
        if before.field.is_some() {
            self.0.observe(game.field(before), &before.position, actions);
        }
    }

    fn insight(
        &self,
        game: &Contest,
        state: &ContestState,
        max_places: usize,
    ) -> Option<Insight<Orders>> {
        self.0.insight(game.field(state), &state.position, max_places)
    }
}

impl Encode for Contest {}

impl Show for Contest {
    fn action_text(&self, state: &ContestState, player: Player, orders: Orders) -> String {
        self.field(state).action_text(&state.position, player, orders)
    }

    fn view(&self, state: &ContestState) -> View {
        match state.field {
            Some(_) => self.field(state).view(&state.position),
            None => View { caption: Phrase::new("the map is drawn"), ..View::default() },
        }
    }

    fn outcome_text(&self, _: &ContestState, outcome: Orders) -> String {
        format!("map {}", outcome.number())
    }

    fn player_name(&self, player: Player) -> Phrase {
        self.fields[0].player_name(player)
    }

    fn parse(&self, state: &ContestState, player: Player, text: &str) -> Option<Orders> {
        if_legal(self, state, player, Orders::parse(text)?)
    }
}

const _: () = assert!(MAX_TEAMS <= sakiyomi_core::MAX_PLAYERS && MAX_MAPS <= u16::MAX as usize);

#[cfg(test)]
mod tests {
    use super::super::MapSettings;
    use super::*;

    fn contest(n: u64) -> Contest {
        let map = |seed| Map::generate(&MapSettings::default(), seed).unwrap();
        let settings = Settings { sessions: 5, ..Settings::default() };
        Contest::new((1..=n).map(map).collect(), &settings).unwrap()
    }

    #[test]
    fn every_map_is_drawn_and_played_on() {
        let game = contest(3);
        let (mut rng, mut seen) = (Rng::new(1), [0; 3]);
        for _ in 0..300 {
            let mut state = game.start();
            assert_eq!(game.turn(&state), Turn::Chance);
            assert!(!game.legal(&state, Player(0), Orders::NONE));
            let drawn = game.sample(&state, &mut Vec::new(), &mut rng);
            game.apply(&mut state, &[drawn]);
            let number = usize::from(drawn.number());
            assert_eq!(game.field(&state).map().seed, 1 + number as u64);
            assert_eq!(state.position, game.fields[number].start());
            seen[number] += 1;
        }
        assert!(seen.iter().all(|&n| n > 70), "{seen:?}");
        assert!(matches!(contest(1).turn(&contest(1).start()), Turn::Choose(_)));
    }

    #[test]
    fn maps_must_fit_together() {
        let two = MapSettings { teams: 2, ..MapSettings::default() };
        let maps = [MapSettings::default(), two].map(|s| Map::generate(&s, 1).unwrap());
        let error = Contest::new(maps.to_vec(), &Settings::default()).unwrap_err();
        assert!(error.to_string().contains("6 and with 2 teams"), "{error}");
        assert!(Contest::new(Vec::new(), &Settings::default()).is_err());
        let wrong = Settings { sessions: 0, ..Settings::default() };
        let error = Contest::new(maps[..1].to_vec(), &wrong).unwrap_err();
        assert!(error.to_string().contains("`sessions` is 0"), "{error}");
    }
}
