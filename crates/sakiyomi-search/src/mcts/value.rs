//! What positions are worth, learned from playouts while the match goes on.
//!
//! A state is its facts ([`Hints::facts`]). Matches are played from the position at hand as the
//! search plays out, states are taken from them at intervals, and what the players are paid after
//! each is fitted by a logistic function of the facts, by stochastic gradient descent with steps that
//! shrink fact by fact (AdaGrad; Duchi et al. 2011). Where a game plays many matches at once a state
//! gets several. Later decisions add states of their own, and begin with what was fitted before.
//!
//! One state in a few is left out of the fit, and shows how much of what differs from state to state
//! the function explains. Where that is too little the value is not used, nor where facts do not come
//! and go. With a clock the time for learning is taken from the searches.

use std::time::Duration;

use sakiyomi_core::{
    Budget, Hints, MAX_PLAYERS, Meter, Payoffs, Player, Preparation, Rng, Scratch, Stop, Turn,
};

use super::leaf::Leaf;
use super::playout::policy::{PlayoutSettings, Policy, Until};

/// States that are added before the first decision, and before each later one.
const FIRST_STATES: usize = 2_048;
const LATER_STATES: usize = 1_024;
/// The part of the time of decisions that may be spent on them, where clocks run.
const SHARE: f64 = 0.2;
/// The same before the first decision, if it has no limit of its own.
const FIRST_TIME: Duration = Duration::from_millis(50);
/// States that are kept; new ones take the place of the oldest.
const MAX_STATES: usize = 8_192;
/// States that are played out together.
const CHUNK: usize = 64;
/// Turns of a match between two states that are taken from it.
const INTERVAL: usize = 4;
/// Playouts of a state, beside the match that it is taken from, where many are played at once.
const PLAYOUTS: usize = 7;
/// States from which these are played at first.
const FIRST_AT_ONCE: usize = 5;
/// One in this number of states is left out of the fit.
const HELD_OUT: usize = 8;
/// Passes over all states.
const PASSES: usize = 4;
/// How fast the value follows a state at first.
const STEP: f32 = 3.0;
/// Fewer states show nothing.
const MIN_STATES: usize = 192;
/// The part of what differs between states that a value must explain to be of use.
const MIN_EXPLAINED: f64 = 0.1;
/// The part of the facts that must come and go in a match: where pieces are only ever placed, what
/// matters is how they stand together, and a sum over facts misleads.
const MIN_RETURNING: f64 = 0.25;
/// States after which nothing more is learned if the value is of no use.
const MOST_IN_VAIN: usize = 1_024;

/// What the players expect, by the facts of a state.
#[derive(Clone, Debug)]
pub(super) struct Value {
    n_players: usize,
    /// One weight per player, fact by fact.
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Value {
    #[inline]
    pub(super) fn of(&self, facts: &[u64]) -> Payoffs {
        let mut payoffs = Payoffs::default();
        let sums = self.sums(facts);
        for (player, &sum) in sums[..self.n_players].iter().enumerate() {
            payoffs[Player(player as u8)] = f64::from(logistic(sum));
        }
        payoffs
    }

    #[inline]
    fn sums(&self, facts: &[u64]) -> [f32; MAX_PLAYERS] {
        let mut sums = [0.0; MAX_PLAYERS];
        sums[..self.n_players].copy_from_slice(&self.bias);
        if self.n_players == 2 {
            let [mut a, mut b] = [sums[0], sums[1]];
            each_fact(facts, |fact| {
                a += self.weights[2 * fact];
                b += self.weights[2 * fact + 1];
            });
            [sums[0], sums[1]] = [a, b];
        } else {
            each_fact(facts, |fact| {
                let own = &self.weights[fact * self.n_players..];
                sums.iter_mut()
                    .zip(&own[..self.n_players])
                    .for_each(|(sum, weight)| *sum += weight);
            });
        }
        sums
    }
}

#[inline]
fn each_fact(facts: &[u64], mut tell: impl FnMut(usize)) {
    for (i, &word) in facts.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            tell(64 * i + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

#[inline]
fn logistic(sum: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-sum))
}

/// States with what was paid after them, and the value that is fitted to them.
#[derive(Clone, Debug)]
pub(super) struct Learner {
    value: Value,
    /// How matches are played.
    policy: Policy,
    changes: Changes,
    /// Squared gradients, added up, by weight and then by bias.
    squares: Vec<f32>,
    n_words: usize,
    /// States that are played on from at once.
    at_once: usize,
    /// Facts, one state after the other.
    facts: Vec<u64>,
    /// Mean payoffs, one per player and state.
    payoffs: Vec<f32>,
    /// How much the payoffs of one state vary, by the number of states in which that is known.
    noise: (f64, usize),
    /// States that were added, of which the last ones are kept.
    n_seen: usize,
    playouts: u64,
    /// The part of what differs between states that the value explains.
    explained: f64,
    /// Time that was spent and is to be saved by the next searches.
    debt: Duration,
    /// Time that was spent before the match.
    prepared: Option<Duration>,
}

impl Learner {
    pub(super) fn new<G: Hints>(game: &G, state: &G::State, playout: &PlayoutSettings) -> Learner {
        let (n_players, n_words) = (game.players(), game.facts(state).len());
        let weights = vec![0.0; 64 * n_words * n_players];
        Learner {
            squares: vec![1.0; weights.len() + n_players],
            value: Value { n_players, weights, bias: vec![0.0; n_players] },
            policy: Policy::new(playout),
            changes: Changes::new(n_words),
            n_words,
            at_once: FIRST_AT_ONCE,
            facts: Vec::new(),
            payoffs: Vec::new(),
            noise: (0.0, 0),
            n_seen: 0,
            playouts: 0,
            explained: 0.0,
            debt: Duration::ZERO,
            prepared: None,
        }
    }

