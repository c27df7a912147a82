//! Bodies of requests, sent to a server of the page on this machine.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

use sakiyomi::eval::experiment::Library;
use sakiyomi::serve::api::{FairnessRequest, JobRequest, RulesRequest, ThinkRequest};
use sakiyomi::serve::{PATIENCE, ServeSettings, Server};
use ureq::Agent;

/// What is answered at once. Other requests begin work that outlasts them.
const ANSWERED: [&str; 6] =
    ["api/game", "api/position", "api/replay", "api/agent", "api/editor/tubstap", "api/sealed"];

/// A body after a line with its address. An answer of 500 is a fault of ours: that is what is said
/// after a panic.
pub(crate) fn http_body(bytes: &[u8]) {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (line, body) = (&bytes[..end], bytes.get(end + 1..).unwrap_or_default());
    let _ = (json::<ThinkRequest>(body), json::<JobRequest>(body));
    let _ = (json::<RulesRequest>(body), json::<FairnessRequest>(body));
    let Some(route) = ANSWERED.iter().find(|route| route.as_bytes() == line) else { return };
    // Rule sheets of the project take long to compile, and are no part of a body.
    if body.windows(3).any(|word| word == b"gdl") {
        return;
    }
    static CLIENT: OnceLock<(Agent, SocketAddr)> = OnceLock::new();
    let (agent, address) = CLIENT.get_or_init(|| (client(), serve()));
    let answer = agent.post(format!("http://{address}/{route}")).send(body);
    let answer = answer.expect("the server answers");
    assert_ne!(answer.status().as_u16(), 500, "{}", String::from_utf8_lossy(bytes));
}

fn json<T: serde::de::DeserializeOwned>(body: &[u8]) -> Option<T> {
    serde_json::from_slice(body).ok()
}

fn client() -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(60)))
        .build();
    config.into()
}

/// Starts a server that lives as long as the process.
fn serve() -> SocketAddr {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let folder = tempfile::tempdir().expect("a folder for the store");
        let settings = ServeSettings {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            token: None,
            store: folder.path().join("store.sqlite"),
            experiments: Library::Folder(folder.path().to_owned()),
            threads: 1,
            patience: PATIENCE,
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        runtime.expect("threads for a server").block_on(async {
            let server = Server::bind(settings).await.expect("a free port");
            let url = server.url().expect("an address");
            let address = url.trim_start_matches("http://").trim_end_matches('/').to_owned();
            tell.send(address).expect("someone waits");
            server.run(std::future::pending()).await.expect("a server without end");
        });
    });
    told.recv().expect("a server").parse().expect("an address")
}
