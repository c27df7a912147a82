//! `sakiyomi probe`.

use std::io::Write;

use clap::Args;
use sakiyomi_catalog::{AgentSpec, CatalogGame, GameSpec, Visitor};
use sakiyomi_core::{Player, Rng};
use sakiyomi_search::{MctsSettings, PROBE_PLAYOUTS, ProbeReport};
use serde_json::json;

use super::{BadInput, print_json, text_table};

/// Measure how far similar positions are apart, as experience does before a match
#[derive(Debug, Args)]
#[command(
    after_help = "The probe is 10 games of a search with experience against itself, of 10 plies each. A hit is
an entry that is similar to a new node; its distance is the number of edges between the two in the tree.

Examples:
  sakiyomi probe gdl:sheet=connect-four gdl:sheet=breakthrough-small
  sakiyomi probe gdl:sheet=connect-four --agent experience:random,bits=16 --histogram
  sakiyomi probe breakthrough --playouts 500 --json"
)]
pub(super) struct Options {
    /// Games to measure
    #[arg(required = true)]
    games: Vec<GameSpec>,
    /// The search, with experience in one of its codes
    #[arg(long, default_value = "experience")]
    agent: AgentSpec,
    /// Playouts of a decision
    #[arg(long, default_value_t = PROBE_PLAYOUTS, value_parser = clap::value_parser!(u64).range(1..))]
    playouts: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Show the share of hits at every distance, of all games together
    #[arg(long)]
    histogram: bool,
    /// Print JSON, with the histogram of every game
    #[arg(long)]
    json: bool,
}

struct Probe<'a>(&'a MctsSettings, &'a Options);

impl Visitor for Probe<'_> {
    type Out = ProbeReport;

    fn visit<G: CatalogGame>(self, game: G) -> ProbeReport {
        game.probe(self.0, self.1.playouts, &mut Rng::new(self.1.seed))
    }
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let Some(settings) = options.agent.tree_search().filter(|s| s.experience.is_some()) else {
        let message = format!("`{}` has no experience; expected experience:..", options.agent);
        return Err(BadInput(message).into());
    };
    let mut reports = Vec::new();
    for game in &options.games {
        // A game without cells is refused here as everywhere.
        sakiyomi_catalog::open_table(game, 0)?.seat(Player(0), &options.agent)?;
        reports.push((game, game.with(Probe(settings, options))?));
    }
    match options.json {
        true => {
            let each = reports.iter().map(|(game, report)| as_json(game, report));
            print_json(&json!({ "games": each.collect::<Vec<_>>() }), out)
        }
        false => {
            print(&reports, out)?;
            if options.histogram { print_histograms(&reports, out) } else { Ok(()) }
        }
    }
}

fn share_of_hits(report: &ProbeReport) -> f64 {
    report.counts.hits as f64 / report.counts.nodes.max(1) as f64
}

fn as_json(game: &GameSpec, report: &ProbeReport) -> serde_json::Value {
    json!({
        "game": game.to_string(),
        "mean_distance": report.mean_distance,
        "deviation": report.deviation,
        "share_of_nodes_with_hits": share_of_hits(report),
        "d": report.distance,
        "playouts": report.playouts,
        "cpu_seconds": report.cpu.as_secs_f64(),
        "histograms": report.histograms,
    })
}

fn print(reports: &[(&GameSpec, ProbeReport)], out: &mut dyn Write) -> anyhow::Result<()> {
    let mut table = text_table(&[
        "game",
        "mean distance",
        "deviation",
        "nodes with hits",
        "d",
        "playouts",
        "CPU s",
    ]);
    for (game, report) in reports {
        table.add_row([
            game.to_string(),
            report.mean_distance.map_or_else(|| "-".to_owned(), |mean| format!("{mean:.2}")),
            format!("{:.2e}", report.deviation),
            format!("{:.3}", share_of_hits(report)),
            report.distance.to_string(),
            report.playouts.to_string(),
            format!("{:.2}", report.cpu.as_secs_f64()),
        ]);
    }
    Ok(writeln!(out, "{table}")?)
}

fn print_histograms(
    reports: &[(&GameSpec, ProbeReport)],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    for (game, report) in reports {
        let n_bins = report.histograms.iter().map(Vec::len).max().unwrap_or(0);
        let hits = |i: usize| -> u64 { report.histograms.iter().filter_map(|h| h.get(i)).sum() };
        let total: u64 = (0..n_bins).map(hits).sum();
        let mut table = text_table(&["distance", "share of hits"]);
        for i in 0..n_bins {
            table.add_row([i.to_string(), format!("{:.4}", hits(i) as f64 / total.max(1) as f64)]);
        }
        writeln!(out, "{game}\n{table}")?;
    }
    Ok(())
}
