//! `sakiyomi play`: people and agents at one table, in the terminal.

use std::fmt;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::str::FromStr;

use clap::Args;
use sakiyomi::draw::draw;
use sakiyomi_catalog::{AgentSpec, GameSpec, SpecError, Table, TableError, Thought, open_table};
use sakiyomi_core::{Payoffs, Player, Players, Stop, Turn};

use super::{BadInput, warn};

/// Play a game in the terminal, against agents or watching them
#[derive(Debug, Args)]
#[command(
    after_help = "Seats are filled in order. Seats that are not named are yours; if none is \
named you have the first and uct the others.
At the prompt, type a move, or: moves, hint, hint AGENT, undo, record, help, quit.

Examples:
  sakiyomi play connect-four
  sakiyomi play othello --seat uct:time=1s --seat human
  sakiyomi play breakthrough:6x6 --seat uct --seat maxn:depth=5"
)]
pub(super) struct Options {
    /// The game, such as connect-four or breakthrough:6x6
    game: GameSpec,
    /// Who has the next seat: human, or an agent such as uct:time=1s
    #[arg(long = "seat", value_name = "AGENT")]
    seats: Vec<SeatSpec>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the record of the match as JSON at the end
    #[arg(long)]
    record: bool,
}

#[allow(clippy::large_enum_variant, reason = "there are a few of them in a whole run")]
#[derive(Clone, Debug, PartialEq)]
enum SeatSpec {
    Human,
    Agent(AgentSpec),
}

impl FromStr for SeatSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<SeatSpec, SpecError> {
        match text {
            "human" => Ok(SeatSpec::Human),
            text => text.parse().map(SeatSpec::Agent),
        }
    }
}

impl fmt::Display for SeatSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SeatSpec::Human => f.write_str("human"),
            SeatSpec::Agent(agent) => agent.fmt(f),
        }
    }
}

/// Who gives hints, unless another agent is named.
const ADVISER: &str = "uct:iterations=10000";

/// A longer line is read as several.
const MAX_LINE_BYTES: u64 = 1 << 16;

const HELP: &str = "\
type a move, or
  moves        list the legal moves
  hint         ask uct what it would play; hint AGENT asks any agent
  undo         take back your last move and what followed
  record       print the match so far as JSON
  quit         leave";

pub(super) fn run(
    options: &Options,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    options.game.warnings().iter().for_each(|warning| warn(warning));
    let mut table = open_table(&options.game, options.seed)?;
    let seats = fill_seats(&options.seats, table.as_ref())?;
    for (i, seat) in seats.iter().enumerate() {
        let player = Player(i as u8);
        writeln!(out, "{}: {seat}", table.player_name(player))?;
        if let SeatSpec::Agent(agent) = seat {
            table.seat(player, agent)?;
        }
    }
    let in_colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let mut session = Session { table: table.as_mut(), seats: &seats, in_colour, input, out };
    session.play()?;
    if options.record {
        super::print_json(&table.record(), out)?;
    }
    Ok(())
}

fn fill_seats(given: &[SeatSpec], table: &dyn Table) -> anyhow::Result<Vec<SeatSpec>> {
    let n = table.players();
    if given.len() > n {
        let game = table.game();
        let message = format!("{} seats are named, but {game} has {n}", given.len());
        return Err(BadInput(message).into());
    }
    let rest = match given {
        [] => SeatSpec::Agent(AgentSpec::from_str("uct")?),
        _ => SeatSpec::Human,
    };
    let mut seats = if given.is_empty() { vec![SeatSpec::Human] } else { given.to_vec() };
    seats.resize(n, rest);
    Ok(seats)
}

/// How a prompt was answered.
enum Answer {
    Move(String),
    TakenBack,
    Quit,
}

struct Session<'a> {
    table: &'a mut dyn Table,
    seats: &'a [SeatSpec],
    in_colour: bool,
    input: &'a mut dyn BufRead,
    out: &'a mut dyn Write,
}

