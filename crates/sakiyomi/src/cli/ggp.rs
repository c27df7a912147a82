//! `sakiyomi ggp`: the player of the general game playing protocol.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use sakiyomi::ggp::{Log, Player, PlayerSettings, serve};
use sakiyomi_catalog::AgentSpec;
use sakiyomi_gdl::Limits;
use tokio::net::TcpListener;

use super::{BadInput, memory, positive};

/// Play general games over the network: wait for a host and answer it
#[derive(Debug, Args)]
#[command(
    after_help = "The clock of the host replaces the agent's budget. One match is played at a \
time; a host that comes meanwhile is told that the player is busy.

Examples:
  sakiyomi ggp
  sakiyomi ggp --listen 0.0.0.0:9148 --agent uct:c=0.7,solver,trees=2 --margin 1 --log ggp.log
  curl -d '(INFO)' localhost:9147"
)]
pub(super) struct Options {
    /// The address to listen on; port 0 takes a free one, which is printed
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:9147")]
    listen: SocketAddr,
    /// Who plays, such as uct:c=0.7,solver
    #[arg(long, value_name = "SPEC", default_value = "ggp-best")]
    agent: AgentSpec,
    /// Seconds before the end of a clock at which the answer is sent; at most half of the clock
    #[arg(long, value_name = "SECONDS", default_value_t = 0.5, value_parser = positive)]
    margin: f64,
    /// Trees that a tree search grows at the same time on as many cores, unless it says `trees` itself; by
    /// default one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    trees: Option<u32>,
    /// Think about a move for no more iterations than this, even if there is time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    iterations: Option<u64>,
    /// CPU seconds that compiling rules may take; beyond them they are interpreted, which is slow
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0, value_parser = positive)]
    ground_time: f64,
    /// Memory that compiling rules may take, such as 600MB
    #[arg(long, value_name = "SIZE", default_value = "600MB", value_parser = memory)]
    ground_memory: u64,
    /// What the player calls itself
    #[arg(long, default_value = "sakiyomi")]
    name: String,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Let web pages of this origin drive the player, such as http://localhost:8000; `*` lets all. Without it
    /// only programs may
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    /// Append one line per message to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| n.get().min(256) as u32)
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let is_token = |c: char| c.is_ascii_graphic() && !"();\"".contains(c);
    if options.name.is_empty() || !options.name.chars().all(is_token) {
        let message = format!("--name {}: expected one word without parentheses", options.name);
        return Err(BadInput(message).into());
    }
    let settings = PlayerSettings {
        name: options.name.clone(),
        margin: Duration::from_secs_f64(options.margin),
        trees: options.trees.unwrap_or_else(cores),
        iterations: options.iterations,
        limits: Limits::new(Duration::from_secs_f64(options.ground_time), options.ground_memory),
        seed: options.seed,
        allowed_origins: options.allow_origin.clone(),
        ..PlayerSettings::new(options.agent.clone())
    };
    let log = match &options.log {
        Some(file) => Log::open(file).with_context(|| file.display().to_string())?,
        None => Log::default(),
    };
    let player = Player::new(settings, log)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(options.listen)
            .await
            .with_context(|| format!("cannot listen on {}", options.listen))?;
        writeln!(out, "{} listens on {}", options.agent, listener.local_addr()?)?;
        out.flush()?;
        tokio::select! {
            () = serve(listener, player.clone()) => {}
            interrupted = tokio::signal::ctrl_c() => interrupted?,
        }
        anyhow::Ok(())
    })?;
    player.close();
    // Whoever still waits for an answer gets none.
    runtime.shutdown_timeout(Duration::from_millis(100));
    Ok(())
}
