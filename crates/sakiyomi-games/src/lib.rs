//! The games of Sakiyomi, one file or folder each. A file opens with the rules and where they come from.
//!
//! Boards are words of bits (see [`Word`]), positions are small plain values, and each game knows
//! how to play itself out at random faster than the generic loop does, with the same odds.

mod bits;
pub mod breakthrough;
pub mod cells;
pub mod connect_four;
pub mod hagetaka;
pub mod hex;
pub mod mizugame;
pub mod othello;
pub mod remedy;
pub mod sangoku;
mod size;

pub mod tic_tac_toe;
pub mod tubstap;
pub mod two_players;

pub use bits::Word;
pub use breakthrough::Breakthrough;
pub use connect_four::ConnectFour;
pub use hagetaka::Hagetaka;
pub use hex::Hex;
pub use mizugame::Mizugame;
pub use othello::Othello;
pub use size::SizeError;
pub use tic_tac_toe::TicTacToe;
