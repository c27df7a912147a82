//! What a team orders for a session: a string of commands for each of its robots.
//!
//! As text a command is one character: `0` to `5` move to the E, SE, SW, W, NW and NE, `A` refills,
//! sucks or pours, whatever the cell is for, and `.` waits. A robot without commands is a `-`.

use std::fmt;

use sakiyomi_core::Rng;

use super::map::TEAM_ROBOTS;

/// The most commands of a string: no session holds more than 9 pours of 19 frames.
pub const MAX_COMMANDS: usize = 9;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Command {
    /// Moves in one of the six directions, 0 to 5.
    Move(u8),
    /// On a jar refills, on another team's water sucks, otherwise pours.
    Act,
    Wait,
}

impl Command {
    const N_KINDS: u64 = 8;

    fn code(self) -> u8 {
        match self {
            Command::Move(direction) => 1 + direction,
            Command::Act => 7,
            Command::Wait => 8,
        }
    }

    fn of_code(code: u8) -> Option<Command> {
        match code {
            1..=6 => Some(Command::Move(code - 1)),
            7 => Some(Command::Act),
            8 => Some(Command::Wait),
            _ => None,
        }
    }

    pub fn letter(self) -> char {
        match self {
            Command::Move(direction) => char::from(b'0' + direction),
            Command::Act => 'A',
            Command::Wait => '.',
        }
    }

    pub fn of_letter(letter: char) -> Option<Command> {
        match letter {
            '0'..='5' => Some(Command::Move(letter as u8 - b'0')),
            'A' | 'a' => Some(Command::Act),
            '.' => Some(Command::Wait),
            _ => None,
        }
    }
}

/// The commands of one robot: four bits each, the first in the lowest, and 0 after the last.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Plan([u8; 5]);

impl Plan {
    pub const EMPTY: Plan = Plan([0; 5]);

    #[inline]
    pub fn get(self, i: usize) -> Option<Command> {
        let code = self.0.get(i / 2)? >> (i % 2 * 4) & 15;
        Command::of_code(code)
    }

    pub fn len(self) -> usize {
        (0..MAX_COMMANDS).position(|i| self.get(i).is_none()).unwrap_or(MAX_COMMANDS)
    }

    pub fn is_empty(self) -> bool {
        self == Plan::EMPTY
    }

    pub fn iter(self) -> impl Iterator<Item = Command> {
        (0..MAX_COMMANDS).map_while(move |i| self.get(i))
    }

    /// Adds a command; whether there was room for it.
    pub fn push(&mut self, command: Command) -> bool {
        let i = self.len();
        if i < MAX_COMMANDS {
            self.0[i / 2] |= command.code() << (i % 2 * 4);
        }
        i < MAX_COMMANDS
    }

    /// Whether nothing stands behind the last command, and there are at most `max_commands`.
    fn is_legal(self, max_commands: usize) -> bool {
        let n = self.len();
        let rebuilt: Plan = self.iter().collect();
        rebuilt == self && n <= max_commands
    }

    /// The plan of this text; none if it is no string of commands or too long.
    pub fn parse(text: &str) -> Option<Plan> {
        if text == "-" {
            return Some(Plan::EMPTY);
        }
        let mut plan = Plan::EMPTY;
        let is_plan =
            text.chars().all(|letter| Command::of_letter(letter).is_some_and(|c| plan.push(c)));
        (is_plan && !plan.is_empty()).then_some(plan)
    }

    /// Draws one of the plans with up to `max_commands` commands, each with the same probability.
    pub(super) fn random(max_commands: usize, rng: &mut Rng) -> Plan {
        let n_plans = |n_commands: usize| Command::N_KINDS.pow(n_commands as u32);
        let all: u64 = (0..=max_commands).map(n_plans).sum();
        let mut number = rng.below(all as usize) as u64;
        let mut n_commands = max_commands;
        while number >= n_plans(n_commands) {
            number -= n_plans(n_commands);
            n_commands -= 1;
        }
        let mut plan = Plan::EMPTY;
        for i in 0..n_commands {
            let code = (number % Command::N_KINDS) as u8 + 1;
            plan.0[i / 2] |= code << (i % 2 * 4);
            number /= Command::N_KINDS;
        }
        plan
    }
}

