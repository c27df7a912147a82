//! `sakiyomi tubstap`: what the original program and its drivers exchange.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{io, thread};

use anyhow::Context as _;
use clap::{Args, Subcommand};
use sakiyomi_catalog::{
    AgentSpec, CatalogGame, GameSpec, MAX_TEXT_BYTES, MapSource, Seat, SpecError, TubstapSpec,
    read_bytes, write_atomically,
};
use sakiyomi_core::{Agent, Context, Game, Player, Rng, Stop};
use sakiyomi_eval::play_match;
use sakiyomi_games::tubstap::{
    Action, AttackCounts, Attacks, BattleResult, Map, Question, RESULT_HEADER, Settings, SizeClass,
    State, Tubstap, log_header, log_row, verify,
};

use super::tubstap_network::{HostOptions, JoinOptions, host, join};
use super::{BadInput, cores, progress_bar, stop_on_interrupt};

/// TUBSTAP: auto-battles, traces and players for the original program
#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(subcommand)]
    command: Command,
}

#[allow(clippy::large_enum_variant, reason = "there are a few of them in a whole run")]
#[derive(Debug, Subcommand)]
enum Command {
    Battle(BattleOptions),
    Verify(VerifyOptions),
    Answer(AnswerOptions),
    Join(JoinOptions),
    Host(HostOptions),
}

/// Let two agents play each other on maps, and write the tables of the original's auto-battle
#[derive(Debug, Args)]
#[command(after_help = "With --swap the second half of the games is played with the units of the \
sides exchanged and BLUE first, as in the original.

