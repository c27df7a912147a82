//! One parameter of an agent between two bounds.

use sakiyomi_catalog::{AgentSpec, SpecError, Values};
use sakiyomi_core::Fault;
use serde::Serialize;

/// Without bounds a parameter is looked at between an eighth and eight times its value.
const SPREAD: f64 = 8.0;
/// Bounds that are further apart than this are walked by their logarithms.
const WIDE: f64 = 4.0;

/// A parameter of an agent, and where it is looked for.
#[derive(Clone, Debug, Serialize)]
pub struct Dimension {
    pub name: &'static str,
    pub low: f64,
    pub high: f64,
    /// What the agent has now.
    pub start: f64,
    pub is_integer: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum RangeError {
    #[error("{agent} has no number `{name}`; numbers that can be tuned: {known}")]
    Unknown { agent: String, name: String, known: String },
    #[error("{name}={text}: expected LOW:HIGH, such as 0.1:2, within {low} to {high}")]
    Wrong { name: &'static str, text: String, low: f64, high: f64 },
    #[error("{name} has no value in {agent}; give it one, or bounds such as {name}=LOW:HIGH")]
    Unset { name: &'static str, agent: String },
}

impl Fault for RangeError {
    fn is_input(&self) -> bool {
        true
    }
}

impl Dimension {
    /// Reads `NAME` or `NAME=LOW:HIGH`, by what the catalog declares of the agent.
    pub fn parse(agent: &AgentSpec, text: &str) -> Result<Dimension, RangeError> {
        let (wanted, bounds) = match text.split_once('=') {
            Some((name, bounds)) => (name, Some(bounds)),
            None => (text, None),
        };
        let agent_text = agent.to_string();
        let agent_name = agent_text.split(':').next().unwrap_or_default();
        let entry = AgentSpec::entries().iter().find(|entry| entry.name == agent_name);
        let parameters = entry.map_or(&[][..], |entry| &entry.parameters);
        let declared = |values: &Values| match *values {
            Values::Integer { min, max } => {
                Some((min as f64, max.map_or(f64::INFINITY, |max| max as f64), true))
            }
            Values::Number { min, max } => Some((min, max, false)),
            _ => None,
        };
        let found = parameters.iter().find(|parameter| parameter.name == wanted);
        let Some((parameter, (low, high, is_integer))) =
            found.and_then(|it| Some((it, declared(&it.values)?)))
        else {
            let numbers = parameters.iter().filter(|it| declared(&it.values).is_some());
            let known = numbers.map(|it| it.name).collect::<Vec<_>>().join(", ");
            return Err(RangeError::Unknown { agent: agent_text, name: wanted.to_owned(), known });
        };
        let name = parameter.name;
        let value = own_value(agent, name).or_else(|| parameter.default.parse().ok());
        let (low, high) = match (bounds, value) {
            (Some(text), _) => {
                let wrong = || RangeError::Wrong { name, text: text.to_owned(), low, high };
                let (from, to) = text.split_once(':').ok_or_else(wrong)?;
                let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
                let (from, to) = (number(from)?, number(to)?);
                if !(from < to && low <= from && to <= high) {
                    return Err(wrong());
                }
                (from, to)
            }
            (None, Some(value)) if value > 0.0 => {
                ((value / SPREAD).max(low), (value * SPREAD).min(high))
            }
            _ => return Err(RangeError::Unset { name, agent: agent_text }),
        };
        let start = value.unwrap_or(f64::midpoint(low, high)).clamp(low, high);
        Ok(Dimension { name, low, high, start, is_integer })
    }

    /// Where the agent is now, from 0 to 1.
    pub(super) fn start_place(&self) -> f64 {
        match self.is_wide() {
            true => libm::log(self.start / self.low) / libm::log(self.high / self.low),
            false => (self.start - self.low) / (self.high - self.low),
        }
    }

    /// The value at a place, with three digits, so that a specification can be read.
    pub(super) fn value(&self, place: f64) -> f64 {
        let place = place.clamp(0.0, 1.0);
        let value = match self.is_wide() {
            true => self.low * libm::pow(self.high / self.low, place),
            false => self.low + (self.high - self.low) * place,
        };
        let value = if self.is_integer { value.round() } else { three_digits(value) };
        value.clamp(self.low, self.high)
    }

    fn is_wide(&self) -> bool {
        self.low > 0.0 && self.high / self.low > WIDE
    }

    /// The agent with this value.
    pub(super) fn set(&self, agent: &AgentSpec, value: f64) -> Result<AgentSpec, SpecError> {
        let mut text = agent.to_string();
        let mut fields = serde_json::to_value(agent).unwrap_or_default();
        if let Some(table) = fields.as_object_mut() {
            let number = match self.is_integer {
                true => serde_json::Value::from(value as u64),
                false => serde_json::Value::from(value),
            };
            table.insert(self.name.to_owned(), number);
            if let Ok(spec) = serde_json::from_value(fields) {
                return Ok(spec);
            }
        }
        // What is wrong is said by the reader of texts.
        text.push(if text.contains(':') { ',' } else { ':' });
        text += &format!("{}={value}", self.name);
        text.parse()
    }
}

/// The value that the specification itself gives a parameter.
fn own_value(agent: &AgentSpec, name: &str) -> Option<f64> {
    serde_json::to_value(agent).ok()?.get(name)?.as_f64()
}

fn three_digits(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}
