//! What people see of a battle. The first side's pieces are capital letters, the second's small.

use sakiyomi_core::{Board, Cell, Game, Panel, Player, Show, Turn, View, cell_name};

use super::cells::bits;
use super::formulas::confuse_percent;
use super::{Ability, Deed, Order, Piece, Position, Quality, Sangoku};
use crate::two_players::Status;

const NAMES: [&str; 2] = ["blue", "red"];

impl<const W: usize, const N: usize> Show for Sangoku<W, N> {
    /// `b2-d3`, `b2 attack c2`, `b2 fire c4`, `b2 charge c2`, `b2 confuse c4` or `end`.
    fn action_text(&self, position: &Position<W, N>, _: Player, action: Order) -> String {
        let cell = |piece: u16| self.cell_text(position.pieces[usize::from(piece)].cell);
        let own = || cell(action.piece.into());
        match action.deed {
            Deed::End => "end".to_owned(),
            Deed::Move => format!("{}-{}", own(), self.cell_text(action.to)),
            deed => format!("{} {} {}", own(), verb(deed), cell(action.to)),
        }
    }

    fn view(&self, position: &Position<W, N>) -> View {
        let scenario = self.scenario();
        let (width, height) = (scenario.width as usize, scenario.height as usize);
        let mut board = Board::square(width, height, |_, _| Cell::default());
        let mut panels = Vec::new();
        for piece in bits(position.alive) {
            let here = &position.pieces[piece as usize];
            let (x, y) = self.place(here.cell);
            let owner = self.owner(piece);
            let index = Board::square_index(width, height, x, y);
            board.cells[usize::from(index)] = Cell::piece(&self.symbol(piece), owner);
            panels.push(Panel {
                title: format!("{} {}", self.symbol(piece), cell_name(x, y)),
                text: self.describe(position, piece),
            });
        }
        View { board: Some(board), panels, caption: self.caption(position) }
    }

    /// The piece, then where it goes or whom it strikes. A skill is chosen by clicking the piece
    /// twice; an end has only its text.
    fn action_cells(&self, position: &Position<W, N>, _: Player, action: Order) -> Vec<u16> {
        let scenario = self.scenario();
        let index = |cell: u16| {
            let (x, y) = self.place(cell);
            Board::square_index(scenario.width as usize, scenario.height as usize, x, y)
        };
        let own = index(position.pieces[action.piece as usize].cell);
        let target = || index(position.pieces[usize::from(action.to)].cell);
        match action.deed {
            Deed::Move => vec![own, index(action.to)],
            Deed::Attack => vec![own, target()],
            Deed::Fire | Deed::Charge | Deed::Confuse => vec![own, own, target()],
            _ => Vec::new(),
        }
    }

    /// What a strike does to whom, and what it costs the striker.
    fn action_note(&self, position: &Position<W, N>, _: Player, action: Order) -> String {
        let hit_points = |piece: u16| position.pieces[usize::from(piece)].hit_points;
        let blow = |damage: u16, piece: u16| match hit_points(piece).saturating_sub(damage) {
            0 => "falls".to_owned(),
            left => format!("{left} left"),
        };
        match action.deed {
            Deed::Attack | Deed::Fire | Deed::Charge => {
                let damage = self.damage(position, action);
                let mut note = format!("deals {damage} ({})", blow(damage, action.to));
                match self.recoil(action.deed, damage) {
                    0 => {}
                    back => {
                        note += &format!(", takes {back} ({})", blow(back, action.piece.into()));
                    }
                }
                note
            }
            Deed::Confuse => {
                let target = &position.pieces[usize::from(action.to)];
                let own = &position.pieces[usize::from(action.piece)];
                let percent = confuse_percent(own.intellect, target.intellect, target.defence);
                format!("works with {percent} %")
            }
            _ => String::new(),
        }
    }

