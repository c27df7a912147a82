//! `sakiyomi fairness`: whether a map is fair.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use sakiyomi::figures::{Content, Figure};
use sakiyomi::gallery::{fairness_lines, picture};
use sakiyomi_catalog::write_atomically;
use sakiyomi_evolve::{
    Fairness, FairnessSettings, Judge, Threads, default_judges, judge_game, map_game,
};

use crate::contests::tubstap::read_map_file;

use super::{cores, print_json, progress_bar, stop_on_interrupt, text_table};

/// Judge whether a map of TUBSTAP is fair: agents play both sides, many times
#[derive(Debug, Args)]
#[command(
    after_help = "A map is fair for an agent if the 95 % interval of the first side's score lies within 0.4 and 0.6, \
less than half of the games are drawn, and not all games are the same. If not, it is said which side is favoured and how it wins: by \
wipe-out, or by judgement of hit points at the limit of turns. A map is called fair as it is if all agents find it fair and at least \
four kinds of them played the map itself. For an agent that always plays the same game +opening=1 draws the first action of each side \
at random; +noise changes hit points and places of units before each game, so it tests maps like this one and not the map itself.

Examples:
  sakiyomi fairness games/tubstap/ford.tbsmap
  sakiyomi fairness my.tbsmap --agents sample+opening=1 --agents m-uct:iterations=200 --games 1000 --picture my.svg"
)]
pub(super) struct Options {
    /// A .tbsmap file
    map: PathBuf,
    /// Who plays both sides, several times for several agents; five kinds of players if not given
    #[arg(long, value_name = "AGENT[+opening=N][+noise]", num_args = 1..)]
    agents: Vec<Judge>,
    /// Games of each
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Draw the map and the results into this SVG file
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let map = read_map_file(&options.map)?;
    let judges = match options.agents.as_slice() {
        [] => default_judges(),
        given => given.to_vec(),
    };
    let game = |noise: bool| Some(map_game(&map, noise));
    let runner = Threads(options.threads.map_or_else(cores, usize::from));
    let settings = FairnessSettings { games: options.games, seed: options.seed, quorum: None };
    let stop = stop_on_interrupt();
    let bar = progress_bar(options.quiet, "{bar:30} {pos} of {len} games  {eta} left");
    bar.set_length(options.games * judges.len() as u64);
    let tell = |done| bar.set_position(done);
    let fairness = judge_game(&game, &judges, settings, &runner, &stop, &tell)?;
    bar.finish_and_clear();
    if let Some(path) = &options.picture {
        let lines = fairness
            .judges
            .iter()
            .map(|one| format!("{} {}-{}-{}", one.judge, one.wins[0], one.draws, one.wins[1]));
        let title = options.map.display().to_string();
        let maps = vec![picture(&map, String::new(), lines.collect())];
        let figure = Figure { title, content: Content::Maps { maps } };
        let written = write_atomically(path, |out| out.write_all(figure.to_svg().as_bytes()));
        written.with_context(|| format!("cannot write {}", path.display()))?;
    }
    match options.json {
        true => print_json(&fairness, out),
        false => print_report(&fairness, out),
    }
}

fn print_report(fairness: &Fairness, out: &mut dyn Write) -> anyhow::Result<()> {
    let (header, rows) = fairness_lines(&fairness.judges);
    // In a terminal one column after the other is easier to read than lines that are broken.
    for row in &rows {
        let mut table = text_table(&[header[0].as_str(), row[0].trim_matches('`')]);
        for (name, value) in header.iter().zip(row).skip(1) {
            table.add_row([name.as_str(), value.as_str()]);
        }
        writeln!(out, "{table}\n")?;
    }
    let (fair, all) = (fairness.n_fair(), fairness.judges.len());
    writeln!(out, "tested {}", fairness.tested())?;
    Ok(writeln!(out, "verdict: {} ({fair} of {all} agents)", fairness.verdict())?)
}
