//! Whether a game is fair, by many games of several judges, and if not, why.

use sakiyomi_catalog::GameSpec;
use sakiyomi_core::stats::{Interval, Tally};
use sakiyomi_core::{Rng, Stop};
use serde::{Deserialize, Serialize};

use crate::series::{Series, play_series};
use crate::{Evidence, EvolveError, Fitness, GameRunner, Judge, NOISE, OPENING};

/// The 95 % interval of the first side's score must be within these.
pub const SCORE_RANGE: (f64, f64) = (0.4, 0.6);
/// Draws must be less than this share.
pub const MAX_DRAWS: f64 = 0.5;
/// At least this share of games must be won by a side.
const MIN_DECISIVE: f64 = 0.2;
/// What is far outside is not played to the end: until then the interval must touch these, or be
/// within the range.
const EARLY_RANGE: (f64, f64) = (0.45, 0.55);
/// The number of kinds of players that must find a game fair before it is called fair as it is.
const KINDS: usize = 4;
const BATCH: u64 = 50;
const FAIRNESS: u64 = 3;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FairnessSettings {
    /// Games of each judge.
    pub games: u64,
    pub seed: u64,
    /// Who must find it fair, which ends as soon as that cannot be; without it everyone, and all
    /// games are played.
    pub quorum: Option<Quorum>,
}

/// How many judges must find a game fair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quorum {
    /// The first of the judges, each of them.
    pub first: usize,
    /// Of all judges this number, the first included.
    pub of_all: usize,
}

/// What all judges say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fairness {
    pub judges: Vec<JudgeFairness>,
    /// Whether every judge calls it fair, or those that were asked to.
    pub is_fair: bool,
}

/// What one judge says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeFairness {
    pub judge: String,
    pub games: u64,
    /// Wins of each side and draws.
    pub wins: [u64; 2],
    pub draws: u64,
    /// Wins of each side by wipe-out, and by judgement at the limit of turns.
    pub wipe_outs: [u64; 2],
    pub judgements: [u64; 2],
    /// The score of the side that moves first, with its 95 % interval.
    pub score: f64,
    pub interval: Interval,
    /// The paper's fitness.
    pub paper_fitness: f64,
    /// Steps in which a side chose: in TUBSTAP actions of single units, of which a turn has several.
    #[serde(alias = "mean_turns")]
    pub mean_actions: f64,
    /// Different courses of play among the games.
    pub distinct: usize,
    pub compared: usize,
    /// Nothing if it is fair.
    pub unfair: Vec<Unfair>,
}

/// Why a game is not fair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unfair {
    /// The first side scores too much, or too little.
    FirstSide,
    SecondSide,
    /// The interval is too wide to tell: more games are needed.
    Undecided,
    Draws,
    /// Always the same game.
    OneCourse,
}

impl JudgeFairness {
    pub fn of(judge: &Judge, evidence: &Evidence) -> JudgeFairness {
        let Tally { wins, draws, losses } = evidence.tally;
        let interval = evidence.tally.interval();
        let score = evidence.tally.score().unwrap_or(0.5);
        let (distinct, compared) = (evidence.distinct(), evidence.keys.len());
        let mut unfair = Vec::new();
        if interval.low > SCORE_RANGE.1 || interval.high < SCORE_RANGE.0 {
            unfair.push(if score > 0.5 { Unfair::FirstSide } else { Unfair::SecondSide });
        } else if interval.low < SCORE_RANGE.0 || interval.high > SCORE_RANGE.1 {
            unfair.push(Unfair::Undecided);
        }
        let decisive = 1.0 - evidence.draw_rate();
        if evidence.draw_rate() >= MAX_DRAWS || decisive < MIN_DECISIVE {
            unfair.push(Unfair::Draws);
        }
        if compared > 1 && distinct == 1 {
            unfair.push(Unfair::OneCourse);
        }
        let wins = [wins, losses];
        JudgeFairness {
            judge: judge.to_string(),
            games: evidence.games(),
            wins,
            draws,
            wipe_outs: evidence.wipe_outs,
            judgements: [0, 1].map(|side| wins[side] - evidence.wipe_outs[side]),
            score,
            interval,
            paper_fitness: Fitness::Paper.of(evidence),
            mean_actions: evidence.mean_actions(),
            distinct,
            compared,
            unfair,
        }
    }

    pub fn is_fair(&self) -> bool {
        self.unfair.is_empty()
    }

    /// Whether most of its games were played before.
    pub fn repeats(&self) -> bool {
        2 * self.distinct < self.compared
    }

    /// The name of its agent, and what its games begin with.
    fn kind_and_start(&self) -> (&str, String) {
        let (text, noise) = match self.judge.strip_suffix(NOISE) {
            Some(text) => (text, "with noise (hit points and places of units vary)"),
            None => (self.judge.as_str(), AS_IT_IS),
        };
        let (agent, opening) = text.split_once(OPENING).unwrap_or((text, "0"));
        let start = match opening {
            "0" => noise.to_owned(),
            "1" => format!("{noise}, after 1 random action of each side"),
            n => format!("{noise}, after {n} random actions of each side"),
        };
        (agent.split(':').next().unwrap_or(agent), start)
    }
}

