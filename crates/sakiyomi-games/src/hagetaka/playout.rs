//! Random playouts. Hands and deck are unpacked into lists; a card is drawn by its place in the list
//! and the last card takes its place. One word of random bits serves for all draws of a round: what
//! the multiplication of a draw leaves below the point is the fraction for the next one. With at
//! most 7 lists of 20 cards the bias stays under 20^7 / 2^64.

use sakiyomi_core::{Payoffs, Rng};

use super::{Hagetaka, MAX_CARDS, MAX_HANDS, NONE, Order, Position, Ties};

/// The cards of a set, of which the first `len` are still there.
#[derive(Clone, Copy)]
struct Pile {
    cards: [u8; 32],
    len: u32,
}

impl Pile {
    #[inline]
    fn of(mut bits: u32) -> Pile {
        let mut pile = Pile { cards: [0; 32], len: bits.count_ones() };
        let mut i = 0;
        while bits != 0 {
            pile.cards[i & 31] = bits.trailing_zeros() as u8;
            bits &= bits - 1;
            i += 1;
        }
        pile
    }

    /// Draws a card and takes it away. The pile must not be empty.
    #[inline]
    fn draw(&mut self, fraction: &mut u64) -> u8 {
        let product = u128::from(*fraction) * u128::from(self.len);
        *fraction = product as u64;
        let place = (product >> 64) as usize & 31;
        self.len -= 1;
        let card = self.cards[place];
        self.cards[place] = self.cards[self.len as usize & 31];
        card
    }

    /// The cards that are left.
    fn bits(&self) -> u32 {
        self.cards[..self.len as usize].iter().fold(0, |bits, card| bits | 1 << card)
    }
}

impl Hagetaka {
    pub(super) fn play_out(&self, position: &mut Position, rng: &mut Rng) -> Payoffs {
        if self.settings.players == 2 {
            self.play_out_two(position, rng);
        } else {
            self.play_out_many(position, rng);
        }
        position.stake = 0;
        position.turned = NONE;
        position.deck = 0;
        self.payoffs(&position.totals)
    }

    /// Two players, without a branch on what the cards are: the player with the higher card changes the
    /// difference by the stake's magnitude, since the lower card takes a negative stake.
    fn play_out_two(&self, position: &mut Position, rng: &mut Rng) {
        let mut hands = [Pile::of(position.hands[0]), Pile::of(position.hands[1])];
        let mut deck = self.unturned(position);
        let mut stake = i32::from(position.stake);
        let mut difference = i32::from(position.totals[0]) - i32::from(position.totals[1]);
        let mut sum = i32::from(position.totals[0]) + i32::from(position.totals[1]);
        let carry = i32::from(self.settings.ties == Ties::Carry);
        let mut is_turned = position.turned != NONE;
        for _ in 0..self.rounds_left(position) {
            let mut fraction = rng.bits();
            if !is_turned {
                stake += i32::from(self.next_value(&mut deck, &mut fraction));
            }
            is_turned = false;
            let first = i32::from(hands[0].draw(&mut fraction));
            let second = i32::from(hands[1].draw(&mut fraction));
            let lead = (first - second).signum();
            difference += stake.abs() * lead;
            sum += stake * lead.abs();
            stake *= carry & (1 - lead.abs());
        }
        position.hands[0] = hands[0].bits();
        position.hands[1] = hands[1].bits();
        position.totals[0] = ((sum + difference) / 2) as i16;
        position.totals[1] = ((sum - difference) / 2) as i16;
    }

    /// More players, with the cards as bits, and again without a branch on what they are.
    fn play_out_many(&self, position: &mut Position, rng: &mut Rng) {
        let n_players = self.settings.players;
        let mut hands = position.hands.map(Pile::of);
        let mut deck = self.unturned(position);
        let mut cards = [0u32; MAX_HANDS];
        let carries = self.settings.ties == Ties::Carry;
        let cancelled = if carries { u32::MAX } else { 0 };
        let mut is_turned = position.turned != NONE;
        for _ in 0..self.rounds_left(position) {
            let mut fraction = rng.bits();
            if !is_turned {
                position.stake += self.next_value(&mut deck, &mut fraction);
            }
            is_turned = false;
            let (mut once, mut twice) = (0u32, 0u32);
            for (card, hand) in cards[..n_players].iter_mut().zip(&mut hands) {
                *card = 1 << hand.draw(&mut fraction);
                twice |= once & *card;
                once |= *card;
            }
            let rivals = once & !(twice & cancelled);
            let highest = ((1u64 << (32 - rivals.leading_zeros())) >> 1) as u32;
            let lowest = rivals & rivals.wrapping_neg();
            let best = if position.stake >= 0 { highest } else { lowest } & !twice;
            for (total, card) in position.totals[..n_players].iter_mut().zip(&cards) {
                *total += position.stake * i16::from(card & best != 0);
            }
            position.stake *= i16::from(best == 0 && carries);
        }
        position.hands = hands.map(|hand| hand.bits());
    }

    /// The cards that are face down, the next one last if their order is fixed.
    fn unturned(&self, position: &Position) -> Pile {
        let mut deck = Pile::of(position.deck);
        if self.settings.order == Order::Ascending {
            deck.cards[..deck.len as usize].reverse();
        }
        deck
    }

    #[inline]
    fn next_value(&self, deck: &mut Pile, fraction: &mut u64) -> i16 {
        let place = if self.settings.order == Order::Random {
            deck.draw(fraction)
        } else {
            deck.len -= 1;
            deck.cards[deck.len as usize & 31]
        };
        self.values[place as usize % MAX_CARDS]
    }
}
