//! The write engine: a whole file of the workspace, created or replaced. Blocking.

use super::types::{WriteArgs, WriteOutcome, WriteOutput};
use crate::change::{Agent, Before, Changes, check_text_size, line_changes, other_names, put_in_place};
use crate::failure::FileToolError;
use crate::stop::Stop;

/// Makes the content that `args` give the content of the file.
pub(super) fn write_file(
    changes: &Changes,
    agent: Agent,
    args: &WriteArgs,
    stop: &Stop,
) -> Result<WriteOutput, FileToolError> {
    let WriteArgs { file_path, content } = args;
    check_text_size(file_path, content.len() as u64)?;
    stop.check()?;
    let entry = changes.workspace.file_entry(file_path)?;
    let before = Before::take(&changes.workspace, &entry, stop)?;
    if let Some(before) = &before {
        changes.check_seen(agent, &entry.path, before)?;
    }
    let old = before.as_ref().and_then(|before| before.content.as_deref());
    let is_unchanged = old == Some(content.as_bytes());
    let fingerprint = match &before {
        Some(before) if is_unchanged => before.fingerprint,
        _ => put_in_place(changes, &entry, before.as_ref(), content.as_bytes(), stop)?,
    };
    changes.seen.note(agent, &entry.path, fingerprint);
    let old_text = old.filter(|old| !is_unchanged && !old.contains(&0)).map(std::str::from_utf8);
    Ok(WriteOutput {
        outcome: match before {
            None => WriteOutcome::Created,
            Some(_) if is_unchanged => WriteOutcome::Unchanged,
            Some(_) => WriteOutcome::Replaced,
        },
        bytes: content.len() as u64,
        lines: content.split_inclusive('\n').count() as u64,
        changes: old_text.and_then(Result::ok).map(|old| line_changes(old, content)),
        other_names: if is_unchanged { 0 } else { before.as_ref().map_or(0, other_names) },
        path: entry.path,
    })
}
