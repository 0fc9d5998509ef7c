//! [`LineTransport`]: a client at the other end of a pair of byte streams, which talks in lines.

use std::io;

use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::ingress::{self, Verdict};
use crate::frame::{Line, Lines};
use crate::transport::{Answers, Writer};

/// How much is read at once.
const BLOCK: usize = 64 << 10;

/// A client on a pair of byte streams.
pub(super) struct LineTransport<R> {
    read: R,
    lines: Lines,
    most: usize,
    block: Vec<u8>,
    has_ended: bool,
    writer: Option<Writer>,
    answers: Answers,
    /// Fires when the client does not read any more.
    broken: CancellationToken,
}

impl<R: AsyncRead + Unpin + Send> LineTransport<R> {
    /// The transport. `broken` fires when the client is found not to read any more.
    pub(super) fn new(
        read: R,
        write: impl AsyncWrite + Unpin + Send + 'static,
        most: usize,
        tasks: &TaskTracker,
        broken: CancellationToken,
    ) -> Self {
        let (writer, writing) = Writer::new(write);
        tasks.spawn(writing);
        Self {
            read,
            lines: Lines::new(most),
            most,
            block: vec![0; BLOCK],
            has_ended: false,
            writer: Some(writer),
            answers: Answers::new(),
            broken,
        }
    }

    /// The next message that `rmcp` gets, of the lines that are there.
    fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        while let Some(line) = self.lines.next() {
            let verdict = match line {
                Line::Whole(line) => ingress::judge(&line),
                Line::TooLong(skimmed) => ingress::too_long(skimmed, self.most),
            };
            let refused = match verdict {
                Verdict::Taken(taken) => match taken.into_rmcp() {
                    Ok(message) => return Some(message),
                    Err(refused) => refused,
                },
                Verdict::Refused(refused) => refused,
                Verdict::Nothing => continue,
            };
            if let (Some(writer), Ok(line)) = (&self.writer, line_of(&refused)) {
                writer.write_later(line);
            }
        }
        None
    }
}

fn line_of(message: &ServerJsonRpcMessage) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for LineTransport<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let (writer, answers) = (self.writer.clone(), self.answers.clone());
        let broken = self.broken.clone();
        let is_answer = matches!(message, ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_));
        async move {
            let writer = writer.ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe))?;
            let line = line_of(&message)?;
            let written = answers.send(is_answer, writer.write(line)).await;
            if written.is_err() {
                broken.cancel();
            }
            written
        }
    }

    // Whoever waits here may stop waiting at any time: what was read is in `lines`, and refusals are sent by the task.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // A client that asks and does not read its answers is not listened to until it does.
            if !self.has_ended {
                self.answers.room().await;
            }
            if let Some(message) = self.next() {
                return Some(message);
            }
            if self.has_ended {
                return None;
            }
            match self.read.read(&mut self.block).await {
                Ok(0) | Err(_) => {
                    self.has_ended = true;
                    self.lines.end();
                }
                Ok(count) => self.lines.push(self.block.get(..count).unwrap_or_default()),
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.writer = None;
        Ok(())
    }
}
