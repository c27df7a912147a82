//! What people see: the field with its water, the robots with their tanks, and the scores.

use sakiyomi_core::{
    Board, Cell as CellView, Fact, Gauge, Grid, LegendEntry, OrderCommand, OrderForm, OrderedPiece,
    Phrase, Piece, Player, PlayerView, Score, Show, View, Way, WayPoint, if_legal,
};

use super::cells::{Cell, DIRECTIONS, SIDE};
use super::map::{TEAM_ROBOTS, Terrain};
use super::orders::{Command, Orders, Plan};
use super::session::Deed;
use super::{Field, Mizugame, Position};

/// A tank is shown as full with this much, or with what the fullest one holds.
const FULL_TANK: u32 = 100;

impl Show for Mizugame {
    /// Three strings of commands, such as `00AA 1AA -`.
    fn action_text(&self, _: &Position, _: Player, orders: Orders) -> String {
        orders.to_string()
    }

    fn view(&self, position: &Position) -> View {
        match position.field {
            Some(_) => self.field(position).view(position),
            None => View { caption: Phrase::new("the map is drawn"), ..View::default() },
        }
    }

    /// The kinds of ground.
    fn legend(&self) -> Vec<LegendEntry> {
        let entry = |(ground, meaning): (&str, &str)| LegendEntry {
            ground: Some(ground.to_owned()),
            picture: None,
            name: Phrase::new(ground),
            facts: vec![Phrase::new(meaning)],
        };
        let grounds = [
            ("rough", "everything takes longer here"),
            ("wall", "cannot be entered"),
            ("jar", "robots refill here"),
        ];
        grounds.map(entry).into()
    }

    fn outcome_text(&self, _: &Position, outcome: Orders) -> String {
        format!("map {}", outcome.number())
    }

    fn order_form(&self, position: &Position, player: Player) -> Option<OrderForm> {
        let field = self.field(position);
        let seen = field.foreseen_by(position, player);
        let piece = |robot: usize| {
            let mut plans = field.candidate_plans(&seen, player, robot);
            plans.retain(|plan| !plan.is_empty());
            plans.sort_by_key(|plan| std::cmp::Reverse(plan.len()));
            let own = &field.robots(position)[player.index() * TEAM_ROBOTS + robot];
            OrderedPiece {
                symbol: symbol(robot),
                cell: own.cell.array_index() as u16,
                suggested: plans.iter().map(Plan::to_string).collect(),
            }
        };
        Some(OrderForm {
            pieces: (0..TEAM_ROBOTS).map(piece).collect(),
            commands: COMMANDS.into_iter().map(command).collect(),
            max_commands: field.settings.max_commands.into(),
            separator: " ".to_owned(),
            no_commands: Plan::EMPTY.to_string(),
        })
    }

    fn ways(&self, position: &Position, actions: &[Orders]) -> Vec<Way> {
        let (field, mut after) = (self.field(position), position.clone());
        let mut seen: Vec<Vec<(u32, Cell)>> =
            field.robots(position).iter().map(|robot| vec![(0, robot.cell)]).collect();
        let length = u32::from(field.settings.session_frames);
        field.apply_watched(&mut after, actions, |robot, session, frame, cell| {
            seen[robot].push((u32::from(session) * length + u32::from(frame), cell));
        });
        let end = length * u32::from(after.session - position.session);
        let way = |(robot, seen): (usize, Vec<(u32, Cell)>)| {
            let last = (end, after.robots[robot].cell);
            let points = seen.iter().chain([&last]).map(|&(frame, cell)| WayPoint {
                at: f64::from(frame) / f64::from(end),
                cell: cell.array_index() as u16,
            });
            let (symbol, owner) = (symbol(robot % TEAM_ROBOTS), (robot / TEAM_ROBOTS) as u8);
            let is_moved = seen.iter().any(|place| place.1 != seen[0].1);
            is_moved.then(|| Way { symbol, owner, points: points.collect() })
        };
        seen.into_iter().enumerate().filter_map(way).collect()
    }

