//! Parameters of games and agents, each declared once: its name, what it means, which values it
//! takes and where it is stored. Reading, writing, help, validation and the page's forms follow
//! from the declaration.
//!
//! A [`Definition`] is a name with parameters over settings of a type `S`. Several definitions may
//! share a type: `uct`, `duct` and `rm` are one tree search with other defaults. A preset is a
//! definition whose defaults are those of a text such as `uct:c=0.3,solver`.

use std::ops::RangeInclusive;
use std::time::Duration;

use sakiyomi_core::Hint;

use crate::SpecError;
use crate::fields::{Fields, MAX_INTEGER, Value, parse_bytes, parse_duration, suggestion};

/// One parameter of settings of type `S`.
pub(crate) struct Parameter<S: 'static> {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) domain: Domain,
    pub(crate) place: Place<S>,
    pub(crate) group: Group,
    /// What the game has to provide for the parameter to have an effect.
    pub(crate) needs: Option<Hint>,
}

/// The heading under which help and forms show a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Without a heading.
    Plain,
    Budget,
    Selection,
    Tree,
    Playouts,
    Knowledge,
    Experience,
}

impl Group {
    /// The heading, if there is one.
    const fn heading(self) -> Option<&'static str> {
        match self {
            Group::Plain => None,
            Group::Budget => Some("Budget"),
            Group::Selection => Some("Selection"),
            Group::Tree => Some("Tree"),
            Group::Playouts => Some("Playouts"),
            Group::Knowledge => Some("Knowledge of the game"),
            Group::Experience => Some("Experience"),
        }
    }
}

/// The values that a parameter takes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Domain {
    Flag,
    Integer(RangeInclusive<u64>),
    Number(RangeInclusive<f64>),
    /// A time such as 50ms.
    Time,
    /// A size such as 512MiB.
    Bytes,
    /// One of these words.
    Word(&'static [&'static str]),
    Text,
}

/// Where a value is stored. Nothing is read where nothing is set.
pub(crate) struct Place<S> {
    pub(crate) get: fn(&S) -> Option<Value>,
    /// Is handed a value of the parameter's domain only, or is told that it cannot be stored.
    pub(crate) set: fn(&mut S, Value) -> Result<(), &'static str>,
}

/// The place of a field of the settings, such as `place!(budget.nodes)`.
macro_rules! place {
    ($($field:ident).+) => {
        $crate::parameter::Place {
            get: |settings| $crate::parameter::Stored::load(&settings.$($field).+),
            set: |settings, value| {
                $crate::parameter::Stored::store(&mut settings.$($field).+, value);
                Ok(())
            },
        }
    };
}
pub(crate) use place;

/// The place of a field that is one of several named values, such as
/// `word_place!(ties, [("carry", Ties::Carry), ("discard", Ties::Discard)])`.
macro_rules! word_place {
    ($($field:ident).+, $words:expr) => {
        $crate::parameter::Place {
            get: |settings| {
                let known = $words.into_iter().find(|(_, value)| *value == settings.$($field).+);
                known.map(|(word, _)| $crate::fields::Value::Text(word.to_owned()))
            },
            set: |settings, word| {
                let known = $words.into_iter().find(|(known, _)| *known == word.text());
                settings.$($field).+ = known.ok_or("an unknown word")?.1;
                Ok(())
            },
        }
    };
}
pub(crate) use word_place;

impl<S> Parameter<S> {
    pub(crate) const fn new(
        name: &'static str,
        domain: Domain,
        place: Place<S>,
        meaning: &'static str,
    ) -> Parameter<S> {
        Parameter { name, meaning, domain, place, group: Group::Plain, needs: None }
    }

    pub(crate) const fn flag(
        name: &'static str,
        place: Place<S>,
        meaning: &'static str,
    ) -> Parameter<S> {
        Parameter::new(name, Domain::Flag, place, meaning)
    }

    pub(crate) const fn integer(
        name: &'static str,
        range: RangeInclusive<u64>,
        place: Place<S>,
        meaning: &'static str,
    ) -> Parameter<S> {
        Parameter::new(name, Domain::Integer(range), place, meaning)
    }

    pub(crate) const fn number(
        name: &'static str,
        range: RangeInclusive<f64>,
        place: Place<S>,
        meaning: &'static str,
    ) -> Parameter<S> {
        Parameter::new(name, Domain::Number(range), place, meaning)
    }

