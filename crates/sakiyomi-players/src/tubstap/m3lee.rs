//! M3Lee, second at GAT 2016. At the start of its turn it makes two plans of the whole turn and keeps
//! the better: one by UCT with progressive widening at the root, unit after unit, and one by rating
//! random turns with short playouts.
//!
//! Quirks of the original that are kept, as they change its strength:
//! - in the tree a value is flipped when the mover changes although it already is the mover's, so
//!   the first enemy action of a turn is picked to suit the root, and later ones suit the enemy;
//! - below the root the first n moves are left out, where n is the number of attacks;
//! - the first visit of a node plays out from a random child and credits that one too; if that child
//!   ends a turn, the same side moves again;
//! - at the turn limit numbers of units are compared with the threshold of hit points, before a
//!   wipe-out is looked for, so nearly every such playout is a draw.

use super::*;

pub(super) const DECLARATION: Declaration = Declaration {
    word: Some(NUMBERS),
    ..Declaration::searching(
        "m3lee",
        "M3Lee of TUBSTAP: a turn by UCT, or a better one of random turns",
        "playouts a turn; 3,000 if nothing is said",
    )
};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct M3LeeSettings {
    /// Playouts of UCT in a turn, shared equally by the units.
    pub playouts: u64,
    /// Random turns that are rated, and playouts for each.
    pub random_turns: u64,
    pub rating_playouts: u64,
    /// Playouts to the end that compare the two plans.
    pub comparing_playouts: u64,
    /// Processor time for a whole turn: most of it for UCT, the rest for the random turns.
    pub cpu_per_turn: Option<Duration>,
}

impl M3LeeSettings {
    /// As in version 1.08.
    pub const STOCK: M3LeeSettings = M3LeeSettings {
        playouts: 3_000,
        random_turns: 150,
        rating_playouts: 50,
        comparing_playouts: 50,
        cpu_per_turn: None,
    };

    /// For judging maps: nearly the same choices in a tenth of the time.
    pub const QUICK: M3LeeSettings = M3LeeSettings {
        playouts: 300,
        random_turns: 15,
        rating_playouts: 10,
        ..M3LeeSettings::STOCK
    };
}

player_settings!(
    M3LeeSettings,
    STOCK,
    |settings, n| settings.playouts = n,
    timed: STOCK { playouts: u64::MAX / 64, random_turns: u64::MAX }
);

/// Shares of a turn's time: for UCT, and for random turns.
const UCT_SHARE: f64 = 0.7;
const RANDOM_SHARE: f64 = 0.25;
const PLAYOUT: AttackFirst = AttackFirst { probability: 1.0, attacks: Attacks::All };
const MAX_NODES: usize = 1 << 23;

/// What a hit point of each kind is worth to the rating of random turns.
const COST: [f64; 6] = [2.0, 2.0, 1.5, 1.0, 0.7, 0.2];

#[derive(Clone, Debug)]
pub struct M3Lee<const W: usize, const N: usize> {
    settings: M3LeeSettings,
    nodes: Vec<Node>,
    actions: Vec<Action>,
    path: Vec<u32>,
    plan: Plan<W, N>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    action: Action,
    /// The side that made the action.
    mover: u8,
    is_expanded: bool,
    visits: u32,
    /// Sum of the mover's results.
    wins: f64,
    first_child: u32,
    n_children: u32,
}

impl Node {
    fn new(action: Action, mover: usize) -> Node {
        Node {
            action,
            mover: mover as u8,
            is_expanded: false,
            visits: 0,
            wins: 0.0,
            first_child: 0,
            n_children: 0,
        }
    }
}

/// How many children the root has at a playout, counted from 1.
fn width(playout: u64) -> usize {
    let t = playout as f64;
    let width = if playout >= 3_000 {
        libm::log((t + 2_000.0) / 45.0) / libm::log(1.2) - 11.0
    } else {
        libm::log(t / 40.0) / libm::log(1.4) + 2.0
    };
    let least = if playout <= 1 { 1 } else { 2 };
    (libm::floor(width).max(0.0) as usize).max(least)
}

