//! Plays matches of Mizugame between named players and prints what each kind of them came to.
//! `cargo bench -p sakiyomi-games --bench mizugame_matches -- best paper paper paper paper paper --matches 60
//! --cpu-ms 10 --map 1 --symmetry C6 --sessions 100`
//! The players sit as they are named, the first one seat further with every match; a map is played from
//! every seat, or `--per-map` times. `best:fill=80,horizon=900` has other settings than the usual ones.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::env;
use std::time::Duration;

use cpu_time::ThreadTime;
use sakiyomi_core::{Agent, Budget, Context, Game, Player, Rng, Stop, Turn};
use sakiyomi_games::Mizugame;
use sakiyomi_games::mizugame::{
    BestPlayer, BestSettings, Map, MapSettings, Orders, PaperPlayer, PaperSettings, Position,
    Settings, StandIn, Symmetry,
};

struct Options {
    names: Vec<String>,
    matches: u64,
    cpu: Option<Duration>,
    map: u64,
    per_map: u64,
    symmetry: Symmetry,
    sessions: u16,
    verbose: bool,
    /// The lead of the first player after this session is compared with that at the end.
    lead_at: Option<u64>,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        names: Vec::new(),
        matches: 12,
        cpu: None,
        map: 1,
        per_map: 0,
        symmetry: Symmetry::SixFold,
        sessions: 100,
        verbose: false,
        lead_at: None,
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
            "per-map" => options.per_map = number()?,
            "lead-at" => options.lead_at = Some(number()?),
            "map" => options.map = number()?,
            "sessions" => options.sessions = number()? as u16,
            "symmetry" => options.symmetry = Symmetry::named(&value).ok_or("C2 or C6")?,
            _ => return Err(format!("unknown option --{key}")),
        }
    }
    match options.names.len() {
        n @ 2..=6 => {
            if options.per_map == 0 {
                options.per_map = n as u64;
            }
            Ok(options)
        }
        n => Err(format!("{n} players; expected 2 to 6")),
    }
}

fn settings(text: &str) -> impl Iterator<Item = (&str, f64)> {
    text.split(',').filter_map(|part| {
        let (key, value) = part.split_once('=')?;
        Some((key, value.parse().ok()?))
    })
}

fn player(name: &str, cpu: Option<Duration>) -> Result<Box<dyn Agent<Mizugame>>, String> {
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
                    "fade" => best.fade = value,
                    "grudge" => best.grudge = value,
                    "threat" => best.threat = value,
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
        _ => {
            let mut player = StandIn::named(kind).ok_or(format!("unknown player {kind}"))?;
            for (key, value) in settings(said) {
                match key {
                    "batch" => player = player.with_batch(value as u32),
                    "effort" => player = player.with_effort(value as u32),
                    _ => return Err(format!("unknown setting {key}")),
                }
            }
            Ok(Box::new(player))
        }
    }
}

/// How many cells a team is ahead of the best other one.
fn lead(position: &Position, team: usize, n_teams: usize) -> f64 {
    let score = |team| f64::from(position.water().score(team));
    let others = (0..n_teams).filter(|&other| other != team);
    score(team) - others.map(score).fold(0.0, f64::max)
}

/// How much of a lead is left at the end, of the matches in which there was one.
fn print_leads(leads: &[[f64; 2]]) {
    let led: Vec<&[f64; 2]> = leads.iter().filter(|[then, _]| *then > 0.0).collect();
    let n = led.len().max(1) as f64;
    let mean = |of: &dyn Fn(&[f64; 2]) -> f64| led.iter().map(|each| of(each)).sum::<f64>() / n;
    let error = |of: &dyn Fn(&[f64; 2]) -> f64| {
        let middle = mean(of);
        (mean(&|each| (of(each) - middle).powi(2)) / n).sqrt()
    };
    let (then, end) = (|each: &[f64; 2]| each[0], |each: &[f64; 2]| each[1]);
    let change = |each: &[f64; 2]| each[1] - each[0];
    println!(
        "led in {} of {}: by {:.1} +- {:.1}, at the end {:.1} +- {:.1}, change {:.1} +- {:.1}; still ahead in {}",
        led.len(),
        leads.len(),
        mean(&then),
        error(&then),
        mean(&end),
        error(&end),
        mean(&change),
        error(&change),
        led.iter().filter(|[_, end]| *end > 0.0).count(),
    );
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
    let mut leads: Vec<[f64; 2]> = Vec::new();
    for number in 0..options.matches {
        let map_settings =
            MapSettings { symmetry: options.symmetry, teams: n as u8, ..MapSettings::default() };
        let map = Map::generate(&map_settings, options.map + number / options.per_map);
        let settings = Settings { sessions: options.sessions, ..Settings::default() };
        let game = Mizugame::new(map.map_err(|error| error.to_string())?, settings);
        let game = game.map_err(|error| error.to_string())?;
        let seat_of = |i: usize| (i + number as usize) % n;
        let mut seated: Vec<&str> = vec![""; n];
        for (i, name) in options.names.iter().enumerate() {
            seated[seat_of(i)] = name;
        }
        let players = seated.iter().map(|name| player(name, options.cpu));
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
            if options.lead_at == Some(position.session().into()) {
                leads.push([lead(&position, seat_of(0), n), f64::NAN]);
            }
            if options.verbose && position.session() % 10 == 0 {
                let scores: Vec<u32> = (0..n).map(|i| position.water().score(seat_of(i))).collect();
                let tank = |i: usize| -> u32 {
                    game.robots(&position)[3 * seat_of(i)..][..3].iter().map(|r| r.tank).sum()
                };
                let tanks: Vec<u32> = (0..n).map(tank).collect();
                let units: Vec<u32> = (0..n).map(|i| position.water().units(seat_of(i))).collect();
                println!(
                    "  {:>3}: {scores:?}, tanks {tanks:?}, water {units:?}",
                    position.session()
                );
            }
        }
        let Turn::Over(payoffs) = game.turn(&position) else { unreachable!("the match is over") };
        if let Some(last) = leads.last_mut() {
            last[1] = lead(&position, seat_of(0), n);
        }
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
    if options.lead_at.is_some() {
        print_leads(&leads);
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