const AS_IT_IS: &str = "as it is";

impl Fairness {
    /// The judges that call it fair.
    pub fn n_fair(&self) -> usize {
        self.judges.iter().filter(|judge| judge.is_fair()).count()
    }

    /// How the games began, and who played them.
    pub fn tested(&self) -> String {
        tested(&self.judges)
    }

    /// The verdict in words, which says what kind of fairness it is.
    pub fn verdict(&self) -> String {
        let fair = self.judges.iter().filter(|judge| judge.is_fair());
        let plain = fair.map(JudgeFairness::kind_and_start);
        let mut kinds: Vec<&str> =
            plain.filter(|(_, start)| start.starts_with(AS_IT_IS)).map(|(kind, _)| kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let n_fair = self.n_fair();
        match (self.is_fair, kinds.len()) {
            (true, KINDS..) => format!("fair as it is, for {} kinds of players", kinds.len()),
            (true, _) => {
                format!("fair for these players; as it is, that is said of {KINDS} kinds or more")
            }
            (false, _) if n_fair > 0 => "fair for some players only".to_owned(),
            (false, _) => "not shown to be fair".to_owned(),
        }
    }

    /// The mean of the paper's fitness over the judges.
    pub fn paper_fitness(&self) -> f64 {
        let sum: f64 = self.judges.iter().map(|judge| judge.paper_fitness).sum();
        sum / self.judges.len().max(1) as f64
    }
}

fn tested(judges: &[JudgeFairness]) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (kind, start) in judges.iter().map(JudgeFairness::kind_and_start) {
        match groups.iter_mut().find(|(known, _)| *known == start) {
            Some((_, kinds)) if kinds.contains(&kind) => {}
            Some((_, kinds)) => kinds.push(kind),
            None => groups.push((start, vec![kind])),
        }
    }
    let texts = groups.into_iter().map(|(start, kinds)| format!("{start}: {}", kinds.join(", ")));
    texts.collect::<Vec<_>>().join("; ")
}

/// Who judges a map as it is if nothing is said: one that follows a rule, one that looks ahead, and
/// three that sample. The first two do not vary by themselves.
pub fn default_judges() -> Vec<Judge> {
    let texts = [
        "sample+opening=1",
        "satd2:iterations=500+opening=1",
        "m-uct:iterations=50",
        "m3lee:numbers=quick",
        "staff:numbers=quick",
    ];
    texts.map(|text| text.parse().expect("our own judges can be read")).into()
}

/// Lets judges play a game; `game` is asked for it with or without noise. If it is stopped, or ends
/// early, the last judges have fewer games or are missing.
pub fn judge_game(
    game: &dyn Fn(bool) -> Option<GameSpec>,
    judges: &[Judge],
    settings: FairnessSettings,
    runner: &dyn GameRunner,
    stop: &Stop,
    tell: &dyn Fn(u64),
) -> Result<Fairness, EvolveError> {
    let mut found: Vec<JudgeFairness> = Vec::new();
    for (judge, index) in judges.iter().zip(0..) {
        let Some(spec) = game(judge.noise) else { break };
        let seed = Rng::stream(&[settings.seed, index, FAIRNESS]).bits();
        let mut evidence = Evidence::default();
        while evidence.games() < settings.games && !stop.requested() {
            let first = evidence.games();
            let (game, agent) = (spec.clone(), judge.agent.clone());
            let numbers = first..settings.games.min(first + BATCH);
            let (random_choices, known) = (judge.opening, Vec::new());
            let batch = [Series { game, agent, random_choices, seed, numbers, known }];
            let endings = play_series(&batch, runner, stop, &|endings| {
                tell(index * settings.games + first + endings.n_done());
            })?;
            let endings = endings.iter().flatten();
            endings.map_while(Option::as_ref).for_each(|ending| evidence.add(ending));
            let Interval { low, high } = evidence.tally.interval();
            let is_within = low >= SCORE_RANGE.0 && high <= SCORE_RANGE.1;
            let is_far = low > EARLY_RANGE.1 || high < EARLY_RANGE.0;
            if settings.quorum.is_some() && is_far && !is_within {
                break;
            }
        }
        found.push(JudgeFairness::of(judge, &evidence));
        let can_be = settings.quorum.is_none_or(|quorum| quorum.can_be(&found, judges.len()));
        if !can_be || stop.requested() {
            break;
        }
    }
    let n = judges.len();
    let quorum = settings.quorum.unwrap_or(Quorum { first: n, of_all: n });
    let is_complete = found.len() == n && !stop.requested();
    let is_fair = is_complete && n > 0 && quorum.can_be(&found, n);
    Ok(Fairness { judges: found, is_fair })
}

