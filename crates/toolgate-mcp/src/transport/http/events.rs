//! [`Events`]: a stream of server-sent events, cut from bytes as they come in, each of a bounded size.
//!
//! Called by `stream`. Of an event that is too large nothing is kept but what its id and its message's id are.

use crate::frame::{Line, Lines, Skim, Skimmed};

/// One event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) event: Option<String>,
    pub(super) id: Option<String>,
    pub(super) retry: Option<u64>,
    pub(super) data: Data,
}

/// What an event carries.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Data {
    #[default]
    None,
    Whole(Vec<u8>),
    TooLong(Skimmed),
}

/// Cuts events.
#[derive(Debug)]
pub(super) struct Events {
    most: usize,
    lines: Lines,
    open: Event,
    is_begun: bool,
    is_first: bool,
}

impl Events {
    /// Events whose data have at most so many bytes.
    pub(super) fn new(most: usize) -> Self {
        // The name of the field stands before the data.
        let lines = Lines::new(most.saturating_add(16));
        Self { most, lines, open: Event::default(), is_begun: false, is_first: true }
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// The next event that is complete. One that is cut off by the end of the stream never is.
    pub(super) fn next(&mut self) -> Option<Event> {
        loop {
            match self.lines.next()? {
                Line::Whole(line) => {
                    let line = match std::mem::take(&mut self.is_first) {
                        true => line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line),
                        false => &line,
                    };
                    if line.is_empty() {
                        if std::mem::take(&mut self.is_begun) {
                            return Some(std::mem::take(&mut self.open));
                        }
                    } else {
                        self.field(line);
                    }
                }
                Line::TooLong(skimmed) => {
                    self.is_first = false;
                    self.is_begun = true;
                    self.open.data = Data::TooLong(skimmed);
                }
            }
        }
    }

    fn field(&mut self, line: &[u8]) {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => self.data(value),
            b"event" => self.open.event = text(value),
            b"id" if !value.contains(&0) => self.open.id = text(value),
            b"retry" => self.open.retry = text(value).and_then(|value| value.parse().ok()),
            // Comments keep a connection alive.
            _ => return,
        }
        self.is_begun = true;
    }

    fn data(&mut self, more: &[u8]) {
        match &mut self.open.data {
            data @ Data::None if more.len() <= self.most => *data = Data::Whole(more.to_vec()),
            Data::Whole(whole) if whole.len() + 1 + more.len() <= self.most => {
                whole.push(b'\n');
                whole.extend_from_slice(more);
            }
            data @ (Data::None | Data::Whole(_) | Data::TooLong(_)) => {
                let mut skim = Skim::default();
                if let Data::Whole(whole) = data {
                    skim.feed(whole);
                }
                skim.feed(more);
                if !matches!(data, Data::TooLong(_)) {
                    *data = Data::TooLong(skim.finish());
                }
            }
        }
    }
}

fn text(value: &[u8]) -> Option<String> {
    std::str::from_utf8(value).ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(most: usize, text: &[u8], size: usize) -> Vec<Event> {
        let mut events = Events::new(most);
        let mut cut = Vec::new();
        for piece in text.chunks(size) {
            events.push(piece);
            cut.extend(std::iter::from_fn(|| events.next()));
        }
        cut
    }

    #[test]
    fn events_are_the_same_however_the_bytes_come() {
        let text = "\u{feff}: hello\n\nid: 1\nretry: 30\ndata:\n\nevent: message\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\ndata: cut";
        for size in 1..=text.len() {
            let events = cut(64, text.as_bytes(), size);
            assert_eq!(events.len(), 2, "pieces of {size}: {events:?}");
            assert_eq!(events[0].id.as_deref(), Some("1"));
            assert_eq!((events[0].retry, &events[0].data), (Some(30), &Data::Whole(Vec::new())));
            assert_eq!(events[1].event.as_deref(), Some("message"));
            assert_eq!(events[1].data, Data::Whole(b"{\"a\":\n1}".to_vec()));
        }
    }

    #[test]
    fn of_an_event_that_is_too_large_the_ids_are_kept() {
        let long = "x".repeat(60);
        let one = format!("id: 7\ndata: {{\"result\":\"{long}{long}\",\"id\":5}}\n\ndata: {{}}\n\n");
        let two = format!("id: 7\ndata: {{\"id\":5,\"result\":\ndata: \"{long}\"}}\n\ndata: {{}}\n\n");
        for text in [one, two] {
            for size in [1, 10, 1_000] {
                let events = cut(64, text.as_bytes(), size);
                assert_eq!(events.len(), 2);
                let Data::TooLong(skimmed) = &events[0].data else { panic!("{:?}", events[0]) };
                assert_eq!(skimmed.id, Some(rmcp::model::RequestId::Number(5)));
                assert_eq!(events[0].id.as_deref(), Some("7"));
                assert_eq!(events[1].data, Data::Whole(b"{}".to_vec()));
            }
        }
    }
}
