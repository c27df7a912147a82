//! Hagetaka no Ejiki (Vulture's prey, Alex Randolph), as in Shimura and Yamaguchi's study of
//! simultaneous-move search, and Goofspiel, which is the same game with other settings.
//!
//! Two to six players hold the cards 1, 2 .. each. In every round a vulture card is turned over,
//! and all play one card at the same time. The highest card takes a positive vulture card, the
//! lowest a negative one. Equal cards cancel each other, and the next card of the rest takes it; if
//! none is left, the stake stays on the table and is fought over together with the next one. The
//! sign of the whole stake then decides who takes it. The highest total wins.
//!
//! What the paper leaves open: a stake of 0 counts as positive, what is on the table after the last
//! round is lost, and players who tie for the highest total share the point. The round ends
//! the game in which the deck is empty, even if hands are not.

mod playout;
mod settings;
mod show;

use sakiyomi_core::{
    Canonical, CellShape, Encode, Game, Hint, HintSet, Hints, ObservationShape, Orders, Payoffs,
    Player, Players, Rng, Scratch, Turn,
};

pub use settings::{MAX_CARDS, MAX_HANDS, Order, Payoff, Settings, SettingsError, Ties};

/// The rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hagetaka {
    settings: Settings,
    /// The values of the deck, by place; places that do not exist are 0.
    values: [i16; MAX_CARDS],
}

/// Where a match is. Hands and deck are sets of bits: card 1 is bit 0 of a hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub hands: [u32; MAX_HANDS],
    /// What is face down, by place in the deck.
    pub deck: u32,
    pub totals: [i16; MAX_HANDS],
    /// All that is on the table: the card that is turned over, and what was carried.
    pub stake: i16,
    /// The place of the card that is turned over, or [`NONE`].
    pub turned: u8,
}

const _: () = assert!(size_of::<Position>() <= 44);

/// No card is turned over.
pub const NONE: u8 = u8::MAX;

/// A card of a hand by its number from 0, or a card of the deck by its place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Card(pub u8);

