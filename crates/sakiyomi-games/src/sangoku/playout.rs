//! Playouts without lists: what a side can do is drawn from sets of cells. Where the pieces of a
//! side can get to changes within a turn only when an enemy falls or is pushed, so it is kept.

use sakiyomi_core::{Game, Payoffs, Player, PlayoutOptions, Rng, Scratch};

use super::{Deed, NO_ATTEMPT, Order, Position, Sangoku};
use crate::cells::{Cells, bits};
use crate::two_players::{Status, opponent};

/// Where the pieces of the side to move can get to, as far as it was asked for.
#[derive(Debug)]
pub(super) struct Reach<const W: usize, const N: usize> {
    turn: (u16, Player),
    enemies: Cells<W>,
    /// The cells next to an enemy.
    zone: Cells<W>,
    /// The pieces whose reach is known, a bit each.
    known: u64,
    cells: [Cells<W>; N],
    /// The part of a reach where a piece may end its move, and how many cells that is.
    landing: [Cells<W>; N],
    n_moves: [u16; N],
    n_strikes: [u16; N],
}

impl<const W: usize, const N: usize> Reach<W, N> {
    pub(super) fn new() -> Reach<W, N> {
        Reach {
            turn: (u16::MAX, Player(0)),
            enemies: Cells::NONE,
            zone: Cells::NONE,
            known: 0,
            cells: [Cells::NONE; N],
            landing: [Cells::NONE; N],
            n_moves: [0; N],
            n_strikes: [0; N],
        }
    }

    /// Forgets what is no longer true in this position.
    #[inline]
    pub(super) fn refresh(
        &mut self,
        game: &Sangoku<W, N>,
        position: &Position<W, N>,
        player: Player,
    ) {
        let enemies = game.enemies(position, player);
        if self.turn != (position.round, player) || self.enemies != enemies {
            self.turn = (position.round, player);
            self.enemies = enemies;
            self.zone = game.zone(enemies);
            self.known = 0;
        }
    }

    /// The cells that a piece that has not moved can get to or pass.
    #[inline]
    fn of(&mut self, game: &Sangoku<W, N>, position: &Position<W, N>, piece: u8) -> Cells<W> {
        let i = piece as usize;
        if self.known >> piece & 1 == 0 {
            self.cells[i] = game.reach(&position.pieces[i], self.enemies, self.zone);
            self.known |= 1 << piece;
        }
        self.cells[i]
    }

    /// The move with number `n` of those that were counted for some pieces, or what is left of the
    /// number after all of them.
    #[inline]
    fn nth_move(&self, pieces: u64, mut n: u32) -> Result<Order, u32> {
        for piece in bits(pieces) {
            let n_moves = u32::from(self.n_moves[piece as usize]);
            if n < n_moves {
                let to = self.landing[piece as usize].nth(n);
                return Ok(Order { deed: Deed::Move, piece, to });
            }
            n -= n_moves;
        }
        Err(n)
    }
}

impl<const W: usize, const N: usize> Sangoku<W, N> {
    /// Plays uniformly at random to the end.
    pub(super) fn play_uniformly(
        &self,
        position: &mut Position<W, N>,
        scratch: &mut Scratch<Order>,
        rng: &mut Rng,
    ) -> Payoffs {
        let rounds = self.rules.scenario.rounds;
        let mut reach = Reach::new();
        loop {
            let order = match position.status {
                Status::ToMove(_) if self.is_chance(position) => {
                    self.draw_chance(position, scratch, rng)
                }
                Status::ToMove(player) => {
                    reach.refresh(self, position, player);
                    self.draw(position, player, &mut reach, &PlayoutOptions::default(), rng)
                }
                over => return self.payoffs(over),
            };
            self.carry_out(position, order, rounds);
        }
    }

    /// Plays out as the options say. A limit takes the place of the match's own.
    pub(super) fn play_guided(
        &self,
        position: &mut Position<W, N>,
        options: &PlayoutOptions,
        scratch: &mut Scratch<Order>,
        rng: &mut Rng,
    ) -> Payoffs {
        let last = options.last_round(position.round.into());
        let rounds =
            if options.round_limit.is_some() { u16::MAX } else { self.rules.scenario.rounds };
        let mut reach = Reach::new();
        loop {
            let order = match position.status {
                Status::ToMove(_) if u32::from(position.round) >= last => {
                    return options.cut_payoffs(self, position);
                }
                Status::ToMove(_) if self.is_chance(position) => {
                    self.draw_chance(position, scratch, rng)
                }
                Status::ToMove(player) => {
                    reach.refresh(self, position, player);
                    let probability = options.urgent_probability;
                    let is_urgent = probability > 0.0 && rng.unit() < probability;
                    let urgent = is_urgent.then(|| {
                        self.draw_urgent(position, player, &mut reach, &mut scratch.actions, rng)
                    });
                    urgent
                        .flatten()
                        .unwrap_or_else(|| self.draw(position, player, &mut reach, options, rng))
                }
                over => return self.payoffs(over),
            };
            self.carry_out(position, order, rounds);
        }
    }

