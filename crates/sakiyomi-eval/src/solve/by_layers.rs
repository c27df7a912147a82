//! Hagetaka and Goofspiel of two, layer by layer. Solved layers may be kept in a folder: who starts
//! again with the same folder goes on after the last of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cpu_time::ThreadTime;
use sakiyomi_catalog::{
    CatalogGame, GameSpec, KeptLayer, SpecError, Visitor, load_layer, save_layer,
};
use sakiyomi_core::{Game, Player, Show, Stop};
use sakiyomi_games::Hagetaka;
use sakiyomi_games::hagetaka::Card;
use sakiyomi_players::layers::{LayerOpening, LayerProgress, Layers, LayersError};
use sakiyomi_search::{Values, bytes_for};

use super::{Ahead, Opening, Solve, SolveError, SolveProgress, SolveReport};

/// The game, if it is solved by layers.
pub(super) fn game_of(spec: &GameSpec) -> Result<Option<Hagetaka>, SpecError> {
    let GameSpec::Hagetaka(named) = spec else { return Ok(None) };
    struct Check;
    impl Visitor for Check {
        type Out = ();
        fn visit<G: CatalogGame>(self, _: G) {}
    }
    // What is wrong with the settings is told with the text of the specification.
    spec.with(Check)?;
    Ok(Hagetaka::new(named.settings.clone()).ok().filter(Layers::suits))
}

pub(super) fn solve(
    game: &Hagetaka,
    solve: &Solve,
    stop: &Stop,
    progress: &mut dyn FnMut(SolveProgress),
) -> Result<SolveReport, SolveError> {
    let failed = |error| SolveError::Layers { game: solve.game.clone(), error };
    let clock = Instant::now();
    let keeps_all = solve.needs_values();
    let mut layers = Layers::plan(game, solve.memory, keeps_all, stop).map_err(failed)?;
    let n_states = layers.planned().n_states();
    let table_bytes = if keeps_all { bytes_for(n_states as usize) } else { 0 };
    let bytes = layers.planned().bytes + table_bytes;
    if bytes > solve.memory {
        return Err(failed(LayersError::Memory { needed: bytes, allowed: solve.memory }));
    }
    let folder = solve.layers.as_ref().map(|path| Folder { path, game: &solve.game });
    if let Some(folder) = &folder {
        folder.take_all(&mut layers)?;
    }
    let done_before = layers.share_done();
    while let Some(rounds) = layers.next_layer() {
        let n_layers = layers.n_layers();
        let mut tell = |at: LayerProgress| {
            let LayerProgress { rounds_left, n_solved, n_states, done } = at;
            let ahead =
                Ahead { states: n_states, rounds_left, layers: n_layers, done, done_before };
            progress(SolveProgress { states: n_solved, bytes, ahead: Some(ahead) });
        };
        layers.solve_next(solve.threads, stop, &mut tell).map_err(failed)?;
        if let Some(folder) = &folder {
            folder.keep(&layers, rounds)?;
        }
    }
    let begin = ThreadTime::now();
    let value = layers.value().unwrap_or(0.5);
    let openings = openings(game, &layers);
    let mut report = SolveReport {
        game: solve.game.clone(),
        values: vec![value, 1.0 - value],
        openings,
        states: n_states,
        bytes,
        nash_conv: None,
        nash_conv_bound: Some(layers.nash_conv_bound()),
        cpu_seconds: (layers.cpu_time() + begin.elapsed()).as_secs_f64(),
        seconds: clock.elapsed().as_secs_f64(),
    };
    if keeps_all {
        let mut values = Values::default();
        values.reserve(n_states as usize);
        layers.each_value(|position, value| {
            values.insert(game.key(position), value);
        });
        drop(layers);
        solve.keep_and_check(game, values, &mut report, stop)?;
    }
    Ok(report)
}

fn openings(game: &Hagetaka, layers: &Layers) -> Vec<Opening> {
    let start = game.start();
    let opening = |(turned, solution): LayerOpening| Opening {
        outcome: turned.map(|card| game.outcome_text(&start, card)),
        value: solution.value,
        strategies: [0, 1]
            .map(|player: usize| {
                let text = |&(card, share): &(Card, f64)| {
                    (game.action_text(&start, Player(player as u8), card), share)
                };
                solution.strategies[player].iter().map(text).collect()
            })
            .into(),
    };
    layers.openings().into_iter().map(opening).collect()
}

/// Solved layers on the disk, one file each.
struct Folder<'a> {
    path: &'a Path,
    game: &'a GameSpec,
}

impl Folder<'_> {
    fn file(&self, rounds: usize) -> PathBuf {
        self.path.join(format!("layer-{rounds:02}"))
    }

    /// Takes the layers that were kept, up to the first that is not there.
    fn take_all(&self, layers: &mut Layers) -> Result<(), SolveError> {
        fs::create_dir_all(self.path)
            .map_err(|error| SolveError::Save { path: self.path.to_owned(), error })?;
        while let Some(rounds) = layers.next_layer() {
            let file = self.file(rounds);
            let KeptLayer { values, largest_gap } = match load_layer(&file, self.game, rounds) {
                Ok(kept) => kept,
                Err(error) if error.kind() == io::ErrorKind::NotFound => break,
                Err(error) => return Err(SolveError::Kept { path: file, error }),
            };
            let taken = layers.take_values(values, largest_gap);
            taken.map_err(|error| SolveError::Layers { game: self.game.clone(), error })?;
        }
        Ok(())
    }

    fn keep(&self, layers: &Layers, rounds: usize) -> Result<(), SolveError> {
        let file = self.file(rounds);
        let (values, largest_gap) = (layers.values(rounds), layers.largest_gap(rounds));
        save_layer(&file, self.game, rounds, values, largest_gap)
            .map_err(|error| SolveError::Save { path: file, error })
    }
}
