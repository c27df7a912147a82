use super::*;
use sakiyomi_core::{Game, Payoffs, Rng, Stop, Turn};
use std::collections::HashMap;

type Known = HashMap<Position<u64>, i32>;

/// The score by looking at everything.
fn brute_force(game: &ConnectFour<u64>, position: &Position<u64>, known: &mut Known) -> i32 {
    let stones = game.stones(position);
    let free = (game.width() * game.height()) as i32 - (stones[0] | stones[1]).count_ones() as i32;
    if let Turn::Over(payoffs) = game.turn(position) {
        // Whoever is to move next has lost, if there is a winner.
        return if payoffs == Payoffs::uniform(2, 0.5) { 0 } else { -(free + 2) / 2 };
    }
    if let Some(score) = known.get(position) {
        return *score;
    }
    let mut columns = Vec::new();
    let Turn::Choose(who) = game.turn(position) else { unreachable!() };
    game.actions(position, who.single().unwrap(), &mut columns);
    let score = columns.iter().map(|column| {
        let mut after = *position;
        game.apply(&mut after, &[*column]);
        -brute_force(game, &after, known)
    });
    let score = score.max().unwrap();
    known.insert(*position, score);
    score
}

fn after(game: &ConnectFour<u64>, moves: &[u8]) -> (Position<u64>, Player) {
    let mut position = game.start();
    moves.iter().for_each(|&x| game.apply(&mut position, &[Column::new(x)]));
    let Turn::Choose(who) = game.turn(&position) else { panic!("{moves:?} is over") };
    (position, who.single().unwrap())
}

fn played(game: &ConnectFour<u64>, moves: &str) -> (Position<u64>, Player) {
    after(game, &moves.bytes().map(|digit| digit - b'1').collect::<Vec<_>>())
}

#[test]
fn all_positions_of_small_boards_have_their_scores() {
    for (width, height) in [(4, 4), (5, 3), (3, 5), (4, 3), (2, 6)] {
        let game = ConnectFour::new(width, height).unwrap();
        let (mut known, mut solver) = (Known::new(), Solver::new(width, height));
        brute_force(&game, &game.start(), &mut known);
        for (position, &score) in known.iter().step_by(1 + known.len() / 4_000) {
            let Turn::Choose(who) = game.turn(position) else { continue };
            let stones = Stones::of(&game, position, who.single().unwrap());
            assert_eq!(solver.score(stones), score, "{width}x{height} {position:?}");
            assert_eq!(solver.outcome(stones), score.signum());
            assert!(solver.reaches(stones, score) && !solver.reaches(stones, score + 1));
            let (x, best) = solver.best_move(stones, u64::MAX, &Stop::new()).unwrap();
            assert_eq!((best, solver.scores_of_moves(stones)[x as usize]), (score, Some(score)));
        }
    }
}

#[test]
fn late_positions_of_the_usual_board_have_their_scores() {
    let game = ConnectFour::default();
    let (mut known, mut solver) = (Known::new(), Solver::new(7, 6));
    let class = "middle-easy".parse().unwrap();
    let questions = (0..400).map(|i| position_of_class(class, i, 3, &mut solver));
    let late: Vec<_> = questions.filter(|moves| moves.len() >= 25).collect();
    assert!(late.len() > 20, "{}", late.len());
    for moves in late {
        let (position, player) = after(&game, &moves);
        let (score, stones) =
            (brute_force(&game, &position, &mut known), Stones::of(&game, &position, player));
        let mut solver = Solver::new(7, 6);
        assert_eq!(solver.outcome(stones), score.signum(), "{moves:?}");
        assert_eq!(solver.score(stones), score, "{moves:?}");
        let judged = Judged::new(moves.clone(), &mut solver);
        assert_eq!(judged.outcome, score.signum());
        assert_eq!(judged.to_string().parse(), Ok(judged.clone()));
        for x in 0..7 {
            let outcome = solver.outcome_of_move(stones, x.into());
            let keeps = outcome.is_some_and(|outcome| outcome >= score.signum());
            assert_eq!(judged.keeping.contains(&x), keeps, "{judged}, {x}");
            assert_eq!(is_error(&moves, x.into(), &mut solver), !keeps, "{judged}, {x}");
        }
    }
}

