//! `sakiyomi tubstap`: what the original program and its drivers exchange.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use sakiyomi::contests::tubstap;
use sakiyomi_catalog::{
    AgentSpec, CatalogGame, GameSpec, MAX_TEXT_BYTES, MapSource, Record, Seat, TubstapSpec,
    read_bytes, write_atomically,
};
use sakiyomi_core::{Context, Game, Player, Rng, Show, Stop, Turn};
use sakiyomi_eval::{
    DoneUnit, News, Order, Pairing, Played, ScheduleError, ScheduleSettings, Sink, Task, Work,
    run_unit, run_works,
};
use sakiyomi_games::tubstap::network::PORT;
use sakiyomi_games::tubstap::{
    Action, AttackCounts, Attacks, BattleResult, Map, Question, RESULT_HEADER, Settings, SizeClass,
    State, Tubstap, log_header, log_row, verify,
};

use crate::contests::tubstap::{by_size, read_map_file};

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
  sakiyomi tubstap battle games/tubstap/*.tbsmap --red tubstap-best:cpu=20ms --blue m-uct:cpu=100ms \
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
  sakiyomi tubstap answer --agent tubstap-best:cpu=20ms --maps games/tubstap < questions.jsonl
  sakiyomi tubstap answer --agent sample --maps games/tubstap/*.tbsmap < questions.jsonl"
)]
struct AnswerOptions {
    #[arg(long)]
    agent: AgentSpec,
    /// Map files, and folders in which maps are looked for by their names; the current folder if
    /// not given
    #[arg(long, value_name = "PATH", num_args = 1.., default_value = ".")]
    maps: Vec<PathBuf>,
    /// The attacks that are legal: effective, power or all
    #[arg(long, default_value = "all", value_parser = attacks)]
    attacks: Attacks,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Play a match on a server of the original's network protocol
#[derive(Debug, Args)]
#[command(
    after_help = "The match is played with all attacks of the original, also those that do no damage.

Example:
  sakiyomi tubstap join 192.168.0.5:7777 --agent tubstap-best:cpu=200ms"
)]
struct JoinOptions {
    /// The server, such as localhost or 192.168.0.5:7777
    #[arg(value_name = "HOST[:PORT]")]
    server: String,
    #[arg(long)]
    agent: AgentSpec,
    /// The name that the server is told; the agent's if there is none
    #[arg(long)]
    name: Option<String>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl JoinOptions {
    fn settings(&self) -> tubstap::JoinSettings {
        tubstap::JoinSettings {
            server: self.server.clone(),
            agent: self.agent.clone(),
            name: self.name.clone(),
            seed: self.seed,
        }
    }
}

/// Wait for two players of the original's network protocol and let them play a match
#[derive(Debug, Args)]
#[command(
    after_help = "The first player to join is RED. A player that answers with something illegal, too late \
or not at all has lost.

Example:
  sakiyomi tubstap host games/tubstap/ford.tbsmap --replay match.sgf"
)]
struct HostOptions {
    map: PathBuf,
    /// The address to listen at; 0.0.0.0 for players on other machines
    #[arg(long, default_value = "127.0.0.1")]
    address: String,
    /// The port to listen at; 0 for any that is free
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// Seconds that a player may take for an answer
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// Write the match as a replay into this file
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
}

impl HostOptions {
    fn settings(&self) -> tubstap::HostSettings {
        tubstap::HostSettings {
            map: self.map.clone(),
            address: format!("{}:{}", self.address, self.port),
            answer_time: Duration::from_secs(self.seconds),
            replay: self.replay.clone(),
        }
    }
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    match &options.command {
        Command::Battle(options) => battle(options, out),
        Command::Verify(options) => verify_traces(options, out),
        Command::Answer(options) => answer(options, &mut io::stdin().lock(), out),
        Command::Join(options) => tubstap::join(&options.settings(), out),
        Command::Host(options) => tubstap::host(&options.settings(), out),
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

/// How long a unit of games takes.
const UNIT_SECONDS: f64 = 0.1;

fn battle(options: &BattleOptions, out: &mut dyn Write) -> anyhow::Result<()> {
    let (mut works, mut battle) = (Vec::new(), Battle { halves: Vec::new() });
    for path in &options.maps {
        let name = path.display().to_string();
        let map = read_map_file(path)?;
        // As the original divides: of an odd number the larger half is played with swapped sides.
        let n_first = if options.swap { options.games / 2 } else { options.games };
        let halves = [(false, 0..n_first), (true, n_first..options.games)];
        for (swapped, numbers) in halves.into_iter().filter(|(_, numbers)| !numbers.is_empty()) {
            let settings = Settings { swapped, ..options.settings() };
            battle.halves.push(by_size!(&map, half(&map, settings, name.clone(), options))?);
            let game = TubstapSpec { map: MapSource::Code(map.code()), settings }.into();
            let agents = [options.red.clone(), options.blue.clone()];
            // RED is always the first player; the sides of the second half have exchanged their
            // units.
            let pairing = Pairing { first_seat: true, ..Pairing::new(game, agents, options.seed) };
            let mut work = Work::new(name.clone(), Task::Matches(pairing), numbers.end);
            work.keep = true;
            work.leave_out(0..numbers.start);
            works.push(work);
        }
    }
    let stop = stop_on_interrupt();
    let bar = progress_bar(options.quiet, "{elapsed} {pos}/{len} games {wide_bar}");
    bar.set_length(options.games * options.maps.len() as u64);
    let threads = options.threads.unwrap_or_else(cores);
    let settings = ScheduleSettings {
        threads,
        unit_seconds: UNIT_SECONDS,
        order: Order::Ascending,
        worker: run_unit,
    };
    let done = run_works(works, settings, &mut battle, &stop, &mut |_, battle: &Battle| {
        let games = battle.halves.iter().map(|half| u64::from(half.result.n_games));
        bar.set_position(games.sum());
    });
    bar.finish_and_clear();
    match done {
        Ok(_) => {}
        Err(ScheduleError::Task { error, .. }) => return Err(error.into()),
        Err(ScheduleError::Sink(never)) => match never {},
    }
    let rows: Vec<String> = battle.halves.iter().map(|half| half.result.row()).collect();
    let rows = [vec![RESULT_HEADER.to_owned()], rows].concat();
    for row in &rows {
        writeln!(out, "{row}")?;
    }
    write_lines(options.csv.as_deref(), &rows)?;
    let logs = battle.halves.into_iter().flat_map(|mut half| {
        half.log.sort_unstable_by_key(|(number, _)| *number);
        half.log.into_iter().map(|(_, row)| row)
    });
    let log: Vec<String> = std::iter::once(log_header()).chain(logs).collect();
    write_lines(options.log.as_deref(), &log)
}

impl BattleOptions {
    fn settings(&self) -> Settings {
        Settings {
            attacks: self.attacks,
            noise_hp: self.noise_hp,
            noise_position: self.noise_pos,
            swapped: false,
        }
    }
}

fn write_lines(path: Option<&Path>, lines: &[String]) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    write_atomically(path, |out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))
        .with_context(|| path.display().to_string())
}

/// The tables of all games: the sink of the scheduler.
struct Battle {
    halves: Vec<Half>,
}

/// Counts a game and returns its row.
type Count = dyn Fn(&Played, &mut BattleResult) -> String;

/// The games of one map, or one half of them.
struct Half {
    result: BattleResult,
    /// The rows of games with their numbers.
    log: Vec<(u64, String)>,
    count: Box<Count>,
}

impl Sink for Battle {
    type Error = Infallible;

    fn take(&mut self, work: usize, unit: DoneUnit) -> Result<Vec<News>, Infallible> {
        let Half { result, log, count } = &mut self.halves[work];
        log.extend(unit.results.games().iter().map(|one| (one.number, count(one, result))));
        Ok(vec![News { work, numbers: unit.numbers() }])
    }
}

fn half<const W: usize, const N: usize>(
    map: &Map,
    settings: Settings,
    name: String,
    options: &BattleOptions,
) -> Result<Half, BadInput>
where
    Tubstap<W, N>: CatalogGame<State = State<W, N>, Action = Action>,
{
    let game = Tubstap::<W, N>::new(map, settings)
        .map_err(|fault| BadInput(format!("{name}: {fault}")))?;
    let result = BattleResult {
        map: name,
        players: [options.red.to_string(), options.blue.to_string()],
        noise_hp: options.noise_hp,
        noise_position: options.noise_pos,
        ..BattleResult::default()
    };
    let count = move |played: &Played, result: &mut BattleResult| {
        let record = played.record.as_ref().expect("records are kept");
        let (mut end, attacks) = replay(&game, record).expect("what was played can be replayed");
        if let Some(forfeit) = &played.forfeit {
            game.resign(&mut end, Player(u8::from(!forfeit.first)));
        }
        let has_resigned = played.forfeit.is_some();
        result.add(&game, &end, has_resigned);
        log_row(&game, &end, has_resigned, attacks)
    };
    Ok(Half { result, log: Vec::new(), count: Box::new(count) })
}

/// The last state of a match, and the attacks in it.
fn replay<const W: usize, const N: usize>(
    game: &Tubstap<W, N>,
    record: &Record,
) -> Option<(State<W, N>, AttackCounts)>
where
    Tubstap<W, N>: CatalogGame<State = State<W, N>, Action = Action>,
{
    let (mut state, mut attacks) = (game.start(), AttackCounts::default());
    let mut outcomes = Vec::new();
    for texts in &record.moves {
        let text = texts.first()?;
        let action = match game.turn(&state) {
            Turn::Choose(who) => {
                let player = who.single()?;
                let action = game.parse(&state, player, text)?;
                if action.target().is_some() {
                    attacks.add(state.turns(), player);
                }
                action
            }
            _ => {
                outcomes.clear();
                game.outcomes(&state, &mut outcomes);
                outcomes.iter().find(|(one, _)| game.outcome_text(&state, *one) == *text)?.0
            }
        };
        game.apply(&mut state, &[action]);
    }
    Some((state, attacks))
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

/// An agent that stays, so that it can go on with the plan of a turn and shares the turn's time
/// among its actions.
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
    let map = read_map_file(&options.map_file(name)?)?;
    let mut answerer = by_size!(&map, answerer_on(&map, &question, options))?;
    let answer = answerer(&question)?;
    answerers.insert(key, answerer);
    Ok(answer)
}

impl AnswerOptions {
    /// The file of a map, which was named itself or lies in a folder that was.
    fn map_file(&self, name: &str) -> Result<PathBuf, BadInput> {
        let file = format!("{name}.tbsmap");
        let of = |path: &PathBuf| match path.is_dir() {
            true => Some(path.join(&file)).filter(|path| path.exists()),
            false => path.file_name().is_some_and(|own| own == file.as_str()).then(|| path.clone()),
        };
        self.maps.iter().find_map(of).ok_or_else(|| {
            let places: Vec<String> = self.maps.iter().map(|it| it.display().to_string()).collect();
            BadInput(format!("there is no map {file} in {}", places.join(", ")))
        })
    }
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
