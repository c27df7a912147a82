//! The player's accept: one request per connection, one plain answer, and the connection is closed.
//!
//! Hosts of the protocol speak HTTP/1.0 or something like it. They read until the end of the
//! connection and know neither chunks nor compression, so an answer always has its length and is
//! the last thing that is said.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::player::Player;
use crate::accept;

/// The longest message. The largest public rule sheets have less than a megabyte.
const MOST_BYTES: usize = 16 << 20;
/// How long a request may take to arrive, its head and then its body.
const READ_TIME: Duration = Duration::from_secs(10);
/// Connections that are served at the same time; others wait.
const MOST_CONNECTIONS: usize = 256;

/// Serves a player until the task is dropped.
pub async fn serve(listener: TcpListener, player: Arc<Player>) {
    let converse = |stream, peer| converse(stream, peer, Arc::clone(&player));
    accept::connections(listener, MOST_CONNECTIONS, converse).await;
}

async fn converse(stream: TcpStream, peer: SocketAddr, player: Arc<Player>) {
    // The host's clock runs since it has written its message, so ours runs since it has called.
    let received = Instant::now();
    let service = service_fn(|request: Request<Incoming>| {
        let player = Arc::clone(&player);
        async move { Ok::<_, Infallible>(respond(request, peer, received, &player).await) }
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
) -> Response<Body> {
    let message = match *request.method() {
        Method::POST => read_body(request).await,
        Method::GET => {
            Ok(message_of_path(request.uri().path_and_query().map_or("", |p| p.as_str())))
        }
        // Browsers ask first whether they may.
        _ => return response(StatusCode::OK, String::new()),
    };
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
    response(status, answer)
}

async fn read_body(request: Request<Incoming>) -> Result<String, (StatusCode, String)> {
    let body = to_bytes(Body::new(request.into_body()), MOST_BYTES);
    match timeout(READ_TIME, body).await {
        Ok(Ok(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(Err(error)) => {
            let problem = format!(
                "the message cannot be read, or is longer than {MOST_BYTES} bytes: {error}"
            );
            Err((StatusCode::PAYLOAD_TOO_LARGE, problem))
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

fn response(status: StatusCode, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = [
        (header::CONTENT_TYPE.as_str(), "text/acl"),
        ("access-control-allow-origin", "*"),
        ("access-control-allow-methods", "POST, GET, OPTIONS"),
        ("access-control-allow-headers", "Content-Type"),
        ("access-control-max-age", "86400"),
        (header::CONNECTION.as_str(), "close"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, header::HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_in_addresses_are_decoded() {
        assert_eq!(message_of_path("/%28PLAY%20m+nil%29"), "(PLAY m nil)");
        assert_eq!(message_of_path("/"), "(INFO)");
        assert_eq!(message_of_path("/%zz%2"), "%zz%2");
        assert_eq!(message_of_path("/(info)%"), "(info)%");
    }
}
