//! What people see: terrain, and units as a letter with hit points, capital for RED and small for BLUE.
//! Cells are named by column letter and row number from the top, so that a1 is (1, 1) in map files.

use sakiyomi_core::{
    Board, Cell, Colour, Effect, Game, Gauge, Grid, LegendEntry, Phrase, Piece, Player, PlayerView,
    Reach, Score, Show, Turn, View, cell_name, if_legal, parse_cell,
};

use super::cells::{Cells, bits};
use super::units::{CANNON_RANGE, Kind, Terrain};
use super::{Action, FULL_HIT_POINTS, NOISE_HP, NOISE_POSITION, State, Status, Tubstap};
use crate::two_players::name_of;

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
            marked: Vec::new(),
            edges: [None; 4],
        };
        View {
            board: Some(board),
            players: [0, 1].map(|side| self.side_view(state, side)).to_vec(),
            caption: self.caption(state),
            note: self.note(state),
            ..View::default()
        }
    }

    /// The terrain of this map and the kinds of units on it.
    fn legend(&self) -> Vec<LegendEntry> {
        let on_map = |terrain: &Terrain| self.rules.terrain.contains(terrain);
        let grounds = Terrain::ALL.into_iter().filter(on_map).map(|terrain| LegendEntry {
            ground: Some(terrain.name().to_owned()),
            picture: None,
            name: Phrase::new(terrain.name()),
            facts: terrain_facts(terrain),
        });
        let is_here = |kind: &Kind| self.rules.map.units.iter().any(|unit| unit.kind == *kind);
        let units = Kind::ALL.into_iter().filter(is_here).map(|kind| LegendEntry {
            ground: None,
            picture: Some(kind.name().to_owned()),
            name: Phrase::new(kind.name()),
            facts: kind_facts(kind),
        });
        grounds.chain(units).collect()
    }

    /// The unit, where it goes, and whom it attacks from there, or that cell again for no attack.
    fn action_cells(&self, state: &State<W, N>, _: Player, action: Action) -> Vec<u16> {
        if action == Action::END {
            return Vec::new();
        }
        let own = self.view_index(state.cells[action.unit as usize]);
        let to = self.view_index(action.to);
        let last = action.target().map_or(to, |target| self.view_index(state.cells[target]));
        vec![own, to, last]
    }

    /// What an attack does and what comes back.
    fn action_effects(&self, state: &State<W, N>, _: Player, action: Action) -> Vec<Effect> {
        let Some(target) = action.target() else { return Vec::new() };
        let mut after = *state;
        self.act(&mut after, action);
        let change = |unit: usize| {
            let left = after.hit_points(unit);
            ((state.hit_points(unit) - left) as i32, left as i32)
        };
        let unit = usize::from(action.unit);
        let (amount, left) = change(target);
        let cell = self.view_index(state.cells[target]);
        let mut effects = vec![Effect::Damage { cell, amount, left }];
        let is_answered = left > 0
            && !self.rules.kinds[unit].is_indirect()
            && !self.rules.kinds[target].is_indirect();
        if is_answered {
            let (amount, left) = change(unit);
            let cell = self.view_index(state.cells[unit]);
            effects.push(Effect::Counter { cell, amount, left });
        }
        effects
    }

    fn ends_turn(&self, _: &State<W, N>, _: Player, action: Action) -> bool {
        action == Action::END
    }

    fn outcome_text(&self, state: &State<W, N>, outcome: Action) -> String {
        let unit = outcome.unit;
        match outcome.target {
            NOISE_HP => format!("unit {unit} has {} hp", outcome.to),
            NOISE_POSITION => format!("unit {unit} starts at {}", self.cell_text(outcome.to)),
            _ => self.action_text(state, Player(0), outcome),
        }
    }

    fn player_name(&self, player: Player) -> Phrase {
        name_of(player, NAMES)
    }

    fn player_colour(&self, player: Player) -> Option<Colour> {
        Some([Colour::Red, Colour::Blue][player.index()])
    }

    fn parse(&self, state: &State<W, N>, player: Player, text: &str) -> Option<Action> {
        let text = text.trim().to_ascii_lowercase();
        if text == "end" {
            return if_legal(self, state, player, Action::END);
        }
        let cell = |text: &str| {
            let (x, y) = parse_cell(text)?;
            let (x, y) = (u16::try_from(x).ok()?, u16::try_from(y).ok()?);
            let grid = &self.rules.grid;
            (x < grid.width && y < grid.height).then(|| grid.cell(x, y))
        };
        let unit_at =
            |cell: u16| bits(state.alive).find(|&unit| state.cells[unit as usize] == cell);
        let (from, rest) = text.split_once('-')?;
        let unit = unit_at(cell(from)?)?;
        let action = match rest.split_once('x') {
            Some((to, target)) => Action::attack(unit, cell(to)?, unit_at(cell(target)?)?),
            None => Action::go(unit, cell(rest)?),
        };
        if_legal(self, state, player, action)
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

    /// A unit is its letter with hit points; its kind in a word stands beside it.
    fn cell_view(&self, state: &State<W, N>, cell: u16) -> Cell {
        let terrain = self.rules.terrain[usize::from(cell)];
        let ground = (terrain != Terrain::Plain).then(|| terrain.name().to_owned());
        let unit = bits(state.alive).find(|&unit| state.cells[unit as usize] == cell);
        let Some(unit) = unit.map(usize::from) else {
            return Cell { ground, ..Cell::default() };
        };
        let owner = self.side(unit);
        let kind = self.rules.kinds[unit];
        let mark = kind.mark();
        let letter = if owner == Player(0) { mark } else { mark.to_ascii_lowercase() };
        let piece = Piece {
            gauge: Some(Gauge {
                value: state.hit_points(unit) as i32,
                max: FULL_HIT_POINTS.into(),
                unit: "hp".to_owned(),
            }),
            has_acted: state.has_acted(unit),
            picture: Some(kind.name().to_owned()),
            facts: self.unit_facts(kind, terrain),
            reach: self.reach_view(state, unit as u8),
            ..Piece::new(&letter.to_string(), owner)
        };
        Cell { ground, ..Cell::of(piece) }
    }

    /// Its kind, how far it goes, and how well the terrain covers it.
    fn unit_facts(&self, kind: Kind, terrain: Terrain) -> Vec<Phrase> {
        let stars = if kind.is_air() { 0 } else { terrain.stars() };
        let mut facts = vec![Phrase::new(kind.name())];
        facts.extend(kind_facts(kind));
        facts.push(Phrase::new("defence {0} here").with(stars));
        facts
    }

    fn reach_view(&self, state: &State<W, N>, unit: u8) -> Reach {
        let landing = self.landing(state, unit, self.reach(state, unit));
        let cells = |cells: Cells<W>| cells.iter().map(|cell| self.view_index(cell)).collect();
        Reach { moves: cells(landing), strikes: cells(self.strikes(state, unit)) }
    }

    fn side_view(&self, state: &State<W, N>, side: usize) -> PlayerView {
        let total = self.totals(state)[side];
        let n_units = (state.alive & self.rules.sides[side]).count_ones();
        let text = Phrase::new("{0} hp, {1} units").with(total).with(n_units);
        let score = Some(Score { value: total.into(), text });
        PlayerView { name: self.player_name(Player(side as u8)), score, ..PlayerView::default() }
    }

    fn note(&self, state: &State<W, N>) -> Option<Phrase> {
        let player = state.to_move()?;
        let n_left = (self.unfinished(state, player)).count_ones();
        let turn = Phrase::new("turn {0} of {1}, {2} units left to act");
        Some(turn.with(state.turns() + 1).with(self.rules.map.turn_limit).with(n_left))
    }

    fn caption(&self, state: &State<W, N>) -> Phrase {
        if self.turn(state) == Turn::Chance {
            return Phrase::new("the noise is dealt");
        }
        let totals = self.totals(state);
        match state.status {
            Status::ToMove(player) => Phrase::to_move(self.player_name(player)),
            Status::Won(player) => {
                let name = self.player_name(player);
                let (own, other) = (totals[player.index()], totals[player.index() ^ 1]);
                match () {
                    () if other == 0 => {
                        Phrase::new("{0} wins by wiping out the other side").with(name)
                    }
                    () if state.turn >= self.rules.map.turn_limit => {
                        let pattern = "{0} wins by {1} to {2} hit points";
                        Phrase::new(pattern).with(name).with(own).with(other)
                    }
                    () => Phrase::new("{0} wins: the other side resigned").with(name),
                }
            }
            Status::Drawn => {
                Phrase::new("draw with {0} to {1} hit points").with(totals[0]).with(totals[1])
            }
        }
    }
}

/// How well it covers, and what a step onto it costs.
fn terrain_facts(terrain: Terrain) -> Vec<Phrase> {
    let cost = |pattern: &str, kind: Kind| {
        let cost = kind.step_cost(terrain).map_or("–".to_owned(), |cost| cost.to_string());
        Phrase::new(pattern).with(cost)
    };
    vec![
        Phrase::new("defence {0}").with(terrain.stars()),
        cost("step of infantry {0}", Kind::Infantry),
        cost("step of vehicles {0}", Kind::Panzer),
    ]
}

fn kind_facts(kind: Kind) -> Vec<Phrase> {
    let mut facts = vec![Phrase::new("moves {0}").with(kind.move_points())];
    if kind.is_indirect() {
        let range = Phrase::new("shoots {0} to {1} cells far");
        facts.push(range.with(*CANNON_RANGE.start()).with(*CANNON_RANGE.end()));
    }
    facts
}

fn column_label(column: u16) -> String {
    cell_name(column.into(), 0).trim_end_matches('1').to_owned()
}
