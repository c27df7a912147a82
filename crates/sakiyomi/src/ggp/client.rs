//! A player somewhere on the network, as the host sees it.

use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use sakiyomi_gdl::protocol::{PlayerStatus, Request, read_status};
use ureq::Agent;
use ureq::http::Uri;

/// The port on which players listen by custom.
pub(super) const CUSTOMARY_PORT: u16 = 9147;
/// No answer of the protocol is longer than a move.
const MOST_BYTES: u64 = 64 << 10;
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// How long a player may take to say who it is.
const INFO_TIME: Duration = Duration::from_secs(1);

/// A player that takes part, by its address.
#[derive(Clone)]
pub struct Contestant {
    url: String,
    name: Option<String>,
    agent: Agent,
}

impl fmt::Debug for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contestant").field("url", &self.url).field("name", &self.name).finish()
    }
}

/// Why a player did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    #[error("`{text}` is no address of a player; expected host:port or http://host:port")]
    Url { text: String },
    #[error("no answer in time")]
    Timeout,
    #[error("no player answers: {0}")]
    Absent(String),
    #[error("{0}")]
    Connection(String),
}

impl sakiyomi_core::Fault for ClientError {
    fn is_input(&self) -> bool {
        matches!(self, ClientError::Url { .. })
    }
}

/// An answer, or why there is none, and how long it took.
#[derive(Clone, Debug)]
pub(super) struct Answered {
    pub(super) text: Result<String, ClientError>,
    pub(super) time: Duration,
}

impl Contestant {
    /// A player at host:port or http://host:port; the customary port need not be named.
    pub fn new(text: &str) -> Result<Contestant, ClientError> {
        let wrong = || ClientError::Url { text: text.to_owned() };
        let full = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let uri: Uri = full.parse().map_err(|_| wrong())?;
        let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(wrong)?;
        if uri.scheme_str() != Some("http") {
            return Err(wrong());
        }
        let port = uri.port_u16().unwrap_or(CUSTOMARY_PORT);
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_idle_connections(0)
            .proxy(None)
            .accept("text/delim")
            .accept_encoding("identity")
            .timeout_connect(Some(CONNECT_TIME))
            .build();
        let url = format!("http://{host}:{port}{}", uri.path());
        Ok(Contestant { url, name: None, agent: Agent::new_with_config(config) })
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// What it calls itself, if it has said so, and its address.
    pub fn name(&self) -> String {
        let address = self.url.trim_start_matches("http://").trim_end_matches('/');
        match &self.name {
            Some(name) => format!("{name}@{address}"),
            None => address.to_owned(),
        }
    }

    /// Asks who it is. Old players do not know the question, which is no reason not to play.
    pub fn introduce(&mut self) -> Result<Option<PlayerStatus>, ClientError> {
        let text = self.ask(&Request::Info.to_string(), INFO_TIME).text;
        if let Err(error @ ClientError::Absent(_)) = text {
            return Err(error);
        }
        let status = text.ok().and_then(|text| read_status(&text).ok());
        self.name = status.as_ref().and_then(|status| status.name.clone());
        Ok(status)
    }

    /// Sends a message and waits for the answer, everything within the limit.
    pub(super) fn ask(&self, message: &str, limit: Duration) -> Answered {
        let start = Instant::now();
        let text = self.try_ask(message, limit).map_err(|error| explain(&error));
        let time = start.elapsed();
        // A player that trickles its answer is late like any other.
        let text = if time > limit { Err(ClientError::Timeout) } else { text };
        Answered { text, time }
    }

    fn try_ask(&self, message: &str, limit: Duration) -> Result<String, ureq::Error> {
        let mut response = self
            .agent
            .post(&self.url)
            .header("Content-Type", "text/acl")
            .header("Sender", "GAMESERVER")
            .header("Receiver", self.name.as_deref().unwrap_or("PLAYER"))
            .header("Connection", "close")
            .config()
            .timeout_global(Some(limit))
            .build()
            .send(message)?;
        response.body_mut().with_config().limit(MOST_BYTES).lossy_utf8(true).read_to_string()
    }
}

fn explain(error: &ureq::Error) -> ClientError {
    match error {
        ureq::Error::Timeout(_) => ClientError::Timeout,
        ureq::Error::HostNotFound => ClientError::Absent("the host is not known".to_owned()),
        ureq::Error::Io(cause) => match cause.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => ClientError::Timeout,
            io::ErrorKind::ConnectionRefused
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable => ClientError::Absent(cause.to_string()),
            _ => ClientError::Connection(cause.to_string()),
        },
        other => ClientError::Connection(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_completed_or_refused() {
        let url = |text: &str| Contestant::new(text).map(|contestant| contestant.url);
        assert_eq!(url("localhost").unwrap(), "http://localhost:9147/");
        assert_eq!(url("10.0.0.1:80").unwrap(), "http://10.0.0.1:80/");
        assert_eq!(url("http://[::1]:9148/").unwrap(), "http://[::1]:9148/");
        assert_eq!(url("http://a.b:1/c").unwrap(), "http://a.b:1/c");
        for wrong in ["", "https://a:1", "ftp://a", "http://", "a b", "a:b:c"] {
            assert!(url(wrong).unwrap_err().to_string().contains("expected host:port"), "{wrong}");
        }
        assert_eq!(Contestant::new("a:1").unwrap().name(), "a:1");
    }
}
