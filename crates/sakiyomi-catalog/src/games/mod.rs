//! The games of the catalog: one file each, and the list that names them. Everything else follows
//! from the list: reading and writing specifications, opening games, what is listed.

mod breakthrough;
mod connect_four;
mod gdl;
mod hagetaka;
mod hex;
mod mizugame;
mod othello;
mod remedy;
mod sangoku;
mod size;
mod tic_tac_toe;
mod tubstap;

pub use breakthrough::BreakthroughSpec;
pub use connect_four::ConnectFourSpec;
pub(crate) use gdl::CompileError;
pub use gdl::{GdlSpec, RuleSheet};
pub use hex::HexSpec;
pub use mizugame::{FieldSource, GivenField, MizugameSpec};
pub use othello::OthelloSpec;
pub use remedy::{ChangeSpec, OpeningsSpec, RemedySpec};
pub use sakiyomi_games::hagetaka::Settings as HagetakaSpec;
pub use sangoku::Battlefield;
pub use tic_tac_toe::TicTacToeSpec;
pub use tubstap::{MapSource, TubstapSpec};

use crate::list::catalog;
use crate::parameter::{Defined, Named};
use crate::{CatalogGame, Entry, SpecError};

catalog! { $
    /// Which game, with all its parameters. The text form is `name:key=value`; boards may also be
    /// written as `name:7x6`. Reading a specification opens nothing: what is wrong with a size or
    /// a file shows when the game is opened.
    #[derive(Eq, Hash)]
    pub enum GameSpec, "game" {
        TicTacToe(TicTacToeSpec),
        ConnectFour(ConnectFourSpec),
        Breakthrough(BreakthroughSpec),
        Othello(OthelloSpec),
        Hex(HexSpec),
        Sangoku(Battlefield),
        Tubstap(TubstapSpec),
        Hagetaka(HagetakaSpec),
        Mizugame(MizugameSpec),
        Gdl(GdlSpec),
        Remedy(RemedySpec),
    }
}

/// What the catalog asks of a game's settings. An entry is a file that implements this trait and
/// [`Defined`], and a line in the list above.
pub(crate) trait GameSettings: Defined {
    /// Hands the game itself to the visitor.
    fn open<V: Visitor>(&self, visitor: V) -> Result<V::Out, String>;

    /// Specifications that are ready to play: its scenarios or sheets. Without any these are the
    /// default and the example.
    fn presets() -> Vec<String> {
        Vec::new()
    }

    /// The file that it is read from, if it is.
    fn file(&self) -> Option<&str> {
        None
    }

    /// What is odd about that file, though it can be played.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Makes it independent of files, where that is possible, so that a record needs nothing else.
    fn make_portable(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// By what a difference of payoffs is multiplied to be one in the game's own units: points
    /// where points are what counts, and otherwise from -1 for a loss to 1 for a win.
    fn payoff_unit(&self) -> f64 {
        2.0
    }

    /// Agents for a person who does not want to choose parameters, from the easiest to the strongest, if
    /// those of most games do not suit this one.
    fn opponents(&self) -> Option<[&'static str; 4]> {
        None
    }
}

/// A generic closure over games, so that a choice at run time reaches code compiled for the game.
pub trait Visitor {
    type Out;
    fn visit<G: CatalogGame>(self, game: G) -> Self::Out;
}

impl GameSpec {
    /// Hands the game itself to the visitor.
    pub fn with<V: Visitor>(&self, visitor: V) -> Result<V::Out, SpecError> {
        let opened = each_kind!(self, named => named.settings.open(visitor));
        opened.map_err(|message| self.to_fields().error(message))
    }

    pub fn players(&self) -> Result<usize, SpecError> {
        struct CountPlayers;
        impl Visitor for CountPlayers {
            type Out = usize;
            fn visit<G: CatalogGame>(self, game: G) -> usize {
                game.players()
            }
        }
        self.with(CountPlayers)
    }

    /// The same game, independent of files where that is possible: what a record keeps.
    pub fn portable(&self) -> Result<GameSpec, SpecError> {
        let mut portable = self.clone();
        let made = each_kind!(&mut portable, named => named.settings.make_portable());
        made.map_err(|message| self.to_fields().error(message))?;
        Ok(portable)
    }

    /// The file that it is read from, if it is.
    pub fn file(&self) -> Option<&str> {
        each_kind!(self, named => named.settings.file())
    }

    /// What is odd about that file, though it can be played.
    pub fn warnings(&self) -> Vec<String> {
        each_kind!(self, named => named.settings.warnings())
    }

    /// The game itself, where this is one that was changed.
    pub fn base(&self) -> &GameSpec {
        match self {
            GameSpec::Remedy(named) => &named.settings.game,
            game => game,
        }
    }

    /// [`GameSpec::base`], to be changed.
    pub fn base_mut(&mut self) -> &mut GameSpec {
        match self {
            GameSpec::Remedy(named) => &mut named.settings.game,
            game => game,
        }
    }

    /// By what a difference of payoffs is multiplied to be one in the game's own units: points
    /// where points are what counts, and otherwise from -1 for a loss to 1 for a win.
    pub fn payoff_unit(&self) -> f64 {
        each_kind!(self, named => named.settings.payoff_unit())
    }

    /// Agents of its own for a person who does not want to choose parameters, from the easiest to the strongest.
    pub fn opponents(&self) -> Option<[&'static str; 4]> {
        each_kind!(self, named => named.settings.opponents())
    }
}

/// Specifications of a listed game that are ready to play: its scenarios or sheets, or else its
/// default and its example.
pub fn game_presets(entry: &Entry) -> Vec<String> {
    fn presets_of<S: GameSettings>(_: &Named<S>) -> Vec<String> {
        S::presets()
    }
    let spec: Result<GameSpec, _> = entry.name.parse();
    let presets = spec.map(|spec| each_kind!(&spec, named => presets_of(named)));
    match presets.unwrap_or_default() {
        presets if !presets.is_empty() => presets,
        _ if entry.example == entry.name => vec![entry.name.to_owned()],
        _ => vec![entry.name.to_owned(), entry.example.to_owned()],
    }
}
