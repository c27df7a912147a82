//! Requests of teams: `GET /system/map/` and `GET /system/command/machine_1=..&machine_2=..&machine_3=..&token=..`.
//! One request per connection, as the contest's clients did it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};

use super::desk::Desk;
use crate::accept::{self, Spoken};

/// How long the head of a request may take to arrive.
const READ_TIME: Duration = Duration::from_secs(5);
/// Connections that are served at the same time; of more the one that is silent for longest is closed.
const MAX_CONNECTIONS: usize = 128;

/// Serves teams until the task is dropped.
pub async fn serve(listener: TcpListener, desk: Arc<Desk>) {
    let converse = |stream, _, spoken| converse(stream, Arc::clone(&desk), spoken);
    accept::connections(listener, MAX_CONNECTIONS, converse).await;
}

async fn converse(stream: TcpStream, desk: Arc<Desk>, spoken: Spoken) {
    let service = service_fn(|request: Request<Incoming>| {
        let (desk, spoken) = (Arc::clone(&desk), spoken.clone());
        async move {
            spoken.tell();
            Ok::<_, Infallible>(respond(&request, &desk))
        }
    });
    // What a broken connection wanted is lost with it, and nothing else is.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(READ_TIME)
        .keep_alive(false)
        .half_close(true)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

fn respond(request: &Request<Incoming>, desk: &Desk) -> Response<Body> {
    if request.method() != Method::GET {
        let problem = "only GET is known here\n".to_owned();
        return response(StatusCode::METHOD_NOT_ALLOWED, "text/plain; charset=utf-8", problem);
    }
    let path = request.uri().path();
    let query = request.uri().query().unwrap_or_default();
    let (status, text) = match path.strip_prefix("/system/") {
        Some("map" | "map/") => (StatusCode::OK, desk.map(query)),
        // The contest's clients wrote the fields into the path.
        Some(rest) if rest.starts_with("command") => {
            let fields = rest["command".len()..].trim_start_matches('/');
            let fields = if fields.is_empty() { query } else { fields };
            match desk.command(fields) {
                Ok(answer) => (StatusCode::OK, answer),
                Err(refused) => (StatusCode::BAD_REQUEST, format!("{refused}\n")),
            }
        }
        _ => {
            let known =
                "/system/map/ and /system/command/machine_1=..&machine_2=..&machine_3=..&token=..";
            (StatusCode::NOT_FOUND, format!("{path} is not known; known are {known}\n"))
        }
    };
    let kind = match status {
        StatusCode::OK => "application/xml; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    };
    response(status, kind, text)
}

fn response(status: StatusCode, kind: &'static str, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
