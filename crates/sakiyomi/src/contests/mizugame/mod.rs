//! A server of Mizugame with the shape of the contest's: teams ask for the field and give orders over
//! HTTP while sessions go by in real time.
//!
//! ```text
//! http (requests) -> desk (what is published, what was ordered) <- host (a thread with the clock and the match)
//! ```

mod desk;
mod host;
mod http;

pub use desk::Desk;
pub use host::{HostReport, HostSettings, TeamReport, host, sleep_until};
pub use http::serve;
