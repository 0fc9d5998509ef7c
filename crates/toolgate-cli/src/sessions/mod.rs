//! Sessions as the commands see them: finding one by what somebody types, and showing what it holds.
//!
//! Reading changes nothing and waits for no writer. The sessions themselves are `toolgate-session`'s.

mod folder;
mod line;
mod transcript;

pub(crate) use folder::{Folder, Kept, Store, default_folder};
pub(crate) use line::line;
pub(crate) use transcript::Transcript;

use std::io::{self, Write as _};

use toolgate::text::Line;
use toolgate_session::{Damage, StoreError};

use crate::output::{Page, grouped, until_closed};

/// Says on standard error that a session cannot be read, beside what is shown of others.
pub(crate) fn unreadable(kept: &Kept, error: StoreError) -> io::Result<()> {
    let mut page = Page::stderr();
    let warning = page.styles().warning;
    let why = format!("{:#}", anyhow::Error::from(error));
    let written = writeln!(page, "{warning}unreadable:{warning:#} session {}: {}", kept.id, Line(&why));
    until_closed(written.and_then(|()| page.flush()))
}

/// What is lost, and why, in words.
pub(crate) fn loss(damage: &Damage) -> String {
    let records = match damage.last {
        _ if !damage.is_loss() => {
            format!("no record is lost, but something stands before record {}", grouped(damage.first))
        }
        Some(last) if last == damage.first => format!("record {} is lost", grouped(last)),
        Some(last) => format!("records {} to {} are lost", grouped(damage.first), grouped(last)),
        None => format!("everything from record {} on is lost", grouped(damage.first)),
    };
    let bytes = damage.bytes.as_ref().map(|bytes| {
        format!(", bytes {} to {} of the file", grouped(bytes.start), grouped(bytes.end.saturating_sub(1)))
    });
    format!("{records}{}: {}", bytes.unwrap_or_default(), damage.reason)
}
