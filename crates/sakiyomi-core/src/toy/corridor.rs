//! A match as long as one likes: two players walk along a corridor, and chance moves them on, twice in a row.
//! It is there for whatever goes down a match to its end, which must not depend on how long that is.

use crate::{Encode, Game, Hints, Orders, Payoffs, Player, Players, Show, Turn, View};

/// Steps 0 and 1 of every four are the players', 2 and 3 belong to chance. At the end both get the same.
#[derive(Clone, Copy, Debug)]
pub struct Corridor {
    pub n_steps: u32,
    /// Whether a player may leave, with a quarter of the payoff; otherwise every move is forced.
    pub has_doors: bool,
}

/// What happens at a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    On,
    /// By chance only: two steps at once.
    Jump,
    Leave,
}

impl Corridor {
    /// What who leaves gets; the other gets the rest.
    pub const LEAVING: f64 = 0.25;

    /// The state in which a player has left.
    fn left(&self, player: Player) -> u32 {
        self.n_steps + 1 + u32::from(player.0)
    }

    fn chooser(step: u32) -> Option<Player> {
        (step % 4 < 2).then_some(Player((step % 4) as u8))
    }
}

impl Game for Corridor {
    /// Steps that are done, or beyond them who has left.
    type State = u32;
    type Action = Step;

    fn players(&self) -> usize {
        2
    }

    fn start(&self) -> u32 {
        0
    }

    fn turn(&self, &state: &u32) -> Turn {
        if state == self.n_steps {
            return Turn::Over(Payoffs::of([0.5, 0.5]));
        }
        for player in [Player(0), Player(1)] {
            if state == self.left(player) {
                let mut payoffs = Payoffs::uniform(2, 1.0 - Corridor::LEAVING);
                payoffs[player] = Corridor::LEAVING;
                return Turn::Over(payoffs);
            }
        }
        Corridor::chooser(state).map_or(Turn::Chance, |player| Turn::Choose(Players::one(player)))
    }

    fn actions(&self, _: &u32, _: Player, out: &mut Vec<Step>) {
        out.push(Step::On);
        if self.has_doors {
            out.push(Step::Leave);
        }
    }

    fn apply(&self, state: &mut u32, actions: &[Step]) {
        *state = match (actions[0], Corridor::chooser(*state)) {
            (Step::Leave, Some(player)) => self.left(player),
            (Step::Jump, _) => (*state + 2).min(self.n_steps),
            _ => *state + 1,
        };
    }

    fn outcomes(&self, _: &u32, out: &mut Vec<(Step, f64)>) {
        out.extend([(Step::On, 0.75), (Step::Jump, 0.25)]);
    }

    fn constant_sum(&self) -> bool {
        true
    }
}

impl Hints for Corridor {}

impl Orders for Corridor {}

impl Encode for Corridor {}

impl Show for Corridor {
    fn action_text(&self, _: &u32, _: Player, action: Step) -> String {
        format!("{action:?}").to_lowercase()
    }

    fn outcome_text(&self, state: &u32, outcome: Step) -> String {
        self.action_text(state, Player(0), outcome)
    }

    fn view(&self, state: &u32) -> View {
        View { caption: format!("step {state}").into(), ..View::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_and_chance_take_turns() {
        let corridor = Corridor { n_steps: 6, has_doors: true };
        let chooses = |player| Turn::Choose(Players::one(Player(player)));
        let turns: Vec<Turn> = (0..6).map(|step| corridor.turn(&step)).collect();
        let expected = [chooses(0), chooses(1), Turn::Chance, Turn::Chance, chooses(0), chooses(1)];
        assert_eq!(turns, expected);
        assert_eq!(corridor.turn(&6), Turn::Over(Payoffs::of([0.5, 0.5])));
        let mut state = 1;
        corridor.apply(&mut state, &[Step::Leave]);
        assert_eq!(corridor.turn(&state), Turn::Over(Payoffs::of([0.75, 0.25])));
        let mut state = 3;
        corridor.apply(&mut state, &[Step::Jump]);
        assert_eq!(state, 5);
    }
}
