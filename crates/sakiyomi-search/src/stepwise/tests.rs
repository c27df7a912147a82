use super::*;
use sakiyomi_core::{Game, Hints, Payoffs, Players};

/// One player takes one of some prizes.
struct Prizes(Vec<f64>);

impl Game for Prizes {
    type State = Option<u8>;
    type Action = u8;

    fn players(&self) -> usize {
        1
    }

    fn start(&self) -> Option<u8> {
        None
    }

    fn turn(&self, state: &Option<u8>) -> Turn {
        match state {
            Some(taken) => Turn::Over(Payoffs::uniform(1, self.0[usize::from(*taken)])),
            None => Turn::Choose(Players::one(Player(0))),
        }
    }

    fn actions(&self, _: &Option<u8>, _: Player, out: &mut Vec<u8>) {
        out.extend(0..self.0.len() as u8);
    }

    fn apply(&self, state: &mut Option<u8>, actions: &[u8]) {
        *state = Some(actions[0]);
    }
}

impl Hints for Prizes {}

impl Encode for Prizes {
    fn n_action_indices(&self) -> usize {
        self.0.len()
    }

    fn action_index(&self, _: &Option<u8>, _: Player, action: u8) -> Option<usize> {
        Some(action.into())
    }
}

fn decide(game: &Prizes, settings: StepSettings, priors: &[f32], rng: &mut Rng) -> StepAnswer<u8> {
    let mut search = StepSearch::<Prizes>::new(settings, None);
    search.begin(&None);
    while search.next_leaf(game).unwrap().is_some() {
        search.supply(game, priors, 0.5, rng).unwrap();
    }
    search.answer()
}

fn gumbel_rule(simulations: u32, considered: usize) -> StepSettings {
    StepSettings { simulations, rule: StepRule::Gumbel { considered, is_noisy: true } }
}

#[test]
fn the_schedule_halves_what_is_considered() {
    assert_eq!(halving_schedule(4, 16), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    assert_eq!(halving_schedule(1, 3), [0, 1, 2]);
    assert_eq!(halving_schedule(8, 5).len(), 5);
}

/// The property of the paper: with exact values the action that is taken is on average no worse than one drawn from
/// the prior, even with two simulations, and better wherever something can be gained.
#[test]
fn few_simulations_improve_the_policy() {
    let mut rng = Rng::new(11);
    for simulations in [2, 4, 8, 16] {
        for trial in 0..20 {
            let prizes: Vec<f64> = (0..8).map(|_| rng.unit()).collect();
            let priors: Vec<f32> = (0..8).map(|_| rng.unit() as f32 + 0.01).collect();
            let sum: f32 = priors.iter().sum();
            let before: f64 = prizes.iter().zip(&priors).map(|(v, p)| v * f64::from(p / sum)).sum();
            let game = Prizes(prizes);
            let n = 400;
            let settings = gumbel_rule(simulations, simulations as usize);
            let taken: f64 = (0..n)
                .map(|_| game.0[usize::from(decide(&game, settings, &priors, &mut rng).action)])
                .sum();
            let after = taken / f64::from(n);
            // Four standard errors of prizes between 0 and 1.
            assert!(after > before - 0.06, "{simulations}, {trial}: {before} to {after}");
            assert!(simulations < 8 || after > before + 0.05, "{simulations}: {before} to {after}");
        }
    }
}

#[test]
fn the_improved_policy_has_a_higher_value_than_the_prior() {
    let mut rng = Rng::new(5);
    for _ in 0..50 {
        let game = Prizes((0..6).map(|_| rng.unit()).collect());
        let priors = [1.0; 6];
        let answer = decide(&game, gumbel_rule(6, 6), &priors, &mut rng);
        let shares: f32 = answer.policy.iter().map(|(_, share)| share).sum();
        assert!((shares - 1.0).abs() < 1e-4);
        let value: f64 =
            answer.policy.iter().map(|&(a, share)| game.0[usize::from(a)] * f64::from(share)).sum();
        let mean: f64 = game.0.iter().sum::<f64>() / 6.0;
        assert!(value > mean, "{value} against {mean}");
    }
}

#[test]
fn puct_visits_the_best_prize_most() {
    let game = Prizes(vec![0.1, 0.9, 0.4]);
    let rule = StepRule::Puct { c: 0.5, noise: None };
    let settings = StepSettings { simulations: 60, rule };
    let answer = decide(&game, settings, &[1.0, 0.2, 1.0], &mut Rng::new(1));
    assert_eq!(answer.action, 1);
    assert!(answer.policy[1].1 > 0.5 && answer.value > 0.6, "{answer:?}");
}
