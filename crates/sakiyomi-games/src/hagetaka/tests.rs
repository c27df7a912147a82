//! The rules against a plain second telling of them, and the fast paths against the rules.

use super::*;

fn game(settings: Settings) -> Hagetaka {
    Hagetaka::new(settings).unwrap()
}

/// Who takes the stake, told the long way: sort the cards, drop the equal ones, take the best.
fn plain_taker(stake: i16, cards: &[u8], ties: Ties) -> Option<usize> {
    let mut order: Vec<usize> = (0..cards.len()).collect();
    order.sort_by_key(|&player| cards[player]);
    if stake >= 0 {
        order.reverse();
    }
    let alone = |&player: &usize| cards.iter().filter(|&&c| c == cards[player]).count() == 1;
    match ties {
        Ties::Carry => order.into_iter().find(alone),
        Ties::Discard => order.into_iter().next().filter(alone),
    }
}

#[test]
fn equal_cards_cancel_at_every_rank() {
    for ties in [Ties::Carry, Ties::Discard] {
        let game = game(Settings { ties, ..Settings::hagetaka(15, 6) });
        let mut rng = Rng::new(1);
        for _ in 0..20_000 {
            let n_players = 2 + rng.below(5);
            let cards: Vec<u8> = (0..n_players).map(|_| rng.below(4) as u8).collect();
            let hand: Vec<Card> = cards.iter().map(|&card| Card(card)).collect();
            for stake in [-3, 0, 7] {
                assert_eq!(game.taker(stake, &hand), plain_taker(stake, &cards, ties), "{cards:?}");
            }
        }
    }
}

#[test]
fn a_stake_is_carried_and_its_sign_decides() {
    // -1, 1, 2 turned over in ascending order.
    let settings = Settings { order: Order::Ascending, ..Settings::hagetaka(3, 2) };
    let play = |rounds: &[[u8; 2]]| {
        let game = game(settings.clone());
        let mut position = game.start();
        for cards in rounds {
            assert_eq!(game.turn(&position), Turn::Choose(Players::all(2)));
            game.apply(&mut position, &cards.map(|card| Card(card - 1)));
        }
        position
    };
    assert_eq!(play(&[]).stake, -1);
    // Both play 2, so -1 and 1 lie on the table; a sum of 0 goes to the higher card.
    let position = play(&[[2, 2], [1, 3]]);
    assert_eq!((position.stake, position.totals[0], position.totals[1]), (2, 0, 0));
    // The lower card takes -1, the higher ones 1 and 2.
    assert_eq!(play(&[[1, 2], [3, 1], [2, 3]]).totals[..2], [0, 2]);
    // What is left at the end is lost.
    let position = play(&[[1, 1], [2, 2], [3, 3]]);
    assert_eq!((position.totals[..2].to_vec(), position.stake), (vec![0, 0], 0));
}

