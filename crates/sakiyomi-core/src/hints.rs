//! What a search may know about a game beyond its rules.

use std::fmt;

use crate::{Agent, Budget, Game, Payoffs, Player, PlayoutOptions, Rng, Scratch, Turn};

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

    /// The group of an action: actions of one group have much the same effect. See [`Hint::Groups`].
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
        Canonical::State { state: state.clone(), exchanged: false }
    }

    /// How many cells [`Hints::cells`] writes and what may stand there. See [`Hint::Cells`].
    fn cell_shape(&self) -> Option<CellShape> {
        None
    }

    /// Appends what stands on each cell of the position, row by row from the lowest: 0 for nothing,
    /// otherwise the code of a piece. Equal states give equal rows; what is not on the board (whose
    /// turn it is, scores) may be left out. Appends nothing if there is no [`Hints::cell_shape`].
    fn cells(&self, _state: &Self::State, _out: &mut Vec<u8>) {}

    /// The restrictions that [`Hints::restrict`] knows.
    fn restrictions(&self) -> &'static [Restriction] {
        &[]
    }

    /// The same game with fewer actions, for a search from this state: it has the same states, and
    /// its actions are legal in this game too. None, if the restriction does not apply here.
    fn restrict(&self, _state: &Self::State, _player: Player, _by: RestrictBy) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// The scripted players of this game: players that are written for it alone.
    fn scripted(&self) -> &'static [Script] {
        &[]
    }

    /// The scripted player of this name. A budget takes the place of the player's own, if it has one.
    fn script(&self, _name: &str, _budget: Option<Budget>) -> Option<Box<dyn Agent<Self>>>
    where
        Self: Sized,
    {
        None
    }

    /// How many agents `player` commands in this state. An action is one order for each of them;
    /// usually there is one agent, and its orders are the actions. See [`Hint::Orders`].
    fn agents(&self, _state: &Self::State, _player: Player) -> usize {
        1
    }

    /// Appends orders for one agent, numbered from 0: at least one, each once. An order is an action
    /// that says what this agent does, whatever it says about the others.
    fn orders(
        &self,
        state: &Self::State,
        player: Player,
        _agent: usize,
        out: &mut Vec<Self::Action>,
    ) {
        self.actions(state, player, out);
    }

    /// The action that consists of these orders, one for each agent. It is legal if each of them is
    /// one of that agent's [`Hints::orders`].
    fn combine(
        &self,
        _state: &Self::State,
        _player: Player,
        orders: &[Self::Action],
    ) -> Self::Action {
        orders[0]
    }

    /// Plays out as the options say. An override is for speed only and has the same distribution,
    /// but it may go on beyond a limit of the match up to the limit of the options.
    fn guided_playout(
        &self,
        state: &mut Self::State,
        options: &PlayoutOptions,
        scratch: &mut Scratch<Self::Action>,
        rng: &mut Rng,
    ) -> Payoffs {
        let last = options.last_round(self.round(state));
        loop {
            match self.turn(state) {
                Turn::Over(payoffs) => return payoffs,
                _ if self.round(state) >= last => return options.cut_payoffs(self, state),
                Turn::Chance => {
                    let outcome = self.sample(state, &mut scratch.outcomes, rng);
                    self.apply(state, &[outcome]);
                }
                Turn::Choose(who) => {
                    scratch.joint.clear();
                    for player in who {
                        let action = options.draw(self, state, player, &mut scratch.actions, rng);
                        scratch.joint.push(action);
                    }
                    self.apply(state, &scratch.joint);
                }
            }
        }
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
    /// A player commands several [`Hints::agents`].
    Orders,
}

impl Hint {
    pub const ALL: [Hint; 12] = [
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
        Hint::Orders,
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
            Hint::Orders => "orders for several agents",
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

/// One way in which a game can be restricted to fewer actions, such as to a part of its board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restriction {
    pub name: &'static str,
    pub summary: &'static str,
    /// Found once and kept for the match, instead of at every decision.
    pub is_kept: bool,
}

/// Which restriction a search asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestrictBy {
    /// The name of a [`Restriction`].
    pub name: &'static str,
    /// How much more than the least is allowed, in the game's own unit.
    pub margin: u32,
}

/// A scripted player: its name and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Script {
    pub name: &'static str,
    pub summary: &'static str,
}

/// The size of the row that [`Hints::cells`] writes: `rows` times `columns` codes, all below `n_codes`.
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
    /// set. Actions may have other names there.
    State { state: S, exchanged: bool },
    /// The payoffs are these, whatever is played.
    Settled(Payoffs),
}
