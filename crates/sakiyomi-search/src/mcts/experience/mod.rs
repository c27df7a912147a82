//! Experience: what iterations found in similar positions is lent to new nodes (Uemiya and Yokoyama).
//!
//! Every position that an iteration passes, in the tree and in the playout, becomes a code, and a table
//! adds up the payoffs by code. When a node is added to the tree, the entries whose code is within
//! a Hamming distance of the node's code are lent to it: their visits and payoffs count in the UCB
//! value of the arm that leads there, and their visits in the exploration term of the node's own arms.
//! They stand in columns of their own, so that the answer of a search counts real visits only.
//!
//! The paper adds all entries at full weight for good; that is [`ExperienceSettings::paper`]. Beyond
//! it, an entry may weigh less the farther away it is, the sum may be limited, and what is lent may
//! fade with the visits of the arm itself (as in M-MCTS, Xiao, Mei and Müller 2018).
//!
//! Where the paper says nothing: statistics are lent once, when the node is added; a node at which
//! the match is over gets none, because its payoffs are known; where players choose at once each
//! of them is lent the same visits; a node after chance has no arm that could be lent anything.
//! One table belongs to one tree and lives as long as the agent, which is one match.

mod encoding;
mod index;
mod probe;
mod survey;
mod table;

use sakiyomi_core::{Hints, Payoffs, Player, Rng};

pub use encoding::Encoding;
pub use index::{CodeIndex, codes_of_matches};
pub use probe::{PROBE_PLAYOUTS, ProbeReport, Trial, probe, try_encodings};

use encoding::Encoder;
pub(super) use survey::Survey;
use table::{Neighbour, Table};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExperienceSettings {
    pub encoding: Encoding,
    /// The largest Hamming distance of similar positions, up to [`MAX_DISTANCE`].
    pub distance: u32,
    /// An entry counts with this to the power of its distance.
    pub fade: f64,
    /// Visits that are lent at most.
    pub most: Option<f64>,
    /// What is lent counts half after this number of visits of the arm itself.
    pub half: Option<f64>,
    /// What is lent is multiplied with this.
    pub trust: f64,
    /// Positions of a playout that are remembered, from its beginning; all if none is given.
    pub reach: Option<u32>,
    pub decide: Decide,
}

/// Who decides how experience is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decide {
    /// The settings.
    Settings,
    /// A probe before the first decision, which chooses between distance 2 and 0; see [`probe`].
    Switch,
    /// Two probes, which choose between distance 2 and 0 by how well what is lent foretells payoffs.
    Payoffs,
    /// Trials before the first decision, which choose encoding, distance and trust, or go without, see
    /// [`try_encodings`], and how playouts go, if these are not said to.
    Auto,
}

/// Positions of a playout that weighted experience remembers. Later ones are hardly ever met again, and
/// remembering them takes several times as long as playing on.
const REACH: u32 = 10;
/// The largest distance at which neighbours are looked for.
pub const MAX_DISTANCE: u32 = 3;

impl ExperienceSettings {
    /// As the paper has it.
    pub fn paper(encoding: Encoding, distance: u32) -> ExperienceSettings {
        ExperienceSettings {
            encoding,
            distance,
            fade: 1.0,
            most: None,
            half: None,
            trust: 1.0,
            reach: None,
            decide: Decide::Settings,
        }
    }

    /// With weights, for encodings that are chosen by trials.
    pub fn weighted(encoding: Encoding, distance: u32) -> ExperienceSettings {
        ExperienceSettings {
            fade: 0.5,
            most: Some(5.0),
            half: Some(5.0),
            reach: Some(REACH),
            ..ExperienceSettings::paper(encoding, distance)
        }
    }

    /// Own visits of an arm are multiplied with this, and one added, to get what divides what is lent.
    pub(super) fn decay(&self) -> f32 {
        self.half.map_or(0.0, |half| 1.0 / half.max(1e-6) as f32)
    }
}

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
    pub(super) fn add(&mut self, other: &ExperienceCounts) {
        self.nodes += other.nodes;
        self.hits += other.hits;
        self.neighbours += other.neighbours;
        self.compared += other.compared;
        self.entries += other.entries;
    }
}

/// What is lent to a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lent {
    pub(super) visits: f64,
    /// Payoffs, added up.
    pub(super) sums: Payoffs,
}

/// The experience of one tree.
#[derive(Clone, Debug)]
pub(super) struct Experience {
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
    pub(super) fn new<G: Hints>(
        game: &G,
        settings: ExperienceSettings,
        memory: u64,
        rng: &mut Rng,
    ) -> Option<Experience> {
        let settings =
            ExperienceSettings { distance: settings.distance.min(MAX_DISTANCE), ..settings };
        let (n_players, n_bits) = (game.players(), settings.encoding.n_bits());
        Some(Experience {
            settings,
            encoder: Encoder::new(game, settings.encoding, rng)?,
            table: Table::new(n_players, n_bits, settings.distance, memory),
            codes: Vec::new(),
            found: Vec::new(),
            counts: ExperienceCounts::default(),
            survey: None,
        })
    }

    /// Begins a search from this position.
    pub(super) fn begin<G: Hints>(&mut self, game: &G, root: &G::State) {
        let code = self.encoder.encode(game, root);
        self.codes.clear();
        self.codes.push(code);
        if let Some(survey) = &mut self.survey {
            survey.begin();
        }
    }

    /// The match goes on to this position.
    pub(super) fn advance<G: Hints>(&mut self, game: &G, state: &G::State) {
        if let Some(survey) = &mut self.survey {
            survey.advance(self.encoder.encode(game, state));
        }
    }

    /// Begins an iteration.
    pub(super) fn restart(&mut self) {
        self.codes.truncate(1);
        if let Some(survey) = &mut self.survey {
            survey.restart();
        }
    }

    /// Passes a position.
    #[inline]
    pub(super) fn pass<G: Hints>(&mut self, game: &G, state: &G::State) {
        let code = self.encoder.encode(game, state);
        self.codes.push(code);
        if let Some(survey) = &mut self.survey {
            survey.pass(code);
        }
    }

    /// What similar positions lend to the position that was passed last, if there are any. `value`
    /// gives what a player could expect of it without them.
    pub(super) fn lend(&mut self, value: impl Fn() -> Option<(Player, f64)>) -> Option<Lent> {
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
    pub(super) fn finish(&mut self, payoffs: &Payoffs) {
        for (i, &code) in self.codes.iter().enumerate() {
            let mark = self.survey.as_ref().map_or(0, |survey| survey.path_at(i));
            self.table.add(code, payoffs, mark);
        }
        if let Some(survey) = &mut self.survey {
            survey.finish(payoffs);
        }
    }

    /// From now on it is measured how far similar positions are, and how well their values agree.
    pub(super) fn keep_survey(&mut self) {
        self.survey = Some(Survey::default());
    }

    fn codes(&self) -> impl Iterator<Item = u64> + '_ {
        self.table.codes()
    }

    pub(super) fn survey(&self) -> Option<&Survey> {
        self.survey.as_ref()
    }

    pub(super) fn counts(&self) -> ExperienceCounts {
        ExperienceCounts { entries: self.table.len() as u64, ..self.counts }
    }
}

#[cfg(test)]
mod tests;