#[test]
fn decks_are_as_in_the_box() {
    let deck = |cards| Settings::hagetaka(cards, 2).deck;
    assert_eq!(deck(15), [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert_eq!(deck(5), [-1, 1, 2, 3, 4]);
    assert_eq!(Settings::goofspiel(4, 2).deck, [1, 2, 3, 4]);
    let refused = |settings: Settings| Hagetaka::new(settings).unwrap_err().to_string();
    assert!(refused(Settings::hagetaka(21, 2)).contains("1 to 20"));
    assert!(refused(Settings::hagetaka(0, 2)).contains("1 to 20"));
    assert!(refused(Settings::hagetaka(5, 7)).contains("2 to 6"));
    assert!(refused(Settings { deck: vec![], ..Settings::hagetaka(5, 2) }).contains("1 to 5"));
    assert!(refused(Settings { deck: vec![0], ..Settings::hagetaka(5, 2) }).contains("card of 0"));
}

/// Games of all kinds, a deck with equal cards and one that is shorter than the hands included.
fn kinds() -> Vec<Hagetaka> {
    let mut kinds = Vec::new();
    for players in [2, 3, 6] {
        for order in [Order::Random, Order::Ascending, Order::Descending] {
            for payoff in [Payoff::WinLoss, Payoff::PointDifference] {
                let base = Settings { order, payoff, ..Settings::hagetaka(6, players) };
                kinds.push(game(base.clone()));
                kinds.push(game(Settings { deck: vec![-2, -2, 3, 3, 3], ..base }));
                let goofspiel = Settings::goofspiel(20, players);
                kinds.push(game(Settings { order, payoff, ..goofspiel }));
            }
        }
    }
    kinds
}

/// The mean and the spread of every total after fast playouts are those of the plain rules.
#[test]
fn playouts_have_the_distribution_of_the_rules() {
    for game in kinds() {
        let n = 4_000;
        let mut sums = [[0.0; 2]; 2];
        let (mut rng, mut scratch) = (Rng::new(3), Scratch::default());
        for _ in 0..n {
            let mut plain = game.start();
            while !matches!(game.turn(&plain), Turn::Over(_)) {
                step_at_random(&game, &mut plain, &mut rng);
            }
            let mut fast = game.start();
            // Some playouts start in the middle, with a card turned over and with none.
            for _ in 0..rng.below(5) {
                step_at_random(&game, &mut fast, &mut rng);
            }
            let payoffs = game.playout(&mut fast, &mut scratch, &mut rng);
            assert_eq!(game.turn(&fast), Turn::Over(payoffs));
            assert_eq!(fast.hands.map(u32::count_ones), plain.hands.map(u32::count_ones));
            for (sums, end) in sums.iter_mut().zip([plain, fast]) {
                let total = f64::from(end.totals[0]);
                sums[0] += total;
                sums[1] += total * total;
            }
        }
        let n = f64::from(n);
        let [plain, fast] = sums.map(|[sum, square]| (sum / n, square / n - (sum / n).powi(2)));
        let error = ((plain.1 + fast.1) / n).sqrt();
        assert!((plain.0 - fast.0).abs() < 4.5 * error + 1e-9, "{plain:?} {fast:?} {game:?}");
        assert!((plain.1 / fast.1 - 1.0).abs() < 0.2, "{plain:?} {fast:?} {game:?}");
    }
}

fn step_at_random(game: &Hagetaka, position: &mut Position, rng: &mut Rng) {
    let actions: Vec<Card> = match game.turn(position) {
        Turn::Over(_) => return,
        Turn::Chance => vec![game.sample(position, &mut Vec::new(), rng)],
        Turn::Choose(who) => {
            who.map(|player| game.random_action(position, player, &mut Vec::new(), rng)).collect()
        }
    };
    game.apply(position, &actions);
}

#[test]
fn outcomes_and_samples_agree() {
    for game in kinds() {
        let mut position = game.start();
        let mut rng = Rng::new(5);
        while !matches!(game.turn(&position), Turn::Over(_)) {
            if game.turn(&position) == Turn::Chance {
                let mut outcomes = Vec::new();
                game.outcomes(&position, &mut outcomes);
                let mut counts = vec![0.0; outcomes.len()];
                for _ in 0..2_000 {
                    let card = game.sample(&position, &mut Vec::new(), &mut rng);
                    let at = outcomes.iter().position(|outcome| outcome.0 == card);
                    counts[at.expect("a sample is an outcome")] += 1.0 / 2_000.0;
                }
                for (count, (_, probability)) in counts.iter().zip(&outcomes) {
                    assert!((count - probability).abs() < 0.06, "{count} {probability}");
                }
            }
            step_at_random(&game, &mut position, &mut rng);
        }
    }
}

/// Two states with the same canonical state have the same payoffs under the same (uniform) play.
#[test]
fn the_canonical_state_has_the_same_value() {
    fn value(game: &Hagetaka, position: &Position) -> f64 {
        let after = |actions: &[Card]| {
            let mut next = *position;
            game.apply(&mut next, actions);
            value(game, &next)
        };
        match game.turn(position) {
            Turn::Over(payoffs) => payoffs[Player(0)],
            Turn::Chance => {
                let mut outcomes = Vec::new();
                game.outcomes(position, &mut outcomes);
                outcomes.iter().map(|(outcome, p)| p * after(&[*outcome])).sum()
            }
            Turn::Choose(who) => {
                let mut hands = who.map(|player| {
                    let mut cards = Vec::new();
                    game.actions(position, player, &mut cards);
                    cards
                });
                let (first, second) = (hands.next().unwrap(), hands.next().unwrap());
                let pairs = first.iter().flat_map(|&a| second.iter().map(move |&b| [a, b]));
                let n = (first.len() * second.len()) as f64;
                pairs.map(|pair| after(&pair)).sum::<f64>() / n
            }
        }
    }
    let mut n_exchanged = 0;
    for payoff in [Payoff::WinLoss, Payoff::PointDifference] {
        let game = game(Settings { payoff, ..Settings::hagetaka(6, 2) });
        for seed in 0..60 {
            let (mut position, mut rng) = (game.start(), Rng::new(seed));
            for _ in 0..6 + seed % 5 {
                step_at_random(&game, &mut position, &mut rng);
            }
            let expected = value(&game, &position);
            let found = match game.canonical(&position) {
                Canonical::Settled(payoffs) => payoffs[Player(0)],
                Canonical::State { state, exchanged, offset } => {
                    n_exchanged += u32::from(exchanged);
                    let value = value(&game, &state);
                    offset[Player(0)] + if exchanged { 1.0 - value } else { value }
                }
            };
            assert!((expected - found).abs() < 1e-12, "{position:?}: {expected} {found}");
        }
    }
    assert!(n_exchanged > 10, "{n_exchanged}");
}
