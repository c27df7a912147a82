//! Self-play of many matches without a thread for each: every match is a search that waits for its leaf, the searches
//! of a group go on in parallel when their evaluations are there, and while the network looks at one group the other
//! is searched. A batch has the leaves of all matches of a group in their order, so every result depends on the seed
//! alone, not on the number of threads.

use std::any::Any;

use rayon::prelude::*;
use sakiyomi_catalog::{CatalogGame, GameSpec, Visitor};
use sakiyomi_core::{Payoffs, Player, Rng, Stop, Symmetry, Turn};
use sakiyomi_search::{LeafRows, StepError};

use crate::match_search::{Decision, MatchSearch, SearchSettings};
use crate::numbers::Layout;
use crate::self_play::{
    Answer, GameRecord, Network, NetworkError, Rows, SelfPlayError, Step, check_answer,
};

/// What is to be played.
#[derive(Clone, Debug)]
pub struct ManyMatches {
    /// One game, or several of the same shape such as maps of one size, which matches take in turn.
    pub games: Vec<GameSpec>,
    pub matches: u64,
    /// Matches at the same time, half of them in each group.
    pub at_once: usize,
    pub search: SearchSettings,
    /// Whether the network is asked about a random one of the images of a leaf under the game's symmetries.
    pub has_random_images: bool,
    /// Every second match begins with up to this many random moves, which are not learned from.
    pub opening_plies: usize,
    /// In this many moves of a match PUCT draws its action in proportion to visits. Gumbel's noise needs no such draws.
    pub drawn_moves: u32,
    pub seed: u64,
    /// Threads that search; 0 for one per core.
    pub threads: usize,
}

/// Plays all matches. `progress` is told after every batch how many matches have ended.
pub fn play_many_matches(
    settings: &ManyMatches,
    network: &mut dyn Network,
    stop: &Stop,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<GameRecord>, SelfPlayError> {
    if settings.at_once == 0 || settings.search.evaluations() == 0 {
        let expected = "a number from 1 on";
        let what = if settings.at_once == 0 { "at_once" } else { "simulations" };
        return Err(SelfPlayError::Setting { what, found: "0".to_owned(), expected });
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads).build();
    let pool = pool.map_err(|error| SelfPlayError::Setting {
        what: "threads",
        found: format!("{} ({error})", settings.threads),
        expected: "fewer threads",
    })?;
    let Some(first) = settings.games.first() else {
        let (found, expected) = ("none".to_owned(), "at least one game");
        return Err(SelfPlayError::Setting { what: "games", found, expected });
    };
    first.with(Run { settings, network, stop, progress, pool: &pool })?
}

struct Run<'a> {
    settings: &'a ManyMatches,
    network: &'a mut dyn Network,
    stop: &'a Stop,
    progress: &'a mut dyn FnMut(u64),
    pool: &'a rayon::ThreadPool,
}

impl Visitor for Run<'_> {
    type Out = Result<Vec<GameRecord>, SelfPlayError>;

    fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
        let layout = Layout::of(&game);
        check(&layout, &self.settings.games[0])?;
        let games = of_one_shape(game, layout, &self.settings.games)?;
        let has_images = self.settings.has_random_images;
        let symmetries = |game: &G| if has_images { game.symmetries() } else { Vec::new() };
        let symmetries = games.iter().map(symmetries).collect();
        let rules = Rules { games: &games, symmetries, layout, settings: self.settings };
        let n = (self.settings.matches as usize).min(self.settings.at_once);
        let matches: Vec<Match<G>> = (0..n).map(|slot| Match::new(&rules, slot as u64)).collect();
        self.play(&rules, matches)
    }
}

