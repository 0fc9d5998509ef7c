//! The task that writes to the other side of a pipe, whole lines one after the other.
//!
//! Used on both sides: by `stdio`, and by the gateway. A message that was given to the task is written whole even where
//! its sender is dropped, because half of a line would spoil the next one. Who does not read holds up those who send, and
//! nobody else.

use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot};

/// How many messages may wait to be written.
const WAITING: usize = 32;

/// A line, and whom to tell when it has been written.
#[derive(Debug)]
pub(crate) struct Outgoing {
    line: Vec<u8>,
    written: Option<oneshot::Sender<io::Result<()>>>,
}

/// The way to the task. When the last one is dropped, the task ends and closes the pipe.
#[derive(Clone, Debug)]
pub(crate) struct Writer(mpsc::Sender<Outgoing>);

impl Writer {
    /// The writer, and what its task is to run.
    pub(crate) fn new(
        pipe: impl AsyncWrite + Unpin + Send + 'static,
    ) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (Self(sender), write(pipe, receiver))
    }

    /// Writes a line, and returns when all of it is in the pipe.
    pub(crate) async fn write(self, line: Vec<u8>) -> io::Result<()> {
        let (written, is_written) = oneshot::channel();
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.send(Outgoing { line, written: Some(written) }).await.map_err(|_| closed())?;
        is_written.await.map_err(|_| closed())?
    }

    /// Writes a line some time, unless the other side is far behind in its reading.
    pub(crate) fn write_later(&self, line: Vec<u8>) {
        let _ = self.0.try_send(Outgoing { line, written: None });
    }
}

async fn write(mut pipe: impl AsyncWrite + Unpin, mut outgoing: mpsc::Receiver<Outgoing>) {
    while let Some(Outgoing { line, written }) = outgoing.recv().await {
        let result = match pipe.write_all(&line).await {
            Ok(()) => pipe.flush().await,
            Err(error) => Err(error),
        };
        let is_broken = result.is_err();
        if let Some(written) = written {
            let _ = written.send(result);
        }
        if is_broken {
            return;
        }
    }
}
