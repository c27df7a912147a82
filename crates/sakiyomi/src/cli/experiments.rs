//! `sakiyomi experiments`, `sakiyomi run` and `sakiyomi report`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use sakiyomi::numbers::seconds_text;
use sakiyomi::report::{Block, ExperimentReport, ExperimentResult, to_html, to_markdown};
use sakiyomi::shipped;
use sakiyomi_catalog::write_atomically;
use sakiyomi_eval::experiment::{CountError, Done, Experiment, Library, Scale, Verdict};
use sakiyomi_eval::{RunSettings, RunSummary, Store, run_experiments};
use serde_json::json;

use super::duel::tally_text;
use super::{cores, print_json, progress_bar, stop_on_interrupt, text_table};

/// Where experiments and results are.
#[derive(Debug, Args)]
pub(super) struct Places {
    #[command(flatten)]
    experiments: Experiments,
    /// The file of the results; sakiyomi.sqlite if not given
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
}

impl Places {
    fn store(&self) -> PathBuf {
        self.store.clone().unwrap_or_else(|| PathBuf::from("sakiyomi.sqlite"))
    }

    /// The store, if there is one. One that was named must be there.
    fn open_store(&self) -> anyhow::Result<Option<Store>> {
        let file = self.store();
        let is_wanted = self.store.is_some() || file.exists();
        Ok(is_wanted.then(|| Store::open_existing(&file)).transpose()?)
    }
}

/// Where experiments are.
#[derive(Debug, Args)]
pub(super) struct Experiments {
    /// The folder of the experiment files; if not given, `experiments` where it is there, and else
    /// those that are part of the program
    #[arg(long = "experiments", value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl Experiments {
    pub(super) fn library(&self) -> Library {
        shipped::library(self.folder.as_deref())
    }
}

/// List the experiments and how much of them is done
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  sakiyomi experiments")]
pub(super) struct ListOptions {
    #[command(flatten)]
    places: Places,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Run experiments, or what is missing of them
#[derive(Debug, Args)]
#[command(after_help = "Stop with Ctrl-C and run again: what is done stays done, and several \
processes may share one store.

Examples:
  sakiyomi run classics-tuned
  sakiyomi run all --scale paper --threads 2
  sakiyomi run my-experiment.toml --store my.sqlite")]
pub(super) struct RunOptions {
    /// Ids of experiments, paths of files, or `all`
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// quick (minutes) or paper (as large as in the paper)
    #[arg(long, default_value = "quick")]
    scale: Scale,
    /// Games played at the same time; the number of cores if not given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// How long a unit of work should take; a unit that is not finished is lost when the program
    /// is killed
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = super::positive)]
    unit_seconds: f64,
    #[command(flatten)]
    places: Places,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Show results beside the papers' numbers
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sakiyomi report classics-tuned
  sakiyomi report --html report
  sakiyomi report --scale paper --results results")]
