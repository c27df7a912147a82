//! Tiny games written as text, for tests of searches: every kind of turn, any graph of positions.
//!
//! One line per position, the first line is the start: a name, who chooses, and the moves.
//! ```text
//! start: 0        left -> a   right -> b         # player 0 chooses
//! a:     1        l -> 1 0    r -> 0 1           # an end is written as its payoffs
//! b:     chance   heads 0.5 -> a   tails 0.5 -> 0.5 0.5
//! duel:  0+1      x/y -> 1 0   x/z -> 0 1        # at once: one move of each, all combinations
//! ```

mod blotto;
mod corridor;
mod plain;

use std::fmt;

use rustc_hash::FxHashMap;

use crate::{Encode, Game, Hints, Orders, Payoffs, Player, Players, Show, Turn, View};

pub use blotto::{Blotto, MAX_SOLDIERS, Posting};
pub use corridor::{Corridor, Step};

/// Chance follows chance, at the start and later, and one outcome ends the match. The first player gets 0.4375
/// with best play.
pub const CHANCE_AFTER_CHANCE: &str = "
start: chance  a 0.5 -> deal     b 0.5 -> deal2
deal:  chance  x 0.25 -> pennies y 0.75 -> one
deal2: chance  x 0.5 -> 1 0      y 0.5 -> roll
roll:  chance  x 0.5 -> one      y 0.5 -> 0 1
one:   0       l -> again        r -> 0.25 0.75
again: chance  x 0.5 -> last     y 0.5 -> 0.5 0.5
last:  1       l -> 1 0          r -> 0 1
pennies: 0+1   h/h -> 1 0  h/t -> 0 1  t/h -> 0 1  t/t -> 1 0
";
pub use plain::Plain;

/// A game read from text by [`Toy::read`].
#[derive(Clone, Debug)]
pub struct Toy {
    n_players: usize,
    positions: Vec<Position>,
    words: Vec<String>,
    estimates: FxHashMap<usize, Payoffs>,
}

#[derive(Clone, Debug)]
struct Position {
    name: String,
    turn: Turn,
    /// Joint actions in the order of the text, and where they lead.
    moves: Vec<(Vec<Word>, f64, usize)>,
}

/// An action: a word of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Word(u16);

/// What is wrong with the text of a toy game, and in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToyError {
    pub line: usize,
    pub message: String,
}

impl fmt::Display for ToyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ToyError {}

impl Toy {
    /// Reads a game; the module's documentation describes the form.
    pub fn read(text: &str) -> Result<Toy, ToyError> {
        Reader::default().read(text)
    }

    /// A one-shot game of two players who choose at once. `payoffs[i][j]` is what the first player
    /// gets from row `i` against column `j`; the second gets the rest of 1.
    pub fn matrix(payoffs: &[&[f64]]) -> Toy {
        let cells = payoffs.iter().enumerate().flat_map(|(i, row)| {
            let cell = move |(j, &p): (usize, &f64)| format!(" r{i}/c{j} -> {p} {}", 1.0 - p);
            row.iter().enumerate().map(cell)
        });
        let text = format!("start: 0+1{}", cells.collect::<String>());
        Toy::read(&text).expect("a matrix is well formed")
    }

    /// Gives the position called `name` an estimate, for searches that stop there.
    #[must_use]
    pub fn with_estimate(mut self, name: &str, payoffs: Payoffs) -> Toy {
        let position = self.positions.iter().position(|p| p.name == name);
        self.estimates.insert(position.expect("a position of this name"), payoffs);
        self
    }

    /// The word as an action.
    pub fn word(&self, text: &str) -> Word {
        Word(self.words.iter().position(|w| w == text).expect("a word of the text") as u16)
    }
}

#[derive(Default)]
struct Reader {
    names: FxHashMap<String, usize>,
    words: Vec<String>,
    ends: Vec<Position>,
    n_players: usize,
}

