//! Simultaneous perturbation stochastic approximation, after J. C. Spall, "An overview of the
//! simultaneous perturbation method for efficient optimization" (1998): in each step all parameters
//! are moved at once, by one draw of signs, to both sides, and the side that wins is followed. Its
//! exponents are Spall's; the gains are for scores and places from 0 to 1.

use sakiyomi_core::Rng;

/// How far the two sides of the first step are from the middle.
const WIDTH: f64 = 0.15;
/// How far a step goes that one side wins by all games, in places.
const LENGTH: f64 = 0.1;

pub(super) struct Spsa {
    place: Vec<f64>,
    signs: Vec<f64>,
    step: u32,
    steps: u32,
    seed: u64,
    /// The places of the second half of all steps added up, and their number.
    sum: Vec<f64>,
    n: u32,
}

impl Spsa {
    pub(super) fn new(start: Vec<f64>, steps: u32, seed: u64) -> Spsa {
        let zeros = vec![0.0; start.len()];
        Spsa { signs: zeros.clone(), sum: zeros, place: start, step: 0, steps, seed, n: 0 }
    }

    /// The two places that meet in a step.
    pub(super) fn ask(&mut self, step: u32) -> [Vec<f64>; 2] {
        let mut rng = Rng::stream(&[self.seed, u64::from(step)]);
        self.step = step;
        self.signs = self.place.iter().map(|_| if rng.unit() < 0.5 { -1.0 } else { 1.0 }).collect();
        let width = self.width();
        let side = |way: f64| {
            let moved = self.place.iter().zip(&self.signs);
            moved.map(|(place, sign)| (place + way * sign * width).clamp(0.0, 1.0)).collect()
        };
        [side(1.0), side(-1.0)]
    }

    /// Follows the side that won; `score` is that of the first place.
    pub(super) fn tell(&mut self, score: f64) {
        let slowed = f64::from(self.step + 1 + self.steps / 10) / f64::from(1 + self.steps / 10);
        let length = LENGTH * (2.0 * score - 1.0) / libm::pow(slowed, 0.602);
        for (place, sign) in self.place.iter_mut().zip(&self.signs) {
            *place = (*place + length * sign).clamp(0.0, 1.0);
        }
        if self.step * 2 >= self.steps {
            self.n += 1;
            self.sum.iter_mut().zip(&self.place).for_each(|(sum, place)| *sum += place);
        }
    }

    fn width(&self) -> f64 {
        WIDTH / libm::pow(f64::from(self.step + 1), 0.101)
    }

    /// The mean place of the second half, which wanders less than the last one.
    pub(super) fn mean(&self) -> Vec<f64> {
        match self.n {
            0 => self.place.clone(),
            n => self.sum.iter().map(|sum| sum / f64::from(n)).collect(),
        }
    }
}
