//! Many environments of one game, stepped at once: actions come as an array of numbers, and observations, masks
//! and rewards are written into arrays of the caller, in the order of the environments whatever the number of
//! threads. A match that has ended begins again in the same step, so there is always someone to choose.

use sakiyomi_catalog::{CatalogGame, GameSpec, SpecError, Visitor};
use sakiyomi_core::{MAX_PLAYERS, Payoffs, Player, Players, Rng, Turn};

use crate::batch::together::Together;
use crate::numbers::{Layout, numbered};

mod together;

#[derive(Clone, Copy, Debug)]
pub struct BatchSettings {
    pub n_environments: usize,
    /// A row of actions, masks and observations for every player, not only for the one who chooses. It is
    /// needed where several choose at once.
    pub per_player: bool,
    pub threads: usize,
    /// What chance draws follows from the seed and the number of the environment.
    pub seed: u64,
}

/// Arrays that a step fills. There is a row for each environment, or for each player of each environment.
#[derive(Debug)]
pub struct Buffers<'a> {
    /// One observation per row; empty if none are wanted.
    pub observations: &'a mut [f32],
    /// For each row and action whether it is legal; a player who does not choose has no legal action.
    pub masks: &'a mut [bool],
    /// What each player of each environment won in this step: nothing, or at the end of a match from -1 (the worst
    /// payoff) to 1 (the best).
    pub rewards: &'a mut [f32],
    /// For each environment whether a match ended in this step. What is observed then is the next match.
    pub ended: &'a mut [bool],
    /// For each environment who chooses, or -1 if several do.
    pub players: &'a mut [i8],
}

pub trait Batch: Send {
    fn layout(&self) -> &Layout;
    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows of actions, masks and observations for each environment.
    fn rows(&self) -> usize;

    /// Starts all matches again.
    fn reset(&mut self, seed: u64, buffers: Buffers<'_>) -> Result<(), BatchError>;

    /// Plays one action per row; those of players who do not choose are not looked at. Nothing changes if one of them
    /// is not legal.
    fn step(&mut self, actions: &[i64], buffers: Buffers<'_>) -> Result<(), BatchError>;

    /// Draws a legal action for every row, each with the same probability, and 0 for those who do not choose.
    fn random_actions(&mut self, out: &mut [i64]) -> Result<(), BatchError>;
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    #[error("{what}: {found} numbers, expected {expected}")]
    Length { what: &'static str, expected: usize, found: usize },
    #[error(
        "environment {environment}: action {action} is not legal for player {player}; legal: {legal}"
    )]
    Illegal { environment: usize, player: u8, action: i64, legal: String },
    #[error(
        "environment {environment}: {n} players choose at once; open the batch with a row per player \
         (per_player)"
    )]
    Simultaneous { environment: usize, n: usize },
    #[error("0 environments; a batch needs at least 1")]
    Empty,
    #[error("{game}: matches are over before a player chooses")]
    NothingToChoose { game: String },
    #[error("{threads} threads cannot be started: {reason}")]
    Threads { threads: usize, reason: String },
}

/// Opens a batch; [`Batch::reset`] tells what is seen first.
pub fn open_batch(
    game: &GameSpec,
    settings: BatchSettings,
) -> Result<Result<Box<dyn Batch>, BatchError>, SpecError> {
    struct Open<'a>(&'a GameSpec, BatchSettings);
    impl Visitor for Open<'_> {
        type Out = Result<Box<dyn Batch>, BatchError>;
        fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
            check_start(&game, self.0, &self.1)?;
            Ok(match Together::new(&game, &self.1)? {
                Some(together) => Box::new(together),
                None => Box::new(BatchOf::new(game, self.1)?),
            })
        }
    }
    game.with(Open(game, settings))
}

fn check_start<G: CatalogGame>(
    game: &G,
    spec: &GameSpec,
    settings: &BatchSettings,
) -> Result<(), BatchError> {
    if settings.n_environments == 0 {
        return Err(BatchError::Empty);
    }
    match game.turn(&game.start()) {
        Turn::Over(_) => Err(BatchError::NothingToChoose { game: spec.to_string() }),
        _ => Ok(()),
    }
}

struct BatchOf<G: CatalogGame> {
    game: G,
    layout: Layout,
    rows: usize,
    environments: Vec<Environment<G>>,
    pool: Option<rayon::ThreadPool>,
}

/// One match.
struct Environment<G: CatalogGame> {
    number: usize,
    state: G::State,
    rng: Rng,
    choosing: Players,
    /// The action of the only player who chooses, where no lists are kept.
    chosen: Option<G::Action>,
    /// What is legal; nothing if the game tells it without a list.
    lists: Option<Box<Lists<G::Action>>>,
}

