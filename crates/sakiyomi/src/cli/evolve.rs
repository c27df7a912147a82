//! `sakiyomi evolve`: fair maps, scenarios and numbers.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser};
use indicatif::ProgressBar;
use sakiyomi::gallery::gallery_files;
use sakiyomi::numbers::seconds_text;
use sakiyomi_catalog::GameSpec;
use sakiyomi_evolve::{
    Delivery, Fitness, Gallery, Judge, MapOperators, MapProblem, Number, NumberProblem, Polish,
    Preset, Progress, Run, ScenarioProblem, Settings, Stage, Subject, Threads,
};
use sakiyomi_games::sangoku::Scenario;
use sakiyomi_games::tubstap::{Kind, Terrain};

use super::{BadInput, SPINNER, cores, print_json, progress_bar, stop_on_interrupt};

/// Evolve maps that are fair to both sides
#[derive(Debug, Args)]
#[command(
    after_help = "The folder keeps a checkpoint after each generation and everything that is found: maps that the original program \
loads, a gallery as a page and as pictures, and the curves of fitness. The same command goes on where it was stopped, to the \
same result on any number of threads.

A judge is an agent that plays both sides of the map as it is, such as m-uct:iterations=50. For an agent that would always play the \
same game +opening=1 draws the first action of each side at random. With +noise hit points and places of units vary from game to game: \
then maps like this one are judged, and not the map itself.

Examples:
  sakiyomi evolve --preset fair --out fair-1 --seed 1
  sakiyomi evolve --preset paper --out paper-mss --judge staff --generations 30
  sakiyomi evolve --preset fair --what scenario --base c --out scenarios --judge rule-based --judge uct:iterations=50 --verify random"
)]
pub(super) struct Options {
    /// The folder of the run
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// What all settings are that are not given: `paper` as in the paper's experiment, `fair` as
    /// found to give maps that are fair as the file is
    #[arg(long, default_value = "fair", value_parser = words::<Preset, 2>(["paper", "fair"]))]
    preset: Preset,
    /// What is evolved: maps of TUBSTAP, scenarios of sangoku, or the numbers of a game
    #[arg(long, default_value = "map", value_parser = ["map", "scenario", "numbers"])]
    what: String,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Who plays both sides, given several times for several judges; if not given, staff for the
    /// preset `paper` and six kinds of players for `fair`
    #[arg(long, value_name = "AGENT[+opening=N][+noise]")]
    judge: Vec<Judge>,
    /// Who plays fresh games on the candidates; if not given ten kinds of players, four of which
    /// neither preset asks during the evolution
    #[arg(long, value_name = "AGENT[+opening=N][+noise]")]
    verify: Vec<Judge>,
    /// For how many of them a candidate must be fair; if not given for seven of the ten, M3Lee, the
    /// Military Staff System and two that were never asked among them, or for all that are named.
    /// Of those that are named, kinds of players that the run does not ask must be among them
    #[arg(long, value_name = "JUDGES")]
    fair_for: Option<usize>,
    /// Fresh games of each of them on a candidate; 1000 if not given
    #[arg(long)]
    verify_games: Option<u64>,
    /// Candidates that are tried at most, 150 if not given; 0 leaves it at the evolution
    #[arg(long)]
    candidates: Option<usize>,
    /// Ends as soon as this number of candidates is fair; 20 if not given
    #[arg(long)]
    wanted: Option<usize>,
    /// How different candidates are: the share of cells whose terrain or unit differs; 0.25 if not
    /// given
    #[arg(long)]
    distance: Option<f64>,
    #[command(flatten)]
    algorithm: Algorithm,
    #[command(flatten)]
    map: MapOptions,
    /// The scenario of sangoku whose board, constants or pieces are kept; with --what numbers any
    /// game, such as tubstap:map=ford or gdl:file=my.kif
    #[arg(long, default_value = "c")]
    base: String,
    /// A number that may change, several times for several: a parameter of the game, or in a rule
    /// sheet the words before it; if not given, those that the game declares
    #[arg(long, value_name = "NAME=LEAST-MOST", value_parser = |text: &str| text.parse::<Number>())]
    number: Vec<Number>,
    /// Games played at the same time; the number of cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
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
    /// Generations, before those of --polish
    #[arg(long)]
    generations: Option<usize>,
    /// Individuals of a generation
    #[arg(long)]
    population: Option<usize>,
    /// Individuals of a tournament
    #[arg(long)]
    tournament: Option<usize>,
    /// The best of a generation that go over into the next
    #[arg(long)]
    elites: Option<usize>,
    /// The paper's fitness, or one that slopes everywhere
    #[arg(long, value_parser = words::<Fitness, 2>(["paper", "graded"]))]
    fitness: Option<Fitness>,
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
    /// Generations after those, in which the best that differ are refined, each by itself; 0 for
    /// none
    #[arg(long, value_name = "GENERATIONS")]
    polish: Option<usize>,
    /// How many are refined
    #[arg(long)]
    lineages: Option<usize>,
    /// Children of each of them in a generation that differ by few steps of its numbers, such as
    /// hit points
    #[arg(long)]
    polish_children: Option<usize>,
    /// Children of each of them that differ in another way
    #[arg(long)]
    polish_mutants: Option<usize>,
    /// Games of each judge for all of them in a generation
    #[arg(long)]
    polish_games: Option<u64>,
    /// The share of those that are refined that goes on after each generation, the fairest
    #[arg(long, value_name = "SHARE")]
    polish_share: Option<f64>,
    /// Games of each judge that those that are refined have in the end
    #[arg(long)]
    polish_last_games: Option<u64>,
}

