//! What people see: the table, the deck, and everyone's hand and total.

use sakiyomi_core::{
    Card as CardView, Game, Phrase, Pile, Player, PlayerView, Score, Show, Turn, View, if_legal,
};

use super::{Card, Hagetaka, NONE, Position};

impl Show for Hagetaka {
    fn action_text(&self, _: &Position, _: Player, action: Card) -> String {
        (action.0 + 1).to_string()
    }

    fn outcome_text(&self, _: &Position, outcome: Card) -> String {
        signed(self.values[outcome.0 as usize])
    }

    fn view(&self, position: &Position) -> View {
        let (caption, note) = self.caption(position);
        View {
            piles: self.piles(position),
            players: (0..self.players() as u8).map(|i| self.player(position, Player(i))).collect(),
            caption,
            note,
            ..View::default()
        }
    }

    /// Its place among the cards that are left.
    fn action_card(&self, position: &Position, player: Player, action: Card) -> Option<u16> {
        let lower = position.hands[player.index()] & ((1 << action.0) - 1);
        Some(lower.count_ones() as u16)
    }

    fn parse(&self, position: &Position, player: Player, text: &str) -> Option<Card> {
        let number: u8 =
            text.trim().parse().ok().filter(|_| !text.trim().starts_with(['+', '0']))?;
        if_legal(self, position, player, Card(number - 1))
    }
}

impl Hagetaka {
    /// What is played for, and what is still to be turned over.
    fn piles(&self, position: &Position) -> Vec<Pile> {
        let mut piles = Vec::new();
        if position.turned != NONE || position.stake != 0 {
            let value = match position.turned {
                NONE => 0,
                place => self.values[place as usize],
            };
            let carried = position.stake - value;
            piles.push(Pile {
                title: Phrase::new("on the table"),
                cards: vec![point_card(value)],
                note: (carried != 0).then(|| Phrase::new("{0} carried over").with(signed(carried))),
            });
        }
        let deck = places(position.deck).map(|place| point_card(self.values[place as usize]));
        piles.push(Pile { title: Phrase::new("face down"), cards: deck.collect(), note: None });
        piles
    }

    fn player(&self, position: &Position, player: Player) -> PlayerView {
        let total = position.totals[player.index()];
        let is_playable = matches!(self.turn(position), Turn::Choose(who) if who.contains(player));
        let hand = places(position.hands[player.index()]);
        PlayerView {
            name: self.player_name(player),
            score: Some(Score { value: total.into(), text: Phrase::new("{0} points").with(total) }),
            hand: Some(hand.map(|card| CardView::number(card as i32 + 1, is_playable)).collect()),
        }
    }

    fn caption(&self, position: &Position) -> (Phrase, Option<Phrase>) {
        match self.turn(position) {
            Turn::Chance => (Phrase::new("a vulture card is turned over"), None),
            Turn::Choose(_) => {
                let who_takes = match position.stake < 0 {
                    true => Phrase::new("the lowest takes {0}"),
                    false => Phrase::new("the highest takes {0}"),
                };
                let note = who_takes.with(signed(position.stake));
                (Phrase::new("everyone plays a card"), Some(note))
            }
            Turn::Over(_) => {
                let totals = &position.totals[..self.players()];
                let best = totals.iter().max().copied().unwrap_or_default();
                let winners = (0..self.players()).filter(|&player| totals[player] == best);
                let names = winners.map(|player| self.player_name(Player(player as u8)));
                let caption = Phrase::new("{0} with {1} points");
                (caption.with(Phrase::all_of(names)).with(best), None)
            }
        }
    }
}

/// The places of the set bits.
fn places(bits: u32) -> impl Iterator<Item = u32> {
    (0..u32::BITS).filter(move |place| bits >> place & 1 == 1)
}

fn point_card(value: i16) -> CardView {
    CardView { text: signed(value), ..CardView::number(value.into(), false) }
}

fn signed(value: i16) -> String {
    format!("{value:+}")
}
