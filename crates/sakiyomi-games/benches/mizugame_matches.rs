//! Plays matches of Mizugame between named players and prints what each kind of them came to.
//! `cargo bench -p sakiyomi-games --bench mizugame_matches -- best paper paper paper paper paper --matches 60
//! --cpu-ms 10 --map 1 --symmetry C6 --sessions 100`
//! The players sit as they are named, the first one seat further with every match; a map is played from
//! every seat. `best:fill=80,horizon=900` has other settings than the usual ones.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::env;
use std::time::Duration;

use cpu_time::ThreadTime;
use sakiyomi_core::{Agent, Budget, Context, Game, Hints, Player, Rng, Stop, Turn};
use sakiyomi_games::Mizugame;
use sakiyomi_games::mizugame::{
    BestPlayer, BestSettings, Map, MapSettings, Orders, PaperPlayer, PaperSettings, Settings,
    Symmetry,
};

struct Options {
    names: Vec<String>,
    matches: u64,
    cpu: Option<Duration>,
    map: u64,
    symmetry: Symmetry,
    sessions: u16,
    verbose: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        names: Vec::new(),
        matches: 12,
        cpu: None,
        map: 1,
        symmetry: Symmetry::SixFold,
        sessions: 100,
        verbose: false,
    };
    let mut arguments = env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        if argument == "--verbose" {
            options.verbose = true;
            continue;
        }
        let Some(key) = argument.strip_prefix("--") else {
            options.names.push(argument);
            continue;
        };
        let value = arguments.next().ok_or(format!("--{key} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|error| format!("--{key} {value}: {error}"));
        match key {
            "matches" => options.matches = number()?,
            "cpu-ms" => options.cpu = Some(Duration::from_millis(number()?)),
            "map" => options.map = number()?,
            "sessions" => options.sessions = number()? as u16,
            "symmetry" => options.symmetry = Symmetry::named(&value).ok_or("C2 or C6")?,
            _ => return Err(format!("unknown option --{key}")),
        }
    }
    match options.names.len() {
        2..=6 => Ok(options),
        n => Err(format!("{n} players; expected 2 to 6")),
    }
}

fn settings(text: &str) -> impl Iterator<Item = (&str, f64)> {
    text.split(',').filter_map(|part| {
        let (key, value) = part.split_once('=')?;
        Some((key, value.parse().ok()?))
    })
}

fn player(
    game: &Mizugame,
    name: &str,
    cpu: Option<Duration>,
) -> Result<Box<dyn Agent<Mizugame>>, String> {
    let budget =
        cpu.map(|cpu| Budget { iterations: None, cpu: Some(cpu), ..Budget::iterations(0) });
    let (kind, said) = name.split_once(':').unwrap_or((name, ""));
    match kind {
        "best" => {
            let budget = budget.unwrap_or_else(|| Budget::iterations(20_000));
            let mut best = BestSettings::new(budget);
            for (key, value) in settings(said) {
                match key {
                    "fill" => best.fill = value as u32,
                    "refill" => best.refill = value as u32,
                    "horizon" => best.horizon = value as u32,
                    "patience" => best.patience = value,
                    "deep" => best.deep_cell = value,
                    "rivalry" => best.rivalry = value,
                    "outlook" => best.outlook = value,
                    "prediction" => best.prediction = value as usize,
                    _ => return Err(format!("unknown setting {key}")),
                }
            }
            Ok(Box::new(BestPlayer::new(best)))
        }
        "paper" => {
            let mut paper = PaperSettings::default();
            for (key, value) in settings(said) {
                match key {
                    "fill" => paper.fill = value as u32,
                    "pours" => paper.pours = value as u8,
                    _ => return Err(format!("unknown setting {key}")),
                }
            }
            Ok(Box::new(PaperPlayer::new(paper, budget)))
        }
        _ => game.script(kind, None).ok_or(format!("unknown player {kind}")),
    }
}

#[derive(Default)]
struct Sum {
    n: u32,
    scores: u32,
    firsts: f64,
    places: f64,
    squares: f64,
    cpu: Duration,
    decisions: u32,
}

fn main() -> Result<(), String> {
    let options = options()?;
    let n = options.names.len();
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for number in 0..options.matches {
        let map_settings =
            MapSettings { symmetry: options.symmetry, teams: n as u8, ..MapSettings::default() };
        let map = Map::generate(&map_settings, options.map + number / n as u64);
        let settings = Settings { sessions: options.sessions, ..Settings::default() };
        let game = Mizugame::new(map.map_err(|error| error.to_string())?, settings);
        let game = game.map_err(|error| error.to_string())?;
        let seat_of = |i: usize| (i + number as usize) % n;
        let mut seated: Vec<&str> = vec![""; n];
        for (i, name) in options.names.iter().enumerate() {
            seated[seat_of(i)] = name;
        }
        let players = seated.iter().map(|name| player(&game, name, options.cpu));
        let mut players = players.collect::<Result<Vec<_>, _>>()?;
        let mut rngs: Vec<Rng> = (0..n).map(|i| Rng::stream(&[number, i as u64])).collect();
        let (stop, mut position) = (Stop::new(), game.start());
        while let Turn::Choose(who) = game.turn(&position) {
            let mut choose = |player: Player| {
                let i = player.index();
                let start = ThreadTime::now();
                let context = &mut Context { rng: &mut rngs[i], stop: &stop };
                let seen = game.seen_by(&position, player);
                let choice = players[i].choose(&game, &seen, player, context);
                let sum = sums.entry(seated[i]).or_default();
                sum.cpu += start.elapsed();
                sum.decisions += 1;
                choice.map_or(Orders::NONE, |choice| choice.action)
            };
            let orders: Vec<Orders> = who.map(&mut choose).collect();
            game.apply(&mut position, &orders);
            if options.verbose && position.session() % 10 == 0 {
                let scores: Vec<u32> = (0..n).map(|i| position.water().score(seat_of(i))).collect();
                println!("  {:>3}: {scores:?}", position.session());
            }
        }
        let Turn::Over(payoffs) = game.turn(&position) else { unreachable!("the match is over") };
        let best = payoffs.as_slice(n).iter().copied().fold(0.0, f64::max);
        let n_best = payoffs.as_slice(n).iter().filter(|&&payoff| payoff == best).count();
        for (i, name) in seated.iter().enumerate() {
            let payoff = payoffs[Player(i as u8)];
            let place = 1.0 + (1.0 - payoff) * (n as f64 - 1.0);
            let sum = sums.entry(name).or_default();
            sum.n += 1;
            sum.scores += position.water().score(i);
            sum.firsts += if payoff == best { 1.0 / n_best as f64 } else { 0.0 };
            sum.places += place;
            sum.squares += place * place;
        }
        let scores: Vec<u32> = (0..n).map(|i| position.water().score(seat_of(i))).collect();
        println!("match {number}: {scores:?}");
    }
    for (name, sum) in sums {
        let n = f64::from(sum.n);
        let place = sum.places / n;
        let error = ((sum.squares / n - place * place) / n).sqrt();
        println!(
            "{name}: score {:.1}, first {:.1} %, place {place:.2} +- {error:.2}, {:.2} ms a decision",
            f64::from(sum.scores) / n,
            100.0 * sum.firsts / n,
            1e3 * sum.cpu.as_secs_f64() / f64::from(sum.decisions),
        );
    }
    Ok(())
}
