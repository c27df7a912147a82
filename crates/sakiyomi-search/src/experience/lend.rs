//! The experience of one tree: it remembers what iterations find, and lends it to new nodes.

use sakiyomi_core::{Hints, Payoffs, Player, Rng};

use super::encoding::Encoder;
use super::settings::{ExperienceSettings, MAX_DISTANCE};
use super::survey::Survey;
use super::table::{Lent, Neighbour, Table};

/// How often experience was of use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExperienceCounts {
    /// Nodes for which neighbours were looked for.
    pub nodes: u64,
    /// Those that had any.
    pub hits: u64,
    /// Entries that were found, over all nodes.
    pub neighbours: u64,
    /// Entries that were compared to find them.
    pub compared: u64,
    /// Entries in the tables.
    pub entries: u64,
}

impl ExperienceCounts {
    pub(crate) fn add(&mut self, other: &ExperienceCounts) {
        self.nodes += other.nodes;
        self.hits += other.hits;
        self.neighbours += other.neighbours;
        self.compared += other.compared;
        self.entries += other.entries;
    }
}

/// The experience of one tree.
#[derive(Clone, Debug)]
pub(crate) struct Experience {
    settings: ExperienceSettings,
    encoder: Encoder,
    table: Table,
    /// The codes of the positions of this iteration; the first one is that of the root.
    codes: Vec<u64>,
    found: Vec<Neighbour>,
    counts: ExperienceCounts,
    survey: Option<Survey>,
}

impl Experience {
    /// None for a game without cells.
    pub(crate) fn new<G: Hints>(
        game: &G,
        settings: ExperienceSettings,
        memory: u64,
        rng: &mut Rng,
    ) -> Option<Experience> {
        let encoder = Encoder::new(game, settings.encoding, rng)?;
        Some(Experience::with(encoder, game.players(), settings, memory))
    }

    fn with(
        encoder: Encoder,
        n_players: usize,
        settings: ExperienceSettings,
        memory: u64,
    ) -> Experience {
        let settings =
            ExperienceSettings { distance: settings.distance.min(MAX_DISTANCE), ..settings };
        let n_bits = settings.encoding.n_bits();
        Experience {
            settings,
            encoder,
            table: Table::new(n_players, n_bits, settings.distance, memory),
            codes: Vec::new(),
            found: Vec::new(),
            counts: ExperienceCounts::default(),
            survey: None,
        }
    }

    /// Begins a search from this position.
    pub(crate) fn begin<G: Hints>(&mut self, game: &G, root: &G::State) {
        let code = self.encoder.encode(game, root);
        self.begin_at(code);
    }

    fn begin_at(&mut self, code: u64) {
        self.codes.clear();
        self.codes.push(code);
        if let Some(survey) = &mut self.survey {
            survey.begin();
        }
    }

    /// The match goes on to this position.
    pub(crate) fn advance<G: Hints>(&mut self, game: &G, state: &G::State) {
        if let Some(survey) = &mut self.survey {
            survey.advance(self.encoder.encode(game, state));
        }
    }

    /// Begins an iteration.
    pub(crate) fn restart(&mut self) {
        self.codes.truncate(1);
        if let Some(survey) = &mut self.survey {
            survey.restart();
        }
    }

    /// Passes a position.
    #[inline]
    pub(crate) fn pass<G: Hints>(&mut self, game: &G, state: &G::State) {
        let code = self.encoder.encode(game, state);
        self.pass_code(code);
    }

    fn pass_code(&mut self, code: u64) {
        self.codes.push(code);
        if let Some(survey) = &mut self.survey {
            survey.pass(code);
        }
    }

    /// What similar positions lend to the position that was passed last, if there are any. `value`
    /// gives what a player could expect of it without them.
    pub(crate) fn lend(&mut self, value: impl Fn() -> Option<(Player, f64)>) -> Option<Lent> {
        let code = *self.codes.last()?;
        self.counts.nodes += 1;
        self.counts.compared += self.table.neighbours(code, &mut self.found) as u64;
        self.counts.neighbours += self.found.len() as u64;
        if self.found.is_empty() {
            return None;
        }
        self.counts.hits += 1;
        let lent = self.weigh();
        if let Some(survey) = &mut self.survey {
            survey.hit(&self.table, &self.found, &lent, value());
        }
        Some(lent)
    }

    fn weigh(&self) -> Lent {
        let ExperienceSettings { fade, most, trust, .. } = self.settings;
        let mut lent = Lent { visits: 0.0, sums: Payoffs::default() };
        for &Neighbour { entry, distance } in &self.found {
            let weight = trust * fade.powi(distance as i32);
            lent.visits += weight * f64::from(self.table.visits(entry));
            for (i, &sum) in self.table.sums(entry).iter().enumerate() {
                lent.sums[Player(i as u8)] += weight * f64::from(sum);
            }
        }
        match most.map(|most| trust * most) {
            Some(most) if lent.visits > most => {
                let share = most / lent.visits;
                let mut sums = Payoffs::default();
                sums.add_scaled(&lent.sums, share);
                Lent { visits: most, sums }
            }
            _ => lent,
        }
    }

    /// Adds the payoffs of an iteration to all positions that it passed.
    pub(crate) fn finish(&mut self, payoffs: &Payoffs) {
        for (i, &code) in self.codes.iter().enumerate() {
            let mark = self.survey.as_ref().map_or(0, |survey| survey.path_at(i));
            self.table.add(code, payoffs, mark);
        }
        if let Some(survey) = &mut self.survey {
            survey.finish(payoffs);
        }
    }

    /// From now on it is measured how far similar positions are, and how well their values agree.
    pub(crate) fn keep_survey(&mut self) {
        self.survey = Some(Survey::default());
    }

    pub(crate) fn survey(&self) -> Option<&Survey> {
        self.survey.as_ref()
    }

    pub(crate) fn counts(&self) -> ExperienceCounts {
        ExperienceCounts { entries: self.table.len() as u64, ..self.counts }
    }
}
