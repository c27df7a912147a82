//! Networks in ONNX files as agents, with files that are written here.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use sakiyomi_catalog::{AgentSpec, GameSpec, games_with_networks, open_table};
use sakiyomi_core::{Player, Stop};

/// A field of a protocol buffer: a number, or bytes with their length.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn varint(mut n: u64, out: &mut Vec<u8>) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn message(fields: &[(u64, Field<'_>)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, field) in fields {
        match field {
            Field::Number(n) => {
                varint(number << 3, &mut out);
                varint(*n, &mut out);
            }
            Field::Bytes(bytes) => {
                varint(number << 3 | 2, &mut out);
                varint(bytes.len() as u64, &mut out);
                out.extend_from_slice(bytes);
            }
        }
    }
    out
}

/// ValueInfoProto of floating-point numbers; a dimension is a number or a name.
fn value_info(name: &str, shape: &[Result<u64, &str>]) -> Vec<u8> {
    let dimensions: Vec<Vec<u8>> = shape
        .iter()
        .map(|dimension| match dimension {
            Ok(n) => message(&[(1, Field::Number(*n))]),
            Err(name) => message(&[(2, Field::Bytes(name.as_bytes()))]),
        })
        .collect();
    let dimensions: Vec<(u64, Field<'_>)> =
        dimensions.iter().map(|dimension| (1, Field::Bytes(dimension))).collect();
    let shape = message(&dimensions);
    let tensor = message(&[(1, Field::Number(1)), (2, Field::Bytes(&shape))]);
    let kind = message(&[(1, Field::Bytes(&tensor))]);
    message(&[(1, Field::Bytes(name.as_bytes())), (2, Field::Bytes(&kind))])
}

/// TensorProto of floating-point numbers.
fn tensor(name: &str, shape: [u64; 2], numbers: &[f32]) -> Vec<u8> {
    let raw: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    message(&[
        (1, Field::Number(shape[0])),
        (1, Field::Number(shape[1])),
        (2, Field::Number(1)),
        (8, Field::Bytes(name.as_bytes())),
        (9, Field::Bytes(&raw)),
    ])
}

fn node(operator: &str, inputs: &[&str], output: &str) -> Vec<u8> {
    let mut fields: Vec<(u64, Field<'_>)> =
        inputs.iter().map(|input| (1, Field::Bytes(input.as_bytes()))).collect();
    fields.push((2, Field::Bytes(output.as_bytes())));
    fields.push((4, Field::Bytes(operator.as_bytes())));
    message(&fields)
}

/// A linear network over observations of `planes` times 3 times 3: its logits prefer one action, and its value is
/// the sigmoid of a constant.
struct Tiny {
    planes: u64,
    rows: Result<u64, &'static str>,
    n_actions: u64,
    favourite: usize,
    logit: f32,
    value: f32,
}

impl Default for Tiny {
    fn default() -> Tiny {
        Tiny { planes: 3, rows: Err("n"), n_actions: 9, favourite: 2, logit: 3.0, value: 0.0 }
    }
}

impl Tiny {
    /// Writes it into a new file of the folder, and returns the agent that plays with it.
    fn agent(&self, folder: &Path, options: &str) -> String {
        static WRITTEN: AtomicU32 = AtomicU32::new(0);
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let file = folder.join(format!("{number}.onnx"));
        fs::write(&file, self.bytes()).unwrap();
        format!("net:file={},{options}", file.display())
    }

    fn bytes(&self) -> Vec<u8> {
        let Tiny { planes, rows, n_actions, favourite, logit, value } = *self;
        let (n_inputs, n_outputs) = (planes * 9, n_actions as usize);
        let mut bias = vec![0.0; n_outputs];
        bias[favourite] = logit;
        let nodes = [
            node("Flatten", &["observations"], "flat"),
            node("MatMul", &["flat", "weights"], "linear"),
            node("Add", &["linear", "bias"], "policy"),
            node("MatMul", &["flat", "value_weights"], "value_linear"),
            node("Add", &["value_linear", "value_bias"], "value_logit"),
            node("Sigmoid", &["value_logit"], "value"),
        ];
        let tensors = [
            tensor("weights", [n_inputs, n_actions], &vec![0.0; n_inputs as usize * n_outputs]),
            tensor("bias", [1, n_actions], &bias),
            tensor("value_weights", [n_inputs, 1], &vec![0.0; n_inputs as usize]),
            tensor("value_bias", [1, 1], &[value]),
        ];
        let input = value_info("observations", &[rows, Ok(planes), Ok(3), Ok(3)]);
        let outputs =
            [value_info("policy", &[rows, Ok(n_actions)]), value_info("value", &[rows, Ok(1)])];
        let mut graph: Vec<(u64, Field<'_>)> =
            nodes.iter().map(|node| (1, Field::Bytes(node))).collect();
        graph.push((2, Field::Bytes(b"tiny")));
        graph.extend(tensors.iter().map(|tensor| (5, Field::Bytes(tensor))));
        graph.push((11, Field::Bytes(&input)));
        graph.extend(outputs.iter().map(|output| (12, Field::Bytes(output))));
        let graph = message(&graph);
        let opset = message(&[(2, Field::Number(17))]);
        let model = [(1, Field::Number(8)), (7, Field::Bytes(&graph)), (8, Field::Bytes(&opset))];
        message(&model)
    }
}

/// What a network plays first, with the share of its visits and the value it expects; or what is said instead.
fn answer(game: &str, agent: &str) -> Result<(String, f64, f64), String> {
    let game: GameSpec = game.parse().unwrap();
    let agent: AgentSpec = agent.parse().map_err(|error| format!("{error}"))?;
    let table = open_table(&game, 1).unwrap();
    let thought = table.advise(&agent, Player(0), &Stop::new());
    let thought = thought.map_err(|error| error.to_string())?;
    Ok((thought.action.clone(), thought.policy()[0].share, thought.value.unwrap()))
}

/// Where all positions are worth the same, visits follow the priors.
#[test]
fn a_network_from_a_file_steers_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let prior = 3f64.exp() / (3f64.exp() + 8.0);
    for rows in [Err("n"), Ok(1)] {
        for (favourite, text) in [(2, "c1"), (4, "b2"), (6, "a3")] {
            for options in ["iterations=60", "iterations=60,batch=4"] {
                let tiny = Tiny { rows, favourite, ..Tiny::default() };
                let agent = tiny.agent(folder.path(), options);
                let (action, share, value) = answer("tic-tac-toe", &agent).unwrap();
                assert_eq!(action, text);
                assert!((share - prior).abs() < 0.06, "{share} instead of {prior}");
                assert!((value - 0.5).abs() < 1e-6, "{value}");
            }
        }
    }
}

/// Those that come with the program fit their games, and know who is about to win.
#[test]
fn networks_come_with_the_program() {
    let games: Vec<&str> = games_with_networks().collect();
    assert_eq!(games, ["connect-four", "othello", "breakthrough", "hex:width=7,height=7"]);
    for game in games {
        let spec: GameSpec = game.parse().unwrap();
        assert_eq!(spec.to_string(), game, "a network is found by the text in full");
        answer(game, "net:iterations=2").unwrap();
    }
    let mut table = open_table(&"connect-four".parse().unwrap(), 1).unwrap();
    for column in ["d", "a", "d", "a", "d", "b"] {
        table.play(&[column]).unwrap();
    }
    let agent: AgentSpec = "net:iterations=30".parse().unwrap();
    let thought = table.advise(&agent, Player(0), &Stop::new()).unwrap();
    assert_eq!(thought.action, "d");
    assert!(thought.value.unwrap() > 0.9, "{:?}", thought.value);
}

/// After one iteration the search knows one position of the second player, who expects 0.9 there.
#[test]
fn values_are_those_of_the_player_to_move() {
    let folder = tempfile::tempdir().unwrap();
    for (logit, expected) in [(9f32.ln(), 0.1), (-(9f32.ln()), 0.9)] {
        let tiny = Tiny { value: logit, ..Tiny::default() };
        let agent = tiny.agent(folder.path(), "iterations=1");
        let (_, _, value) = answer("tic-tac-toe", &agent).unwrap();
        assert!((value - expected).abs() < 1e-6, "{value} instead of {expected}");
    }
}

#[test]
fn what_does_not_fit_is_said_before_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |game: &str, agent: &str, expected: &str| {
        let message = answer(game, agent).unwrap_err();
        assert!(message.contains(expected), "{message}");
    };
    let refused_tiny = |game: &str, tiny: &Tiny, expected: &str| {
        refused(game, &tiny.agent(folder.path(), "iterations=10"), expected);
    };
    refused("tic-tac-toe", "net:file=/nowhere/tiny.onnx", "No such file");
    refused("tic-tac-toe", "net", "none comes with the program");
    let file = folder.path().join("text.onnx");
    fs::write(&file, b"no network").unwrap();
    refused("tic-tac-toe", &format!("net:file={}", file.display()), "is no network in ONNX");
    let tiny = Tiny { planes: 2, ..Tiny::default() };
    refused_tiny("tic-tac-toe", &tiny, "[n, 2, 3, 3]; those of this game are [n, 3, 3, 3]");
    let tiny = Tiny { n_actions: 7, ..Tiny::default() };
    refused_tiny("tic-tac-toe", &tiny, "shape [1, 7] for 1 rows; expected [1, 9]");
    let tiny = Tiny { rows: Ok(5), ..Tiny::default() };
    refused_tiny("tic-tac-toe", &tiny, "takes observations of the shape [5, 3, 3, 3]");
    refused_tiny("connect-four", &Tiny::default(), "those of this game are [n, 3, 6, 7]");
    let game = "mizugame:teams=2,sessions=4";
    refused_tiny(game, &Tiny::default(), "needs a list of all actions");
}

#[test]
fn numbers_that_cannot_be_used_forfeit_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let tiny = Tiny { logit: f32::NAN, ..Tiny::default() };
    let message = answer("tic-tac-toe", &tiny.agent(folder.path(), "reuse=false")).unwrap_err();
    assert!(message.contains("the prior of action 2 is NaN"), "{message}");
    let tiny = Tiny { value: f32::NAN, ..Tiny::default() };
    let message = answer("tic-tac-toe", &tiny.agent(folder.path(), "reuse=false")).unwrap_err();
    assert!(message.contains("is NaN: expected 0 to 1"), "{message}");
}

/// PUCT with playouts finds a win in one, in any seat of the catalog's tools.
#[test]
fn puct_plays_without_a_network() {
    let game: GameSpec = "tic-tac-toe".parse().unwrap();
    let mut table = open_table(&game, 1).unwrap();
    for text in ["a1", "b2", "a2", "b3"] {
        table.play(&[text]).unwrap();
    }
    let agent: AgentSpec = "puct:iterations=200".parse().unwrap();
    let thought = table.advise(&agent, Player(0), &Stop::new()).unwrap();
    assert_eq!((thought.action.as_str(), thought.iterations), ("a3", 200));
}
