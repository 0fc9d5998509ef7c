//! Sessions as the commands see them: finding one by what somebody types, and showing what it holds.
//!
//! Reading changes nothing and waits for no writer. The sessions themselves are `toolgate-session`'s.

mod folder;
mod line;
mod transcript;

pub(crate) use folder::{Folder, Kept, Store, default_folder};
pub(crate) use line::line;
pub(crate) use transcript::Transcript;

use toolgate_session::Damage;

use crate::output::grouped;

/// What is lost, and why, in words.
pub(crate) fn loss(damage: &Damage) -> String {
    let records = match damage.last {
        Some(last) if last == damage.first => format!("record {} is lost", grouped(last)),
        Some(last) => format!("records {} to {} are lost", grouped(damage.first), grouped(last)),
        None => format!("everything from record {} on is lost", grouped(damage.first)),
    };
    let bytes = damage.bytes.as_ref().map(|bytes| {
        format!(", bytes {} to {} of the file", grouped(bytes.start), grouped(bytes.end.saturating_sub(1)))
    });
    format!("{records}{}: {}", bytes.unwrap_or_default(), damage.reason)
}
