//! Environments of a game that plays many matches on together. What is seen and done is the same as
//! with one match after the other.

use sakiyomi_catalog::CatalogGame;
use sakiyomi_core::{MatchBatch, Player, Rng};

use super::{Batch, BatchError, BatchSettings, Buffers, expect, for_blocks, pool, write_rewards};
use crate::numbers::Layout;

pub(super) struct Together {
    layout: Layout,
    rows: usize,
    per_block: usize,
    blocks: Vec<Box<dyn MatchBatch>>,
    /// One for every environment.
    rngs: Vec<Rng>,
    pool: Option<rayon::ThreadPool>,
}

impl Together {
    /// None if the game does not play this many matches on together.
    pub(super) fn new<G: CatalogGame>(
        game: &G,
        settings: &BatchSettings,
    ) -> Result<Option<Together>, BatchError> {
        let BatchSettings { n_environments, per_player, threads, seed } = *settings;
        let per_block = n_environments.div_ceil(threads.max(1));
        let mut blocks = Vec::new();
        for first in (0..n_environments).step_by(per_block) {
            match game.match_batch(per_block.min(n_environments - first)) {
                Some(block) => blocks.push(block),
                None => return Ok(None),
            }
        }
        let together = Together {
            layout: Layout::of(game),
            rows: if per_player { game.players() } else { 1 },
            per_block,
            blocks,
            rngs: (0..n_environments as u64).map(|number| Rng::stream(&[seed, number])).collect(),
            pool: pool(threads)?,
        };
        together.check_choosing(0)?;
        Ok(Some(together))
    }

    /// The matches of an environment, and its number among them.
    fn find(&self, number: usize) -> (&dyn MatchBatch, usize) {
        (&*self.blocks[number / self.per_block], number % self.per_block)
    }

    fn check_choosing(&self, number: usize) -> Result<(), BatchError> {
        let (block, own) = self.find(number);
        let n = block.choosing(own).len();
        if self.rows > 1 || n <= 1 {
            return Ok(());
        }
        Err(BatchError::Simultaneous { environment: number, n })
    }

    /// Where a player's action stands among those of an environment.
    fn row_of(&self, player: Player) -> usize {
        if self.rows == 1 { 0 } else { player.index() }
    }

    /// Refuses an action that is not legal.
    fn check_actions(&self, actions: &[i64]) -> Result<(), BatchError> {
        for (number, actions) in actions.chunks_exact(self.rows).enumerate() {
            let (block, own) = self.find(number);
            for player in block.choosing(own) {
                let action = actions[self.row_of(player)];
                let index = usize::try_from(action).unwrap_or(usize::MAX);
                if !block.is_legal(own, player, index) {
                    let place = |place| block.legal_index(own, player, place).to_string();
                    let legal: Vec<String> = (0..block.n_legal(own, player)).map(place).collect();
                    return Err(BatchError::Illegal {
                        environment: number,
                        player: player.0,
                        action,
                        legal: legal.join(" "),
                    });
                }
            }
        }
        Ok(())
    }

    /// Plays the actions, if there are some, and shows all environments.
    fn run(&mut self, actions: Option<&[i64]>, buffers: Buffers<'_>) -> Result<(), BatchError> {
        let Together { layout, rows, per_block, blocks, pool, .. } = self;
        let (rows, mut rest) = (*rows, buffers);
        rest.rewards.fill(0.0);
        rest.ended.fill(false);
        let mut jobs = Vec::new();
        for (block, first) in blocks.iter_mut().zip((0..).step_by(*per_block)) {
            let n = (*per_block).min(self.rngs.len() - first);
            let (own, others) = rest.split(layout, rows, n);
            rest = others;
            jobs.push(((block, actions.map(|actions| &actions[first * rows..][..n * rows])), own));
        }
        for_blocks(pool.as_ref(), jobs, |(block, actions), own| {
            if let Some(actions) = actions {
                let row = |player: Player| if rows == 1 { 0 } else { player.index() };
                let chosen = |i: usize, player| actions[i * rows + row(player)] as usize;
                block.step(&chosen, &mut |i, payoffs| {
                    own.ended[i] = true;
                    let rewards = &mut own.rewards[i * layout.n_players..][..layout.n_players];
                    write_rewards(&payoffs, rewards);
                });
            }
            show(&**block, layout, rows, own);
            Ok(())
        })?;
        (0..self.rngs.len()).try_for_each(|number| self.check_choosing(number))
    }
}

/// Writes what is seen of matches.
fn show(block: &dyn MatchBatch, layout: &Layout, rows: usize, buffers: Buffers<'_>) {
    let Buffers { observations, masks, players, .. } = buffers;
    let n_observed = layout.observation_len();
    let row = |own: usize, at: usize| match rows {
        1 => block.choosing(own).single().unwrap_or(Player(0)),
        _ => Player(at as u8),
    };
    for (i, mask) in masks.chunks_exact_mut(layout.n_actions).enumerate() {
        let own = i / rows;
        block.legal_mask(own, row(own, i % rows), mask);
    }
    if !observations.is_empty() {
        for (i, seen) in observations.chunks_exact_mut(n_observed).enumerate() {
            let own = i / rows;
            block.observe(own, row(own, i % rows), seen);
        }
    }
    for (own, player) in players.iter_mut().enumerate() {
        *player = block.choosing(own).single().map_or(-1, |player| player.0 as i8);
    }
}

impl Batch for Together {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn len(&self) -> usize {
        self.rngs.len()
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn reset(&mut self, seed: u64, buffers: Buffers<'_>) -> Result<(), BatchError> {
        buffers.check(&self.layout, self.len(), self.rows)?;
        for (rng, number) in self.rngs.iter_mut().zip(0..) {
            *rng = Rng::stream(&[seed, number]);
        }
        self.blocks.iter_mut().for_each(|block| block.restart());
        self.run(None, buffers)
    }

    fn step(&mut self, actions: &[i64], buffers: Buffers<'_>) -> Result<(), BatchError> {
        buffers.check(&self.layout, self.len(), self.rows)?;
        expect("actions", self.len() * self.rows, actions.len())?;
        self.check_actions(actions)?;
        self.run(Some(actions), buffers)
    }

    fn random_actions(&mut self, out: &mut [i64]) -> Result<(), BatchError> {
        expect("actions", self.len() * self.rows, out.len())?;
        out.fill(0);
        for (number, numbers) in out.chunks_exact_mut(self.rows).enumerate() {
            let block = &self.blocks[number / self.per_block];
            let own = number % self.per_block;
            for player in block.choosing(own) {
                let pick = self.rngs[number].below(block.n_legal(own, player).max(1));
                let row = if self.rows == 1 { 0 } else { player.index() };
                numbers[row] = block.legal_index(own, player, pick) as i64;
            }
        }
        Ok(())
    }
}
