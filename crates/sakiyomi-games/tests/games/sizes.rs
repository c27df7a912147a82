//! Boards that exist, and the errors of those that do not.

use sakiyomi_games::{Breakthrough, ConnectFour};

#[test]
fn a_refused_size_says_what_is_possible() {
    let error = |width, height| ConnectFour::<u128>::new(width, height).unwrap_err().to_string();
    let possible = "the board must be at least 4 wide or 4 high (and 1 the other way), \
                    and width x (height + 1) at most 128";
    for (width, height) in [(3, 3), (0, 4), (4, 0), (0, 0), (12, 10), (usize::MAX, usize::MAX)] {
        let expected = format!("connect four on {width}x{height}: {possible}");
        assert_eq!(error(width, height), expected);
    }
    let error = |width, height| Breakthrough::<u64>::new(width, height).unwrap_err().to_string();
    let possible = "the board must be at least 2 wide and 5 high, and width x height at most 64";
    for (width, height) in [(1, 5), (5, 4), (0, 0), (9, 8), (usize::MAX, 2), (5, usize::MAX)] {
        assert_eq!(error(width, height), format!("breakthrough on {width}x{height}: {possible}"));
    }
}

/// What is refused is exactly what has no room, in either word.
#[test]
fn every_size_that_fits_exists() {
    for (width, height) in (0..140).flat_map(|width| (0..140).map(move |height| (width, height))) {
        let exists = [
            ConnectFour::<u64>::new(width, height).is_ok(),
            ConnectFour::<u128>::new(width, height).is_ok(),
        ];
        let has_room = width.min(height) >= 1 && width.max(height) >= 4;
        let fits = [64, 128].map(|bits| has_room && width * (height + 1) <= bits);
        assert_eq!(exists, fits, "connect four on {width}x{height}");
        let exists = [
            Breakthrough::<u64>::new(width, height).is_ok(),
            Breakthrough::<u128>::new(width, height).is_ok(),
        ];
        let fits = [64, 128].map(|bits| width >= 2 && height >= 5 && width * height <= bits);
        assert_eq!(exists, fits, "breakthrough on {width}x{height}");
    }
}

#[test]
fn the_usual_boards_are_the_default() {
    let game = ConnectFour::default();
    assert_eq!((game.width(), game.height()), (7, 6));
    let game = Breakthrough::default();
    assert_eq!((game.width(), game.height()), (8, 8));
}
