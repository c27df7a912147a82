use std::sync::Arc;

use sakiyomi_core::{Game, Hints, Stop};
use sakiyomi_games::Hagetaka;
use sakiyomi_games::hagetaka::{Order, Payoff, Settings, Ties};
use sakiyomi_search::Exact;

use super::{Layers, LayersError};

fn solved(game: &Hagetaka, n_threads: usize) -> Layers {
    let mut layers = Layers::plan(game, 1 << 30, true, &Stop::new()).unwrap();
    while layers.next_layer().is_some() {
        layers.solve_next(n_threads, &Stop::new(), &mut |_| {}).unwrap();
    }
    layers
}

/// Games of every kind.
fn games() -> Vec<Hagetaka> {
    let mut games = Vec::new();
    for payoff in [Payoff::WinLoss, Payoff::PointDifference] {
        for ties in [Ties::Carry, Ties::Discard] {
            for n in 1..=6 {
                games.push(Settings { payoff, ties, ..Settings::hagetaka(n, 2) });
                games.push(Settings { payoff, ties, ..Settings::goofspiel(n, 2) });
            }
            for order in [Order::Ascending, Order::Descending] {
                games.push(Settings { payoff, ties, order, ..Settings::hagetaka(6, 2) });
            }
            games.push(Settings { payoff, ties, deck: vec![-2, 1, 3], ..Settings::hagetaka(5, 2) });
        }
    }
    games.into_iter().map(|settings| Hagetaka::new(settings).unwrap()).collect()
}

/// The recursive solver knows nothing of layers; it finds the same states with the same values.
#[test]
fn every_state_has_the_value_of_the_recursive_solver() {
    for game in games() {
        let layers = solved(&game, 1);
        let mut exact = Exact::new(1 << 28, Arc::default());
        let value = exact.value(&game, &game.start(), &mut |_| true).unwrap();
        assert!((layers.value().unwrap() - value).abs() < 1e-12, "{game:?}");
        let mut n = 0;
        layers.each_value(|position, value| {
            n += 1;
            let known = exact.values().get(&game.key(position)).copied();
            let known = known.unwrap_or_else(|| panic!("{game:?}: {position:?} cannot come up"));
            assert!((known - value).abs() < 1e-11, "{game:?} {position:?}: {known} {value}");
        });
        assert_eq!((n, n as u64), (exact.values().len(), layers.planned().n_states()), "{game:?}");
        assert!(layers.nash_conv_bound() < 1e-10, "{}", layers.nash_conv_bound());
    }
}

#[test]
fn states_are_canonical() {
    let game = Hagetaka::new(Settings::goofspiel(5, 2)).unwrap();
    solved(&game, 1).each_value(|position, _| {
        assert_eq!(game.canonical(position), sakiyomi_core::Canonical::same(*position));
    });
}

#[test]
fn any_number_of_threads_finds_the_same_bits() {
    for payoff in [Payoff::WinLoss, Payoff::PointDifference] {
        let game = Hagetaka::new(Settings { payoff, ..Settings::hagetaka(6, 2) }).unwrap();
        let one = solved(&game, 1);
        for n_threads in [2, 3, 8] {
            let many = solved(&game, n_threads);
            for layer in 0..=6 {
                let bits = |layers: &Layers| -> Vec<u64> {
                    layers.values(layer).iter().map(|value| value.to_bits()).collect()
                };
                assert_eq!(bits(&one), bits(&many), "{n_threads} threads, layer {layer}");
            }
        }
    }
}

#[test]
fn a_stopped_layer_is_solved_again_and_known_layers_are_not() {
    let game = Hagetaka::new(Settings::goofspiel(5, 2)).unwrap();
    let whole = solved(&game, 1);
    let mut layers = Layers::plan(&game, 1 << 30, false, &Stop::new()).unwrap();
    let stop = Stop::new();
    stop.request();
    assert_eq!(layers.solve_next(2, &stop, &mut |_| {}), Err(LayersError::Stopped));
    assert_eq!(layers.next_layer(), Some(1));
    let too_few = layers.take_values(vec![0.0], 0.0);
    assert!(matches!(too_few, Err(LayersError::Values { found: 1, .. })));
    for layer in 1..=3 {
        layers.take_values(whole.values(layer).to_vec(), whole.largest_gap(layer)).unwrap();
    }
    let mut last = 0.0;
    while layers.next_layer().is_some() {
        layers
            .solve_next(2, &Stop::new(), &mut |progress| {
                assert!(progress.done >= last && progress.n_solved <= progress.n_states);
                last = progress.done;
            })
            .unwrap();
    }
    assert_eq!(layers.value(), whole.value());
    let openings = |layers: &Layers| format!("{:?}", layers.openings());
    assert_eq!((layers.openings().len(), openings(&layers)), (5, openings(&whole)));
    assert_eq!(layers.nash_conv_bound(), whole.nash_conv_bound());
    assert_eq!(Layers::plan(&game, 1 << 30, false, &stop).unwrap_err(), LayersError::Stopped);
    assert!(layers.values(3).is_empty(), "only what the next layer needs is kept");
}

#[test]
fn memory_is_refused_with_numbers() {
    let game = Hagetaka::new(Settings::goofspiel(13, 2)).unwrap();
    let error = Layers::plan(&game, 1 << 30, false, &Stop::new()).unwrap_err();
    assert!(matches!(error, LayersError::Memory { needed, allowed } if needed > allowed));
    let small = Hagetaka::new(Settings::goofspiel(6, 2)).unwrap();
    let needed = Layers::plan(&small, 1 << 30, true, &Stop::new()).unwrap().planned().bytes;
    assert!(Layers::plan(&small, needed, true, &Stop::new()).is_ok());
    let error = Layers::plan(&small, needed - 1, true, &Stop::new()).unwrap_err();
    assert_eq!(error, LayersError::Memory { needed, allowed: needed - 1 });
    let three = Hagetaka::new(Settings::goofspiel(4, 3)).unwrap();
    assert_eq!(
        Layers::plan(&three, 1 << 30, true, &Stop::new()).unwrap_err(),
        LayersError::Unsuitable
    );
}
