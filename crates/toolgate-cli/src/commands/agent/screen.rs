//! [`Screen`]: what is shown of a turn while it runs, to a person or to a program.
//!
//! Pieces of answers come from the agent as they come from the model. Everything else is read from the log once it is
//! there, so nothing is shown that is not kept, and nothing that is kept is left out, however slow the reader is.

use std::io::{self, Write as _};

use tokio::sync::broadcast::error::RecvError;
use toolgate::ToolDefinition;
use toolgate_agent::{Delta, Live};
use toolgate_session::{Backend, Entries, Entry, Record, SessionId};

use crate::output::{Page, until_closed};
use crate::sessions::Transcript;

/// Shows one turn.
pub(super) struct Screen<'a, D> {
    entries: Entries<'a>,
    id: SessionId,
    form: Form<D>,
}

enum Form<D> {
    /// Text on standard output, cards on standard error.
    Cards(Box<Transcript<D>>),
    /// One object a line on standard output.
    Json(Page),
}

impl<'a, D: Fn(&str) -> Option<ToolDefinition>> Screen<'a, D> {
    /// Shows what the log of a session has from the place `from` on.
    pub(super) fn new(
        is_json: bool,
        backend: &'a dyn Backend,
        id: SessionId,
        from: u64,
        definition: D,
    ) -> Self {
        let form = match is_json {
            true => Form::Json(Page::raw_stdout()),
            false => Form::Cards(Box::new(Transcript::live(definition))),
        };
        Self { entries: Entries::new(backend, id, from), id, form }
    }

    /// Names the session to a program; a person reads its name at the end.
    pub(super) fn begin(&mut self) -> anyhow::Result<()> {
        if let Form::Json(page) = &mut self.form {
            let line = serde_json::json!({ "type": "session", "id": self.id.to_string() });
            until_closed(writeln!(page, "{line}").and_then(|()| page.flush()))?;
        }
        Ok(())
    }

    /// Shows what an agent tells.
    pub(super) fn show(&mut self, told: Result<Live, RecvError>) -> anyhow::Result<()> {
        match told {
            Ok(Live::Delta(delta)) => Ok(until_closed(self.piece(&delta))?),
            Ok(Live::Event { seq, .. }) => self.catch_up(seq),
            Err(RecvError::Lagged(_)) => {
                if let Form::Cards(transcript) = &mut self.form {
                    transcript.gap();
                }
                Ok(())
            }
            // The agent lives longer than its turn.
            Err(RecvError::Closed) => Ok(()),
        }
    }

    /// Shows the rest of the log, and where to find it.
    pub(super) fn finish(&mut self) -> anyhow::Result<()> {
        self.catch_up(u64::MAX)?;
        if let Form::Cards(_) = &self.form {
            let mut page = Page::stderr();
            until_closed(writeln!(page, "session {}", self.id).and_then(|()| page.flush()))?;
        }
        Ok(())
    }

    fn piece(&mut self, delta: &Delta) -> io::Result<()> {
        match (&mut self.form, delta) {
            (Form::Cards(transcript), Delta::Text(text)) => transcript.piece(text),
            (Form::Cards(_), Delta::Call { .. }) => Ok(()),
            (Form::Json(page), delta) => writeln!(page, "{}", piece(delta)).and_then(|()| page.flush()),
        }
    }

    /// Shows the records up to a place, none of which is shown twice.
    fn catch_up(&mut self, until: u64) -> anyhow::Result<()> {
        while self.entries.place() <= until {
            match self.entries.next() {
                None => break,
                Some(entry) => match entry? {
                    Entry::Record(record) => until_closed(self.record(&record))?,
                    Entry::Damaged(damage) => {
                        anyhow::bail!("what was just written cannot be read: {}", damage.reason)
                    }
                },
            }
        }
        Ok(())
    }

    fn record(&mut self, record: &Record) -> io::Result<()> {
        match &mut self.form {
            Form::Cards(transcript) => transcript.event(&record.event),
            Form::Json(page) => {
                page.write_all(&record.to_line())?;
                writeln!(page)?;
                page.flush()
            }
        }
    }
}

/// A piece of an answer as a program gets it.
fn piece(delta: &Delta) -> serde_json::Value {
    match delta {
        Delta::Text(text) => serde_json::json!({ "type": "delta/text", "text": text }),
        Delta::Call { place, name, arguments } => {
            serde_json::json!({ "type": "delta/call", "place": place, "name": name, "arguments": arguments })
        }
    }
}