/// What maps look like; what is not given is the preset's.
#[derive(Debug, Args)]
struct MapOptions {
    /// Cells without the border; 6x6 if not given
    #[arg(long)]
    size: Option<String>,
    /// Units of each side; 4 if not given
    #[arg(long)]
    units: Option<usize>,
    /// Kinds of units by their letters: F, A, P, U, R, I; if not given PURI, those without aircraft
    #[arg(long)]
    kinds: Option<String>,
    /// All kinds of units, aircraft included
    #[arg(long, conflicts_with = "kinds")]
    aircraft: bool,
    /// Codes of terrain: 0 forbidden, 1 plain, 2 sea, 3 wood, 4 mountain, 5 road, 6 fortress;
    /// 123456 if not given
    #[arg(long)]
    terrain: Option<String>,
    /// Turns of both sides together until hit points decide; 10 if not given
    #[arg(long)]
    turn_limit: Option<u16>,
    /// The lead in hit points that is still a draw; if not given, 10 for the preset `paper` and 0
    /// for `fair`
    #[arg(long)]
    threshold: Option<u32>,
    /// Hit points of a unit, from and to; 1-10 if not given
    #[arg(long)]
    hit_points: Option<String>,
    /// Crossover of the preset, or another: one-point row by row, or a rectangle
    #[arg(long, value_parser = ["one-point", "rectangle"])]
    crossover: Option<String>,
    /// Begin with maps that are the same for both sides
    #[arg(long)]
    symmetric: bool,
    /// Rows from its edge within which a side starts, 2 if not given; 0 for anywhere. Ours only
    #[arg(long)]
    start_rows: Option<u16>,
    /// The most cells, as a share, that ground vehicles cannot enter; 0.35 if not given. Ours only
    #[arg(long)]
    max_blocked: Option<f64>,
    /// The most cells, as a share, that differ from all beside them; 0.5 if not given. Ours only
    #[arg(long)]
    max_lonely: Option<f64>,
}

/// A value that is one of these words.
fn words<T, const N: usize>(words: [&'static str; N]) -> impl TypedValueParser<Value = T>
where
    T: std::str::FromStr<Err = String> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| word.parse::<T>().map_err(io::Error::other))
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let run = options.run()?;
    let runner = Threads(options.threads());
    let stop = stop_on_interrupt();
    let bar = progress_bar(options.quiet, SPINNER);
    let (start, quiet) = (Instant::now(), options.quiet);
    let gallery =
        run.run(&runner, gallery_files, &stop, &|progress| tell(progress, &bar, start, quiet))?;
    bar.finish_and_clear();
    match options.json {
        true => print_json(&gallery, out),
        false => print_summary(options, &gallery, out),
    }
}

