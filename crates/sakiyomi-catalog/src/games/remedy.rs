//! `pie:GAME` and `balanced-opening:GAME`: changes that may make a game of two fair.

use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use sakiyomi_core::hash::Fnv64;
use sakiyomi_core::{AnyState, Context, Player, Rng, Stop, Turn, erase};
use sakiyomi_games::remedy::{Change, Opening, Remedy};

use super::{ConnectFourSpec, GameSettings, Visitor};
use crate::cancel::current_stop;
use crate::compiled::compiled;
use crate::fields::{CHANGED_GAME, Value};
use crate::parameter::{Defined, Definition, Domain, Parameter, Place};
use crate::thought::step_texts;
use crate::turns::has_simultaneous_turns;
use crate::{AgentSpec, CatalogGame, GameSpec, MAX_TEXT_BYTES, Seat, SpecError, read_bytes};

/// Positions that are judged for each opening that is kept.
const CANDIDATES: u64 = 8;
/// Part of the address of random streams.
const OPENING: u64 = 0x6261_6c61;

/// Which game, and what is changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RemedySpec {
    pub game: Box<GameSpec>,
    pub change: ChangeSpec,
    /// Why the text of the game is none; it is refused as soon as all was read.
    wrong: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ChangeSpec {
    Pie,
    Openings(OpeningsSpec),
}

/// Which positions matches begin in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpeningsSpec {
    pub openings: u64,
    /// Choices of players before the match begins.
    pub plies: u32,
    /// Of the search that judges a position.
    pub iterations: u64,
    pub seed: u64,
}

impl RemedySpec {
    fn new(change: ChangeSpec) -> RemedySpec {
        let game = Box::new(ConnectFourSpec { width: 7, height: 6 }.into());
        RemedySpec { game, change, wrong: None }
    }

    /// A game that may be handed out changed in this way.
    pub fn of(game: GameSpec, change: ChangeSpec) -> RemedySpec {
        RemedySpec { game: Box::new(game), ..RemedySpec::new(change) }
    }
}

impl Default for OpeningsSpec {
    fn default() -> OpeningsSpec {
        OpeningsSpec { openings: 8, plies: 4, iterations: 200, seed: 1 }
    }
}

const GAME: Parameter<RemedySpec> = Parameter::new(
    CHANGED_GAME,
    Domain::Text,
    Place {
        get: |spec| Some(Value::Text(spec.game.to_string())),
        set: |spec, text| {
            match text.text().parse::<GameSpec>() {
                Ok(game) => *spec.game = game,
                Err(error) => spec.wrong = Some(error.to_string()),
            }
            Ok(())
        },
    },
    "the game that is changed: one of two players who choose in turn; it stands last",
);

/// The place of a number of [`OpeningsSpec`].
macro_rules! openings_place {
    ($field:ident) => {
        Place {
            get: |spec: &RemedySpec| match &spec.change {
                ChangeSpec::Openings(openings) => Some(Value::Integer(openings.$field.into())),
                ChangeSpec::Pie => None,
            },
            set: |spec, value| match (&mut spec.change, value.whole()) {
                (ChangeSpec::Openings(openings), Some(n)) => {
                    openings.$field = n.try_into().map_err(|_| "too large")?;
                    Ok(())
                }
                _ => Err("only openings have numbers"),
            },
        }
    };
}

fn check(spec: &RemedySpec, _: &[&str]) -> Result<(), String> {
    match (&spec.wrong, &*spec.game) {
        (Some(wrong), _) => Err(wrong.clone()),
        (None, GameSpec::Remedy(_)) => {
            Err(format!("{} is changed already; expected a game of its own", spec.game))
        }
        _ => Ok(()),
    }
}

impl Defined for RemedySpec {
    const DEFINITIONS: &'static [Definition<RemedySpec>] = &[
        Definition {
            check,
            ..Definition::new(
                "pie",
                "a game with the pie rule: after the first turn the second player may change sides",
                || RemedySpec::new(ChangeSpec::Pie),
                &[GAME],
                "pie:breakthrough:6x6",
            )
        },
        Definition {
            check,
            ..Definition::new(
                "balanced-opening",
                "a game whose matches begin in positions that a search judges to be equal",
                || RemedySpec::new(ChangeSpec::Openings(OpeningsSpec::default())),
                &[
                    Parameter::integer(
                        "openings",
                        1..=1_000,
                        openings_place!(openings),
                        "positions in which matches begin, drawn with equal chances",
                    ),
                    Parameter::integer(
                        "plies",
                        1..=1_000,
                        openings_place!(plies),
                        "choices of players before a match begins",
                    ),
                    Parameter::integer(
                        "iterations",
                        1..=10_000_000,
                        openings_place!(iterations),
                        "playouts of the search that judges a position; of eight random ones for each \
                         opening, those nearest to an equal value are kept",
                    ),
                    Parameter::integer(
                        "seed",
                        0..=crate::fields::MAX_INTEGER,
                        openings_place!(seed),
                        "for the random positions",
                    ),
                    GAME,
                ],
                "balanced-opening:openings=4,plies=2,tic-tac-toe",
            )
        },
    ];

    fn named(self) -> crate::Named<RemedySpec> {
        let definition = match self.change {
            ChangeSpec::Pie => &Self::DEFINITIONS[0],
            ChangeSpec::Openings(_) => &Self::DEFINITIONS[1],
        };
        crate::Named { definition, settings: self }
    }
}

compiled!(Remedy);

