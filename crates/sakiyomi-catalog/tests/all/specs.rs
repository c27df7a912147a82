//! Specifications in all their forms: text, JSON and TOML are the same value.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use proptest::prelude::*;
use sakiyomi_catalog::{AgentSpec, Entry, GameSpec, game_presets};
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
    for entry in GameSpec::entries() {
        for text in [entry.name, entry.example] {
            round_trip(&text.parse::<GameSpec>().unwrap_or_else(|error| panic!("{error}")));
        }
    }
    for entry in AgentSpec::entries() {
        let spec = entry.example.parse::<AgentSpec>().unwrap_or_else(|error| panic!("{error}"));
        round_trip(&spec);
        assert!(spec.to_string().starts_with(entry.name));
    }
}

/// Every parameter that is listed is understood, and its default is what is left unsaid.
#[test]
fn defaults_are_as_documented() {
    let parameters = |entries: &[Entry]| -> Vec<(String, String)> {
        let each = entries.iter().filter(|entry| !["exec", "net"].contains(&entry.name)).flat_map(
            |entry| {
                entry.parameters.iter().filter(|p| p.default != "none").map(|p| {
                    match p.default.as_str() {
                        "off" => (entry.name.to_owned(), format!("{}=false", p.name)),
                        "on" => (entry.name.to_owned(), p.name.to_owned()),
                        value => (entry.name.to_owned(), format!("{}={value}", p.name)),
                    }
                })
            },
        );
        each.collect()
    };
    for (name, parameter) in parameters(AgentSpec::entries()) {
        let said: AgentSpec = format!("{name}:{parameter}").parse().unwrap();
        assert_eq!(said, name.parse().unwrap(), "{name} {parameter}");
    }
    for (name, parameter) in parameters(GameSpec::entries()) {
        let said: GameSpec = format!("{name}:{parameter}").parse().unwrap();
        assert_eq!(said, name.parse().unwrap(), "{name} {parameter}");
    }
}

#[test]
fn short_texts_are_short_and_say_all() {
    for text in [
        "uct",
        "uct:c=0.15,pruned",
        "uct:iterations=5000,c=0.7,tuned,expand=10,graph,solver,trees=4,reuse=false,nodes=1000",
        "uct:pruned,pruned-pairs,urgent=0.8,round-limit=10,balanced,groups=one,widen=0.5,discount=0.01,progress-weight=0.3",
        "uct:horizon=2,groups=shared",
        "uct:playout=tournament,leaf-batch=32,playouts-per-leaf=16",
        "restricted:margin=3,agent=(uct:c=0.15,pruned)",
        "restricted:by=reach,agent=(restricted:agent=(duct:c=1,expand=2))",
        "sp:reading=rank",
        "uct:c=0.3,playout=mast,tau=0.5,decay=0.9",
        "uct:playout=nst,epsilon=0.2,grave=50,bias=0.01",
        "uct:playout=tournament,prior=3",
        "uct:experience=huffman,d=0",
        "uct:experience=random,d=1,bits=24",
        "uct:experience=onehot,distance-weight=0.5,max-visits=10,half-life=5",
        "uct:experience=auto",
        "experience",
        "sangoku-best:cpu=50ms",
        "uct:time=50ms,memory=64MiB",
        "uct:iterations=100,cpu=3s",
        "maxn:depth=6,time=1s",
        "rm:iterations=100000,explore=0.1,plus,endgame=6",
        "duct:c=0.5,mix,tie-break=first,untried-order=listed",
        "smuct:c=0.5,tried-only,tie-break=first,untried-order=listed,reuse=false",
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
        ("gdl:mine.kif", "gdl:file=mine.kif"),
        ("pie:connect-four:7x6", "pie"),
        ("pie:gdl:sheet=hex,time=5s", "pie:gdl:sheet=hex,time=5s"),
        ("pie:game=hex:5x5", "pie:hex:width=5,height=5"),
        ("balanced-opening:plies=2,seed=3,hex", "balanced-opening:plies=2,seed=3,hex"),
    ] {
        assert_eq!(text.parse::<GameSpec>().unwrap().to_string(), canonical);
    }
}

#[test]
fn whole_numbers_may_be_written_in_scientific_notation() {
    let spec: AgentSpec = "uct:iterations=1e3".parse().unwrap();
    assert_eq!(spec, "uct".parse().unwrap());
    assert_eq!(
        "uct:iterations=2e5".parse::<AgentSpec>().unwrap().to_string(),
        "uct:iterations=200000"
    );
}

/// A preset is the text for which it stands; what is said beside its name counts more.
#[test]
fn presets_stand_for_a_text() {
    for entry in AgentSpec::entries() {
        let Some(text) = entry.stands_for else { continue };
        let [preset, base] = [entry.name, text].map(|text| text.parse::<AgentSpec>().unwrap());
        assert_eq!(preset.tree_search(), base.tree_search(), "{}", entry.name);
    }
    let changed = "sangoku-best:cpu=50ms,c=0.5,solver=false";
    let spec: AgentSpec = changed.parse().unwrap();
    assert_eq!(spec.to_string(), changed);
    assert_eq!(
        spec.tree_search(),
        "uct:cpu=50ms,c=0.5,graph,urgent=0.8,widen=1".parse::<AgentSpec>().unwrap().tree_search()
    );
    round_trip(&spec);
}

