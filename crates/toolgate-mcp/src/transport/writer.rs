//! The task that writes to a server's standard input, whole lines one after the other.
//!
//! Used by `stdio`. A message that was given to the task is written whole even where its sender is dropped, because half of
//! a line would spoil the next one. A server that does not read holds up those who send, and nobody else.

use std::io;

use tokio::io::AsyncWriteExt as _;
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, oneshot};

/// How many messages may wait to be written.
const WAITING: usize = 32;

/// A line, and whom to tell when it has been written.
#[derive(Debug)]
pub(super) struct Outgoing {
    line: Vec<u8>,
    written: Option<oneshot::Sender<io::Result<()>>>,
}

/// The way to the task. When the last one is dropped, the task ends and closes the pipe.
#[derive(Clone, Debug)]
pub(super) struct Writer(mpsc::Sender<Outgoing>);

impl Writer {
    /// The writer, and what its task is to run.
    pub(super) fn new(pipe: pipe::Sender) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (Self(sender), write(pipe, receiver))
    }

    /// Writes a line, and returns when all of it is in the pipe.
    pub(super) async fn write(self, line: Vec<u8>) -> io::Result<()> {
        let (written, is_written) = oneshot::channel();
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.send(Outgoing { line, written: Some(written) }).await.map_err(|_| closed())?;
        is_written.await.map_err(|_| closed())?
    }

    /// Writes a line some time, unless the server is far behind in its reading.
    pub(super) fn write_later(&self, line: Vec<u8>) {
        let _ = self.0.try_send(Outgoing { line, written: None });
    }
}

async fn write(mut pipe: pipe::Sender, mut outgoing: mpsc::Receiver<Outgoing>) {
    while let Some(Outgoing { line, written }) = outgoing.recv().await {
        let result = pipe.write_all(&line).await;
        let is_broken = result.is_err();
        if let Some(written) = written {
            let _ = written.send(result);
        }
        if is_broken {
            return;
        }
    }
}
