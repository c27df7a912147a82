//! What follows from a scenario before the first turn: tables, the first position, and what chance
//! has to deal.

use sakiyomi_core::Player;

use super::{
    Ability, Deal, NO_ATTEMPT, Piece, Position, Quality, Rules, Scenario, Soldier, Stat, Talent,
    formulas,
};
use crate::cells::Cells;
use crate::two_players::Status;

impl<const W: usize, const N: usize> Rules<W, N> {
    pub(super) fn new(scenario: &Scenario) -> Rules<W, N> {
        let (width, height) = (scenario.width, scenario.height);
        let stride = width + 1;
        let places = || (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)));
        let number = move |(x, y): (u32, u32)| (y * stride + x) as u16;
        let mut board = Cells::NONE;
        places().for_each(|place| board.insert(number(place)));
        let around = |place: (u32, u32), is_in: &dyn Fn(u32) -> bool| {
            let mut cells = Cells::NONE;
            for other in places() {
                if is_in(place.0.abs_diff(other.0) + place.1.abs_diff(other.1)) {
                    cells.insert(number(other));
                }
            }
            cells
        };
        let steps = u32::from(scenario.movement);
        let mut near = vec![[Cells::NONE; 2]; (stride * height) as usize];
        let mut ring = near.clone();
        for place in places() {
            let cell = usize::from(number(place));
            near[cell] = [1, 2].map(|most| around(place, &|d| d > 0 && d <= most));
            ring[cell] = [steps, steps + 1].map(|exact| around(place, &|d| d == exact));
        }
        let table = |damage: &dyn Fn(u8, u8) -> u32| {
            let each = (0..=100).flat_map(|own| (0..=100).map(move |other| (own, other)));
            each.map(|(own, other)| damage(own, other) as u16).collect()
        };
        let (first, second) = (scenario.first.len(), scenario.second.len());
        let sides = [first, first + second].map(|n| u64::MAX.checked_shr(64 - n as u32));
        let [own, all] = sides.map(|side| side.unwrap_or(0));
        Rules {
            start: start(scenario, number),
            deals: deals(scenario),
            stride,
            board,
            near,
            ring,
            attack_damage: table(&|a, b| formulas::attack_damage(scenario.attack_scale, a, b)),
            fire_damage: table(&|a, b| formulas::fire_damage(scenario.fire_scale, a, b)),
            sides: [own, all & !own],
            scenario: scenario.clone(),
        }
    }
}

/// The position before anything is dealt.
fn start<const W: usize, const N: usize>(
    scenario: &Scenario,
    number: impl Fn((u32, u32)) -> u16,
) -> Position<W, N> {
    let mut position = Position {
        occupied: [Cells::NONE; 2],
        pieces: [Piece::default(); N],
        alive: 0,
        moved: 0,
        acted: 0,
        confused: 0,
        status: Status::ToMove(Player(0)),
        round: 0,
        dealt: 0,
        attempt: NO_ATTEMPT,
    };
    let given = |stat: Stat| match stat {
        Stat::Given(value) => value,
        Stat::Dealt(_) => 1,
    };
    for (i, soldier) in scenario.soldiers().enumerate() {
        let place = scenario.place(soldier).expect("a scenario that was checked");
        let side = usize::from(i >= scenario.first.len());
        position.occupied[side].insert(number(place));
        position.alive |= 1 << i;
        position.pieces[i] = Piece {
            cell: number(place),
            hit_points: scenario.hit_points,
            attack: given(soldier.attack),
            defence: given(soldier.defence),
            intellect: given(soldier.intellect),
            ability: match soldier.ability {
                Talent::Given(ability) => ability,
                Talent::Random => Ability::Sprint,
            },
        };
    }
    position
}

/// What chance has to deal, in order.
fn deals(scenario: &Scenario) -> Vec<Deal> {
    let each = |(i, soldier): (usize, &Soldier)| {
        let is_open = |stat: Stat| matches!(stat, Stat::Dealt(_));
        let open = [
            (is_open(soldier.attack), Quality::Attack),
            (is_open(soldier.defence), Quality::Defence),
            (is_open(soldier.intellect), Quality::Intellect),
            (soldier.ability == Talent::Random, Quality::Ability),
        ];
        let piece = i as u8;
        open.into_iter().filter(|(open, _)| *open).map(move |(_, what)| Deal { piece, what })
    };
    scenario.soldiers().enumerate().flat_map(each).collect()
}
