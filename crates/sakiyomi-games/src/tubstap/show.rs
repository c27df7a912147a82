//! What people see: terrain, and units as a letter with hit points, capital for RED and small for BLUE.
//! Cells are named by column letter and row number from the top, so that a1 is (1, 1) in map files.

use sakiyomi_core::{Board, Cell, Game, Grid, Panel, Player, Show, Turn, View, cell_name};

use super::cells::bits;
use super::units::Terrain;
use super::{Action, NOISE_HP, NOISE_POSITION, State, Status, Tubstap};

const NAMES: [&str; 2] = ["RED", "BLUE"];

impl<const W: usize, const N: usize> Show for Tubstap<W, N> {
    /// `b3-c4`, `b3-b3` for a stay, `b3-c4xd4` with an attack, or `end`.
    fn action_text(&self, state: &State<W, N>, _: Player, action: Action) -> String {
        if action == Action::END {
            return "end".to_owned();
        }
        let from = self.cell_text(state.cells[action.unit as usize]);
        let to = self.cell_text(action.to);
        match action.target() {
            Some(target) => format!("{from}-{to}x{}", self.cell_text(state.cells[target])),
            None => format!("{from}-{to}"),
        }
    }

    fn view(&self, state: &State<W, N>) -> View {
        let (width, height) = (self.rules.grid.width, self.rules.grid.height);
        let cells = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let board = Board {
            grid: Grid::Square,
            column_labels: (0..width).map(column_label).collect(),
            row_labels: (1..=height).map(|row| row.to_string()).collect(),
            cells: cells.map(|(x, y)| self.cell_view(state, self.rules.grid.cell(x, y))).collect(),
        };
        let panels = [0, 1].map(|side| self.side_panel(state, side)).to_vec();
        View { board: Some(board), panels, caption: self.caption(state) }
    }

    /// The unit, where it goes, and whom it attacks from there, or that cell again for nobody.
    fn action_cells(&self, state: &State<W, N>, _: Player, action: Action) -> Vec<u16> {
        if action == Action::END {
            return Vec::new();
        }
        let own = self.view_index(state.cells[action.unit as usize]);
        let to = self.view_index(action.to);
        let last = action.target().map_or(to, |target| self.view_index(state.cells[target]));
        vec![own, to, last]
    }

    /// What an attack does and what comes back, or that an end of turn leaves units standing.
    fn action_note(&self, state: &State<W, N>, player: Player, action: Action) -> String {
        if action == Action::END {
            let n = self.unfinished(state, player).count_ones();
            return format!("{n} unit{} stay", if n == 1 { "" } else { "s" });
        }
        let Some(target) = action.target() else {
            let terrain = self.rules.terrain[usize::from(action.to)];
            return format!("{}, cover {}", terrain.name(), terrain.stars());
        };
        let mut after = *state;
        self.act(&mut after, action);
        let lost = |unit: usize| {
            let left = after.hit_points(unit);
            let damage = state.hit_points(unit) - left;
            if left == 0 { format!("{damage} (falls)") } else { format!("{damage} ({left} left)") }
        };
        let unit = usize::from(action.unit);
        let is_answered = after.hit_points(target) > 0
            && !self.rules.kinds[unit].is_indirect()
            && !self.rules.kinds[target].is_indirect();
        let mut note = format!("deals {}", lost(target));
        if is_answered {
            note += &format!(", takes {}", lost(unit));
        }
        note
    }

    fn outcome_text(&self, state: &State<W, N>, outcome: Action) -> String {
        let unit = outcome.unit;
        match outcome.target {
            NOISE_HP => format!("unit {unit} has {} hp", outcome.to),
            NOISE_POSITION => format!("unit {unit} starts at {}", self.cell_text(outcome.to)),
            _ => self.action_text(state, Player(0), outcome),
        }
    }

    fn player_name(&self, player: Player) -> String {
        NAMES[player.index()].to_owned()
    }
}

impl<const W: usize, const N: usize> Tubstap<W, N> {
    fn cell_text(&self, cell: u16) -> String {
        let (x, y) = self.rules.grid.place(cell);
        cell_name(x.into(), y.into())
    }

    /// The index of a cell in the drawn board, row by row from the top.
    fn view_index(&self, cell: u16) -> u16 {
        let (x, y) = self.rules.grid.place(cell);
        y * self.rules.grid.width + x
    }

    /// A unit is its letter and hit points, with a mark if it has acted.
    fn cell_view(&self, state: &State<W, N>, cell: u16) -> Cell {
        let terrain = self.rules.terrain[usize::from(cell)];
        let ground = (terrain != Terrain::Plain).then(|| terrain.name().to_owned());
        let unit = bits(state.alive).find(|&unit| state.cells[unit as usize] == cell);
        let Some(unit) = unit.map(usize::from) else {
            return Cell { ground, ..Cell::default() };
        };
        let owner = self.side(unit);
        let mark = self.rules.kinds[unit].mark();
        let letter = if owner == Player(0) { mark } else { mark.to_ascii_lowercase() };
        let acted = if state.has_acted(unit) { "'" } else { "" };
        let symbol = format!("{letter}{}{acted}", state.hit_points(unit));
        Cell { ground, ..Cell::piece(&symbol, owner) }
    }

    fn side_panel(&self, state: &State<W, N>, side: usize) -> Panel {
        let units = state.alive & self.rules.sides[side];
        let is_to_move = state.to_move() == Some(Player(side as u8));
        let mut text = format!("{} hp, {} units", self.totals(state)[side], units.count_ones());
        if is_to_move {
            text += &format!(", {} to act", (units & !state.finished).count_ones());
        }
        Panel { title: NAMES[side].to_owned(), text }
    }

    fn caption(&self, state: &State<W, N>) -> String {
        let limit = self.rules.map.turn_limit;
        if self.turn(state) == Turn::Chance {
            return "the noise is dealt".to_owned();
        }
        let totals = self.totals(state);
        let is_wiped_out = totals.contains(&0);
        match state.status {
            Status::ToMove(player) => {
                let name = NAMES[player.index()];
                format!("{name} to act, turn {} of {limit}", state.turn + 1)
            }
            Status::Won(player) if is_wiped_out => {
                format!("{} wins by wiping out the other side", NAMES[player.index()])
            }
            Status::Won(player) if state.turn >= limit => {
                let (own, other) = (totals[player.index()], totals[player.index() ^ 1]);
                format!("{} wins by {own} to {other} hit points", NAMES[player.index()])
            }
            Status::Won(player) => {
                format!("{} wins: the other side resigned", NAMES[player.index()])
            }
            Status::Drawn => format!("draw with {} to {} hit points", totals[0], totals[1]),
        }
    }
}

fn column_label(column: u16) -> String {
    cell_name(column.into(), 0).trim_end_matches('1').to_owned()
}
