//! What a search may know about a game beyond its rules.

use crate::{Game, Payoffs, Player, Rng, Scratch, Turn};

/// Knowledge that a search may use. Every default is neutral: it knows nothing and forbids nothing.
pub trait Hints: Game {
    /// Whether [`Hints::prune`] ever removes anything. Agents that are asked to prune refuse games
    /// in which it would do nothing.
    fn prunes(&self) -> bool {
        false
    }

    /// Removes actions that are not worth a look; at least one stays.
    fn prune(&self, _state: &Self::State, _player: Player, _actions: &mut Vec<Self::Action>) {}

    /// A guess of the payoffs in a state that is not over, for searches that stop early.
    fn estimate(&self, _state: &Self::State) -> Option<Payoffs> {
        None
    }

    /// Which of the hints below this game gives. Agents that are asked to use another refuse.
    fn gives(&self) -> &'static [Hint] {
        &[]
    }

    /// Removes actions that waste what an earlier action of the same turn has prepared; at least
    /// one stays. See [`Hint::Pairs`].
    fn prune_pairs(&self, _state: &Self::State, _player: Player, _actions: &mut Vec<Self::Action>) {
    }

    /// The round that is being played, from 0. See [`Hint::Rounds`].
    fn round(&self, _state: &Self::State) -> u32 {
        0
    }

    /// What everyone has achieved by now, each from 0 to 1. It need not add up to 1.
    fn tally(&self, _state: &Self::State) -> Payoffs {
        Payoffs::even(self.players(), 0.5)
    }

    /// Keeps the actions that a keen player looks at first; at least one stays. See [`Hint::Urgent`].
    fn urgent(&self, _state: &Self::State, _player: Player, _actions: &mut Vec<Self::Action>) {}

    /// The group of an action: actions of one group come to much the same. See [`Hint::Groups`].
    fn group(&self, _state: &Self::State, _player: Player, _action: Self::Action) -> u32 {
        0
    }

    /// How promising an action looks; higher is better. See [`Hint::Ranks`].
    fn rank(&self, _state: &Self::State, _player: Player, _action: Self::Action) -> f32 {
        0.0
    }

    /// The same game with fewer actions: only those around the fight in this state. It has the same
    /// states, and its actions are legal here too. Nothing, if there is no fight to cut out.
    fn cut_out(&self, _state: &Self::State, _player: Player, _cut: CutOut) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// What the simple rule-based player of this game does. See [`Hint::Rule`].
    fn rule(&self, _state: &Self::State, _player: Player, _rng: &mut Rng) -> Option<Self::Action> {
        None
    }

    /// At most so many more turns of players until the end, if the game can tell.
    fn turns_left(&self, _state: &Self::State) -> Option<u32> {
        None
    }

    /// The simplest state with the same future, by which exact work recognises states that differ
    /// only in what no longer matters.
    fn essence(&self, state: &Self::State) -> Essence<Self::State> {
        Essence::State { state: state.clone(), exchanged: false }
    }

    /// Plays out as the guide says. An override is for speed only and has the same distribution,
    /// but it may go on beyond a limit of the match up to the limit of the guide.
    fn guided_playout(
        &self,
        state: &mut Self::State,
        guide: &Guide,
        scratch: &mut Scratch<Self::Action>,
        rng: &mut Rng,
    ) -> Payoffs {
        let last = guide.last_round(self.round(state));
        loop {
            match self.turn(state) {
                Turn::Over(payoffs) => return payoffs,
                _ if self.round(state) >= last => return guide.cut_payoffs(self, state),
                Turn::Chance => {
                    let outcome = self.sample(state, &mut scratch.outcomes, rng);
                    self.apply(state, &[outcome]);
                }
                Turn::Choose(who) => {
                    scratch.joint.clear();
                    for player in who {
                        let actions = &mut scratch.actions;
                        actions.clear();
                        self.actions(state, player, actions);
                        guide.prune(self, state, player, actions);
                        if guide.keen > 0.0 && rng.unit() < guide.keen {
                            self.urgent(state, player, actions);
                        }
                        scratch.joint.push(actions[rng.below(actions.len())]);
                    }
                    self.apply(state, &scratch.joint);
                }
            }
        }
    }
}

/// A kind of knowledge that a game may have, by the word with which an agent asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    Prune,
    Pairs,
    Rounds,
    Urgent,
    Groups,
    Ranks,
    CutOut,
    Rule,
}

impl Hint {
    /// What a game provides with it, as part of a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Hint::Prune => "a rule by which actions are pruned",
            Hint::Pairs => "pairs of actions",
            Hint::Rounds => "a count of rounds",
            Hint::Urgent => "urgent actions",
            Hint::Groups => "groups of actions",
            Hint::Ranks => "ranks of actions",
            Hint::CutOut => "a part of the board to search alone",
            Hint::Rule => "a rule-based player",
        }
    }
}

/// How a search plays out, and what it leaves out there and in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Guide {
    /// Follows [`Hints::prune`].
    pub pruned: bool,
    /// Follows [`Hints::prune_pairs`].
    pub pairs: bool,
    /// The probability with which a playout chooses among [`Hints::urgent`] actions only.
    pub keen: f64,
    /// Playouts end in this round, or half as many rounds later than they start if that is later;
    /// they are then worth [`Hints::tally`].
    pub limit: Option<u32>,
    /// Tallies of two players are set off against each other, so that they add up to 1.
    pub balanced: bool,
    /// Playouts end so many rounds after they start, and are then worth [`Hints::estimate`].
    pub horizon: Option<u32>,
}

impl Guide {
    /// Whether playouts are uniform over all actions, to the end.
    pub fn is_plain(&self) -> bool {
        !self.pruned
            && !self.pairs
            && self.keen == 0.0
            && self.limit.is_none()
            && self.horizon.is_none()
    }

    /// Removes what the guide leaves out.
    pub fn prune<G: Hints + ?Sized>(
        &self,
        game: &G,
        state: &G::State,
        player: Player,
        actions: &mut Vec<G::Action>,
    ) {
        if self.pruned {
            game.prune(state, player, actions);
        }
        if self.pairs {
            game.prune_pairs(state, player, actions);
        }
    }

    /// The round in which a playout that starts in `round` is cut.
    pub fn last_round(&self, round: u32) -> u32 {
        let limit = self.limit.map_or(u32::MAX, |limit| limit.max(round + limit / 2));
        let horizon = self.horizon.map_or(u32::MAX, |horizon| round + horizon);
        limit.min(horizon)
    }

    /// What a playout that was cut in this state is worth.
    pub fn cut_payoffs<G: Hints + ?Sized>(&self, game: &G, state: &G::State) -> Payoffs {
        if self.horizon.is_some()
            && let Some(estimate) = game.estimate(state)
        {
            return estimate;
        }
        let tally = game.tally(state);
        match tally.as_slice(game.players()) {
            &[first, second] if self.balanced => {
                let lead = (first - second) / 2.0;
                Payoffs::of([0.5 + lead, 0.5 - lead])
            }
            _ => tally,
        }
    }
}

/// How [`Hints::cut_out`] finds the battlefield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutOut {
    /// The box around those who can strike each other, with so many cells more on every side.
    Box { margin: u32 },
    /// The cells that the enemies of the player can strike in their next turn.
    Reach,
}

/// What matters about a state; see [`Hints::essence`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Essence<S> {
    /// The same is still to come as in this state, in which two players have changed seats if
    /// `exchanged` is set. Actions may have other names there.
    State { state: S, exchanged: bool },
    /// Everyone gets this, whatever is played.
    Settled(Payoffs),
}