    /// Learns from matches from the start on until `stop` is requested or that is enough.
    pub(super) fn prepare_match<G: Hints>(&mut self, game: &G, stop: &Stop, rng: &mut Rng) {
        let meter = Budget::iterations(0).begin(stop);
        self.learn(game, &game.start(), &meter, Duration::MAX, stop, rng);
        self.prepared = Some(meter.cpu_time());
    }

    /// What was learned before the match.
    pub(super) fn preparation(&self) -> Option<Preparation> {
        let percent = (100.0 * self.explained).round();
        let found = match self.value() {
            Some(_) => {
                format!("a value that explains {percent} % of what follows {} states", self.n_seen)
            }
            None => format!("no value that is of use, from {} states", self.n_seen),
        };
        Some(Preparation { found, playouts: self.playouts, cpu: self.prepared? })
    }

    /// Learns more from matches that begin at `root`, within a part of the budget, and takes the time
    /// that this costs out of it.
    pub(super) fn prepare_search<G: Hints>(
        &mut self,
        game: &G,
        root: &G::State,
        budget: &mut Budget,
        stop: &Stop,
        rng: &mut Rng,
    ) {
        let limit = [budget.wall, budget.cpu].into_iter().flatten().min();
        let most = match limit {
            _ if budget.is_repeatable() => Duration::MAX,
            Some(limit) => limit.mul_f64(SHARE),
            None => FIRST_TIME,
        };
        if self.debt.is_zero() && !self.is_in_vain() {
            let meter = budget.begin(stop);
            self.learn(game, root, &meter, most, stop, rng);
            self.debt = meter.cpu_time();
        }
        let Some(limit) = limit else { return self.debt = Duration::ZERO };
        // A search keeps half of its time; what is too much is paid by the next ones.
        let paid = self.debt.min(limit / 2);
        self.debt -= paid;
        for limit in [&mut budget.wall, &mut budget.cpu].into_iter().flatten() {
            *limit = limit.saturating_sub(paid);
        }
    }

    /// The value, if it is of use.
    pub(super) fn value(&self) -> Option<&Value> {
        let is_of_use = self.n_seen >= MIN_STATES
            && self.explained >= MIN_EXPLAINED
            && self.changes.returning() >= MIN_RETURNING;
        is_of_use.then_some(&self.value)
    }

    fn is_in_vain(&self) -> bool {
        self.n_seen >= MOST_IN_VAIN && self.value().is_none()
    }

    /// Adds states of matches until they are enough or `meter` has run for as long as it may, and fits
    /// the value to all states.
    fn learn<G: Hints>(
        &mut self,
        game: &G,
        root: &G::State,
        meter: &Meter<'_>,
        most: Duration,
        stop: &Stop,
        rng: &mut Rng,
    ) {
        let n = if self.n_seen == 0 { FIRST_STATES } else { LATER_STATES };
        let enough = self.n_seen + n;
        let mut scratch = Scratch::default();
        let (mut states, mut results) = (Vec::new(), Vec::new());
        let is_late = || meter.is_over() || meter.cpu_time() >= most;
        while self.n_seen < enough && !is_late() {
            states.clear();
            results.clear();
            let mut n_matches = 0;
            while states.len() < CHUNK && n_matches < CHUNK && !is_late() {
                let payoffs = self.walk(game, root, &mut states, &mut scratch, rng);
                results.resize(states.len(), Results::of(payoffs));
                n_matches += 1;
            }
            if game.playouts_at_once() > 1 {
                self.play_on(game, &states, &mut results, &is_late, &mut scratch, rng);
            }
            // A game may end its playouts in the middle when it is stopped; what they give then means
            // nothing.
            if states.is_empty() || stop.requested() {
                break;
            }
            for (state, results) in states.iter().zip(&results) {
                self.keep(game.facts(state), results);
            }
        }
        (0..PASSES).for_each(|_| self.pass(rng));
        self.explained = self.explained();
    }

