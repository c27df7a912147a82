//! An exact solver of connect four: null windows over words of bits, with a table of bounds, forced replies and an order
//! by threats (the method that Pascal Pons describes; the board is that of John Tromp's Fhourstones), and what Victor
//! Allis proved about the end: a player who can always answer in the same column knows which cells fall to whom.
//!
//! A score is positive if the player to move wins, and the larger the sooner: the winner's stones that are left when
//! four stand in a row, plus one. It is negative if the player loses, and 0 for a draw.

use sakiyomi_core::{Player, Stop};
use sakiyomi_games::ConnectFour;
use sakiyomi_games::connect_four::Position;

use super::openings::{self, Openings};
use super::table::{Bounds, Table};

/// A position: the stones of the player to move, and those of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stones {
    pub own: u64,
    pub both: u64,
}

impl Stones {
    /// The stones as `player`, who is to move, sees them.
    pub fn of(game: &ConnectFour<u64>, position: &Position<u64>, player: Player) -> Stones {
        let stones = game.stones(position);
        Stones { own: stones[player.index()], both: stones[0] | stones[1] }
    }

    /// As the other player sees them, with this one more.
    fn with(self, stone: u64) -> Stones {
        Stones { own: self.own ^ self.both, both: self.both | stone }
    }
}

/// The solver for one size of board.
#[derive(Debug)]
pub struct Solver {
    width: u32,
    height: u32,
    bottom: u64,
    board: u64,
    /// The cells that the player to move gets in a column with an even number of free cells, if each of that player's
    /// stones there is answered there: every second row, counted from the top.
    fore: u64,
    /// From a cell to the next one of a row and of both diagonals.
    steps: [u32; 3],
    /// Columns from the middle outwards.
    order: Vec<u32>,
    /// From this number of free cells on, a position and its mirror image are one.
    mirrored_from: i32,
    table: Table,
    /// On the usual board: who wins from the first positions.
    openings: Option<&'static Openings>,
    nodes: u64,
    /// The search stops when it has looked at this many positions in all.
    last_node: u64,
}

/// How often a long search looks whether it is to stop.
const NODES_PER_LOOK: u64 = 1 << 14;

/// A stone to be tried, and the free cells that make four for its player then.
#[derive(Clone, Copy, Default)]
struct Move {
    stone: u64,
    threats: u64,
    made: u32,
}

/// The search was asked to stop.
struct Stopped;

impl Solver {
    /// The board has at most 64 bits, with one more row than is played on.
    pub fn new(width: usize, height: usize) -> Solver {
        let mut solver = Solver::with_table(width, height, Table::new(20));
        solver.openings = ((width, height) == (7, 6)).then(|| Openings::get(&solver));
        solver
    }

    /// For the usual board, without what is known of openings, and with 32 bytes times a power of two for its table.
    pub fn of_openings(table_bits: u32) -> Solver {
        Solver::with_table(7, 6, Table::new(table_bits))
    }

    fn with_table(width: usize, height: usize, table: Table) -> Solver {
        let (width, height) = (width as u32, height as u32);
        let stride = height + 1;
        let bottom = (0..width).fold(0, |bottom, x| bottom | 1u64 << (x * stride));
        let board = (0..height).fold(0, |board, y| board | bottom << y);
        let fore = (0..height).rev().skip(1).step_by(2).fold(0, |fore, y| fore | bottom << y);
        let steps = if width < 4 { [1; 3] } else { [stride - 1, stride, stride + 1] };
        let mut order: Vec<u32> = (0..width).collect();
        order.sort_by_key(|&x| (2 * x + 1).abs_diff(width));
        Solver {
            width,
            height,
            bottom,
            board,
            fore,
            steps,
            order,
            // No player can make four across on fewer columns.
            mirrored_from: if width < 4 { i32::MAX } else { (width * height * 2 / 3) as i32 },
            table,
            openings: None,
            nodes: 0,
            last_node: u64::MAX,
        }
    }

    /// Positions that were looked at so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The exact score.
    pub fn score(&mut self, stones: Stones) -> i32 {
        self.search(stones, i32::MIN, i32::MAX, &Stop::new()).unwrap_or(0)
    }

    /// 1 if the player to move wins, 0 for a draw and -1 for a loss, which is found faster than the score.
    pub fn outcome(&mut self, stones: Stones) -> i32 {
        self.search(stones, -1, 1, &Stop::new()).map_or(0, i32::signum)
    }

    /// Whether the score is at least this.
    pub fn reaches(&mut self, stones: Stones, score: i32) -> bool {
        self.search(stones, score - 1, score, &Stop::new()).is_ok_and(|found| found >= score)
    }