/// A run and its number of threads, from the arguments of `sakiyomi evolve`: for those who call it
/// in another way.
pub fn evolution_of(arguments: Vec<OsString>) -> Result<(Run, usize), String> {
    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        options: Options,
    }
    let arguments = [OsString::from("evolve")].into_iter().chain(arguments);
    let wrong = |error: clap::Error| error.to_string().trim_start_matches("error: ").to_owned();
    let Alone { options } = Alone::try_parse_from(arguments).map_err(wrong)?;
    let run = options.run().map_err(|error| error.to_string())?;
    Ok((run, options.threads()))
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
    if gallery.history.is_empty() {
        let text = "stopped before the first generation was complete; its games are kept, and the \
                    same command goes on";
        return Ok(writeln!(out, "{text}")?);
    }
    Ok(writeln!(out, "gallery: {}", options.out.join("gallery.html").display())?)
}

/// Puts what was said into the place of what the preset says.
fn put<T>(place: &mut T, said: Option<T>) {
    if let Some(said) = said {
        *place = said;
    }
}

impl Options {
    fn threads(&self) -> usize {
        self.threads.map_or_else(cores, usize::from)
    }

    fn run(&self) -> anyhow::Result<Run> {
        let settings = self.settings()?;
        let base = self.base.clone();
        let run = Run {
            title: self.preset.title(self.seed),
            subject: match self.what.as_str() {
                "scenario" => Subject::Scenario(ScenarioProblem {
                    base,
                    pieces_a_side: 3,
                    start_columns: 2,
                    stats: (1, 100),
                }),
                "numbers" => Subject::Numbers(self.numbers()?),
                _ => Subject::Map(self.maps()?),
            },
            delivery: self.delivery(&settings.judges)?,
            settings,
            folder: self.out.clone(),
        };
        run.check()?;
        Ok(run)
    }

    fn numbers(&self) -> anyhow::Result<NumberProblem> {
        let game = self.game()?;
        NumberProblem::new(&game, self.number.clone()).map_err(|error| BadInput(error).into())
    }

    /// The game whose numbers are looked for.
    fn game(&self) -> Result<GameSpec, BadInput> {
        let text = match Scenario::named(&self.base) {
            Some(_) => format!("sangoku:scenario={}", self.base),
            None => self.base.clone(),
        };
        text.parse().map_err(|error| BadInput(format!("--base: {error}")))
    }

    /// Whether the players of TUBSTAP can judge.
    fn is_tubstap(&self) -> bool {
        let is_tubstap = |game| matches!(game, GameSpec::Tubstap(_));
        self.what == "map" || self.what == "numbers" && self.game().is_ok_and(is_tubstap)
    }

    fn settings(&self) -> Result<Settings, BadInput> {
        let said = &self.algorithm;
        let mut settings = Settings { seed: self.seed, ..self.preset.settings() };
        if !self.is_tubstap() {
            [settings.judges, _] = Preset::judges_of_any_game();
        }
        put(&mut settings.judges, (!self.judge.is_empty()).then(|| self.judge.clone()));
        put(&mut settings.generations, said.generations);
        put(&mut settings.population, said.population);
        put(&mut settings.tournament, said.tournament);
        put(&mut settings.crossover, said.crossover_share);
        put(&mut settings.elites, said.elites);
        put(&mut settings.fitness, said.fitness);
        put(&mut settings.stages, said.games.map(|games| vec![Stage { games, share: 1.0 }]));
        put(&mut settings.stages, said.stages.as_deref().map(stages).transpose()?);
        if said.no_archive {
            (settings.archive, settings.from_archive) = (false, 0.0);
        }
        settings.polish = self.polish(settings.polish);
        Ok(settings)
    }

    /// The last phase: the preset's, with what is asked for.
    fn polish(&self, preset: Option<Polish>) -> Option<Polish> {
        let said = &self.algorithm;
        let none = Polish { generations: 0, ..Polish::default() };
        let mut polish = preset.unwrap_or(none);
        put(&mut polish.generations, said.polish);
        put(&mut polish.lineages, said.lineages);
        put(&mut polish.children, said.polish_children);
        put(&mut polish.mutants, said.polish_mutants);
        put(&mut polish.games, said.polish_games);
        put(&mut polish.share, said.polish_share);
        put(&mut polish.last_games, said.polish_last_games);
        put(&mut polish.distance, self.distance);
        (polish.generations > 0).then_some(polish)
    }