impl Reader {
    fn read(mut self, text: &str) -> Result<Toy, ToyError> {
        let lines: Vec<(usize, &str)> = text
            .lines()
            .enumerate()
            .map(|(i, line)| (i + 1, line.split('#').next().unwrap_or_default().trim()))
            .filter(|(_, line)| !line.is_empty())
            .collect();
        for (index, &(line, text)) in lines.iter().enumerate() {
            let Some((name, _)) = text.split_once(':') else {
                return error(line, "expected `name: who move -> target ..`");
            };
            if self.names.insert(name.trim().to_owned(), index).is_some() {
                return error(line, format!("the position `{}` is there twice", name.trim()));
            }
        }
        if lines.is_empty() {
            return error(1, "no position: expected at least one line");
        }
        let mut positions = Vec::new();
        for &(line, text) in &lines {
            positions.push(self.position(line, text, lines.len())?);
        }
        positions.append(&mut self.ends);
        Ok(Toy {
            n_players: self.n_players,
            positions,
            words: self.words,
            estimates: FxHashMap::default(),
        })
    }

    fn position(&mut self, line: usize, text: &str, n_lines: usize) -> Result<Position, ToyError> {
        let (name, rest) = text.split_once(':').expect("checked before");
        let mut tokens = rest.split_whitespace().peekable();
        let who = tokens.next().unwrap_or_default();
        let turn = if who == "chance" { Turn::Chance } else { self.who(line, who)? };
        let mut moves = Vec::new();
        while let Some(action) = tokens.next() {
            let joint: Vec<Word> = action.split('/').map(|word| self.word(word)).collect();
            let chance = match tokens.peek() {
                Some(&"->") => 1.0,
                Some(number) => number.parse().or_else(|_| {
                    error(line, format!("expected a probability or `->`, found `{number}`"))
                })?,
                None => return error(line, format!("`{action}` leads nowhere: expected `->`")),
            };
            if tokens.next() != Some("->") && tokens.next() != Some("->") {
                return error(line, format!("expected `->` after `{action}`"));
            }
            let target = self.target(line, &mut tokens, n_lines)?;
            moves.push((joint, chance, target));
        }
        if moves.is_empty() {
            return error(line, "no moves: expected `move -> target`");
        }
        Ok(Position { name: name.trim().to_owned(), turn, moves })
    }

    fn who(&mut self, line: usize, text: &str) -> Result<Turn, ToyError> {
        let mut who = Players::NONE;
        for number in text.split('+') {
            match number.parse() {
                Ok(player) if player < 8 => who = who.with(Player(player)),
                _ => return error(line, format!("expected players 0 to 7 or `chance`: `{text}`")),
            }
        }
        Ok(Turn::Choose(who))
    }

    /// The name of a position, or the payoffs of an end, which becomes a position of its own.
    fn target<'a>(
        &mut self,
        line: usize,
        tokens: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
        n_lines: usize,
    ) -> Result<usize, ToyError> {
        let first = tokens.next().unwrap_or_default();
        if let Some(&position) = self.names.get(first) {
            return Ok(position);
        }
        let Ok(payoff) = first.parse() else {
            return error(line, format!("no position is called `{first}`"));
        };
        let mut payoffs: Vec<f64> = vec![payoff];
        while let Some(payoff) = tokens.peek().and_then(|token| token.parse().ok()) {
            payoffs.push(payoff);
            tokens.next();
        }
        self.n_players = self.n_players.max(payoffs.len());
        let turn = Turn::Over(Payoffs::from_slice(&payoffs));
        self.ends.push(Position { name: format!("{payoffs:?}"), turn, moves: vec![] });
        Ok(n_lines + self.ends.len() - 1)
    }

    fn word(&mut self, text: &str) -> Word {
        let known = self.words.iter().position(|word| word == text);
        Word(known.unwrap_or_else(|| {
            self.words.push(text.to_owned());
            self.words.len() - 1
        }) as u16)
    }
}

fn error<T>(line: usize, message: impl Into<String>) -> Result<T, ToyError> {
    Err(ToyError { line, message: message.into() })
}

impl Game for Toy {
    type State = u16;
    type Action = Word;

    fn players(&self) -> usize {
        self.n_players
    }

    fn start(&self) -> u16 {
        0
    }

    fn turn(&self, state: &u16) -> Turn {
        self.positions[*state as usize].turn
    }

    fn actions(&self, state: &u16, player: Player, out: &mut Vec<Word>) {
        let position = &self.positions[*state as usize];
        let Turn::Choose(who) = position.turn else { return };
        let Some(column) = who.into_iter().position(|p| p == player) else { return };
        let first = out.len();
        for (joint, _, _) in &position.moves {
            if !out[first..].contains(&joint[column]) {
                out.push(joint[column]);
            }
        }
    }

