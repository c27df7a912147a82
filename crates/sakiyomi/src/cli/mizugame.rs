//! `sakiyomi mizugame`: the contest's server.

use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{Args, Subcommand};
use sakiyomi::contests::mizugame::{Desk, HostReport, HostSettings, host, serve, sleep_until};
use sakiyomi_catalog::{AgentSpec, GameSpec, open_table};
use tokio::net::TcpListener;

use super::{BadInput, positive, print_json, stop_on_interrupt, text_table};

/// Host a match of Mizugame for teams that come over the network
#[derive(Debug, Args)]
pub(super) struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Host(HostOptions),
}

/// Serve a match over HTTP, with sessions in real time, as the contest did
#[derive(Debug, Args)]
#[command(after_help = "Teams ask for GET /system/map/?token=T and give orders with
GET /system/command/machine_1=00A&machine_2=&machine_3=1AA&token=T (docs/reference/mizugame.md).
docs/reference/mizugame_client.py is a client. Seats without a token are played by --agent.

Examples:
  sakiyomi mizugame host --token a --token b --agent strong-painter
  sakiyomi mizugame host mizugame:symmetry=C2,seed=7 --listen 0.0.0.0:9210 --token a --session 3")]
struct HostOptions {
    /// The game and its map
    #[arg(default_value = "mizugame")]
    game: GameSpec,
    /// The address to listen on; port 0 takes a free one, which is printed
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:9210")]
    listen: SocketAddr,
    /// The token of the next team; once for each team that comes over the network
    #[arg(long, value_name = "TOKEN")]
    token: Vec<String>,
    /// Who plays the other teams
    #[arg(long, value_name = "SPEC", default_value = "strong-painter")]
    agent: AgentSpec,
    /// Real time of a session, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0, value_parser = positive)]
    session: f64,
    /// Seconds to wait for teams before the first session
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = positive)]
    wait: f64,
    /// Seconds for which the end can still be asked for
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = positive)]
    linger: f64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the match to this file, for `sakiyomi replay` and the page
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let Command::Host(options) = &options.command;
    if options.game.name() != "mizugame" {
        return Err(BadInput(format!("{}: only mizugame can be hosted here", options.game)).into());
    }
    let table = open_table(&options.game, options.seed)?;
    let n_teams = table.players();
    let tokens = tokens(&options.token, n_teams)?;
    let agents = (options.token.len()..n_teams).map(|team| (team, options.agent.clone()));
    let settings = HostSettings {
        game: options.game.clone(),
        seed: options.seed,
        agents: agents.collect(),
        session: Duration::from_secs_f64(options.session),
        patience: Duration::from_secs_f64(options.wait),
    };
    let desk = Arc::new(Desk::new(tokens, sessions(&options.game)));
    let stop = stop_on_interrupt();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let listener = runtime.block_on(TcpListener::bind(options.listen));
    let listener = listener.with_context(|| format!("cannot listen on {}", options.listen))?;
    if !options.json {
        writeln!(out, "{} teams at http://{}", n_teams, listener.local_addr()?)?;
        out.flush()?;
    }
    let serving = runtime.spawn(serve(listener, Arc::clone(&desk)));
    let report = host(&settings, &desk, &stop)?;
    if let Some(file) = &options.record {
        let text = serde_json::to_string(&report.record)?;
        fs::write(file, text + "\n").with_context(|| file.display().to_string())?;
    }
    match options.json {
        true => print_json(&report, out)?,
        false => print_report(&report, out)?,
    }
    out.flush()?;
    sleep_until(Instant::now() + Duration::from_secs_f64(options.linger), &stop);
    serving.abort();
    runtime.shutdown_timeout(Duration::from_millis(100));
    Ok(())
}

/// The token of each team, if it has one.
fn tokens(given: &[String], n_teams: usize) -> anyhow::Result<Vec<Option<String>>> {
    if given.len() > n_teams {
        let message = format!("{} tokens for {n_teams} teams", given.len());
        return Err(BadInput(message).into());
    }
    for (i, token) in given.iter().enumerate() {
        if token.is_empty() || !token.chars().all(|c| c.is_ascii_alphanumeric()) {
            let message = format!("--token {token}: expected letters and digits");
            return Err(BadInput(message).into());
        }
        if given[..i].contains(token) {
            return Err(BadInput(format!("--token {token} is given twice")).into());
        }
    }
    Ok((0..n_teams).map(|team| given.get(team).cloned()).collect())
}

/// The sessions of a match.
fn sessions(game: &GameSpec) -> usize {
    match game {
        GameSpec::Mizugame(named) => named.settings.rules.sessions.into(),
        _ => 0,
    }
}

fn print_report(report: &HostReport, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut table = text_table(&["team", "cells", "payoff", "silent", "malformed", "late"]);
    for team in &report.teams {
        table.add_row([
            team.name.clone(),
            format!("{:.0}", team.score),
            format!("{:.2}", team.payoff),
            team.silent.to_string(),
            team.malformed.to_string(),
            team.late.to_string(),
        ]);
    }
    writeln!(out, "{table}")?;
    writeln!(out, "sessions began at most {:.1} ms late", report.most_late_ms)?;
    Ok(())
}
