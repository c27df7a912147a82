//! Who may ask: this machine's own pages, and those who have the token.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use super::api::{ApiError, ErrorCode};
use super::lab::Shared;

const COOKIE: &str = "sakiyomi_token";

/// Lets in who has the token, and on loopback only who asks for loopback: a page from elsewhere that
/// points its own name at this machine is turned away.
pub(super) async fn admit(State(lab): State<Shared>, request: Request, next: Next) -> Response {
    let refused = |message: &str| ApiError::new(ErrorCode::Refused, message).into_response();
    let headers = request.headers();
    if lab.settings.listen.ip().is_loopback() && !host(headers).is_some_and(is_loopback_name) {
        return refused("this address is served to this machine only");
    }
    if request.method() == Method::POST && !is_same_origin(headers) {
        return refused("the request comes from the page of another address");
    }
    if let Some(token) = &lab.settings.token {
        let by_address = query_token(request.uri().query()).is_some_and(|given| same(given, token));
        if by_address && request.method() == Method::GET && request.uri().path() == "/" {
            return with_cookie(token);
        }
        if !by_address && !has_token(headers, token) {
            let message = "open the address that the server has printed: it has the token";
            return ApiError::new(ErrorCode::Unauthorized, message).into_response();
        }
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

const POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
                      frame-ancestors 'self'; base-uri 'none'; form-action 'self'";

fn host(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST)?.to_str().ok()
}

/// Whether a host, perhaps with a port, is a name of this machine.
fn is_loopback_name(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || bare.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

fn is_same_origin(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let origin = origin.to_str().unwrap_or_default();
    let named = origin.split_once("://").map(|(_, host)| host);
    named.is_some() && named == host(headers)
}

fn query_token(query: Option<&str>) -> Option<&str> {
    query?.split('&').find_map(|part| part.strip_prefix("token="))
}

fn has_token(headers: &HeaderMap, token: &str) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let bearer = text(header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    let mut cookies = text(header::COOKIE).unwrap_or_default().split("; ");
    let cookie = cookies.find_map(|cookie| cookie.strip_prefix(COOKIE)?.strip_prefix('='));
    bearer.into_iter().chain(cookie).any(|given| same(given, token))
}

/// Compares in a time that does not tell how much is right.
fn same(given: &str, token: &str) -> bool {
    given.len() == token.len()
        && given.bytes().zip(token.bytes()).fold(0, |wrong, (a, b)| wrong | (a ^ b)) == 0
}

/// Keeps the token in the browser and takes it out of the address.
fn with_cookie(token: &str) -> Response {
    let cookie = format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict");
    let mut response = Redirect::to("/").into_response();
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_machine() {
        for host in ["localhost", "localhost:80", "127.0.0.1:8080", "[::1]:80", "127.9.9.9"] {
            assert!(is_loopback_name(host), "{host}");
        }
        for host in ["example.org", "localhost.example.org:80", "192.168.0.1:80", "", "127.0.0.1.x"]
        {
            assert!(!is_loopback_name(host), "{host}");
        }
    }
}
