//! The accept loop of both servers, the page's and the player's. It limits concurrent connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::sleep;

/// Serves every connection, up to `max` at the same time while others wait, until the task is dropped.
pub(crate) async fn connections<S: Future<Output = ()> + Send + 'static>(
    listener: TcpListener,
    max: usize,
    serve: impl Fn(TcpStream, SocketAddr) -> S,
) {
    let places = Arc::new(Semaphore::new(max));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Answers are small and waited for.
                let _ = stream.set_nodelay(true);
                let connection = serve(stream, peer);
                tokio::spawn(async move {
                    connection.await;
                    drop(place);
                });
            }
            // The system is short of something, such as open files; it passes.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}
