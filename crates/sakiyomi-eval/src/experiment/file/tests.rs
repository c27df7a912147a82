use super::*;

const DUELS: &str = r#"
id = "test"
title = "A test"
kind = "duels"
[scale.quick]
games = 10
n = 5
[scale.paper]
games = 100
n = 50
[[duel]]
name = "a"
game = "connect-four"
first = "uct:iterations={n}"
second = "random"
paper_seats = [{ wins = 3, draws = 1, losses = 0 }, { wins = 2, draws = 0, losses = 2 }]
[[claim]]
text = "uct is stronger"
test = "score(a) > 0.5"
"#;

fn load(text: &str) -> Result<Experiment, ExperimentError> {
    read(Path::new("test.toml"), text)
}

fn error(text: &str) -> String {
    load(text).unwrap_err().to_string()
}

#[test]
fn a_file_becomes_cells_at_both_scales() {
    let experiment = load(DUELS).unwrap();
    let [quick, paper] = [Scale::Quick, Scale::Paper].map(|s| experiment.cells(s)[0].clone());
    assert_eq!((quick.games, paper.games), (10, 100));
    assert_eq!(quick.task.agents()[0], "uct:iterations=5".parse().unwrap());
    assert_eq!(paper.task.agents()[0], "uct:iterations=50".parse().unwrap());
    let numbers = quick.paper.unwrap();
    assert_eq!(numbers.tally, Some(Tally { wins: 5, draws: 1, losses: 2 }));
    assert_eq!(numbers.score, 5.5 / 8.0);
}

#[test]
fn kinds_make_their_cells() {
    let head = |kind: &str| {
        format!(
            "id = \"t\"\ntitle = \"t\"\nkind = \"{kind}\"\ngame = \"tic-tac-toe\"\n\
                 first = \"uct\"\nsecond = \"uct:iterations={{x}},expand={{y}}\"\n\
                 x = {{ label = \"x\", values = [10, 20] }}\ny = {{ label = \"y\", values = [1, 2, 3] }}\n\
                 scale = {{ quick = {{ games = 2 }}, paper = {{ games = 4 }} }}\n"
        )
    };
    let names = |text: String| -> Vec<String> {
        let experiment = load(&text).unwrap_or_else(|error| panic!("{error}"));
        experiment.cells(Scale::Quick).iter().map(|cell| cell.address.to_string()).collect()
    };
    assert_eq!(names(head("sweep")).len(), 6);
    assert_eq!(names(head("sweep"))[1], "10, 2");
    let robin = head("round-robin")
        + "[[agent]]\nname = \"a\"\nspec = \"uct\"\n[[agent]]\nname = \"b\"\nspec = \"random\"\n\
               [[agent]]\nname = \"c\"\nspec = \"flat\"\n[[paper]]\nrow = \"c\"\ncolumn = \"a\"\nscore = 0.25\n\
               [[claim]]\ntext = \"t\"\ntest = \"row(a) > 0.5 and score(c - a) < 0.5\"\n";
    assert_eq!(names(robin.clone()), ["a - b", "a - c", "b - c"]);
    let paper = |text: &str| load(text).unwrap().cells(Scale::Quick)[1].paper.clone().unwrap();
    assert_eq!((paper(&robin).score, paper(&robin).turned), (0.75, Some(0.25)));
    // A paper may print both sides of a pair, and they need not add up to 1.
    let both = robin.clone() + "[[paper]]\nrow = \"a\"\ncolumn = \"c\"\nscore = 0.76\n";
    assert_eq!((paper(&both).score, paper(&both).turned), (0.76, Some(0.25)));
    let curve = head("curve").replace(",expand={y}", "")
        + "[[series]]\nname = \"s\"\npaper_scores = [0.1, 0.2]\n";
    assert_eq!(names(curve), ["s @ 10", "s @ 20"]);
    let game = load(&head("game").replace("uct:iterations={x},expand={y}", "uct")).unwrap();
    assert!(game.cells(Scale::Quick)[0].keep && game.cells(Scale::Paper)[0].games == 1);
}

#[test]
fn a_row_may_have_its_own_number_of_games_and_the_paper_its() {
    let own = |text: &str| load(&DUELS.replace("name = \"a\"", text)).unwrap();
    let games = |text: &str| {
        let experiment = own(text);
        [Scale::Quick, Scale::Paper].map(|scale| experiment.cells(scale)[0].games)
    };
    assert_eq!(games("name = \"a\"\ngames = 7"), [7, 7]);
    assert_eq!(games("name = \"a\"\ngames = \"{n}\""), [5, 50]);
    let message = error(&DUELS.replace("name = \"a\"", "name = \"a\"\ngames = 0"));
    assert!(message.contains("test.toml:13:9: `games` must be at least 1"), "{message}");
    let text = DUELS.replace("kind =", "paper_games = 1000\nkind =").replace(
        "paper_seats = [{ wins = 3, draws = 1, losses = 0 }, { wins = 2, draws = 0, losses = 2 }]",
        "paper = { score = 0.6 }",
    );
    let paper = load(&text).unwrap().cells(Scale::Quick)[0].paper.clone().unwrap();
    assert_eq!((paper.score, paper.games), (0.6, Some(1000)));
}

