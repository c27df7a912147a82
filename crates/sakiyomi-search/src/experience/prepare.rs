//! A tree search that decides before the match whether and how experience is used, by games against
//! itself.
//!
//! The papers' ways are in `papers.rs`. Ours are trials: they measure how well the payoffs of
//! similar positions foretell the payoff of the iteration that adds a node, beyond the mean of the
//! node above. With x the difference between what is lent and that mean, and y the difference
//! between the payoff and that mean, the best multiple of x explains (sum xy)^2 / sum x^2 of the
//! squared error. The setting that explains most, per node, is chosen; the multiple is how far it
//! is trusted, from 0 to 1.
//!
//! Rehearsals (see `rehearsal.rs`) tell how to play out, and in equal time whether experience,
//! which the survey judges by playouts alone, is worth its time.
//!
//! All of it is limited: in playouts, and where decisions are limited in time, in time as well.

use std::fmt::Write;

use sakiyomi_core::{
    Agent, Choice, Context, Forfeit, Game, Hints, Insight, Player, Preparation, Rng, Stop, Watch,
};

use super::encoding::Encoding;
use super::papers::{PLIES, PROBE_PLAYOUTS, ProbeSettings, switch_by_distance, switch_by_payoffs};
use super::rehearsal::{Bar, LONG, Play, Rehearsals, counts_playouts, play, with_experience};
use super::settings::ExperienceSettings;
use super::survey::{Agreement, Fit};
use crate::mcts::agent::Mcts;
use crate::mcts::playout::policy::PlayoutPolicy;
use crate::mcts::settings::MctsSettings;

/// What is decided before the match, and by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prepare {
    /// Trials choose encoding, distance and trust, or go without, and how playouts go, if these are
    /// not said to.
    Trials,
    /// The paper's probe chooses between distance 2 and 0, by where similar positions are.
    Distances,
    /// Two probes choose between distance 2 and 0, by how well what is lent foretells payoffs.
    Payoffs,
}

/// Games of a trial. All trials together cost less than the probe of the paper.
const TRIAL_GAMES: u64 = 2;
/// The settings that trials compare.
const CANDIDATES: [(Encoding, u32); 3] =
    [(Encoding::Huffman, 0), (Encoding::Order, 2), (Encoding::OneHot, 2)];
/// Slope, in standard errors, below which a trial shows nothing.
const MIN_STANDARD_ERRORS: f64 = 2.0;

/// The agent. It gets ready before its first decision, with a budget beside that of the decision.
#[derive(Debug)]
pub struct Prepared<G: Game> {
    prepare: Prepare,
    settings: MctsSettings,
    search: Option<Mcts<G>>,
    preparation: Option<Preparation>,
}

impl<G: Hints> Prepared<G> {
    pub fn new(prepare: Prepare, settings: MctsSettings) -> Prepared<G> {
        Prepared { prepare, settings, search: None, preparation: None }
    }

    /// The search, once it is ready.
    fn ready(&mut self, game: &G, context: &mut Context<'_>) -> &mut Mcts<G> {
        self.search.get_or_insert_with(|| {
            let stop = context.stop;
            let play: &Play<'_> = &|seats, meter, rng| play(game, seats, meter, stop, rng);
            let Prepared { prepare, settings, .. } = self;
            let done = prepare.decide(settings, game.players(), play, context.rng, stop);
            self.preparation = Some(done);
            Mcts::new(self.settings)
        })
    }
}

impl<G: Hints> Agent<G> for Prepared<G> {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        self.ready(game, context).choose(game, state, player, context)
    }

    fn choose_watched(
        &mut self,
        game: &G,
        state: &G::State,
        player: Player,
        context: &mut Context<'_>,
        watch: &mut Watch<'_, G::Action>,
    ) -> Result<Choice<G::Action>, Forfeit> {
        self.ready(game, context).choose_watched(game, state, player, context, watch)
    }

    fn prepare(&mut self, game: &G, context: &mut Context<'_>) {
        self.ready(game, context);
    }

    fn preparation(&self) -> Option<Preparation> {
        self.preparation.clone()
    }

    fn insight(&self, game: &G, state: &G::State, places: usize) -> Option<Insight<G::Action>> {
        self.search.as_ref()?.insight(game, state, places)
    }

    fn observe(&mut self, game: &G, before: &G::State, actions: &[G::Action]) {
        if let Some(search) = &mut self.search {
            search.observe(game, before, actions);
        }
    }
}

