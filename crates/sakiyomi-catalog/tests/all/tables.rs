//! The erased match: legality, undo, seated agents, records and programs as agents.

use sakiyomi_catalog::{
    AgentSpec, ExecSpec, GameSpec, Record, Table, TableError, open_table, replay,
};
use sakiyomi_core::{Payoffs, Player, Players, Stop, Turn};

fn open(game: &str) -> Box<dyn Table> {
    open_table(&game.parse::<GameSpec>().unwrap(), 1).unwrap()
}

fn agent(text: &str) -> AgentSpec {
    text.parse().unwrap()
}

#[test]
fn only_legal_moves_change_a_match() {
    let mut table = open("tic-tac-toe");
    table.play(&["b2"]).unwrap();
    let before = table.record();
    let error = table.play(&["b2"]).unwrap_err().to_string();
    assert!(error.contains("`b2` is not legal") && error.contains("legal: a1"), "{error}");
    assert_eq!(table.play(&["a1", "a2"]).unwrap_err(), TableError::Count { expected: 1, found: 2 });
    assert!(matches!(table.play(&[]), Err(TableError::Count { .. })));
    assert!(table.legal(Player(0)).is_empty(), "it is the other's turn");
    assert_eq!(table.legal(Player(1)).len(), 8);
    assert!(matches!(
        table.advise(&agent("random"), Player(0), &Stop::new()),
        Err(TableError::NotChoosing { .. })
    ));
    assert_eq!(table.record(), before);
    for text in ["A1", " c3 ", "a2", "c2", "a3"] {
        table.play(&[text]).unwrap();
    }
    let Turn::Over(payoffs) = table.turn() else {
        panic!("still {:?}", table.view().caption);
    };
    assert_eq!(payoffs, Payoffs::of([0.0, 1.0]));
    assert_eq!(table.play(&["b1"]), Err(TableError::Over));
    assert!(matches!(
        table.advise(&agent("random"), Player(0), &Stop::new()),
        Err(TableError::Over)
    ));
}

#[test]
fn a_record_rebuilds_the_match_and_a_wrong_one_says_where() {
    let mut table = open("breakthrough:5x5");
    for _ in 0..6 {
        let Turn::Choose(mut who) = table.turn() else { break };
        let player = who.next().unwrap();
        let action = table.legal(player)[0].text.clone();
        table.play(&[&action]).unwrap();
    }
    let json = serde_json::to_string(&table.record()).unwrap();
    let record: Record = serde_json::from_str(&json).unwrap();
    let again = replay(&record).unwrap();
    assert_eq!((again.view(), again.record()), (table.view(), table.record()));
    let mut wrong = record;
    wrong.moves[2] = vec!["z9-z8".to_owned()];
    let Err(error) = replay(&wrong) else { panic!("a wrong record was replayed") };
    assert!(error.to_string().starts_with("step 3 of the record: `z9-z8` is not legal"), "{error}");
    assert_eq!(error.step(), Some(3));
}

#[test]
fn moves_are_taken_back_one_by_one() {
    let mut table = open("connect-four");
    let start = table.view();
    assert!(!table.undo(), "there is nothing to take back");
    table.seat(Player(1), &agent("uct:iterations=200")).unwrap();
    table.play(&["d"]).unwrap();
    let after_one = table.view();
    let first = table.think(Player(1), &Stop::new()).unwrap();
    table.play(&[&first.action]).unwrap();
    assert!(table.undo());
    assert_eq!(table.view(), after_one);
    let again = table.think(Player(1), &Stop::new()).unwrap();
    assert_eq!((again.action, again.rows), (first.action, first.rows), "as if never played");
    assert!(table.undo() && !table.undo());
    assert_eq!(table.view(), start);
}

#[test]
fn agents_advise_and_explain() {
    let mut table = open("tic-tac-toe");
    for text in ["a1", "b1", "a2", "b2"] {
        table.play(&[text]).unwrap();
    }
    for spec in ["uct:iterations=3000", "maxn:depth=9", "flat:iterations=3000", "uct:solver"] {
        let advice = table.advise(&agent(spec), Player(0), &Stop::new()).unwrap();
        assert_eq!(advice.action, "a3", "{spec} sees three in a row");
        let sum: f64 = advice.policy().iter().map(|arm| arm.share).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{spec}: shares add up to {sum}");
        assert_eq!(advice.policy()[0].text, "a3");
        assert!(advice.value.unwrap() > 0.9, "{spec}");
    }
    assert!(matches!(table.think(Player(0), &Stop::new()), Err(TableError::NoAgent { .. })));
    assert_eq!(table.turn(), Turn::Choose(Players::one(Player(0))), "nothing was played");
}