pub(super) struct ReportOptions {
    /// Ids of experiments or paths of files; all that have results if none is named
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// quick or paper
    #[arg(long, default_value = "quick")]
    scale: Scale,
    #[command(flatten)]
    places: Places,
    /// Write pages with figures (SVG) into this folder instead
    #[arg(long, value_name = "DIR")]
    html: Option<PathBuf>,
    /// Write the results as data into this folder instead, one file each, for programs that bring them along; a
    /// file with more games stays
    #[arg(long, value_name = "DIR", conflicts_with = "html")]
    results: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn list(options: &ListOptions, out: &mut dyn Write) -> anyhow::Result<()> {
    let experiments = options.places.experiments.library().all()?;
    let file = options.places.store();
    let store = if file.exists() { Some(Store::open_existing(&file)?) } else { None };
    let mut table = text_table(&["id", "kind", "state", "title"]);
    let mut all = Vec::new();
    for experiment in &experiments {
        let [quick, paper] = [Scale::Quick, Scale::Paper].map(|scale| {
            let own = experiment.done(scale, store.as_ref())?;
            let shipped = shipped::result(&experiment.id, scale);
            let shipped = shipped.map(|it| Done { games_done: it.games_done, games: it.games });
            Ok::<_, CountError>((own, shipped))
        });
        let ((quick, shipped_quick), (paper, shipped_paper)) = (quick?, paper?);
        table.add_row([
            experiment.id.clone(),
            experiment.kind().to_string(),
            state_text((quick, shipped_quick), (paper, shipped_paper)),
            experiment.title.clone(),
        ]);
        all.push(json!({
            "id": experiment.id,
            "kind": experiment.kind(),
            "title": experiment.title,
            "repeats": experiment.repeats,
            "quick": quick,
            "paper": paper,
            "shipped": { "quick": shipped_quick, "paper": shipped_paper },
        }));
    }
    match options.json {
        true => print_json(&all, out),
        false => Ok(writeln!(out, "{table}")?),
    }
}

/// What the store has of a scale, and what came with the program.
type Known = (Done, Option<Done>);

/// Both scales in a few words, by the store or, where that has less, by what came with the program.
/// Games of one count for the other where they are the same, so the smaller is left out when the
/// larger says more.
fn state_text(quick: Known, paper: Known) -> String {
    let [(quick, quick_mark), (paper, paper_mark)] = [quick, paper].map(|(own, shipped)| {
        let more = shipped.filter(|shipped| shipped.games_done > own.games_done);
        more.map_or((own, ""), |shipped| (shipped, " (shipped)"))
    });
    let quick_text = quick.text(Scale::Quick) + quick_mark;
    let paper_text = paper.text(Scale::Paper) + paper_mark;
    match (quick.games_done, paper.games_done) {
        (0, 0) => "never run".to_owned(),
        (_, 0) => quick_text,
        (_, done) if done >= paper.games => paper_text,
        (0, _) => paper_text,
        _ => format!("{quick_text}, {paper_text}"),
    }
}

pub(super) fn run(options: &RunOptions, out: &mut dyn Write) -> anyhow::Result<()> {
    let experiments = options.places.experiments.library().find(&options.ids)?;
    let chosen: Vec<&Experiment> = experiments.iter().collect();
    let stop = stop_on_interrupt();
    let threads = options.threads.map_or_else(cores, usize::from);
    let bar = progress_bar(options.quiet, "{bar:30} {pos} of {len}  {msg}");
    let store = &options.places.store();
    let settings = RunSettings {
        scale: options.scale,
        threads,
        unit_seconds: options.unit_seconds,
        worker: sakiyomi_evolve::run_unit,
    };
    let mut is_told = options.quiet;
    let ran = run_experiments(&chosen, settings, store, &stop, &mut |progress| {
        if let Some(seconds) =
            progress.seconds_left.filter(|_| !is_told && progress.games_done < progress.games)
        {
            bar.println(format!("about {} on {threads} threads", seconds_text(seconds)));
        }
        is_told = true;
        bar.set_length(progress.games);
        bar.set_position(progress.games_done);
        let left =
            progress.seconds_left.map_or_else(String::new, |s| format!("{} left", seconds_text(s)));
        let latest = progress.latest.as_ref();
        let latest = latest.map_or_else(String::new, |(cell, tally)| match tally.games() {
            0 => format!("  {cell}"),
            _ => format!("  {cell}: {}", tally_text(tally)),
        });
        bar.set_message(left + &latest);
    });
    bar.finish_and_clear();
    let RunSummary { games_played, games_done, games, seconds, store_seconds } = ran?;
    let store = Store::open_existing(store)?;
    for experiment in &experiments {
        let report = ExperimentReport::new(experiment, options.scale, &store)?;
        write!(out, "{}", to_markdown(&report.blocks()))?;
    }
    writeln!(
        out,
        "{games_played} played or measured in {}, {:.2} % of the time for the store; {games_done} of {games} are done",
        seconds_text(seconds),
        100.0 * store_seconds / (seconds * threads as f64).max(1e-9)
    )?;
    if games_done < games {
        writeln!(out, "stopped; run it again to go on")?;
    }
    Ok(())
}

pub(super) fn report(options: &ReportOptions, out: &mut dyn Write) -> anyhow::Result<()> {
    // What is written for programs to bring along are games of a store.
    let store = match &options.results {
        Some(_) => Some(Store::open_existing(&options.places.store())?),
        None => options.places.open_store()?,
    };
    let all = ["all".to_owned()];
    let ids = if options.ids.is_empty() { &all[..] } else { &options.ids };
    let mut reports = Vec::new();
    for experiment in options.places.experiments.library().find(ids)? {
        let report = match (&options.results, &store) {
            (Some(_), Some(store)) => ExperimentReport::new(&experiment, options.scale, store)?,
            _ => shipped::report(&experiment, options.scale, store.as_ref())?,
        };
        if report.games_done > 0 || !options.ids.is_empty() {
            reports.push(report);
        }
    }
    if let Some(folder) = &options.html {
        write_pages(&reports, folder)
            .with_context(|| format!("cannot write into {}", folder.display()))?;
        return Ok(writeln!(out, "{}", folder.join("index.html").display())?);
    }
    if let Some(folder) = &options.results {
        return write_results(&reports, folder, out)
            .with_context(|| format!("cannot write into {}", folder.display()));
    }
    if options.json {
        return print_json(&reports, out);
    }
    for report in &reports {
        write!(out, "{}", to_markdown(&report.blocks()))?;
    }
    Ok(())
}

fn write_results(
    reports: &[ExperimentReport],
    folder: &Path,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    fs::create_dir_all(folder)?;
    for report in reports.iter().filter(|report| report.games_done > 0) {
        let (file, is_written) = ExperimentResult::from(report).write(folder)?;
        let remark = if is_written { "" } else { " has more games and stays" };
        writeln!(out, "{}{remark}", file.display())?;
    }
    Ok(())
}

fn write_pages(reports: &[ExperimentReport], folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)?;
    for report in reports {
        report.write_html(folder)?;
    }
    let row = |report: &ExperimentReport| {
        let count = |verdict| report.claims.iter().filter(|claim| claim.verdict == verdict).count();
        vec![
            format!("[{}]({}.html)", report.id, report.id),
            report.kind.to_string(),
            report.title.clone(),
            format!("{} of {} {}", report.games_done, report.games, report.kind.counted()),
            format!(
                "{} agree, {} differ, {} contradict, {} have not enough games",
                count(Verdict::Agrees),
                count(Verdict::Differs),
                count(Verdict::Contradicts),
                count(Verdict::NotEnoughGames)
            ),
        ]
    };
    let blocks = [
        Block::Heading("Experiments".to_owned()),
        Block::Table {
            header: ["id", "kind", "title", "done", "claims"].map(str::to_owned).to_vec(),
            rows: reports.iter().map(row).collect(),
        },
    ];
    let page = to_html("Experiments", &blocks);
    write_atomically(&folder.join("index.html"), |out| out.write_all(page.as_bytes()))?;
    Ok(())
}