    fn outcome_text(&self, position: &Position<W, N>, outcome: Order) -> String {
        match outcome.deed {
            Deed::Works => "works".to_owned(),
            Deed::Fails => "fails".to_owned(),
            _ => {
                let deal = self.rules.deals.get(usize::from(position.dealt));
                let what = match deal.map(|deal| deal.what) {
                    Some(Quality::Attack) => format!("attack {}", outcome.to),
                    Some(Quality::Defence) => format!("defence {}", outcome.to),
                    Some(Quality::Intellect) => format!("intellect {}", outcome.to),
                    _ => Ability::ALL
                        .get(usize::from(outcome.to))
                        .map_or(String::new(), |ability| ability.name().to_owned()),
                };
                format!("{} {what}", self.symbol(outcome.piece))
            }
        }
    }

    fn player_name(&self, player: Player) -> String {
        NAMES[player.index()].to_owned()
    }
}

impl Ability {
    pub fn name(self) -> &'static str {
        match self {
            Ability::Sprint => "sprint",
            Ability::Fire => "fire",
            Ability::Valour => "valour",
            Ability::Charge => "charge",
            Ability::Confuse => "confuse",
        }
    }
}

fn verb(deed: Deed) -> &'static str {
    match deed {
        Deed::Fire => "fire",
        Deed::Charge => "charge",
        Deed::Confuse => "confuse",
        _ => "attack",
    }
}

impl<const W: usize, const N: usize> Sangoku<W, N> {
    fn place(&self, cell: u16) -> (usize, usize) {
        let stride = self.rules.stride as usize;
        (usize::from(cell) % stride, usize::from(cell) / stride)
    }

    fn cell_text(&self, cell: u16) -> String {
        let (x, y) = self.place(cell);
        cell_name(x, y)
    }

    fn owner(&self, piece: u8) -> Player {
        Player(u8::from(self.rules.sides[0] >> piece & 1 == 0))
    }

    /// A letter, twice beyond the alphabet: capital for the first side.
    fn symbol(&self, piece: u8) -> String {
        let owner = self.owner(piece);
        let number = usize::from(piece) - owner.index() * self.scenario().first.len();
        let letter = char::from((if owner.0 == 0 { b'A' } else { b'a' }) + (number % 26) as u8);
        letter.to_string().repeat(number / 26 + 1)
    }

    fn describe(&self, position: &Position<W, N>, piece: u8) -> String {
        let Piece { hit_points, attack, defence, intellect, ability, .. } =
            position.pieces[piece as usize];
        let mut text = format!(
            "{hit_points} hp, attack {attack}, defence {defence}, intellect {intellect}, {}",
            ability.name()
        );
        let is_in = |set: u64| set >> piece & 1 == 1;
        if is_in(position.confused) {
            text += ", confused";
        } else {
            let done = [(position.moved, ", moved"), (position.acted, ", acted")];
            done.iter().filter(|(set, _)| is_in(*set)).for_each(|(_, word)| text += word);
        }
        text
    }

    fn caption(&self, position: &Position<W, N>) -> String {
        let rounds = self.scenario().rounds;
        let [first, second] = self.hit_points(position);
        let is_wiped_out = first == 0 || second == 0;
        match position.status {
            Status::ToMove(player) => {
                let name = NAMES[player.index()];
                let round = position.round + 1;
                match self.turn(position) {
                    Turn::Chance if position.round == 0 && position.moved | position.acted == 0 => {
                        "the pieces are dealt".to_owned()
                    }
                    Turn::Chance => format!("{name} tries to confuse, round {round} of {rounds}"),
                    _ => format!("{name} to act, round {round} of {rounds}"),
                }
            }
            Status::Won(player) if is_wiped_out => {
                format!("{} wins by wiping out the other side", NAMES[player.index()])
            }
            Status::Won(player) => {
                let (more, less) = (first.max(second), first.min(second));
                format!("{} wins by {more} to {less} hit points", NAMES[player.index()])
            }
            Status::Drawn if is_wiped_out => "draw: both sides are wiped out".to_owned(),
            Status::Drawn => format!("draw with {first} hit points each"),
        }
    }
}
