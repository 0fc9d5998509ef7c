//! `toolgate log show`: the records of a log between two places.

use std::io::{self, Write as _};
use std::process::ExitCode;

use toolgate::text::Line;
use toolgate_session::{Entry, Event, Record, SessionId};

use super::warn;
use crate::cli::LogShowArgs;
use crate::fault::{FAILED, UsageError};
use crate::output::{Page, until_closed};
use crate::sessions::{Folder, line};

/// How a record is shown.
pub(super) enum Form {
    /// On one line, for people.
    Line(Page),
    /// As it is kept.
    Raw(Page),
}

impl Form {
    pub(super) fn new(is_json: bool) -> Self {
        if is_json { Self::Raw(Page::raw_stdout()) } else { Self::Line(Page::stdout()) }
    }

    pub(super) fn record(&mut self, id: SessionId, record: &Record) -> io::Result<()> {
        match self {
            Self::Line(page) => line(page, id, record),
            Self::Raw(page) => page.write_all(&record.to_line()).and_then(|()| writeln!(page)),
        }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Line(page) | Self::Raw(page) => page.flush(),
        }
    }
}

/// Shows records. What is lost between them is said on standard error, with exit code 1.
pub(super) fn run(args: &LogShowArgs) -> anyhow::Result<ExitCode> {
    if let Some(unknown) = args.types.iter().find(|kind| !Event::KINDS.contains(&kind.as_str())) {
        let error = UsageError::new(format!("`{}` is no type of record", Line(unknown)));
        return Err(error.with_hint(format!("the types are {}", Event::KINDS.join(", "))).into());
    }
    let kept = Folder::open(args.folder.sessions.as_deref())?.find(&args.session)?;
    let mut form = Form::new(args.json);
    let mut is_whole = true;
    let until = args.to.unwrap_or(u64::MAX);
    for entry in kept.entries(args.from) {
        match entry? {
            Entry::Record(record) if record.seq > until => break,
            Entry::Record(record) => {
                let is_wanted =
                    args.types.is_empty() || args.types.iter().any(|kind| kind == record.event.kind());
                if is_wanted {
                    form.record(kept.id, &record)?;
                }
            }
            Entry::Damaged(damage) if damage.first > until => break,
            Entry::Damaged(damage) => {
                is_whole = false;
                form.flush()?;
                warn(&damage)?;
            }
        }
    }
    until_closed(form.flush())?;
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}
