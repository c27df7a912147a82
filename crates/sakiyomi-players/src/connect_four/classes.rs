//! Positions by how many stones stand on the board and how many are still to come under perfect play: the six classes
//! of Pascal Pons' tests. He does not say how he drew his positions; here they come from uniformly random moves.

use std::fmt;
use std::str::FromStr;

use sakiyomi_core::Rng;

use super::solver::{Solver, Stones};

/// How many stones stand on the board: up to a third of its cells, up to two thirds, or more (14 and 28 of 42).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Begin,
    Middle,
    End,
}

/// How many stones are still to come: less than a third of the cells, less than two thirds, or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    Easy,
    Medium,
    Hard,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    pub phase: Phase,
    pub grade: Grade,
}

impl Class {
    /// All six: the nearer the end, the fewer grades there are.
    pub const ALL: [Class; 6] = [
        Class { phase: Phase::Begin, grade: Grade::Easy },
        Class { phase: Phase::Begin, grade: Grade::Medium },
        Class { phase: Phase::Begin, grade: Grade::Hard },
        Class { phase: Phase::Middle, grade: Grade::Easy },
        Class { phase: Phase::Middle, grade: Grade::Medium },
        Class { phase: Phase::End, grade: Grade::Easy },
    ];

    fn stones(self, third: u32) -> std::ops::RangeInclusive<u32> {
        match self.phase {
            Phase::Begin => 0..=third,
            Phase::Middle => third + 1..=2 * third,
            Phase::End => 2 * third + 1..=3 * third - 1,
        }
    }

    fn moves_left(self, third: u32) -> std::ops::Range<u32> {
        match self.grade {
            Grade::Easy => 0..third,
            Grade::Medium => third..2 * third,
            Grade::Hard => 2 * third..u32::MAX,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phase = match self.phase {
            Phase::Begin => "begin",
            Phase::Middle => "middle",
            Phase::End => "end",
        };
        let grade = match self.grade {
            Grade::Easy => "easy",
            Grade::Medium => "medium",
            Grade::Hard => "hard",
        };
        write!(f, "{phase}-{grade}")
    }
}

impl FromStr for Class {
    type Err = String;

    fn from_str(text: &str) -> Result<Class, String> {
        Class::ALL.into_iter().find(|class| class.to_string() == text).ok_or_else(|| {
            let known = Class::ALL.map(|class| class.to_string()).join(", ");
            format!("`{text}` is no class of positions; known: {known}")
        })
    }
}

/// A position of a class, and which moves are right in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The columns of the moves that lead there.
    pub moves: Vec<u8>,
    /// How the match ends under perfect play: 1 if the player to move wins, 0 for a draw, -1 for a loss.
    pub outcome: i32,
    /// The columns after which it still ends so.
    pub keeping: Vec<u8>,
}

impl Judged {
    pub fn new(moves: Vec<u8>, solver: &mut Solver) -> Judged {
        let stones = stones_after(&moves, solver);
        let outcome = solver.outcome(stones);
        let keeping = (0..7).filter(|&x| solver.is_kept(stones, u32::from(x), outcome)).collect();
        Judged { moves, outcome, keeping }
    }
}

/// Signs of outcomes, from a loss on.
const SIGNS: [&str; 3] = ["-", "=", "+"];

/// The columns of the moves from 1 on, or `0` for none; a sign of the outcome; and the columns that keep it.
impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = |xs: &[u8]| xs.iter().map(|x| char::from(b'1' + x)).collect::<String>();
        let moves = if self.moves.is_empty() { "0".to_owned() } else { digits(&self.moves) };
        let sign = SIGNS[(1 + self.outcome) as usize];
        write!(f, "{moves} {sign} {}", digits(&self.keeping))
    }
}

impl FromStr for Judged {
    type Err = String;

    fn from_str(text: &str) -> Result<Judged, String> {
        let parsed = || {
            let [moves, sign, keeping] = text.split(' ').collect::<Vec<_>>().try_into().ok()?;
            let column = |digit: char| Some(digit.to_digit(8)?.checked_sub(1)? as u8);
            let columns = |digits: &str| digits.chars().map(column).collect::<Option<Vec<_>>>();
            Some(Judged {
                moves: if moves == "0" { Vec::new() } else { columns(moves)? },
                outcome: SIGNS.iter().position(|known| *known == sign)? as i32 - 1,
                keeping: columns(keeping)?,
            })
        };
        parsed().ok_or_else(|| {
            format!("`{text}` is no position with its outcome; expected one such as `4453 + 37`")
        })
    }
}

/// Whether perfect play ends worse after these moves and a stone in this column than it could, which is found faster than
/// all right moves.
pub fn is_error(moves: &[u8], x: u32, solver: &mut Solver) -> bool {
    let stones = stones_after(moves, solver);
    let Some(outcome) = solver.outcome_of_move(stones, x) else { return true };
    outcome < 1 && solver.reaches(stones, outcome + 1)
}

fn stones_after(moves: &[u8], solver: &Solver) -> Stones {
    let empty = Stones { own: 0, both: 0 };
    moves.iter().fold(empty, |stones, &x| solver.after(stones, u32::from(x)).unwrap_or(stones))
}

/// A position of a class on the usual board, as the columns of the moves that lead there. It follows from the class, the
/// number and the seed alone; early positions come several times.
pub fn position_of_class(class: Class, i: u64, seed: u64, solver: &mut Solver) -> Vec<u8> {
    const CELLS: u32 = 42;
    let place = Class::ALL.iter().position(|other| *other == class).unwrap_or(0) as u64;
    let mut rng = Rng::stream(&[seed, place, i]);
    let third = CELLS / 3;
    let stones = class.stones(third);
    let wanted = class.moves_left(third);
    loop {
        let n = stones.start() + rng.below((stones.end() - stones.start() + 1) as usize) as u32;
        let Some((moves, found)) = random_moves(solver, n, &mut rng) else { continue };
        if is_within(solver, found, &wanted) {
            return moves;
        }
    }
}

/// Random moves after which the match goes on; none if it ended before.
fn random_moves(solver: &Solver, n: u32, rng: &mut Rng) -> Option<(Vec<u8>, Stones)> {
    let (mut stones, mut moves) = (Stones { own: 0, both: 0 }, Vec::new());
    while moves.len() < n as usize {
        let x = rng.below(7) as u32;
        let Some(after) = solver.after(stones, x) else { continue };
        if solver.wins_with(stones, x) {
            return None;
        }
        stones = after;
        moves.push(x as u8);
    }
    Some((moves, stones))
}

/// Whether this many moves are left, by at most four null windows instead of the exact score.
fn is_within(solver: &mut Solver, stones: Stones, wanted: &std::ops::Range<u32>) -> bool {
    ends_before(solver, stones, wanted.end) && !ends_before(solver, stones, wanted.start)
}

/// Whether fewer than `n` moves are left.
fn ends_before(solver: &mut Solver, stones: Stones, n: u32) -> bool {
    let free = 42 - stones.both.count_ones();
    if free < n {
        return true;
    }
    if n == 0 {
        return false;
    }
    // The lowest winning score with fewer moves left, and the same for the opponent.
    let soon = |sign: i32| (1..=22).find(|&score| solver.moves_left(stones, sign * score) < n);
    let (won, lost) = (soon(1), soon(-1));
    won.is_some_and(|score| solver.reaches(stones, score))
        || lost.is_some_and(|score| !solver.reaches(stones, 1 - score))
}