#[test]
fn pruning_is_refused_where_it_would_do_nothing() {
    let table = open("othello");
    let error = table.advise(&agent("uct:pruned"), Player(0), &Stop::new()).unwrap_err();
    assert!(error.to_string().contains("othello does not provide a rule by which"), "{error}");
    assert!(open("breakthrough").advise(&agent("uct:pruned"), Player(0), &Stop::new()).is_ok());
}

#[test]
fn options_that_a_game_cannot_follow_are_refused() {
    let othello = open("othello");
    let options = [
        "pruned-pairs",
        "urgent=0.5",
        "round-limit=10",
        "groups=one",
        "widen=1",
        "discount=0.1",
        "progress-weight=0.3",
    ];
    for option in options {
        let spec = agent(&format!("uct:{option}"));
        let error = othello.advise(&spec, Player(0), &Stop::new()).unwrap_err().to_string();
        let word = option.split('=').next().unwrap();
        assert!(error.contains(&format!("`{word}` would do nothing: othello")), "{error}");
    }
    for name in ["rule-based", "sangoku-best", "restricted"] {
        assert!(othello.advise(&agent(name), Player(0), &Stop::new()).is_err(), "{name}");
    }
}

#[test]
fn every_option_plays_sangoku() {
    for spec in [
        "rule-based",
        "sangoku-best:iterations=300",
        "uct:iterations=300,pruned,round-limit=10,c=0.15,expand=10",
        "uct:iterations=300,pruned,pruned-pairs,round-limit=10,balanced,discount=0.02,solver",
        "uct:iterations=300,groups=one,urgent=0.8",
        "uct:iterations=300,groups=shared,horizon=2",
        "uct:iterations=300,groups=shared,graph,trees=2",
        "restricted:margin=1,agent=(uct:iterations=300)",
        "restricted:by=reach,agent=(uct:iterations=300,widen=0.5)",
        "maxn:depth=2,pruned",
    ] {
        let mut table = open("sangoku:scenario=c");
        // Agents keep their trees over several actions of a turn, and over chance.
        for step in 0..4 {
            let Turn::Choose(mut who) = table.turn() else { panic!("{spec}: over at {step}") };
            let player = who.next().unwrap();
            table.seat(player, &agent(spec)).unwrap();
            let choice = table.think(player, &Stop::new()).unwrap();
            let legal = table.legal_text(player, &choice.action);
            assert!(legal.is_ok(), "{spec}: {legal:?}");
            if spec.contains("iterations=300") {
                assert_eq!(choice.iterations, 300, "{spec} at {step}");
            }
            table.play(&[&choice.action]).unwrap();
        }
    }
}

/// A program for /bin/sh that greets, then runs `answer` for every request.
fn shell(answer: &str) -> AgentSpec {
    let script = format!(
        "echo ready; while read -r word rest; do case $word in go) {answer};; quit) exit 0;; esac; done"
    );
    AgentSpec::from(ExecSpec {
        command: format!("sh -c {}", shlex::try_quote(&script).unwrap()),
        time: std::time::Duration::from_millis(300),
    })
}

#[test]
fn programs_can_play() {
    let mut table = open("tic-tac-toe");
    table.play(&["a1"]).unwrap();
    table.seat(Player(1), &shell("echo '# thinking'; echo; printf 'move\\tb2\\n'")).unwrap();
    assert_eq!(table.think(Player(1), &Stop::new()).unwrap().action, "b2");
}

