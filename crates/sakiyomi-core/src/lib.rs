//! The vocabulary of Sakiyomi. A game is written once against [`Game`], [`Hints`] and [`Show`], and
//! every search, tool, picture and statistic works on it.
//!
//! Nothing here does input or output, and no clock is read outside [`Budget`].

mod agent;
mod any_game;
mod encode;
mod fault;
mod game;
pub mod hash;
mod hints;
mod insight;
mod match_batch;
pub mod order;
mod orders;
mod phrase;
mod playout_options;
mod rng;
mod show;
pub mod stats;
pub mod toy;
mod view;

pub use agent::{Agent, Budget, Choice, Context, Forfeit, Meter, Preparation, Stop, Watch};
pub use any_game::{AnyAction, AnyGame, AnyState, erase};
pub use encode::{Encode, ObservationShape, Symmetry, cells_as_planes, observe_cells};
pub use fault::Fault;
pub use game::{
    ActionMeans, EndAhead, Game, MAX_PLAYERS, Payoffs, Player, Players, Scratch, Turn,
    each_end_ahead,
};
pub use hints::{Canonical, CellShape, Hint, HintSet, Hints, PruneLevel};
pub use insight::{Branch, Insight, InsightArm, InsightRow};
pub use match_batch::MatchBatch;
pub use orders::Orders;
pub use phrase::Phrase;
pub use playout_options::PlayoutOptions;
pub use rng::Rng;
pub use show::{Show, chooses, if_legal};
pub use view::{
    Badge, Board, Card, Cell, Colour, Effect, Fact, Gauge, Grid, LegendEntry, OrderCommand,
    OrderForm, OrderedPiece, Piece, Pile, PlayerView, Reach, Score, Shape, View, Way, WayPoint,
    cell_name, parse_cell, parse_column,
};

/// What the catalog asks of a game: rules, hints, orders, a face, and an encoding as numbers.
pub trait Playable: Game + Hints + Orders + Encode + Show + 'static {}
impl<G: Game + Hints + Orders + Encode + Show + 'static> Playable for G {}
