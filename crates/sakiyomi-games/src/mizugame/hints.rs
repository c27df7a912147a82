//! What a search may know about a match: how it stands, and robots as agents with candidate plans.

use sakiyomi_core::{
    CellShape, Encode, Game, Hint, HintSet, Hints, Orders as OrdersOfAgents, Payoffs, Player,
};

use super::cells::{Cell, SIDE};
use super::map::{MAX_TEAMS, TEAM_ROBOTS};
use super::orders::Orders;
use super::{Mizugame, Position};

/// By how many cells teams differ typically: a lead as large as this at the end of a match that is
/// half over is held with a probability of 73 %.
const TYPICAL_LEAD: f64 = 20.0;

impl Hints for Mizugame {
    fn provides(&self) -> HintSet {
        use Hint::{Cells, Estimate, Progress, Rounds, TurnsLeft};
        HintSet::of(&[Estimate, Progress, Rounds, TurnsLeft, Cells])
    }

    /// The chances against each of the others, by the difference of scores and the time left.
    fn estimate(&self, position: &Position) -> Option<Payoffs> {
        let n = self.players();
        let left =
            1.0 - f64::from(position.session) / f64::from(self.field(position).settings.sessions);
        let scale = TYPICAL_LEAD * (2.0 * left).max(0.05);
        let score = |team: usize| f64::from(position.water.score(team));
        let mut payoffs = Payoffs::default();
        for own in 0..n {
            let others = (0..n).filter(|&other| other != own);
            let chances =
                others.map(|other| 1.0 / (1.0 + ((score(other) - score(own)) / scale).exp()));
            payoffs[Player(own as u8)] = chances.sum::<f64>() / (n as f64 - 1.0);
        }
        Some(payoffs)
    }

    /// The share of the ground that scores for each team.
    fn progress(&self, position: &Position) -> Payoffs {
        let ground = self.field(position).map.ground.iter().count().max(1) as f64;
        let mut payoffs = Payoffs::default();
        for team in 0..self.players() {
            let share = f64::from(position.water.score(team)) / ground;
            payoffs[Player(team as u8)] = share.min(1.0);
        }
        payoffs
    }

    fn round(&self, position: &Position) -> u32 {
        position.session.into()
    }

    fn turns_left(&self, position: &Position) -> Option<u32> {
        let settings = &self.field(position).settings;
        let sessions = settings.sessions.saturating_sub(position.session);
        let is_running = sessions > 0;
        Some(u32::from(sessions) - u32::from(is_running && settings.latency > 0))
    }

    /// The code of a cell is the team whose water it holds, counted from 1.
    fn cell_shape(&self) -> Option<CellShape> {
        Some(CellShape { rows: SIDE, columns: SIDE, n_codes: 1 + MAX_TEAMS })
    }

    fn cells(&self, position: &Position, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + SIDE * SIDE, 0);
        for cell in Cell::all() {
            if let Some(pool) = position.water.at(cell) {
                // Rows are counted from the lowest.
                let row = SIDE - 1 - cell.y() as usize;
                out[start + row * SIDE + cell.x() as usize] = pool.team + 1;
            }
        }
    }
}

impl OrdersOfAgents for Mizugame {
    fn agents(&self, _: &Position, _: Player) -> usize {
        TEAM_ROBOTS
    }

    fn orders(&self, position: &Position, player: Player, agent: usize, out: &mut Vec<Orders>) {
        let field = self.field(position);
        let seen = field.foreseen_by(position, player);
        let plans = field.candidate_plans(&seen, player, agent);
        out.extend(plans.into_iter().map(|plan| Orders::of_robot(agent, plan)));
    }

    fn combine(&self, _: &Position, _: Player, orders: &[Orders]) -> Orders {
        let plan = |robot: usize| orders.get(robot).map_or_else(Default::default, |o| o.0[robot]);
        Orders(std::array::from_fn(plan))
    }
}

impl Encode for Mizugame {}