#[test]
fn exploitability_is_measured_in_runs() {
    let text = r#"
id = "measure"
title = "A test"
kind = "exploitability"
game = "hagetaka:n={n}"
x = { label = "iterations", values = [10, 100], log = true }
[scale.quick]
runs = 3
n = 3
[scale.paper]
runs = 9
n = 5
[[series]]
name = "RM"
agent = "rm:iterations={x}"
[[series]]
name = "fresh"
agent = "uct:iterations={x}"
fresh = true
[[claim]]
text = "it falls"
test = "nash_conv(RM @ 100) < nash_conv(RM @ 10)"
"#;
    let experiment = load(text).unwrap();
    assert_eq!(experiment.kind(), Kind::Exploitability);
    let [first, .., last] = experiment.cells(Scale::Quick) else { panic!("no cells") };
    assert_eq!((first.address.to_string().as_str(), first.games), ("RM @ 10", 3));
    let Task::Measure(measurement) = &last.task else { panic!("{last:?}") };
    assert_eq!(measurement.of, Measured::NashConv { fresh: true });
    assert_eq!(measurement.game.to_string(), "hagetaka:n=3");
    assert_eq!(last.balanced_games().unwrap(), 3);
    let message = error(&text.replace("agent = \"rm:", "first = \"rm:"));
    assert!(message.contains("needs `agent in every [[series]]`"), "{message}");
    let message = error(&text.replace("runs = 3", "games = 3"));
    assert!(message.contains("needs `a positive `runs` in [scale.quick]`"), "{message}");
}

/// What is measured in runs: several cells may show readings of the same run.
#[test]
fn other_measurements_have_readings() {
    let text = |kind: &str, more: &str| {
        format!(
            "id = \"measure\"\ntitle = \"A test\"\nkind = \"{kind}\"\n{more}\n\
             [scale.quick]\nruns = 2\n[scale.paper]\nruns = 3\n"
        )
    };
    let axis = |values: &str| format!("x = {{ label = \"x\", values = [{values}] }}\n");
    let readings = |text: &str| {
        let experiment = load(text).unwrap();
        let cells = experiment.cells(Scale::Quick).to_vec();
        assert!(cells.iter().all(|cell| cell.task == cells[0].task), "{cells:?}");
        assert_eq!(
            experiment.counts_once(Scale::Quick).iter().filter(|&&counts| counts).count(),
            1
        );
        let name = |cell: &Cell| cell.reading.clone().unwrap().0;
        (experiment.kind(), cells[0].task.second_text(), cells.iter().map(name).collect::<Vec<_>>())
    };
    let probe = text("probe", &(axis("0, 1") + "game = \"connect-four\"\nmeasure = \"hits_at\""))
        + "[[series]]\nname = \"a\"\nagent = \"experience:huffman\"\nplayouts = 99\n";
    let hits_at = ["hits_at@0", "hits_at@1"].map(str::to_owned).to_vec();
    assert_eq!(readings(&probe), (Kind::Probe, "probe:playouts=99,plies=10".to_owned(), hits_at));
    let message = error(&probe.replace("hits_at", "score"));
    assert!(message.contains("known: distance, deviation, hits, hits_at"), "{message}");
    let message = error(&probe.replace("0, 1", "\"a\""));
    assert!(message.contains("whole numbers"), "{message}");
    let features = text("features", &(axis("1") + "game = \"connect-four\""))
        + "[[series]]\nname = \"a\"\nof = \"kinds\"\n[[series]]\nname = \"b\"\nof = \"turns\"\n";
    let kinds = ["kinds", "turns"].map(str::to_owned).to_vec();
    assert_eq!(readings(&features), (Kind::Features, "features".to_owned(), kinds));
    assert!(error(&features.replace("\"kinds\"", "\"size\"")).contains("turns, kinds, changes"));
    let evolution = text("evolution", &(axis("1, 2") + "game = \"tubstap\"\njudge = \"sample\""))
        + "[evolution]\npopulation = 6\ngames = 4\ngenerations = 2\naircraft = true\n\
           [[series]]\nname = \"a\"\nof = \"best\"\n";
    let size = "evolution:population=6,games=4,generations=2,aircraft=true".to_owned();
    let best = ["best@1", "best@2"].map(str::to_owned).to_vec();
    assert_eq!(readings(&evolution), (Kind::Evolution, size, best));
    assert!(error(&evolution.replace("games = 4", "games = 0")).contains("at least 1"));
}