    /// The value as this parameter stores it, or what would have been right.
    fn read(&self, value: Value) -> Result<Value, String> {
        let fits = match (&self.domain, &value) {
            (Domain::Flag, Value::Flag(_)) => Some(value.clone()),
            (Domain::Integer(range), _) => {
                value.whole().filter(|n| range.contains(n)).map(Value::Integer)
            }
            (Domain::Number(range), _) => {
                value.number().filter(|x| range.contains(x)).map(Value::Number)
            }
            (Domain::Time, _) => parse_duration(&value.to_string()).map(Value::Time),
            (Domain::Bytes, Value::Integer(n)) => Some(Value::Bytes(*n)),
            (Domain::Bytes, _) => parse_bytes(&value.to_string()).map(Value::Bytes),
            (Domain::Word(words), _) => {
                let text = value.to_string();
                words.contains(&text.as_str()).then_some(Value::Text(text))
            }
            (Domain::Text, Value::Flag(true)) => None,
            (Domain::Text, _) => Some(Value::Text(value.to_string())),
            (Domain::Flag, _) => None,
        };
        fits.ok_or_else(|| {
            let found = match value {
                Value::Flag(true) => "nothing".to_owned(),
                value => format!("`{value}`"),
            };
            format!("`{}` must be {}, not {found}", self.name, self.domain.expected())
        })
    }
}

impl Domain {
    /// What a value has to be, as part of a sentence.
    fn expected(&self) -> String {
        match self {
            Domain::Flag => "alone, or true or false".to_owned(),
            Domain::Integer(range) => match (range.start(), *range.end()) {
                (low, MAX_INTEGER) => format!("a whole number from {low} up"),
                (low, high) => format!("a whole number from {low} to {high}"),
            },
            Domain::Number(range) => format!("a number from {} to {}", range.start(), range.end()),
            Domain::Time => "a time such as 50ms, 1.5s or 2m".to_owned(),
            Domain::Bytes => "a size such as 512MiB or 2GiB".to_owned(),
            Domain::Word(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                quoted.join(" or ")
            }
            Domain::Text => "a text".to_owned(),
        }
    }
}

/// A type that holds the value of a parameter.
pub(crate) trait Stored {
    fn load(&self) -> Option<Value>;
    /// The value is of the domain that the parameter declares.
    fn store(&mut self, value: Value);
}

macro_rules! stored {
    ($($type:ty: $value:ident => $load:expr, $store:expr;)+) => {$(
        impl Stored for $type {
            fn load(&self) -> Option<Value> {
                Some(Value::$value($load(self)))
            }

            fn store(&mut self, value: Value) {
                if let Value::$value(value) = value {
                    *self = $store(value);
                }
            }
        }

        impl Stored for Option<$type> {
            fn load(&self) -> Option<Value> {
                self.as_ref().map(|value| Value::$value($load(value)))
            }

            fn store(&mut self, value: Value) {
                if let Value::$value(value) = value {
                    *self = Some($store(value));
                }
            }
        }
    )+};
}

stored! {
    bool: Flag => |&flag| flag, |flag| flag;
    u8: Integer => |&n| u64::from(n), |n| n as u8;
    u16: Integer => |&n| u64::from(n), |n| n as u16;
    u32: Integer => |&n| u64::from(n), |n| n as u32;
    u64: Integer => |&n| n, |n| n;
    usize: Integer => |&n| n as u64, |n| n as usize;
    f64: Number => |&x| x, |x| x;
    Duration: Time => |&time| time, |time| time;
    String: Text => Clone::clone, |text| text;
}

/// A name of the catalog: a game or an agent with its parameters, over settings of type `S`.
pub(crate) struct Definition<S: 'static> {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    /// In the order in which they are listed and written.
    pub(crate) parameters: &'static [Parameter<S>],
    pub(crate) example: &'static str,
    pub(crate) source: Source<S>,
    /// The defaults, where they depend on what else is said.
    pub(crate) adjust: fn(defaults: S, said: &S) -> S,
    /// Reads a part without a name, such as `7x6`, as values of parameters.
    pub(crate) bare: fn(&str) -> Option<NamedValues>,
    /// What is wrong with the settings as a whole, given the names of what was said.
    pub(crate) check: fn(&S, said: &[&str]) -> Result<(), String>,
    /// Other names by which it is read; it is written by its own.
    pub(crate) aliases: &'static [&'static str],
}