impl Quorum {
    /// Whether it can be reached when these of the judges have spoken.
    fn can_be(self, found: &[JudgeFairness], n_judges: usize) -> bool {
        let n_unfair = found.iter().filter(|judge| !judge.is_fair()).count();
        let first = &found[..self.first.min(found.len())];
        first.iter().all(JudgeFairness::is_fair) && n_judges - n_unfair >= self.of_all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Threads;

    fn said(wins: u64, draws: u64, losses: u64, wipe_outs: [u64; 2]) -> JudgeFairness {
        let tally = Tally { wins, draws, losses };
        let evidence = Evidence { tally, wipe_outs, keys: vec![1, 2], ..Evidence::default() };
        JudgeFairness::of(&"sample+noise".parse().unwrap(), &evidence)
    }

    #[test]
    fn verdicts_say_why() {
        assert!(said(190, 20, 190, [100, 100]).is_fair());
        assert_eq!(said(300, 0, 100, [1, 0]).unfair, [Unfair::FirstSide]);
        assert_eq!(said(100, 0, 300, [1, 0]).unfair, [Unfair::SecondSide]);
        assert_eq!(said(20, 0, 20, [1, 0]).unfair, [Unfair::Undecided]);
        assert_eq!(said(50, 300, 50, [1, 0]).unfair, [Unfair::Draws]);
        assert_eq!(said(190, 20, 190, [100, 40]).judgements, [90, 150]);
        let evidence = Evidence {
            tally: Tally { wins: 200, draws: 0, losses: 200 },
            keys: vec![5, 5],
            ..Evidence::default()
        };
        let same = JudgeFairness::of(&"sample".parse().unwrap(), &evidence);
        assert_eq!(same.unfair, [Unfair::OneCourse]);
    }

    #[test]
    fn a_verdict_says_which_kind_of_fairness_was_tested() {
        let verdict = |judges: &[&str]| {
            let judges = judges.iter().map(|judge| JudgeFairness {
                judge: (*judge).to_owned(),
                ..said(190, 20, 190, [1, 1])
            });
            let fairness = Fairness { judges: judges.collect(), is_fair: true };
            (fairness.tested(), fairness.verdict())
        };
        let (plain, tubstap) = (["staff", "m3lee:numbers=quick", "m3lee"], "uct:c=0.2");
        let (tested, said) = verdict(&[plain.as_slice(), &[tubstap, "sample+opening=1"]].concat());
        assert_eq!(
            tested,
            "as it is: staff, m3lee, uct; as it is, after 1 random action of each side: sample"
        );
        assert_eq!(said, "fair as it is, for 4 kinds of players");
        let (tested, said) = verdict(&["staff", "m3lee", "satd2", "sample+opening=2+noise"]);
        assert!(tested.contains("; with noise (hit points and places of units vary), after 2 "));
        assert!(said.starts_with("fair for these players"), "{said}");
    }

    #[test]
    fn a_quorum_needs_its_first_judges_and_enough_of_all() {
        let (fair, unfair) = (said(190, 20, 190, [1, 1]), said(300, 0, 100, [1, 0]));
        let can_be = |first, of_all, found: &[&JudgeFairness]| {
            let found: Vec<JudgeFairness> = found.iter().map(|&it| it.clone()).collect();
            Quorum { first, of_all }.can_be(&found, 3)
        };
        assert!(can_be(1, 2, &[]));
        assert!(can_be(1, 2, &[&fair, &unfair]));
        assert!(can_be(1, 2, &[&fair, &unfair, &fair]));
        assert!(!can_be(1, 2, &[&unfair]));
        assert!(!can_be(1, 2, &[&fair, &unfair, &unfair]));
        assert!(!can_be(3, 3, &[&fair, &unfair]));
    }

    /// RED is next to an enemy that it beats at once: the verdict is early, and the same on any
    /// number of threads.
    #[test]
    fn a_hopeless_map_is_found_out_early() {
        let game = |noise: bool| {
            let noise = if noise { ",noise-hp" } else { "" };
            format!("tubstap:code=4x3-4-5-11-P1.1.10_i2.1.2{noise}").parse().ok()
        };
        let judges = ["sample+noise", "m-uct:iterations=20"].map(|text| text.parse().unwrap());
        let quorum = Some(Quorum { first: 0, of_all: 2 });
        let settings = FairnessSettings { games: 100, seed: 1, quorum };
        let judge = |settings, threads| {
            judge_game(&game, &judges, settings, &Threads(threads), &Stop::new(), &|_| {}).unwrap()
        };
        let all = judge(settings, 2);
        assert!(!all.is_fair && all.judges.len() == 1 && all.judges[0].games == BATCH);
        assert_eq!(all.judges[0].wipe_outs, [BATCH, 0]);
        let all = judge(FairnessSettings { quorum: None, ..settings }, 1);
        assert_eq!(all.judges.iter().map(|judge| judge.games).collect::<Vec<_>>(), [100, 100]);
        assert_eq!(all.judges[0].unfair, [Unfair::FirstSide]);
    }
}