impl Hagetaka {
    pub fn new(mut settings: Settings) -> Result<Hagetaka, SettingsError> {
        settings.check()?;
        settings.deck.sort_unstable();
        let mut values = [0; MAX_CARDS];
        values[..settings.deck.len()].copy_from_slice(&settings.deck);
        Ok(Hagetaka { settings, values })
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The place of the card that comes next if the order of the deck is fixed, or if only one is
    /// left.
    #[inline]
    fn next_place(&self, deck: u32) -> Option<u8> {
        match self.settings.order {
            Order::Random => deck.is_power_of_two().then(|| deck.trailing_zeros() as u8),
            _ if deck == 0 => None,
            Order::Ascending => Some(deck.trailing_zeros() as u8),
            Order::Descending => Some(deck.ilog2() as u8),
        }
    }

    #[inline]
    fn turn_over(&self, position: &mut Position, place: u8) {
        position.deck &= !(1 << place);
        position.stake += self.values[place as usize];
        position.turned = place;
    }

    /// Ends the round: who takes the stake, and what comes next.
    #[inline]
    fn settle(&self, position: &mut Position, taker: Option<usize>) {
        match taker {
            Some(player) => {
                position.totals[player] += position.stake;
                position.stake = 0;
            }
            None if self.settings.ties == Ties::Discard => position.stake = 0,
            None => {}
        }
        position.turned = NONE;
        match self.next_place(position.deck) {
            Some(place) => self.turn_over(position, place),
            // What is on the table at the end is lost.
            None if position.deck == 0 => position.stake = 0,
            None => {}
        }
    }

    /// Who takes the stake with these cards, if anybody does.
    #[inline]
    fn taker(&self, stake: i16, cards: &[Card]) -> Option<usize> {
        let (mut once, mut twice) = (0u32, 0u32);
        for card in cards {
            let bit = 1 << card.0;
            twice |= once & bit;
            once |= bit;
        }
        let rivals = match self.settings.ties {
            Ties::Carry => once & !twice,
            Ties::Discard => once,
        };
        if rivals == 0 {
            return None;
        }
        let card = if stake >= 0 { rivals.ilog2() } else { rivals.trailing_zeros() };
        if twice >> card & 1 == 1 {
            return None;
        }
        cards.iter().position(|other| u32::from(other.0) == card)
    }

    fn payoffs(&self, totals: &[i16; MAX_HANDS]) -> Payoffs {
        let n_players = self.settings.players;
        match (self.settings.payoff, n_players) {
            (Payoff::WinLoss, 2) => {
                let first = 0.5 + 0.5 * f64::from((totals[0] - totals[1]).signum());
                Payoffs::of([first, 1.0 - first])
            }
            (Payoff::WinLoss, _) => {
                let totals = totals.map(i64::from);
                Payoffs::best_of(&totals[..n_players])
            }
            (Payoff::PointDifference, _) => {
                let totals = &totals.map(f64::from)[..n_players];
                let mean = totals.iter().sum::<f64>() / n_players as f64;
                let scale = 0.5 / self.settings.largest_distance();
                let mut payoffs = Payoffs::default();
                for (player, total) in totals.iter().enumerate() {
                    payoffs[Player(player as u8)] = 0.5 + scale * (total - mean);
                }
                payoffs
            }
        }
    }

    /// The position of two players before a round: their hands, what is face down, what was
    /// carried, and by how much the first leads. The next card is turned over at once if there is
    /// no choice.
    pub fn before_round(
        &self,
        hands: [u32; 2],
        deck: u32,
        carried: i16,
        difference: i16,
    ) -> Position {
        let mut position = Position {
            hands: [0; MAX_HANDS],
            deck,
            totals: [0; MAX_HANDS],
            stake: carried,
            turned: NONE,
        };
        position.hands[..2].copy_from_slice(&hands);
        position.totals[..2].copy_from_slice(&[difference.max(0), (-difference).max(0)]);
        if let Some(place) = self.next_place(deck) {
            self.turn_over(&mut position, place);
        }
        position
    }

    /// The value of the card at a place of the deck.
    pub fn value_at(&self, place: u8) -> i16 {
        self.values[usize::from(place)]
    }

    /// Rounds that are still to be played.
    pub fn rounds_left(&self, position: &Position) -> u32 {
        position.deck.count_ones() + u32::from(position.turned != NONE)
    }
}

impl Game for Hagetaka {
    type State = Position;
    type Action = Card;

    fn players(&self) -> usize {
        self.settings.players
    }

    fn start(&self) -> Position {
        let mut hands = [0; MAX_HANDS];
        hands[..self.settings.players].fill((1 << self.settings.cards) - 1);
        let deck = ((1u64 << self.settings.deck.len()) - 1) as u32;
        let totals = [0; MAX_HANDS];
        let mut position = Position { hands, deck, totals, stake: 0, turned: NONE };
        if let Some(place) = self.next_place(deck) {
            self.turn_over(&mut position, place);
        }
        position
    }

    #[inline]
    fn turn(&self, position: &Position) -> Turn {
        if position.turned != NONE {
            Turn::Choose(Players::all(self.settings.players))
        } else if position.deck != 0 {
            Turn::Chance
        } else {
            Turn::Over(self.payoffs(&position.totals))
        }
    }

    #[inline]
    fn actions(&self, position: &Position, player: Player, out: &mut Vec<Card>) {
        let mut hand = position.hands[player.index()];
        while hand != 0 {
            out.push(Card(hand.trailing_zeros() as u8));
            hand &= hand - 1;
        }
    }

    #[inline]
    fn apply(&self, position: &mut Position, actions: &[Card]) {
        if position.turned == NONE {
            return self.turn_over(position, actions[0].0);
        }
        for (hand, card) in position.hands.iter_mut().zip(actions) {
            *hand &= !(1 << card.0);
        }
        self.settle(position, self.taker(position.stake, actions));
    }