    /// The exact score of every column, none where it is full.
    pub fn scores_of_moves(&mut self, stones: Stones) -> Vec<Option<i32>> {
        let width = self.width;
        let score = |x| self.after(stones, x).map(|after| self.score_after(stones, after, x));
        (0..width).map(score).collect()
    }

    /// The outcome after a stone in this column; none if it is full.
    pub fn outcome_of_move(&mut self, stones: Stones, x: u32) -> Option<i32> {
        let after = self.after(stones, x)?;
        Some(if self.wins_with(stones, x) { 1 } else { -self.outcome(after) })
    }

    /// Whether the outcome is at least this after a stone in this column, which is found faster than the outcome.
    pub fn is_kept(&mut self, stones: Stones, x: u32, outcome: i32) -> bool {
        self.after(stones, x).is_some_and(|after| {
            outcome < 0 || self.wins_with(stones, x) || !self.reaches(after, 1 - outcome)
        })
    }

    /// A column with the best score, as near to the middle as possible, and the score; none if it
    /// was stopped, or needs to look at more positions than `max_nodes`.
    pub fn best_move(&mut self, stones: Stones, max_nodes: u64, stop: &Stop) -> Option<(u32, i32)> {
        self.last_node = self.nodes.saturating_add(max_nodes);
        let found = self.solved_move(stones, stop);
        self.last_node = u64::MAX;
        found
    }

    /// A column that keeps the outcome, as near to the middle as possible, and the outcome, which are found faster than
    /// the best column; none if it was stopped, or needs to look at more positions than `max_nodes`.
    pub fn keeping_move(
        &mut self,
        stones: Stones,
        max_nodes: u64,
        stop: &Stop,
    ) -> Option<(u32, i32)> {
        self.last_node = self.nodes.saturating_add(max_nodes);
        let found = self.solved_outcome(stones, stop);
        self.last_node = u64::MAX;
        found
    }

    /// Whether it is known who wins from here, on the usual board after few stones.
    pub fn knows(&self, stones: Stones) -> bool {
        self.known_outcome(stones).is_some()
    }

    /// Whether it knows who wins from the first positions.
    pub fn knows_openings(&self) -> bool {
        self.openings.is_some()
    }

    /// The column nearest to the middle that does not lose at once, if there is one; none on a full board.
    pub fn sensible_move(&self, stones: Stones) -> Option<u32> {
        let replies = self.safe(stones, self.threats(stones));
        let playable = self.playable(stones.both);
        let nearest = |cells| self.order.iter().copied().find(|&x| cells & self.column(x) > 0);
        nearest(replies).or_else(|| nearest(playable))
    }

    fn solved_move(&mut self, stones: Stones, stop: &Stop) -> Option<(u32, i32)> {
        let score = self.search(stones, i32::MIN, i32::MAX, stop).ok()?;
        self.move_worth(stones, score, stop).map(|x| (x, score))
    }

    fn solved_outcome(&mut self, stones: Stones, stop: &Stop) -> Option<(u32, i32)> {
        let outcome = self.search(stones, -1, 1, stop).ok()?.signum();
        self.move_worth(stones, outcome, stop).map(|x| (x, outcome))
    }

    /// A column after which the score is at least this.
    fn move_worth(&mut self, stones: Stones, score: i32, stop: &Stop) -> Option<u32> {
        for x in self.order.clone() {
            let Some(after) = self.after(stones, x) else { continue };
            let is_best = match self.wins_with(stones, x) {
                true => true,
                false => -self.search(after, -score, 1 - score, stop).ok()? >= score,
            };
            if is_best {
                return Some(x);
            }
        }
        None
    }

    /// How many stones are still played in a position of this score if both play as well as possible.
    pub fn moves_left(&self, stones: Stones, score: i32) -> u32 {
        let free = self.free(stones.both);
        match score {
            0 => free as u32,
            // The winner moves last: an odd number of stones for the player to move, an even one for the other.
            _ => {
                let left = free + 2 - 2 * score.abs();
                let wants_odd = score > 0;
                (if (left % 2 == 1) == wants_odd { left } else { left - 1 }) as u32
            }
        }
    }

    /// The position after a stone in a column; none if it is full.
    pub fn after(&self, stones: Stones, x: u32) -> Option<Stones> {
        let stone = self.playable(stones.both) & self.column(x);
        (stone > 0).then_some(stones.with(stone))
    }

    /// Whether a stone in this column makes four in a row.
    pub fn wins_with(&self, stones: Stones, x: u32) -> bool {
        self.playable(stones.both) & self.column(x) & self.completing::<0>(stones.own) > 0
    }

    fn score_after(&mut self, stones: Stones, after: Stones, x: u32) -> i32 {
        match self.wins_with(stones, x) {
            true => (self.free(stones.both) + 1) / 2,
            false => -self.score(after),
        }
    }

