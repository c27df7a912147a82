//! `sakiyomi probe`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use sakiyomi::figures::{Content, Curve, CurvePoint, Figure};
use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, Visitor, write_atomically};
use sakiyomi_core::{Player, Rng, Stop};
use sakiyomi_search::{MctsSettings, PROBE_PLAYOUTS, ProbeReport, ProbeSettings};
use serde_json::json;

use super::{BadInput, print_json, text_table};

/// Measure how far similar positions are apart, as experience does before a match
#[derive(Debug, Args)]
#[command(
    after_help = "The probe is 10 games of a search with experience against itself, of 10 plies each. A hit is
an entry that is similar to a new node; its distance is the number of edges between the two in the tree.
The gain is the squared error of payoffs, per node, that is saved by believing what such entries lend; below 0
they mislead.

Examples:
  sakiyomi probe gdl:sheet=connect-four gdl:sheet=breakthrough-small
  sakiyomi probe gdl:sheet=connect-four --agent experience:random,bits=16 --agent experience:random,bits=24
  sakiyomi probe gdl:sheet=connect-four --histogram --svg distances.svg
  sakiyomi probe breakthrough --playouts 500 --json"
)]
pub(super) struct Options {
    /// Games to measure
    #[arg(required = true)]
    games: Vec<GameSpec>,
    /// A search with experience in one of its codes; several of them are measured one after the other
    #[arg(long = "agent", value_name = "AGENT", default_value = "experience")]
    agents: Vec<AgentSpec>,
    /// Playouts of a decision
    #[arg(long, default_value_t = PROBE_PLAYOUTS, value_parser = clap::value_parser!(u64).range(1..))]
    playouts: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Show the share of hits at every distance, of all games together
    #[arg(long)]
    histogram: bool,
    /// Draw the share of hits at every distance into this file, as SVG: a line for each of the 10 games, or
    /// one for all of them if several games or agents are measured
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print JSON, with the histogram of every game
    #[arg(long)]
    json: bool,
}

struct Probe<'a>(&'a MctsSettings, &'a Options);

impl Visitor for Probe<'_> {
    type Out = ProbeReport;

    fn visit<G: CatalogGame>(self, game: G) -> ProbeReport {
        let Probe(search, options) = self;
        let settings = ProbeSettings { playouts: options.playouts, ..ProbeSettings::default() };
        game.probe(search, settings, &mut Rng::new(options.seed), &Stop::new())
    }
}

/// What was measured of a game with an agent.
struct Measured<'a> {
    game: &'a GameSpec,
    agent: &'a AgentSpec,
    report: ProbeReport,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut all = Vec::new();
    for agent in &options.agents {
        let has_experience = |settings: &&MctsSettings| {
            let ucb1 = settings.selection.ucb().and_then(|ucb| ucb.ucb1());
            ucb1.is_some_and(|ucb1| ucb1.experience.is_some())
        };
        let Some(settings) = agent.tree_search().filter(has_experience) else {
            let message = format!(
                "`{agent}` has no experience by one code; expected for example experience:huffman"
            );
            return Err(BadInput(message).into());
        };
        for game in &options.games {
            // A game without cells is refused here as everywhere.
            sakiyomi_catalog::open_table(game, 0)?.seat(Player(0), agent)?;
            all.push(Measured { game, agent, report: game.with(Probe(settings, options))? });
        }
    }
    if let Some(file) = &options.svg {
        let svg = figure(&all).to_svg();
        let written = write_atomically(file, |out| out.write_all(svg.as_bytes()));
        written.with_context(|| format!("cannot write {}", file.display()))?;
    }
    match options.json {
        true => {
            let each: Vec<_> = all.iter().map(as_json).collect();
            print_json(&json!({ "games": each }), out)
        }
        false => {
            print(&all, out)?;
            if options.histogram { print_histograms(&all, out) } else { Ok(()) }
        }
    }
}

fn share_of_hits(report: &ProbeReport) -> f64 {
    report.counts.hits as f64 / report.counts.nodes.max(1) as f64
}

fn as_json(Measured { game, agent, report }: &Measured<'_>) -> serde_json::Value {
    json!({
        "game": game.to_string(),
        "agent": agent.to_string(),
        "mean_distance": report.mean_distance,
        "deviation": report.deviation,
        "share_of_nodes_with_hits": share_of_hits(report),
        "d": report.distance,
        "gain": report.gain,
        "playouts": report.playouts,
        "cpu_seconds": report.cpu.as_secs_f64(),
        "histograms": report.histograms,
    })
}

fn print(all: &[Measured<'_>], out: &mut dyn Write) -> anyhow::Result<()> {
    let mut table = text_table(&[
        "game",
        "agent",
        "mean distance",
        "deviation",
        "nodes with hits",
        "d",
        "gain",
        "playouts",
        "CPU s",
    ]);
    for Measured { game, agent, report } in all {
        table.add_row([
            game.to_string(),
            agent.to_string(),
            report.mean_distance.map_or_else(|| "-".to_owned(), |mean| format!("{mean:.2}")),
            format!("{:.2e}", report.deviation),
            format!("{:.3}", share_of_hits(report)),
            report.distance.to_string(),
            format!("{:.4}", report.gain),
            report.playouts.to_string(),
            format!("{:.2}", report.cpu.as_secs_f64()),
        ]);
    }
    Ok(writeln!(out, "{table}")?)
}

fn print_histograms(all: &[Measured<'_>], out: &mut dyn Write) -> anyhow::Result<()> {
    for Measured { game, agent, report } in all {
        let mut table = text_table(&["distance", "share of hits"]);
        for (distance, share) in shares(&summed(&report.histograms)).enumerate() {
            table.add_row([distance.to_string(), format!("{share:.4}")]);
        }
        writeln!(out, "{game}: {agent}\n{table}")?;
    }
    Ok(())
}

/// The hits of all histograms at every distance.
fn summed(histograms: &[Vec<u64>]) -> Vec<u64> {
    let n_bins = histograms.iter().map(Vec::len).max().unwrap_or(0);
    (0..n_bins).map(|i| histograms.iter().filter_map(|h| h.get(i)).sum()).collect()
}

fn shares(histogram: &[u64]) -> impl Iterator<Item = f64> {
    let total = histogram.iter().sum::<u64>().max(1) as f64;
    histogram.iter().map(move |&hits| hits as f64 / total)
}

/// Shares of hits over tree distance, as in the paper's figures 9 to 12.
fn figure(all: &[Measured<'_>]) -> Figure {
    let curve = |name: String, histogram: &[u64]| {
        let points = shares(histogram).enumerate();
        let point = |(x, y)| CurvePoint { x: x as f64, y, low: y, high: y };
        Curve { name, points: points.map(point).collect(), references: Vec::new() }
    };
    let one_game = |game: &GameSpec| all.iter().all(|other| other.game == game);
    let (title, curves) = match all {
        [Measured { game, agent, report }] => {
            let games = report.histograms.iter().enumerate();
            let curves = games.map(|(i, histogram)| curve(format!("game {}", i + 1), histogram));
            (format!("{game}: {agent}"), curves.collect())
        }
        _ => {
            let curves = all.iter().map(|Measured { game, agent, report }| {
                let name = if one_game(game) { agent.to_string() } else { game.to_string() };
                curve(name, &summed(&report.histograms))
            });
            ("similar positions".to_owned(), curves.collect())
        }
    };
    let content = Content::Curves {
        x_label: "distance in the tree".to_owned(),
        y_label: "share of hits".to_owned(),
        log_x: false,
        curves,
        baseline: None,
    };
    Figure { title, content }
}
