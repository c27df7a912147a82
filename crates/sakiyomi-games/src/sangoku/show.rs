//! What people see of a battle. The first side's pieces are capital letters, the second's small.

use sakiyomi_core::{
    Badge, Board, Cell, Colour, Effect, Game, Gauge, LegendEntry, Phrase, Piece as PieceView,
    Player, PlayerView, Reach, Score, Show, Turn, View, cell_name, if_legal, parse_cell,
};

use super::formulas::confuse_percent;
use super::{Ability, Deed, Order, Piece, Position, Quality, Sangoku};
use crate::cells::{Cells, bits};
use crate::two_players::{Status, name_of};

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
        for piece in bits(position.alive) {
            let index = self.board_index(position.pieces[piece as usize].cell);
            board.cells[usize::from(index)] = Cell::of(self.piece_view(position, piece));
        }
        let totals = self.hit_points(position);
        let players = [Player(0), Player(1)].map(|player| {
            let total = totals[player.index()];
            let text = Phrase::new("{0} hp in all").with(total);
            let score = Some(Score { value: total.into(), text });
            PlayerView { name: self.player_name(player), score, hand: None }
        });
        let (caption, note) = self.caption(position);
        let players = players.to_vec();
        View { board: Some(board), players, caption, note, ..View::default() }
    }

    /// The piece, then where it goes or whom it strikes. A skill is chosen by clicking the piece
    /// twice; an end has only its text.
    fn action_cells(&self, position: &Position<W, N>, _: Player, action: Order) -> Vec<u16> {
        let own = self.board_index(position.pieces[action.piece as usize].cell);
        let target = || self.board_index(position.pieces[usize::from(action.to)].cell);
        match action.deed {
            Deed::Move => vec![own, self.board_index(action.to)],
            Deed::Attack => vec![own, target()],
            Deed::Fire | Deed::Charge | Deed::Confuse => vec![own, own, target()],
            _ => Vec::new(),
        }
    }

    /// The abilities of the pieces.
    fn legend(&self) -> Vec<LegendEntry> {
        let entry = |ability: Ability| LegendEntry {
            ground: None,
            picture: Some(ability.name().to_owned()),
            name: Phrase::new(ability.name()),
            facts: Vec::new(),
        };
        Ability::ALL.into_iter().map(entry).collect()
    }

    fn action_kind(&self, _: &Position<W, N>, _: Player, action: Order) -> Option<Phrase> {
        match action.deed {
            Deed::Move => Some(Phrase::new("move")),
            deed if action.is_strike() => Some(Phrase::new(verb(deed))),
            _ => None,
        }
    }

    /// What a strike does to whom, and what it costs the striker.
    fn action_effects(&self, position: &Position<W, N>, _: Player, action: Order) -> Vec<Effect> {
        let piece = |piece: u16| &position.pieces[usize::from(piece)];
        let (own, own_number) = (piece(action.piece.into()), action.piece.into());
        let left =
            |damage: u16, number: u16| piece(number).hit_points.saturating_sub(damage).into();
        match action.deed {
            Deed::Attack | Deed::Fire | Deed::Charge => {
                let amount = self.damage(position, action);
                let cell = self.board_index(piece(action.to).cell);
                let left_there = left(amount, action.to);
                let mut effects =
                    vec![Effect::Damage { cell, amount: amount.into(), left: left_there }];
                let back = self.recoil(action.deed, amount);
                if back > 0 {
                    let cell = self.board_index(own.cell);
                    let left = left(back, own_number);
                    effects.push(Effect::Counter { cell, amount: back.into(), left });
                }
                effects
            }
            Deed::Confuse => {
                let target = piece(action.to);
                let percent = confuse_percent(own.intellect, target.intellect, target.defence);
                vec![Effect::Chance { probability: f64::from(percent) / 100.0 }]
            }
            _ => Vec::new(),
        }
    }

    fn ends_turn(&self, _: &Position<W, N>, _: Player, action: Order) -> bool {
        action.deed == Deed::End
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

    fn player_name(&self, player: Player) -> Phrase {
        name_of(player, NAMES)
    }

    fn player_colour(&self, player: Player) -> Option<Colour> {
        Some([Colour::Blue, Colour::Red][player.index()])
    }

    fn parse(&self, position: &Position<W, N>, player: Player, text: &str) -> Option<Order> {
        let text = text.trim().to_ascii_lowercase();
        let on = |text: &str| {
            let cell = self.parse_place(text)?;
            bits(position.alive).find(|&piece| position.pieces[piece as usize].cell == cell)
        };
        let order = if text == "end" {
            Order::END
        } else if let Some((from, to)) = text.split_once('-') {
            Order { deed: Deed::Move, piece: on(from)?, to: self.parse_place(to)? }
        } else {
            let mut words = text.split(' ');
            let (from, word, to) = (words.next()?, words.next()?, words.next()?);
            let strikes = [Deed::Attack, Deed::Fire, Deed::Charge, Deed::Confuse];
            let deed = strikes.into_iter().find(|&deed| verb(deed) == word)?;
            let order = Order { deed, piece: on(from)?, to: on(to)?.into() };
            words.next().is_none().then_some(order)?
        };
        if_legal(self, position, player, order)
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

/// Charge and confuse begin with the same letter.
fn badge(ability: Ability) -> Badge {
    let name = ability.name();
    let letter = match ability {
        Ability::Confuse => "?".to_owned(),
        _ => name[..1].to_uppercase(),
    };
    Badge { letter, picture: Some(name.to_owned()), name: Phrase::new(name) }
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

    /// The cell of this name, if the board has it.
    fn parse_place(&self, text: &str) -> Option<u16> {
        let scenario = self.scenario();
        let inside =
            |&(x, y): &(usize, usize)| x < scenario.width as usize && y < scenario.height as usize;
        let (x, y) = parse_cell(text).filter(inside)?;
        Some((y * self.rules.stride as usize + x) as u16)
    }

    /// Where a cell stands in the view's board.
    fn board_index(&self, cell: u16) -> u16 {
        let (x, y) = self.place(cell);
        let scenario = self.scenario();
        Board::square_index(scenario.width as usize, scenario.height as usize, x, y)
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

    /// Where a piece can go, and strike from there or from where it stands.
    fn reach_view(&self, position: &Position<W, N>, piece: u8) -> Reach {
        let own = &position.pieces[piece as usize];
        let enemies = self.enemies(position, self.owner(piece));
        let reached = self.reach(own, enemies, self.zone(enemies));
        let landing = self.landing(position, reached);
        let is_far = matches!(own.ability, Ability::Fire | Ability::Confuse);
        let strikes = (landing | Cells::one(own.cell)).iter().fold(Cells::NONE, |all, cell| {
            let near = &self.rules.near[cell as usize];
            all | near[0] | if is_far { near[1] } else { Cells::NONE }
        });
        let strikes = strikes & !Cells::one(own.cell);
        let cells = |cells: Cells<W>| cells.iter().map(|cell| self.board_index(cell)).collect();
        Reach { moves: cells(landing), strikes: cells(strikes) }
    }

    fn piece_view(&self, position: &Position<W, N>, piece: u8) -> PieceView {
        let Piece { hit_points, attack, defence, intellect, ability, .. } =
            position.pieces[piece as usize];
        let number = |pattern: &str, value: u8| Phrase::new(pattern).with(value);
        let mut facts = vec![
            number("attack {0}", attack),
            number("defence {0}", defence),
            number("intellect {0}", intellect),
            Phrase::new(ability.name()),
        ];
        let is_in = |set: u64| set >> piece & 1 == 1;
        if is_in(position.confused) {
            facts.push(Phrase::new("confused"));
        } else {
            let done = [(position.moved, "moved"), (position.acted, "acted")];
            facts.extend(done.iter().filter(|done| is_in(done.0)).map(|done| Phrase::new(done.1)));
        }
        PieceView {
            gauge: Some(Gauge {
                value: hit_points.into(),
                max: self.scenario().hit_points.into(),
                unit: "hp".to_owned(),
            }),
            picture: Some("general".to_owned()),
            badge: Some(badge(ability)),
            has_acted: is_in(position.acted | position.confused),
            facts,
            reach: self.reach_view(position, piece),
            ..PieceView::new(&self.symbol(piece), self.owner(piece))
        }
    }

    /// Who is to act or how it ended, and the round.
    fn caption(&self, position: &Position<W, N>) -> (Phrase, Option<Phrase>) {
        let [first, second] = self.hit_points(position);
        let is_wiped_out = first == 0 || second == 0;
        let (pattern, player) = match position.status {
            Status::ToMove(player) => return self.caption_to_move(position, player),
            Status::Won(player) if is_wiped_out => {
                ("{0} wins by wiping out the other side", player)
            }
            Status::Won(player) => ("{0} wins by {1} to {2} hit points", player),
            Status::Drawn if is_wiped_out => {
                return (Phrase::new("draw: both sides are wiped out"), None);
            }
            Status::Drawn => {
                return (Phrase::new("draw with {0} hit points each").with(first), None);
            }
        };
        let (more, less) = (first.max(second), first.min(second));
        (Phrase::new(pattern).with(self.player_name(player)).with(more).with(less), None)
    }

    fn caption_to_move(
        &self,
        position: &Position<W, N>,
        player: Player,
    ) -> (Phrase, Option<Phrase>) {
        let pattern = match self.turn(position) {
            Turn::Chance if position.round == 0 && position.moved | position.acted == 0 => {
                return (Phrase::new("the pieces are dealt"), None);
            }
            Turn::Chance => "{0} tries to confuse",
            _ => "{0} to act",
        };
        let rounds = self.scenario().rounds;
        let round = Phrase::new("round {0} of {1}").with(position.round + 1).with(rounds);
        (Phrase::new(pattern).with(self.player_name(player)), Some(round))
    }
}
