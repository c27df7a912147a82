//! Plays matches between the players of TUBSTAP on random maps, or on the map files that are named, each
//! map with both seatings, and prints won, drawn and lost of the first player.
//! `cargo bench -p sakiyomi-games --bench tubstap_matches -- best muct --maps 50 --cpu-ms 100 --seed 1`
//! Without `--cpu-ms` the players have their stock budgets.

#![allow(clippy::print_stdout)]

use std::time::Duration;
use std::{env, fs};

use cpu_time::ThreadTime;
use sakiyomi_core::{Agent, Choice, Context, Forfeit, Game, Player, Rng, Stop, Turn};
use sakiyomi_games::tubstap::players::{
    Best, BestSettings, M3Lee, M3LeeSettings, MUct, MUctSettings, MaxActionEval, MilitaryStaff,
    MilitaryStaffSettings, SatD2, SatD2Settings,
};
use sakiyomi_games::tubstap::{Action, Attacks, Generator, Map, Settings, Small, State, read_map};

type Anyone = dyn Agent<Small>;

/// Random over all actions that do something.
struct Uniform;

impl Agent<Small> for Uniform {
    fn choose(
        &mut self,
        game: &Small,
        state: &State<1, 16>,
        player: Player,
        context: &mut Context<'_>,
    ) -> Result<Choice<Action>, Forfeit> {
        let mut actions = Vec::new();
        game.actions(state, player, &mut actions);
        let is_attack = |action: &Action| action.target().is_some();
        if actions.iter().any(is_attack) && context.rng.unit() < 0.8 {
            actions.retain(is_attack);
        }
        let action = actions[context.rng.below(actions.len())];
        Ok(Choice { action, policy: vec![(action, 1.0)], value: None, iterations: 1, nodes: 0 })
    }
}

fn agent(name: &str, cpu: Option<Duration>) -> Result<Box<Anyone>, String> {
    Ok(match name {
        "random" => Box::new(Uniform),
        "sample" => Box::new(MaxActionEval),
        "muct200" => Box::new(MUct::new(MUctSettings { simulations: 200, ..MUctSettings::STOCK })),
        "muct" => Box::new(MUct::new(cpu.map_or(MUctSettings::STOCK, MUctSettings::timed))),
        "m3lee" => Box::new(M3Lee::new(cpu.map_or(M3LeeSettings::STOCK, M3LeeSettings::timed))),
        "mss" => Box::new(MilitaryStaff::new(
            cpu.map_or(MilitaryStaffSettings::STOCK, MilitaryStaffSettings::timed),
        )),
        "satd2" => Box::new(SatD2::new(cpu.map_or(SatD2Settings::LIMITED, SatD2Settings::timed))),
        _ if name.starts_with("best") => Box::new(Best::new(best_settings(name, cpu)?)),
        _ => return Err(format!("unknown player {name}")),
    })
}

/// `best`, or `best:exploration=0.1,width=8` with settings that differ from the usual ones.
fn best_settings(name: &str, cpu: Option<Duration>) -> Result<BestSettings, String> {
    let mut settings = cpu.map_or(BestSettings::DEFAULT, BestSettings::timed);
    for (key, value) in name.split([':', ',']).filter_map(|part| part.split_once('=')) {
        let value: f64 = value.parse().map_err(|_| format!("{key} needs a number"))?;
        match key {
            "iterations" => settings.iterations = value as u64,
            "exploration" => settings.exploration = value,
            "width" => settings.width = value,
            "widening" => settings.widening = value,
            "first" => settings.attack_first = value,
            "lead" => settings.lead_share = value,
            _ => return Err(format!("unknown setting {key}")),
        }
    }
    Ok(settings)
}

struct Setup {
    names: [String; 2],
    maps: Vec<Map>,
    cpu: Option<Duration>,
    seed: u64,
}

