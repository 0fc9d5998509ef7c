//! Server-sent events, made of bytes that may be cut anywhere: in a line, in an event, in a character.

use crate::model::ModelError;

/// How long one event may be.
const MOST_EVENT: usize = 16 << 20;

/// One event: its name, where it has one, and its data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) data: String,
}

/// What was read of a stream of events.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// The bytes of a line that has no end yet.
    line: Vec<u8>,
    /// Whether the last line ended with a carriage return, so that a newline behind it ends nothing.
    after_return: bool,
    /// The event whose lines are being read, once it has one.
    open: Option<Event>,
}

impl Events {
    /// Takes in bytes, and gives the events that end in them.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<Vec<Event>, ModelError> {
        let mut events = Vec::new();
        for byte in bytes {
            match byte {
                b'\n' if std::mem::take(&mut self.after_return) => {}
                b'\n' | b'\r' => {
                    self.after_return = *byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    events.extend(self.end_line(&line)?);
                }
                byte => {
                    self.after_return = false;
                    self.line.push(*byte);
                }
            }
            if self.line.len() > MOST_EVENT {
                return Err(ModelError::TooLarge { limit: MOST_EVENT });
            }
        }
        Ok(events)
    }

    fn end_line(&mut self, line: &[u8]) -> Result<Option<Event>, ModelError> {
        if line.is_empty() {
            return Ok(self.open.take());
        }
        let line = std::str::from_utf8(line)
            .map_err(|error| ModelError::Malformed { why: format!("an event is not UTF-8: {error}") })?;
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                let event = self.open.get_or_insert_default();
                if !event.data.is_empty() {
                    event.data.push('\n');
                }
                event.data.push_str(value);
                if event.data.len() > MOST_EVENT {
                    return Err(ModelError::TooLarge { limit: MOST_EVENT });
                }
            }
            "event" => self.open.get_or_insert_default().name = value.to_owned(),
            // Comments keep a connection alive; ids and times to reconnect are not used.
            _ => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_the_same_wherever_the_bytes_are_cut() {
        let text = "\u{feff}: hello\r\nevent: a\r\ndata: {\"x\":\r\ndata:\"grün 😀\"}\r\n\r\n: ping\n\nid: 7\ndata: [DONE]\n\n\ndata: open";
        let text = text.trim_start_matches('\u{feff}');
        let expected = vec![
            Event { name: "a".to_owned(), data: "{\"x\":\n\"grün 😀\"}".to_owned() },
            Event { name: String::new(), data: "[DONE]".to_owned() },
        ];
        for size in 1..text.len() {
            let mut events = Events::default();
            let read: Vec<Event> =
                text.as_bytes().chunks(size).flat_map(|bytes| events.read(bytes).unwrap()).collect();
            assert_eq!(read, expected, "in pieces of {size}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        assert!(matches!(Events::default().read(b"data: \xff\n"), Err(ModelError::Malformed { .. })));
    }
}
