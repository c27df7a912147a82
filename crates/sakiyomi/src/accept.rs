//! The accept loop of both servers, the page's and the player's. It limits concurrent connections: when all
//! places are taken, the connection that has been silent for longest is closed.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::sleep;

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
