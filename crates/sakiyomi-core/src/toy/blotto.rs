//! Colonel Blotto: a game whose actions are too many to list.

use std::array;

use crate::{Encode, Game, Hints, Orders, Payoffs, Player, Players, Rng, Show, Turn, View};

/// The most soldiers that a player may command.
pub const MAX_SOLDIERS: usize = 12;

/// Two players post their soldiers at the same time, and each post is taken by the one who has more
/// soldiers there. The payoff is the share of posts; those with equal numbers are shared.
///
/// A player has `n_posts` to the power of `n_soldiers` actions, so [`Game::actions`] names only the
/// ones that send all soldiers to the same post. Each soldier is an agent of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blotto {
    n_soldiers: usize,
    n_posts: u8,
}

/// The post of every soldier; soldiers that do not exist have post 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Posting(pub [u8; MAX_SOLDIERS]);

impl Blotto {
    /// At least one soldier and one post, and at most [`MAX_SOLDIERS`].
    pub fn new(n_soldiers: usize, n_posts: u8) -> Blotto {
        Blotto { n_soldiers: n_soldiers.clamp(1, MAX_SOLDIERS), n_posts: n_posts.max(1) }
    }

    fn posting(&self, post: impl FnMut(usize) -> u8) -> Posting {
        let mut posts: [u8; MAX_SOLDIERS] = array::from_fn(post);
        posts[self.n_soldiers..].fill(0);
        Posting(posts)
    }

    fn n_at(&self, posting: Posting, post: u8) -> usize {
        posting.0[..self.n_soldiers].iter().filter(|&&other| other == post).count()
    }
}

impl Game for Blotto {
    type State = Option<[Posting; 2]>;
    type Action = Posting;

    fn players(&self) -> usize {
        2
    }

    fn start(&self) -> Self::State {
        None
    }

    fn turn(&self, state: &Self::State) -> Turn {
        let Some([first, second]) = *state else { return Turn::Choose(Players::all(2)) };
        let score = |post: u8| match self.n_at(first, post).cmp(&self.n_at(second, post)) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        };
        let share = (0..self.n_posts).map(score).sum::<f64>() / f64::from(self.n_posts);
        Turn::Over(Payoffs::of([share, 1.0 - share]))
    }

    fn actions(&self, _: &Self::State, _: Player, out: &mut Vec<Posting>) {
        out.extend((0..self.n_posts).map(|post| self.posting(|_| post)));
    }

    fn apply(&self, state: &mut Self::State, actions: &[Posting]) {
        *state = Some([actions[0], actions[1]]);
    }

    fn lists_all_actions(&self) -> bool {
        false
    }

    fn legal(&self, state: &Self::State, player: Player, posting: Posting) -> bool {
        let (posts, others) = posting.0.split_at(self.n_soldiers);
        state.is_none()
            && player.index() < 2
            && posts.iter().all(|&post| post < self.n_posts)
            && others.iter().all(|&post| post == 0)
    }

    fn random_action(
        &self,
        _: &Self::State,
        _: Player,
        _: &mut Vec<Posting>,
        rng: &mut Rng,
    ) -> Posting {
        self.posting(|_| rng.below(self.n_posts.into()) as u8)
    }

    fn constant_sum(&self) -> bool {
        true
    }
}

impl Hints for Blotto {}

impl Orders for Blotto {
    fn agents(&self, _: &Self::State, _: Player) -> usize {
        self.n_soldiers
    }

    fn orders(&self, state: &Self::State, player: Player, _: usize, out: &mut Vec<Posting>) {
        self.actions(state, player, out);
    }

    fn combine(&self, _: &Self::State, _: Player, orders: &[Posting]) -> Posting {
        self.posting(|soldier| orders.get(soldier).map_or(0, |order| order.0[soldier]))
    }
}

impl Encode for Blotto {}