#[test]
fn a_program_is_told_everything() {
    let mut table = open("connect-four:5x4");
    for text in ["a", "b", "a"] {
        table.play(&[text]).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let command = format!(
        "sh -c {}",
        shlex::try_quote(&format!(
            "echo ready; while read -r line; do echo \"$line\" >> '{}'; \
             [ \"$line\" = go ] && printf 'move\\te\\n'; done",
            log.display()
        ))
        .unwrap()
    );
    let spec = AgentSpec::from(ExecSpec { command, time: std::time::Duration::from_secs(5) });
    assert_eq!(table.advise(&spec, Player(1), &Stop::new()).unwrap().action, "e");
    let told = std::fs::read_to_string(log).unwrap();
    let expected = "sakiyomi\t1\ngame\tconnect-four:width=5,height=4\nseat\t1\t2\nseed\t1\n\
                    moves\t0:a\t1:b\t0:a\nlegal\ta\tb\tc\td\te\nclock\t5000\ngo\n";
    assert!(told.starts_with(expected), "{told}");
}

#[test]
fn a_program_that_fails_gives_up_with_a_reason() {
    let forfeit = |spec: &AgentSpec| {
        let table = open("tic-tac-toe");
        table.advise(spec, Player(0), &Stop::new()).unwrap_err().to_string()
    };
    let cases = [
        (shell("printf 'move\\tz9\\n'"), "`z9` is not legal"),
        (shell("echo nonsense"), "answered `nonsense` instead of `move<tab>..`"),
        (shell("sleep 5"), "gave no answer within 0.4 s"),
        (shell("exit 3"), "ended (exit status: 3)"),
        (shell("kill -9 $$"), "ended (signal: 9"),
        (agent("exec:echo hello"), "answered `hello` instead of `ready`"),
        (agent("exec:true"), "ended (exit status: 0)"),
    ];
    for (spec, reason) in cases {
        let message = forfeit(&spec);
        assert!(message.contains(reason), "`{reason}` is not in: {message}");
    }
}

/// Orders are given at the same time and carried out a session later: an agent is handed neither what
/// the others choose now nor what they have ordered already.
#[test]
fn no_agent_sees_the_orders_of_others() {
    let orders = ["00A 1AA -", "33. AAAAAAAAA 2", "- - -", "012345A.0 5 4"];
    let agents =
        ["mizugame-paper", "painter", "sucker", "wanderer", "squad:iterations=40", "random"];
    let decide = |others: usize, agent_text: &str| {
        let mut table = open("mizugame:teams=3,sessions=20");
        for step in 0..3 {
            // Only the last step differs, whose orders are still to be carried out.
            let other = orders[if step == 2 { others } else { step }];
            table.play(&["0 1 2", other, other]).unwrap();
        }
        table.advise(&agent(agent_text), Player(0), &Stop::new()).unwrap().action
    };
    for text in agents {
        let first = decide(0, text);
        assert!((1..orders.len()).all(|others| decide(others, text) == first), "{text}");
    }
}

#[test]
fn orders_are_played_recorded_and_refused() {
    let mut table = open("mizugame:teams=2,sessions=4,maps=3");
    assert_eq!(table.record().moves.len(), 1, "chance has drawn a map");
    let error = table.play(&["00A 1AA -", "9 - -"]).unwrap_err().to_string();
    assert!(
        error.contains("`9 - -` is not legal for team 2")
            && error.contains("too many to list, such as `"),
        "{error}"
    );
    table.play(&["00A 1AA -", " a - . "]).unwrap();
    assert_eq!(table.record().moves[1], ["00A 1AA -", "A - ."]);
    while let Turn::Choose(who) = table.turn() {
        let texts: Vec<String> = who
            .map(|player| table.advise(&agent("random"), player, &Stop::new()).unwrap().action)
            .collect();
        table.play(&texts.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    }
    assert_eq!(table.record().moves.len(), 1 + 3, "the last session follows by itself");
    let again = replay(&table.record()).unwrap();
    assert_eq!((again.view(), again.turn()), (table.view(), table.turn()));
    for wrong in
        ["mizugame:teams=7", "mizugame:walls=31", "mizugame:symmetry=C3", "mizugame:sessions=1"]
    {
        assert!(wrong.parse::<GameSpec>().is_err(), "{wrong}");
    }
    for wrong in ["mizugame:file=none.map", "mizugame:code=x", "mizugame:min-jars=9,max-jars=3"] {
        assert!(wrong.parse::<GameSpec>().unwrap().players().is_err(), "{wrong}");
    }
    assert!("mizugame:code=x,seed=3".parse::<GameSpec>().is_err());
}
