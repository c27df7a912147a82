//! Experience: similar positions lend what was found there. `switch`, `payoffs`, `order` and
//! `random` are the papers' variants, which their tables need. A number is unsaid where it has its
//! usual value.

use sakiyomi_core::Hint;
use sakiyomi_search::{Encoding, ExperienceSettings, Prepare};

use super::selection::ucb1_mut;
use super::spec::{TreeParameter, TreeSpec};
use crate::fields::Value;
use crate::parameter::{Domain, Group, NamedValues, Parameter, Place};

const DEFAULT_BITS: u32 = 20;
const DEFAULT_DISTANCE: u32 = 2;

/// A parameter of experience.
const fn remembering(parameter: TreeParameter) -> TreeParameter {
    Parameter { group: Group::Experience, ..parameter }
}

fn experience(spec: &TreeSpec) -> Option<&ExperienceSettings> {
    spec.search.selection.ucb()?.ucb1()?.experience.as_ref()
}

const ENCODINGS: &[&str] = &["huffman", "random", "order", "onehot", "switch", "payoffs", "auto"];

pub(super) const EXPERIENCE: TreeParameter = Parameter {
    needs: Some(Hint::Cells),
    group: Group::Experience,
    ..Parameter::new(
        "experience",
        Domain::Word(ENCODINGS),
        Place {
            get: |spec| {
                let word = match (spec.prepare, experience(spec)?.encoding) {
                    (Some(Prepare::Trials), _) => "auto",
                    (Some(Prepare::Distances), _) => "switch",
                    (Some(Prepare::Payoffs), _) => "payoffs",
                    (None, Encoding::Huffman) => "huffman",
                    (None, Encoding::Random { .. }) => "random",
                    (None, Encoding::Order) => "order",
                    (None, Encoding::OneHot) => "onehot",
                };
                Some(Value::Text(word.to_owned()))
            },
            set: |spec, word| {
                let encoding = match word.text() {
                    "random" => Encoding::Random { bits: DEFAULT_BITS },
                    "order" => Encoding::Order,
                    "onehot" => Encoding::OneHot,
                    _ => Encoding::Huffman,
                };
                let paper = ExperienceSettings::paper(encoding, DEFAULT_DISTANCE);
                ucb1_mut(spec)?.experience = Some(paper);
                spec.prepare = match word.text() {
                    "switch" => Some(Prepare::Distances),
                    "payoffs" => Some(Prepare::Payoffs),
                    "auto" => Some(Prepare::Trials),
                    _ => None,
                };
                Ok(())
            },
        },
        "similar positions lend what was found there; similar by a code of the cells, at distance 2 \
         or 0 by a probe before the match, of distances in the tree (`switch`) or of payoffs \
         (`payoffs`), or, with the playouts, by trials (`auto`)",
    )
};

/// Reads `experience:auto` as `experience:experience=auto`.
pub(super) fn bare_experience(text: &str) -> Option<NamedValues> {
    ENCODINGS.contains(&text).then(|| vec![("experience", Value::Text(text.to_owned()))])
}

/// The experience of settings in which nothing else decides about it.
fn settled(spec: &mut TreeSpec) -> Result<&mut ExperienceSettings, &'static str> {
    if spec.prepare.is_some() {
        return Err("a probe decides about it; expected a code such as `experience=huffman`");
    }
    let experience = ucb1_mut(spec)?.experience.as_mut();
    experience.ok_or("there is no experience; expected `experience` beside it")
}

pub(super) const DISTANCE: TreeParameter = remembering(Parameter::integer(
    "d",
    0..=sakiyomi_search::MAX_DISTANCE as u64,
    Place {
        get: |spec| {
            let distance = experience(spec)?.distance;
            (distance != DEFAULT_DISTANCE).then(|| Value::Integer(distance.into()))
        },
        set: |spec, value| {
            let experience = settled(spec)?;
            experience.distance = value.whole().map_or(experience.distance, |n| n as u32);
            Ok(())
        },
    },
    "the largest Hamming distance between the codes of similar positions; usually 2",
));
pub(super) const BITS: TreeParameter = remembering(Parameter::integer(
    "bits",
    8..=64,
    Place {
        get: |spec| match experience(spec)?.encoding {
            Encoding::Random { bits } if bits != DEFAULT_BITS => Some(Value::Integer(bits.into())),
            _ => None,
        },
        set: |spec, value| match &mut settled(spec)?.encoding {
            Encoding::Random { bits } => {
                *bits = value.whole().map_or(*bits, |n| n as u32);
                Ok(())
            }
            _ => Err("only random codes have a length; expected `experience=random` beside it"),
        },
    },
    "bits of a random code; usually 20",
));
pub(super) const DISTANCE_WEIGHT: TreeParameter = remembering(Parameter::number(
    "distance-weight",
    0.0..=1.0,
    Place {
        get: |spec| {
            let fade = experience(spec)?.fade;
            (fade != 1.0).then_some(Value::Number(fade))
        },
        set: |spec, value| {
            let experience = settled(spec)?;
            experience.fade = value.number().unwrap_or(experience.fade);
            Ok(())
        },
    },
    "what a similar position lends counts with this to the power of its distance; usually 1",
));
pub(super) const MAX_VISITS: TreeParameter = remembering(Parameter::number(
    "max-visits",
    0.01..=1_000_000.0,
    Place {
        get: |spec| experience(spec)?.most.map(Value::Number),
        set: |spec, value| {
            settled(spec)?.most = value.number();
            Ok(())
        },
    },
    "visits that are lent to a node, at most",
));
pub(super) const HALF_LIFE: TreeParameter = remembering(Parameter::number(
    "half-life",
    0.01..=1_000_000.0,
    Place {
        get: |spec| experience(spec)?.half.map(Value::Number),
        set: |spec, value| {
            settled(spec)?.half = value.number();
            Ok(())
        },
    },
    "visits of an arm itself after which what it is lent counts half",
));

pub(super) const PLAYOUT_POSITIONS: TreeParameter = remembering(Parameter::integer(
    "playout-positions",
    0..=1_000_000,
    Place {
        get: |spec| experience(spec)?.reach.map(|reach| Value::Integer(reach.into())),
        set: |spec, value| {
            settled(spec)?.reach = value.whole().map(|n| n as u32);
            Ok(())
        },
    },
    "positions of a playout that are remembered, from its beginning; all if not given",
));