/// Values by the names of their parameters.
pub(crate) type NamedValues = Vec<(&'static str, Value)>;

/// Where the default settings come from.
#[derive(Clone, Copy)]
pub(crate) enum Source<S: 'static> {
    Settings(fn() -> S),
    Value(&'static S),
    /// A preset: the settings of a text over another definition of the same type.
    Preset {
        base: &'static Definition<S>,
        text: &'static str,
    },
}

impl<S: Clone + PartialEq> Definition<S> {
    /// A definition of which all rests on its parameters.
    pub(crate) const fn new(
        name: &'static str,
        summary: &'static str,
        defaults: fn() -> S,
        parameters: &'static [Parameter<S>],
        example: &'static str,
    ) -> Definition<S> {
        Definition {
            name,
            summary,
            parameters,
            example,
            source: Source::Settings(defaults),
            adjust: |defaults, _| defaults,
            bare: |_| None,
            check: |_, _| Ok(()),
            aliases: &[],
        }
    }

    /// The same with defaults that are made when the program runs.
    pub(crate) fn of_value(
        name: &'static str,
        summary: &'static str,
        defaults: &'static S,
        parameters: &'static [Parameter<S>],
        example: &'static str,
    ) -> Definition<S> {
        let none = || unreachable!("the defaults are a value");
        let source = Source::Value(defaults);
        Definition { source, ..Definition::new(name, summary, none, parameters, example) }
    }

    /// A preset of `base`: another name for a text.
    pub(crate) const fn preset(
        base: &'static Definition<S>,
        name: &'static str,
        summary: &'static str,
        text: &'static str,
        example: &'static str,
    ) -> Definition<S> {
        Definition {
            name,
            summary,
            example,
            source: Source::Preset { base, text },
            aliases: &[],
            parameters: base.parameters,
            adjust: base.adjust,
            bare: base.bare,
            check: base.check,
        }
    }

    fn defaults(&self) -> S {
        match self.source {
            Source::Settings(defaults) => defaults(),
            Source::Value(defaults) => defaults.clone(),
            Source::Preset { base, text } => {
                let fields = Fields::parse(text).expect("presets are tested");
                base.read(&fields).expect("presets are tested")
            }
        }
    }

    /// The settings in which no parameter has an effect that needs the game's knowledge.
    fn neutral(&self) -> S {
        match self.source {
            Source::Settings(_) | Source::Value(_) => self.defaults(),
            Source::Preset { base, .. } => base.neutral(),
        }
    }

    pub(crate) fn read(&self, fields: &Fields) -> Result<S, SpecError> {
        let error = |message: String| fields.error(message);
        let mut said: Vec<(&'static Parameter<S>, Value)> = Vec::new();
        for (key, value) in self.named_values(fields) {
            let parameter = self.parameters.iter().find(|parameter| parameter.name == key);
            let parameter = parameter.ok_or_else(|| error(self.unknown(&key)))?;
            if said.iter().any(|(known, _)| known.name == key) {
                return Err(error(format!("`{key}` is given twice")));
            }
            said.push((parameter, parameter.read(value).map_err(error)?));
        }
        // In the order of the declaration, whatever the order of the text.
        said.sort_by_key(|(parameter, _)| {
            self.parameters.iter().position(|known| known.name == parameter.name)
        });
        let with_said = |mut settings: S| {
            for (parameter, value) in &said {
                (parameter.place.set)(&mut settings, value.clone())
                    .map_err(|reason| error(format!("`{}`: {reason}", parameter.name)))?;
            }
            Ok(settings)
        };
        let first = with_said(self.defaults())?;
        let settings = with_said((self.adjust)(self.defaults(), &first))?;
        let names: Vec<&str> = said.iter().map(|(parameter, _)| parameter.name).collect();
        (self.check)(&settings, &names).map_err(error)?;
        Ok(settings)
    }

    /// The values by name, parts without a name included.
    fn named_values(&self, fields: &Fields) -> Vec<(String, Value)> {
        let mut named = Vec::new();
        for (key, value) in fields.entries() {
            let is_parameter = self.parameters.iter().any(|parameter| parameter.name == key);
            match (self.bare)(key) {
                Some(values) if !is_parameter && *value == Value::Flag(true) => {
                    named.extend(values.into_iter().map(|(name, value)| (name.to_owned(), value)));
                }
                _ => named.push((key.clone(), value.clone())),
            }
        }
        named
    }

    fn unknown(&self, key: &str) -> String {
        let names: Vec<&str> = self.parameters.iter().map(|parameter| parameter.name).collect();
        let known = match names.as_slice() {
            [] => format!("`{}` has no parameters", self.name),
            names => format!("known: {}", names.join(", ")),
        };
        format!("unknown parameter `{key}`{}; {known}", suggestion(key, &names))
    }

    /// The fields of these settings: what differs from the defaults.
    pub(crate) fn write(&self, settings: &S) -> Fields {
        let defaults = (self.adjust)(self.defaults(), settings);
        let mut fields = Fields::new(self.name);
        for parameter in self.parameters {
            let value = (parameter.place.get)(settings);
            if value != (parameter.place.get)(&defaults) {
                // A flag of a preset that is switched off has to be said, too.
                if let Some(value) = value {
                    fields = fields.with(parameter.name, value);
                }
            }
        }
        fields
    }

    /// The parameters with an effect that needs something of the game, and what.
    pub(crate) fn needs(&self, settings: &S) -> Vec<(&'static str, Hint)> {
        let neutral = self.neutral();
        let differs = |parameter: &&Parameter<S>| {
            (parameter.place.get)(settings) != (parameter.place.get)(&neutral)
        };
        let needed = |parameter: &Parameter<S>| Some((parameter.name, parameter.needs?));
        self.parameters.iter().filter(differs).filter_map(needed).collect()
    }

    pub(crate) fn entry(&self) -> Entry {
        let defaults = self.defaults();
        let parameter = |parameter: &Parameter<S>| ParameterEntry {
            name: parameter.name,
            meaning: parameter.meaning,
            default: match (parameter.place.get)(&defaults) {
                None => "none".to_owned(),
                Some(Value::Flag(false)) => "off".to_owned(),
                Some(Value::Flag(true)) => "on".to_owned(),
                Some(value) => value.to_string(),
            },
            group: parameter.group.heading(),
            values: Values::from(&parameter.domain),
            needs: parameter.needs.map(Hint::meaning),
        };
        Entry {
            name: self.name,
            summary: self.summary,
            parameters: self.parameters.iter().map(parameter).collect(),
            example: self.example,
            stands_for: match self.source {
                Source::Settings(_) | Source::Value(_) => None,
                Source::Preset { text, .. } => Some(text),
            },
        }
    }
}

/// What a list of games or agents says about one of them.
#[derive(Clone, Debug, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Entry {
    pub name: &'static str,
    pub summary: &'static str,
    pub parameters: Vec<ParameterEntry>,
    pub example: &'static str,
    /// The text for which a preset stands.
    pub stands_for: Option<&'static str>,
}

#[derive(Clone, Debug, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ParameterEntry {
    pub name: &'static str,
    /// `off` if it is a flag, `none` if nothing is set.
    pub default: String,
    pub meaning: &'static str,
    /// The heading under which it is shown.
    pub group: Option<&'static str>,
    pub values: Values,
    /// What a game has to provide for it to have an effect.
    pub needs: Option<&'static str>,
}