impl GameSettings for RemedySpec {
    fn open<V: Visitor>(&self, visitor: V) -> Result<V::Out, String> {
        let game = self.game.with(Changed(self)).map_err(|error| error.to_string())??;
        Ok(visitor.visit(game))
    }

    fn file(&self) -> Option<&str> {
        self.game.file()
    }

    fn warnings(&self) -> Vec<String> {
        self.game.warnings()
    }

    fn make_portable(&mut self) -> Result<(), String> {
        *self.game = self.game.portable().map_err(|error| error.to_string())?;
        Ok(())
    }

    fn payoff_unit(&self) -> f64 {
        self.game.payoff_unit()
    }
}

/// Makes the changed game.
struct Changed<'a>(&'a RemedySpec);

impl Visitor for Changed<'_> {
    type Out = Result<Remedy, String>;

    fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
        let Changed(spec) = self;
        let change = known_change(spec, || spec.change_of(&game))?;
        Ok(Remedy::new(erase(game), change))
    }
}

impl RemedySpec {
    fn change_of<G: CatalogGame>(&self, game: &G) -> Result<Change, String> {
        let needs = "only a game of two players who choose in turn can be changed";
        if game.players() != 2 {
            return Err(format!("{needs}; {} has {}", self.game, game.players()));
        }
        if !game.lists_all_actions() || has_simultaneous_turns(game) {
            return Err(format!("{needs}; in {} they choose at once", self.game));
        }
        match &self.change {
            ChangeSpec::Pie => Ok(Change::Pie),
            ChangeSpec::Openings(openings) => self.balanced(openings, game).map(Change::Openings),
        }
    }

    /// The positions whose value for the player who is to choose is nearest to one half.
    fn balanced<G: CatalogGame>(
        &self,
        spec: &OpeningsSpec,
        game: &G,
    ) -> Result<Vec<Opening>, String> {
        let judge: AgentSpec = format!("uct:iterations={}", spec.iterations)
            .parse()
            .map_err(|error: SpecError| error.to_string())?;
        let stop = current_stop();
        let mut judged: Vec<(f64, G::State, String)> = Vec::new();
        for number in 0..spec.openings * CANDIDATES {
            if stop.as_ref().is_some_and(|stop| stop.requested()) {
                return Err("stopped before the openings were found".to_owned());
            }
            let mut rng = Rng::stream(&[spec.seed, number, OPENING]);
            let Some((state, player, text)) = random_position(game, spec.plies, &mut rng) else {
                continue;
            };
            if judged.iter().any(|(_, known, known_text)| *known == state || *known_text == text) {
                continue;
            }
            let seat = Seat { game: &self.game, player, seed: spec.seed };
            let mut judge = judge.build(game, &seat).map_err(|error| error.to_string())?;
            let mut context = Context { rng: &mut rng, stop: &Stop::new() };
            let choice = judge.choose(game, &state, player, &mut context);
            let value = choice.ok().and_then(|choice| choice.value).unwrap_or(0.5);
            judged.push(((value - 0.5).abs(), state, text));
        }
        if judged.is_empty() {
            return Err(format!("no match of {} goes on after {} plies", self.game, spec.plies));
        }
        judged.sort_by(|a, b| a.0.total_cmp(&b.0));
        judged.truncate(spec.openings as usize);
        let opening = |(_, state, text)| Opening { state: AnyState::of(state), text };
        Ok(judged.into_iter().map(opening).collect())
    }
}

/// A position after this many random choices in which a player chooses, who that is, and what was
/// played; nothing if the match was over before.
fn random_position<G: CatalogGame>(
    game: &G,
    plies: u32,
    rng: &mut Rng,
) -> Option<(G::State, Player, String)> {
    let (mut state, mut actions, mut outcomes) = (game.start(), Vec::new(), Vec::new());
    let (mut n_chosen, mut texts) = (0, Vec::new());
    loop {
        let action = match game.turn(&state) {
            Turn::Over(_) => return None,
            Turn::Choose(who) if n_chosen == plies => {
                return Some((state, who.single()?, texts.join(" ")));
            }
            Turn::Choose(who) => {
                n_chosen += 1;
                game.random_action(&state, who.single()?, &mut actions, rng)
            }
            Turn::Chance => game.sample(&state, &mut outcomes, rng),
        };
        texts.extend(step_texts(game, &state, &[action]));
        game.apply(&mut state, &[action]);
    }
}

/// Changes that are remembered; beyond that all are made again.
const MAX_REMEMBERED: usize = 200;

/// Games are opened for every unit of work, so what takes a search is done once. A game in a file is
/// another one when the file is another.
fn known_change(
    spec: &RemedySpec,
    make: impl FnOnce() -> Result<Change, String>,
) -> Result<Change, String> {
    static KNOWN: LazyLock<Mutex<FxHashMap<String, Change>>> = LazyLock::new(Mutex::default);
    let mut key = GameSpec::from(spec.clone()).to_string();
    if let Some(file) = spec.file() {
        let mut hash = Fnv64::default();
        hash.write(
            &read_bytes(Path::new(file), MAX_TEXT_BYTES)
                .map_err(|error| format!("{file}: {error}"))?,
        );
        key += &format!(" {:016x}", hash.finish());
    }
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(change) = known().get(&key) {
        return Ok(change.clone());
    }
    let change = make()?;
    let mut known = known();
    if known.len() >= MAX_REMEMBERED {
        known.clear();
    }
    known.insert(key, change.clone());
    Ok(change)
}