/// Positions and scores that John Tromp and Pascal Pons published.
#[test]
fn known_positions_have_their_scores() {
    let game = ConnectFour::default();
    let mut solver = Solver::new(7, 6);
    let known = [
        ("2252576253462244111563365343671351441", -1),
        ("7422341735647741166133573473242566", 1),
        ("23163416124767223154467471272416755633", 0),
        ("65214673556155731566316327373221417", -1),
    ];
    for (moves, score) in known {
        let (position, player) = played(&game, moves);
        assert_eq!(solver.score(Stones::of(&game, &position, player)), score, "{moves}");
    }
}

#[test]
fn positions_are_of_their_class_by_their_exact_scores() {
    let game = ConnectFour::default();
    let mut solver = Solver::new(7, 6);
    for class in ["middle-easy", "middle-medium", "end-easy"] {
        for i in 0..12 {
            let moves = position_of_class(class.parse().unwrap(), i, 5, &mut solver);
            let mut other = Solver::new(7, 6);
            let again = position_of_class(class.parse().unwrap(), i, 5, &mut other);
            assert_eq!(moves, again);
            let (position, player) = after(&game, &moves);
            let stones = Stones::of(&game, &position, player);
            let score = solver.score(stones);
            let left = solver.moves_left(stones, score);
            let wanted = if class == "middle-medium" { 14..28 } else { 0..14 };
            assert!(wanted.contains(&left), "{class} {moves:?}: {left} left");
            let phase = if class == "end-easy" { 29..42 } else { 15..29 };
            assert!(phase.contains(&moves.len()), "{class} {moves:?}");
        }
    }
    assert!("begin-simple".parse::<Class>().is_err());
}

/// Since 1988 (James Allen, Victor Allis): the first player wins in the middle, draws beside it and loses elsewhere.
#[test]
fn the_empty_board_is_won_in_the_middle() {
    let mut solver = Solver::new(7, 6);
    let empty = Stones { own: 0, both: 0 };
    let outcomes = (0..7).map(|x| solver.outcome_of_move(empty, x).unwrap());
    assert_eq!(outcomes.collect::<Vec<_>>(), [-1, -1, 0, 1, 0, -1, -1]);
}

/// The file of openings says what the solver finds without it.
#[test]
fn openings_are_solved() {
    let game = ConnectFour::default();
    let (mut solver, mut without) = (Solver::new(7, 6), Solver::of_openings(20));
    for moves in ["444444", "334455", "442266", "132435", "112244", "417263"] {
        let (position, player) = played(&game, moves);
        let stones = Stones::of(&game, &position, player);
        assert!(solver.knows(stones));
        assert_eq!(solver.outcome(stones), without.outcome(stones), "{moves}");
    }
}

/// The opening is played by what is known, and positions without a solution in time by their threats.
#[test]
fn the_opening_is_answered_with_its_outcome() {
    let game = ConnectFour::default();
    let (mut rng, stop) = (Rng::new(3), Stop::new());
    let mut context = Context { rng: &mut rng, stop: &stop };
    let mut agent = PerfectPlayer::default();
    let choice = agent.choose(&game, &game.start(), Player(0), &mut context).unwrap();
    assert_eq!((choice.action, choice.value), (Column::new(3), Some(1.0)));
    // The only column that does not lose at once.
    let (position, player) = played(&game, "112233");
    let solver = Solver::new(7, 6);
    assert!(solver.wins_with(Stones::of(&game, &position, player), 3));
    let (position, player) = played(&game, "1122337");
    assert_eq!(solver.sensible_move(Stones::of(&game, &position, player)), Some(3));
}

/// Two perfect players end when the score says.
#[test]
fn perfect_play_lasts_as_long_as_the_score_says() {
    let game = ConnectFour::default();
    let mut rng = Rng::new(3);
    let (mut solver, stop) = (Solver::new(7, 6), Stop::new());
    for i in 0..4 {
        let moves = position_of_class("middle-medium".parse().unwrap(), i, 9, &mut solver);
        let (mut position, mut player) = after(&game, &moves);
        let stones = Stones::of(&game, &position, player);
        let score = solver.score(stones);
        let left = solver.moves_left(stones, score);
        let mut agent = PerfectPlayer::default();
        let mut n = 0;
        while let Turn::Choose(who) = game.turn(&position) {
            player = who.single().unwrap();
            let mut context = Context { rng: &mut rng, stop: &stop };
            let choice = agent.choose(&game, &position, player, &mut context).unwrap();
            game.apply(&mut position, &[choice.action]);
            n += 1;
        }
        assert_eq!(n, left, "{moves:?}, score {score}");
    }
}
