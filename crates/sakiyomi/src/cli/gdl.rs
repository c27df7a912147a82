//! `sakiyomi gdl`: rule sheets, looked at.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use clap::{Args, Subcommand};
use sakiyomi::numbers::thousands;
use sakiyomi_catalog::{GdlSpec, MAX_TEXT_BYTES, RuleSheet, read_bytes};
use sakiyomi_core::{Game, Stop};
use sakiyomi_eval::perft;
use sakiyomi_gdl::{
    GdlError, GdlGame, Info, Progress, Settings, Severity, Sheet, check, info_watched, verify,
};
use serde_json::json;

use super::{print_json, progress_bar, stop_on_interrupt, was_interrupted};

/// Check, measure and verify rule sheets in the Game Description Language
#[derive(Debug, Args)]
#[command(after_help = "A sheet is played as gdl:FILE.kif, the project's own as gdl:sheet=NAME.

Examples:
  sakiyomi gdl check games/gdl/tic_tac_toe.kif
  sakiyomi gdl info games/gdl/connect_four.kif --json
  sakiyomi play gdl:sheet=connect-four --seat uct:time=1s --seat human")]
pub(super) struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say what is wrong with a sheet and its piece file, and where
    #[command(after_help = "Example:\n  sakiyomi gdl check games/gdl/ttcc4.kif")]
    Check {
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Compile sheets and measure random playouts; several sheets give a table
    #[command(after_help = "Examples:
  sakiyomi gdl info games/gdl/checkers.kif --seconds 3
  sakiyomi gdl info games/gdl/*.kif --seconds 0.5")]
    Info {
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// CPU seconds of playouts, at least
        #[arg(long, default_value_t = 1.0, value_parser = super::positive)]
        seconds: f64,
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Show no progress
        #[arg(long, short)]
        quiet: bool,
    },
    /// Count the sequences of joint moves of each length; forced plies are skipped
    #[command(after_help = "Example:\n  sakiyomi gdl perft games/gdl/tic_tac_toe.kif --depth 5")]
    Perft {
        file: PathBuf,
        /// The longest sequences to count
        #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1_000))]
        depth: u32,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Compare a sheet with a trace of matches, and name the first ply that differs
    #[command(after_help = "Example:\n  sakiyomi gdl verify connectFour.kif connectFour.jsonl")]
    Verify { file: PathBuf, trace: PathBuf },
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    match &options.command {
        Command::Check { file, json } => {
            check_sheet(&read(file)?, *json, out)?;
            check_pieces(file)
        }
        Command::Info { files, seconds, json, quiet } => {
            let speed = Speed { seconds: *seconds, quiet: *quiet, stop: stop_on_interrupt() };
            speed.tell(files, *json, out)
        }
        Command::Perft { file, depth, json } => count(file, *depth, *json, out),
        Command::Verify { file, trace } => {
            let game = GdlGame::new(&read(file)?, &Settings::default())?;
            let verified = verify(&game, &read_up_to(trace, MAX_TRACE_BYTES)?, None)?;
            let (matches, plies) = (verified.matches, verified.plies);
            Ok(writeln!(out, "{matches} matches with {plies} plies agree")?)
        }
    }
}

/// Traces of many matches are longer than any sheet.
const MAX_TRACE_BYTES: u64 = 1 << 30;

/// Old sheets have stray bytes in their comments, which do not matter.
fn read(file: &Path) -> anyhow::Result<String> {
    read_up_to(file, MAX_TEXT_BYTES)
}

fn read_up_to(file: &Path, max_bytes: u64) -> anyhow::Result<String> {
    let bytes = read_bytes(file, max_bytes).with_context(|| format!("{}", file.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn check_sheet(text: &str, as_json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let findings = check(&Sheet::parse(text).map_err(GdlError::from)?);
    if as_json {
        print_json(&findings, out)?;
    } else {
        for finding in &findings {
            let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
            writeln!(out, "{severity}: {finding}")?;
        }
    }
    let is_error =
        |finding: &&_| matches!(finding, sakiyomi_gdl::Finding { severity: Severity::Error, .. });
    let errors: Vec<_> = findings.iter().filter(is_error).cloned().collect();
    if !errors.is_empty() {
        return Err(GdlError::Check(errors).into());
    }
    if !as_json {
        writeln!(out, "no errors, {} warnings", findings.len())?;
    }
    Ok(())
}

/// A piece file beside the sheet must fit it.
fn check_pieces(file: &Path) -> anyhow::Result<()> {
    if file.with_extension("toml").exists() {
        GdlSpec::new(RuleSheet::File(file.display().to_string())).load()?;
    }
    Ok(())
}

/// How sheets are measured.
struct Speed {
    /// CPU seconds of playouts of each kind.
    seconds: f64,
    quiet: bool,
    stop: Arc<Stop>,
}

impl Speed {
    fn tell(&self, files: &[PathBuf], as_json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
        match files {
            [file] => print_info(&self.measure(file)?, as_json, out),
            files if as_json => {
                let all = files.iter().take_while(|_| !was_interrupted()).map(|file| {
                    let name = file.display().to_string();
                    match self.measure(file) {
                        Ok(info) => json!({ "file": name, "info": info }),
                        Err(error) => json!({ "file": name, "error": format!("{error:#}") }),
                    }
                });
                print_json(&all.collect::<Vec<_>>(), out)
            }
            files => self.print_table(files, out),
        }
    }

    /// One row for each sheet, as soon as it is measured.
    fn print_table(&self, files: &[PathBuf], out: &mut dyn Write) -> anyhow::Result<()> {
        let columns =
            ["sheet", "plies", "one at a time", "in lanes", "ratio", "ready s", "more s", "inputs"];
        writeln!(out, "| {} |\n|{}", columns.join(" | "), "---|".repeat(columns.len()))?;
        for file in files.iter().take_while(|_| !was_interrupted()) {
            let name = file.file_stem().unwrap_or_default().display();
            match self.measure(file) {
                Ok(info) => writeln!(out, "| {name} | {} |", row(&info))?,
                Err(error) => {
                    let error = format!("{error:#}");
                    let error = error.lines().next().unwrap_or_default();
                    writeln!(out, "| {name} | {error} |{}", " |".repeat(columns.len() - 2))?;
                }
            }
            out.flush()?;
        }
        Ok(())
    }

    fn measure(&self, file: &Path) -> anyhow::Result<Info> {
        let text = read(file)?;
        let bar = progress_bar(self.quiet, "{spinner} {msg}");
        let mut tell = |Progress { stage, n, seconds, bytes }: &Progress| {
            let (n, megabytes) = (thousands(*n as f64), *bytes as f64 / 1e6);
            bar.set_message(format!("{stage}: {n}, {seconds:.1} s of CPU time, {megabytes:.0} MB"));
            bar.tick();
        };
        let settings = Settings::default();
        let info = info_watched(&text, &settings, self.seconds, 1, &self.stop, &mut tell);
        bar.finish_and_clear();
        Ok(info?)
    }
}

/// What a table of sheets says of one, after its name.
fn row(info: &Info) -> String {
    let (single, ready) = (info.playouts_per_cpu_second, info.ready_seconds);
    let in_lanes = match (&info.lanes, &info.no_lanes) {
        (Some(lanes), _) => {
            let (rate, more) = (lanes.playouts_per_cpu_second, lanes.ready_seconds);
            let (ratio, inputs) = (rate / single, thousands(lanes.inputs as f64));
            format!("{} | {ratio:.1} | {ready:.2} | {more:.2} | {inputs}", thousands(rate))
        }
        (None, reason) => {
            format!("{} | | {ready:.2} | |", reason.as_deref().unwrap_or_default())
        }
    };
    format!("{:.1} | {} | {in_lanes}", info.mean_plies, thousands(single))
}

fn print_info(info: &Info, as_json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    if as_json {
        return print_json(info, out);
    }
    writeln!(out, "roles: {}", info.roles.join(", "))?;
    writeln!(out, "engine: {}", info.engine)?;
    for remark in info.notice.iter().chain(&info.trouble) {
        writeln!(out, "{remark}")?;
    }
    if let Some(size) = &info.size {
        let (fluents, moves) = (size.fluents, size.moves);
        let (gates, inputs) = (size.gates, size.inputs);
        writeln!(out, "{fluents} propositions, {moves} moves, {gates} gates with {inputs} inputs")?;
    }
    writeln!(out, "ready after {:.3} s of CPU time", info.ready_seconds)?;
    if was_interrupted() {
        writeln!(out, "stopped early, after {} playouts", thousands(info.playouts as f64))?;
        return Ok(());
    }
    let rate = thousands(info.playouts_per_cpu_second);
    writeln!(out, "one at a time: {rate} playouts per CPU second")?;
    match (&info.lanes, &info.no_lanes) {
        (Some(lanes), _) => {
            let (rate, ready) = (thousands(lanes.playouts_per_cpu_second), lanes.ready_seconds);
            writeln!(
                out,
                "in lanes: {rate} playouts per CPU second, ready after {ready:.3} s more"
            )?;
        }
        (None, reason) => writeln!(out, "in lanes: no, {}", reason.as_deref().unwrap_or("none"))?,
    }
    #[cfg(feature = "cuda")]
    match (&info.gpu, &info.no_gpu) {
        (Some(gpu), _) => {
            let (rate, ready) = (thousands(gpu.playouts_per_second), gpu.ready_seconds);
            let device = &gpu.device;
            writeln!(
                out,
                "on {device}: {rate} playouts per second, ready after {ready:.3} s more"
            )?;
        }
        (None, reason) => writeln!(out, "on a GPU: no, {}", reason.as_deref().unwrap_or("none"))?,
    }
    let goals: Vec<String> = (info.mean_goals.iter().zip(&info.mean_goal_errors))
        .map(|(mean, error)| format!("{mean:.2} ± {error:.2}"))
        .collect();
    Ok(writeln!(out, "{:.1} plies each, mean goals {}", info.mean_plies, goals.join(", "))?)
}

fn count(file: &Path, depth: u32, as_json: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let game = GdlGame::new(&read(file)?, &Settings::default())?;
    let mut counts = Vec::new();
    for depth in 1..=depth {
        let start = Instant::now();
        let sequences = perft(&game, &game.start(), depth);
        let seconds = start.elapsed().as_secs_f64();
        if !as_json {
            writeln!(out, "{depth:>3} {sequences:>16} {seconds:>9.3} s")?;
        }
        counts.push(json!({ "depth": depth, "sequences": sequences, "seconds": seconds }));
    }
    if as_json {
        print_json(&json!({ "file": file.display().to_string(), "counts": counts }), out)?;
    }
    Ok(())
}
