//! The course of a match: how many actions there were to choose from, who led, and since when its
//! winner was sure to win. Who leads follows from what the players themselves expect, as agents that
//! search tell it with every decision.

use std::sync::{Arc, Mutex, PoisonError};

use sakiyomi_core::{
    Agent, Choice, Context, Forfeit, Game, MAX_PLAYERS, Payoffs, Player, Preparation, Turn,
};

/// By how much a player must expect more than every other to lead.
const LEAD: f64 = 0.1;
/// A player that expects at least this is sure to win.
const SURE: f64 = 0.9;

/// What is measured along a match.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CourseMeasures {
    /// The mean number of legal actions of a choice, where a game lists them.
    pub(crate) branching: Option<f64>,
    /// The share of choices with one legal action.
    pub(crate) forced: Option<f64>,
    /// How often another player took the lead.
    pub(crate) lead_changes: Option<f64>,
    /// The share of the turns after which the winner stayed sure to win.
    pub(crate) decided: Option<f64>,
}

/// A match as far as it has come.
#[derive(Clone, Debug)]
pub(crate) struct Course<A> {
    n_players: usize,
    expected: Arc<Expectations>,
    n_turns: u32,
    n_choices: u64,
    n_forced: u64,
    n_actions: u64,
    lists_all: bool,
    /// What each player expected when it was last asked, or its rival was.
    latest: [Option<f64>; MAX_PLAYERS],
    leader: Option<usize>,
    n_changes: u32,
    /// The turn since which each player is sure to win without a break.
    sure_since: [Option<u32>; MAX_PLAYERS],
    actions: Vec<A>,
}

/// What players expected at their latest decisions, if they have an opinion.
type Expectations = Mutex<[Option<f64>; MAX_PLAYERS]>;

impl<A: Copy> Course<A> {
    pub(crate) fn new<G: Game<Action = A>>(game: &G) -> Course<A> {
        Course {
            n_players: game.players(),
            expected: Arc::default(),
            n_turns: 0,
            n_choices: 0,
            n_forced: 0,
            n_actions: 0,
            lists_all: game.lists_all_actions(),
            latest: [None; MAX_PLAYERS],
            leader: None,
            n_changes: 0,
            sure_since: [None; MAX_PLAYERS],
            actions: Vec::new(),
        }
    }

    /// The same agent, to whose decisions the course listens.
    pub(crate) fn listen_to<G: Game<Action = A> + 'static>(
        &self,
        agent: Box<dyn Agent<G>>,
    ) -> Box<dyn Agent<G>> {
        Box::new(HeardAgent { agent, expected: Arc::clone(&self.expected) })
    }

    /// Takes a step into account, of which `state` is the state before it.
    pub(crate) fn step<G: Game<Action = A>>(&mut self, game: &G, state: &G::State) {
        let Turn::Choose(who) = game.turn(state) else { return };
        self.n_turns += 1;
        let said =
            std::mem::take(&mut *self.expected.lock().unwrap_or_else(PoisonError::into_inner));
        for player in who {
            if self.lists_all {
                self.actions.clear();
                game.actions(state, player, &mut self.actions);
                self.n_actions += self.actions.len() as u64;
                self.n_forced += u64::from(self.actions.len() == 1);
            }
            self.n_choices += 1;
            let Some(value) = said[player.index()] else { continue };
            self.expect(player.index(), value);
            // Of two players the one that is not asked is taken to expect the rest.
            if self.n_players == 2 && who.len() == 1 {
                self.expect(1 - player.index(), 1.0 - value);
            }
        }
        self.find_leader();
    }

    fn expect(&mut self, player: usize, value: f64) {
        self.latest[player] = Some(value);
        match value >= SURE {
            true => {
                self.sure_since[player].get_or_insert(self.n_turns);
            }
            false => self.sure_since[player] = None,
        }
    }

    fn find_leader(&mut self) {
        let latest = &self.latest[..self.n_players];
        let best = |but: Option<usize>| {
            let others = latest.iter().enumerate().filter(|(i, _)| Some(*i) != but);
            let known = others.filter_map(|(i, value)| Some((i, (*value)?)));
            known.max_by(|a, b| a.1.total_cmp(&b.1))
        };
        let Some((first, value)) = best(None) else { return };
        let Some((_, second)) = best(Some(first)) else { return };
        if value - second >= LEAD {
            self.n_changes += u32::from(self.leader.is_some_and(|leader| leader != first));
            self.leader = Some(first);
        }
    }

    /// What was measured, at the end of the match.
    pub(crate) fn measures(&self, payoffs: &Payoffs) -> CourseMeasures {
        let has_opinions = self.latest[..self.n_players].iter().all(Option::is_some);
        let per_choice = |n: u64| {
            (self.lists_all && self.n_choices > 0).then(|| n as f64 / self.n_choices as f64)
        };
        CourseMeasures {
            branching: per_choice(self.n_actions),
            forced: per_choice(self.n_forced),
            lead_changes: has_opinions.then_some(f64::from(self.n_changes)),
            decided: match winners(payoffs, self.n_players) {
                bits if has_opinions && bits.is_power_of_two() => {
                    let since = self.sure_since[bits.trailing_zeros() as usize];
                    let before = since.map_or(self.n_turns, |turn| turn - 1);
                    Some(f64::from(before) / f64::from(self.n_turns.max(1)))
                }
                _ => None,
            },
        }
    }
}

