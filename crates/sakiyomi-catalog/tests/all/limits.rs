//! What is refused because it would not end, and how that is said.

use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, Seat, SpecError, Visitor};
use sakiyomi_core::Player;

struct Build<'a>(&'a GameSpec, &'a AgentSpec);

impl Visitor for Build<'_> {
    type Out = Result<(), SpecError>;

    fn visit<G: CatalogGame>(self, game: G) -> Self::Out {
        let seat = Seat { game: self.0, player: Player(0), seed: 1 };
        self.1.build(&game, &seat).map(drop)
    }
}

fn build(game: &str, agent: &str) -> Result<(), String> {
    let (game, agent): (GameSpec, AgentSpec) = (game.parse().unwrap(), agent.parse().unwrap());
    game.with(Build(&game, &agent)).unwrap().map_err(|error| error.to_string())
}

#[test]
fn exact_work_is_offered_where_it_can_end() {
    for game in ["tic-tac-toe", "hagetaka:n=7", "goofspiel:n=6", "connect-four:4x4"] {
        assert_eq!(build(game, "exact"), Ok(()), "{game}");
    }
    let too_large = [
        "sangoku:scenario=plain",
        "sangoku",
        "sangoku:scenario=random",
        "connect-four",
        "breakthrough",
        "othello",
        "hagetaka",
    ];
    for game in too_large {
        let message = build(game, "exact").unwrap_err();
        assert!(message.contains("more than") && message.contains("`uct`"), "{game}: {message}");
    }
    for game in ["hagetaka:n=4,players=3", "gdl"] {
        let message = build(game, "exact").unwrap_err();
        assert!(message.contains("two players"), "{game}: {message}");
    }
}

#[test]
fn a_program_that_is_not_there_is_refused_before_it_plays() {
    let message = build("tic-tac-toe", "exec:/nonexistent").unwrap_err();
    assert!(message.contains("there is no program `/nonexistent`"), "{message}");
    assert_eq!(build("tic-tac-toe", "exec:time=1s,sh -c 'exit 1'"), Ok(()));
}

#[cfg(unix)]
#[test]
fn files_without_end_are_not_read() {
    let refused = |message: String| {
        assert!(message.contains("/dev/zero: is a device or a pipe"), "{message}");
    };
    let error = |game: &str| match game.parse::<GameSpec>() {
        Ok(game) => game.players().unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    refused(error("gdl:file=/dev/zero"));
    refused(error("sangoku:file=/dev/zero"));
    refused(build("hagetaka:n=3", "exact:file=/dev/zero").unwrap_err());
}

#[test]
fn whole_numbers_may_be_written_as_powers_of_ten() {
    let text = |text: &str| text.parse::<AgentSpec>().map(|agent| agent.to_string());
    assert_eq!(text("uct:iterations=1e4").unwrap(), "uct:iterations=10000");
    assert_eq!(text("uct:iterations=2.5E3").unwrap(), "uct:iterations=2500");
    for wrong in ["uct:iterations=1.5", "uct:iterations=1e-3", "uct:iterations=1e300"] {
        let message = text(wrong).unwrap_err().to_string();
        assert!(message.contains("a whole number from 1 up"), "{message}");
    }
}

/// Searches that look at all actions would take the few candidates for all there are.
#[test]
fn searches_that_need_a_list_of_actions_refuse_a_game_without_one() {
    let game = "mizugame:teams=2,sessions=4";
    let (mut plays, mut refused) = (Vec::new(), Vec::new());
    for entry in AgentSpec::entries() {
        match build(game, entry.example) {
            Ok(()) => plays.push(entry.name),
            Err(message) if message.contains("needs a list of all actions") => {
                assert!(message.contains("`squad`") && message.contains("painter"), "{message}");
                refused.push(entry.name);
            }
            Err(_) => {}
        }
    }
    for name in ["random", "squad", "painter", "mizugame-paper"] {
        assert!(plays.contains(&name), "{name}: {plays:?}");
    }
    for name in [
        "uct",
        "duct",
        "rm",
        "oos",
        "smuct",
        "exp3",
        "flat",
        "halving",
        "maxn",
        "oep",
        "sequential",
        "exact",
    ] {
        assert!(refused.contains(&name), "{name}: {refused:?}");
    }
}
