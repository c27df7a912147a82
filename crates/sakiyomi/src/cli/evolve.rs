//! `sakiyomi evolve`: fair maps, scenarios and numbers.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use sakiyomi::evolve::{
    Delivery, Gallery, HandOut, Progress, Run, RunFolder, Written, fair_polish, fair_settings,
    paper_settings,
};
use sakiyomi::numbers::seconds_text;
use sakiyomi_evolve::{
    Fitness, GameRunner, Judge, MapConstraints, MapOperators, MapProblem, NumberProblem, Polish,
    Quorum, ScenarioProblem, Settings, Stage, Threads,
};
use sakiyomi_games::tubstap::{Kind, Terrain};

use super::{BadInput, SPINNER, cores, print_json, progress_bar, stop_on_interrupt};

/// Evolve maps that are fair to both sides
#[derive(Debug, Args)]
#[command(
    after_help = "The folder keeps a checkpoint after each generation and everything that is found: maps that the original program \
loads, a gallery as a page and as pictures, and the curves of fitness. The same command goes on where it was stopped, to the \
same result on any number of threads.

A judge is an agent that plays both sides, such as m-uct:iterations=50; with +noise hit points and places of units vary from game to \
game, for agents that would otherwise always play the same game.

Examples:
  sakiyomi evolve --preset fair --out fair-1 --seed 1
  sakiyomi evolve --preset paper --out paper-mss --judge staff --generations 30
  sakiyomi evolve --preset fair --what scenario --base c --out scenarios --judge rule-based --judge uct:iterations=50 --verify random"
)]
pub(super) struct Options {
    /// The folder of the run
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Settings that the others change: the paper's experiment, or ours
    #[arg(long, default_value = "fair")]
    preset: PresetName,
    /// What is evolved: maps of TUBSTAP, scenarios of sangoku, or the numbers of a scenario
    #[arg(long, default_value = "map")]
    what: What,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Who plays both sides, given several times for several judges; if not given, staff for the paper's settings,
    /// and sample+noise, m-uct:iterations=20+noise and satd2:iterations=100+noise for ours
    #[arg(long, value_name = "AGENT[+noise]")]
    judge: Vec<Judge>,
    /// Who plays fresh games on the candidates; if not given, those of ours and tubstap-best:iterations=30+noise, which no run asks
    #[arg(long, value_name = "AGENT[+noise]")]
    verify: Vec<Judge>,
    /// For how many of them a candidate must be fair; those that the run does not ask must be among them. If not given, three, or all of
    /// fewer
    #[arg(long, value_name = "JUDGES")]
    fair_for: Option<usize>,
    /// Fresh games of each of them on a candidate
    #[arg(long, default_value_t = 1600)]
    verify_games: u64,
    /// Candidates that are tried at most; 0 leaves it at the evolution
    #[arg(long, default_value_t = 150)]
    candidates: usize,
    /// Ends as soon as this number of candidates is fair
    #[arg(long, default_value_t = 30)]
    wanted: usize,
    /// How different candidates are: the share of cells whose terrain or unit differs
    #[arg(long, default_value_t = 0.25)]
    distance: f64,
    #[command(flatten)]
    algorithm: Algorithm,
    #[command(flatten)]
    map: MapOptions,
    /// The scenario of sangoku whose board, constants or pieces are kept
    #[arg(long, default_value = "c")]
    base: String,
    /// Games played at the same time; the number of cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Let another program play the games: units of work are printed as lines of JSON, and their results are read from
    /// the standard input; the last line is the gallery (docs/python.md)
    #[arg(long, conflicts_with = "threads")]
    hand_out: bool,
    /// Print the gallery as one JSON object
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// How it evolves; what is not given is the preset's.
#[derive(Debug, Args)]
struct Algorithm {
    #[arg(long)]
    generations: Option<usize>,
    #[arg(long)]
    population: Option<usize>,
    /// Individuals of a tournament
    #[arg(long)]
    tournament: Option<usize>,
    /// The best of a generation that go over into the next
    #[arg(long)]
    elites: Option<usize>,
    /// The paper's fitness, or one that slopes everywhere
    #[arg(long)]
    fitness: Option<FitnessName>,
    /// Games of each judge for an individual, without racing
    #[arg(long)]
    games: Option<u64>,
    /// Stages of racing as GAMES:SHARE, such as 6:1,14:0.4,30:0.2
    #[arg(long, conflicts_with = "games")]
    stages: Option<String>,
    /// The share of parents that are crossed, from 0 to 1
    #[arg(long)]
    crossover_share: Option<f64>,
    /// Keep no archive of different individuals
    #[arg(long)]
    no_archive: bool,
    /// Generations after those, in which the best that differ are refined, each by itself; 0 for none
    #[arg(long, value_name = "GENERATIONS")]
    polish: Option<usize>,
    /// How many are refined
    #[arg(long)]
    lineages: Option<usize>,
    /// Children of each of them in a generation that differ by few steps of its numbers, such as hit points
    #[arg(long)]
    polish_children: Option<usize>,
    /// Children of each of them that differ in another way
    #[arg(long)]
    polish_mutants: Option<usize>,
    /// Games of each judge for all of them in a generation
    #[arg(long)]
    polish_games: Option<u64>,
    /// Games of each judge that those that are refined have in the end
    #[arg(long)]
    polish_last_games: Option<u64>,
}

/// What maps look like.
#[derive(Debug, Args)]
struct MapOptions {
    /// Cells without the border, such as 6x6
    #[arg(long, default_value = "6x6")]
    size: String,
    /// Units of each side
    #[arg(long, default_value_t = 4)]
    units: usize,
    /// Kinds of units by their letters: F, A, P, U, R, I
    #[arg(long, default_value = "PURI")]
    kinds: String,
    /// All kinds of units, aircraft included
    #[arg(long, conflicts_with = "kinds")]
    aircraft: bool,
    /// Codes of terrain: 0 forbidden, 1 plain, 2 sea, 3 wood, 4 mountain, 5 road, 6 fortress
    #[arg(long, default_value = "123456")]
    terrain: String,
    /// Turns of both sides together until hit points decide
    #[arg(long, default_value_t = 10)]
    turn_limit: u16,
    /// The lead in hit points that is still a draw; if not given, 10 for the paper's settings and 0 for ours
    #[arg(long)]
    threshold: Option<u32>,
    /// Hit points of a unit, from and to
    #[arg(long, default_value = "1-10")]
    hit_points: String,
    /// Crossover of the preset, or another: one-point row by row, or a rectangle
    #[arg(long)]
    crossover: Option<Crossover>,
    /// Begin with maps that are the same for both sides
    #[arg(long)]
    symmetric: bool,
    /// Rows from its edge within which a side starts; 0 for anywhere. Ours only
    #[arg(long, default_value_t = 2)]
    start_rows: u16,
    /// The most cells, as a share, that ground vehicles cannot enter. Ours only
    #[arg(long, default_value_t = 0.35)]
    max_blocked: f64,
    /// The most cells, as a share, that differ from all beside them. Ours only
    #[arg(long, default_value_t = 0.5)]
    max_lonely: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PresetName {
    Paper,
    Fair,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    Map,
    Scenario,
    Numbers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FitnessName {
    Paper,
    Graded,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Crossover {
    OnePoint,
    Rectangle,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    match options.what {
        What::Map => {
            let problem = map_problem(options)?;
            problem.check().map_err(BadInput)?;
            evolve(options, &problem, out)
        }
        What::Scenario => {
            let base = options.base.clone();
            let problem =
                ScenarioProblem { base, pieces_a_side: 3, start_columns: 2, stats: (1, 100) };
            problem.check().map_err(BadInput)?;
            evolve(options, &problem, out)
        }
        What::Numbers => {
            let problem = NumberProblem { scenario: options.base.clone() };
            problem.check().map_err(BadInput)?;
            evolve(options, &problem, out)
        }
    }
}

fn evolve<P: Written + serde::Serialize>(
    options: &Options,
    problem: &P,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let folder = RunFolder::new(&options.out)
        .with_context(|| format!("cannot make the folder {}", options.out.display()))?;
    let settings = settings(options)?;
    let delivery = delivery(options, &settings.judges)?;
    let title = match options.preset {
        PresetName::Paper => format!("The paper's run, seed {}", options.seed),
        PresetName::Fair => format!("Fair games, seed {}", options.seed),
    };
    let (threads, elsewhere);
    let runner: &dyn GameRunner = if options.hand_out {
        elsewhere = HandOut::new(io::BufReader::new(io::stdin()), io::BufWriter::new(io::stdout()));
        &elsewhere
    } else {
        threads = Threads(options.threads.map_or_else(cores, usize::from));
        &threads
    };
    let run = Run { title, problem, settings, delivery, folder, runner };
    let stop = stop_on_interrupt();
    let bar = progress_bar(options.quiet, SPINNER);
    let (start, quiet) = (Instant::now(), options.quiet);
    let gallery = run.run(&stop, &|progress| tell(progress, &bar, start, quiet))?;
    bar.finish_and_clear();
    if options.hand_out {
        serde_json::to_writer(&mut *out, &serde_json::json!({ "gallery": gallery }))?;
        return Ok(writeln!(out)?);
    }
    match options.json {
        true => print_json(&gallery, out),
        false => print_summary(options, &gallery, out),
    }
}

fn tell(progress: &Progress<'_>, bar: &ProgressBar, start: Instant, quiet: bool) {
    match progress {
        Progress::Games { generation, done, games } => {
            bar.set_message(format!("generation {generation}: {done} of {games} games"));
            bar.tick();
        }
        Progress::Generation { number, generation } => {
            let seconds = seconds_text(start.elapsed().as_secs_f64());
            let text = format!(
                "generation {number}: best {:.2}, mean {:.2}, worst {:.2}; by the paper's formula best {:.2}, mean {:.3}, {:.0} % zero; \
                 archive {} with mean {:.2}; {} games, {seconds}",
                generation.fitness.best,
                generation.fitness.mean,
                generation.fitness.worst,
                generation.paper.best,
                generation.paper.mean,
                100.0 * generation.zero,
                generation.archived,
                generation.archive_mean,
                generation.games
            );
            match (bar.is_hidden(), quiet) {
                (false, _) => bar.println(text),
                (true, false) => drop(writeln!(io::stderr(), "{text}")),
                (true, true) => {}
            }
        }
        Progress::Tried { tried, candidates, passed } => {
            let text = format!("{tried} of {candidates} candidates tried, {passed} fair");
            if bar.is_hidden() && !quiet {
                let _ = writeln!(io::stderr(), "{text}");
            }
            bar.set_message(text);
            bar.tick();
        }
    }
}

fn print_summary(options: &Options, gallery: &Gallery, out: &mut dyn Write) -> anyhow::Result<()> {
    let done = gallery.history.len();
    writeln!(out, "{done} of {} generations", gallery.settings.all_generations())?;
    if let Some(last) = gallery.history.last() {
        let zero = 100.0 * last.zero;
        writeln!(
            out,
            "the last by the paper's formula: best {:.2}, mean {:.3}, worst {:.2}; {zero:.0} % have 0",
            last.paper.best, last.paper.mean, last.paper.worst
        )?;
        for (name, share) in gallery.remarks.iter().zip(&last.remarks) {
            writeln!(out, "  {name}: {:.0} %", 100.0 * share)?;
        }
    }
    if gallery.tried > 0 {
        writeln!(out, "{}", gallery.tried_text())?;
    }
    if let Some(fitness) = gallery.paper_fitness() {
        writeln!(out, "mean fitness by the paper's formula on fresh games: {fitness:.3}")?;
    }
    Ok(writeln!(out, "gallery: {}", options.out.join("gallery.html").display())?)
}

fn judges(texts: &[&str]) -> Vec<Judge> {
    texts.iter().map(|text| text.parse().expect("our own judges can be read")).collect()
}

/// Three players that think in different ways and cost little.
const SEARCH_JUDGES: [&str; 3] =
    ["sample+noise", "m-uct:iterations=20+noise", "satd2:iterations=100+noise"];
/// For how many judges a candidate must be fair.
const FAIR_FOR: usize = 3;
/// One that no run asks.
const HELD_OUT: &str = "tubstap-best:iterations=30+noise";

fn settings(options: &Options) -> anyhow::Result<Settings> {
    let given = !options.judge.is_empty();
    let mut settings = match options.preset {
        PresetName::Paper => {
            let judges = if given { options.judge.clone() } else { judges(&["staff"]) };
            paper_settings(options.seed, judges)
        }
        PresetName::Fair => {
            let judges = if given { options.judge.clone() } else { judges(&SEARCH_JUDGES) };
            fair_settings(options.seed, judges)
        }
    };
    let algorithm = &options.algorithm;
    settings.generations = algorithm.generations.unwrap_or(settings.generations);
    settings.population = algorithm.population.unwrap_or(settings.population);
    settings.tournament = algorithm.tournament.unwrap_or(settings.tournament);
    settings.crossover = algorithm.crossover_share.unwrap_or(settings.crossover);
    settings.elites = algorithm.elites.unwrap_or(settings.elites);
    settings.fitness = match algorithm.fitness {
        Some(FitnessName::Paper) => Fitness::Paper,
        Some(FitnessName::Graded) => Fitness::Graded,
        None => settings.fitness,
    };
    if let Some(games) = algorithm.games {
        settings.stages = vec![Stage { games, share: 1.0 }];
    }
    if let Some(text) = &algorithm.stages {
        settings.stages = stages(text)?;
    }
    if algorithm.no_archive {
        (settings.archive, settings.from_archive) = (false, 0.0);
    }
    settings.polish = polish(options, settings.polish);
    Ok(settings)
}

/// The last phase: the preset's, with what is asked for.
fn polish(options: &Options, preset: Option<Polish>) -> Option<Polish> {
    let algorithm = &options.algorithm;
    let generations = algorithm.polish.or(preset.as_ref().map(|it| it.generations)).unwrap_or(0);
    let base = preset.unwrap_or_else(fair_polish);
    (generations > 0).then(|| Polish {
        generations,
        lineages: algorithm.lineages.unwrap_or(base.lineages),
        children: algorithm.polish_children.unwrap_or(base.children),
        mutants: algorithm.polish_mutants.unwrap_or(base.mutants),
        games: algorithm.polish_games.unwrap_or(base.games),
        last_games: algorithm.polish_last_games.unwrap_or(base.last_games),
        distance: options.distance,
    })
}

fn stages(text: &str) -> Result<Vec<Stage>, BadInput> {
    let stage = |part: &str| {
        let (games, share) = part.split_once(':')?;
        Some(Stage { games: games.trim().parse().ok()?, share: share.trim().parse().ok()? })
    };
    let wrong = || BadInput(format!("--stages {text}: expected GAMES:SHARE, such as 6:1,14:0.4"));
    text.split(',').map(|part| stage(part).ok_or_else(wrong)).collect()
}

fn delivery(options: &Options, asked: &[Judge]) -> anyhow::Result<Delivery> {
    let verify = match options.verify.as_slice() {
        [] => judges(&[&[HELD_OUT], SEARCH_JUDGES.as_slice()].concat()),
        given => given.to_vec(),
    };
    if !(0.0..=1.0).contains(&options.distance) {
        return Err(BadInput("--distance must be from 0 to 1".to_owned()).into());
    }
    // Those that were never asked go first: most candidates fail there, which saves the games of the others.
    let (mut judges, others): (Vec<Judge>, Vec<Judge>) =
        verify.into_iter().partition(|judge| !asked.contains(judge));
    let first = judges.len();
    judges.extend(others);
    let of_all = options.fair_for.unwrap_or(FAIR_FOR.min(judges.len()));
    if of_all > judges.len() {
        let n = judges.len();
        return Err(
            BadInput(format!("--fair-for {of_all}: only {n} judges play fresh games")).into()
        );
    }
    Ok(Delivery {
        judges,
        quorum: Quorum { first, of_all },
        games: options.verify_games,
        distance: options.distance,
        candidates: options.candidates,
        wanted: options.wanted,
    })
}

fn map_problem(options: &Options) -> Result<MapProblem, BadInput> {
    let map = &options.map;
    let base = match options.preset {
        PresetName::Paper => MapProblem::paper(true),
        PresetName::Fair => MapProblem::fair(true),
    };
    let wrong = |name: &str, text: &str, right: &str| {
        BadInput(format!("--{name} {text}: expected {right}"))
    };
    let pair = |text: &str, by: char| -> Option<(u16, u16)> {
        let (first, second) = text.split_once(by)?;
        Some((first.trim().parse().ok()?, second.trim().parse().ok()?))
    };
    let (columns, rows) =
        pair(&map.size, 'x').ok_or_else(|| wrong("size", &map.size, "two numbers, such as 6x6"))?;
    let (least, most) = pair(&map.hit_points, '-')
        .filter(|&(least, most)| least <= most && most <= 10)
        .ok_or_else(|| wrong("hit-points", &map.hit_points, "two numbers, such as 1-10"))?;
    let kind = |letter: char| {
        let at = Kind::ALL.iter().position(|kind| kind.mark() == letter.to_ascii_uppercase());
        at.map(|at| at as u8).ok_or_else(|| wrong("kinds", &map.kinds, "letters of FAPURI"))
    };
    let letters = if map.aircraft { "FAPURI" } else { map.kinds.as_str() };
    let terrain = |letter: char| {
        let code = letter.to_digit(10).filter(|&code| (code as usize) < Terrain::ALL.len());
        code.map(|code| code as u8)
            .ok_or_else(|| wrong("terrain", &map.terrain, "digits from 0 to 6"))
    };
    Ok(MapProblem {
        columns,
        rows,
        units_a_side: map.units,
        kinds: letters.chars().map(kind).collect::<Result<_, _>>()?,
        terrain: map.terrain.chars().map(terrain).collect::<Result<_, _>>()?,
        hit_points: (least as u8, most as u8),
        turn_limit: map.turn_limit,
        hp_threshold: map.threshold.unwrap_or(base.hp_threshold),
        operators: match (map.crossover, base.operators) {
            (Some(Crossover::OnePoint), MapOperators::Rectangle) => MapOperators::OnePoint,
            (Some(Crossover::Rectangle), MapOperators::Paper) => {
                return Err(BadInput(
                    "--crossover rectangle is ours; the paper's settings have one point".to_owned(),
                ));
            }
            (_, operators) => operators,
        },
        symmetric_start: map.symmetric,
        constraints: base.constraints.map(|it| MapConstraints {
            start_rows: (map.start_rows > 0).then_some(map.start_rows),
            max_blocked: map.max_blocked,
            max_lonely: map.max_lonely,
            ..it
        }),
        mutation: base.mutation,
    })
}