/// Reading a specification opens no file and compiles nothing; its presets are real.
#[test]
fn reading_builds_nothing_and_presets_open() {
    for text in ["gdl:file=/no/such/sheet.kif", "gdl:sheet=unknown", "connect-four:2x2"] {
        assert!(text.parse::<GameSpec>().unwrap().players().is_err(), "{text}");
    }
    for preset in GameSpec::entries().iter().flat_map(game_presets) {
        let spec: GameSpec = preset.parse().unwrap();
        assert!(spec.players().unwrap() > 0, "{preset}");
    }
}

#[test]
fn wrong_specs_say_what_would_be_right() {
    let game = |text: &str| text.parse::<GameSpec>().unwrap_err().to_string();
    // What is wrong with a size or a file shows when the game is opened.
    let open = |text: &str| text.parse::<GameSpec>().unwrap().players().unwrap_err().to_string();
    let agent = |text: &str| text.parse::<AgentSpec>().unwrap_err().to_string();
    for (message, parts) in [
        (game("conect-four"), ["did you mean `connect-four`?", "known: tic-tac-toe"]),
        (game("chess"), ["no game is called `chess`", "othello"]),
        (game(""), ["name is missing", ""]),
        (game("connect-four:widht=8"), ["unknown parameter `widht`", "did you mean `width`?"]),
        (game("connect-four:width=zero"), ["`width` must be a whole number", "not `zero`"]),
        (open("connect-four:width=3,height=3"), ["3x3", "at least 4"]),
        (open("connect-four:1000x1000"), ["1000x1000", "at most 128"]),
        (game("connect-four:8x8,width=7"), ["`width` is given twice", ""]),
        (game("othello:8x8"), ["unknown parameter `8x8`", "has no parameters"]),
        (game("breakthrough:,"), ["empty part", ""]),
        (open("sangoku:scenario=z"), ["no scenario is called `z`", "known: a, b, c"]),
        (open("sangoku:file=none.toml"), ["none.toml", "No such file"]),
        (game("sangoku:scenario=a,file=x"), ["only one of `scenario`, `file`", ""]),
        (agent("uct:groups=two"), ["`groups` must be `one` or `shared`", "not `two`"]),
        (agent("sp:reading=exact"), ["`reading` must be `nearest` or `rank`", "not `exact`"]),
        (agent("restricted:by=circle"), ["`by` must be `box` or `reach`", "not `circle`"]),
        (agent("restricted:agent=(utc:c=1)"), ["did you mean `uct`?", "known: random"]),
        (agent("restricted:agent=(uct:c=-1)"), ["`c` must be a number from 0", "not `-1`"]),
        (agent("uct:solver,groups=shared"), ["nothing can be proven", ""]),
        (game("hagetaka:players=7"), ["from 2 to 6", "not `7`"]),
        (game("pie:chess"), ["no game is called `chess`", "othello"]),
        (game("pie:pie:hex"), ["is changed already", ""]),
        (open("pie:hagetaka:n=4,players=3"), ["two players who choose in turn", "has 3"]),
        (open("pie:hagetaka:n=4"), ["choose in turn", "at once"]),
        (open("hagetaka:n=3,deck=1/2/3/4"), ["a deck of 4", "1 to 3"]),
        (game("goofspiel:order=sideways"), ["`random` or `ascending`", "not `sideways`"]),
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
        (agent("restricted:by=reach,margin=3"), ["only a box has a margin", "`by=box`"]),
        (agent("uct:look-ahead"), ["what is found ahead is proven", "`solver`"]),
        (agent("uct:tau=0.5"), ["only MAST has a temperature", "`playout=mast`"]),
        (agent("uct:bias=0.5"), ["only GRAVE has a bias", "`grave`"]),
        (agent("uct:prior=3"), ["mean payoffs of actions", "`playout=mast`"]),
        (agent("uct:prior=3,playout=nst,grave=50"), ["take the place of a prior", "no `prior`"]),
        (agent("uct:tuned,spread"), ["it goes with UCB1", "no `tuned`"]),
        (agent("uct:d=1"), ["there is no experience", "`experience`"]),
        (agent("experience:auto,d=1"), ["a probe decides", "`experience=huffman`"]),
        (agent("experience:tuned"), ["`tuned`: UCB1-Tuned knows no", "`experience`"]),
        (agent("uct:decay=0.5"), ["uniform playouts count nothing", "`playout=mast`"]),
        (agent("uct:iterations=1.5e0"), ["`iterations` must be a whole number", "not `1.5`"]),
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