impl Session<'_> {
    fn play(&mut self) -> anyhow::Result<()> {
        loop {
            writeln!(self.out, "\n{}", draw(&self.table.view(), self.in_colour))?;
            let who = match self.table.turn() {
                Turn::Over(payoffs) => return self.result(&payoffs),
                Turn::Choose(who) => who,
                Turn::Chance => unreachable!("a table draws for chance itself"),
            };
            let texts = match self.choices(who) {
                Ok(Some(texts)) => texts,
                Ok(None) => continue,
                Err(Ended::Quit) => return Ok(()),
                Err(Ended::Forfeit(text)) => return Ok(writeln!(self.out, "{text}")?),
                Err(Ended::Error(error)) => return Err(error),
            };
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            self.table.play(&texts)?;
        }
    }

    /// What everyone who chooses now plays, or nothing if moves were taken back instead. Choices
    /// that are made at once are told only when all are made.
    fn choices(&mut self, who: Players) -> Result<Option<Vec<String>>, Ended> {
        let mut texts = Vec::new();
        let mut told = Vec::new();
        for player in who {
            let name = self.table.player_name(player);
            let text = match &self.seats[player.index()] {
                SeatSpec::Human => match self.ask(player)? {
                    Answer::Move(text) => text,
                    Answer::TakenBack => return Ok(None),
                    Answer::Quit => return Err(Ended::Quit),
                },
                SeatSpec::Agent(_) => match self.table.think(player, &Stop::new()) {
                    Ok(advice) => {
                        told.push(format!("{name} plays {}", advice_text(&advice)));
                        advice.action
                    }
                    Err(error @ TableError::Forfeit { .. }) => {
                        return Err(Ended::Forfeit(format!("{error}\n{name} loses by forfeit")));
                    }
                    Err(error) => return Err(Ended::Error(error.into())),
                },
            };
            texts.push(text);
        }
        for line in told {
            writeln!(self.out, "{line}")?;
        }
        Ok(Some(texts))
    }

    /// Asks a person until there is a legal move, or something else to do.
    fn ask(&mut self, player: Player) -> Result<Answer, Ended> {
        let name = self.table.player_name(player);
        loop {
            write!(self.out, "{name}> ")?;
            self.out.flush()?;
            // Bytes that are no text are shown as such and are no legal move.
            let mut line = Vec::new();
            let mut input = (&mut *self.input).take(MAX_LINE_BYTES);
            if input.read_until(b'\n', &mut line)? == 0 {
                let message = "standard input ended before the match did; `quit` leaves a match";
                return Err(Ended::Error(BadInput(message.to_owned()).into()));
            }
            let line = String::from_utf8_lossy(&line);
            let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            match word {
                "" => {}
                "quit" | "exit" => return Ok(Answer::Quit),
                "help" | "?" => writeln!(self.out, "{HELP}")?,
                "moves" => {
                    let legal = self.table.legal(player);
                    let texts: Vec<&str> =
                        legal.iter().map(|action| action.text.as_str()).collect();
                    writeln!(self.out, "{}", texts.join(" "))?;
                }
                "hint" => self.hint(player, rest)?,
                "record" => super::print_json(&self.table.record(), self.out)?,
                "undo" => {
                    if self.undo() {
                        return Ok(Answer::TakenBack);
                    }
                    writeln!(self.out, "there is nothing to take back")?;
                }
                _ => match self.table.legal_text(player, line.trim()) {
                    Ok(text) => return Ok(Answer::Move(text)),
                    Err(message) => writeln!(self.out, "{message}; `help` lists what you can do")?,
                },
            }
        }
    }

    fn hint(&mut self, player: Player, agent: &str) -> Result<(), Ended> {
        let agent = if agent.trim().is_empty() { ADVISER } else { agent.trim() };
        let advice = AgentSpec::from_str(agent)
            .map_err(TableError::from)
            .and_then(|agent| self.table.advise(&agent, player, &Stop::new()));
        match advice {
            Ok(advice) => {
                writeln!(self.out, "{agent} would play {}", advice_text(&advice))?;
                for arm in advice.policy().iter().take(5).filter(|arm| arm.share > 0.0) {
                    writeln!(self.out, "  {:<8} {:5.1} %", arm.text, 100.0 * arm.share)?;
                }
            }
            Err(error) => writeln!(self.out, "{error}")?,
        }
        Ok(())
    }

    /// Takes moves back until a person is to choose. False if there is no such moment.
    fn undo(&mut self) -> bool {
        let record = self.table.record();
        while self.table.undo() {
            let Turn::Choose(mut who) = self.table.turn() else { continue };
            if who.any(|player| self.seats[player.index()] == SeatSpec::Human) {
                return true;
            }
        }
        // No person's turn came: everything is played again as it was.
        for texts in &record.moves {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            if matches!(self.table.turn(), Turn::Choose(_)) {
                let _ = self.table.play(&texts);
            }
        }
        false
    }

    fn result(&mut self, payoffs: &Payoffs) -> anyhow::Result<()> {
        for (i, payoff) in payoffs.as_slice(self.table.players()).iter().enumerate() {
            let name = self.table.player_name(Player(i as u8));
            writeln!(self.out, "{name} ({}): {payoff}", self.seats[i])?;
        }
        Ok(())
    }
}

/// Why a session ends before the match is over.
enum Ended {
    Quit,
    Forfeit(String),
    Error(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Ended {
    fn from(error: E) -> Ended {
        Ended::Error(error.into())
    }
}

fn advice_text(advice: &Thought) -> String {
    let mut facts = Vec::new();
    if let Some(value) = advice.value {
        facts.push(format!("expects {value:.2}"));
    }
    if advice.iterations > 0 {
        facts.push(format!("{} iterations", advice.iterations));
    }
    match facts.is_empty() {
        true => advice.action.clone(),
        false => format!("{} ({})", advice.action, facts.join(", ")),
    }
}
