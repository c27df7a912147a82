//! Specifications in all their forms: text, JSON and TOML are the same value.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use proptest::prelude::*;
use sakiyomi_catalog::{AGENTS, AgentSpec, GAMES, GameSpec};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Goes through every form and back.
fn round_trip<S>(spec: &S)
where
    S: Display + FromStr + Serialize + DeserializeOwned + PartialEq + Debug,
    S::Err: Debug,
{
    let text = spec.to_string();
    assert_eq!(&text.parse::<S>().unwrap(), spec, "{text}");
    let json = serde_json::to_string(spec).unwrap();
    assert_eq!(&serde_json::from_str::<S>(&json).unwrap(), spec, "{json}");
    let toml = toml::to_string(spec).unwrap();
    assert_eq!(&toml::from_str::<S>(&toml).unwrap(), spec, "{toml}");
    // The short text may stand wherever a table may.
    let quoted = serde_json::to_string(&text).unwrap();
    assert_eq!(&serde_json::from_str::<S>(&quoted).unwrap(), spec, "{quoted}");
    assert_eq!(spec.to_string(), text.parse::<S>().unwrap().to_string());
}

#[test]
fn everything_that_is_listed_is_known_and_round_trips() {
    for entry in GAMES {
        for text in [entry.name, entry.example] {
            round_trip(&text.parse::<GameSpec>().unwrap_or_else(|error| panic!("{error}")));
        }
    }
    for entry in AGENTS {
        let spec = entry.example.parse::<AgentSpec>().unwrap_or_else(|error| panic!("{error}"));
        round_trip(&spec);
        assert!(spec.to_string().starts_with(entry.name));
    }
}

/// Every parameter that is listed is understood, and its default is what is left unsaid.
#[test]
fn defaults_are_as_documented() {
    let parameters = |entries: &[sakiyomi_catalog::Entry]| -> Vec<(String, String)> {
        let each = entries.iter().filter(|entry| entry.name != "exec").flat_map(|entry| {
            entry.parameters.iter().filter(|p| p.default != "none").map(|p| match p.default {
                "off" => (entry.name.to_owned(), format!("{}=false", p.name)),
                value => (entry.name.to_owned(), format!("{}={value}", p.name)),
            })
        });
        each.collect()
    };
    for (name, parameter) in parameters(AGENTS) {
        let said: AgentSpec = format!("{name}:{parameter}").parse().unwrap();
        assert_eq!(said, name.parse().unwrap(), "{name} {parameter}");
    }
    for (name, parameter) in parameters(GAMES) {
        let said: GameSpec = format!("{name}:{parameter}").parse().unwrap();
        assert_eq!(said, name.parse().unwrap(), "{name} {parameter}");
    }
}

#[test]
fn short_texts_are_short_and_say_all() {
    for text in [
        "uct",
        "uct:c=0.15,pruned",
        "uct:iterations=5000,c=0.7,tuned,expand=10,graph,solver,trees=4,fresh,nodes=1000",
        "uct:pruned,pairs,keen=0.8,limit=10,balanced,groups=one,widen=0.5,cut=box,margin=3,bonus=0.01",
        "uct:horizon=2,groups=shared,cut=reach",
        "sangoku-best:cpu=50ms",
        "uct:time=50ms,memory=64MiB",
        "uct:iterations=100,cpu=3s",
        "maxn:depth=6,time=1s",
        "rm:iterations=100000,explore=0.1,plus,endgame=6",
        "duct:c=0.5,mix,strict,ordered",
        "smuct:c=0.5,tried,strict,ordered,fresh",
        "oos:time=1s",
        "oos:raw-payoff",
        "sp:reading=rank",
        "exact:file=seven.solution",
        "exec:time=2s,./bot.py --level=3,4",
        "exec:python3 'my bot.py'",
    ] {
        assert_eq!(text.parse::<AgentSpec>().unwrap().to_string(), text);
    }
    for (text, canonical) in [
        ("connect-four:7x6", "connect-four"),
        ("connect-four:8x6", "connect-four:width=8"),
        ("breakthrough:width=6,height=6", "breakthrough:width=6,height=6"),
        (" othello ", "othello"),
        ("sangoku:scenario=a", "sangoku"),
        ("sangoku:scenario=random", "sangoku:scenario=random"),
        ("goofspiel:n=5,order=random,payoff=win-loss", "goofspiel:n=5"),
        ("hagetaka:n=4,deck=3/-1/2", "hagetaka:n=4,deck=-1/2/3"),
    ] {
        assert_eq!(text.parse::<GameSpec>().unwrap().to_string(), canonical);
    }
}

