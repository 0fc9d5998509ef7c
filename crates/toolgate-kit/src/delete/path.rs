//! The delete engine: one entry of the workspace, a directory's contents only on request. Blocking.

use std::io;

use super::tree::{TreeProblem, count_tree, remove_tree};
use super::types::{DeleteArgs, DeleteOutput, EntryKind};
use crate::change::{ChangeError, Changes, Turn};
use crate::failure::FileToolError;
use crate::stop::Stop;
use crate::workspace::shown_text;

/// Deletes what `args` name.
pub(super) fn delete_path(
    changes: &Changes,
    args: &DeleteArgs,
    stop: &Stop,
) -> Result<DeleteOutput, FileToolError> {
    stop.check()?;
    let entry = changes.workspace.any_entry(&args.file_path)?;
    let Some(metadata) = &entry.metadata else {
        return Err(changes.workspace.nothing_at(&args.file_path).into());
    };
    let path = shown_text(&entry.path);
    let kind = EntryKind::of(metadata);
    let _turn = Turn::take(&[&entry.directory], &path, stop)?;
    let mut contents = 0;
    let removed = match kind {
        EntryKind::File | EntryKind::Link | EntryKind::Special => entry.directory.remove_file(&entry.name),
        EntryKind::Directory if args.recursive == Some(true) => {
            let explain = |problem| explain(problem, &path);
            count_tree(&entry.directory, &entry.name, stop).map_err(explain)?;
            contents = remove_tree(&entry.directory, &entry.name, stop).map_err(explain)?;
            Ok(())
        }
        EntryKind::Directory => entry.directory.remove_dir(&entry.name),
    };
    match removed {
        Ok(()) => Ok(DeleteOutput { path: entry.path, kind, contents }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(changes.workspace.nothing_at(&args.file_path).into())
        }
        Err(error) => Err(ChangeError::of(error, &path).into()),
    }
}

fn explain(problem: TreeProblem, path: &str) -> FileToolError {
    let path = path.to_owned();
    match problem {
        TreeProblem::TooLarge { most, depth } => ChangeError::TreeTooLarge { path, most, depth }.into(),
        TreeProblem::Failed { removed: 0, source } => ChangeError::of(source, &path).into(),
        TreeProblem::Failed { removed, source } => {
            ChangeError::PartlyDeleted { path, removed, source }.into()
        }
        TreeProblem::Stopped { removed: 0, stopped } => stopped.into(),
        TreeProblem::Stopped { removed, stopped } => {
            let source = io::Error::new(io::ErrorKind::Interrupted, stopped);
            ChangeError::PartlyDeleted { path, removed, source }.into()
        }
    }
}
