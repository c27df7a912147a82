//! Commands: what they take, and how they end.

mod accuracy;
mod assess;
mod bench;
mod best_response;
mod duel;
mod evolve;
mod experiments;
mod exploit;
mod fairness;
mod gdl;
mod ggp;
mod ggp_host;
mod lists;
mod mizugame;
mod perft;
mod play;
mod probe;
mod rate;
mod replay;
mod serve;
mod solve;
mod store;
mod train;
mod tubstap;
mod tune;

pub use evolve::evolution_of;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use clap::{CommandFactory, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sakiyomi::accuracy::AccuracyError;
use sakiyomi::ggp::{ClientError, Timeless, TournamentError};
use sakiyomi::text_table::TextTable;
use sakiyomi_catalog::{SpecError, TableError, cancel_with, parse_bytes};
use sakiyomi_core::{Fault, Stop};
use sakiyomi_eval::assess::AssessError;
use sakiyomi_eval::experiment::{CountError, ExperimentError, FindError};
use sakiyomi_eval::{
    DuelError, ExploitError, RangeError, RateError, ResponseError, RunError, SolveError, TaskError,
    TuneError,
};
use sakiyomi_evolve::EvolveError;
use sakiyomi_gdl::{GdlError, VerifyError};

use crate::bad_input::{BadInput, warn};

const EXIT_CODES: &str = "Exit codes: 0 done; 1 something failed on the way (reading, writing, \
                          the system); 2 the command or its input is wrong; 130 stopped by \
                          Ctrl-C before all was done.";
/// As shells report a program that Ctrl-C has ended.
const INTERRUPTED: u8 = 130;

/// 先読み, reading ahead: a laboratory for game search.
#[derive(Debug, Parser)]
#[command(version, about, after_help = EXIT_CODES, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[allow(clippy::large_enum_variant, reason = "there are a few of them in a whole run")]
#[derive(Debug, Subcommand)]
enum Command {
    /// List the games and their parameters
    #[command(after_help = "Example:\n  sakiyomi games --json")]
    Games(lists::Options),
    /// List the agents and their parameters
    #[command(after_help = "Example:\n  sakiyomi agents")]
    Agents(lists::Options),
    Play(play::Options),
    Serve(serve::Options),
    Duel(duel::Options),
    Rate(rate::Options),
    Tune(tune::Options),
    Assess(assess::Options),
    Experiments(experiments::ListOptions),
    Run(experiments::RunOptions),
    Report(experiments::ReportOptions),
    Store(store::Options),
    Replay(replay::Options),
    Gdl(gdl::Options),
    Ggp(ggp::Options),
    GgpHost(ggp_host::Options),
    Bench(bench::Options),
    Perft(perft::Options),
    Probe(probe::Options),
    Exploit(exploit::Options),
    Solve(solve::Options),
    Accuracy(accuracy::Options),
    Train(train::Options),
    Tubstap(tubstap::Options),
    Evolve(evolve::Options),
    Fairness(fairness::Options),
    Mizugame(mizugame::Options),
    /// Print the completions of a shell
    #[command(
        after_help = "Example:\n  sakiyomi completions bash > /etc/bash_completion.d/sakiyomi"
    )]
    Completions {
        shell: clap_complete::Shell,
    },
}

