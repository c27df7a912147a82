//! The server of the page, asked over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use sakiyomi::serve::{PATIENCE, ServeSettings, Server, offer_networks};
use sakiyomi_eval::experiment::Library;
use serde_json::{Value, json};

const ANY_PORT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// A server on a port of its own, which lives as long as this does.
struct Running {
    address: SocketAddr,
    token: Option<String>,
    folder: tempfile::TempDir,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Running {
    fn start() -> Running {
        Running::with_token(None)
    }

    fn with_token(token: Option<&str>) -> Running {
        Running::at(ANY_PORT, token, PATIENCE, tempfile::tempdir().unwrap())
    }

    fn at(
        listen: SocketAddr,
        token: Option<&str>,
        patience: Duration,
        folder: tempfile::TempDir,
    ) -> Running {
        let experiments = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments");
        let settings = ServeSettings {
            listen,
            token: token.map(str::to_owned),
            store: folder.path().join("store.sqlite"),
            experiments: Library::Folder(experiments.into()),
            threads: 2,
            patience,
        };
        let (tell, told) = std::sync::mpsc::channel();
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let thread = std::thread::spawn(move || {
            tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(
                async {
                    let server = Server::bind(settings).await.unwrap();
                    tell.send(server.url().unwrap()).unwrap();
                    let stopped = async {
                        let _ = stopped.await;
                    };
                    server.run(stopped).await.unwrap();
                },
            );
        });
        let url = told.recv().unwrap();
        let address = url.trim_start_matches("http://").split('/').next().unwrap().parse().unwrap();
        let token = token.map(str::to_owned);
        Running { address, token, folder, stop: Some(stop), thread: Some(thread) }
    }

    /// Ends the server and starts another on the same port and store.
    fn restart(mut self) -> Running {
        self.end();
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap());
        Running::at(self.address, self.token.clone().as_deref(), PATIENCE, folder)
    }