    /// Adds playouts from the states: few at first, since a game may be slow, and twice as many each
    /// time, until it is late.
    fn play_on<G: Hints>(
        &mut self,
        game: &G,
        states: &[G::State],
        results: &mut [Results],
        is_late: &dyn Fn() -> bool,
        scratch: &mut Scratch<G::Action>,
        rng: &mut Rng,
    ) {
        let (mut first, mut payoffs) = (0, Vec::new());
        while first < states.len() && !is_late() {
            let end = states.len().min(first + self.at_once);
            self.at_once = (2 * self.at_once).min(CHUNK);
            let starts: Vec<u32> =
                (first as u32..end as u32).flat_map(|state| [state; PLAYOUTS]).collect();
            payoffs.clear();
            let competes = self.policy.competing().zip(self.policy.means::<G::Action>(1.0));
            let is_done = competes.is_some_and(|(draws, mut means)| {
                game.tournament_playouts(states, &starts, draws, &mut means, rng, &mut payoffs)
            });
            if !is_done {
                game.playouts(states, &starts, scratch, rng, &mut payoffs);
            }
            self.playouts += starts.len() as u64;
            for (results, own) in results[first..end].iter_mut().zip(payoffs.chunks(PLAYOUTS)) {
                own.iter().for_each(|payoffs| results.add(payoffs));
            }
            first = end;
        }
    }

    /// Plays a match, and adds some of its states.
    fn walk<G: Hints>(
        &mut self,
        game: &G,
        root: &G::State,
        states: &mut Vec<G::State>,
        scratch: &mut Scratch<G::Action>,
        rng: &mut Rng,
    ) -> Payoffs {
        let mut next = rng.below(INTERVAL);
        let mut leaf = Leaf::<G>::new(root.clone());
        let changes = &mut self.changes;
        changes.restart(game.facts(root));
        let pass = |state: &G::State| {
            changes.pass(game.facts(state));
            if next == 0 && !matches!(game.turn(state), Turn::Over(_)) {
                states.push(state.clone());
                next = INTERVAL;
            }
            next = next.saturating_sub(1);
        };
        let payoffs =
            self.policy.play_out_by_steps(game, &mut leaf, scratch, Until::TheEnd, pass, rng);
        self.policy.learn(leaf.steps.trail(), &payoffs);
        self.playouts += 1;
        payoffs
    }

    fn keep(&mut self, facts: &[u64], results: &Results) {
        let mean = results.mean();
        if let Some(variance) = results.variance_of_mean() {
            self.noise.0 += variance;
            self.noise.1 += 1;
        }
        let payoffs = mean.as_slice(self.value.n_players).iter().map(|&payoff| payoff as f32);
        let (words, players) = (self.n_words, self.value.n_players);
        let at = self.n_seen % MAX_STATES;
        self.n_seen += 1;
        if self.n_seen <= MAX_STATES {
            self.facts.extend_from_slice(facts);
            self.payoffs.extend(payoffs);
        } else {
            self.facts[at * words..][..words].copy_from_slice(facts);
            self.payoffs[at * players..].iter_mut().zip(payoffs).for_each(|(old, new)| *old = new);
        }
    }

    fn n_kept(&self) -> usize {
        self.n_seen.min(MAX_STATES)
    }

    /// One pass over the states, in a random order.
    fn pass(&mut self, rng: &mut Rng) {
        let n_kept = self.n_kept();
        let mut order: Vec<u32> =
            (0..n_kept as u32).filter(|i| !i.is_multiple_of(HELD_OUT as u32)).collect();
        rng.shuffle(&mut order);
        let Learner { value, squares, facts, payoffs, n_words, .. } = self;
        let n = value.n_players;
        let (weight_squares, bias_squares) = squares.split_at_mut(value.weights.len());
        // The more facts hold, the less each of them has to change.
        let n_true: u32 = facts.iter().map(|word| word.count_ones()).sum();
        let step = STEP * n_kept as f32 / n_true.max(1) as f32;
        for i in order {
            let facts = &facts[i as usize * *n_words..][..*n_words];
            let sums = value.sums(facts);
            let mut errors = [0.0; MAX_PLAYERS];
            let payoffs = &payoffs[i as usize * n..][..n];
            for (error, (&sum, payoff)) in errors.iter_mut().zip(sums.iter().zip(payoffs)) {
                *error = logistic(sum) - payoff;
            }
            let errors = &errors[..n];
            let learn = |weight: &mut f32, square: &mut f32, error: f32| {
                *square += error * error;
                *weight -= step * error / square.sqrt();
            };
            let learn_all = |weights: &mut [f32], squares: &mut [f32]| {
                let each = weights.iter_mut().zip(squares).zip(errors);
                each.for_each(|((weight, square), &error)| learn(weight, square, error));
            };
            learn_all(&mut value.bias, bias_squares);
            each_fact(facts, |fact| {
                let own = fact * n..(fact + 1) * n;
                learn_all(&mut value.weights[own.clone()], &mut weight_squares[own]);
            });
        }
    }

