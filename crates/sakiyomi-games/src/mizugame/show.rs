//! What people see: the field with its water, the robots with their tanks, and the scores.

use sakiyomi_core::{
    Board, Cell as CellView, Fact, Game, Gauge, Grid, Phrase, Piece, Player, PlayerView, Score,
    Show, Turn, View, if_legal,
};

use super::cells::{Cell, SIDE};
use super::map::{TEAM_ROBOTS, Terrain};
use super::orders::Orders;
use super::session::Deed;
use super::{Mizugame, Position};

/// A tank is shown as full with this much, or with what the fullest one holds.
const FULL_TANK: u32 = 100;

impl Show for Mizugame {
    /// Three strings of commands, such as `00AA 1AA -`.
    fn action_text(&self, _: &Position, _: Player, orders: Orders) -> String {
        orders.to_string()
    }

    fn view(&self, position: &Position) -> View {
        let (caption, note) = self.caption(position);
        let frames = u32::from(self.settings.session_frames) * u32::from(position.session);
        let seconds = frames / 60;
        let time = format!("{}:{:02}", seconds / 60, seconds % 60);
        View {
            board: Some(self.board(position)),
            players: (0..self.players()).map(|team| self.team(position, team)).collect(),
            facts: vec![Fact { title: Phrase::new("time"), text: time.into() }],
            caption,
            note,
            ..View::default()
        }
    }

    fn player_name(&self, player: Player) -> Phrase {
        Phrase::new("team {0}").with(player.0 + 1)
    }

    fn parse(&self, position: &Position, player: Player, text: &str) -> Option<Orders> {
        if_legal(self, position, player, Orders::parse(text)?)
    }
}

impl Mizugame {
    fn board(&self, position: &Position) -> Board {
        let fullest = self.robots(position).iter().map(|robot| robot.tank).max().unwrap_or(0);
        let mut cells: Vec<CellView> = Vec::with_capacity(SIDE * SIDE);
        for y in 0..SIDE as i32 {
            for x in 0..SIDE as i32 {
                let hole = CellView { is_hole: true, ..CellView::default() };
                cells.push(Cell::at(x, y).map_or(hole, |cell| self.cell(position, cell)));
            }
        }
        for (i, robot) in self.robots(position).iter().enumerate() {
            let team = Player((i / TEAM_ROBOTS) as u8);
            let symbol = char::from(b'a' + (i % TEAM_ROBOTS) as u8).to_string();
            let gauge = Gauge {
                value: robot.tank as i32,
                max: fullest.max(FULL_TANK) as i32,
                unit: "water".to_owned(),
            };
            let facts = if robot.busy > 0 { vec![busy(robot.deed, robot.busy)] } else { vec![] };
            let piece = Piece { gauge: Some(gauge), facts, ..Piece::new(&symbol, team) };
            cells[robot.cell.array_index()].pieces.push(piece);
        }
        let labels = || (0..SIDE).map(|i| i.to_string()).collect();
        Board {
            grid: Grid::Hex,
            column_labels: labels(),
            row_labels: labels(),
            cells,
            marked: Vec::new(),
        }
    }

    fn cell(&self, position: &Position, cell: Cell) -> CellView {
        let ground = match self.map.terrain(cell) {
            Terrain::Outside | Terrain::Plain => None,
            Terrain::Rough => Some("rough"),
            Terrain::Wall => Some("wall"),
            Terrain::Jar => Some("jar"),
        };
        let pool = position.water.at(cell);
        let owners = match pool {
            Some(pool) => vec![pool.team],
            None => (0..self.players())
                .filter(|&team| position.water.is_enclosed(&self.map, cell, team))
                .map(|team| team as u8)
                .collect(),
        };
        CellView {
            ground: ground.map(str::to_owned),
            owners,
            amount: pool.map(|pool| pool.amount.into()),
            ..CellView::default()
        }
    }

    fn team(&self, position: &Position, team: usize) -> PlayerView {
        let water = &position.water;
        let score = water.score(team);
        let text = Phrase::new("{0} cells, {1} water").with(score).with(water.units(team));
        PlayerView {
            name: self.player_name(Player(team as u8)),
            score: Some(Score { value: score.into(), text }),
            hand: None,
        }
    }

    fn caption(&self, position: &Position) -> (Phrase, Option<Phrase>) {
        let sessions = self.settings.sessions;
        if !matches!(self.turn(position), Turn::Over(_)) {
            let note = Phrase::new("session {0} of {1}").with(position.session + 1).with(sessions);
            return (Phrase::new("all teams give orders"), Some(note));
        }
        let teams = || 0..self.players();
        let best = teams().map(|team| self.result(position, team)).max().unwrap_or_default();
        let first = teams().filter(|&team| self.result(position, team) == best);
        let names: Vec<Phrase> =
            first.clone().map(|team| self.player_name(Player(team as u8))).collect();
        let score = first.clone().next().map_or(0, |team| position.water.score(team));
        let pattern = if names.len() == 1 {
            "{0} wins with {1} cells"
        } else {
            "{0} are first with {1} cells"
        };
        (Phrase::new(pattern).with(Phrase::all_of(names)).with(score), None)
    }
}

fn busy(deed: Deed, frames: u16) -> Phrase {
    let pattern = match deed {
        Deed::Idle => "idle",
        Deed::Move(_) => "moves for {0} more frames",
        Deed::Refill => "refills for {0} more frames",
        Deed::Suck => "sucks for {0} more frames",
        Deed::Pour => "pours for {0} more frames",
        Deed::Wait => "waits for {0} more frames",
    };
    Phrase::new(pattern).with(frames)
}