Example:
  sakiyomi tubstap battle games/tubstap/*.tbsmap --red tubstap-best:cpu=100ms --blue m-uct:cpu=100ms \
--games 20 --swap --csv battle.csv")]
struct BattleOptions {
    /// Map files
    #[arg(required = true)]
    maps: Vec<PathBuf>,
    /// The agent of RED, such as tubstap-best or m-uct:iterations=200
    #[arg(long)]
    red: AgentSpec,
    /// The agent of BLUE
    #[arg(long)]
    blue: AgentSpec,
    /// Games on each map
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    /// Exchange the units of the sides in the second half of the games
    #[arg(long)]
    swap: bool,
    /// Every unit gains or loses a hit point before the start
    #[arg(long)]
    noise_hp: bool,
    /// Every unit is shifted by a step before the start
    #[arg(long)]
    noise_pos: bool,
    /// The attacks that are legal: effective, power or all
    #[arg(long, default_value = "all", value_parser = attacks)]
    attacks: Attacks,
    /// Write the table of results into this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a row for each game into this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long)]
    threads: Option<usize>,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Replay traces of the original engine on a map, and name the first difference
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  sakiyomi tubstap verify map01.tbsmap traces/map01.jsonl")]
struct VerifyOptions {
    map: PathBuf,
    /// One game a line, as JSON
    traces: PathBuf,
}

/// Answer for an agent: one line of JSON with a state in, one line `unit,x,y,target` out
#[derive(Debug, Args)]
#[command(
    after_help = "A line is {\"map\": \"map01\", \"swapped\": false, \"turn\": 0, \"side\": 0, \
\"state\": \"11a0 ..\"}; the state is written as in traces. Target -1 means no attack. A line that cannot \
be answered gets `error: ..`.

Example:
  sakiyomi tubstap answer --agent tubstap-best:cpu=100ms --maps maps < questions.jsonl"
)]
struct AnswerOptions {
    #[arg(long)]
    agent: AgentSpec,
    /// The folder in which maps are looked for by their names
    #[arg(long, default_value = ".")]
    maps: PathBuf,
    /// The attacks that are legal: effective, power or all
    #[arg(long, default_value = "all", value_parser = attacks)]
    attacks: Attacks,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    match &options.command {
        Command::Battle(options) => battle(options, out),
        Command::Verify(options) => verify_traces(options, out),
        Command::Answer(options) => answer(options, &mut io::stdin().lock(), out),
        Command::Join(options) => join(options, out),
        Command::Host(options) => host(options, out),
    }
}

fn attacks(text: &str) -> Result<Attacks, String> {
    match text {
        "effective" => Ok(Attacks::Effective),
        "power" => Ok(Attacks::Power),
        "all" => Ok(Attacks::All),
        _ => Err("expected effective, power or all".to_owned()),
    }
}

/// Calls a function that is generic over the sizes with those that hold the map.
macro_rules! by_size {
    ($map:expr, $function:ident($($argument:expr),*)) => {
        match SizeClass::of($map) {
            SizeClass::Small => $function::<1, 16>($($argument),*),
            SizeClass::Medium => $function::<4, 48>($($argument),*),
            SizeClass::Large => $function::<16, 48>($($argument),*),
        }
    };
}

pub(super) use by_size;

/// One half of the games on one map.
struct Half<'a> {
    name: String,
    map: &'a Map,
    settings: Settings,
    /// The numbers of its games.
    first: u64,
    n: u64,
}

fn battle(options: &BattleOptions, out: &mut dyn Write) -> anyhow::Result<()> {
    let maps: Vec<(String, Map)> = options
        .maps
        .iter()
        .map(|path| {
            let map = MapSource::File(path.display().to_string()).read().map_err(BadInput)?;
            Ok((path.display().to_string(), map))
        })
        .collect::<Result<_, BadInput>>()?;
    let stop = stop_on_interrupt();
    let bar = progress_bar(options.quiet, "{elapsed} {pos}/{len} games {wide_bar}");
    bar.set_length(options.games * maps.len() as u64);
    let mut rows = vec![RESULT_HEADER.to_owned()];
    let mut log = vec![log_header()];
    for (name, map) in &maps {
        let settings = Settings {
            attacks: options.attacks,
            noise_hp: options.noise_hp,
            noise_position: options.noise_pos,
            swapped: false,
        };
        let n_first = if options.swap { options.games.div_ceil(2) } else { options.games };
        let halves = [
            (settings, 0, n_first),
            (Settings { swapped: true, ..settings }, n_first, options.games - n_first),
        ];
        for (settings, first, n) in halves.into_iter().filter(|half| half.2 > 0) {
            let half = Half { name: name.clone(), map, settings, first, n };
            let (result, games) = by_size!(map, play_half(&half, options, &stop, &|| bar.inc(1)))?;
            rows.push(result.row());
            log.extend(games);
        }
        if stop.requested() {
            break;
        }
    }
    bar.finish_and_clear();
    for row in &rows {
        writeln!(out, "{row}")?;
    }
    write_lines(options.csv.as_deref(), &rows)?;
    write_lines(options.log.as_deref(), &log)
}

fn write_lines(path: Option<&Path>, lines: &[String]) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    write_atomically(path, |out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))
        .with_context(|| path.display().to_string())
}

/// Plays the games of a half on threads; the rows are in the order of the games.
fn play_half<const W: usize, const N: usize>(
    half: &Half<'_>,
    options: &BattleOptions,
    stop: &Stop,
    done: &(dyn Fn() + Sync),
) -> anyhow::Result<(BattleResult, Vec<String>)>
where
    Tubstap<W, N>: CatalogGame<State = State<W, N>, Action = Action>,
{
    let game = Tubstap::<W, N>::new(half.map, half.settings)
        .map_err(|fault| BadInput(format!("{}: {fault}", half.name)))?;
    let spec: GameSpec =
        TubstapSpec { map: MapSource::Code(half.map.code()), settings: half.settings }.into();
    // What cannot play is an error before the first game.
    build_both(&game, &spec, options, 0)?;
    let next = AtomicU64::new(half.first);
    let play = || {
        let mut played = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= half.first + half.n || stop.requested() {
                return played;
            }
            let one = play_one(&game, &spec, options, number, stop);
            if stop.requested() {
                return played;
            }
            played.push((number, one));
            done();
        }
    };
    let threads = options.threads.unwrap_or_else(cores).max(1);
    let mut played: Vec<(u64, Finished<W, N>)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(play)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no game panics")).collect()
    });
    played.sort_by_key(|(number, _)| *number);
    let mut result = BattleResult {
        map: half.name.clone(),
        players: [options.red.to_string(), options.blue.to_string()],
        noise_hp: options.noise_hp,
        noise_position: options.noise_pos,
        ..BattleResult::default()
    };
    let rows = played.iter().map(|(_, one)| {
        result.add(&game, &one.end, one.has_resigned);
        log_row(&game, &one.end, one.has_resigned, one.attacks)
    });
    let rows = rows.collect();
    Ok((result, rows))
}

struct Finished<const W: usize, const N: usize> {
    end: State<W, N>,
    has_resigned: bool,
    attacks: AttackCounts,
}

type Agents<G> = Vec<Box<dyn Agent<G>>>;

fn build_both<G: CatalogGame>(
    game: &G,
    spec: &GameSpec,
    options: &BattleOptions,
    seed: u64,
) -> Result<Agents<G>, SpecError> {
    let agents = [&options.red, &options.blue].into_iter().zip([Player(0), Player(1)]);
    agents.map(|(agent, player)| agent.build(game, &Seat { game: spec, player, seed })).collect()
}

fn play_one<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    spec: &GameSpec,
    options: &BattleOptions,
    number: u64,
    stop: &Stop,
) -> Finished<W, N>
where
    Tubstap<W, N>: CatalogGame<State = State<W, N>, Action = Action>,
{
    let mut agents =
        build_both(game, spec, options, options.seed ^ number).expect("both were built before");
    let stream = |purpose: u64| Rng::stream(&[options.seed, number, purpose]);
    let mut rngs = [stream(1), stream(2)];
    let mut end = game.start();
    let mut attacks = AttackCounts::default();
    let played =
        play_match(game, &mut agents, &[], stream(0), &mut rngs, stop, &mut |state, actions| {
            if let (Some(player), true) = (state.to_move(), actions[0].target().is_some()) {
                attacks.add(state.turns(), player);
            }
            end = *state;
            game.apply(&mut end, actions);
        });
    let has_resigned = played.forfeit.is_some();
    if let Some((player, _)) = played.forfeit {
        game.resign(&mut end, player);
    }
    Finished { end, has_resigned, attacks }
}

fn verify_traces(options: &VerifyOptions, out: &mut dyn Write) -> anyhow::Result<()> {
    let read =
        |path: &Path| read_bytes(path, MAX_TRACE_BYTES).with_context(|| path.display().to_string());
    let (map, traces) = (read(&options.map)?, read(&options.traces)?);
    let text = String::from_utf8(traces)
        .map_err(|error| BadInput(format!("{}: {error}", options.traces.display())))?;
    let mut n_games = 0;
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        verify(&map, line).map_err(|error| {
            BadInput(format!("{}, line {}: {error}", options.traces.display(), i + 1))
        })?;
        n_games += 1;
    }
    Ok(writeln!(out, "{n_games} games agree")?)
}

/// Traces are long: each has every state.
const MAX_TRACE_BYTES: u64 = 16 * MAX_TEXT_BYTES;

fn answer(
    options: &AnswerOptions,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut answerers = HashMap::new();
    for line in input.lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        match answer_one(options, &mut answerers, &line) {
            Ok(answer) => writeln!(out, "{answer}")?,
            Err(error) => writeln!(out, "error: {error:#}")?,
        }
        // The driver waits for the answer.
        out.flush()?;
    }
    Ok(())
}

/// An agent that stays, so that it can go on with the plan of a turn and shares the turn's time among its actions.
type Answerer<'a> = Box<dyn FnMut(&Question) -> anyhow::Result<String> + 'a>;

/// By map, whether the sides are exchanged, and side.
type Answerers<'a> = HashMap<(String, bool, u8), Answerer<'a>>;

fn answer_one<'a>(
    options: &'a AnswerOptions,
    answerers: &mut Answerers<'a>,
    line: &str,
) -> anyhow::Result<String> {
    let question = Question::read(line)?;
    let name = question.map.trim_end_matches(".tbsmap");
    if name.contains(['/', '\\']) || name.starts_with('.') {
        anyhow::bail!("`{}` is no name of a map", question.map);
    }
    let key = (name.to_owned(), question.swapped, question.side);
    if let Some(answerer) = answerers.get_mut(&key) {
        return answerer(&question);
    }
    let path = options.maps.join(format!("{name}.tbsmap"));
    let map = MapSource::File(path.display().to_string()).read().map_err(BadInput)?;
    let mut answerer = by_size!(&map, answerer_on(&map, &question, options))?;
    let answer = answerer(&question)?;
    answerers.insert(key, answerer);
    Ok(answer)
}

fn answerer_on<'a, const W: usize, const N: usize>(
    map: &Map,
    question: &Question,
    options: &'a AnswerOptions,
) -> anyhow::Result<Answerer<'a>>
where
    Tubstap<W, N>: CatalogGame<State = State<W, N>, Action = Action>,
{
    let settings =
        Settings { attacks: options.attacks, swapped: question.swapped, ..Settings::default() };
    let game = Tubstap::<W, N>::new(map, settings)?;
    game.state_of(question)?;
    let spec: GameSpec = TubstapSpec { map: MapSource::Code(map.code()), settings }.into();
    let player = Player(question.side);
    let seat = Seat { game: &spec, player, seed: options.seed };
    let mut agent = options.agent.build(&game, &seat)?;
    Ok(Box::new(move |question| {
        let state = game.state_of(question)?;
        let mut rng = Rng::stream(&[options.seed, question.turn.into()]);
        let mut context = Context { rng: &mut rng, stop: &Stop::new() };
        let choice = agent
            .choose(&game, &state, player, &mut context)
            .map_err(|forfeit| anyhow::anyhow!("the agent gave up: {forfeit}"))?;
        game.answer_text(&state, choice.action).context("there is nothing to answer")
    }))
}