    fn apply(&self, state: &mut u16, actions: &[Word]) {
        let moves = &self.positions[*state as usize].moves;
        let (_, _, target) = moves.iter().find(|m| m.0 == actions).expect("a move of the text");
        *state = *target as u16;
    }

    fn outcomes(&self, state: &u16, out: &mut Vec<(Word, f64)>) {
        out.extend(self.positions[*state as usize].moves.iter().map(|m| (m.0[0], m.1)));
    }

    fn constant_sum(&self) -> bool {
        let mut sums = self.positions.iter().filter_map(|position| match position.turn {
            Turn::Over(payoffs) => Some(payoffs.as_slice(self.n_players).iter().sum::<f64>()),
            _ => None,
        });
        let first = sums.next().unwrap_or_default();
        sums.all(|sum| (sum - first).abs() < 1e-9)
    }
}

impl Hints for Toy {
    fn estimate(&self, state: &u16) -> Option<Payoffs> {
        self.estimates.get(&(*state as usize)).copied()
    }
}

impl Orders for Toy {}

impl Encode for Toy {}

impl Show for Toy {
    fn action_text(&self, _: &u16, _: Player, action: Word) -> String {
        self.words[action.0 as usize].clone()
    }

    fn outcome_text(&self, _: &u16, outcome: Word) -> String {
        self.words[outcome.0 as usize].clone()
    }

    fn view(&self, state: &u16) -> View {
        let caption = self.positions[*state as usize].name.clone().into();
        View { caption, ..View::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rng, Scratch};

    #[test]
    fn every_kind_of_turn_is_read() {
        let toy = Toy::read(
            "start: 0  left -> coin  right -> duel   # a comment
             coin: chance heads 0.25 -> 1 0   tails 0.75 -> duel
             duel: 0+1 a/x -> 1 0  a/y -> 0 1  b/x -> 0.5 0.5  b/y -> start",
        )
        .unwrap();
        assert_eq!(toy.players(), 2);
        assert!(toy.constant_sum());
        let mut state = toy.start();
        toy.apply(&mut state, &[toy.word("left")]);
        assert_eq!(toy.turn(&state), Turn::Chance);
        let mut outcomes = vec![];
        toy.outcomes(&state, &mut outcomes);
        assert_eq!(outcomes, [(toy.word("heads"), 0.25), (toy.word("tails"), 0.75)]);
        toy.apply(&mut state, &[toy.word("tails")]);
        assert_eq!(toy.turn(&state), Turn::Choose(Players::all(2)));
        assert_eq!(toy.parse(&state, Player(1), "Y"), Some(toy.word("y")));
        toy.apply(&mut state, &[toy.word("b"), toy.word("x")]);
        assert_eq!(toy.turn(&state), Turn::Over(Payoffs::of([0.5, 0.5])));
    }

    #[test]
    fn playouts_follow_the_probabilities() {
        let toy = Toy::read("start: chance a 0.25 -> 1 0   b 0.75 -> 0 1").unwrap();
        let (mut rng, mut scratch) = (Rng::new(1), Scratch::default());
        let wins: f64 = (0..4000)
            .map(|_| toy.playout(&mut toy.start(), &mut scratch, &mut rng)[Player(0)])
            .sum();
        assert!((wins - 1000.0).abs() < 4.0 * 27.4, "{wins}");
    }

    #[test]
    fn a_wrong_text_is_an_error_with_its_line() {
        let message = |text: &str| Toy::read(text).unwrap_err().to_string();
        assert_eq!(message("a: 0 x -> nowhere"), "line 1: no position is called `nowhere`");
        assert_eq!(message("\na 0 x -> 1"), "line 2: expected `name: who move -> target ..`");
        assert_eq!(message("a: 9 x -> 1"), "line 1: expected players 0 to 7 or `chance`: `9`");
        assert_eq!(message("a: 0 x"), "line 1: `x` leads nowhere: expected `->`");
        assert_eq!(message("a: 0 x -> 1\na: 0 x -> 1"), "line 2: the position `a` is there twice");
    }
}
