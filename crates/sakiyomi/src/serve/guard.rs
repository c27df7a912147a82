//! Who may ask, and for what.

use std::net::IpAddr;
use std::sync::OnceLock;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use sakiyomi_catalog::{AgentSpec, GameSpec, GdlSpec, Named, Record, RuleSheet, kept_rules};
use sakiyomi_core::Budget;

use super::api::{ApiError, ErrorCode, MatchRecord};
use super::{LIMITS, Shared};

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
        let by_address = query_token(request.uri().query()) == Some(token.as_str());
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

/// Reads a game. A page may not name files of the server, nor ask for more than is usual to make it.
pub(super) fn game(text: &str) -> Result<GameSpec, ApiError> {
    let mut game: GameSpec = text.parse()?;
    if game.file().is_some() {
        let message =
            format!("`{text}`: files of the server are not for the page; hand over the text");
        return Err(ApiError::new(ErrorCode::Refused, message));
    }
    if let GameSpec::Gdl(Named { settings: spec, .. }) = &mut game {
        if let RuleSheet::Kept(name) = &spec.sheet
            && kept_rules(name).is_none()
        {
            let message = format!("the rules `{name}` are not here; hand over their text again");
            return Err(ApiError::new(ErrorCode::UnknownRules, message));
        }
        let usual = GdlSpec::new(spec.sheet.clone());
        spec.time = spec.time.min(usual.time);
        spec.memory = spec.memory.min(usual.memory);
    }
    Ok(game)
}

pub(super) fn record(record: &MatchRecord) -> Result<Record, ApiError> {
    let MatchRecord { game: name, seed, moves } = record;
    Ok(Record { game: game(name)?, seed: *seed, moves: moves.clone() })
}

/// Reads an agent that thinks for a page, and keeps it within the limits.
pub(super) fn agent(text: &str) -> Result<AgentSpec, ApiError> {
    let mut agent = player(text)?;
    if let AgentSpec::Exact(Named { settings, .. }) = &mut agent {
        settings.memory = settings.memory.min(LIMITS.memory_bytes);
    }
    if let Some(budget) = agent.budget_mut() {
        let limit = Duration::from_secs_f64(LIMITS.seconds);
        budget.wall = Some(budget.wall.map_or(limit, |wall| wall.min(limit)));
        budget.memory = budget.memory.min(LIMITS.memory_bytes);
    }
    if let AgentSpec::Exact(Named { settings, .. }) = &mut agent {
        settings.memory = settings.memory.min(LIMITS.memory_bytes);
    }
    Ok(agent)
}

/// Whether an agent asks for more time than it gets.
pub(super) fn is_cut_short(text: &str) -> bool {
    let limit = Duration::from_secs_f64(LIMITS.seconds);
    let agent: Option<AgentSpec> = text.parse().ok();
    agent.is_some_and(|mut agent| {
        agent.budget_mut().is_some_and(|budget| budget.wall.is_some_and(|wall| wall > limit))
    })
}

/// What an agent that thinks for a page may hold.
pub(super) fn memory(agent: &AgentSpec) -> u64 {
    match agent {
        AgentSpec::Exact(Named { settings, .. }) => settings.memory,
        _ => agent.clone().budget_mut().map_or(SMALL_MEMORY, |budget| budget.memory),
    }
}

/// For agents without a tree.
const SMALL_MEMORY: u64 = 1 << 20;

/// Reads an agent that plays in a job. Its results are found by its name, so only what is beyond the
/// usual is cut. A page may not start programs or name files.
pub(super) fn player(text: &str) -> Result<AgentSpec, ApiError> {
    let mut agent: AgentSpec = text.parse().map_err(|error| ApiError::agent(&error))?;
    if agent.uses_machine() && !is_offered(&agent) {
        let message = format!(
            "`{text}`: programs and files of the server are not for the page; a network is, if it is \
             offered with `sakiyomi serve --network FILE`"
        );
        return Err(ApiError::new(ErrorCode::Refused, message));
    }
    match &mut agent {
        AgentSpec::Exact(Named { settings, .. }) => {
            settings.memory = settings.memory.min(Budget::DEFAULT_MEMORY);
        }
        AgentSpec::Tree(Named { settings, .. }) => {
            settings.trees = settings.trees.min(MAX_TREES);
        }
        _ => {}
    }
    if let Some(budget) = agent.budget_mut() {
        budget.memory = budget.memory.min(Budget::DEFAULT_MEMORY);
    }
    Ok(agent)
}

/// Files of networks that a page may name.
static NETWORKS: OnceLock<Vec<String>> = OnceLock::new();

/// Lets pages play with these networks. It is said once, before the server starts.
pub fn offer_networks(files: Vec<String>) {
    // What was offered first stays.
    let _ = NETWORKS.set(files);
}

/// The agents of the networks that are offered, whatever game they fit.
pub(super) fn offered_agents() -> Vec<String> {
    offered().iter().map(|file| format!("net:file={file}")).collect()
}

fn offered() -> &'static [String] {
    NETWORKS.get().map_or(&[][..], Vec::as_slice)
}

fn is_offered(agent: &AgentSpec) -> bool {
    let AgentSpec::Puct(Named { settings, .. }) = agent else { return false };
    settings.file.as_ref().is_some_and(|file| offered().contains(file))
}

/// Trees, and so threads, of one search.
const MAX_TREES: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_may_name_networks_that_are_offered() {
        offer_networks(vec!["nets/four.onnx".to_owned()]);
        assert_eq!(offered_agents(), ["net:file=nets/four.onnx"]);
        assert!(player("net:file=nets/four.onnx,iterations=100").is_ok());
        for text in ["net:file=nets/other.onnx", "exec:./bot.py", "exact:file=a.solution"] {
            assert!(player(text).is_err(), "{text}");
        }
    }

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

    #[test]
    fn programs_and_files_are_refused() {
        for text in ["exec:./bot.py", "exact:file=x.solution"] {
            assert_eq!(agent(text).unwrap_err().code, ErrorCode::Refused, "{text}");
        }
        for text in ["gdl:../../etc/passwd.kif", "gdl:file=x", "sangoku:file=x.toml"] {
            assert_eq!(game(text).unwrap_err().code, ErrorCode::Refused, "{text}");
        }
        assert_eq!(game("gdl:rules=r1").unwrap_err().code, ErrorCode::UnknownRules);
        assert_eq!(game("chess").unwrap_err().code, ErrorCode::UnknownGame);
        assert_eq!(agent("alphazero").unwrap_err().code, ErrorCode::UnknownAgent);
    }

    #[test]
    fn agents_stay_within_the_limits() {
        assert_eq!(player("uct:iterations=5").unwrap().to_string(), "uct:iterations=5");
        let mut agent = agent("uct:time=1000s,memory=100GiB,trees=200").unwrap();
        assert_eq!(agent.tree_search().unwrap().trees, MAX_TREES);
        let budget = agent.budget_mut().unwrap();
        assert_eq!(budget.wall, Some(Duration::from_secs(60)));
        assert_eq!(budget.memory, LIMITS.memory_bytes);
    }
}
