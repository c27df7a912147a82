//! Every player in a match.

use sakiyomi_core::{Game, Stop, Turn};
use sakiyomi_games::tubstap::{Settings, Small, read_map};

use super::*;

const FORD: &[u8] = include_bytes!("../../../../games/tubstap/ford.tbsmap");
const AIR: &[u8] = include_bytes!("../../../../games/tubstap/air.tbsmap");

/// Every player plays legal actions to the end, the same again from the same seed, and takes part in
/// matches where sides are swapped.
#[test]
fn players_play_legally_and_repeatably() {
    let muct = || MUct::new(MUctSettings { simulations: 60, ..MUctSettings::STOCK });
    check_player(|| Box::new(MaxActionEval), Attacks::Effective);
    check_player(|| Box::new(muct()), Attacks::Effective);
    let m3lee = M3LeeSettings {
        playouts: 100,
        random_turns: 5,
        rating_playouts: 4,
        comparing_playouts: 4,
        cpu_per_turn: None,
    };
    check_player(|| Box::new(M3Lee::new(m3lee)), Attacks::Effective);
    check_player(|| Box::new(M3Lee::new(m3lee)), Attacks::All);
    let staff = MilitaryStaffSettings {
        action_playouts: 2,
        plan_playouts: 2,
        plans: 10,
        ..MilitaryStaffSettings::STOCK
    };
    check_player(|| Box::new(MilitaryStaff::new(staff)), Attacks::All);
    check_player(|| Box::new(MilitaryStaff::new(staff)), Attacks::Effective);
    let sat = SatD2Settings { node_limit: 500, ..SatD2Settings::STOCK };
    check_player(|| Box::new(SatD2::new(sat)), Attacks::Effective);
}

fn check_player(make: impl Fn() -> Box<dyn Agent<Small>>, attacks: Attacks) {
    for (bytes, swapped) in [(FORD, false), (AIR, true)] {
        let settings = Settings { attacks, swapped, ..Settings::default() };
        let game = Small::new(&read_map(bytes).unwrap().0, settings).unwrap();
        let match_once = || {
            let mut players = [make(), make()];
            let (mut state, mut rng, stop) = (game.start(), Rng::new(7), Stop::new());
            let mut played: Vec<Action> = Vec::new();
            while let Turn::Choose(who) = game.turn(&state) {
                let player = who.single().unwrap();
                let mut context = Context { rng: &mut rng, stop: &stop };
                let choice =
                    players[player.index()].choose(&game, &state, player, &mut context).unwrap();
                assert!(game.is_legal(&state, player, choice.action, attacks), "{choice:?}");
                let total: f64 = choice.policy.iter().map(|(_, share)| share).sum();
                assert!((total - 1.0).abs() < 1e-9);
                played.push(choice.action);
                game.apply(&mut state, &[choice.action]);
            }
            played
        };
        assert_eq!(match_once(), match_once());
    }
}

/// A request to stop ends every search soon.
#[test]
fn players_stop_when_asked() {
    let settings = Settings { attacks: Attacks::All, ..Settings::default() };
    let game = Small::new(&read_map(AIR).unwrap().0, settings).unwrap();
    let stop = Stop::new();
    stop.request();
    let mut players: [Box<dyn Agent<Small>>; 4] = [
        Box::new(MUct::new(MUctSettings { simulations: u64::MAX, ..MUctSettings::STOCK })),
        Box::new(M3Lee::new(M3LeeSettings {
            playouts: u64::MAX,
            random_turns: u64::MAX,
            ..M3LeeSettings::STOCK
        })),
        Box::new(MilitaryStaff::new(MilitaryStaffSettings {
            plans: u32::MAX,
            plan_playouts: u32::MAX,
            ..MilitaryStaffSettings::STOCK
        })),
        Box::new(SatD2::new(SatD2Settings::STOCK)),
    ];
    for player in &mut players {
        let mut rng = Rng::new(1);
        let mut context = Context { rng: &mut rng, stop: &stop };
        let start = game.start();
        let choice = player.choose(&game, &start, Player(0), &mut context).unwrap();
        assert!(game.is_legal(&start, Player(0), choice.action, Attacks::All));
    }
}
