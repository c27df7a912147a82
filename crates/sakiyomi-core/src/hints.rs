//! What a search may know about a game beyond its rules.

use std::fmt;

use crate::{Game, Payoffs, Player, PlayoutOptions, Rng, Scratch};

/// Knowledge that a search may use. Every default is neutral: it knows nothing and forbids nothing.
/// [`Hints::provides`] names what a game knows; an agent that needs more refuses the game.
pub trait Hints: Game {
    /// The hints that this game gives.
    fn provides(&self) -> HintSet {
        HintSet::NONE
    }

    /// Removes actions that are not worth a look at this level; at least one stays.
    /// See [`Hint::Prune`] and [`Hint::PrunePairs`].
    fn prune(
        &self,
        _state: &Self::State,
        _player: Player,
        _level: PruneLevel,
        _actions: &mut Vec<Self::Action>,
    ) {
    }

    /// Keeps the actions that should be looked at first; at least one stays. See [`Hint::Urgent`].
    fn urgent(&self, _state: &Self::State, _player: Player, _actions: &mut Vec<Self::Action>) {}

    /// The group of an action: actions of one group have much the same effect. See
    /// [`Hint::Groups`].
    fn group(&self, _state: &Self::State, _player: Player, _action: Self::Action) -> u32 {
        0
    }

    /// How promising an action looks; higher is better, and it is finite. See [`Hint::Ranks`].
    fn rank(&self, _state: &Self::State, _player: Player, _action: Self::Action) -> f32 {
        0.0
    }

    /// A guess of the payoffs in a state that is not over, for searches that stop early.
    /// See [`Hint::Estimate`].
    fn estimate(&self, _state: &Self::State) -> Option<Payoffs> {
        None
    }

    /// What each player has achieved so far, from 0 to 1. The sum need not be 1.
    /// See [`Hint::Progress`].
    fn progress(&self, _state: &Self::State) -> Payoffs {
        Payoffs::uniform(self.players(), 0.5)
    }

    /// The round that is being played, from 0. See [`Hint::Rounds`].
    fn round(&self, _state: &Self::State) -> u32 {
        0
    }

    /// An upper bound of the turns of players until the end. See [`Hint::TurnsLeft`].
    fn turns_left(&self, _state: &Self::State) -> Option<u32> {
        None
    }

    /// The simplest state with the same future, by which exact work recognises states that differ
    /// only in what no longer matters. See [`Hint::Canonical`].
    fn canonical(&self, state: &Self::State) -> Canonical<Self::State> {
        Canonical::same(state.clone())
    }

    /// How many cells [`Hints::cells`] writes and what may stand there. See [`Hint::Cells`].
    fn cell_shape(&self) -> Option<CellShape> {
        None
    }

    /// Appends what stands on each cell of the position, row by row from the lowest: 0 for nothing,
    /// otherwise the code of a piece. Equal states give equal rows; what is not on the board (whose
    /// turn it is, scores) may be left out. Appends nothing if there is no [`Hints::cell_shape`].
    fn cells(&self, _state: &Self::State, _out: &mut Vec<u8>) {}

    /// All that is true of the state, one bit for every statement there is: a fixed number of words,
    /// the same statements in the same order in all states. See [`Hint::Facts`].
    fn facts<'s>(&self, _state: &'s Self::State) -> &'s [u64] {
        &[]
    }

    /// Plays out as the options say. An override is for speed only and has the same distribution as
    /// [`PlayoutOptions::play_out`], but it may go on beyond a limit of the match up to the limit
    /// of the options.
    fn guided_playout(
        &self,
        state: &mut Self::State,
        options: &PlayoutOptions,
        scratch: &mut Scratch<Self::Action>,
        rng: &mut Rng,
    ) -> Payoffs {
        options.play_out(self, state, scratch, rng)
    }
}

