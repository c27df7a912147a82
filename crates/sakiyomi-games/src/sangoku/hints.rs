//! What a search may know about a battle: the paper's pruning of moves, and what its authors left for
//! later (pairs, groups, the restriction to a battlefield).

use sakiyomi_core::{
    CellShape, Encode, Hint, HintSet, Hints, Orders, Payoffs, Player, PlayoutOptions, PruneLevel,
    Rng, Scratch,
};

use super::{Ability, Deed, Order, Piece, Position, Sangoku, Scenario, formulas};
use crate::cells::{Cells, bits};
use crate::two_players::{keep_good, opponent, squash};

/// A part of the board to which a game can be restricted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restriction {
    /// The box around all pieces that can strike each other, with a margin of cells.
    Box { margin: u32 },
    /// The cells that the enemies can strike in their next turn.
    Reach,
}

impl<const W: usize, const N: usize> Hints for Sangoku<W, N> {
    fn provides(&self) -> HintSet {
        use Hint::{Cells, Estimate, Groups, Progress, Prune, PrunePairs, Ranks, Rounds, Urgent};
        HintSet::of(&[Prune, PrunePairs, Urgent, Groups, Ranks, Estimate, Progress, Rounds, Cells])
    }

    /// Of the cells that a piece can move to, those next to an enemy stay, and those as far away
    /// as it can move; attacks and skills are not pruned. At the level of pairs, a turn is not
    /// ended while a piece that has moved can strike.
    fn prune(
        &self,
        position: &Position<W, N>,
        player: Player,
        level: PruneLevel,
        actions: &mut Vec<Order>,
    ) {
        match level {
            PruneLevel::Actions => {
                let zone = self.zone(self.enemies(position, player));
                actions.retain(|order| match order.deed {
                    Deed::Move => {
                        zone.has(order.to) || self.ring(position, order.piece).has(order.to)
                    }
                    _ => true,
                });
            }
            PruneLevel::Pairs if self.has_prepared(position, player) => {
                actions.retain(|&order| order != Order::END);
            }
            PruneLevel::Pairs => {}
        }
    }

    fn round(&self, position: &Position<W, N>) -> u32 {
        position.round.into()
    }

    /// The share of the enemy's pieces that each has killed.
    fn progress(&self, position: &Position<W, N>) -> Payoffs {
        let killed = |side: usize| {
            let all = self.rules.sides[side];
            f64::from((all & !position.alive).count_ones()) / f64::from(all.count_ones())
        };
        Payoffs::of([killed(1), killed(0)])
    }

    /// Strikes that kill; else all strikes; else moves from which a piece can attack.
    fn urgent(&self, position: &Position<W, N>, player: Player, actions: &mut Vec<Order>) {
        let zone = self.zone(self.enemies(position, player));
        let kills = |order: &Order| order.is_strike() && self.kills(position, *order);
        if actions.iter().any(kills) {
            actions.retain(kills);
        } else if actions.iter().any(|order| order.is_strike()) {
            actions.retain(|order| order.is_strike());
        } else {
            let acted = position.acted;
            keep_good(actions, |order| {
                order.deed == Deed::Move && zone.has(order.to) && acted >> order.piece & 1 == 0
            });
        }
    }

    /// By piece: each strike; approaching an enemy; coming closer; withdrawing. And the end.
    fn group(&self, position: &Position<W, N>, player: Player, order: Order) -> u32 {
        let (intent, target) = match order.deed {
            Deed::Move => self.intent(position, player, order),
            deed => (8 + deed as u32, u32::from(order.to)),
        };
        intent << 16 | u32::from(order.piece) << 8 | target
    }

    /// Kills before other strikes, these before moves from which to strike, then long moves.
    fn rank(&self, position: &Position<W, N>, player: Player, order: Order) -> f32 {
        match order.deed {
            Deed::End => 0.3,
            Deed::Move => {
                let prospect = self.prospect(position, player, order);
                let is_far = self.ring(position, order.piece).has(order.to);
                if prospect > 0.0 { 1.0 + prospect } else { f32::from(u8::from(is_far)) * 0.5 }
            }
            _ => 2.0 + self.worth(position, order),
        }
    }

    /// The code of a piece is its side and its ability.
    fn cell_shape(&self) -> Option<CellShape> {
        let Scenario { width, height, .. } = self.scenario();
        let n_codes = 1 + 2 * Ability::ALL.len();
        Some(CellShape { rows: *height as usize, columns: *width as usize, n_codes })
    }

    fn cells(&self, position: &Position<W, N>, out: &mut Vec<u8>) {
        let Scenario { width, height, .. } = self.scenario();
        let start = out.len();
        out.resize(start + (width * height) as usize, 0);
        for side in [0, 1] {
            for piece in bits(position.alive & self.rules.sides[side]) {
                let Piece { cell, ability, .. } = position.pieces[piece as usize];
                let (x, y) =
                    (u32::from(cell) % self.rules.stride, u32::from(cell) / self.rules.stride);
                let code = 1 + side * Ability::ALL.len() + ability as usize;
                out[start + (y * width + x) as usize] = code as u8;
            }
        }
    }

