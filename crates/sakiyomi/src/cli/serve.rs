//! `sakiyomi serve`.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Context;
use clap::Args;
use sakiyomi::serve::{PATIENCE, ServeSettings, Server, offer_networks};
use sakiyomi_core::Rng;

use super::cores;
use super::experiments::Experiments;

/// Serve the lab as a web page: play, watch, look inside, compare
#[derive(Debug, Args)]
#[command(
    after_help = "On another address than loopback a token is required; it is part of the printed address.

Examples:
  sakiyomi serve --open
  sakiyomi serve --listen 127.0.0.1:8080
  sakiyomi serve --network four.onnx
  sakiyomi serve --listen 0.0.0.0:8080 --token correct-horse"
)]
pub(super) struct Options {
    /// Address and port; port 0 takes any that is free
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7373")]
    listen: SocketAddr,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// Who asks has to know this; made up if another address than loopback is served without one
    #[arg(long)]
    token: Option<String>,
    /// The file of the results
    #[arg(long, value_name = "FILE", default_value = "sakiyomi.sqlite")]
    store: PathBuf,
    #[command(flatten)]
    experiments: Experiments,
    /// A network in ONNX that pages offer as an agent of the games it fits; may be given several times
    #[arg(long, value_name = "FILE")]
    network: Vec<String>,
    /// Games that a job plays at the same time; the number of cores if not given
    #[arg(long)]
    threads: Option<std::num::NonZero<usize>>,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> anyhow::Result<()> {
    let token = match &options.token {
        None if options.listen.ip().is_loopback() => None,
        None => Some(made_up_token()),
        Some(token) => Some(checked_token(token)?),
    };
    let settings = ServeSettings {
        listen: options.listen,
        token,
        store: options.store.clone(),
        experiments: options.experiments.library(),
        threads: options.threads.map_or_else(cores, usize::from),
        patience: PATIENCE,
    };
    offer_networks(options.network.clone());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let server = Server::bind(settings)
            .await
            .with_context(|| format!("cannot listen on {}", options.listen))?;
        let url = server.url()?;
        writeln!(out, "listening on {url}")?;
        out.flush()?;
        if options.open {
            open_browser(&url, out)?;
        }
        let interrupted = async {
            let _ = tokio::signal::ctrl_c().await;
        };
        anyhow::Ok(server.run(interrupted).await?)
    });
    // Work that pages have asked for is not waited for.
    runtime.shutdown_background();
    served
}

/// A token that cannot be guessed.
fn made_up_token() -> String {
    use std::hash::{BuildHasher, RandomState};
    // The hasher's keys come from the system's random source.
    let draw = |i: u8| RandomState::new().hash_one(i);
    let mut rng = Rng::stream(&[draw(0), draw(1)]);
    format!("{:016x}{:016x}", rng.bits(), rng.bits())
}

fn checked_token(token: &str) -> anyhow::Result<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
    if token.len() < 8 || !token.chars().all(is_plain) {
        let message = "a token has 8 or more of the letters a to z, digits, and - _ . ~";
        return Err(super::BadInput(message.to_owned()).into());
    }
    Ok(token.to_owned())
}

fn open_browser(url: &str, out: &mut dyn Write) -> anyhow::Result<()> {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let silent = Stdio::null;
    let started =
        Command::new(program).args(arguments).arg(url).stdout(silent()).stderr(silent()).spawn();
    if started.is_err() {
        writeln!(out, "no browser could be opened; open the address above")?;
        out.flush()?;
    }
    Ok(())
}
