//! Answers are compressed for those who can read it: pages, scripts and JSON become a third of their size.

use std::io::Write;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::api::ApiError;

/// Below this nothing is gained.
const MIN_BYTES: usize = 1_000;
/// Nothing that is served is larger.
const MAX_BYTES: usize = 256 << 20;
const KINDS: [&str; 5] =
    ["text/html", "text/css", "text/javascript", "application/json", "image/svg+xml"];

pub(super) async fn answers(request: Request, next: Next) -> Response {
    let is_read = accepts_gzip(request.headers());
    let response = next.run(request).await;
    if !is_read || !is_text(response.headers()) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let bytes = match to_bytes(body, MAX_BYTES).await {
        Ok(bytes) => bytes,
        Err(error) => return ApiError::failed(error).into_response(),
    };
    head.headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if bytes.len() < MIN_BYTES {
        return Response::from_parts(head, Body::from(bytes));
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let packed = encoder.write_all(&bytes).and_then(|()| encoder.finish());
    match packed {
        Ok(packed) => {
            head.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            head.headers.remove(CONTENT_LENGTH);
            Response::from_parts(head, Body::from(packed))
        }
        Err(_) => Response::from_parts(head, Body::from(bytes)),
    }
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accepted.unwrap_or_default().split(',').any(|kind| {
        let mut parts = kind.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        name.eq_ignore_ascii_case("gzip") && parts.next() != Some("q=0")
    })
}

/// Streams of events and pictures are sent as they are.
fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    !headers.contains_key(CONTENT_ENCODING) && KINDS.contains(&kind)
}