    /// Counts what each side's pieces can still do to the other: hit points times the damage that
    /// they deal, as in Lanchester's square law.
    fn estimate(&self, position: &Position<W, N>) -> Option<Payoffs> {
        let [first, second] = [Player(0), Player(1)].map(|side| self.strength(position, side));
        // Both sides may have fallen, which is even.
        Some(squash(first - second, (0.25 * (first + second)).max(f64::MIN_POSITIVE)))
    }

    fn guided_playout(
        &self,
        position: &mut Position<W, N>,
        options: &PlayoutOptions,
        scratch: &mut Scratch<Order>,
        rng: &mut Rng,
    ) -> Payoffs {
        self.play_guided(position, options, scratch, rng)
    }
}

impl<const W: usize, const N: usize> Orders for Sangoku<W, N> {}

impl<const W: usize, const N: usize> Encode for Sangoku<W, N> {
    /// For every piece a move to each cell and a strike of each kind at each piece, then the end.
    fn n_action_indices(&self) -> usize {
        let Scenario { width, height, .. } = self.scenario();
        N * ((width * height) as usize + STRIKES.len() * N) + 1
    }

    fn action_index(&self, _: &Position<W, N>, _: Player, order: Order) -> Option<usize> {
        let Scenario { width, height, .. } = self.scenario();
        let n_cells = (width * height) as usize;
        let of_piece = usize::from(order.piece) * (n_cells + STRIKES.len() * N);
        match order.deed {
            Deed::End => Some(self.n_action_indices() - 1),
            Deed::Move => {
                let (cell, stride) = (u32::from(order.to), self.rules.stride);
                Some(of_piece + (cell / stride * width + cell % stride) as usize)
            }
            deed => {
                let strike = STRIKES.iter().position(|&kind| kind == deed)?;
                Some(of_piece + n_cells + strike * N + usize::from(order.to))
            }
        }
    }
}

const STRIKES: [Deed; 4] = [Deed::Attack, Deed::Fire, Deed::Charge, Deed::Confuse];

impl<const W: usize, const N: usize> Sangoku<W, N> {
    /// The same game with fewer moves, all of them legal here too: pieces that can get into a part of
    /// the board go nowhere else. None, if there is no such part in this position.
    pub fn restrict(
        &self,
        position: &Position<W, N>,
        player: Player,
        by: Restriction,
    ) -> Option<Sangoku<W, N>> {
        let field = match by {
            Restriction::Box { margin } => self.box_around_fight(position, margin as usize)?,
            Restriction::Reach => self.threatened_by(position, opponent(player)),
        };
        Some(Sangoku { rules: self.rules.clone(), field })
    }

    /// The cells at the distance that a piece moves.
    #[inline]
    pub(super) fn ring(&self, position: &Position<W, N>, piece: u8) -> Cells<W> {
        let piece = &position.pieces[piece as usize];
        self.rules.ring[piece.cell as usize][usize::from(piece.ability == Ability::Sprint)]
    }

    /// Whether a piece that has moved can still strike someone.
    #[inline]
    pub(super) fn has_prepared(&self, position: &Position<W, N>, player: Player) -> bool {
        let [_, unacted] = self.ready(position, player);
        let enemies = self.enemies(position, player);
        bits(unacted & position.moved).any(|piece| {
            let (beside, skill) = self.targets(&position.pieces[piece as usize], enemies);
            !beside.is_empty() || skill.is_some_and(|(_, cells)| !cells.is_empty())
        })
    }

    #[inline]
    pub(super) fn kills(&self, position: &Position<W, N>, order: Order) -> bool {
        self.damage(position, order) >= position.pieces[usize::from(order.to)].hit_points
    }

    /// What a strike is worth: the share of a life that it takes, less what it costs; a kill twice.
    fn worth(&self, position: &Position<W, N>, order: Order) -> f32 {
        let own = &position.pieces[order.piece as usize];
        let target = &position.pieces[usize::from(order.to)];
        if order.deed == Deed::Confuse {
            let percent =
                formulas::confuse_percent(own.intellect, target.intellect, target.defence);
            return 0.5 * percent as f32 / 100.0;
        }
        let full = f32::from(self.scenario().hit_points);
        let damage = self.damage(position, order);
        let recoil = self.recoil(order.deed, damage);
        let share = |damage: u16, left: u16| match damage >= left {
            true => 1.0 + f32::from(left) / full,
            false => f32::from(damage) / full,
        };
        share(damage, target.hit_points) - share(recoil, own.hit_points)
    }

