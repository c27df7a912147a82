//! Parameters of the tree search that learn over a whole match: playouts that follow what won, GRAVE,
//! and experience from similar positions. A number that belongs to one of their words is
//! unsaid where it has its usual value.

use sakiyomi_core::Hint;
use sakiyomi_search::{
    Bandit, Decide, Encoding, ExperienceSettings, Grave, MctsSettings, PlayoutPolicy,
};

use crate::fields::Value;
use crate::parameter::{Domain, NamedValues, Parameter, Place, place};

type TreeParameter = Parameter<MctsSettings>;

const DEFAULT_TAU: f64 = 0.25;
const DEFAULT_EPSILON: f64 = 0.1;
const DEFAULT_DRAWS: u32 = 2;
const DEFAULT_BIAS: f64 = 1e-5;
const DEFAULT_BITS: u32 = 20;
const DEFAULT_DISTANCE: u32 = 2;

pub(super) const PLAYOUT: TreeParameter = Parameter::new(
    "playout",
    Domain::Word(&["uniform", "mast", "nst", "tournament"]),
    Place {
        get: |settings| {
            let word = match settings.policy {
                PlayoutPolicy::Uniform => "uniform",
                PlayoutPolicy::Mast { .. } => "mast",
                PlayoutPolicy::Nst { .. } => "nst",
                PlayoutPolicy::Tournament { .. } => "tournament",
            };
            Some(Value::Text(word.to_owned()))
        },
        set: |settings, word| {
            settings.policy = match word.text() {
                "mast" => PlayoutPolicy::Mast { tau: DEFAULT_TAU },
                "nst" => PlayoutPolicy::Nst { epsilon: DEFAULT_EPSILON },
                "tournament" => PlayoutPolicy::Tournament { draws: DEFAULT_DRAWS },
                _ => PlayoutPolicy::Uniform,
            };
            Ok(())
        },
    },
    "playouts draw actions uniformly, by mean payoff (`mast`), by sequences of up to 3 (`nst`), or take \
     the best of a few that are drawn (`tournament`)",
);
pub(super) const TAU: TreeParameter = Parameter::number(
    "tau",
    0.001..=1_000.0,
    Place {
        get: |settings| match settings.policy {
            PlayoutPolicy::Mast { tau } if tau != DEFAULT_TAU => Some(Value::Number(tau)),
            _ => None,
        },
        set: |settings, value| match &mut settings.policy {
            PlayoutPolicy::Mast { tau } => {
                *tau = value.number().unwrap_or(*tau);
                Ok(())
            }
            _ => Err("only MAST has a temperature; expected `playout=mast` beside it"),
        },
    },
    "temperature of MAST; usually 0.25",
);
pub(super) const EPSILON: TreeParameter = Parameter::number(
    "epsilon",
    0.0..=1.0,
    Place {
        get: |settings| match settings.policy {
            PlayoutPolicy::Nst { epsilon } if epsilon != DEFAULT_EPSILON => {
                Some(Value::Number(epsilon))
            }
            _ => None,
        },
        set: |settings, value| match &mut settings.policy {
            PlayoutPolicy::Nst { epsilon } => {
                *epsilon = value.number().unwrap_or(*epsilon);
                Ok(())
            }
            _ => Err("only NST is epsilon-greedy; expected `playout=nst` beside it"),
        },
    },
    "probability of a uniformly random action in playouts of NST; usually 0.1",
);
pub(super) const DRAWS: TreeParameter = Parameter::integer(
    "draws",
    1..=1_000,
    Place {
        get: |settings| match settings.policy {
            PlayoutPolicy::Tournament { draws } if draws != DEFAULT_DRAWS => {
                Some(Value::Integer(draws.into()))
            }
            _ => None,
        },
        set: |settings, value| match &mut settings.policy {
            PlayoutPolicy::Tournament { draws } => {
                *draws = value.whole().map_or(*draws, |n| n as u32);
                Ok(())
            }
            _ => Err("only tournaments draw actions; expected `playout=tournament` beside it"),
        },
    },
    "actions that are drawn in playouts of `tournament`, of which the best is taken; usually 2",
);
pub(super) const KEEP: TreeParameter = Parameter::number(
    "keep",
    0.0..=1.0,
    place!(keep),
    "share of their counts that playouts which learn keep from one decision to the next",
);
pub(super) const PRIOR: TreeParameter = Parameter::number(
    "prior",
    0.01..=1_000.0,
    Place {
        get: |settings| settings.prior.map(Value::Number),
        set: |settings, value| {
            settings.prior = value.number();
            Ok(())
        },
    },
    "visits with which actions of a new node begin, at their mean payoff, instead of being tried once each",
);
pub(super) const GRAVE: TreeParameter = Parameter::integer(
    "grave",
    0..=1_000_000,
    Place {
        get: |settings| Some(Value::Integer(settings.grave?.reference.into())),
        set: |settings, value| {
            let reference = value.whole().unwrap_or(0) as u32;
            // A preset may have a bias of its own.
            let bias = settings.grave.map_or(DEFAULT_BIAS, |grave| grave.bias);
            settings.grave = Some(Grave { reference, bias });
            Ok(())
        },
    },
    "GRAVE: AMAF values of the closest node above with this many visits; its paper has c=0",
);
pub(super) const BIAS: TreeParameter = Parameter::number(
    "bias",
    0.0..=1_000.0,
    Place {
        get: |settings| {
            settings
                .grave
                .filter(|grave| grave.bias != DEFAULT_BIAS)
                .map(|grave| Value::Number(grave.bias))
        },
        set: |settings, value| match &mut settings.grave {
            Some(grave) => {
                grave.bias = value.number().unwrap_or(grave.bias);
                Ok(())
            }
            None => Err("only GRAVE has a bias; expected `grave` beside it"),
        },
    },
    "squared bias of the AMAF values of GRAVE; usually 0.00001",
);