/// The values that a parameter takes, for help and forms.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Values {
    Flag,
    /// Without `max` there is no limit.
    Integer {
        #[cfg_attr(feature = "typescript", ts(type = "number"))]
        min: u64,
        #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
        max: Option<u64>,
    },
    Number {
        min: f64,
        max: f64,
    },
    Time,
    Bytes,
    Word {
        words: &'static [&'static str],
    },
    Text,
}

impl From<&Domain> for Values {
    fn from(domain: &Domain) -> Values {
        match domain {
            Domain::Flag => Values::Flag,
            Domain::Integer(range) => Values::Integer {
                min: *range.start(),
                max: Some(*range.end()).filter(|&max| max != MAX_INTEGER),
            },
            Domain::Number(range) => Values::Number { min: *range.start(), max: *range.end() },
            Domain::Time => Values::Time,
            Domain::Bytes => Values::Bytes,
            Domain::Word(words) => Values::Word { words },
            Domain::Text => Values::Text,
        }
    }
}

/// Settings that the catalog knows by at least one name.
pub(crate) trait Defined: Clone + PartialEq + std::fmt::Debug + Sized + 'static {
    const DEFINITIONS: &'static [Definition<Self>] = &[];

    /// All definitions, also those that are made when the program runs.
    fn definitions() -> &'static [Definition<Self>] {
        Self::DEFINITIONS
    }

    /// These settings under the first name of their type.
    fn named(self) -> Named<Self> {
        Named { definition: &Self::definitions()[0], settings: self }
    }

    /// Reads fields if their name is one of this type.
    fn read(fields: &Fields) -> Option<Result<Named<Self>, SpecError>> {
        let has_name = |definition: &&Definition<Self>| {
            definition.name == fields.name || definition.aliases.contains(&fields.name.as_str())
        };
        let definition = Self::definitions().iter().find(has_name)?;
        Some(definition.read(fields).map(|settings| Named { definition, settings }))
    }
}

/// Settings together with the name under which they are read and written.
#[derive(Clone)]
pub struct Named<S: 'static> {
    pub(crate) definition: &'static Definition<S>,
    pub settings: S,
}

impl<S: Clone + PartialEq> Named<S> {
    pub fn name(&self) -> &'static str {
        self.definition.name
    }

    pub(crate) fn write(&self) -> Fields {
        self.definition.write(&self.settings)
    }
}

impl<S: PartialEq> PartialEq for Named<S> {
    fn eq(&self, other: &Named<S>) -> bool {
        self.definition.name == other.definition.name && self.settings == other.settings
    }
}

impl<S: Eq> Eq for Named<S> {}

impl<S: std::hash::Hash> std::hash::Hash for Named<S> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.definition.name.hash(state);
        self.settings.hash(state);
    }
}

impl<S: std::fmt::Debug> std::fmt::Debug for Named<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple(self.definition.name).field(&self.settings).finish()
    }
}
