//! Games against the agent, which is asked again for every answer, with another seed each time.

use std::time::Instant;

use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, Seat, SpecError};
use sakiyomi_core::{Agent, Choice, Context, Forfeit, Game, Player, Rng, Stop, Turn};

use super::tree::{Edge, ResponseTree};

/// The agent that a response is looked for, and the game.
pub(super) struct Opponent<'a, G> {
    pub(super) game: &'a G,
    pub(super) spec: &'a GameSpec,
    pub(super) agent: &'a AgentSpec,
    pub(super) stop: &'a Stop,
}

/// How one plays oneself where nothing was tried yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Own {
    AtRandom,
    /// As a search that knows nothing of the agent.
    AsTheSearch,
}

/// When to end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    At(Instant),
    Games(u64),
}

/// A step of a match: the state before it, and what was played there.
pub(super) type Step<G> = (<G as Game>::State, Vec<<G as Game>::Action>);

/// The agent in a seat; none in one's own.
pub(super) type Seated<G> = Option<Box<dyn Agent<G>>>;

/// Where games begin.
pub(super) struct Beginning<'a, G: Game> {
    pub(super) steps: &'a [Step<G>],
    pub(super) state: &'a G::State,
}

/// What a number of games against the agent were.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sparred {
    pub(super) games: u64,
    pub(super) decisions: u64,
    pub(super) sum: f64,
}

/// One's own side: the tree that grows, and the player beyond it.
pub(super) struct Trainee<'a, G: Game> {
    pub(super) tree: &'a mut ResponseTree,
    pub(super) own: Own,
    pub(super) search: &'a mut dyn Agent<G>,
    /// Games that it has played, which take the seats in turn.
    pub(super) games: usize,
}

impl<G: CatalogGame> Opponent<'_, G> {
    /// Builds the agent for every seat but one's own, if one has a seat.
    pub(super) fn seat_all(
        &self,
        own: Option<Player>,
        seed: u64,
    ) -> Result<Vec<Seated<G>>, SpecError> {
        let players = (0..self.game.players()).map(|i| Player(i as u8));
        let build = |player| {
            let seat = Seat { game: self.spec, player, seed };
            (Some(player) != own).then(|| self.agent.build(self.game, &seat)).transpose()
        };
        players.map(build).collect()
    }

    /// Plays games from here on, each in the next of the seats, and learns from them.
    pub(super) fn spar(
        &self,
        from: &Beginning<'_, G>,
        seats: &[Player],
        limit: Limit,
        trainee: &mut Trainee<'_, G>,
        rng: &mut Rng,
    ) -> Result<Sparred, SpecError> {
        let mut sparred = Sparred::default();
        loop {
            let is_over = match limit {
                Limit::At(end) => sparred.games > 0 && Instant::now() >= end,
                Limit::Games(games) => sparred.games >= games,
            };
            if is_over || self.stop.requested() {
                break;
            }
            let seat = seats[trainee.games % seats.len()];
            let Some((payoff, decisions)) = self.play(from, seat, trainee, rng)? else { break };
            trainee.games += 1;
            sparred.games += 1;
            sparred.decisions += decisions;
            sparred.sum += payoff;
        }
        Ok(sparred)
    }

    /// Plays one game to its end: what it brought, and how often one chose. None if it was stopped.
    fn play(
        &self,
        from: &Beginning<'_, G>,
        seat: Player,
        trainee: &mut Trainee<'_, G>,
        rng: &mut Rng,
    ) -> Result<Option<(f64, u64)>, SpecError> {
        let mut agents = self.seat_all(Some(seat), rng.bits())?;
        let others = agents.iter_mut().flatten();
        others.for_each(|agent| {
            from.steps.iter().for_each(|(state, joint)| agent.observe(self.game, state, joint));
        });
        let mut rngs: Vec<Rng> = agents.iter().map(|_| Rng::new(rng.bits())).collect();
        let mut state = from.state.clone();
        let (mut joint, mut outcomes) = (Vec::new(), Vec::new());
        let mut walk = Walk { path: Vec::new(), before: Some(ResponseTree::before(seat.index())) };
        let mut decisions = 0;
        loop {
            joint.clear();
            match self.game.turn(&state) {
                Turn::Over(payoffs) => {
                    trainee.tree.learn(&walk.path, payoffs[seat]);
                    return Ok(Some((payoffs[seat], decisions)));
                }
                Turn::Chance => joint.push(self.game.sample(&state, &mut outcomes, rng)),
                Turn::Choose(who) => {
                    for player in who {
                        let seen = self.game.seen_by(&state, player);
                        let Some(agent) = &mut agents[player.index()] else {
                            decisions += 1;
                            joint.push(self.choose(&seen, player, trainee, &mut walk, rng));
                            continue;
                        };
                        let mut context =
                            Context { rng: &mut rngs[player.index()], stop: self.stop };
                        match agent.choose(self.game, &seen, player, &mut context) {
                            Ok(choice) => joint.push(choice.action),
                            Err(_) if self.stop.requested() => return Ok(None),
                            // Who gives up loses, and that can be aimed at too.
                            Err(_) => {
                                trainee.tree.learn(&walk.path, 1.0);
                                return Ok(Some((1.0, decisions)));
                            }
                        }
                    }
                }
            }
            let others = agents.iter_mut().flatten();
            others.for_each(|agent| agent.observe(self.game, &state, &joint));
            self.game.apply(&mut state, &joint);
        }
    }

    /// One's own choice: by the tree as far as it reaches, and beyond it as agreed. The tree grows by
    /// one place a game.
    fn choose(
        &self,
        seen: &G::State,
        player: Player,
        trainee: &mut Trainee<'_, G>,
        walk: &mut Walk,
        rng: &mut Rng,
    ) -> G::Action {
        let mut actions = Vec::new();
        self.game.actions(seen, player, &mut actions);
        let Some(before) = walk.before else {
            return self.choose_beyond(seen, player, &actions, trainee, rng);
        };
        let key = self.game.key(seen);
        let picked = match trainee.tree.find(before, key) {
            Some(node) => (node, trainee.tree.pick(node, rng)),
            None => {
                let node = trainee.tree.add(before, key, actions.len());
                let first = self.choose_beyond(seen, player, &actions, trainee, rng);
                let place = actions.iter().position(|&action| action == first);
                walk.path.push(ResponseTree::edge(node, place.unwrap_or(0)));
                walk.before = None;
                return first;
            }
        };
        let edge = ResponseTree::edge(picked.0, picked.1);
        walk.path.push(edge);
        walk.before = Some(edge);
        actions[picked.1]
    }

    fn choose_beyond(
        &self,
        seen: &G::State,
        player: Player,
        actions: &[G::Action],
        trainee: &mut Trainee<'_, G>,
        rng: &mut Rng,
    ) -> G::Action {
        let at_random = |rng: &mut Rng| actions[rng.below(actions.len())];
        match trainee.own {
            Own::AtRandom => at_random(rng),
            Own::AsTheSearch => {
                let mut context = Context { rng, stop: self.stop };
                let choice: Result<Choice<_>, Forfeit> =
                    trainee.search.choose(self.game, seen, player, &mut context);
                choice.map_or_else(|_| at_random(rng), |choice| choice.action)
            }
        }
    }
}

/// The way through the tree in one game.
struct Walk {
    path: Vec<Edge>,
    /// The last decision, as long as the tree reaches.
    before: Option<Edge>,
}
