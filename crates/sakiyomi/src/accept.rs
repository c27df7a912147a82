//! What both servers share, the page's and the player's: the accept loop, which limits concurrent connections
//! (when all places are taken, the connection that has been silent for longest is closed), and reading the body
//! of a request up to a length.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_stream::StreamExt;

/// Bytes of a too long body that are read and dropped before it is refused.
const MAX_DROPPED: usize = 64 << 20;

/// Is told when a connection has said what it wants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spoken(Arc<AtomicBool>);

impl Spoken {
    pub(crate) fn tell(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_told(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Serves every connection, up to `max` at the same time, until the task is dropped. Where all of them have
/// said what they want, others wait.
pub(crate) async fn connections<S: Future<Output = ()> + Send + 'static>(
    listener: TcpListener,
    max: usize,
    serve: impl Fn(TcpStream, SocketAddr, Spoken) -> S,
) {
    // Oldest first.
    let mut served: VecDeque<(JoinHandle<()>, Spoken)> = VecDeque::new();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                make_room(&mut served, max).await;
                // Answers are small and waited for.
                let _ = stream.set_nodelay(true);
                let spoken = Spoken::default();
                let connection = tokio::spawn(serve(stream, peer, spoken.clone()));
                served.push_back((connection, spoken));
            }
            // The system is short of something, such as open files; it passes.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Why the body of a request was not read.
#[derive(Debug)]
pub(crate) enum Unread {
    TooLong,
    Broken(axum::Error),
}

/// The body of a request of up to `max` bytes. The rest of a longer one is read and dropped: a client that is
/// still sending when the connection is closed does not see the answer.
pub(crate) async fn read_body(body: Body, max: usize) -> Result<Vec<u8>, Unread> {
    let mut parts = body.into_data_stream();
    let mut bytes = Vec::new();
    let mut length = 0;
    while let Some(part) = parts.next().await {
        let part = part.map_err(Unread::Broken)?;
        length += part.len();
        if length <= max {
            bytes.extend_from_slice(&part);
        } else if length > max + MAX_DROPPED {
            break;
        }
    }
    if length <= max { Ok(bytes) } else { Err(Unread::TooLong) }
}

/// Waits until fewer than `max` connections are served.
async fn make_room(served: &mut VecDeque<(JoinHandle<()>, Spoken)>, max: usize) {
    loop {
        if served.len() < max {
            return;
        }
        served.retain(|(connection, _)| !connection.is_finished());
        if served.len() < max {
            return;
        }
        match served.iter().position(|(_, spoken)| !spoken.is_told()) {
            Some(silent) => {
                if let Some((connection, _)) = served.remove(silent) {
                    connection.abort();
                }
            }
            None => sleep(Duration::from_millis(10)).await,
        }
    }
}
