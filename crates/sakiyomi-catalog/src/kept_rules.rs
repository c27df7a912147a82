//! Rules that were handed over as text, such as by a page: kept in memory and found by their content.

use std::sync::{Mutex, PoisonError};

use sakiyomi_core::hash::fnv1a_128;
use sakiyomi_gdl::GdlError;

use crate::games::CompileError;
use crate::{GameSpec, GdlSpec, RuleSheet};

/// Texts that are kept at the same time; the oldest goes first.
const MOST_KEPT: usize = 64;

/// Names and texts, oldest first.
static KEPT: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// Keeps the text of rules until the program ends, so that they can be played as a game. The same
/// text always makes the same game. An error is one of the rules, with line and column.
pub fn keep_rules(text: &str) -> Result<GameSpec, GdlError> {
    let name = content_name(text);
    let spec = GdlSpec::new(RuleSheet::Kept(name.clone()));
    let is_new = keep(&name, text);
    match spec.compile() {
        Ok(_) => Ok(spec.into()),
        Err(error) => {
            if is_new {
                KEPT.lock().unwrap_or_else(PoisonError::into_inner).retain(|(k, _)| *k != name);
            }
            Err(match error {
                CompileError::Rules(error) => error,
                // Other rules have taken the place of these meanwhile.
                CompileError::File(_) => GdlError::Stopped,
            })
        }
    }
}

/// Puts a text at the end of those that are kept. False if it was one of them.
fn keep(name: &str, text: &str) -> bool {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let before = kept.len();
    kept.retain(|(known, _)| known != name);
    let is_new = kept.len() == before;
    if kept.len() == MOST_KEPT {
        kept.remove(0);
    }
    kept.push((name.to_owned(), text.to_owned()));
    is_new
}

/// The text of this name, if it is kept.
pub fn kept_rules(name: &str) -> Option<String> {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone())
}

/// A name that follows from the text alone: FNV-1a of 128 bits. The letter keeps it from looking like
/// a number.
fn content_name(text: &str) -> String {
    format!("r{:032x}", fnv1a_128(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_kept_by_their_content() {
        let text = GdlSpec::new(RuleSheet::Named("tic-tac-toe".to_owned())).text().unwrap();
        let game = keep_rules(&text).unwrap();
        assert_eq!(keep_rules(&text).unwrap(), game);
        assert_eq!(game.to_string().parse::<GameSpec>().unwrap(), game);
        assert_eq!(game.players().unwrap(), 2);
        let unknown = "gdl:rules=r0".parse::<GameSpec>().unwrap();
        assert!(unknown.players().unwrap_err().message.contains("hand over their text again"));
        let broken = keep_rules("(role white").unwrap_err();
        assert!(broken.to_string().contains("line 1"), "{broken}");
    }
}