#[test]
fn with_three_players_both_sides_of_a_pair_are_played() {
    let text = |game: &str| {
        format!(
            r#"
id = "three"
title = "A test"
kind = "round-robin"
game = "{game}"
[scale.quick]
games = 10
[scale.paper]
games = 10
[[agent]]
name = "a"
spec = "rm"
[[agent]]
name = "b"
spec = "random"
[[paper]]
row = "a"
column = "b"
score = 0.6
"#
        )
    };
    let cells = |game| {
        let experiment = load(&text(game)).unwrap();
        let score = |cell: &Cell| cell.paper.as_ref().map(|paper| paper.score);
        let cells = experiment.cells(Scale::Quick).iter();
        cells.map(|cell| (cell.address.to_string(), score(cell))).collect::<Vec<_>>()
    };
    assert_eq!(cells("hagetaka"), [("a - b".to_owned(), Some(0.6))]);
    let three = [("a - b".to_owned(), Some(0.6)), ("b - a".to_owned(), None)];
    assert_eq!(cells("hagetaka:players=3"), three);
}

#[test]
fn a_wrong_file_is_an_error_with_line_and_field() {
    for (from, to, expected) in [
        ("kind = \"duels\"", "kind = \"dules\"", "test.toml:4:8: `dules` is no kind"),
        ("uct:iterations={n}", "utc", "test.toml:14:9: `utc`: no agent is called `utc`"),
        ("{n}", "{m}", "test.toml:14:9: `{m}` is not set; known here: games, n"),
        ("game = \"connect-four\"\n", "", "needs `game`"),
        ("second =", "secnd =", "test.toml:15:1: unknown field `secnd`"),
        ("games = 10\n", "", "needs `a positive `games` in [scale.quick]`"),
        ("score(a) > 0.5", "score(b) > 0.5", "test.toml:19:8: nothing is called `b`; known: a"),
        ("score(a) > 0.5", "score(a) = 0.5", "test.toml:19:8: `score(a) = 0.5` compares"),
        ("id = \"test\"", "id = \"Te st\"", "test.toml:2:6: an id has small letters"),
        ("title = \"A test\"", "title = 3", "test.toml:3:9: invalid type"),
        ("[scale.paper]\ngames = 100\nn = 50\n", "", "needs `[scale.paper]`"),
        ("kind = \"duels\"", "kind = \"curve\"", "needs `[[series]]`"),
    ] {
        let message = error(&DUELS.replace(from, to));
        assert!(message.contains(expected), "`{expected}` is not in: {message}");
    }
}

#[test]
fn matches_may_begin_with_openings() {
    let with = |keys: &str| DUELS.replace("kind =", &format!("{keys}\nkind ="));
    let openings = |keys: &str| {
        let cells = load(&with(keys)).unwrap().cells(Scale::Quick).to_vec();
        cells[0].task.openings().map(|openings| openings.to_string())
    };
    assert_eq!(openings(""), None);
    assert_eq!(openings("openings = 20").as_deref(), Some("openings=20,plies=4"));
    let both = "openings = 20\nopening-plies = 6";
    assert_eq!(openings(both).as_deref(), Some("openings=20,plies=6"));
    let message = error(&with("opening-plies = 6"));
    assert!(message.contains("`opening-plies` needs `openings`"), "{message}");
    assert!(error(&with("openings = 0")).contains("expected at least 1"));
}

#[test]
fn every_measure_can_be_drawn() {
    for (name, _) in Quantity::all() {
        let text = format!(
            "id = \"t\"\ntitle = \"t\"\nkind = \"curve\"\nmeasure = \"{name}\"\ngame = \"tic-tac-toe\"\n\
             first = \"uct:iterations={{x}}\"\nsecond = \"random\"\n\
             x = {{ label = \"i\", values = [1, 2] }}\n[scale.quick]\ngames = 2\n\
             [scale.paper]\ngames = 2\n[[series]]\nname = \"s\"\n"
        );
        let is_drawn = Measure::named(name).is_some() || ["score", "draws"].contains(&name);
        match load(&text) {
            Ok(_) => assert!(is_drawn, "{name}"),
            Err(error) => {
                let message = error.to_string();
                assert!(!is_drawn && message.contains("known: score, draws, payoff"), "{message}");
            }
        }
    }
}