    fn end(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    /// Sends a request as it is and hands over the connection.
    fn send(&self, head: &str, body: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let length = body.len();
        write!(stream, "{head}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
        BufReader::new(stream)
    }

    fn host(&self) -> String {
        format!("Host: {}\r\nConnection: close\r\nContent-Type: application/json", self.address)
    }

    fn ask(&self, head: &str, body: &str) -> (u16, String, String) {
        let mut reader = self.send(head, body);
        let mut answer = String::new();
        // A connection that is reset after the answer has still answered.
        let _ = reader.read_to_string(&mut answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, head.to_owned(), body.to_owned())
    }

    fn get(&self, path: &str) -> (u16, String) {
        let (status, _, body) = self.ask(&format!("GET {path} HTTP/1.1\r\n{}", self.host()), "");
        (status, body)
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let head = format!("POST {path} HTTP/1.1\r\n{}", self.host());
        let (status, _, body) = self.ask(&head, &body.to_string());
        (status, serde_json::from_str(&body).unwrap_or(Value::Null))
    }

    /// The events of a search, by name.
    fn think(&self, record: &Value, player: u8, agent: &str) -> Vec<(String, Value)> {
        let request = json!({ "record": record, "player": player, "agent": agent });
        let head = format!("POST /api/think HTTP/1.1\r\n{}", self.host());
        let (_, _, body) = self.ask(&head, &request.to_string());
        let mut name = String::new();
        let mut events = Vec::new();
        for line in body.lines() {
            if let Some(event) = line.strip_prefix("event: ") {
                name = event.to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                events.push((name.clone(), serde_json::from_str(data).unwrap()));
            }
        }
        events
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

fn start_of(game: &str) -> Value {
    json!({ "game": game, "seed": 1, "moves": [] })
}

#[test]
fn a_whole_match_against_an_agent() {
    let server = Running::start();
    let mut record = start_of("tic-tac-toe");
    loop {
        let (status, position) = server.post("/api/position", &json!({ "record": record }));
        assert_eq!(status, 200, "{position}");
        record = position["record"].clone();
        if position["turn"]["kind"] == "over" {
            assert_eq!(position["turn"]["payoffs"], json!([0.5, 0.5]), "perfect play draws");
            break;
        }
        let player = position["turn"]["players"][0].as_u64().unwrap() as u8;
        let events = server.think(&record, player, "maxn:depth=9");
        let (name, thought) = events.last().unwrap();
        assert_eq!(name, "done");
        let moves = record["moves"].as_array_mut().unwrap();
        moves.push(json!([thought["action"]]));
    }
    let (status, replay) = server.post("/api/replay", &json!({ "record": record }));
    assert_eq!(status, 200);
    assert_eq!(replay["positions"].as_array().unwrap().len(), 10);
    assert_eq!(replay["past"][0]["by"], json!([0]));
}

#[test]
fn a_search_tells_what_it_thinks_while_it_thinks() {
    let server = Running::start();
    let events = server.think(&start_of("connect-four"), 0, "uct:time=600ms");
    let thoughts: Vec<&Value> = events.iter().filter(|e| e.0 == "thought").map(|e| &e.1).collect();
    assert!(thoughts.len() >= 2, "{} thoughts", thoughts.len());
    let visits = |thought: &Value| thought["iterations"].as_u64().unwrap();
    assert!(visits(thoughts[0]) < visits(thoughts[1]));
    assert_eq!(thoughts[0]["rows"][0]["arms"].as_array().unwrap().len(), 7);
    let done = &events.last().unwrap().1;
    assert_eq!(done["action"], done["line"][0]["texts"][0]);
    assert_eq!(
        done["line"][0]["cells"][0].as_array().unwrap().len(),
        1,
        "where the stone comes to rest"
    );
    let tree = &done["tree"];
    assert!(!tree["children"][0]["children"].as_array().unwrap().is_empty(), "{tree}");
}

#[test]
fn a_watched_search_decides_like_any_other() {
    let server = Running::start();
    let events = server.think(&start_of("hagetaka:n=5"), 1, "rm:iterations=20000");
    let done = &events.last().unwrap().1;
    assert_eq!(done["iterations"], 20_000);
    assert_eq!(done["rows"].as_array().unwrap().len(), 2, "both players' strategies");
    let again = server.think(&start_of("hagetaka:n=5"), 1, "rm:iterations=20000");
    assert_eq!(again.last().unwrap().1["rows"], done["rows"]);
}

#[test]
fn a_search_stops_when_its_page_goes_away() {
    let server = Running::start();
    let request =
        json!({ "record": start_of("othello"), "player": 0, "agent": "uct:time=59s" }).to_string();
    // More than may think at once, one after the other: each must have made room for the next.
    for _ in 0..70 {
        let head = format!("POST /api/think HTTP/1.1\r\n{}", server.host());
        let mut reader = server.send(&head, &request);
        let deadline = Instant::now() + Duration::from_secs(50);
        let mut line = String::new();
        while !line.starts_with("event: thought") {
            assert!(Instant::now() < deadline, "no thought came");
            line.clear();
            reader.read_line(&mut line).unwrap();
            assert!(!line.contains("busy"), "{line}");
        }
    }
}

#[test]
fn more_searches_than_there_is_memory_for_take_turns() {
    let server = Running::start();
    // Each holds 128 MB while it thinks, and all together may hold 2 GB.
    let decided = std::thread::scope(|scope| {
        let think = || server.think(&start_of("connect-four"), 0, "uct:time=300ms");
        let searches: Vec<_> = (0..24).map(|_| scope.spawn(think)).collect();
        let events = searches.into_iter().map(|search| search.join().unwrap());
        events.filter(|events| events.last().is_some_and(|(name, _)| name == "done")).count()
    });
    assert_eq!(decided, 24);
}

#[test]
fn bad_requests_get_a_clear_answer() {
    let server = Running::start();
    let illegal =
        json!({ "record": { "game": "tic-tac-toe", "seed": 1, "moves": [["b2"], ["b2"]] } });
    let cases = [
        ("/api/position", json!({ "record": start_of("chess") }), 422, "unknown-game"),
        ("/api/position", illegal, 422, "illegal-move"),
        ("/api/position", json!({ "record": 5 }), 400, "bad-request"),
        ("/api/position", json!({ "record": start_of("gdl:rules=rff") }), 404, "unknown-rules"),
        ("/api/game", json!({ "game": "gdl:file=/etc/hostname" }), 403, "refused"),
        ("/api/rules", json!({ "text": "(role x)\n(role" }), 422, "broken-rules"),
        (
            "/api/think",
            json!({ "record": start_of("othello"), "player": 0, "agent": "exec:/bin/sh" }),
            403,
            "refused",
        ),
        (
            "/api/think",
            json!({ "record": start_of("othello"), "player": 9, "agent": "uct" }),
            400,
            "bad-request",
        ),
        (
            "/api/jobs",
            json!({ "kind": "duel", "game": "othello", "agents": ["uct", "sp"], "games": 2, "seed": 1 }),
            422,
            "unknown-agent",
        ),
        ("/api/jobs/99/stop", json!({}), 404, "not-found"),
        ("/api/nothing", json!({}), 404, "not-found"),
    ];
    for (path, body, status, code) in cases {
        let (got, answer) = server.post(path, &body);
        assert_eq!((got, &answer["code"]), (status, &json!(code)), "{path} {body}: {answer}");
        assert!(!answer["message"].as_str().unwrap().is_empty());
    }
    let (_, broken) = server.post("/api/rules", &json!({ "text": "(role x)\n  (role" }));
    assert_eq!((&broken["line"], &broken["column"]), (&json!(2), &json!(3)), "{broken}");
    let (_, illegal) = server.post(
        "/api/position",
        &json!({ "record": { "game": "tic-tac-toe", "seed": 1, "moves": [["b2"], ["b2"]] } }),
    );
    assert!(illegal["message"].as_str().unwrap().contains("step 2 of the record"), "{illegal}");
    assert_eq!(illegal["step"], 2, "{illegal}");
}

#[test]
fn agents_are_checked_before_they_play() {
    let server = Running::start();
    let check = ["uct:time=1s", "alphazero", "uct:time=banana", "uct:time=10000s", "sp", "exec:sh"];
    let (status, answer) = server.post("/api/game", &json!({ "game": "othello", "check": check }));
    assert_eq!(status, 200, "{answer}");
    let found: Vec<(bool, bool)> = answer["checked"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| (c["problem"] == "", c["is_cut_short"] == true))
        .collect();
    let (good, bad) = ((true, false), (false, false));
    assert_eq!(found, [good, bad, bad, (true, true), bad, bad], "{answer}");
    let levels: Vec<&Value> = answer["opponents"].as_array().unwrap().iter().collect();
    assert_eq!(levels.len(), 4);
    assert_eq!(answer["suggested"], levels[1]["agent"]);
}

#[test]
fn a_network_is_offered_for_the_games_that_it_fits_and_plays() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/networks/tic-tac-toe.onnx");
    offer_networks(vec![file.to_owned(), "missing.onnx".to_owned()]);
    let server = Running::start();
    let networks = |game: &str| -> Vec<String> {
        let (status, answer) = server.post("/api/game", &json!({ "game": game }));
        assert_eq!(status, 200, "{answer}");
        let agents: Vec<String> = serde_json::from_value(answer["agents"].clone()).unwrap();
        assert!(agents.contains(&"uct".to_owned()));
        assert_eq!(agents.contains(&"net".to_owned()), game == "connect-four");
        agents.into_iter().filter(|agent| agent.starts_with("net:")).collect()
    };
    assert_eq!(networks("connect-four"), [""; 0]);
    let offered = networks("tic-tac-toe");
    // By its name, not by where it is.
    assert_eq!(offered, ["net:file=tic-tac-toe.onnx"]);
    let events = server.think(&start_of("tic-tac-toe"), 0, &format!("{},iterations=8", offered[0]));
    let (name, thought) = events.last().unwrap();
    assert_eq!((name.as_str(), &thought["action"]), ("done", &json!("b2")), "{thought}");
    let check = ["net:file=missing.onnx", "net:file=/etc/passwd"];
    let (_, answer) = server.post("/api/game", &json!({ "game": "tic-tac-toe", "check": check }));
    for checked in answer["checked"].as_array().unwrap() {
        assert_ne!(checked["problem"], "", "{checked}");
    }
}

#[test]
fn answers_are_compressed_for_those_who_ask() {
    let server = Running::start();
    let ask = |encoding: &str| {
        let head = format!(
            "GET /api/catalog HTTP/1.1\r\nAccept-Encoding: {encoding}\r\n{}",
            server.host()
        );
        let mut answer = Vec::new();
        let _ = server.send(&head, "").read_to_end(&mut answer);
        let end = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
        (String::from_utf8_lossy(&answer[..end]).into_owned(), answer[end + 4..].to_vec())
    };
    let (head, packed) = ask("br, gzip;q=0.8");
    assert!(head.contains("content-encoding: gzip"), "{head}");
    assert_eq!(packed[..2], [0x1f, 0x8b]);
    let (head, plain) = ask("gzip;q=0");
    assert!(!head.contains("content-encoding"), "{head}");
    assert!(plain.starts_with(b"{") && 2 * packed.len() < plain.len());
}

/// The page reads no specification by itself.
#[test]
fn parameters_come_as_fields() {
    let server = Running::start();
    let (_, game) = server.post("/api/game", &json!({ "game": "connect-four:8x7" }));
    let text = game["game"].as_str().unwrap();
    let values = json!({ "width": "8", "height": "7" });
    assert_eq!(game["fields"], json!({ "text": text, "name": "connect-four", "values": values }));
    let agent = json!({ "agent": "uct:time=1s,solver" });
    let (status, fields) = server.post("/api/agent", &agent);
    assert_eq!((status, &fields["name"]), (200, &json!("uct")), "{fields}");
    assert_eq!(
        (&fields["values"]["time"], &fields["values"]["solver"]),
        (&json!("1s"), &json!("on"))
    );
    let (status, error) = server.post("/api/agent", &json!({ "agent": "alphazero" }));
    assert_eq!((status, &error["code"]), (422, &json!("unknown-agent")));
}

/// Orders for several pieces are described, and so is how the pieces went.
#[test]
fn orders_are_put_together_from_what_the_server_says() {
    let server = Running::start();
    let mut record =
        json!({ "game": "mizugame:teams=2,sessions=4,maps=1", "seed": 1, "moves": [] });
    let (_, position) = server.post("/api/position", &json!({ "record": record }));
    assert_eq!(position["ways"], json!([]));
    let form = &position["legal"][0]["orders"];
    let text = |of: &Value| of.as_str().unwrap().to_owned();
    let piece = |piece: &Value| text(&piece["suggested"][0]);
    let plans: Vec<String> = form["pieces"].as_array().unwrap().iter().map(piece).collect();
    let orders = plans.join(&text(&form["separator"]));
    let idle = vec![text(&form["no_commands"]); plans.len()].join(&text(&form["separator"]));
    for _ in 0..2 {
        record["moves"].as_array_mut().unwrap().push(json!([orders, idle]));
    }
    let (status, position) = server.post("/api/position", &json!({ "record": record }));
    assert_eq!(status, 200, "{position}");
    let way = &position["ways"][0];
    assert_eq!((&way["owner"], &way["points"][0]["at"]), (&json!(0), &json!(0.0)), "{position}");
    let (_, replay) = server.post("/api/replay", &json!({ "record": record }));
    assert_eq!(replay["positions"][2]["ways"], position["ways"]);
    let (_, other) = server
        .post("/api/position", &json!({ "record": { "game": "hex", "seed": 1, "moves": [] } }));
    assert!(other["legal"][0]["orders"].is_null());
}

#[test]
fn maps_are_edited_where_the_catalog_says() {
    let server = Running::start();
    let (_, catalog) = server.get("/api/catalog");
    let catalog: Value = serde_json::from_str(&catalog).unwrap();
    let games = catalog["games"].as_array().unwrap().iter();
    let editors: Vec<&Value> = games.filter(|game| !game["editor"].is_null()).collect();
    assert_eq!((editors.len(), &editors[0]["title"]), (1, &json!("TUBSTAP")));
    let address = editors[0]["editor"]["address"].as_str().unwrap();
    let (status, drawn) = server.post(address, &json!({ "from": "random", "seed": 7 }));
    assert_eq!(status, 200, "{drawn}");
    let (_, again) = server.post(address, &json!({ "from": "drawn", "map": drawn["map"] }));
    assert_eq!(again["game"], drawn["game"]);
    assert_eq!(server.post("/api/editor/hex", &json!({ "from": "random", "seed": 7 })).0, 404);
}

/// All that games write in a match has a Japanese translation in the page.
#[test]
fn every_phrase_is_translated() {
    fn collect(value: &Value, into: &mut std::collections::BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                if let Some(pattern) = fields.get("pattern").and_then(Value::as_str) {
                    into.insert(pattern.to_owned());
                }
                fields.values().for_each(|value| collect(value, into));
            }
            Value::Array(values) => values.iter().for_each(|value| collect(value, into)),
            _ => {}
        }
    }
    let mut patterns = std::collections::BTreeSet::new();
    for entry in sakiyomi::catalog::GameSpec::entries() {
        // Its usual match is long, and says nothing more.
        let short = (entry.name == "mizugame").then_some("mizugame:teams=3,sessions=12,maps=2");
        let game = short.unwrap_or(entry.name).parse().unwrap();
        for seed in 0..5 {
            let mut table = sakiyomi::catalog::open_table(&game, seed).unwrap();
            let random = "random".parse().unwrap();
            while let sakiyomi::core::Turn::Choose(who) = table.turn() {
                collect(&serde_json::to_value(table.view()).unwrap(), &mut patterns);
                let mut texts = Vec::new();
                for player in who {
                    let legal = serde_json::to_value(table.legal(player)).unwrap();
                    collect(&legal, &mut patterns);
                    let form = serde_json::to_value(table.order_form(player)).unwrap();
                    collect(&form, &mut patterns);
                    let face = serde_json::to_value(table.player_face(player)).unwrap();
                    collect(&face, &mut patterns);
                    let stop = sakiyomi::core::Stop::new();
                    texts.push(table.advise(&random, player, &stop).unwrap().action);
                }
                table.play(&texts.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
            }
            collect(&serde_json::to_value(table.view()).unwrap(), &mut patterns);
        }
    }
    let names = include_str!("../../../../web/src/words/names-ja.ts");
    let agents = sakiyomi::catalog::AgentSpec::entries().iter();
    let games = sakiyomi::catalog::GameSpec::entries().iter();
    for name in agents.chain(games).map(|entry| entry.name) {
        let is_there = names.contains(&format!("\n  {name}: {{"))
            || names.contains(&format!("\n  \"{name}\": {{"));
        assert!(is_there, "{name} has no name in web/src/words/names-ja.ts");
    }
    let words = include_str!("../../../../web/src/words/phrases-ja.ts");
    let is_there = |pattern: &&String| {
        words.contains(&format!("\"{pattern}\": ")) || words.contains(&format!("\n  {pattern}: "))
    };
    let missing: Vec<&String> = patterns.iter().filter(|pattern| !is_there(pattern)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(patterns.len() > 30, "{patterns:?}");
}

/// Every game has rules that people can read, and the positions drawn in them can be reached.
#[test]
fn the_pictures_of_the_rules_can_be_played() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/rules");
    for entry in sakiyomi::catalog::GameSpec::entries() {
        let file = folder.join(format!("{}.md", entry.name));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file:?}: {e}"));
        let mut n_pictures = 0;
        for fence in text.split("```position\n").skip(1) {
            let field = |key: &str| {
                let line = fence.lines().find_map(|line| line.strip_prefix(key));
                line.unwrap_or_default().trim().to_owned()
            };
            let moves = field("moves:");
            let mark = if moves.contains(',') { ',' } else { ' ' };
            let steps = moves.split(mark).map(str::trim).filter(|step| !step.is_empty());
            let record = sakiyomi::catalog::Record {
                game: field("game:").parse().unwrap(),
                seed: 1,
                moves: steps.map(|step| step.split('~').map(str::to_owned).collect()).collect(),
            };
            let replayed = sakiyomi::catalog::replay(&record);
            assert!(replayed.is_ok(), "{file:?}: {}", replayed.err().unwrap());
            n_pictures += 1;
        }
        assert_eq!(n_pictures, 2, "{file:?}: one picture in each language");
    }
}

#[test]
fn nothing_outside_the_page_is_served() {
    let server = Running::start();
    for path in ["/../Cargo.toml", "/assets/../../Cargo.toml", "/%2e%2e/Cargo.toml", "/etc/passwd"]
    {
        let (status, body) = server.get(path);
        assert_eq!(status, 404, "{path}");
        assert!(!body.contains("[package]") && !body.contains("root:"), "{path}");
    }
    for path in ["/reports/quick/..%2f..%2fCargo.toml", "/reports/..%2f..", "/reports/quick/x.html"]
    {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
    // Far more than the buffers of a connection hold: the answer is read after all of it was sent.
    for megabytes in [2, 40] {
        let large = json!({ "text": "x".repeat(megabytes << 20) });
        assert_eq!(server.post("/api/rules", &large).0, 413, "{megabytes} MB");
    }
}

#[test]
fn pages_of_other_addresses_are_turned_away() {
    let server = Running::start();
    let (status, ..) =
        server.ask("GET /api/catalog HTTP/1.1\r\nHost: evil.example\r\nConnection: close", "");
    assert_eq!(status, 403);
    let head =
        format!("POST /api/game HTTP/1.1\r\nOrigin: http://evil.example\r\n{}", server.host());
    assert_eq!(server.ask(&head, "{\"game\":\"othello\"}").0, 403);
    assert_eq!(server.get("/api/catalog").0, 200);
}

#[test]
fn a_token_is_asked_for_and_kept_in_the_browser() {
    let server = Running::with_token(Some("secret-token"));
    assert_eq!(server.get("/api/catalog").0, 401);
    let get = |path: &str, more: &str| {
        server.ask(&format!("GET {path} HTTP/1.1\r\n{more}{}", server.host()), "")
    };
    let (status, head, _) = get("/?token=secret-token", "");
    assert_eq!(status, 303);
    let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(get("/api/catalog", &format!("Cookie: {cookie}\r\n")).0, 200);
    assert_eq!(get("/api/catalog", "Authorization: Bearer secret-token\r\n").0, 200);
    assert_eq!(get("/api/catalog", "Authorization: Bearer secret-tokem\r\n").0, 401);
}

#[test]
fn a_choice_is_hidden_until_all_have_chosen() {
    let server = Running::start();
    let (_, position) =
        server.post("/api/position", &json!({ "record": start_of("hagetaka:n=3") }));
    let record = &position["record"];
    let choose = |player: u8, text: &str| {
        let request = json!({
            "match_id": "m1", "record": record, "player": player, "text": text, "persons": [0, 1],
        });
        server.post("/api/sealed", &request)
    };
    assert_eq!(choose(0, "9").0, 422, "there is no such card");
    let (_, first) = choose(0, "2");
    assert_eq!(first, json!({ "waiting_for": [1], "choices": [] }));
    let (_, both) = choose(1, "3");
    assert_eq!(both["choices"][0], json!({ "player": 0, "text": "2" }));
    assert_eq!(both["choices"][1], json!({ "player": 1, "text": "3" }));
}

#[test]
fn rules_that_were_handed_over_are_played() {
    let server = Running::start();
    let text = include_str!("../../../../games/gdl/tug_of_war.kif");
    let (status, game) = server.post("/api/rules", &json!({ "text": text }));
    assert_eq!(status, 200, "{game}");
    let name = game["game"].as_str().unwrap();
    assert!(game["agents"].as_array().unwrap().contains(&json!("rm")), "{game}");
    let (status, position) = server.post("/api/position", &json!({ "record": start_of(name) }));
    assert_eq!(status, 200);
    assert_eq!(position["turn"]["players"], json!([0, 1]), "both choose at once");
}

/// A job is stopped, its server ends, and another one goes on with it.
#[test]
fn a_duel_goes_on_after_a_stop_and_after_a_restart() {
    let server = Running::start();
    let request = json!({
        "kind": "duel", "game": "tic-tac-toe", "agents": ["uct:iterations=3000", "random"],
        "games": 4000, "seed": 7,
    });
    let (status, job) = server.post("/api/jobs", &request);
    assert_eq!(status, 200, "{job}");
    let path = format!("/api/jobs/{}", job["id"]);
    let watch = |server: &Running, enough: &dyn Fn(&Value) -> bool| {
        let deadline = Instant::now() + Duration::from_secs(120);
        loop {
            let (_, jobs) = server.get("/api/jobs");
            let jobs: Value = serde_json::from_str(&jobs).unwrap();
            if enough(&jobs[0]) {
                return jobs[0].clone();
            }
            assert!(Instant::now() < deadline, "{jobs}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    watch(&server, &|job| job["games_done"].as_u64() > Some(0));
    server.post(&format!("{path}/stop"), &json!({}));
    let stopped = watch(&server, &|job| job["state"] != "running");
    assert_eq!(stopped["state"], "stopped", "{stopped}");
    let played = stopped["games_done"].as_u64().unwrap();
    assert!(played < 4000);

    let server = server.restart();
    let (status, resumed) = server.post(&format!("{path}/resume"), &json!({}));
    assert_eq!(status, 200, "{resumed}");
    let done = watch(&server, &|job| job["state"] != "running");
    assert_eq!((&done["state"], &done["games_done"]), (&json!("done"), &json!(4000)), "{done}");
    let row = &done["rows"][0];
    assert!(row["low"].as_f64().unwrap() > 0.8, "{row}");

    let (_, cells) = server.get("/api/store");
    let cells: Value = serde_json::from_str(&cells).unwrap();
    let run = &cells[0];
    let (cell, n) = (&run["cell"], run["games"].as_u64().unwrap());
    assert_eq!((&run["n_kept"], &run["is_stale"]), (&json!(n), &json!(false)));
    assert!(run["games_wanted"].is_null() && run["used_by"].as_array().unwrap().is_empty());
    let played = |tally: &Value| -> u64 {
        ["wins", "draws", "losses"].iter().map(|of| tally[of].as_u64().unwrap()).sum()
    };
    let seats = run["seats"].as_array().unwrap();
    assert_eq!((seats.len(), seats.iter().map(played).sum::<u64>()), (2, n));
    let (status, games) = server.get(&format!("/api/store/{cell}"));
    assert_eq!(status, 200, "{games}");
    let games: Value = serde_json::from_str(&games).unwrap();
    let course = games["figure"]["csv"].as_str().unwrap();
    let last: Vec<&str> = course.lines().last().unwrap().split(',').collect();
    let score = run["all"]["score"]["value"].as_f64().unwrap();
    assert_eq!(last[1].parse(), Ok(n));
    assert!((last[2].parse::<f64>().unwrap() - score).abs() < 1e-4, "{last:?}: {score}");
    assert_eq!(games["kept"].as_array().unwrap().len() as u64, n, "all games are listed");
    let game = &games["kept"][1];
    assert_eq!(game["seat"], 2);
    assert!(
        game["turns"].as_f64().unwrap() > 0.0 && "WDL".contains(game["outcome"].as_str().unwrap())
    );
    let number = &game["number"];
    assert_eq!(server.get("/api/store/4711").0, 404);
    let (status, record) = server.get(&format!("/api/store/{cell}/{number}"));
    assert_eq!(status, 200, "{record}");
    let record: Value = serde_json::from_str(&record).unwrap();
    let (_, position) = server.post("/api/position", &json!({ "record": record }));
    assert_eq!(position["turn"]["kind"], "over");
}

#[test]
fn experiments_and_their_reports_are_listed() {
    let server = Running::start();
    let (status, list) = server.get("/api/experiments");
    assert_eq!(status, 200, "{list}");
    let list: Value = serde_json::from_str(&list).unwrap();
    let ids: Vec<&str> = list.as_array().unwrap().iter().filter_map(|e| e["id"].as_str()).collect();
    assert!(ids.contains(&"classics-tuned"), "{ids:?}");
    let (_, again) = server.get("/api/experiments");
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap(), list);
    let (status, page) = server.get("/reports/quick/classics-tuned.html");
    assert_eq!(status, 200);
    assert!(page.contains("came with the program"), "{page}");
    let (status, page) = server.get("/reports/paper/classics-budget-curve.html");
    assert_eq!(status, 200);
    assert!(page.contains("Only 0 of"), "{page}");
}

#[test]
fn papers_are_told_in_their_order_also_where_nothing_was_run() {
    let server = Running::start();
    let ask = |path: &str| -> Value { serde_json::from_str(&server.get(path).1).unwrap() };
    let papers = ask("/api/papers");
    let of = |key: &str| papers.as_array().unwrap().iter().find(|p| p["key"] == key).unwrap();
    let part = |key: &str, label: &str| {
        let parts = of(key)["parts"].as_array().unwrap();
        parts.iter().find(|part| part["label"]["en"] == label).unwrap().clone()
    };
    // The form that keeps to the paper's words comes first.
    assert_eq!(
        part("hagetaka", "Table 1")["experiments"],
        json!(["hagetaka-reference-as-written", "hagetaka-reference"])
    );
    assert_eq!(part("tubstap", "Figure 2")["experiments"], json!(["tubstap-figure-2"]));
    assert_eq!(
        part("mizugame", "Table 2")["printed"]["rows"][1]["cells"],
        json!(["3", "7", "343", "1"])
    );
    let added = of("gdl")["added"].as_array().unwrap();
    assert!(added.contains(&json!("experience-other-games")), "{added:?}");
    // Nothing of it ships: the paper's numbers are there, and ours are not.
    let never = ask("/api/results/paper/sangoku-table-2");
    assert_eq!(never["result"]["games_done"], 0);
    let cell = &never["table"]["rows"][0]["cells"][0];
    assert_eq!((&cell["paper_counts"], &cell["ours"]), (&json!([152, 18, 30]), &Value::Null));
}

#[test]
fn a_fresh_server_has_the_results_that_came_with_it() {
    let server = Running::start();
    let ask = |path: &str| -> (u16, Value) {
        let (status, answer) = server.get(path);
        (status, serde_json::from_str(&answer).unwrap())
    };
    let (_, list) = ask("/api/results");
    let list = list.as_array().unwrap();
    let of = |id: &str| list.iter().find(|entry| entry["id"] == id);
    let entry = of("hagetaka-reference").expect("results/ has hagetaka-reference");
    assert_eq!(entry["is_shipped"], true);
    let (status, answer) = ask("/api/results/quick/hagetaka-reference");
    let (result, figure) = (&answer["result"], &answer["figure"]);
    assert!(figure["svg"].as_str().unwrap().starts_with("<svg "), "{figure}");
    assert!(figure["csv"].as_str().unwrap().starts_with("name,series,"), "{figure}");
    assert_eq!((status, &result["games_done"]), (200, &entry["games_done"]));
    assert!(result["cells"][0]["all"]["score"]["low"].is_f64(), "{result}");
    assert_eq!(ask("/api/results/quick/no-such-one").0, 404);
    assert_eq!(ask("/api/results/huge/hagetaka-reference").0, 404);
    // How long an experiment takes is known from them.
    let (_, experiments) = ask("/api/experiments");
    let experiments = experiments.as_array().unwrap();
    let left = |id: &str, scale: &str| {
        let entry = experiments.iter().find(|entry| entry["id"] == id).unwrap();
        entry[scale]["seconds_left"].as_f64()
    };
    assert!(left("hagetaka-reference", "quick").unwrap() > 0.0);
    assert_eq!(left("hagetaka-reference", "paper"), None, "no game of that size is known");
    let is_unknown = |entry: &&Value| of(entry["id"].as_str().unwrap()).is_none();
    for never in experiments.iter().filter(is_unknown) {
        assert!(never["quick"]["seconds_left"].is_null(), "no game of it is known: {never}");
    }
}

#[test]
fn who_does_not_say_what_it_wants_is_not_waited_for() {
    let patience = Duration::from_millis(300);
    let server = Running::at(ANY_PORT, None, patience, tempfile::tempdir().unwrap());
    let everything_after = |text: &str| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server ends the connection");
        answer
    };
    for begun in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: 127"] {
        assert_eq!(everything_after(begun), "", "after `{begun}`");
    }
    let head = format!("POST /api/position HTTP/1.1\r\n{}", server.host());
    let answer = everything_after(&format!("{head}\r\nContent-Length: 100\r\n\r\n{{"));
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("did not arrive"), "{answer}");
}

/// Exact work on a game that is far too large once took the whole server down.
#[test]
fn exact_work_is_offered_only_where_it_can_end() {
    let server = Running::start();
    let agents = |game: &str| {
        let (status, answer) = server.post("/api/game", &json!({ "game": game }));
        assert_eq!(status, 200, "{answer}");
        answer["agents"].as_array().unwrap().contains(&json!("exact"))
    };
    assert!(agents("tic-tac-toe") && agents("hagetaka:n=5"));
    let plain = "sangoku:scenario=plain";
    assert!(!agents(plain) && !agents("connect-four"));
    let events = server.think(&start_of(plain), 0, "exact");
    let [(name, error)] = &events[..] else { panic!("{events:?}") };
    assert_eq!(name, "error");
    assert!(error["message"].as_str().unwrap().contains("more than"), "{error}");
    let job = json!({ "kind": "duel", "game": plain, "agents": ["exact", "random"], "games": 2, "seed": 1 });
    let (status, answer) = server.post("/api/jobs", &job);
    assert_eq!((status, &answer["code"]), (422, &json!("unknown-agent")), "{answer}");
    assert_eq!(server.get("/api/catalog").0, 200);
}

#[test]
fn faults_of_addresses_and_bodies_have_the_one_form_of_errors() {
    let server = Running::start();
    for path in [
        "/api/store/99999999999999999999/0",
        "/api/store/1/-1",
        "/api/jobs/x/events",
        "/api/sealed/m/x",
    ] {
        let (status, body) = server.get(path);
        let error: Value = serde_json::from_str(&body).unwrap_or_else(|_| panic!("{path}: {body}"));
        assert_eq!((status, &error["code"]), (400, &json!("bad-request")), "{path}: {error}");
    }
    let mut stream = TcpStream::connect(server.address).unwrap();
    let head = format!("POST /api/game HTTP/1.1\r\n{}", server.host());
    write!(stream, "{head}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n").unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}

/// A run in the folder beside the store is listed with its page; no other file is handed out, and a map is judged.
#[test]
fn runs_of_evolution_are_shown_and_maps_are_judged() {
    let server = Running::start();
    assert_eq!(server.get("/api/fair"), (200, "[]".to_owned()));
    let out = server.folder.path().join("evolved").join("first");
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_sakiyomi"))
        .args(["evolve", "--population", "4", "--elites", "1", "--generations", "1", "--games"])
        .args(["4", "--polish", "1", "--lineages", "2", "--polish-games", "4", "--candidates"])
        .args(["1", "--judge", "sample+noise", "--verify", "sample+noise", "--quiet", "--out"])
        .arg(&out)
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let (_, body) = server.get("/api/fair");
    let runs: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&runs[0]["name"], &runs[0]["generations"]), (&json!("first"), &json!(2)), "{runs}");
    assert_eq!((&runs[0]["tried"], &runs[0]["is_complete"]), (&json!(1), &json!(true)), "{runs}");
    let (status, page) = server.get("/fair/first/gallery.html");
    assert!(status == 200 && page.contains("2 of 2 generations"), "{page}");
    assert!(server.get("/fair/first/maps.svg").1.contains("<svg"));
    let (status, gallery) = server.get("/api/fair/first");
    let gallery: Value = serde_json::from_str(&gallery).unwrap();
    assert_eq!(status, 200, "{gallery}");
    assert_eq!(gallery["generations"].as_array().map(Vec::len), Some(2), "{gallery}");
    assert_eq!(
        gallery["generations"][0]["has_maps"],
        json!(false),
        "only runs of the page keep them"
    );
    for path in ["/api/fair/second", "/api/fair/first?generation=0", "/api/fair/..%2Ffirst"] {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
    for path in ["/fair/first/run.json", "/fair/second/gallery.html", "/fair/..%2Ffirst/maps.svg"] {
        let (status, body) = server.get(path);
        assert!(status == 404 && body.contains("not-found"), "{path}: {status} {body}");
    }

    let map = |name: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tubstap");
        std::fs::read_to_string(format!("{folder}/{name}.tbsmap")).unwrap()
    };
    let (status, answer) = server.post("/api/fairness", &json!({ "map": map("fair/01") }));
    assert_eq!(status, 200, "{answer}");
    let judges = answer["judges"].as_array().unwrap();
    assert!(judges.len() >= 3, "{answer}");
    for judge in judges {
        let count = |of: &Value| of.as_u64().unwrap();
        let games = count(&judge["wins"][0]) + count(&judge["wins"][1]) + count(&judge["draws"]);
        assert_eq!(games, 200, "{judge}");
    }
    let (status, answer) = server.post("/api/fairness", &json!({ "map": "SIZEX[4];" }));
    assert_eq!((status, &answer["code"]), (400, &json!("bad-request")), "{answer}");
}

