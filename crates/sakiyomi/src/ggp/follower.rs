//! Follows a match by its rules alone, apart from the thread that thinks, so that there is always a
//! legal move to answer with. Our own legal moves come first; only then is the rest of a position
//! worked out, which the next ply needs.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sakiyomi_gdl::{GdlGame, Move, Stepper};

/// How far the follower of a match is. What is legal comes first: as long as rules are interpreted, a
/// search waits for it, and compiling goes slowly beside it.
#[derive(Debug, Default)]
pub(super) struct Following {
    /// Positions whose legal moves are known, from the start on.
    n_known: AtomicUsize,
    is_at_work: AtomicBool,
}

impl Following {
    /// Whether the legal moves after this number of plies are known.
    pub(super) fn knows(&self, plies: usize) -> bool {
        self.n_known.load(Ordering::Relaxed) > plies
    }

    pub(super) fn note(&self, plies: usize) {
        self.n_known.fetch_max(plies + 1, Ordering::Relaxed);
    }

    /// Whether rules are being interpreted to find out what is legal.
    pub(super) fn is_at_work(&self) -> bool {
        self.is_at_work.load(Ordering::Relaxed)
    }

    pub(super) fn set_at_work(&self, is_at_work: bool) {
        self.is_at_work.store(is_at_work, Ordering::Relaxed);
    }
}

#[derive(Debug)]
pub(super) struct Follower {
    game: GdlGame,
    stepper: Stepper,
    n_seen: usize,
}

impl Follower {
    pub(super) fn new(game: GdlGame) -> Follower {
        Follower { stepper: game.stepper(), n_seen: 0, game }
    }

    pub(super) fn is_interpreted(&self) -> bool {
        self.game.is_interpreted()
    }

    /// Follows the history so far, and says which joint move could not be played. The legal moves of
    /// a role after all of it are told as soon as they are known.
    pub(super) fn catch_up(
        &mut self,
        history: &[Vec<String>],
        role: usize,
        tell: impl FnOnce(Vec<String>),
    ) -> Option<String> {
        let mut lost = None;
        let mut tell = Some(tell);
        for texts in &history[self.n_seen.min(history.len())..] {
            self.n_seen += 1;
            let stepped = self.stepper.joint(texts).and_then(|joint| {
                if let Some(tell) = tell.take_if(|_| self.n_seen == history.len()) {
                    tell(self.texts(self.stepper.legal_after(&joint, role)));
                }
                self.stepper.step(&joint)
            });
            if let Err(error) = stepped {
                lost = Some(format!("ply {}: {error}", self.n_seen));
            }
        }
        if let Some(tell) = tell {
            tell(self.texts(self.stepper.legal(role)));
        }
        lost
    }

    /// Whether a joint move can be played now.
    pub(super) fn accepts(&self, texts: &[String]) -> bool {
        self.stepper.joint(texts).is_ok()
    }

    /// What went wrong in following the rules.
    pub(super) fn trouble(&self) -> Option<String> {
        self.game.trouble().map(|error| error.to_string())
    }

    /// The goal of every role, if the match is over.
    pub(super) fn goals(&self) -> Option<Vec<Option<u8>>> {
        self.stepper.is_terminal().then(|| self.stepper.goals())
    }

    fn texts(&self, moves: Vec<Move>) -> Vec<String> {
        moves.into_iter().map(|one| self.game.move_text(one)).collect()
    }
}
