//! The vocabulary of Sakiyomi. A game is written once against [`Game`], [`Hints`] and [`Show`], and
//! every search, tool, picture and statistic works on it.
//!
//! Nothing here does input or output, and no clock is read outside [`Budget`].

mod agent;
mod game;
mod hints;
mod insight;
mod phrase;
mod playout_options;
mod rng;
mod show;
pub mod stats;
pub mod toy;
mod view;

pub use agent::{Agent, Budget, Choice, Context, Forfeit, Meter, Stop, Watch};
pub use game::{Game, MAX_PLAYERS, Payoffs, Player, Players, Scratch, Turn};
pub use hints::{
    Canonical, CellShape, Hint, HintSet, Hints, PruneLevel, RestrictBy, Restriction, Script,
};
pub use insight::{Branch, Insight, InsightArm, InsightRow};
pub use phrase::Phrase;
pub use playout_options::PlayoutOptions;
pub use rng::Rng;
pub use show::{Show, chooses, if_legal};
pub use view::{
    Badge, Board, Card, Cell, Colour, Effect, Fact, Gauge, Grid, Piece, Pile, PlayerView, Score,
    Shape, View, cell_name, parse_cell, parse_column,
};

/// What the catalog asks of a game: rules, hints and a face.
pub trait Playable: Game + Hints + Show + 'static {}
impl<G: Game + Hints + Show + 'static> Playable for G {}