/// All games; the first is there already, and the others have its type and layout.
pub(crate) fn of_one_shape<G: CatalogGame>(
    first: G,
    layout: Layout,
    specs: &[GameSpec],
) -> Result<Vec<G>, SelfPlayError> {
    let mut games = vec![first];
    for spec in &specs[1..] {
        let other = spec.with(AnyGame)?.downcast::<G>().ok();
        let other = other.filter(|other| Layout::of(&**other) == layout);
        games.push(*other.ok_or_else(|| SelfPlayError::OtherShape {
            first: specs[0].to_string(),
            game: spec.to_string(),
        })?);
    }
    Ok(games)
}

/// A game whose type is found out later.
struct AnyGame;

impl Visitor for AnyGame {
    type Out = Box<dyn Any>;

    fn visit<G: CatalogGame>(self, game: G) -> Box<dyn Any> {
        Box::new(game)
    }
}

/// Whether a search that hands out leaf after leaf can play the game.
pub(crate) fn check(layout: &Layout, game: &GameSpec) -> Result<(), SelfPlayError> {
    let game = game.to_string();
    if layout.observation.is_none() {
        return Err(SelfPlayError::NoObservations { game });
    }
    if layout.is_ranked {
        return Err(SelfPlayError::NoActionNumbers { game });
    }
    // Rule sheets do not say that what two players get adds up to 1; every match that ends does.
    if layout.n_players > 2 || layout.is_simultaneous {
        return Err(SelfPlayError::NotInTurn { game });
    }
    Ok(())
}

impl Run<'_> {
    /// Two groups in turn: one is searched while the network looks at the other.
    fn play<G: CatalogGame>(
        self,
        rules: &Rules<'_, G>,
        mut first: Vec<Match<G>>,
    ) -> Result<Vec<GameRecord>, SelfPlayError> {
        let mut second = first.split_off(first.len() / 2);
        self.pool.install(|| advance(rules, &mut first, None));
        let mut answer: Option<Answer> = None;
        let mut records = Vec::new();
        loop {
            // `first` waits for the network, `second` has the answer to its last batch.
            let rows = gather(&mut first);
            let (network, layout) = (&mut *self.network, &rules.layout);
            let mut next = Ok(None);
            self.pool.in_place_scope(|scope| {
                let of_second = answer.take();
                let second = &mut second;
                scope.spawn(move |_| advance(rules, second, of_second.as_ref()));
                if rows.n > 0 {
                    next = ask(network, layout, &rows).map(Some);
                }
            });
            answer = next?;
            for played in first.iter_mut().chain(&mut second) {
                if let Some(error) = played.failed.take() {
                    return Err(error);
                }
                records.append(&mut played.records);
            }
            if self.stop.requested() {
                return Err(SelfPlayError::Stopped);
            }
            (self.progress)(records.len() as u64);
            std::mem::swap(&mut first, &mut second);
            if answer.is_none() && first.iter().all(|played| !played.is_waiting) {
                break;
            }
        }
        records.sort_by_key(|record: &GameRecord| record.number);
        Ok(records)
    }
}

fn ask(
    network: &mut dyn Network,
    layout: &Layout,
    rows: &LeafRows,
) -> Result<Answer, NetworkError> {
    let LeafRows { n, observations, masks } = rows;
    let answer = network.evaluate(Rows { n: *n, observations, masks })?;
    check_answer(layout, *n, masks, answer)
}

/// The leaves of all matches that wait, in their order.
fn gather<G: CatalogGame>(matches: &mut [Match<G>]) -> LeafRows {
    let mut rows = LeafRows::default();
    for played in matches.iter_mut().filter(|played| played.is_waiting) {
        played.row = rows.n;
        rows.append(&played.leaf);
    }
    rows
}

/// Has every match take its evaluation and go on to the next leaf.
fn advance<G: CatalogGame>(
    rules: &Rules<'_, G>,
    matches: &mut [Match<G>],
    answer: Option<&Answer>,
) {
    let step = |played: &mut Match<G>| {
        if let Err(error) = played.go_on(rules, answer) {
            (played.failed, played.is_waiting) = (Some(error), false);
        }
    };
    matches.par_iter_mut().with_min_len(8).for_each(step);
}

