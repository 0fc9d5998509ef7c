//! The connections of a gateway: a bounded number of them, each with a bounded time for the head of a request.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::super::shared::Shared;
use super::HttpOptions;
use super::door::Door;

/// The longest head of a request, in bytes.
const HEAD: usize = 64 << 10;

/// How long a connection may take to end once its streams are closed.
const FAREWELL: Duration = Duration::from_secs(1);

/// How long to wait when the system has no connection to give, such as for want of descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until the gateway has shut down. Whoever drops this ends every connection.
pub(in super::super) async fn serve(
    shared: &Arc<Shared>,
    listener: TcpListener,
    options: HttpOptions,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    tracing::info!(target: "toolgate", "the gateway listens on {address}");
    let door = Arc::new(Door::new(shared, options));
    let places = Arc::new(Semaphore::new(shared.limits.connections));
    let mut connections = JoinSet::new();
    connections.spawn(expire(Arc::clone(&door), Arc::clone(shared)));
    loop {
        let accepted = tokio::select! {
            () = shared.closing.cancelled() => break,
            accepted = accept(&listener, &places) => accepted,
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((stream, place)) => {
                connections.spawn(converse(Arc::clone(&door), Arc::clone(shared), stream, place));
            }
            Err(error) => {
                tracing::warn!(target: "toolgate", "no connection could be accepted: {error}");
                sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    shared.ended.cancelled().await;
    // Each connection has its own bound from here.
    while connections.join_next().await.is_some() {}
    Ok(())
}

/// The next connection, once there is a place for it.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, place))
}

async fn converse(door: Arc<Door>, shared: Arc<Shared>, stream: TcpStream, _place: OwnedSemaphorePermit) {
    // Events are small, and each is to arrive when it is sent.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let door = Arc::clone(&door);
        async move { Ok::<_, Infallible>(door.enter(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(shared.limits.request_time)
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shared.ended.cancelled() => {
            connection.as_mut().graceful_shutdown();
            timeout(FAREWELL, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(target: "toolgate", "a connection ended early: {error}");
    }
}

/// Closes sessions that nobody uses, until the gateway has shut down.
async fn expire(door: Arc<Door>, shared: Arc<Shared>) {
    let pause = (shared.limits.session_idle / 4).max(Duration::from_millis(10));
    loop {
        tokio::select! {
            () = shared.ended.cancelled() => return,
            () = sleep(pause) => door.expire().await,
        }
    }
}