    fn delivery(&self, asked: &[Judge]) -> anyhow::Result<Delivery> {
        let [_, fresh] = Preset::judges_of_any_game();
        let verify = match self.verify.is_empty() && !self.is_tubstap() {
            true => &fresh,
            false => &self.verify,
        };
        let mut delivery = Delivery::new(asked, verify, self.fair_for)?;
        put(&mut delivery.games, self.verify_games);
        put(&mut delivery.candidates, self.candidates);
        put(&mut delivery.wanted, self.wanted);
        put(&mut delivery.distance, self.distance);
        if !(0.0..=1.0).contains(&delivery.distance) {
            return Err(BadInput("--distance must be from 0 to 1".to_owned()).into());
        }
        Ok(delivery)
    }

    fn maps(&self) -> Result<MapProblem, BadInput> {
        let said = &self.map;
        let mut maps = self.preset.maps(said.aircraft);
        let pair = |text: &str, by: char| -> Option<(u16, u16)> {
            let (first, second) = text.split_once(by)?;
            Some((first.trim().parse().ok()?, second.trim().parse().ok()?))
        };
        let kinds = |text: &str| -> Option<Vec<u8>> {
            let kind = |letter: char| {
                let is_it = |kind: &Kind| kind.mark() == letter.to_ascii_uppercase();
                Kind::ALL.iter().position(is_it).map(|at| at as u8)
            };
            text.chars().map(kind).collect()
        };
        let terrain = |text: &str| -> Option<Vec<u8>> {
            let code = |letter: char| letter.to_digit(10).map(|code| code as u8);
            let codes: Option<Vec<u8>> = text.chars().map(code).collect();
            codes.filter(|codes| codes.iter().all(|&code| usize::from(code) < Terrain::ALL.len()))
        };
        let size = read("size", &said.size, "two numbers, such as 6x6", |text| pair(text, 'x'))?;
        if let Some((columns, rows)) = size {
            (maps.columns, maps.rows) = (columns, rows);
        }
        let within = |text: &str| pair(text, '-').filter(|(low, high)| low <= high && *high <= 10);
        let hit_points = read("hit-points", &said.hit_points, "two numbers, such as 1-10", within)?;
        put(&mut maps.hit_points, hit_points.map(|(low, high)| (low as u8, high as u8)));
        put(&mut maps.kinds, read("kinds", &said.kinds, "letters of FAPURI", kinds)?);
        put(&mut maps.terrain, read("terrain", &said.terrain, "digits from 0 to 6", terrain)?);
        put(&mut maps.units_a_side, said.units);
        put(&mut maps.turn_limit, said.turn_limit);
        put(&mut maps.hp_threshold, said.threshold);
        maps.symmetric_start = said.symmetric;
        maps.operators = match (said.crossover.as_deref(), maps.operators) {
            (Some("one-point"), MapOperators::Rectangle) => MapOperators::OnePoint,
            (Some("rectangle"), MapOperators::Paper) => {
                let message = "--crossover rectangle is ours; the paper's settings have one point";
                return Err(BadInput(message.to_owned()));
            }
            (_, operators) => operators,
        };
        if let Some(constraints) = &mut maps.constraints {
            let rows = said.start_rows.map(|rows| (rows > 0).then_some(rows));
            put(&mut constraints.start_rows, rows);
            put(&mut constraints.max_blocked, said.max_blocked);
            put(&mut constraints.max_lonely, said.max_lonely);
        }
        Ok(maps)
    }
}

/// Reads the text of an option, if it was said.
fn read<T>(
    name: &str,
    text: &Option<String>,
    right: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, BadInput> {
    let Some(text) = text else { return Ok(None) };
    let value = read(text).ok_or_else(|| BadInput(format!("--{name} {text}: expected {right}")))?;
    Ok(Some(value))
}

fn stages(text: &str) -> Result<Vec<Stage>, BadInput> {
    let stage = |part: &str| {
        let (games, share) = part.split_once(':')?;
        Some(Stage { games: games.trim().parse().ok()?, share: share.trim().parse().ok()? })
    };
    let wrong = || BadInput(format!("--stages {text}: expected GAMES:SHARE, such as 6:1,14:0.4"));
    text.split(',').map(|part| stage(part).ok_or_else(wrong)).collect()
}