/// What is legal in a state, and what was chosen.
struct Lists<A> {
    /// The legal actions of the choosing players with their numbers, one player after the other.
    legal: Vec<(u32, A)>,
    lengths: [u32; MAX_PLAYERS],
    joint: Vec<A>,
}

impl<G: CatalogGame> BatchOf<G> {
    fn new(game: G, settings: BatchSettings) -> Result<BatchOf<G>, BatchError> {
        let lists = settings.per_player || !game.has_direct_indices();
        BatchOf::with_lists(game, settings, lists)
    }

    /// The same, with or without lists of legal actions: what is seen and done is the same.
    fn with_lists(game: G, settings: BatchSettings, lists: bool) -> Result<BatchOf<G>, BatchError> {
        let BatchSettings { n_environments, per_player, threads, seed } = settings;
        let layout = Layout::of(&game);
        let environment = |number| Environment {
            number,
            state: game.start(),
            rng: Rng::stream(&[seed, number as u64]),
            choosing: Players::NONE,
            chosen: None,
            lists: lists.then(Box::default),
        };
        let mut environments: Vec<Environment<G>> = (0..n_environments).map(environment).collect();
        let rows = if per_player { game.players() } else { 1 };
        let mut buffer = Vec::new();
        for environment in &mut environments {
            environment.begin(&game);
            environment.list(&game, &layout, rows, &mut buffer)?;
        }
        Ok(BatchOf { layout, rows, environments, pool: pool(threads)?, game })
    }

    fn run(&mut self, buffers: Buffers<'_>, plays: bool) -> Result<(), BatchError> {
        let BatchOf { game, layout, rows, environments, pool } = self;
        buffers.rewards.fill(0.0);
        Stepper { game, layout, rows: *rows, plays }.run(environments, pool.as_ref(), buffers)
    }
}

fn expect(what: &'static str, expected: usize, found: usize) -> Result<(), BatchError> {
    if found == expected { Ok(()) } else { Err(BatchError::Length { what, expected, found }) }
}

