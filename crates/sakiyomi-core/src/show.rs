//! What people and other programs see of a game: action texts and a drawable view.

use crate::{Colour, Effect, Game, LegendEntry, OrderForm, Phrase, Player, Turn, View, Way};

/// The face of a game. Texts can be typed back: [`Show::parse`] finds the action of a text.
pub trait Show: Game {
    /// The text of an action, unique among the legal actions of `player` in `state`.
    fn action_text(&self, state: &Self::State, player: Player, action: Self::Action) -> String;

    /// The picture of a state.
    fn view(&self, state: &Self::State) -> View;

    /// The board's cells (indices into [`Board::cells`](crate::Board)) that a person clicks, in order,
    /// to choose this action. Empty means that the action is chosen by its text or its card.
    fn action_cells(
        &self,
        _state: &Self::State,
        _player: Player,
        _action: Self::Action,
    ) -> Vec<u16> {
        Vec::new()
    }

    /// Further cells that mean the same as the last of [`Show::action_cells`], such as the rest of a
    /// column into which a stone is dropped.
    fn action_area(
        &self,
        _state: &Self::State,
        _player: Player,
        _action: Self::Action,
    ) -> Vec<u16> {
        Vec::new()
    }

    /// The card of the player's hand in the view that this action plays.
    fn action_card(
        &self,
        _state: &Self::State,
        _player: Player,
        _action: Self::Action,
    ) -> Option<u16> {
        None
    }

    /// What the drawings on the board stand for; empty where pieces speak for themselves.
    fn legend(&self) -> Vec<LegendEntry> {
        Vec::new()
    }

    /// What kind of action it is, such as `attack` or `fire`, where a player has several kinds.
    fn action_kind(
        &self,
        _state: &Self::State,
        _player: Player,
        _action: Self::Action,
    ) -> Option<Phrase> {
        None
    }

    /// What an action would do that the board does not show, such as the damage of a strike.
    fn action_effects(
        &self,
        _state: &Self::State,
        _player: Player,
        _action: Self::Action,
    ) -> Vec<Effect> {
        Vec::new()
    }

    /// Whether the action does nothing but end a turn of several actions.
    fn ends_turn(&self, _state: &Self::State, _player: Player, _action: Self::Action) -> bool {
        false
    }

    /// How the text of an action is put together, where it is a string of commands for each of the
    /// player's pieces.
    fn order_form(&self, _state: &Self::State, _player: Player) -> Option<OrderForm> {
        None
    }

    /// Through which cells pieces go while these actions are carried out, where the views before
    /// and after it do not tell.
    fn ways(&self, _state: &Self::State, _actions: &[Self::Action]) -> Vec<Way> {
        Vec::new()
    }

    /// The text of an outcome of chance, unique among the outcomes in `state`.
    fn outcome_text(&self, _state: &Self::State, outcome: Self::Action) -> String {
        format!("{outcome:?}")
    }

    fn player_name(&self, player: Player) -> Phrase {
        Phrase::new("player {0}").with(player.0 + 1)
    }

    /// The colour of a player's pieces, if the game has one for it.
    fn player_colour(&self, _player: Player) -> Option<Colour> {
        None
    }

    /// The legal action with this text. Case and surrounding space do not matter. An override reads
    /// the text itself and need not list what is legal; see [`chooses`] and [`if_legal`].
    fn parse(&self, state: &Self::State, player: Player, text: &str) -> Option<Self::Action> {
        if !chooses(self, state, player) {
            return None;
        }
        let mut actions = Vec::new();
        self.actions(state, player, &mut actions);
        let exact = actions.iter().find(|&&a| self.action_text(state, player, a) == text.trim());
        let same = |&&action: &&Self::Action| {
            self.action_text(state, player, action).eq_ignore_ascii_case(text.trim())
        };
        exact.or_else(|| actions.iter().find(same)).copied()
    }
}

/// Whether it is the player's turn.
pub fn chooses<G: Game + ?Sized>(game: &G, state: &G::State, player: Player) -> bool {
    matches!(game.turn(state), Turn::Choose(who) if who.contains(player))
}

/// The action, if it is the player's turn and it is legal: what an override of [`Show::parse`] ends
/// with. No text is made of the other legal actions.
pub fn if_legal<G: Game + ?Sized>(
    game: &G,
    state: &G::State,
    player: Player,
    action: G::Action,
) -> Option<G::Action> {
    game.legal(state, player, action).then_some(action)
}