struct Rules<'a, G> {
    games: &'a [G],
    /// Of each game those that the network is asked about.
    symmetries: Vec<Vec<Symmetry>>,
    layout: Layout,
    settings: &'a ManyMatches,
}

impl<'a, G> Rules<'a, G> {
    fn game(&self, number: u64) -> &'a G {
        &self.games[self.place(number)]
    }

    fn place(&self, number: u64) -> usize {
        (number % self.games.len() as u64) as usize
    }
}

/// One of the matches that are played at the same time; when it ends the next of its numbers begins.
struct Match<G: CatalogGame> {
    number: u64,
    state: G::State,
    search: MatchSearch<G>,
    rng: Rng,
    moves: u32,
    steps: Vec<Step>,
    leaf: LeafRows,
    /// Which symmetry the leaf is shown by, if one.
    image: Option<usize>,
    row: usize,
    has_begun: bool,
    is_waiting: bool,
    records: Vec<GameRecord>,
    failed: Option<SelfPlayError>,
}

impl<G: CatalogGame> Match<G> {
    fn new(rules: &Rules<'_, G>, number: u64) -> Match<G> {
        let start = rules.game(number).start();
        Match {
            number,
            state: start.clone(),
            search: MatchSearch::new(rules.settings.search, start),
            rng: Rng::new(0),
            moves: 0,
            steps: Vec::new(),
            leaf: LeafRows::default(),
            image: None,
            row: 0,
            has_begun: false,
            is_waiting: false,
            records: Vec::new(),
            failed: None,
        }
    }

    fn go_on(
        &mut self,
        rules: &Rules<'_, G>,
        answer: Option<&Answer>,
    ) -> Result<(), SelfPlayError> {
        match answer {
            Some(answer) if self.is_waiting => self.take(rules, answer)?,
            _ if !self.has_begun => self.begin(rules)?,
            _ => return Ok(()),
        }
        while self.number < rules.settings.matches {
            let (game, number) = (rules.game(self.number), self.number);
            let asked = self.search.ask(game, &rules.layout, &mut self.leaf);
            asked.map_err(|error| forfeit(number, error))?;
            if self.leaf.n > 0 {
                self.show_image(&rules.symmetries[rules.place(number)], &rules.layout);
                self.is_waiting = true;
                return Ok(());
            }
            self.decide(rules)?;
        }
        self.is_waiting = false;
        Ok(())
    }

    /// Hands the search what the network said of its rows.
    fn take(&mut self, rules: &Rules<'_, G>, answer: &Answer) -> Result<(), SelfPlayError> {
        let (game, n_actions) = (rules.game(self.number), rules.layout.n_actions);
        let Answer { priors, values } = answer;
        let n_rows = priors.len() / n_actions.max(1);
        let (first, width) = (self.row, values.len() / n_rows.max(1));
        let value = |row: usize, player: Player| match &values[(first + row) * width..][..width] {
            [own] => *own,
            all => all[player.index()],
        };
        let mut priors = &priors[first * n_actions..][..n_actions];
        let mut of_state = Vec::new();
        if let Some(image) = self.image {
            let symmetry = &rules.symmetries[rules.place(self.number)][image];
            of_state.resize(n_actions, 0.0);
            symmetry.actions.iter().zip(priors).for_each(|(&own, prior)| of_state[own] = *prior);
            priors = &of_state;
        }
        let supplied = self.search.supply(game, priors, value, &mut self.rng);
        supplied.map_err(|error| forfeit(self.number, error))
    }

