//! Lines of bounded length in, lines out, and how many session updates wait to be read.
//!
//! Made by `serve` for each connection. A line that is too long is dropped while it is read and answered like one that is
//! no JSON. The queue of the connection has no limit of its own; whoever sends updates waits for [`Gauge::room`].

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use agent_client_protocol::Lines;
use futures_util::{Sink, Stream, sink, stream};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Notify;

/// The longest message that is read, in bytes: pictures come inline.
pub(crate) const LONGEST: usize = 32 << 20;

/// How many updates may wait to be written.
const MOST_QUEUED: usize = 256;

/// How a notification of a session update begins.
const UPDATE: &[u8] = br#""method":"session/update""#;

/// How far into a line its method is looked for.
const METHOD_WITHIN: usize = 64;

type Outgoing = Pin<Box<dyn Sink<String, Error = io::Error> + Send>>;
type Incoming = Pin<Box<dyn Stream<Item = io::Result<String>> + Send>>;

/// The transport of a connection over two byte streams.
pub(crate) fn lines(
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    gauge: Gauge,
) -> Lines<Outgoing, Incoming> {
    let incoming = stream::try_unfold(BufReader::new(reader), |mut reader| async move {
        Ok(next_line(&mut reader).await?.map(|line| (line, reader)))
    });
    let outgoing = sink::unfold(writer, move |mut writer, line: String| {
        let gauge = gauge.clone();
        async move {
            let mut bytes = line.into_bytes();
            bytes.push(b'\n');
            let written = match writer.write_all(&bytes).await {
                Ok(()) => writer.flush().await,
                Err(error) => Err(error),
            };
            if is_update(&bytes) {
                gauge.written();
            }
            if written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
                gauge.lose_reader();
            }
            written?;
            Ok(writer)
        }
    });
    Lines::new(Box::pin(outgoing), Box::pin(incoming))
}

fn is_update(line: &[u8]) -> bool {
    let head = line.get(..METHOD_WITHIN).unwrap_or(line);
    head.windows(UPDATE.len()).any(|window| window == UPDATE)
}

/// The next line that holds something; none at the end of the stream.
async fn next_line(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut length = 0_usize;
    loop {
        let block = reader.fill_buf().await?;
        if block.is_empty() {
            return Ok(text_of(line, length));
        }
        let end = block.iter().position(|byte| *byte == b'\n');
        let part = block.get(..end.unwrap_or(block.len())).unwrap_or_default();
        length = length.saturating_add(part.len());
        match length <= LONGEST {
            true => line.extend_from_slice(part),
            // It will not be read, so nothing of it is kept.
            false => line = Vec::new(),
        }
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            if let Some(text) = text_of(std::mem::take(&mut line), length) {
                return Ok(Some(text));
            }
            length = 0;
        }
    }
}

/// A line as text. What is no UTF-8 is no JSON either, so it may be replaced.
fn text_of(line: Vec<u8>, length: usize) -> Option<String> {
    if length > LONGEST {
        return Some(format!(
            "(a message of {length} bytes, which is more than the {LONGEST} that are read)"
        ));
    }
    let text = String::from_utf8(line)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    (!text.trim().is_empty()).then_some(text)
}

/// How many updates wait to be written. Cheap to clone; clones are the same gauge.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gauge(Arc<State>);

#[derive(Debug, Default)]
struct State {
    queued: AtomicUsize,
    is_over: AtomicBool,
    has_no_reader: AtomicBool,
    changed: Notify,
}

impl Gauge {
    /// Waits until another update may be sent. Once the connection ends there is always room: what is left to be told is
    /// no more than the rest of the turns that are being stopped.
    pub(crate) async fn room(&self) {
        loop {
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let is_full = self.0.queued.load(Ordering::Acquire) >= MOST_QUEUED;
            if !is_full || self.0.is_over.load(Ordering::Acquire) {
                return;
            }
            changed.await;
        }
    }

    /// Nobody will read what is written.
    fn lose_reader(&self) {
        self.0.has_no_reader.store(true, Ordering::Release);
    }

    /// Whether nobody will read what is written. An editor that has gone away is no failure.
    pub(crate) fn has_no_reader(&self) -> bool {
        self.0.has_no_reader.load(Ordering::Acquire)
    }

    /// An update was handed to the connection.
    pub(crate) fn queued(&self) {
        self.0.queued.fetch_add(1, Ordering::AcqRel);
    }

    fn written(&self) {
        let one_less = |queued: usize| Some(queued.saturating_sub(1));
        // The closure always gives a number.
        let _ = self.0.queued.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_less);
        self.0.changed.notify_waiters();
    }

    /// The connection ends.
    pub(crate) fn end(&self) {
        self.0.is_over.store(true, Ordering::Release);
        self.0.changed.notify_waiters();
    }
}