const ENCODINGS: &[&str] = &["huffman", "random", "order", "onehot", "switch", "payoffs", "auto"];

pub(super) const EXPERIENCE: TreeParameter = Parameter {
    needs: Some(Hint::Cells),
    ..Parameter::new(
        "experience",
        Domain::Word(ENCODINGS),
        Place {
            get: |settings| {
                let ExperienceSettings { encoding, decide, .. } = settings.experience?;
                let word = match (decide, encoding) {
                    (Decide::Auto, _) => "auto",
                    (Decide::Switch, _) => "switch",
                    (Decide::Payoffs, _) => "payoffs",
                    (Decide::Settings, Encoding::Huffman) => "huffman",
                    (Decide::Settings, Encoding::Random { .. }) => "random",
                    (Decide::Settings, Encoding::Order) => "order",
                    (Decide::Settings, Encoding::OneHot) => "onehot",
                };
                Some(Value::Text(word.to_owned()))
            },
            set: |settings, word| {
                settings.experience = Some(experience(word.text()));
                Ok(())
            },
        },
        "similar positions lend what was found there; similar by a code of the cells, at distance 2 \
         or 0 by a probe before the match, of distances in the tree (`switch`) or of payoffs \
         (`payoffs`), or, with the playouts, by trials (`auto`)",
    )
};

/// The experience of a word, with its usual numbers.
fn experience(word: &str) -> ExperienceSettings {
    let encoding = match word {
        "random" => Encoding::Random { bits: DEFAULT_BITS },
        "order" => Encoding::Order,
        "onehot" => Encoding::OneHot,
        _ => Encoding::Huffman,
    };
    let paper = ExperienceSettings::paper(encoding, DEFAULT_DISTANCE);
    match word {
        "switch" => ExperienceSettings { decide: Decide::Switch, ..paper },
        "payoffs" => ExperienceSettings { decide: Decide::Payoffs, ..paper },
        "auto" => ExperienceSettings { decide: Decide::Auto, ..paper },
        _ => paper,
    }
}

/// Reads `experience:auto` as `experience:experience=auto`.
pub(super) fn bare_experience(text: &str) -> Option<NamedValues> {
    ENCODINGS.contains(&text).then(|| vec![("experience", Value::Text(text.to_owned()))])
}

