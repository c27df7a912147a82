//! What our player takes scores to be worth: a team's own cells, those of rivals by what they mean for
//! the place, those of teams that have taken own cells, and how long a cell is likely to last.

use sakiyomi_games::mizugame::{AREA, Cell, Field, MAX_TEAMS, Position, TEAM_ROBOTS, Water};

use super::best::BestSettings;

/// What scores are worth to the team, in own cells.
pub(super) struct Worth {
    /// By team: what one of its cells is worth.
    each: [f64; MAX_TEAMS],
    /// A second unit on an own cell.
    pub(super) deep: f64,
    n_teams: usize,
    /// By cell: what part of its worth is expected to last.
    pub(super) safety: Box<[f64; AREA]>,
}

impl Worth {
    /// Rivals count by how near they are to the top: an equal part at first, and in the end the more the
    /// closer they are to the place that is at stake.
    pub(super) fn new(
        game: &Field,
        position: &Position,
        team: usize,
        settings: &BestSettings,
        losses: &[f64; MAX_TEAMS],
    ) -> Worth {
        let n_teams = game.n_teams();
        let passed = f64::from(position.session) / f64::from(game.settings().sessions);
        let own = f64::from(position.water.score(team));
        // A difference of cells that can still be made good.
        let reach = 10.0 + 60.0 * (1.0 - passed);
        let mut each = [0.0; MAX_TEAMS];
        let mut sum = 0.0;
        for (other, weight) in each[..n_teams].iter_mut().enumerate().filter(|(i, _)| *i != team) {
            let lead = (f64::from(position.water.score(other)) - own) / reach;
            *weight = (passed * lead.clamp(-3.0, 1.5)).exp();
            sum += *weight;
        }
        each.iter_mut().for_each(|weight| *weight *= -settings.rivalry / f64::max(sum, 1e-9));
        // A few losses say nothing yet.
        let all_losses = 5.0 + losses.iter().sum::<f64>();
        for (worth, losses) in each[..n_teams].iter_mut().zip(losses) {
            *worth -= settings.grudge * losses / all_losses;
        }
        each[team] = 1.0;
        let lasts = ((1.0 - passed) * settings.fade).min(1.0);
        Worth {
            each,
            deep: settings.deep_cell * lasts,
            n_teams,
            safety: safety(game, position, team, settings.threat),
        }
    }

    pub(super) fn of(&self, water: &Water) -> f64 {
        (0..self.n_teams).map(|team| self.each[team] * f64::from(water.score(team))).sum()
    }
}

/// By cell: what part of its worth lasts, with the robots of others around it, any of which can take it.
fn safety(game: &Field, position: &Position, team: usize, weight: f64) -> Box<[f64; AREA]> {
    const REACH: u32 = 6;
    let mut safety = Box::new([1.0; AREA]);
    let robots = game.robots(position).iter().enumerate();
    let others: Vec<Cell> =
        robots.filter(|(i, _)| i / TEAM_ROBOTS != team).map(|(_, robot)| robot.cell).collect();
    for cell in Cell::all() {
        let near = others.iter().map(|other| REACH.saturating_sub(other.distance(cell)));
        let threat = f64::from(near.sum::<u32>()) / f64::from(REACH);
        safety[cell.index()] = 1.0 / (1.0 + weight * threat);
    }
    safety
}