fn read_setup() -> Result<Setup, Box<dyn std::error::Error>> {
    let (mut names, mut files) = (Vec::new(), Vec::new());
    let (mut n_maps, mut seed, mut cpu) = (10, 1, None);
    let mut generator = Generator::default();
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--maps" => n_maps = value()?.parse()?,
            "--seed" => seed = value()?.parse()?,
            "--units" => generator.units_a_side = value()?.parse()?,
            "--threshold" => generator.hp_threshold = value()?.parse()?,
            "--cpu-ms" => cpu = Some(Duration::from_millis(value()?.parse()?)),
            "--bench" => {}
            file if file.ends_with(".tbsmap") => files.push(file.to_owned()),
            _ => names.push(argument),
        }
    }
    let names = <[String; 2]>::try_from(names).map_err(|_| "name two players")?;
    let maps = if files.is_empty() {
        (0..n_maps)
            .map(|i| generator.generate(&mut Rng::stream(&[seed, i])))
            .collect::<Result<_, _>>()?
    } else {
        let mut maps = Vec::new();
        for _ in 0..n_maps {
            for file in &files {
                maps.push(read_map(&fs::read(file)?)?.0);
            }
        }
        maps
    };
    Ok(Setup { names, maps, cpu, seed })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let setup = read_setup()?;
    let mut tally = [0; 3];
    let mut seconds = [0.0; 2];
    let mut turns = [0; 2];
    for (i, map) in (0..).zip(&setup.maps) {
        for seat in 0..2 {
            let wants_all = setup.names.iter().any(|name| name == "mss");
            let attacks = if wants_all { Attacks::All } else { Attacks::Effective };
            let game = Small::new(map, Settings { attacks, ..Settings::default() })?;
            let mut players =
                [agent(&setup.names[seat], setup.cpu)?, agent(&setup.names[1 - seat], setup.cpu)?];
            let score = play(
                &game,
                &mut players,
                setup.seed * 1_000_003 + i,
                seat,
                &mut seconds,
                &mut turns,
            )?;
            tally[if score[seat] > 0.5 {
                0
            } else if score[seat] == 0.5 {
                1
            } else {
                2
            }] += 1;
        }
    }
    let [won, drawn, lost] = tally;
    let share = (f64::from(won) + 0.5 * f64::from(drawn)) / f64::from(won + drawn + lost);
    let per_turn = [0, 1].map(|i| 1_000.0 * seconds[i] / f64::from(turns[i]));
    println!(
        "{} - {}: {won} won, {drawn} drawn, {lost} lost, {:.1} %; {:.1} and {:.1} ms a turn; seed {}",
        setup.names[0],
        setup.names[1],
        100.0 * share,
        per_turn[0],
        per_turn[1],
        setup.seed
    );
    Ok(())
}

/// Plays a match and returns what the seats get. `first_seat` is that of the first named player.
fn play(
    game: &Small,
    players: &mut [Box<Anyone>; 2],
    number: u64,
    first_seat: usize,
    seconds: &mut [f64; 2],
    turns: &mut [u32; 2],
) -> Result<[f64; 2], Forfeit> {
    let mut state = game.start();
    let stop = Stop::new();
    let mut rngs = [0, 1].map(|seat| Rng::stream(&[number, first_seat as u64, seat]));
    let mut last_turn = u32::MAX;
    loop {
        match game.turn(&state) {
            Turn::Over(payoffs) => return Ok([payoffs[Player(0)], payoffs[Player(1)]]),
            Turn::Chance => return Err(Forfeit { reason: "no noise here".to_owned() }),
            Turn::Choose(who) => {
                let player = who.single().expect("one moves at a time");
                let seat = player.index();
                let named = usize::from(seat != first_seat);
                if last_turn != state.turns() {
                    last_turn = state.turns();
                    turns[named] += 1;
                }
                let begin = ThreadTime::now();
                let mut context = Context { rng: &mut rngs[seat], stop: &stop };
                let choice = players[seat].choose(game, &state, player, &mut context)?;
                seconds[named] += begin.elapsed().as_secs_f64();
                let attacks = game.settings().attacks;
                if !game.is_legal(&state, player, choice.action, attacks) {
                    return Err(Forfeit { reason: format!("{:?} is not legal", choice.action) });
                }
                game.apply(&mut state, &[choice.action]);
            }
        }
    }
}