    /// Vulture cards of the same value are one outcome, which turns over the first of them.
    fn outcomes(&self, position: &Position, out: &mut Vec<(Card, f64)>) {
        let share = 1.0 / f64::from(position.deck.count_ones());
        let mut deck = position.deck;
        let mut last = 0;
        while deck != 0 {
            let place = deck.trailing_zeros() as u8;
            deck &= deck - 1;
            let value = self.values[place as usize];
            match out.last_mut() {
                Some((_, probability)) if value == last => *probability += share,
                _ => out.push((Card(place), share)),
            }
            last = value;
        }
    }

    /// All cards of the deck are equally likely, so one is drawn and the first of its value taken.
    #[inline]
    fn sample(&self, position: &Position, _: &mut Vec<(Card, f64)>, rng: &mut Rng) -> Card {
        let deck = position.deck;
        let mut place = nth_bit(deck, rng.below(deck.count_ones() as usize));
        while place > 0
            && self.values[place as usize - 1] == self.values[place as usize]
            && deck >> (place - 1) & 1 == 1
        {
            place -= 1;
        }
        Card(place)
    }

    /// Folds the words of the position by 128-bit products, which mixes far better than the usual
    /// hash: exact work keeps values by key alone.
    fn key(&self, position: &Position) -> u64 {
        let fold = |key: u64, word: u64| {
            let product = u128::from(key ^ word) * 0x9e37_79b9_7f4a_7c15;
            (product >> 64) as u64 ^ product as u64
        };
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let total =
            |player: usize| u64::from(position.totals[player] as u16) << (16 * (player % 4));
        let table = u64::from(position.stake as u16) << 32 | u64::from(position.turned) << 48;
        let mut key = fold(0x2545_f491_4f6c_dd1d, pair(position.hands[0], position.hands[1]));
        key = fold(key, u64::from(position.deck) | table);
        key = fold(key, total(0) | total(1) | total(2) | total(3));
        if self.settings.players > 2 {
            key = fold(key, pair(position.hands[2], position.hands[3]));
            key = fold(key, pair(position.hands[4], position.hands[5]));
            key = fold(key, total(4) | total(5));
        }
        fold(key, key >> 32)
    }

    fn legal(&self, position: &Position, player: Player, card: Card) -> bool {
        position.turned != NONE
            && player.index() < self.settings.players
            && card.0 < 32
            && position.hands[player.index()] >> card.0 & 1 == 1
    }

    #[inline]
    fn random_action(
        &self,
        position: &Position,
        player: Player,
        _: &mut Vec<Card>,
        rng: &mut Rng,
    ) -> Card {
        let hand = position.hands[player.index()];
        Card(nth_bit(hand, rng.below(hand.count_ones() as usize)))
    }

    fn playout(&self, position: &mut Position, _: &mut Scratch<Card>, rng: &mut Rng) -> Payoffs {
        self.play_out(position, rng)
    }

    fn constant_sum(&self) -> bool {
        true
    }
}

impl Hints for Hagetaka {
    fn provides(&self) -> HintSet {
        HintSet::of(&[Hint::TurnsLeft, Hint::Canonical, Hint::Cells])
    }

    fn turns_left(&self, position: &Position) -> Option<u32> {
        Some(self.rounds_left(position))
    }

    /// What matters is how the cards of the hands compare, not what they are, and how far apart the
    /// totals are. By point difference not even that matters for what follows: it only adds to the
    /// payoffs. The two players of a match may change seats. Once the deck cannot make up for the
    /// difference, a match for win and loss is decided.
    fn canonical(&self, position: &Position) -> Canonical<Position> {
        let n_players = self.settings.players;
        let mut state = *position;
        let offset = match self.settings.payoff {
            Payoff::WinLoss => {
                let lowest = position.totals[..n_players].iter().copied().min();
                let totals = state.totals[..n_players].iter_mut();
                totals.for_each(|total| *total -= lowest.unwrap_or_default());
                Payoffs::default()
            }
            Payoff::PointDifference => {
                state.totals = [0; MAX_HANDS];
                let mut offset = self.payoffs(&position.totals);
                offset.add_scaled(&Payoffs::uniform(n_players, 0.5), -1.0);
                offset
            }
        };
        let all = position.hands[..n_players].iter().fold(0, |all, hand| all | hand);
        if all & (all + 1) != 0 {
            state.hands[..n_players].iter_mut().for_each(|hand| *hand = gather(*hand, all));
        }
        if n_players != 2 {
            return Canonical::State { state, exchanged: false, offset };
        }
        let difference = position.totals[0] - position.totals[1];
        if self.settings.payoff == Payoff::WinLoss
            && i32::from(difference.abs()) > self.at_stake(position)
        {
            return Canonical::Settled(self.payoffs(&position.totals));
        }
        let seat = |player: usize| (state.hands[player], state.totals[player]);
        let exchanged = seat(0) < seat(1);
        if exchanged {
            state.hands.swap(0, 1);
            state.totals.swap(0, 1);
        }
        Canonical::State { state, exchanged, offset }
    }