impl Show for Blotto {
    fn action_text(&self, _: &Self::State, _: Player, Posting(posts): Posting) -> String {
        let posts: Vec<String> = posts[..self.n_soldiers].iter().map(u8::to_string).collect();
        posts.join(" ")
    }

    fn view(&self, state: &Self::State) -> View {
        let caption = if state.is_none() { "both post their soldiers" } else { "over" };
        View { caption: caption.into(), ..View::default() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{PlayoutOptions, Scratch};

    /// All combinations of orders are the legal actions, and random actions reach every one.
    #[test]
    fn orders_combine_to_all_actions() {
        let game = Blotto::new(3, 4);
        let start = game.start();
        let orders: Vec<Vec<Posting>> = (0..game.agents(&start, Player(0)))
            .map(|agent| {
                let mut orders = Vec::new();
                game.orders(&start, Player(0), agent, &mut orders);
                orders
            })
            .collect();
        assert_eq!(orders.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4, 4]);
        let mut combined = HashSet::new();
        for (&a, &b, &c) in orders[0].iter().flat_map(|a| {
            let (second, third) = (&orders[1], &orders[2]);
            second.iter().flat_map(move |b| third.iter().map(move |c| (a, b, c)))
        }) {
            let action = game.combine(&start, Player(0), &[a, b, c]);
            assert_eq!([0, 1, 2].map(|i| action.0[i]), [a.0[0], b.0[1], c.0[2]]);
            assert!(game.legal(&start, Player(0), action));
            combined.insert(action);
        }
        assert_eq!(combined.len(), 64);
        let mut rng = Rng::new(1);
        let mut draw = || game.random_action(&start, Player(1), &mut Vec::new(), &mut rng);
        let drawn: HashSet<Posting> = (0..2_000).map(|_| draw()).collect();
        assert_eq!(drawn, combined);
        assert!(!game.legal(&start, Player(0), Posting([4; MAX_SOLDIERS])), "there is no post 4");
        let mut over = start;
        game.apply(&mut over, &[Posting([0; MAX_SOLDIERS]); 2]);
        assert!(!game.legal(&over, Player(0), Posting([0; MAX_SOLDIERS])), "it is over");
    }

    /// Playouts draw from all 10^12 actions and not from those that are listed.
    #[test]
    fn playouts_do_not_rely_on_lists() {
        let game = Blotto::new(12, 10);
        let (mut rng, mut scratch) = (Rng::new(2), Scratch::default());
        let options = PlayoutOptions { round_limit: Some(5), ..PlayoutOptions::default() };
        let is_listed = |posting: &Posting| posting.0.iter().all(|&post| post == posting.0[0]);
        for guided in [false, true] {
            let mut sum = 0.0;
            for _ in 0..300 {
                let mut state = game.start();
                sum += match guided {
                    false => game.playout(&mut state, &mut scratch, &mut rng),
                    true => game.guided_playout(&mut state, &options, &mut scratch, &mut rng),
                }[Player(0)];
                assert!(!state.unwrap().iter().any(is_listed));
            }
            assert!((sum / 300.0 - 0.5).abs() < 0.05, "{sum}");
        }
    }

    /// In a game without agents an action is the one order of the one agent.
    #[test]
    fn a_plain_game_has_one_agent() {
        let toy = crate::toy::Toy::read("start: 0 a -> 1 0  b -> 0 1").unwrap();
        let (mut actions, mut orders) = (Vec::new(), Vec::new());
        toy.actions(&0, Player(0), &mut actions);
        toy.orders(&0, Player(0), 0, &mut orders);
        assert_eq!((toy.agents(&0, Player(0)), &orders), (1, &actions));
        assert_eq!(toy.combine(&0, Player(0), &orders[1..]), actions[1]);
        assert!(toy.legal(&0, Player(0), actions[1]) && !toy.legal(&0, Player(1), actions[1]));
        assert!(!toy.legal(&1, Player(0), actions[1]), "it is over");
    }
}