impl FromIterator<Command> for Plan {
    /// The first commands, up to the longest that fits.
    fn from_iter<I: IntoIterator<Item = Command>>(commands: I) -> Plan {
        let mut plan = Plan::EMPTY;
        for command in commands.into_iter().take(MAX_COMMANDS) {
            plan.push(command);
        }
        plan
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_empty() {
            true => f.write_str("-"),
            false => self.iter().try_for_each(|command| write!(f, "{}", command.letter())),
        }
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A team's orders for a session.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Orders(pub [Plan; TEAM_ROBOTS]);

const _: () = assert!(size_of::<Orders>() <= 16);

impl Orders {
    pub const NONE: Orders = Orders([Plan::EMPTY; TEAM_ROBOTS]);

    /// A number in the place of orders, as an outcome of chance; these orders are not legal.
    pub fn of_number(number: u16) -> Orders {
        let [low, high] = number.to_le_bytes();
        Orders([Plan([0xff, 0xff, 0xff, low, high]), Plan::EMPTY, Plan::EMPTY])
    }

    /// The number that [`Orders::of_number`] was given.
    pub fn number(self) -> u16 {
        let Plan([_, _, _, low, high]) = self.0[0];
        u16::from_le_bytes([low, high])
    }

    /// Orders for one robot alone.
    pub fn of_robot(robot: usize, plan: Plan) -> Orders {
        let mut orders = Orders::NONE;
        orders.0[robot] = plan;
        orders
    }

    pub(super) fn is_legal(self, max_commands: usize) -> bool {
        self.0.into_iter().all(|plan| plan.is_legal(max_commands))
    }

    /// Reads three plans with spaces between them.
    pub fn parse(text: &str) -> Option<Orders> {
        let mut words = text.split_whitespace();
        let mut orders = Orders::NONE;
        for plan in &mut orders.0 {
            *plan = Plan::parse(words.next()?)?;
        }
        words.next().is_none().then_some(orders)
    }
}

impl fmt::Display for Orders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second, third] = self.0;
        write!(f, "{first} {second} {third}")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn texts_are_read_back() {
        for text in ["012345A.0 - A", "- - -", "AAAAAAAAA 5 ."] {
            let orders = Orders::parse(text).unwrap();
            assert_eq!(orders.to_string(), text);
            assert_eq!(Orders::parse(&text.to_lowercase()), Some(orders));
            assert!(orders.is_legal(MAX_COMMANDS));
        }
        for wrong in ["", "A", "A A", "A A A A", "6 A A", "0123450123 A A", "-A A A", "é A A"] {
            assert_eq!(Orders::parse(wrong), None, "{wrong}");
        }
        let three = Orders::parse("012 - -").unwrap();
        assert!(three.is_legal(3) && !three.is_legal(2));
    }

    #[test]
    fn broken_codes_are_not_legal() {
        for broken in [[0, 1, 0, 0, 0], [9, 0, 0, 0, 0], [0x10, 0, 0, 0, 0], [17, 17, 17, 17, 17]] {
            assert!(!Plan(broken).is_legal(MAX_COMMANDS), "{broken:?}");
        }
    }

    /// There are 1 + 8 + 64 plans of up to two commands, and each is as likely as the others.
    #[test]
    fn random_plans_are_uniform() {
        let mut rng = Rng::new(4);
        let mut counts = std::collections::HashMap::new();
        for _ in 0..73_000 {
            *counts.entry(Plan::random(2, &mut rng)).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 73);
        assert!(counts.values().all(|n| (850..1_150).contains(n)), "{counts:?}");
        let plans: HashSet<Plan> = (0..100).map(|_| Plan::random(9, &mut rng)).collect();
        assert!(plans.len() > 95 && plans.iter().all(|plan| plan.is_legal(9)));
    }
}