impl<const W: usize, const N: usize> M3Lee<W, N> {
    pub fn new(settings: M3LeeSettings) -> M3Lee<W, N> {
        M3Lee {
            settings,
            nodes: Vec::new(),
            actions: Vec::new(),
            path: Vec::new(),
            plan: Plan::default(),
        }
    }

    /// The plan of UCT: unit after unit.
    fn search_plan(
        &mut self,
        game: &Tubstap<W, N>,
        start: &State<W, N>,
        player: Player,
        context: &mut Context<'_>,
        options: &mut Options<W, N>,
    ) -> Vec<Action> {
        let n_units = u64::from(game.unfinished(start, player).count_ones());
        let cpu = self.settings.cpu_per_turn.map(|cpu| cpu.mul_f64(UCT_SHARE) / n_units as u32);
        let mut state = *start;
        let mut plan = Vec::new();
        while game.unfinished(&state, player) != 0 && !game.is_wiped_out(&state, player.index() ^ 1)
        {
            let meter = budget(self.settings.playouts / n_units, cpu).begin(context.stop);
            let action = self.search(game, &state, player, meter, options, context.rng);
            game.act(&mut state, action);
            plan.push(action);
        }
        plan
    }

    fn search(
        &mut self,
        game: &Tubstap<W, N>,
        state: &State<W, N>,
        player: Player,
        mut meter: Meter<'_>,
        options: &mut Options<W, N>,
        rng: &mut Rng,
    ) -> Action {
        let side = player.index();
        self.nodes.clear();
        self.nodes.push(Node::new(Action::END, side));
        let mut waiting = self.root_order(game, state, player, rng);
        let all = waiting.len();
        self.nodes.extend(waiting.drain(..).map(|action| Node::new(action, side)));
        self.nodes[0].first_child = 1;
        self.nodes[0].is_expanded = true;
        while meter.another() {
            self.nodes[0].n_children = width(meter.done()).min(all) as u32;
            self.simulate(game, state, options, rng);
        }
        let children = &self.nodes[1..=all];
        let mut best = &children[0];
        for child in children {
            if child.wins > best.wins {
                best = child;
            }
        }
        best.action
    }

    /// All actions in the order in which the root gets them: attacks at random, then moves at random.
    fn root_order(
        &mut self,
        game: &Tubstap<W, N>,
        state: &State<W, N>,
        player: Player,
        rng: &mut Rng,
    ) -> Vec<Action> {
        let mut actions = Vec::new();
        for unit in bits(game.unfinished(state, player)) {
            game.actions_of(state, unit, game.rules().settings.attacks, &mut actions);
        }
        let (mut attacks, mut moves): (Vec<_>, Vec<_>) =
            actions.into_iter().partition(|action| action.is_attack());
        rng.shuffle(&mut attacks);
        rng.shuffle(&mut moves);
        attacks.extend(moves);
        attacks
    }

    /// Children of a node below the root: attacks, then moves without the first ones.
    fn expand(&mut self, game: &Tubstap<W, N>, state: &State<W, N>, node: usize, side: usize) {
        self.actions.clear();
        let player = Player(side as u8);
        game.attacks(state, player, Attacks::All, &mut self.actions);
        let n_attacks = self.actions.len();
        for unit in bits(game.unfinished(state, player)) {
            let landing = game.landing(state, unit, game.reach(state, unit));
            self.actions.extend(landing.iter().map(|to| Action::go(unit, to)));
        }
        let n_moves = self.actions.len() - n_attacks;
        if n_moves > n_attacks {
            self.actions.drain(n_attacks..2 * n_attacks);
        } else if n_attacks > 0 {
            self.actions.truncate(n_attacks);
        }
        self.nodes[node].first_child = self.nodes.len() as u32;
        self.nodes[node].n_children = self.actions.len() as u32;
        self.nodes[node].is_expanded = true;
        self.nodes.extend(self.actions.iter().map(|&action| Node::new(action, side)));
    }