/// Evolution is a job: it tells its generations, keeps the best maps of each, and goes on where it was stopped.
#[test]
fn evolution_runs_as_a_job() {
    let server = Running::start();
    let request = |generations: u32| {
        json!({
            "kind": "evolve", "columns": 4, "rows": 4, "units_a_side": 2, "turn_limit": 4,
            "generations": generations, "population": 8, "seed": 3,
        })
    };
    let (status, refused) = server.post("/api/jobs", &request(1_000));
    assert_eq!((status, &refused["code"]), (400, &json!("bad-request")), "{refused}");
    let (status, job) = server.post("/api/jobs", &request(2));
    assert_eq!(status, 200, "{job}");
    let name = job["title"].as_str().unwrap().to_owned();
    let gallery = |query: &str| -> Option<Value> {
        let (status, body) = server.get(&format!("/api/fair/{name}{query}"));
        (status == 200).then(|| serde_json::from_str(&body).unwrap())
    };
    let started = Instant::now();
    let first = loop {
        if let Some(first) = gallery("?generation=0") {
            break first;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "no generation is complete");
        std::thread::sleep(Duration::from_millis(50));
    };
    let map = &first["maps"][0];
    assert_eq!((&map["map"]["columns"], &map["map"]["rows"]), (&json!(4), &json!(4)), "{map}");
    assert!(map["text"].as_str().unwrap().contains("SIZEX[6]"), "{map}");
    let game = map["game"].as_str().unwrap();
    assert_eq!(server.post("/api/game", &json!({ "game": game })).0, 200);
    server.post(&format!("/api/jobs/{}/stop", job["id"]), &json!({}));
    let (_, again) = server.post("/api/jobs", &request(2));
    assert_eq!(again["id"], job["id"], "the same request is the same job");
    server.post(&format!("/api/jobs/{}/stop", job["id"]), &json!({}));
}
