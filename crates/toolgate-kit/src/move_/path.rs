//! The move engine: one entry of the workspace gets another path, by one rename. Blocking.

use std::io;
use std::path::Path;

use super::types::{MoveArgs, MoveOutput};
use crate::change::{
    Agent, Before, ChangeError, Changes, CreatedDirectories, Turn, rename_without_replacing,
};
use crate::failure::FileToolError;
use crate::stop::Stop;
use crate::workspace::{Entry, shown_text};

/// Moves what `args` name.
pub(super) fn move_path(
    changes: &Changes,
    agent: Agent,
    args: &MoveArgs,
    stop: &Stop,
) -> Result<MoveOutput, FileToolError> {
    stop.check()?;
    let workspace = &changes.workspace;
    let source = workspace.any_entry(&args.source)?;
    let Some(moved) = &source.metadata else {
        return Err(workspace.nothing_at(&args.source).into());
    };
    let destination = workspace.any_entry(&args.destination)?;
    let (from, to) = (shown_text(&source.path), shown_text(&destination.path));
    if Path::new(&destination.path).starts_with(&source.path) {
        return Err(ChangeError::IntoItself { path: from }.into());
    }
    let may_overwrite = args.overwrite == Some(true);
    if let Some(there) = &destination.metadata {
        if there.is_dir() {
            return Err(ChangeError::DirectoryInTheWay { path: to }.into());
        }
        if !may_overwrite || moved.is_dir() {
            return Err(ChangeError::Exists { path: to }.into());
        }
        check_replaceable(changes, agent, &destination, stop)?;
    }
    let directories = CreatedDirectories::on_the_way_to(&destination)?;
    let into = directories.innermost();
    let turn = Turn::take(&[&source.directory, into], &to, stop)?;
    stop.check()?;
    let renamed = if destination.metadata.is_some() {
        source.directory.rename(&source.name, into, &destination.name)
    } else {
        rename_without_replacing(&source.directory, &source.name, into, &destination.name)
    };
    renamed.map_err(|error| match error.kind() == io::ErrorKind::AlreadyExists {
        true => ChangeError::Exists { path: to.clone() },
        false => ChangeError::of(error, &from),
    })?;
    drop(turn);
    directories.keep();
    changes.seen.moved(&source.path, &destination.path);
    Ok(MoveOutput {
        overwritten: destination.metadata.is_some(),
        source: source.path,
        destination: destination.path,
    })
}

/// Refuses to replace a file whose content the agent has not seen as it is. What is no regular file has no content.
fn check_replaceable(
    changes: &Changes,
    agent: Agent,
    destination: &Entry,
    stop: &Stop,
) -> Result<(), FileToolError> {
    match Before::take(&changes.workspace, destination, stop)? {
        Some(before) => changes.check_seen(agent, &destination.path, &before),
        None => Ok(()),
    }
}