    fn simulate(
        &mut self,
        game: &Tubstap<W, N>,
        root: &State<W, N>,
        options: &mut Options<W, N>,
        rng: &mut Rng,
    ) {
        let mut state = *root;
        let mut side = usize::from(self.nodes[0].mover);
        self.path.clear();
        self.path.push(0);
        let mut node = 0;
        while state.turn < game.rules().map.turn_limit && self.nodes[node].n_children > 0 {
            node = self.select(node);
            (side, _) = step(game, &mut state, side, self.nodes[node].action);
            self.path.push(node as u32);
            let is_over = game.is_wiped_out(&state, 0) || game.is_wiped_out(&state, 1);
            if !self.nodes[node].is_expanded && !is_over && self.nodes.len() < MAX_NODES {
                self.expand(game, &state, node, side);
                let Node { first_child, n_children, .. } = self.nodes[node];
                if n_children > 0 {
                    node = first_child as usize + rng.below(n_children as usize);
                    (_, side) = step(game, &mut state, side, self.nodes[node].action);
                    self.path.push(node as u32);
                }
                break;
            }
        }
        let results = play_out(game, &mut state, side, options, rng);
        for &node in &self.path {
            let node = &mut self.nodes[node as usize];
            node.visits += 1;
            node.wins += results[usize::from(node.mover)];
        }
    }

    fn select(&self, node: usize) -> usize {
        let Node { first_child, n_children, mover, visits, .. } = self.nodes[node];
        let first = first_child as usize;
        let log = 2.0 * libm::log(f64::from(visits.max(1)));
        let (mut best, mut best_score) = (first, f64::NEG_INFINITY);
        for (i, child) in self.nodes[first..first + n_children as usize].iter().enumerate() {
            if child.visits == 0 {
                return first + i;
            }
            let n = f64::from(child.visits);
            let mean = child.wins / n;
            let value = if child.mover == mover { mean } else { 1.0 - mean };
            let score = value + (log / n).sqrt();
            if score > best_score {
                (best, best_score) = (first + i, score);
            }
        }
        best
    }

    /// Rates random turns by short playouts. A turn that wins is taken at once.
    fn random_plan(
        &mut self,
        game: &Tubstap<W, N>,
        start: &State<W, N>,
        player: Player,
        context: &mut Context<'_>,
        options: &mut Options<W, N>,
    ) -> Vec<Action> {
        let cpu = self.settings.cpu_per_turn.map(|cpu| cpu.mul_f64(RANDOM_SHARE));
        let mut meter = budget(self.settings.random_turns, cpu).begin(context.stop);
        let own = player.index();
        let (mut best, mut best_rating) = (Vec::new(), f64::NEG_INFINITY);
        while meter.another() {
            let mut state = *start;
            let plan = self.random_turn(game, &mut state, player, context.rng);
            if game.is_wiped_out(&state, own ^ 1) {
                return plan;
            }
            game.refresh(&mut state, own);
            let mut rating = 0.0;
            for _ in 0..self.settings.rating_playouts {
                let mut end = state;
                for side in [own ^ 1, own] {
                    let player = Player(side as u8);
                    game.play_turn_attack_first(&mut end, player, PLAYOUT, options, context.rng);
                    game.refresh(&mut end, side);
                }
                rating += lead(game, &end, own);
            }
            if rating > best_rating {
                (best, best_rating) = (plan, rating);
            }
        }
        best
    }

    /// A complete turn, each action uniform over all that there are.
    fn random_turn(
        &mut self,
        game: &Tubstap<W, N>,
        state: &mut State<W, N>,
        player: Player,
        rng: &mut Rng,
    ) -> Vec<Action> {
        let mut plan = Vec::new();
        while game.unfinished(state, player) != 0 && !game.is_wiped_out(state, player.index() ^ 1) {
            let action = game.draw_action(state, player, rng);
            if action == Action::END {
                continue;
            }
            game.act(state, action);
            plan.push(action);
        }
        plan
    }