    #[inline]
    fn is_chance(&self, position: &Position<W, N>) -> bool {
        position.attempt != NO_ATTEMPT || usize::from(position.dealt) < self.rules.deals.len()
    }

    /// What chance decides, without a list in the case that comes up in every battle.
    fn draw_chance(
        &self,
        position: &Position<W, N>,
        scratch: &mut Scratch<Order>,
        rng: &mut Rng,
    ) -> Order {
        if position.attempt == NO_ATTEMPT {
            return self.sample(position, &mut scratch.outcomes, rng);
        }
        let works = (rng.below(100) as u32) < self.confuse_percent(position);
        Order::chance(if works { Deed::Works } else { Deed::Fails })
    }

    /// Draws one of the actions that [`Hints::urgent`](sakiyomi_core::Hints::urgent) keeps, if it
    /// keeps only some.
    fn draw_urgent(
        &self,
        position: &Position<W, N>,
        player: Player,
        reach: &mut Reach<W, N>,
        strikes: &mut Vec<Order>,
        rng: &mut Rng,
    ) -> Option<Order> {
        let [unmoved, unacted] = self.ready(position, player);
        strikes.clear();
        bits(unacted).for_each(|piece| self.strikes_of(position, player, piece, strikes));
        let kills = |order: &&Order| self.kills(position, **order);
        let n_kills = strikes.iter().filter(kills).count();
        if n_kills > 0 {
            return strikes.iter().filter(kills).nth(rng.below(n_kills)).copied();
        }
        if !strikes.is_empty() {
            return Some(strikes[rng.below(strikes.len())]);
        }
        let mut total = 0;
        for piece in bits(unmoved & unacted) {
            let landing = self.landing(position, reach.of(self, position, piece)) & reach.zone;
            reach.landing[piece as usize] = landing;
            reach.n_moves[piece as usize] = landing.count() as u16;
            total += u32::from(reach.n_moves[piece as usize]);
        }
        let n = (total > 0).then(|| rng.below(total as usize) as u32)?;
        reach.nth_move(unmoved & unacted, n).ok()
    }

    /// Draws one of all actions that are not pruned.
    #[inline]
    pub(super) fn draw(
        &self,
        position: &Position<W, N>,
        player: Player,
        reach: &mut Reach<W, N>,
        options: &PlayoutOptions,
        rng: &mut Rng,
    ) -> Order {
        let [unmoved, unacted] = self.ready(position, player);
        let mut total = u32::from(!options.prune_pairs || !self.has_prepared(position, player));
        for piece in bits(unmoved) {
            let mut landing = self.landing(position, reach.of(self, position, piece));
            if options.prune {
                landing = landing & (reach.zone | self.ring(position, piece));
            }
            reach.landing[piece as usize] = landing;
            reach.n_moves[piece as usize] = landing.count() as u16;
            total += u32::from(reach.n_moves[piece as usize]);
        }
        for piece in bits(unacted) {
            let n = self.n_strikes(position, piece, reach.enemies);
            reach.n_strikes[piece as usize] = n as u16;
            total += n;
        }
        let mut n = match reach.nth_move(unmoved, rng.below(total as usize) as u32) {
            Ok(order) => return order,
            Err(rest) => rest,
        };
        for piece in bits(unacted) {
            let n_strikes = u32::from(reach.n_strikes[piece as usize]);
            if n < n_strikes {
                return self.nth_strike(position, player, piece, reach.enemies, n);
            }
            n -= n_strikes;
        }
        Order::END
    }

    #[inline]
    fn n_strikes(&self, position: &Position<W, N>, piece: u8, enemies: Cells<W>) -> u32 {
        let (beside, skill) = self.targets(&position.pieces[piece as usize], enemies);
        beside.count() + skill.map_or(0, |(_, cells)| cells.count())
    }

    fn nth_strike(
        &self,
        position: &Position<W, N>,
        player: Player,
        piece: u8,
        enemies: Cells<W>,
        n: u32,
    ) -> Order {
        let (beside, skill) = self.targets(&position.pieces[piece as usize], enemies);
        let (deed, cell) = match (n.checked_sub(beside.count()), skill) {
            (Some(rest), Some((deed, cells))) => (deed, cells.nth(rest)),
            _ => (Deed::Attack, beside.nth(n)),
        };
        Order { deed, piece, to: self.piece_at(position, opponent(player), cell).into() }
    }
}