    /// The best strike that a piece has from the cell it moves to; 0 if it has none.
    fn prospect(&self, position: &Position<W, N>, player: Player, order: Order) -> f32 {
        if position.acted >> order.piece & 1 == 1 {
            return 0.0;
        }
        let mut there = position.pieces[order.piece as usize];
        there.cell = order.to;
        let (beside, skill) = self.targets(&there, self.enemies(position, player));
        let mut best = 0.0f32;
        for (deed, cells) in [(Deed::Attack, beside)].into_iter().chain(skill) {
            for cell in cells.iter() {
                let to = self.piece_at(position, opponent(player), cell).into();
                best = best.max(self.worth(position, Order { deed, to, ..order }).max(0.01));
            }
        }
        best.min(0.99)
    }

    /// The intent of a move, and the enemy that it approaches: the first of those next to the cell.
    fn intent(&self, position: &Position<W, N>, player: Player, order: Order) -> (u32, u32) {
        const APPROACH: u32 = 0;
        const CLOSER: u32 = 1;
        const WITHDRAW: u32 = 2;
        let enemies = self.enemies(position, player);
        let beside = self.rules.near[order.to as usize][0] & enemies;
        if let Some(cell) = beside.iter().next() {
            return (APPROACH, self.piece_at(position, opponent(player), cell).into());
        }
        let nearest = |from: u16| enemies.iter().map(|cell| self.distance(from, cell)).min();
        let from = position.pieces[order.piece as usize].cell;
        (if nearest(order.to) < nearest(from) { CLOSER } else { WITHDRAW }, 0)
    }

    fn distance(&self, from: u16, to: u16) -> u32 {
        let stride = self.rules.stride as u16;
        u32::from((from % stride).abs_diff(to % stride) + (from / stride).abs_diff(to / stride))
    }

    /// The cells that the pieces of a side can strike in their next turn.
    fn threatened_by(&self, position: &Position<W, N>, side: Player) -> Cells<W> {
        let pieces = bits(position.alive & self.rules.sides[side.index()]);
        pieces.fold(Cells::NONE, |all, piece| all | self.threat(position, side, piece))
    }

    fn threat(&self, position: &Position<W, N>, side: Player, piece: u8) -> Cells<W> {
        let enemies = self.enemies(position, side);
        let here = &position.pieces[piece as usize];
        let reached = self.reach(here, enemies, self.zone(enemies));
        let far = matches!(here.ability, Ability::Fire | Ability::Confuse);
        (0..1 + u32::from(far))
            .fold(reached, |cells, _| cells | (cells.spread(self.rules.stride) & self.rules.board))
    }

    /// The box around all pieces that can strike an enemy in a turn, or be struck by one.
    fn box_around_fight(&self, position: &Position<W, N>, margin: usize) -> Option<Cells<W>> {
        let mut engaged = Cells::NONE;
        for side in [Player(0), Player(1)] {
            let enemies = self.enemies(position, side);
            for piece in bits(position.alive & self.rules.sides[side.index()]) {
                let struck = self.threat(position, side, piece) & enemies;
                if !struck.is_empty() {
                    engaged |= struck | Cells::one(position.pieces[piece as usize].cell);
                }
            }
        }
        let stride = self.rules.stride as usize;
        let columns = || engaged.iter().map(|cell| usize::from(cell) % stride);
        let rows = || engaged.iter().map(|cell| usize::from(cell) / stride);
        let (left, right) = (columns().min()?.saturating_sub(margin), columns().max()? + margin);
        let (bottom, top) = (rows().min()?.saturating_sub(margin), rows().max()? + margin);
        let mut field = Cells::NONE;
        for cell in self.rules.board.iter() {
            let (x, y) = (usize::from(cell) % stride, usize::from(cell) / stride);
            if (left..=right).contains(&x) && (bottom..=top).contains(&y) {
                field.insert(cell);
            }
        }
        Some(field)
    }

    /// The sum over a side's pieces of their hit points times the damage that they deal in the
    /// mean to the enemies that are left, in lives.
    fn strength(&self, position: &Position<W, N>, side: Player) -> f64 {
        let full = f64::from(self.scenario().hit_points);
        let enemies = position.alive & self.rules.sides[opponent(side).index()];
        let n_enemies = f64::from(enemies.count_ones().max(1));
        let each = |piece: u8| {
            let here = &position.pieces[piece as usize];
            let deed = if here.ability == Ability::Fire { Deed::Fire } else { Deed::Attack };
            let dealt: u32 = bits(enemies)
                .map(|target| {
                    let strike =
                        |deed| self.damage(position, Order { deed, piece, to: target.into() });
                    u32::from(strike(Deed::Attack).max(strike(deed)))
                })
                .sum();
            (0.3 + f64::from(here.hit_points) / full) * (0.2 + f64::from(dealt) / full / n_enemies)
        };
        bits(position.alive & self.rules.sides[side.index()]).map(each).sum()
    }
}