/// Threads that wait for steps; none if one is enough.
fn pool(threads: usize) -> Result<Option<rayon::ThreadPool>, BatchError> {
    if threads <= 1 {
        return Ok(None);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(Some).map_err(|error| BatchError::Threads { threads, reason: error.to_string() })
}

impl<'b> Buffers<'b> {
    /// Whether they have the lengths for this many environments.
    fn check(&self, layout: &Layout, n: usize, rows: usize) -> Result<(), BatchError> {
        let n_observed = match self.observations.is_empty() {
            true => 0,
            false => n * rows * layout.observation_len(),
        };
        expect("observations", n_observed, self.observations.len())?;
        expect("masks", n * rows * layout.n_actions, self.masks.len())?;
        expect("rewards", n * layout.n_players, self.rewards.len())?;
        expect("ended", n, self.ended.len())?;
        expect("players", n, self.players.len())
    }

    /// The part that belongs to the first `n` environments, and the rest.
    fn split(self, layout: &Layout, rows: usize, n: usize) -> (Buffers<'b>, Buffers<'b>) {
        let Buffers { observations, masks, rewards, ended, players } = self;
        let rows = n * rows;
        let n_observed = if observations.is_empty() { 0 } else { layout.observation_len() };
        let observations = observations.split_at_mut(rows * n_observed);
        let masks = masks.split_at_mut(rows * layout.n_actions);
        let rewards = rewards.split_at_mut(n * layout.n_players);
        let (ended, players) = (ended.split_at_mut(n), players.split_at_mut(n));
        let own = Buffers {
            observations: observations.0,
            masks: masks.0,
            rewards: rewards.0,
            ended: ended.0,
            players: players.0,
        };
        let rest = Buffers {
            observations: observations.1,
            masks: masks.1,
            rewards: rewards.1,
            ended: ended.1,
            players: players.1,
        };
        (own, rest)
    }
}

/// Does something with every block of environments and its part of the buffers, each on a thread.
fn for_blocks<T: Send>(
    pool: Option<&rayon::ThreadPool>,
    blocks: Vec<(T, Buffers<'_>)>,
    run: impl Fn(T, Buffers<'_>) -> Result<(), BatchError> + Sync,
) -> Result<(), BatchError> {
    let Some(pool) = pool else {
        return blocks.into_iter().try_for_each(|(block, own)| run(block, own));
    };
    let mut results = vec![Ok(()); blocks.len()];
    let run = &run;
    pool.scope(|scope| {
        for ((block, own), result) in blocks.into_iter().zip(&mut results) {
            scope.spawn(move |_| *result = run(block, own));
        }
    });
    results.into_iter().collect()
}

/// A finished match's payoffs as rewards.
fn write_rewards(payoffs: &Payoffs, rewards: &mut [f32]) {
    let payoffs = payoffs.as_slice(rewards.len());
    for (reward, payoff) in rewards.iter_mut().zip(payoffs) {
        *reward = (2.0 * payoff - 1.0) as f32;
    }
}

/// What all threads share while they step.
struct Stepper<'a, G> {
    game: &'a G,
    layout: &'a Layout,
    rows: usize,
    /// Whether the chosen actions are played; otherwise matches are only looked at.
    plays: bool,
}

impl<G: CatalogGame> Stepper<'_, G> {
    /// Steps all environments, in one block per thread.
    fn run(
        &self,
        environments: &mut [Environment<G>],
        pool: Option<&rayon::ThreadPool>,
        mut buffers: Buffers<'_>,
    ) -> Result<(), BatchError> {
        let n_blocks = pool.map_or(1, rayon::ThreadPool::current_num_threads);
        let per_block = environments.len().div_ceil(n_blocks);
        let mut blocks = Vec::new();
        for block in environments.chunks_mut(per_block) {
            let (own, rest) = buffers.split(self.layout, self.rows, block.len());
            buffers = rest;
            blocks.push((block, own));
        }
        for_blocks(pool, blocks, |block, own| self.block(block, own))
    }

    fn block(
        &self,
        environments: &mut [Environment<G>],
        buffers: Buffers<'_>,
    ) -> Result<(), BatchError> {
        let Buffers { observations, masks, rewards, ended, players } = buffers;
        let Layout { n_players, n_actions, .. } = *self.layout;
        let n_observed = self.layout.observation_len();
        let mut actions = Vec::new();
        for (i, environment) in environments.iter_mut().enumerate() {
            let rewards = &mut rewards[i * n_players..][..n_players];
            ended[i] = self.plays && environment.play(self.game, rewards);
            environment.list(self.game, self.layout, self.rows, &mut actions)?;
            let row = i * self.rows;
            let masks = &mut masks[row * n_actions..][..self.rows * n_actions];
            environment.write_masks(self.game, self.rows, n_actions, masks);
            players[i] = environment.choosing.single().map_or(-1, |player| player.0 as i8);
            if !observations.is_empty() {
                let own = &mut observations[row * n_observed..][..self.rows * n_observed];
                for (at, seen) in own.chunks_exact_mut(n_observed).enumerate() {
                    let player = match self.rows {
                        1 => environment.choosing.single().unwrap_or(Player(0)),
                        _ => Player(at as u8),
                    };
                    self.game.observe(&environment.state, player, seen);
                }
            }
        }
        Ok(())
    }
}

impl<G: CatalogGame> Environment<G> {
    /// Starts a match. One that chance ends before anyone chooses is followed by another.
    fn begin(&mut self, game: &G) {
        loop {
            self.state = game.start();
            if self.settle(game).is_none() {
                return;
            }
        }
    }

    /// Lets chance move until someone chooses, or the match is over: then it tells who got what.
    fn settle(&mut self, game: &G) -> Option<Payoffs> {
        loop {
            match game.turn(&self.state) {
                Turn::Over(payoffs) => return Some(payoffs),
                Turn::Choose(who) => {
                    self.choosing = who;
                    return None;
                }
                Turn::Chance => {
                    let outcome = game.sample(&self.state, &mut Vec::new(), &mut self.rng);
                    game.apply(&mut self.state, &[outcome]);
                }
            }
        }
    }

    /// Lists what is legal now.
    fn list(
        &mut self,
        game: &G,
        layout: &Layout,
        rows: usize,
        buffer: &mut Vec<G::Action>,
    ) -> Result<(), BatchError> {
        if rows == 1 && self.choosing.len() > 1 {
            let n = self.choosing.len();
            return Err(BatchError::Simultaneous { environment: self.number, n });
        }
        let Some(lists) = &mut self.lists else { return Ok(()) };
        lists.legal.clear();
        for player in self.choosing {
            let before = lists.legal.len();
            numbered(game, layout, &self.state, player, buffer, &mut lists.legal);
            lists.lengths[player.index()] = (lists.legal.len() - before) as u32;
        }
        Ok(())
    }

    fn write_masks(&self, game: &G, rows: usize, n_actions: usize, masks: &mut [bool]) {
        let Some(lists) = &self.lists else {
            return game.legal_mask(&self.state, self.only(), masks);
        };
        masks.fill(false);
        for player in self.choosing {
            let row = if rows == 1 { 0 } else { player.index() };
            for &(number, _) in lists.of(self.choosing, player) {
                masks[row * n_actions + number as usize] = true;
            }
        }
    }

    /// The player who chooses, where only one does.
    fn only(&self) -> Player {
        self.choosing.single().unwrap_or(Player(0))
    }

    /// Looks up the chosen actions without playing them.
    fn choose(&mut self, game: &G, rows: usize, numbers: &[i64]) -> Result<(), BatchError> {
        let Some(lists) = &mut self.lists else {
            let (player, index) = (self.only(), usize::try_from(numbers[0]).unwrap_or(usize::MAX));
            self.chosen = game.action_at(&self.state, player, index);
            return match self.chosen {
                Some(_) => Ok(()),
                None => Err(self.illegal(player, numbers[0], &self.legal_numbers(game, player))),
            };
        };
        lists.joint.clear();
        for player in self.choosing {
            let number = numbers[if rows == 1 { 0 } else { player.index() }];
            let legal = lists.of(self.choosing, player);
            let found = legal.iter().find(|(own, _)| i64::from(*own) == number);
            let Some(&(_, action)) = found else {
                let legal: Vec<u32> = legal.iter().map(|(own, _)| *own).collect();
                return Err(self.illegal(player, number, &legal));
            };
            lists.joint.push(action);
        }
        Ok(())
    }

    #[cold]
    fn legal_numbers(&self, game: &G, player: Player) -> Vec<u32> {
        let mut mask = vec![false; game.n_action_indices()];
        game.legal_mask(&self.state, player, &mut mask);
        (0..).zip(mask).filter_map(|(number, is_legal)| is_legal.then_some(number)).collect()
    }

    #[cold]
    fn illegal(&self, player: Player, action: i64, legal: &[u32]) -> BatchError {
        let texts: Vec<String> = legal.iter().map(u32::to_string).collect();
        let (environment, legal) = (self.number, texts.join(" "));
        BatchError::Illegal { environment, player: player.0, action, legal }
    }

    /// Plays what was chosen; after the end a new match begins, and the answer is true.
    fn play(&mut self, game: &G, rewards: &mut [f32]) -> bool {
        let joint = match &self.lists {
            Some(lists) => lists.joint.as_slice(),
            None => self.chosen.as_slice(),
        };
        game.apply(&mut self.state, joint);
        let Some(payoffs) = self.settle(game) else { return false };
        write_rewards(&payoffs, rewards);
        self.begin(game);
        true
    }

    /// The number of a legal action of a choosing player, each with the same probability.
    fn draw(&mut self, game: &G, player: Player, buffer: &mut Vec<G::Action>) -> u32 {
        match &self.lists {
            Some(lists) => {
                let legal = lists.of(self.choosing, player);
                let pick = self.rng.below(legal.len().max(1));
                legal.get(pick).map_or(0, |(number, _)| *number)
            }
            None => {
                buffer.clear();
                let action = game.random_action(&self.state, player, buffer, &mut self.rng);
                game.action_index(&self.state, player, action).unwrap_or(0) as u32
            }
        }
    }
}

impl<A> Lists<A> {
    /// The legal actions of a choosing player.
    fn of(&self, choosing: Players, player: Player) -> &[(u32, A)] {
        let mut start = 0;
        for other in choosing {
            let n = self.lengths[other.index()] as usize;
            if other == player {
                return &self.legal[start..start + n];
            }
            start += n;
        }
        &[]
    }
}

impl<A> Default for Lists<A> {
    fn default() -> Lists<A> {
        Lists { legal: Vec::new(), lengths: [0; MAX_PLAYERS], joint: Vec::new() }
    }
}

impl<G: CatalogGame> Batch for BatchOf<G> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn len(&self) -> usize {
        self.environments.len()
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn reset(&mut self, seed: u64, buffers: Buffers<'_>) -> Result<(), BatchError> {
        buffers.check(&self.layout, self.environments.len(), self.rows)?;
        for environment in &mut self.environments {
            environment.rng = Rng::stream(&[seed, environment.number as u64]);
            environment.begin(&self.game);
        }
        self.run(buffers, false)
    }

    fn step(&mut self, actions: &[i64], buffers: Buffers<'_>) -> Result<(), BatchError> {
        buffers.check(&self.layout, self.environments.len(), self.rows)?;
        let rows = self.rows;
        expect("actions", self.environments.len() * rows, actions.len())?;
        for (environment, numbers) in self.environments.iter_mut().zip(actions.chunks_exact(rows)) {
            environment.choose(&self.game, rows, numbers)?;
        }
        self.run(buffers, true)
    }

    fn random_actions(&mut self, out: &mut [i64]) -> Result<(), BatchError> {
        let rows = self.rows;
        expect("actions", self.environments.len() * rows, out.len())?;
        out.fill(0);
        let buffer = &mut Vec::new();
        for (environment, numbers) in self.environments.iter_mut().zip(out.chunks_exact_mut(rows)) {
            for player in environment.choosing {
                let number = environment.draw(&self.game, player, buffer);
                numbers[if rows == 1 { 0 } else { player.index() }] = number.into();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
