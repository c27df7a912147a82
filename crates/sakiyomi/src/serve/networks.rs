//! Networks that pages hand over, kept beside the store, and those that the server offers. Pages name them by their files'
//! names, never by where they are.

use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use axum::Json;
use axum::extract::{Query, Request, State};
use sakiyomi_catalog::{AgentSpec, check_network, write_atomically};
use serde::Deserialize;
use tokio::time::timeout;

use super::api::{ApiError, ErrorCode, NetworkAnswer};
use super::lab::Shared;
use super::queues::Kind;
use crate::accept;

const MAX_BYTES: usize = 32 << 20;
const MAX_NETWORKS: usize = 100;
/// A large file may take longer to arrive than a request.
const LONGEST_UPLOAD: Duration = Duration::from_secs(120);

/// A network by the name that pages use.
#[derive(Clone, Debug)]
struct Offered {
    name: String,
    file: PathBuf,
}

static NETWORKS: RwLock<Vec<Offered>> = RwLock::new(Vec::new());

/// Lets pages play with these networks.
pub fn offer_networks(files: Vec<String>) {
    files.into_iter().for_each(|file| offer(PathBuf::from(file)));
}

fn offer(file: PathBuf) {
    let Some(name) = file.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        return;
    };
    let mut all = NETWORKS.write().unwrap_or_else(PoisonError::into_inner);
    if all.iter().all(|known| known.name != name) {
        all.push(Offered { name, file });
    }
}

/// Networks that were handed over to a server with this store before.
pub(super) fn offer_kept(store: &Path) {
    let Ok(files) = std::fs::read_dir(folder(store)) else { return };
    let mut files: Vec<PathBuf> = files.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort_unstable();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "onnx"));
    files.into_iter().take(MAX_NETWORKS).for_each(offer);
}

fn folder(store: &Path) -> PathBuf {
    store.with_file_name("networks")
}

/// The agents of the networks that are offered, whatever game they fit.
pub(super) fn offered_agents() -> Vec<String> {
    let all = NETWORKS.read().unwrap_or_else(PoisonError::into_inner);
    all.iter().map(|offered| agent_of(&offered.name)).collect()
}

fn agent_of(name: &str) -> String {
    let text = format!("net:file={name}");
    // A name with signs of its own is written as the agent writes it.
    text.parse::<AgentSpec>().map_or(text, |agent| agent.to_string())
}

/// Where the network of this name is.
pub(super) fn file_of(name: &str) -> Option<PathBuf> {
    let all = NETWORKS.read().unwrap_or_else(PoisonError::into_inner);
    all.iter().find(|offered| offered.name == name).map(|offered| offered.file.clone())
}

/// A message that names networks as pages do.
pub(super) fn without_folders(message: &str) -> String {
    let all = NETWORKS.read().unwrap_or_else(PoisonError::into_inner);
    all.iter().fold(message.to_owned(), |text, offered| {
        text.replace(&*offered.file.to_string_lossy(), &offered.name)
    })
}

#[derive(Debug, Deserialize)]
pub(super) struct Named {
    name: String,
}

/// Takes a network: it is read, and kept if it can be.
pub(super) async fn take(
    State(lab): State<Shared>,
    Query(Named { name }): Query<Named>,
    request: Request,
) -> Result<Json<NetworkAnswer>, ApiError> {
    let body = timeout(LONGEST_UPLOAD, accept::read_body(request.into_body(), MAX_BYTES)).await;
    let Ok(Ok(bytes)) = body else {
        let message = format!("the file did not arrive; it may have up to {} MiB", MAX_BYTES >> 20);
        return Err(ApiError::new(ErrorCode::TooLarge, message));
    };
    let folder = folder(&lab.settings.store);
    lab.work(Kind::Reading, move || keep(&folder, &name, &bytes)).await.map(Json)
}

fn keep(folder: &Path, name: &str, bytes: &[u8]) -> Result<NetworkAnswer, ApiError> {
    let wrong = |message: String| ApiError::new(ErrorCode::BadRequest, message);
    check_network(bytes)
        .map_err(|error| wrong(format!("this is no network that can be played with: {error}")))?;
    let name = plain_name(name);
    let file = folder.join(&name);
    if NETWORKS.read().unwrap_or_else(PoisonError::into_inner).len() >= MAX_NETWORKS {
        return Err(ApiError::new(ErrorCode::Busy, format!("{MAX_NETWORKS} networks are kept")));
    }
    let is_other = file_of(&name).is_some_and(|known| known != file);
    if is_other {
        return Err(wrong(format!("the server itself offers a network `{name}`; rename the file")));
    }
    std::fs::create_dir_all(folder).map_err(ApiError::failed)?;
    write_atomically(&file, |out| out.write_all(bytes)).map_err(ApiError::failed)?;
    offer(file);
    Ok(NetworkAnswer { agent: agent_of(&name) })
}

/// Letters, digits, hyphens and dots, with the right ending.
fn plain_name(name: &str) -> String {
    const LONGEST: usize = 60;
    let stem = name.strip_suffix(".onnx").unwrap_or(name);
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' };
    let stem: String = stem.chars().map(plain).take(LONGEST).collect();
    let stem = stem.trim_matches('-');
    format!("{}.onnx", if stem.is_empty() { "network" } else { stem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_that_is_handed_over_becomes_an_agent() {
        let folder = std::env::temp_dir().join(format!("sakiyomi-networks-{}", std::process::id()));
        let bytes = include_bytes!("../../../../tests/networks/tic-tac-toe.onnx");
        let answer = keep(&folder, "../my net.onnx", bytes).unwrap();
        assert_eq!(answer.agent, "net:file=my-net.onnx");
        assert_eq!(file_of("my-net.onnx"), Some(folder.join("my-net.onnx")));
        assert!(offered_agents().contains(&answer.agent));
        let message = format!("{}: does not fit", folder.join("my-net.onnx").display());
        assert_eq!(without_folders(&message), "my-net.onnx: does not fit");
        let error = keep(&folder, "text.onnx", b"not a network").unwrap_err();
        assert_eq!(error.code, ErrorCode::BadRequest);
        assert!(file_of("text.onnx").is_none());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn names_are_plain() {
        for (name, plain) in
            [("four.onnx", "four.onnx"), ("a b/c", "a-b-c.onnx"), ("..", "network.onnx")]
        {
            assert_eq!(plain_name(name), plain);
        }
    }
}
