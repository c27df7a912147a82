//! The page, which is part of the program if it was built before the program was.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{Html, IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use super::api::{ApiError, ErrorCode};

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/page"]
#[allow_missing = true]
struct Files;

/// What is shown where the page should be.
const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Sakiyomi</title>\
    <h1>The page is not part of this program</h1>\
    <p>It is made with <a href=\"https://nodejs.org\">Node.js</a> (20 or newer) before the program is: \
    install it and type <code>make run</code>. The command line and the addresses under <code>/api</code> \
    work without it.</p></html>";

pub(super) async fn file(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    if path.starts_with("api/") {
        let message =
            format!("there is nothing at /{path}; docs/reference/api.md says what there is");
        return ApiError::new(ErrorCode::NotFound, message).into_response();
    }
    let name = if path.is_empty() { "index.html" } else { path };
    match Files::get(name) {
        Some(found) => answer(name, &found, &headers),
        None if name == "index.html" => Html(NOT_BUILT).into_response(),
        None => (StatusCode::NOT_FOUND, format!("there is no page /{path}\n")).into_response(),
    }
}

/// Files whose names carry a mark of their content never change; the others are asked for again.
fn answer(name: &str, found: &EmbeddedFile, headers: &HeaderMap) -> Response {
    let hash = found.metadata.sha256_hash();
    let etag: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let etag = format!("\"{etag}\"");
    if headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == etag.as_bytes()) {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    let cache = match name.starts_with("assets/") {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    };
    let kind = found.metadata.mimetype().to_owned();
    let headers = [(CONTENT_TYPE, kind), (ETAG, etag), (CACHE_CONTROL, cache.to_owned())];
    (headers, found.data.to_vec()).into_response()
}