    /// Draws one of the images of what waits, itself among them, and shows that one to the network.
    fn show_image(&mut self, symmetries: &[Symmetry], layout: &Layout) {
        let drawn = if symmetries.is_empty() { 0 } else { self.rng.below(1 + symmetries.len()) };
        self.image = drawn.checked_sub(1);
        let Some(image) = self.image else { return };
        let Symmetry { numbers, actions } = &symmetries[image];
        let LeafRows { observations, masks, .. } = &mut self.leaf;
        let rows = observations.chunks_exact(layout.observation_len());
        *observations = rows.flat_map(|row| numbers.iter().map(|&from| row[from])).collect();
        let rows = masks.chunks_exact(layout.n_actions);
        *masks = rows.flat_map(|row| actions.iter().map(|&from| row[from])).collect();
    }

    /// Begins the match with this number, perhaps with random moves.
    fn begin(&mut self, rules: &Rules<'_, G>) -> Result<(), SelfPlayError> {
        let (game, settings) = (rules.game(self.number), rules.settings);
        (self.has_begun, self.moves) = (true, 0);
        self.rng = Rng::stream(&[settings.seed, self.number]);
        self.state = opened(game, self.number, settings.opening_plies, &mut self.rng);
        let begun = self.search.begin(game, &self.state);
        begun.map_err(|error| forfeit(self.number, error))
    }

    /// Makes the move that the search found; after the end the next match begins.
    fn decide(&mut self, rules: &Rules<'_, G>) -> Result<(), SelfPlayError> {
        let Rules { layout, settings, .. } = rules;
        let game = rules.game(self.number);
        let Turn::Choose(who) = game.turn(&self.state) else { return Ok(()) };
        let player = who.single().unwrap_or(Player(0));
        let is_drawn = self.moves < settings.drawn_moves;
        let at = Decision { game, layout, state: &self.state, player, is_drawn };
        let decided = self.search.decide(&at, &mut self.rng);
        let (action, step) = decided.map_err(|error| forfeit(self.number, error))?;
        self.steps.extend(step);
        game.apply(&mut self.state, &[action]);
        self.moves += 1;
        if let Turn::Over(payoffs) = game.turn(&self.state) {
            let payoffs = checked_payoffs(&payoffs, game.players());
            let payoffs = payoffs.ok_or_else(|| SelfPlayError::NotInTurn {
                game: settings.games[rules.place(self.number)].to_string(),
            })?;
            let mut steps = std::mem::take(&mut self.steps);
            steps.extend(self.search.learned(game, layout));
            self.records.push(GameRecord { number: self.number, seat: None, steps, payoffs });
            self.number += settings.at_once.min(settings.matches as usize) as u64;
            return self.begin(rules);
        }
        self.search.go_on(&self.state);
        Ok(())
    }
}

/// What each player got; none if that of two does not add up to 1, which rule sheets do not say before.
pub(crate) fn checked_payoffs(payoffs: &Payoffs, n_players: usize) -> Option<Vec<f64>> {
    let payoffs = payoffs.as_slice(n_players).to_vec();
    let is_fine = n_players != 2 || (payoffs.iter().sum::<f64>() - 1.0).abs() <= 1e-9;
    is_fine.then_some(payoffs)
}

/// The state that a match begins in: every second one after up to this many random moves.
pub(crate) fn opened<G: CatalogGame>(
    game: &G,
    number: u64,
    most: usize,
    rng: &mut Rng,
) -> G::State {
    let mut plies = if number % 2 == 1 && most > 0 { 1 + rng.below(most) } else { 0 };
    loop {
        let mut state = game.start();
        let mut buffer = Vec::new();
        for _ in 0..plies {
            let Turn::Choose(who) = game.turn(&state) else { break };
            let Some(player) = who.single() else { break };
            buffer.clear();
            let action = game.random_action(&state, player, &mut buffer, rng);
            game.apply(&mut state, &[action]);
        }
        if plies == 0 || matches!(game.turn(&state), Turn::Choose(_)) {
            return state;
        }
        plies /= 2;
    }
}

fn forfeit(number: u64, error: StepError) -> SelfPlayError {
    SelfPlayError::Forfeit { number, reason: error.to_string() }
}

#[cfg(test)]
mod tests;
