//! The player's accept: one request per connection, one plain answer, and the connection is closed.
//!
//! Hosts of the protocol speak HTTP/1.0 or something like it. They read until the end of the
//! connection and know neither chunks nor compression, so an answer always has its length and is
//! the last thing that is said.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::player::Player;
use crate::accept::{self, Spoken, Unread};

/// The longest message. The largest public rule sheets have less than a megabyte.
const MOST_BYTES: usize = 16 << 20;
/// How long a request may take to arrive, its head and then its body.
const READ_TIME: Duration = Duration::from_secs(10);
/// Connections that are served at the same time; others wait.
const MOST_CONNECTIONS: usize = 256;

/// Serves a player until the task is dropped.
pub async fn serve(listener: TcpListener, player: Arc<Player>) {
    let converse = |stream, peer, spoken| converse(stream, peer, Arc::clone(&player), spoken);
    accept::connections(listener, MOST_CONNECTIONS, converse).await;
}

async fn converse(stream: TcpStream, peer: SocketAddr, player: Arc<Player>, spoken: Spoken) {
    // The host's clock runs since it has written its message, so ours runs since it has called.
    let received = Instant::now();
    let service = service_fn(|request: Request<Incoming>| {
        let (player, spoken) = (Arc::clone(&player), spoken.clone());
        async move { Ok::<_, Infallible>(respond(request, peer, received, &player, &spoken).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(READ_TIME)
        .keep_alive(false)
        // Some hosts close their side as soon as they have written.
        .half_close(true)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if let Err(error) = served {
        player.log().line(&format!("{peer} connection failed: {error}"));
    }
}

async fn respond(
    request: Request<Incoming>,
    peer: SocketAddr,
    received: Instant,
    player: &Arc<Player>,
    spoken: &Spoken,
) -> Response<Body> {
    let origin = request.headers().get(header::ORIGIN).cloned();
    if !is_admitted(request.headers(), player.allowed_origins()) {
        let shown = origin.as_ref().map_or("a page", |origin| origin.to_str().unwrap_or("a page"));
        player.log().line(&format!("{peer} is refused: it comes from {shown}"));
        let problem = "web pages may not drive this player; --allow-origin lets one in";
        return response(StatusCode::FORBIDDEN, problem.to_owned(), None);
    }
    let message = match *request.method() {
        Method::POST => read_body(request).await,
        Method::GET => {
            Ok(message_of_path(request.uri().path_and_query().map_or("", |p| p.as_str())))
        }
        // Browsers ask first whether they may.
        _ => return response(StatusCode::OK, String::new(), origin),
    };
    // A head without a body is not yet a message.
    spoken.tell();
    let (status, answer) = match message {
        Ok(message) => {
            player.log().line(&format!("{peer} > {message}"));
            match player.answer(&message, received).await {
                Ok(answer) => (StatusCode::OK, answer),
                Err(error) => (StatusCode::BAD_REQUEST, error.to_string()),
            }
        }
        Err((status, problem)) => (status, problem),
    };
    let seconds = received.elapsed().as_secs_f64();
    player.log().line(&format!("{peer} < {} {answer} ({seconds:.3} s)", status.as_u16()));
    response(status, answer, origin)
}

/// Whether a request may be answered. Hosts are programs and name no origin; browsers do when a page asks, or
/// say with `Sec-Fetch-Site` that it was not a person who typed the address.
fn is_admitted(headers: &HeaderMap, allowed: &[String]) -> bool {
    let is_allowed = |origin: &str| allowed.iter().any(|one| one == "*" || one == origin);
    match (headers.get(header::ORIGIN), headers.get("sec-fetch-site")) {
        (Some(origin), _) => origin.to_str().is_ok_and(is_allowed),
        (None, Some(site)) => site == "none" || is_allowed("*"),
        (None, None) => true,
    }
}

async fn read_body(request: Request<Incoming>) -> Result<String, (StatusCode, String)> {
    let body = accept::read_body(Body::new(request.into_body()), MOST_BYTES);
    match timeout(READ_TIME, body).await {
        Ok(Ok(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(Err(Unread::TooLong)) => {
            let problem = format!("the message is longer than {MOST_BYTES} bytes");
            Err((StatusCode::PAYLOAD_TOO_LARGE, problem))
        }
        Ok(Err(Unread::Broken(error))) => {
            Err((StatusCode::BAD_REQUEST, format!("the message cannot be read: {error}")))
        }
        Err(_) => {
            let problem = format!("the message did not arrive within {} s", READ_TIME.as_secs());
            Err((StatusCode::REQUEST_TIMEOUT, problem))
        }
    }
}

/// A message that stands in the address, as browsers send it; without one it is INFO.
fn message_of_path(path: &str) -> String {
    let path = path.strip_prefix('/').unwrap_or(path);
    if path.is_empty() || path == "favicon.ico" {
        return "(INFO)".to_owned();
    }
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = path.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (bytes[at], hex) {
            (b'%', Some(byte)) => {
                decoded.push(byte);
                at += 3;
                continue;
            }
            (b'+', _) => decoded.push(b' '),
            (byte, _) => decoded.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// An answer, which a page of `origin` may read.
fn response(status: StatusCode, text: String, origin: Option<HeaderValue>) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/acl"));
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    if let Some(origin) = origin {
        let access = [
            (header::ACCESS_CONTROL_ALLOW_METHODS, "POST, GET, OPTIONS"),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, "Content-Type"),
            (header::ACCESS_CONTROL_MAX_AGE, "86400"),
            (header::VARY, "Origin"),
        ];
        for (name, value) in access {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_admitted_by_their_origin_only() {
        let is_admitted = |given: &[(&'static str, &'static str)], allowed: &[&str]| {
            let mut headers = HeaderMap::new();
            for &(name, value) in given {
                headers.insert(name, HeaderValue::from_static(value));
            }
            let allowed: Vec<String> = allowed.iter().map(|&text| text.to_owned()).collect();
            is_admitted(&headers, &allowed)
        };
        let page = [("origin", "http://a.example")];
        assert!(is_admitted(&[], &[]), "hosts name no origin");
        assert!(!is_admitted(&page, &[]) && !is_admitted(&page, &["http://b.example"]));
        assert!(is_admitted(&page, &["http://a.example"]) && is_admitted(&page, &["*"]));
        let picture = [("sec-fetch-site", "cross-site")];
        assert!(!is_admitted(&picture, &["http://a.example"]));
        assert!(is_admitted(&[("sec-fetch-site", "none")], &[]), "an address that was typed");
    }

    #[test]
    fn messages_in_addresses_are_decoded() {
        assert_eq!(message_of_path("/%28PLAY%20m+nil%29"), "(PLAY m nil)");
        assert_eq!(message_of_path("/"), "(INFO)");
        assert_eq!(message_of_path("/%zz%2"), "%zz%2");
        assert_eq!(message_of_path("/(info)%"), "(info)%");
    }
}
