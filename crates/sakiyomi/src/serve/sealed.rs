//! Choices that are made at once: each stays hidden until all persons have chosen.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::api::{ApiError, ErrorCode, SealRequest, Sealed, SealedChoice};

/// Rounds that are known at the same time, chosen in or only waited for. None has more than a few hundred bytes.
const MAX_ROUNDS: usize = 10_000;
const KEPT_FOR: Duration = Duration::from_secs(6 * 60 * 60);

/// Rounds of choosing, by match and number of steps so far.
#[derive(Debug, Default)]
pub(super) struct SealedChoices(Mutex<Rounds>);

type Rounds = BTreeMap<(String, usize), Round>;

#[derive(Debug)]
struct Round {
    since: Instant,
    /// A hash of the moves that lead here. Of the moves themselves there may be many.
    moves: u64,
    persons: Vec<u8>,
    choices: BTreeMap<u8, String>,
    told: watch::Sender<Sealed>,
}

impl Round {
    fn new(persons: Vec<u8>, moves: u64) -> Round {
        let told = watch::Sender::new(Sealed { waiting_for: persons.clone(), choices: Vec::new() });
        Round { since: Instant::now(), moves, persons, choices: BTreeMap::new(), told }
    }

    /// Whether a client waits for it, or has chosen in it not long ago.
    fn is_wanted(&self) -> bool {
        self.told.receiver_count() > 0
            || !self.choices.is_empty() && self.since.elapsed() < KEPT_FOR
    }

    /// What may be told: who is waited for, and the choices only when all have chosen.
    fn sealed(&self) -> Sealed {
        let open = |player: &&u8| !self.choices.contains_key(player);
        let waiting_for: Vec<u8> = self.persons.iter().filter(open).copied().collect();
        let choice = |(&player, text): (&u8, &String)| SealedChoice { player, text: text.clone() };
        let choices = match waiting_for.is_empty() {
            true => self.choices.iter().map(choice).collect(),
            false => Vec::new(),
        };
        Sealed { waiting_for, choices }
    }
}

impl SealedChoices {
    /// All rounds, with room for the one of `key`: one more is refused if too many are wanted.
    fn rounds_with(&self, key: &(String, usize)) -> Result<MutexGuard<'_, Rounds>, ApiError> {
        let mut rounds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if rounds.len() >= MAX_ROUNDS && !rounds.contains_key(key) {
            rounds.retain(|_, round| round.is_wanted());
            if rounds.len() >= MAX_ROUNDS {
                return Err(ApiError::new(ErrorCode::Busy, "too many matches wait for choices"));
            }
        }
        Ok(rounds)
    }

    pub(super) fn enter(&self, request: SealRequest) -> Result<Sealed, ApiError> {
        let SealRequest { match_id, record, player, text, mut persons } = request;
        persons.sort_unstable();
        persons.dedup();
        let key = (match_id, record.moves.len());
        let moves = hash_of(&record.moves);
        let mut rounds = self.rounds_with(&key)?;
        let round = rounds.entry(key).or_insert_with(|| Round::new(persons.clone(), moves));
        // The match took another way, such as after an undo: what was chosen there is void.
        if round.choices.is_empty() || round.moves != moves || round.persons != persons {
            let told = round.told.clone();
            *round = Round { told, ..Round::new(persons, moves) };
        }
        if !round.sealed().waiting_for.is_empty() {
            round.choices.insert(player, text);
        }
        let sealed = round.sealed();
        round.told.send_replace(sealed.clone());
        Ok(sealed)
    }

    pub(super) fn watch(
        &self,
        match_id: String,
        step: usize,
    ) -> Result<watch::Receiver<Sealed>, ApiError> {
        let key = (match_id, step);
        let mut rounds = self.rounds_with(&key)?;
        let round = rounds.entry(key).or_insert_with(|| Round::new(Vec::new(), 0));
        Ok(round.told.subscribe())
    }
}

fn hash_of(moves: &[Vec<String>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    moves.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::super::api::MatchRecord;
    use super::*;

    fn choose(choices: &SealedChoices, moves: &[&str], player: u8, text: &str) -> Sealed {
        let moves = moves.iter().map(|text| vec![(*text).to_owned()]).collect();
        let record = MatchRecord { game: "hagetaka".to_owned(), seed: 1, moves };
        let request = SealRequest {
            match_id: "m".to_owned(),
            record,
            player,
            text: text.to_owned(),
            persons: vec![2, 0],
        };
        choices.enter(request).unwrap()
    }

    #[test]
    fn nothing_is_told_before_all_have_chosen() {
        let choices = SealedChoices::default();
        let watcher = choices.watch("m".to_owned(), 1).unwrap();
        let first = choose(&choices, &["+3"], 0, "5");
        assert_eq!(first, Sealed { waiting_for: vec![2], choices: Vec::new() });
        assert_eq!(*watcher.borrow(), first);
        // Who changes their mind may, as long as it is hidden.
        choose(&choices, &["+3"], 0, "4");
        let all = choose(&choices, &["+3"], 2, "1");
        let told: Vec<(u8, &str)> =
            all.choices.iter().map(|c| (c.player, c.text.as_str())).collect();
        assert_eq!(told, [(0, "4"), (2, "1")]);
        assert_eq!(*watcher.borrow(), all);
        assert_eq!(choose(&choices, &["+3"], 0, "2"), all, "now it is too late");
    }

    #[test]
    fn rounds_that_are_waited_for_are_limited() {
        let choices = SealedChoices::default();
        let watch = |i: usize| choices.watch(format!("m{i}"), 0);
        let mut watchers: Vec<_> = (0..MAX_ROUNDS).map(|i| watch(i).unwrap()).collect();
        assert_eq!(watch(MAX_ROUNDS).unwrap_err().code, ErrorCode::Busy);
        assert!(watch(5).is_ok(), "one that is known needs no room");
        // Who goes away makes room, and not for one more only.
        watchers.truncate(10);
        assert!(watch(MAX_ROUNDS).is_ok());
        assert!(choices.0.lock().unwrap().len() <= 11);
        for _ in 0..2 * MAX_ROUNDS {
            drop(watch(MAX_ROUNDS + 1));
        }
    }

    #[test]
    fn a_match_that_took_another_way_starts_anew() {
        let choices = SealedChoices::default();
        choose(&choices, &["+3"], 0, "5");
        let other = choose(&choices, &["-1"], 2, "1");
        assert_eq!(other.waiting_for, [0]);
    }
}