    fn player_name(&self, player: Player) -> Phrase {
        team_name(player)
    }

    fn parse(&self, position: &Position, player: Player, text: &str) -> Option<Orders> {
        if_legal(self, position, player, Orders::parse(text)?)
    }
}

fn team_name(team: Player) -> Phrase {
    Phrase::new("team {0}").with(team.0 + 1)
}

impl Field {
    fn view(&self, position: &Position) -> View {
        let (caption, note) = self.caption(position);
        let frames = u32::from(self.settings.session_frames) * u32::from(position.session);
        let seconds = frames / 60;
        let time = format!("{}:{:02}", seconds / 60, seconds % 60);
        View {
            board: Some(self.board(position)),
            players: (0..self.n_teams()).map(|team| self.team(position, team)).collect(),
            facts: vec![Fact { title: Phrase::new("time"), text: time.into() }],
            caption,
            note,
            ..View::default()
        }
    }

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
            let symbol = symbol(i % TEAM_ROBOTS);
            let gauge = Gauge {
                value: robot.tank as i32,
                max: fullest.max(FULL_TANK) as i32,
                unit: "water".to_owned(),
            };
            let facts = if robot.busy > 0 { vec![busy(robot.deed, robot.busy)] } else { vec![] };
            let piece = Piece {
                picture: Some("robot".to_owned()),
                gauge: Some(gauge),
                facts,
                ..Piece::new(&symbol, team)
            };
            cells[robot.cell.array_index()].pieces.push(piece);
        }
        let labels = || (0..SIDE).map(|i| i.to_string()).collect();
        Board {
            grid: Grid::Hex,
            column_labels: labels(),
            row_labels: labels(),
            cells,
            marked: Vec::new(),
            edges: [None; 4],
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
            None => (0..self.n_teams())
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
            name: team_name(Player(team as u8)),
            score: Some(Score { value: score.into(), text }),
            hand: None,
        }
    }

    fn caption(&self, position: &Position) -> (Phrase, Option<Phrase>) {
        let sessions = self.settings.sessions;
        if position.session < sessions {
            let note = Phrase::new("session {0} of {1}").with(position.session + 1).with(sessions);
            return (Phrase::new("all teams give orders"), Some(note));
        }
        let teams = || 0..self.n_teams();
        let best = teams().map(|team| self.result(position, team)).max().unwrap_or_default();
        let first = teams().filter(|&team| self.result(position, team) == best);
        let names: Vec<Phrase> = first.clone().map(|team| team_name(Player(team as u8))).collect();
        let score = first.clone().next().map_or(0, |team| position.water.score(team));
        let pattern = if names.len() == 1 {
            "{0} wins with {1} cells"
        } else {
            "{0} are first with {1} cells"
        };
        (Phrase::new(pattern).with(Phrase::all_of(names)).with(score), None)
    }
}

/// What a robot of a team is called.
fn symbol(robot: usize) -> String {
    char::from(b'a' + robot as u8).to_string()
}

/// Moves as they stand around a cell, row by row, then the others.
const COMMANDS: [Command; 8] = [
    Command::Move(4),
    Command::Move(5),
    Command::Move(3),
    Command::Move(0),
    Command::Move(2),
    Command::Move(1),
    Command::Act,
    Command::Wait,
];
const ARROWS: [&str; 6] = ["→", "↘", "↙", "←", "↖", "↗"];

fn command(command: Command) -> OrderCommand {
    let letter = command.letter().to_string();
    let (sign, name) = match command {
        Command::Move(direction) => {
            let arrow = ARROWS[usize::from(direction)];
            (arrow.to_owned(), Phrase::new("move {0}").with(arrow))
        }
        Command::Act => (letter.clone(), Phrase::new("pour, suck or refill")),
        Command::Wait => ("·".to_owned(), Phrase::new("wait")),
    };
    let step = match command {
        Command::Move(direction) => {
            let (dx, dy) = DIRECTIONS[usize::from(direction)];
            Some([dx as i8, dy as i8])
        }
        _ => None,
    };
    OrderCommand { letter, sign, name, step }
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