    /// The score if it is between the bounds, else a bound of it on the same side. Null windows halve what is open.
    fn search(
        &mut self,
        stones: Stones,
        alpha: i32,
        beta: i32,
        stop: &Stop,
    ) -> Result<i32, Stopped> {
        let free = self.free(stones.both);
        if self.playable(stones.both) & self.completing::<0>(stones.own) > 0 {
            return Ok((free + 1) / 2);
        }
        let threats = self.threats(stones);
        let mut low = (-free / 2).max(alpha);
        let mut high = ((free + 1) / 2).min(beta);
        match self.known_outcome(stones) {
            Some(0) => return Ok(0),
            Some(1) => low = low.max(1),
            Some(_) => high = high.min(-1),
            None => {}
        }
        while low < high {
            let mut middle = low + (high - low) / 2;
            // Wins and losses near the end are refuted faster, so that the halves are taken near 0.
            if middle <= 0 && low / 2 < middle {
                middle = low / 2;
            } else if middle >= 0 && high / 2 > middle {
                middle = high / 2;
            }
            let found = match (self.width, self.height) {
                (7, 6) => self.negamax::<7, 7>(stones, threats, free, middle, stop),
                _ => self.negamax::<0, 32>(stones, threats, free, middle, stop),
            }?;
            if found <= middle {
                high = found;
            } else {
                low = found;
            }
        }
        Ok(low)
    }

    /// Whether the score is above `alpha`, as a bound: from below if it is, from above if it is not. The player to move has
    /// no win at once, and the rival has four in a row with a stone on one of the free cells `threats`. `STRIDE` is from one
    /// column to the next, so that shifts are constants, or 0 if that is not known; there are at most `WIDTH` columns.
    fn negamax<const STRIDE: u32, const WIDTH: usize>(
        &mut self,
        stones: Stones,
        threats: u64,
        free: i32,
        alpha: i32,
        stop: &Stop,
    ) -> Result<i32, Stopped> {
        self.nodes += 1;
        let is_look = self.nodes.is_multiple_of(NODES_PER_LOOK);
        if self.nodes > self.last_node || (is_look && stop.requested()) {
            return Err(Stopped);
        }
        let replies = self.safe(stones, threats);
        if replies == 0 {
            // Also on a full board, where the score is 0.
            return Ok(-free / 2);
        }
        if free <= 2 {
            return Ok(0);
        }
        let mut known = Bounds { low: -(free - 2) / 2, high: (free - 1) / 2 };
        if let Some(bound) = known.beyond(alpha) {
            return Ok(bound);
        }
        let is_forced = replies.is_power_of_two();
        let key = if is_forced { 0 } else { self.key::<STRIDE>(stones, free) };
        if !is_forced && let Some(kept) = self.table.get(key) {
            known = kept;
            if let Some(bound) = known.beyond(alpha) {
                return Ok(bound);
            }
        }
        let mut moves = [Move::default(); WIDTH];
        let Some(n) = self.in_order::<STRIDE>(stones, replies, alpha, &mut moves) else {
            return Ok(i32::from(alpha == 0));
        };
        let (before, mut best) = (self.nodes, i32::MIN);
        for tried in moves[..n].iter().rev() {
            let after = stones.with(tried.stone);
            let found =
                self.negamax::<STRIDE, WIDTH>(after, tried.threats, free - 1, -alpha - 1, stop);
            best = best.max(-found?);
            if best > alpha {
                break;
            }
        }
        if !is_forced {
            self.table.keep(key, known.and(best, alpha), self.nodes - before);
        }
        Ok(best)
    }

    /// The free cells that make four for the rival of the player to move.
    fn threats(&self, Stones { own, both }: Stones) -> u64 {
        self.completing::<0>(own ^ both) & !both
    }

    /// The cells of the columns that do not lose at once.
    fn safe(&self, stones: Stones, threats: u64) -> u64 {
        let mut playable = self.playable(stones.both);
        let forced = playable & threats;
        if forced > 0 {
            if !forced.is_power_of_two() {
                return 0;
            }
            playable = forced;
        }
        // A stone below a threat would let the rival fill it.
        playable & !(threats >> 1)
    }