#[test]
fn wrong_specs_say_what_would_be_right() {
    let game = |text: &str| text.parse::<GameSpec>().unwrap_err().to_string();
    let agent = |text: &str| text.parse::<AgentSpec>().unwrap_err().to_string();
    for (message, parts) in [
        (game("conect-four"), ["did you mean `connect-four`?", "known: tic-tac-toe"]),
        (game("chess"), ["no game is called `chess`", "othello"]),
        (game(""), ["name is missing", ""]),
        (game("connect-four:widht=8"), ["unknown parameter `widht`", "did you mean `width`?"]),
        (game("connect-four:width=zero"), ["`width` must be a whole number", "not `zero`"]),
        (game("connect-four:width=3,height=3"), ["3x3", "at least 4"]),
        (game("connect-four:1000x1000"), ["1000x1000", "at most 128"]),
        (game("connect-four:8x8,width=7"), ["size is given twice", ""]),
        (game("othello:8x8"), ["unknown parameter `8x8`", "has no parameters"]),
        (game("breakthrough:,"), ["empty part", ""]),
        (game("sangoku:scenario=z"), ["no scenario is called `z`", "known: a, b, c"]),
        (game("sangoku:file=none.toml"), ["none.toml", "No such file"]),
        (game("sangoku:scenario=a,file=x"), ["not both", ""]),
        (agent("uct:groups=two"), ["`groups` must be `one` or `shared`", "not `two`"]),
        (agent("sp:reading=exact"), ["`reading` must be `nearest` or `rank`", "not `exact`"]),
        (agent("uct:cut=circle"), ["`cut` must be `box` or `reach`", "not `circle`"]),
        (agent("uct:solver,groups=shared"), ["nothing can be proven", ""]),
        (game("hagetaka:players=7"), ["from 2 to 6", "not `7`"]),
        (game("hagetaka:n=3,deck=1/2/3/4"), ["a deck of 4", "1 to 3"]),
        (game("goofspiel:order=sideways"), ["random or ascending", "not `sideways`"]),
        (agent("rm:explore=2"), ["`explore` must be a number from 0 to 1", "not `2`"]),
        (agent("utc"), ["did you mean `uct`?", "known: random"]),
        (agent("uct:c=-1"), ["`c` must be a number from 0 to 1000", "not `-1`"]),
        (agent("uct:c=nan"), ["`c` must be a number", "NaN"]),
        (agent("uct:iterations=0"), ["from 1 up", "not `0`"]),
        (agent("uct:time=5"), ["a time such as 50ms", "not `5`"]),
        (agent("uct:memory=lots"), ["a size such as 512MiB", "not `lots`"]),
        (agent("uct:solver=3"), ["`solver` must be alone", "not `3`"]),
        (agent("uct:solver,solver"), ["`solver` is given twice", ""]),
        (agent("uct:c"), ["`c` must be a number", "not nothing"]),
        (agent("random:fast"), ["unknown parameter `fast`", "no parameters"]),
        (agent("exec"), ["a command is missing", "exec:./bot.py"]),
        (agent("exec:'open"), ["open quote", ""]),
    ] {
        for part in parts {
            assert!(message.contains(part), "`{part}` is not in: {message}");
        }
    }
    let error = serde_json::from_str::<AgentSpec>(r#"{"name": "uct", "cc": 1}"#).unwrap_err();
    assert!(error.to_string().contains("unknown parameter `cc`"), "{error}");
    let error = serde_json::from_str::<AgentSpec>(r#"{"c": 1}"#).unwrap_err();
    assert!(error.to_string().contains("missing field `name`"), "{error}");
    let error = toml::from_str::<GameSpec>("name = \"othello\"\nwidth = [1]").unwrap_err();
    assert!(error.to_string().contains("line 2"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_search_round_trips(
        iterations in proptest::option::of(1u64..=i64::MAX as u64),
        millis in proptest::option::of(1u64..10_000_000),
        c in 0.0..1000.0f64,
        flags in proptest::collection::vec(any::<bool>(), 4),
        expand in 1u32..1_000_000,
        memory in 0u64..1 << 50,
    ) {
        let mut text = format!("uct:c={c},expand={expand},memory={memory}B");
        text += &iterations.map_or(String::new(), |n| format!(",iterations={n}"));
        text += &millis.map_or(String::new(), |n| format!(",cpu={n}ms"));
        for (flag, name) in flags.iter().zip(["tuned", "graph", "solver", "pruned"]) {
            if *flag {
                text += &format!(",{name}");
            }
        }
        round_trip(&text.parse::<AgentSpec>().unwrap());
    }

    #[test]
    fn no_text_makes_a_spec_panic(text in "\\PC{0,40}") {
        let _ = text.parse::<AgentSpec>();
        let _ = text.parse::<GameSpec>();
        let _ = format!("uct:{text}").parse::<AgentSpec>();
        let _ = format!("connect-four:{text}").parse::<GameSpec>();
    }
}
