//! How the search follows what a game knows beyond its rules: which actions become arms, in which
//! order, how many of them are shown, and what an early end is worth.
//!
//! - *Groups* (Kato et al. 2013, section 6.2): one representative of each group of actions is an
//!   arm; or the group shares one arm, whose action is drawn anew on every visit. What lies below
//!   is kept apart by action, so that a shared arm is an arm with chance behind it. The action that
//!   is played is the one of the group that ranks highest.
//! - *Widening* (Coulom 2007; Chaslot et al. 2008): arms are shown in the order of their rank, one
//!   more whenever the root of the visits has grown enough, and none is lost for good.
//! - *Bonus* (Kato et al. 2013, section 6.3): every round that passes before the end brings the
//!   payoffs closer to even, so that a win is better sooner, and a loss later.

use sakiyomi_core::{Hints, Payoffs, Player, Rng};

use super::bandit::Arms;
use super::{Mcts, MctsSettings};

/// How actions of one group are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// One action stands for its group.
    Representative,
    /// The group is one arm; an action of it is drawn on every visit.
    Shared,
}

impl MctsSettings {
    /// Turns the legal actions into arms, in the order in which they are tried.
    pub(super) fn arrange<G: Hints>(
        &self,
        game: &G,
        state: &G::State,
        player: Player,
        actions: &mut Vec<G::Action>,
        rng: &mut Rng,
    ) {
        self.guide.prune(game, state, player, actions);
        // Untried arms are taken in order, so the order is drawn.
        rng.shuffle(actions);
        if self.widen.is_some() || self.groups.is_some() {
            let rank = |&action: &G::Action| game.rank(state, player, action);
            let mut ranked: Vec<_> = actions.iter().map(|action| (rank(action), *action)).collect();
            ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
            actions.clear();
            actions.extend(ranked.into_iter().map(|(_, action)| action));
        }
        if self.groups.is_some() {
            let mut seen = Vec::new();
            actions.retain(|&action| {
                let group = game.group(state, player, action);
                let is_new = !seen.contains(&group);
                if is_new {
                    seen.push(group);
                }
                is_new
            });
        }
    }

    /// Draws an action of the group that a shared arm stands for.
    pub(super) fn draw_member<G: Hints>(
        &self,
        game: &G,
        state: &G::State,
        player: Player,
        arm: G::Action,
        actions: &mut Vec<G::Action>,
        rng: &mut Rng,
    ) -> G::Action {
        actions.clear();
        game.actions(state, player, actions);
        self.guide.prune(game, state, player, actions);
        let group = game.group(state, player, arm);
        actions.retain(|&action| game.group(state, player, action) == group);
        actions[rng.below(actions.len())]
    }

    /// How many of `n` arms are shown after so many visits: all, or as many as widening allows.
    pub(super) fn n_shown(&self, n: usize, visits: u32) -> usize {
        match self.widen {
            Some(pace) => n.min(1 + (pace * f64::from(visits).sqrt()) as usize),
            None => n,
        }
    }

    /// Payoffs that come in this state, with the bonus for what comes early.
    pub(super) fn with_bonus<G: Hints>(
        &self,
        game: &G,
        state: &G::State,
        payoffs: Payoffs,
    ) -> Payoffs {
        if self.bonus == 0.0 {
            return payoffs;
        }
        let keep = (1.0 - self.bonus).powi(game.round(state) as i32);
        let n_players = game.players();
        let mut shaped = Payoffs::even(n_players, (1.0 - keep) / n_players as f64);
        shaped.add_scaled(&payoffs, keep);
        shaped
    }
}

/// The first arm of a row that is shown and was never tried. Arms are tried in their order.
pub(super) fn untried(arms: &Arms, first: usize, n_shown: usize) -> Option<usize> {
    let tried = (0..n_shown).rev().find(|&pick| arms.visits[first + pick] > 0);
    let next = tried.map_or(0, |pick| pick + 1);
    (next < n_shown).then_some(next)
}

impl<G: Hints> Mcts<G> {
    /// Finds the battlefield of this decision: a box is found once, a reach every time.
    pub(super) fn cut_out(&mut self, game: &G, state: &G::State) {
        use sakiyomi_core::{CutOut, Turn};
        let Some(cut) = self.settings.cut_out else { return };
        let Turn::Choose(mut who) = game.turn(state) else { return };
        let is_kept = matches!(cut, CutOut::Box { .. }) && self.field.is_some();
        if let (false, Some(player)) = (is_kept, who.next()) {
            self.field = game.cut_out(state, player, cut);
        }
    }
}