/// The experience of settings in which nothing else decides about it.
fn settled(settings: &mut MctsSettings) -> Result<&mut ExperienceSettings, &'static str> {
    match &mut settings.experience {
        Some(experience) if experience.decide == Decide::Settings => Ok(experience),
        Some(_) => Err("a probe decides about it; expected a code such as `experience=huffman`"),
        None => Err("there is no experience; expected `experience` beside it"),
    }
}

pub(super) const DISTANCE: TreeParameter = Parameter::integer(
    "d",
    0..=sakiyomi_search::MAX_DISTANCE as u64,
    Place {
        get: |settings| {
            let distance = settings.experience?.distance;
            (distance != DEFAULT_DISTANCE).then(|| Value::Integer(distance.into()))
        },
        set: |settings, value| {
            let experience = settled(settings)?;
            experience.distance = value.whole().map_or(experience.distance, |n| n as u32);
            Ok(())
        },
    },
    "the largest Hamming distance between the codes of similar positions; usually 2",
);
pub(super) const BITS: TreeParameter = Parameter::integer(
    "bits",
    8..=64,
    Place {
        get: |settings| match settings.experience?.encoding {
            Encoding::Random { bits } if bits != DEFAULT_BITS => Some(Value::Integer(bits.into())),
            _ => None,
        },
        set: |settings, value| match &mut settled(settings)?.encoding {
            Encoding::Random { bits } => {
                *bits = value.whole().map_or(*bits, |n| n as u32);
                Ok(())
            }
            _ => Err("only random codes have a length; expected `experience=random` beside it"),
        },
    },
    "bits of a random code; usually 20",
);
pub(super) const FADE: TreeParameter = Parameter::number(
    "fade",
    0.0..=1.0,
    Place {
        get: |settings| {
            let fade = settings.experience?.fade;
            (fade != 1.0).then_some(Value::Number(fade))
        },
        set: |settings, value| {
            let experience = settled(settings)?;
            experience.fade = value.number().unwrap_or(experience.fade);
            Ok(())
        },
    },
    "what a similar position lends counts with this to the power of its distance; usually 1",
);
pub(super) const MOST: TreeParameter = Parameter::number(
    "most",
    0.01..=1_000_000.0,
    Place {
        get: |settings| settings.experience?.most.map(Value::Number),
        set: |settings, value| {
            settled(settings)?.most = value.number();
            Ok(())
        },
    },
    "visits that are lent to a node at most",
);
pub(super) const HALF: TreeParameter = Parameter::number(
    "half",
    0.01..=1_000_000.0,
    Place {
        get: |settings| settings.experience?.half.map(Value::Number),
        set: |settings, value| {
            settled(settings)?.half = value.number();
            Ok(())
        },
    },
    "what is lent counts half after this many visits of the arm itself",
);

pub(super) const REACH: TreeParameter = Parameter::integer(
    "reach",
    0..=1_000_000,
    Place {
        get: |settings| settings.experience?.reach.map(|reach| Value::Integer(reach.into())),
        set: |settings, value| {
            settled(settings)?.reach = value.whole().map(|n| n as u32);
            Ok(())
        },
    },
    "positions of a playout that are remembered, from its beginning; all if not given",
);

/// What is wrong with these settings as a whole.
pub(super) fn check(settings: &MctsSettings) -> Result<(), String> {
    let is_ucb1 = matches!(settings.bandit, Bandit::Ucb1 { .. });
    if !is_ucb1 && (settings.grave.is_some() || settings.experience.is_some()) {
        return Err(
            "`grave` and `experience` go with UCB1; expected no `tuned` beside them".to_owned()
        );
    }
    if settings.prior.is_some() {
        let learns = settings.policy != PlayoutPolicy::Uniform;
        let is_plain = is_ucb1 && settings.grave.is_none() && settings.groups.is_none();
        if !learns || !is_plain {
            return Err("`prior` needs means of actions and plain UCB1; expected `playout=mast`, \
                        `nst` or `tournament`, and no `tuned`, `grave` or `groups` beside it"
                .to_owned());
        }
    }
    if settings.keep != 1.0 && settings.policy == PlayoutPolicy::Uniform {
        return Err(
            "uniform playouts keep nothing; expected `playout=mast` or `playout=nst` beside \
                    `keep`"
                .to_owned(),
        );
    }
    Ok(())
}