/// Runs the command that the arguments name, of which the first is the program. Returns the exit
/// code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return error.exit_code() as u8;
        }
    };
    let out = &mut Output { out: io::stdout().lock(), is_closed: false };
    let done = match cli.command {
        Command::Games(options) => lists::games(&options, out),
        Command::Agents(options) => lists::agents(&options, out),
        Command::Play(options) => play::run(&options, &mut io::stdin().lock(), out),
        Command::Serve(options) => serve::run(&options, out),
        Command::Duel(options) => duel::run(&options, out),
        Command::Rate(options) => rate::run(&options, out),
        Command::Tune(options) => tune::run(&options, out),
        Command::Assess(options) => assess::run(&options, out),
        Command::Experiments(options) => experiments::list(&options, out),
        Command::Run(options) => experiments::run(&options, out),
        Command::Report(options) => experiments::report(&options, out),
        Command::Store(options) => store::run(&options, out),
        Command::Replay(options) => replay::run(&options, out),
        Command::Gdl(options) => gdl::run(&options, out),
        Command::Ggp(options) => ggp::run(&options, out),
        Command::GgpHost(options) => ggp_host::run(&options, out),
        Command::Bench(options) => bench::run(&options, out),
        Command::Perft(options) => perft::run(&options, out),
        Command::Probe(options) => probe::run(&options, out),
        Command::Exploit(options) => exploit::run(&options, out),
        Command::Solve(options) => solve::run(&options, out),
        Command::Accuracy(options) => accuracy::run(&options, out),
        Command::Train(options) => match train::run(&options) {
            Ok(code) if code != 0 && !was_interrupted() => return code,
            other => other.map(drop),
        },
        Command::Tubstap(options) => tubstap::run(&options, out),
        Command::Evolve(options) => evolve::run(&options, out),
        Command::Fairness(options) => fairness::run(&options, out),
        Command::Mizugame(options) => mizugame::run(&options, out),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "sakiyomi", &mut text);
            out.write_all(&text).map_err(Into::into)
        }
    };
    match done.and_then(|()| Ok(out.flush()?)) {
        Ok(()) if was_interrupted() => INTERRUPTED,
        Ok(()) => 0,
        Err(_) if out.is_closed => 0,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error:#}");
            match is_bad_input(&error) {
                _ if was_interrupted() => INTERRUPTED,
                true => 2,
                false => 1,
            }
        }
    }
}

/// Asks an error whether the input is wrong, if it is of this type.
fn ask<E: Fault + 'static>(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause.downcast_ref::<E>().is_some_and(Fault::is_input)
}

/// The errors that reach a command.
const FAULTS: [fn(&(dyn std::error::Error + 'static)) -> bool; 23] = [
    ask::<BadInput>,
    ask::<SpecError>,
    ask::<TableError>,
    ask::<ExperimentError>,
    ask::<FindError>,
    ask::<CountError>,
    ask::<RunError>,
    ask::<DuelError>,
    ask::<RateError>,
    ask::<RangeError>,
    ask::<TuneError>,
    ask::<AssessError>,
    ask::<TaskError>,
    ask::<ExploitError>,
    ask::<ResponseError>,
    ask::<SolveError>,
    ask::<AccuracyError>,
    ask::<EvolveError>,
    ask::<GdlError>,
    ask::<VerifyError>,
    ask::<Timeless>,
    ask::<TournamentError>,
    ask::<ClientError>,
];

fn is_bad_input(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| FAULTS.iter().any(|ask| ask(cause)))
}

/// The standard output. A reader that closes it has had enough, which is no fault; a socket that is
/// closed is one.
struct Output {
    out: io::StdoutLock<'static>,
    is_closed: bool,
}

impl Output {
    fn note<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        let kind = done.as_ref().err().map(io::Error::kind);
        self.is_closed |= kind == Some(io::ErrorKind::BrokenPipe);
        done
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.note(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.note(flushed)
    }
}

fn print_json(value: &impl serde::Serialize, out: &mut dyn Write) -> anyhow::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}

fn text_table(header: &[&str]) -> TextTable {
    TextTable::new(header.iter().copied())
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// A stop that Ctrl-C requests. Who presses it once more does not want to wait for the report.
fn stop_on_interrupt() -> Arc<Stop> {
    let stop = Arc::new(Stop::new());
    let on_interrupt = Arc::clone(&stop);
    cancel_with(Arc::clone(&stop));
    // Without a handler Ctrl-C still ends the program, only without a report.
    let _ = ctrlc::set_handler(move || {
        if IS_INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(INTERRUPTED.into());
        }
        on_interrupt.request();
    });
    stop
}

static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

fn was_interrupted() -> bool {
    IS_INTERRUPTED.load(Ordering::SeqCst)
}

/// A bar on standard error, hidden where it is no terminal.
fn progress_bar(quiet: bool, template: &str) -> ProgressBar {
    if quiet || !io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template(template).expect("the template is well formed");
    ProgressBar::new(1).with_style(style)
}

/// A number of seconds, for arguments.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if seconds > 0.0 && seconds < 1e6 => Ok(seconds),
        _ => Err("expected a positive number of seconds".to_owned()),
    }
}

/// A size such as 512MiB or 2GiB, for arguments.
fn memory(text: &str) -> Result<u64, String> {
    parse_bytes(text).ok_or_else(|| "expected a size such as 512MiB or 2GiB".to_owned())
}

/// Progress of work of unknown length.
const SPINNER: &str = "{spinner} {elapsed} {prefix} {msg}";