impl Prepare {
    /// Decides about the settings, and says what was found.
    fn decide(
        self,
        settings: &mut MctsSettings,
        n_players: usize,
        play: &Play<'_>,
        rng: &mut Rng,
        stop: &Stop,
    ) -> Preparation {
        let rehearsals = |search| Rehearsals::new(play, n_players, search, stop);
        let probe = |search| rehearsals(search).probe(ProbeSettings::default(), rng);
        match self {
            Prepare::Distances => switch_by_distance(settings, probe),
            Prepare::Payoffs => switch_by_payoffs(settings, probe),
            Prepare::Trials => rehearsals(*settings).decide_by_trials(settings, rng),
        }
    }
}

/// What a trial of a setting found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trial {
    pub(super) settings: ExperienceSettings,
    /// Squared error that is explained, per node.
    pub(super) explained: f64,
    /// The best multiple of what is lent, and its standard error.
    pub(super) slope: f64,
    pub(super) slope_error: f64,
}

impl Trial {
    fn of(settings: ExperienceSettings, fit: Fit) -> Trial {
        let Fit { explained, slope, slope_error } = fit;
        Trial { settings, explained, slope, slope_error }
    }

    /// The settings to play with, if what was lent has shown to be of use.
    pub(super) fn settings(&self) -> Option<ExperienceSettings> {
        let is_clear = self.slope > MIN_STANDARD_ERRORS * self.slope_error;
        is_clear.then(|| ExperienceSettings { trust: self.slope.min(1.0), ..self.settings })
    }
}

impl Rehearsals<'_> {
    fn decide_by_trials(&mut self, settings: &mut MctsSettings, rng: &mut Rng) -> Preparation {
        let mut found = String::new();
        if settings.playout.policy == PlayoutPolicy::Uniform && settings.playout.options.is_plain()
        {
            settings.playout.policy = self.choose_policy(rng, &mut found);
            self.search = *settings;
        }
        let mut experience = self.trials(rng).first().and_then(Trial::settings);
        if experience.is_some() && !counts_playouts(&settings.budget) {
            let both = [experience, None].map(|experience| with_experience(*settings, experience));
            let score = self.rehearse(LONG, both, rng);
            let _ = score.map(|score| write!(found, "experience {score}, "));
            let is_worth_it = score.is_some_and(|score| score.reaches(Bar::BeyondLuck));
            experience = experience.filter(|_| is_worth_it);
        }
        *settings = with_experience(*settings, experience);
        let _ = match experience {
            Some(ExperienceSettings { encoding, distance, trust, .. }) => {
                write!(found, "{encoding:?} codes, d={distance}, trust {trust:.2}")
            }
            None => write!(found, "no experience"),
        };
        Preparation { found, playouts: self.playouts, cpu: self.meter.cpu_time() }
    }

    /// Tries several settings, and returns what each has shown, the best one first.
    pub(super) fn trials(&mut self, rng: &mut Rng) -> Vec<Trial> {
        let mut trials = Vec::new();
        for (encoding, distance) in CANDIDATES {
            let settings = ExperienceSettings::weighted(encoding, distance);
            let mut agreement = Agreement::default();
            for _ in 0..TRIAL_GAMES {
                let surveys = self.survey(settings, PROBE_PLAYOUTS, PLIES, rng);
                surveys.iter().for_each(|(survey, _)| agreement.add(&survey.agreement));
            }
            trials.push(Trial::of(settings, agreement.fit()));
        }
        trials.sort_by(|a, b| b.explained.total_cmp(&a.explained));
        trials
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_must_be_clear_to_be_trusted() {
        let settings = ExperienceSettings::weighted(Encoding::OneHot, 2);
        let trial = Trial { settings, explained: 0.1, slope: 0.5, slope_error: 0.2 };
        assert_eq!(trial.settings(), Some(ExperienceSettings { trust: 0.5, ..settings }));
        assert_eq!(Trial { slope: 0.3, ..trial }.settings(), None);
        let steep = Trial { slope: 1.7, ..trial };
        assert_eq!(steep.settings(), Some(ExperienceSettings { trust: 1.0, ..settings }));
    }
}