    /// The mean result of playouts to the end after a plan.
    fn compare(
        &self,
        game: &Tubstap<W, N>,
        start: &State<W, N>,
        plan: &[Action],
        player: Player,
        options: &mut Options<W, N>,
        rng: &mut Rng,
    ) -> f64 {
        let own = player.index();
        let mut after = *start;
        plan.iter().for_each(|&action| game.act(&mut after, action));
        game.refresh(&mut after, own);
        after.turn += 1;
        let n = self.settings.comparing_playouts.max(1);
        let sum: f64 =
            (0..n).map(|_| play_out(game, &mut after.clone(), own ^ 1, options, rng)[own]).sum();
        sum / n as f64
    }
}

/// One action. Returns the side that acts next, and the side that would if it had not changed.
fn step<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &mut State<W, N>,
    side: usize,
    action: Action,
) -> (usize, usize) {
    game.act(state, action);
    if game.unfinished(state, Player(side as u8)) != 0 {
        return (side, side);
    }
    game.refresh(state, side);
    state.turn += 1;
    (side ^ 1, side)
}

/// Plays to the end and returns what each side gets.
fn play_out<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &mut State<W, N>,
    mut side: usize,
    options: &mut Options<W, N>,
    rng: &mut Rng,
) -> [f64; 2] {
    while state.turn < game.rules().map.turn_limit {
        let wiped = [0, 1].map(|side| game.is_wiped_out(state, side));
        if wiped != [false, false] {
            return if wiped[0] { [0.0, 1.0] } else { [1.0, 0.0] };
        }
        game.play_turn_attack_first(state, Player(side as u8), PLAYOUT, options, rng);
        game.refresh(state, side);
        state.turn += 1;
        side ^= 1;
    }
    let n_units = game.rules().sides.map(|units| i64::from((state.alive & units).count_ones()));
    let lead = n_units[0] - n_units[1];
    let threshold = i64::from(game.rules().map.hp_threshold);
    if lead > threshold {
        [1.0, 0.0]
    } else if -lead > threshold {
        [0.0, 1.0]
    } else {
        [0.5, 0.5]
    }
}

/// The lead of a side in what its units cost, doubled if one side is wiped out.
fn lead<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    state: &State<W, N>,
    own: usize,
) -> f64 {
    let worth = game.rules().sides.map(|side| {
        bits(state.alive & side)
            .map(|unit| {
                let kind: Kind = game.rules().kinds[unit as usize];
                COST[kind as usize] * f64::from(state.hit_points[unit as usize])
            })
            .sum::<f64>()
    });
    let is_decided = game.is_wiped_out(state, 0) || game.is_wiped_out(state, 1);
    (worth[own] - worth[own ^ 1]) * if is_decided { 2.0 } else { 1.0 }
}

impl<const W: usize, const N: usize> Agent<Tubstap<W, N>> for M3Lee<W, N> {
    fn choose(
        &mut self,
        game: &Tubstap<W, N>,
        state: &State<W, N>,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Action>, Forfeit> {
        if let Some(action) = self.plan.next(game, state) {
            return Ok(decided(action, None, 1, 0));
        }
        check_turn(game, state, player)?;
        let mut options = Options::default();
        let searched = self.search_plan(game, state, player, context, &mut options);
        let nodes = self.nodes.len() as u64;
        let random = self.random_plan(game, state, player, context, &mut options);
        let rating = |plan: &[Action], options: &mut Options<W, N>, rng: &mut Rng| {
            self.compare(game, state, plan, player, options, rng)
        };
        let searched_rating = rating(&searched, &mut options, context.rng);
        let random_rating = rating(&random, &mut options, context.rng);
        let is_random_better = random_rating > searched_rating;
        let plan = if is_random_better { &random } else { &searched };
        self.plan.set(state, plan);
        let action = self.plan.next(game, state).unwrap_or(Action::END);
        let value = searched_rating.max(random_rating);
        Ok(decided(action, Some(value), self.settings.playouts.min(nodes), nodes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_widens_slowly() {
        let widths: Vec<usize> = [1, 2, 40, 100, 500, 2_999, 3_000, 6_000].map(width).to_vec();
        assert_eq!(widths, [1, 2, 2, 4, 9, 14, 14, 17]);
    }
}
