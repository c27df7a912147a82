//! What all servers share: the accept loop, which limits concurrent connections, and reading the body of a request
//! up to a length. When all places are taken a connection is closed that waits for nothing: the one that has been
//! silent for longest, or else that whose last answer is the oldest, or else the least active stream of events.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_stream::StreamExt;

/// Bytes of a too long body that are read and dropped before it is refused.
const MAX_DROPPED: usize = 64 << 20;

/// Is told what goes on in a connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spoken(Arc<Mutex<Activity>>);

#[derive(Clone, Copy, Debug, Default)]
struct Activity {
    stage: Stage,
    /// When something was said last.
    last: Option<Instant>,
}

/// How far a connection is, those first that are closed first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// It has not said what it wants.
    #[default]
    Silent,
    /// Its last request is answered.
    Answered,
    /// It is sent events for as long as it likes.
    Stream,
    /// It waits for an answer.
    Waits,
}

impl Spoken {
    /// The connection has said what it wants, or an event of its stream was sent.
    pub(crate) fn tell(&self) {
        let mut activity = self.activity();
        activity.last = Some(Instant::now());
        if activity.stage != Stage::Stream {
            activity.stage = Stage::Waits;
        }
    }

    /// The request has its answer, or an answer has begun that is a stream of events.
    pub(crate) fn answered(&self, is_stream: bool) {
        let stage = if is_stream { Stage::Stream } else { Stage::Answered };
        *self.activity() = Activity { stage, last: Some(Instant::now()) };
    }

    fn activity(&self) -> MutexGuard<'_, Activity> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves every connection, up to `max` at the same time, until the task is dropped. Where all of them wait for
/// an answer, others wait.
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
        let activities = served.iter().map(|(_, spoken)| *spoken.activity()).enumerate();
        let least = activities.min_by_key(|(_, activity)| (activity.stage, activity.last));
        match least.filter(|(_, activity)| activity.stage != Stage::Waits) {
            Some((least, _)) => {
                if let Some((connection, _)) = served.remove(least) {
                    connection.abort();
                }
            }
            None => sleep(Duration::from_millis(10)).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{ErrorKind, Read, Write};
    use std::net::TcpStream as Client;

    /// Connections say one letter: `s` opens a stream, `w` waits for an answer that never comes, `e` is an event of
    /// a stream, and any other one is answered. All get their letter back.
    async fn converse(stream: TcpStream, _: SocketAddr, spoken: Spoken) {
        let mut letter = [0];
        while stream.readable().await.is_ok() {
            match stream.try_read(&mut letter) {
                Ok(1) => spoken.tell(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
                _ => return,
            }
            match letter[0] {
                b's' => spoken.answered(true),
                b'w' | b'e' => {}
                _ => spoken.answered(false),
            }
            let _ = stream.try_write(&letter);
        }
    }

    /// A connection that has said something.
    fn connect(address: SocketAddr, letter: u8) -> Client {
        let mut client = Client::connect(address).unwrap();
        say(&mut client, letter);
        client
    }

    fn say(client: &mut Client, letter: u8) {
        client.write_all(&[letter]).unwrap();
        client.read_exact(&mut [0]).unwrap();
        // Times differ.
        std::thread::sleep(Duration::from_millis(2));
    }

    fn is_closed(client: &mut Client) -> bool {
        client.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let waits = [ErrorKind::WouldBlock, ErrorKind::TimedOut];
        !client.read(&mut [0]).is_err_and(|error| waits.contains(&error.kind()))
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_least_active_stream_makes_room() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(connections(listener, 4, converse));
        let mut waits = connect(address, b'w');
        let [mut first, mut second, mut third] = [(); 3].map(|()| connect(address, b's'));
        // The first one is sent an event, so the second is the least active.
        say(&mut first, b'e');
        let mut new = connect(address, b'x');
        assert!(is_closed(&mut second));
        // What is answered already goes before streams.
        let mut newer = connect(address, b'w');
        assert!(is_closed(&mut new));
        for client in [&mut waits, &mut first, &mut third, &mut newer] {
            assert!(!is_closed(client));
        }
        serving.abort();
    }
}
