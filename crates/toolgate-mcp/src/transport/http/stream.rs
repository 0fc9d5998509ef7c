//! An event stream of a server, judged event by event.
//!
//! Made by `client` for every stream that is opened. `rmcp` parses what is left, and takes the stream up again where the
//! server allows it.

use std::collections::VecDeque;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;

use super::events::{Data, Event, Events};
use super::request::Refuser;
use crate::frame::{Frames, Verdict};

/// The events of a response, as `rmcp` may have them.
pub(super) fn judged(
    response: reqwest::Response,
    frames: Frames,
    refuser: Refuser,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let events = Events::new(frames.limits.max_bytes);
    let bytes = response.bytes_stream().boxed();
    let judging = Judging { bytes: Some(bytes), events, ready: VecDeque::new(), frames, refuser };
    stream::unfold(judging, |mut judging| async move { judging.next().await.map(|event| (event, judging)) })
        .boxed()
}

struct Judging<B> {
    bytes: Option<B>,
    events: Events,
    ready: VecDeque<Sse>,
    frames: Frames,
    refuser: Refuser,
}

impl<B, Bytes> Judging<B>
where
    B: stream::Stream<Item = reqwest::Result<Bytes>> + Unpin,
    Bytes: AsRef<[u8]>,
{
    async fn next(&mut self) -> Option<Result<Sse, SseError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            if let Some(event) = self.events.next() {
                self.take(event).await;
                continue;
            }
            match self.bytes.as_mut()?.next().await {
                Some(Ok(bytes)) => self.events.push(bytes.as_ref()),
                Some(Err(error)) => {
                    self.bytes = None;
                    return Some(Err(SseError::Body(error.without_url().into())));
                }
                None => self.bytes = None,
            }
        }
    }

    /// What is left of an event keeps its id, so that the stream can be taken up again behind it.
    async fn take(&mut self, event: Event) {
        let Event { event, id, retry, data } = event;
        let (verdict, text) = match data {
            Data::None => (Verdict::Nothing, Vec::new()),
            Data::Whole(text) if text.trim_ascii().is_empty() => (Verdict::Nothing, text),
            Data::Whole(text) => (self.frames.judge(&text), text),
            Data::TooLong(skimmed) => (self.frames.too_long(skimmed), Vec::new()),
        };
        let data = match verdict {
            Verdict::Sent(_) => String::from_utf8(text).ok(),
            Verdict::Mended(message) => Some(message.to_text()),
            Verdict::Refused(answer) => {
                refuse(&self.refuser, &answer).await;
                None
            }
            Verdict::Nothing => None,
        };
        self.ready.push_back(Sse { event, data, id, retry });
    }
}

async fn refuse(refuser: &Refuser, answer: &ClientJsonRpcMessage) {
    if let Err(error) = refuser.post(answer).await {
        tracing::debug!("a refusal did not reach the server: {error}");
    }
}