    /// The part of the variance of payoffs between states that the value explains, of states that it
    /// was not fitted to, by the first player.
    fn explained(&self) -> f64 {
        let n = self.value.n_players;
        let (mut sum, mut squares, mut errors, mut count) = (0.0, 0.0, 0.0, 0.0);
        for i in (0..self.n_kept()).step_by(HELD_OUT) {
            let facts = &self.facts[i * self.n_words..][..self.n_words];
            let found = f64::from(logistic(self.value.sums(facts)[0]));
            let payoff = f64::from(self.payoffs[i * n]);
            sum += payoff;
            squares += payoff * payoff;
            errors += (payoff - found).powi(2);
            count += 1.0;
        }
        let variance = squares / count - (sum / count).powi(2);
        let noise = if self.noise.1 > 0 { self.noise.0 / self.noise.1 as f64 } else { 0.0 };
        let (between, missed) = (variance - noise, errors / count - noise);
        if between > 1e-6 { 1.0 - missed / between } else { 0.0 }
    }
}

/// What was paid after a state.
#[derive(Clone, Copy, Debug)]
struct Results {
    n: f64,
    sum: Payoffs,
    /// Squares of what the first player got, added up.
    squares: f64,
}

impl Results {
    fn of(payoffs: Payoffs) -> Results {
        Results { n: 1.0, sum: payoffs, squares: payoffs[Player(0)].powi(2) }
    }

    fn add(&mut self, payoffs: &Payoffs) {
        self.n += 1.0;
        self.sum.add_scaled(payoffs, 1.0);
        self.squares += payoffs[Player(0)].powi(2);
    }

    fn mean(&self) -> Payoffs {
        let mut mean = Payoffs::default();
        mean.add_scaled(&self.sum, 1.0 / self.n);
        mean
    }

    /// How far the mean of the first player may be from what it would be after many matches.
    fn variance_of_mean(&self) -> Option<f64> {
        let mean = self.sum[Player(0)] / self.n;
        (self.n > 1.0).then(|| (self.squares / self.n - mean * mean) / (self.n - 1.0))
    }
}

/// How facts change in matches. Those that are the same in all matches after the same number of
/// turns, such as whose turn it is, are left out.
#[derive(Clone, Debug)]
struct Changes {
    /// The facts of the first match, turn by turn.
    first: Vec<Box<[u64]>>,
    /// Facts that have differed from those.
    differ: Vec<u64>,
    /// Facts that have changed twice in a match.
    twice: Vec<u64>,
    /// In the match at hand: turns, the facts before, and those that have changed.
    turn: usize,
    before: Vec<u64>,
    changed: Vec<u64>,
}

impl Changes {
    fn new(n_words: usize) -> Changes {
        let none = vec![0; n_words];
        Changes {
            first: Vec::new(),
            differ: none.clone(),
            twice: none.clone(),
            turn: 0,
            before: none.clone(),
            changed: none,
        }
    }

    /// Begins a match.
    fn restart(&mut self, facts: &[u64]) {
        self.turn = 0;
        self.before.copy_from_slice(facts);
        self.changed.fill(0);
    }

    fn pass(&mut self, facts: &[u64]) {
        if self.first.len() == self.turn {
            self.first.push(facts.into());
        }
        let first = &self.first[self.turn];
        for (i, &now) in facts.iter().enumerate() {
            self.differ[i] |= first[i] ^ now;
            let change = self.before[i] ^ now;
            self.twice[i] |= self.changed[i] & change;
            self.changed[i] |= change;
        }
        self.before.copy_from_slice(facts);
        self.turn += 1;
    }

    /// The part of the facts that came and went in some match.
    fn returning(&self) -> f64 {
        let count = |words: &mut dyn Iterator<Item = u64>| words.map(u64::count_ones).sum::<u32>();
        let all = count(&mut self.differ.iter().copied());
        let twice = count(&mut self.differ.iter().zip(&self.twice).map(|(a, b)| a & b));
        f64::from(twice) / f64::from(all.max(1))
    }
}

#[cfg(test)]
mod tests;