    /// The replies, the most promising last: by the threats that they make, then by how near to the middle they are. None if
    /// what follows on one of them is known to be worth more than `alpha`.
    fn in_order<const STRIDE: u32>(
        &self,
        stones: Stones,
        replies: u64,
        alpha: i32,
        moves: &mut [Move],
    ) -> Option<usize> {
        let mut n = 0;
        for &x in self.order.iter().rev() {
            let stone = replies & self.column(x);
            if stone == 0 {
                continue;
            }
            let after = stones.with(stone);
            let own = stones.own | stone;
            let threats = self.completing::<STRIDE>(own) & !after.both;
            // Where all that matters is which player wins, the rest of the match is often known from here on.
            if alpha <= 0 && self.is_claimed::<STRIDE>(after, threats, alpha == 0) {
                return None;
            }
            let made = threats.count_ones();
            let mut at = n;
            while at > 0 && moves[at - 1].made > made {
                moves[at] = moves[at - 1];
                at -= 1;
            }
            moves[at] = Move { stone, threats, made };
            n += 1;
        }
        Some(n)
    }

    /// Whether the rival of the player to move does not lose, or wins if that is asked, by an answer to every stone in the
    /// same column. `threats` are free cells that make four for the rival.
    ///
    /// A column with an even number of free cells falls to both in turns. Where the number is odd, the player to move may
    /// get each cell, and fills the column; then the rival begins another one of these. If there is none, the player to
    /// move answered, so the rival needs one that has to be kept: with a threat in it above a cell that falls to the
    /// player to move, who has to fill that in the end.
    fn is_claimed<const STRIDE: u32>(&self, stones: Stones, threats: u64, to_win: bool) -> bool {
        let free = self.board & !stones.both;
        let odd = self.playable(stones.both) & !self.fore;
        // From the lowest free cell of those columns to the highest.
        let in_odd = (self.bottom << self.height).wrapping_sub(odd) & self.board;
        let most = stones.own | in_odd | free & self.fore;
        if odd.count_ones().is_multiple_of(2) {
            let least = stones.own ^ stones.both | free & !self.fore & !in_odd;
            return !self.has_four::<STRIDE>(most) && (!to_win || self.has_four::<STRIDE>(least));
        }
        let mut kept = threats & in_odd & self.fore;
        while kept > 0 {
            let threat = kept & kept.wrapping_neg();
            let column = self.column(threat.trailing_zeros() / (self.height + 1));
            let below = in_odd & column & !self.fore & (threat - 1);
            if !self.has_four::<STRIDE>(most & !(in_odd & column) | below) {
                return true;
            }
            kept ^= threat;
        }
        false
    }

    /// A number for the position, the same for its mirror image in the first third of a match. Later there are hardly any
    /// of both.
    fn key<const STRIDE: u32>(&self, Stones { own, both }: Stones, free: i32) -> u64 {
        let key = own.wrapping_add(both);
        if free < self.mirrored_from {
            return key;
        }
        let stride = if STRIDE > 0 { STRIDE } else { self.height + 1 };
        let (mut mirrored, mut rest) = (0, key);
        for _ in 0..self.width {
            mirrored = mirrored << stride | rest & ((1 << stride) - 1);
            rest >>= stride;
        }
        key.min(mirrored)
    }

    /// A number for an opening, the same for its mirror image.
    pub(super) fn opening_key(&self, stones: Stones) -> u64 {
        self.key::<7>(stones, self.mirrored_from)
    }

    fn known_outcome(&self, stones: Stones) -> Option<i32> {
        let openings = self.openings?;
        let is_opening = stones.both.count_ones() <= openings::STONES;
        is_opening.then(|| openings.outcome(self.opening_key(stones)))?
    }

    fn free(&self, both: u64) -> i32 {
        (self.board ^ both).count_ones() as i32
    }

    fn playable(&self, both: u64) -> u64 {
        both.wrapping_add(self.bottom) & self.board
    }

    fn column(&self, x: u32) -> u64 {
        ((1 << self.height) - 1) << (x * (self.height + 1))
    }

    /// The cells on which one more stone would make four in a row, whether playable or not.
    #[inline(always)]
    fn completing<const STRIDE: u32>(&self, own: u64) -> u64 {
        let mut cells = own << 1 & own << 2 & own << 3;
        for step in self.steps::<STRIDE>() {
            let two_before = own << step & own << (2 * step);
            let two_after = own >> step & own >> (2 * step);
            cells |= two_before & (own << (3 * step) | own >> step);
            cells |= two_after & (own << step | own >> (3 * step));
        }
        cells & self.board
    }

    /// Whether there are four in a row or a diagonal.
    #[inline(always)]
    fn has_four<const STRIDE: u32>(&self, own: u64) -> bool {
        let four = |step: u32| {
            let two = own & own >> step;
            two & two >> (2 * step)
        };
        self.steps::<STRIDE>().into_iter().fold(0, |found, step| found | four(step)) > 0
    }

    #[inline(always)]
    fn steps<const STRIDE: u32>(&self) -> [u32; 3] {
        if STRIDE > 0 { [STRIDE - 1, STRIDE, STRIDE + 1] } else { self.steps }
    }
}