    /// A row per hand, lowest card first, and a row for the deck, whose turned card has code 2.
    fn cell_shape(&self) -> Option<CellShape> {
        let Settings { players, cards, .. } = self.settings;
        Some(CellShape { rows: players + 1, columns: cards, n_codes: 3 })
    }

    fn cells(&self, position: &Position, out: &mut Vec<u8>) {
        let Settings { players, cards, .. } = self.settings;
        for hand in &position.hands[..players] {
            out.extend((0..cards).map(|card| (hand >> card & 1) as u8));
        }
        out.extend((0..cards).map(|place| match position.deck >> place & 1 {
            0 if usize::from(position.turned) == place => 2,
            bit => bit as u8,
        }));
    }
}

impl Orders for Hagetaka {}

impl Encode for Hagetaka {
    /// The hands, one's own first and then in the order of seats; the deck that is face down; the
    /// card that is turned over; what is on the table and the totals in the order of the hands,
    /// both as shares of the largest possible total.
    fn observation_shape(&self) -> Option<ObservationShape> {
        let Settings { players, cards, deck, .. } = &self.settings;
        Some(ObservationShape::flat(players * cards + 2 * deck.len() + 1 + players))
    }

    fn observe(&self, position: &Position, player: Player, out: &mut [f32]) {
        let Settings { players, cards, deck, .. } = &self.settings;
        let bits = |set: u32, n: usize| (0..n).map(move |i| (set >> i & 1) as f32);
        let seats = || (0..*players).map(|i| (player.index() + i) % players);
        let hands = seats().flat_map(|seat| bits(position.hands[seat], *cards));
        let turned = if position.turned == NONE { 0 } else { 1 << position.turned };
        let decks = bits(position.deck, deck.len()).chain(bits(turned, deck.len()));
        let scale = deck.iter().map(|value| f32::from(value.abs())).sum::<f32>().max(1.0);
        let totals = seats().map(|seat| f32::from(position.totals[seat]) / scale);
        let stake = f32::from(position.stake) / scale;
        let numbers = hands.chain(decks).chain([stake]).chain(totals);
        out.iter_mut().zip(numbers).for_each(|(out, number)| *out = number);
    }

    fn n_action_indices(&self) -> usize {
        self.settings.cards
    }

    fn action_index(&self, _: &Position, _: Player, card: Card) -> Option<usize> {
        Some(card.0.into())
    }
}

impl Hagetaka {
    /// By how much the difference of two totals can still change.
    pub fn at_stake(&self, position: &Position) -> i32 {
        let mut sum = i32::from(position.stake.abs());
        let mut deck = position.deck;
        while deck != 0 {
            sum += i32::from(self.values[deck.trailing_zeros() as usize].abs());
            deck &= deck - 1;
        }
        sum
    }
}

/// The place of the set bit that has `n` set bits below it.
#[inline]
fn nth_bit(mut bits: u32, n: usize) -> u8 {
    for _ in 0..n {
        bits &= bits - 1;
    }
    bits.trailing_zeros() as u8
}

/// The bits of `bits` at the places of `mask`, moved together.
pub fn gather(bits: u32, mut mask: u32) -> u32 {
    let (mut gathered, mut place) = (0, 0);
    while mask != 0 {
        gathered |= (bits >> mask.trailing_zeros() & 1) << place;
        place += 1;
        mask &= mask - 1;
    }
    gathered
}

#[cfg(test)]
mod tests;
