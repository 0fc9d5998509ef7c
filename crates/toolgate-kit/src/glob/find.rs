//! The glob engine: the files below a directory that match a pattern. Blocking.

use super::types::{GlobArgs, GlobOutput};
use crate::failure::FileToolError;
use crate::pattern::selection_of_pattern;
use crate::stop::Stop;
use crate::walk::Walk;
use crate::workspace::{Workspace, WorkspaceError, shown_text};

/// How many paths are returned at most.
pub(super) const MAXIMUM_PATHS: usize = 1000;

/// Finds what `args` ask for. The walk is in path order, so the first paths are kept as they come and the others
/// only counted.
pub(crate) fn find_files(
    workspace: &Workspace,
    args: &GlobArgs,
    stop: &Stop,
) -> Result<GlobOutput, FileToolError> {
    stop.check()?;
    let path = args.path.as_deref().unwrap_or(".");
    let start = workspace.find(path)?;
    if !start.directory {
        let path = shown_text(path);
        return Err(WorkspaceError::NotADirectory { file: path.clone(), path }.into());
    }
    let selection = selection_of_pattern(workspace, &start.path, &args.pattern)?;
    let mut walk = Walk::begin(workspace, &start.path, &selection, stop)?;
    let mut paths = Vec::new();
    let mut total = 0;
    while let Some(path) = walk.next()? {
        total += 1;
        if paths.len() < MAXIMUM_PATHS {
            paths.push(path);
        }
    }
    Ok(GlobOutput { truncated: total > paths.len() as u64, paths, total, skipped: walk.skipped() })
}