/// The players with the best payoff: bit `i` is set for player `i`.
pub(crate) fn winners(payoffs: &Payoffs, n_players: usize) -> u32 {
    let each = payoffs.as_slice(n_players);
    let best = each.iter().copied().fold(f64::MIN, f64::max);
    each.iter().enumerate().filter(|(_, payoff)| **payoff == best).map(|(i, _)| 1 << i).sum()
}

/// An agent whose expectations are heard.
struct HeardAgent<G: Game> {
    agent: Box<dyn Agent<G>>,
    expected: Arc<Expectations>,
}

impl<G: Game> Agent<G> for HeardAgent<G> {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        let choice = self.agent.choose(game, state, player, context)?;
        let mut expected = self.expected.lock().unwrap_or_else(PoisonError::into_inner);
        expected[player.index()] = choice.value;
        Ok(choice)
    }

    fn prepare(&mut self, game: &G, context: &mut Context<'_>) {
        self.agent.prepare(game, context);
    }

    fn preparation(&self) -> Option<Preparation> {
        self.agent.preparation()
    }

    fn observe(&mut self, game: &G, before: &G::State, actions: &[G::Action]) {
        self.agent.observe(game, before, actions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sakiyomi_core::toy::Toy;

    /// Two players in turn, of whom the first has two actions and the second one.
    const LINE: &str = "a: 0 x -> b  y -> b\nb: 1 x -> c\nc: 0 x -> d  y -> d\nd: 1 x -> 1 0";

    fn course_of(values: [f64; 4]) -> CourseMeasures {
        let toy = Toy::read(LINE).unwrap();
        let mut course = Course::new(&toy);
        let mut state = toy.start();
        for (turn, value) in values.into_iter().enumerate() {
            course.expected.lock().unwrap()[turn % 2] = Some(value);
            course.step(&toy, &state);
            toy.apply(&mut state, &[toy.word("x")]);
        }
        course.measures(&Payoffs::of([1.0, 0.0]))
    }

    #[test]
    fn branching_and_forced_turns_are_counted() {
        let course = course_of([0.5; 4]);
        assert_eq!((course.branching, course.forced), (Some(1.5), Some(0.5)));
        assert_eq!((course.lead_changes, course.decided), (Some(0.0), Some(1.0)));
    }

    #[test]
    fn leads_follow_from_what_players_expect() {
        // The first leads, then the second, then the first again, which is sure from its last turn on.
        let course = course_of([0.6, 0.7, 0.95, 0.0]);
        assert_eq!((course.lead_changes, course.decided), (Some(2.0), Some(0.5)));
        let sure = course_of([0.9, 0.1, 0.92, 0.05]);
        assert_eq!((sure.lead_changes, sure.decided), (Some(0.0), Some(0.0)));
        // What is within the margin changes no lead, and a break of sureness counts.
        let late = course_of([0.95, 0.48, 0.52, 0.02]);
        assert_eq!((late.lead_changes, late.decided), (Some(0.0), Some(0.75)));
    }

    #[test]
    fn a_first_place_may_be_shared() {
        assert_eq!(winners(&Payoffs::of([0.5, 0.2, 0.5]), 3), 0b101);
        assert_eq!(winners(&Payoffs::of([0.0, 1.0]), 2), 0b10);
    }
}