/// A kind of knowledge that a game may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// [`Hints::prune`] removes single actions.
    Prune,
    /// [`Hints::prune`] removes actions that waste an earlier one of the same turn.
    PrunePairs,
    /// [`Hints::urgent`] tells actions apart.
    Urgent,
    /// [`Hints::group`] tells actions apart.
    Groups,
    /// [`Hints::rank`] tells actions apart.
    Ranks,
    /// [`Hints::estimate`] knows every state that is not over.
    Estimate,
    /// [`Hints::progress`] follows the match.
    Progress,
    /// [`Hints::round`] counts.
    Rounds,
    /// [`Hints::turns_left`] knows every state.
    TurnsLeft,
    /// [`Hints::canonical`] makes different states equal.
    Canonical,
    /// There are [`Hints::cells`].
    Cells,
    /// There are [`Hints::facts`].
    Facts,
    /// [`Game::playouts`] plays many matches at once, in less time than one after the other.
    Batches,
}

impl Hint {
    pub const ALL: [Hint; 13] = [
        Hint::Prune,
        Hint::PrunePairs,
        Hint::Urgent,
        Hint::Groups,
        Hint::Ranks,
        Hint::Estimate,
        Hint::Progress,
        Hint::Rounds,
        Hint::TurnsLeft,
        Hint::Canonical,
        Hint::Cells,
        Hint::Facts,
        Hint::Batches,
    ];

    /// What a game provides with it, as part of a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Hint::Prune => "a rule by which actions are pruned",
            Hint::PrunePairs => "a rule by which pairs of actions are pruned",
            Hint::Urgent => "urgent actions",
            Hint::Groups => "groups of actions",
            Hint::Ranks => "ranks of actions",
            Hint::Estimate => "an estimate of payoffs",
            Hint::Progress => "a measure of progress",
            Hint::Rounds => "a count of rounds",
            Hint::TurnsLeft => "a bound of its length",
            Hint::Canonical => "canonical states",
            Hint::Cells => "a board of cells",
            Hint::Facts => "facts as bits",
            Hint::Batches => "playouts of many matches at once",
        }
    }
}

/// A set of hints.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct HintSet(u16);

impl HintSet {
    pub const NONE: HintSet = HintSet(0);

    pub const fn of(hints: &[Hint]) -> HintSet {
        let mut set = HintSet::NONE;
        let mut i = 0;
        while i < hints.len() {
            set = set.with(hints[i]);
            i += 1;
        }
        set
    }

    #[must_use]
    pub const fn with(self, hint: Hint) -> HintSet {
        HintSet(self.0 | 1 << hint as u16)
    }

    pub const fn contains(self, hint: Hint) -> bool {
        self.0 >> hint as u16 & 1 == 1
    }

    pub fn iter(self) -> impl Iterator<Item = Hint> {
        Hint::ALL.into_iter().filter(move |&hint| self.contains(hint))
    }
}

impl fmt::Debug for HintSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// What [`Hints::prune`] looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PruneLevel {
    /// Each action by itself.
    Actions,
    /// An action together with an earlier one of the same turn, which it would waste.
    Pairs,
}

/// The size of the row that [`Hints::cells`] writes: `rows` times `columns` codes, all below
/// `n_codes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellShape {
    pub rows: usize,
    pub columns: usize,
    /// Codes that may occur, the 0 for nothing included.
    pub n_codes: usize,
}

impl CellShape {
    pub fn n_cells(&self) -> usize {
        self.rows * self.columns
    }
}

/// What matters about a state; see [`Hints::canonical`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Canonical<S> {
    /// This state has the same future, in which two players have changed seats if `exchanged` is
    /// set. Actions may have other names there. Each player gets `offset` more than there, where
    /// what was won so far only adds to what is won from here; its seats are those before the
    /// exchange.
    State { state: S, exchanged: bool, offset: Payoffs },
    /// The payoffs are these, whatever is played.
    Settled(Payoffs),
}

impl<S> Canonical<S> {
    /// A state that differs from itself in nothing.
    pub fn same(state: S) -> Canonical<S> {
        Canonical::State { state, exchanged: false, offset: Payoffs::default() }
    }
}
