//! The two engines behind one door: the network of gates, and the interpreter of the rules for
//! sheets whose network would be too large.

use std::sync::Arc;

use sakiyomi_core::Stop;

use crate::ground::meter::{Limits, Meter, Watcher};
use crate::ground::program::{Evaluate, Program, Splitting};
use crate::read::error::GdlError;
use crate::read::parse::Sheet;
use crate::run::compiled::Compiled;
use crate::run::interpret::{Interpreted, Interpreter};
use crate::run::live::Live;
use crate::run::network_engine::NetworkEngine;
use crate::run::rules::Rules;

/// Which engine plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EngineChoice {
    /// The network, or the interpreter if the network would exceed the limits.
    #[default]
    Auto,
    Network,
    Interpreter,
}

#[derive(Debug)]
pub(crate) enum Engine {
    Network(Box<NetworkEngine>),
    Interpreter(Box<Interpreter>),
}

/// A raw state with its legal moves. Positions of one game are all of the same engine.
#[derive(Debug)]
pub(crate) enum Position {
    Network(Live),
    Interpreter(Interpreted),
}

/// The door, the only place that tells the engines apart: runs code with the rules, and a position,
/// of whichever engine it is. The code is compiled for each of them.
macro_rules! match_engine {
    ($engine:expr, |$rules:ident| $body:expr) => {
        match $engine {
            Engine::Network($rules) => $body,
            Engine::Interpreter($rules) => $body,
        }
    };
    ($engine:expr, $position:expr, |$rules:ident, $own:ident| $body:expr) => {
        match ($engine, $position) {
            (Engine::Network($rules), Position::Network($own)) => $body,
            (Engine::Interpreter($rules), Position::Interpreter($own)) => $body,
            _ => unreachable!("positions of one game are all of the same engine"),
        }
    };
}
pub(crate) use match_engine;

impl Engine {
    /// The engine, and a message if it is not the one that was hoped for.
    pub(crate) fn new<'a>(
        sheet: &Sheet,
        choice: EngineChoice,
        limits: &Limits,
        watcher: &'a mut Watcher<'a>,
    ) -> Result<(Engine, Option<String>), GdlError> {
        let mut meter = Meter::new(limits, watcher);
        let interpreter = |program: Program| -> Result<Engine, GdlError> {
            Ok(Engine::Interpreter(Box::new(Interpreter::new(program)?)))
        };
        let program = match Program::new(sheet, &mut meter, Evaluate::All) {
            Err(error @ GdlError::TooManyFacts { .. }) if choice != EngineChoice::Network => {
                let notice = format!("{error}: the rules are interpreted, which is slow");
                meter.start_again();
                let program = Program::new(sheet, &mut meter, Evaluate::StartOnly)?;
                return Ok((interpreter(program)?, Some(notice)));
            }
            program => program?,
        };
        if choice == EngineChoice::Interpreter {
            return Ok((interpreter(program)?, None));
        }
        match Compiled::new(program, Splitting::default(), &mut meter) {
            Ok(compiled) => Ok((Engine::Network(Box::new(NetworkEngine::new(compiled))), None)),
            Err(error @ GdlError::TooLarge { .. }) if choice == EngineChoice::Auto => {
                // What grounding held is gone; a copy of the program would have counted as well.
                let notice = format!("{error}: the rules are interpreted instead, which is slow");
                meter.start_again();
                let program = Program::new(sheet, &mut meter, Evaluate::All)?;
                Ok((interpreter(program)?, Some(notice)))
            }
            Err(error) => Err(error),
        }
    }

    /// The compiled network, if that is the engine.
    pub(crate) fn compiled(&self) -> Option<&Compiled> {
        match self {
            Engine::Network(engine) => Some(&engine.compiled),
            Engine::Interpreter(_) => None,
        }
    }

    pub(crate) fn start(&self) -> Position {
        match self {
            Engine::Network(engine) => Position::Network(engine.start()),
            Engine::Interpreter(engine) => Position::Interpreter(engine.start()),
        }
    }

    pub(crate) fn role_names(&self) -> Vec<String> {
        match_engine!(self, |rules| rules.role_names())
    }

    pub(crate) fn move_text(&self, number: u32) -> String {
        match_engine!(self, |rules| rules.move_text(number))
    }

    /// What went wrong in evaluating the rules of some position.
    pub(crate) fn trouble(&self) -> Option<GdlError> {
        match_engine!(self, |rules| rules.trouble())
    }

    #[inline]
    pub(crate) fn is_terminal(&self, position: &Position) -> bool {
        match_engine!(self, position, |rules, own| rules.is_terminal(own))
    }

    #[inline]
    pub(crate) fn n_legal(&self, position: &Position, role: usize) -> usize {
        match_engine!(self, position, |rules, own| rules.n_legal(own, role))
    }

    #[inline]
    pub(crate) fn legal(&self, position: &Position, role: usize, number: usize) -> u32 {
        match_engine!(self, position, |rules, own| rules.legal(own, role, number))
    }

    #[inline]
    pub(crate) fn step(&self, position: &mut Position, joint: &[u32], stop: Option<&Arc<Stop>>) {
        match_engine!(self, position, |rules, own| rules.step(own, joint, stop));
    }

    pub(crate) fn legal_after(&self, position: &Position, joint: &[u32], role: usize) -> Vec<u32> {
        match_engine!(self, position, |rules, own| rules.legal_after(own, joint, role))
    }

    pub(crate) fn goals(&self, position: &mut Position, out: &mut [Option<u8>]) {
        match_engine!(self, position, |rules, own| rules.goals(own, out));
    }

    pub(crate) fn facts(&self, position: &Position) -> Vec<String> {
        match_engine!(self, position, |rules, own| rules.facts(own))
    }
}

impl Position {
    /// The facts, in a form that is equal exactly if they are.
    pub(crate) fn key(&self) -> &[u64] {
        match self {
            Position::Network(live) => live.facts(),
            Position::Interpreter(interpreted) => &interpreted.facts,
        }
    }

    /// The bytes that it takes beside its own, more or less.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Position::Network(live) => live.bytes(),
            Position::Interpreter(interpreted) => interpreted.bytes(),
        }
    }

    /// The state of the network, if that is the engine.
    pub(crate) fn live(&self) -> Option<&Live> {
        match self {
            Position::Network(live) => Some(live),
            Position::Interpreter(_) => None,
        }
    }
}

impl Clone for Position {
    fn clone(&self) -> Position {
        match self {
            Position::Network(live) => Position::Network(live.clone()),
            Position::Interpreter(interpreted) => Position::Interpreter(interpreted.clone()),
        }
    }

    fn clone_from(&mut self, other: &Position) {
        match (self, other) {
            (Position::Network(mine), Position::Network(theirs)) => mine.clone_from(theirs),
            (Position::Interpreter(mine), Position::Interpreter(theirs)) => mine.clone_from(theirs),
            // A variable may be reused for another game.
            (mine, theirs) => *mine = theirs.clone(),
        }
    }
}
