//! [`FileTools`]: the file tools of one workspace, as a plugin.

use std::error::Error;
use std::sync::Arc;

use serde::Deserialize;
use toolgate::{Plugin, PluginContext, Registrar as _};

use crate::Workspace;
use crate::change::{Changes, SeenFiles};
use crate::delete::DeleteTool;
use crate::edit::EditTool;
use crate::glob::GlobTool;
use crate::grep::GrepTool;
use crate::move_::MoveTool;
use crate::read::ReadTool;
use crate::write::WriteTool;

/// The tools that read in `workspace` and change nothing: `read`, `glob` and `grep`.
///
/// They share the workspace, may overlap with any other call, and need a tokio runtime to run on.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use toolgate::prelude::*;
/// use toolgate_kit::{Workspace, read_only_tools};
///
/// let workspace = Workspace::open(env!("CARGO_MANIFEST_DIR"))?;
/// let runtime = ToolRuntime::builder().plugin(read_only_tools(workspace)).build()?;
///
/// let args = serde_json::json!({ "pattern": "Cargo.*" });
/// let result = runtime.execute(ToolCall::new("glob", args, CancellationToken::new())).await;
/// assert_eq!(result.text(), "Cargo.toml");
/// # Ok(())
/// # }
/// ```
pub fn read_only_tools(workspace: Workspace) -> FileTools {
    FileTools { workspace: Arc::new(workspace), changing: None }
}

/// All file tools of `workspace`: those of [`read_only_tools`], and `write`, `edit`, `delete` and `move`.
///
/// The changing tools run alone. They change nothing outside the workspace, never through a link, and leave each file
/// with its old content or its new one, also when the process is killed. What is written and edited is compared with
/// what the same agent last read or wrote, so nobody's work is overwritten unseen.
///
/// New content waits in a file `.toolgate-<16 digits>.tmp` in the directory of its target. A killed process may leave
/// one; the first change in that directory by another runtime removes it.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use toolgate::prelude::*;
/// use toolgate_kit::{FileToolsConfig, Workspace, file_tools};
///
/// let folder = tempfile::tempdir()?;
/// let workspace = Workspace::open(folder.path())?;
/// let runtime = ToolRuntime::builder().plugin(file_tools(workspace, FileToolsConfig::default())).build()?;
///
/// let args = serde_json::json!({ "file_path": "notes/today.md", "content": "Water the plants.\n" });
/// let result = runtime.execute(ToolCall::new("write", args, CancellationToken::new())).await;
/// assert_eq!(result.text(), "Created `notes/today.md`: 1 line, 18 bytes.");
/// assert_eq!(std::fs::read_to_string(folder.path().join("notes/today.md"))?, "Water the plants.\n");
/// # Ok(())
/// # }
/// ```
pub fn file_tools(workspace: Workspace, config: FileToolsConfig) -> FileTools {
    FileTools { workspace: Arc::new(workspace), changing: Some(config) }
}

/// How the changing file tools behave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FileToolsConfig {
    /// Whether an agent must have read a file, or written it, before it may replace or edit its content. Off by
    /// default. With it such a change fails with `FILE_NOT_READ`. A file that has changed since the agent read it is
    /// never replaced, whatever this says.
    pub require_read: bool,
}

/// The file tools of one workspace; made by [`read_only_tools`] and [`file_tools`].
#[derive(Clone, Debug)]
pub struct FileTools {
    workspace: Arc<Workspace>,
    changing: Option<FileToolsConfig>,
}

impl Plugin for FileTools {
    fn name(&self) -> &str {
        "file-tools"
    }

    fn install(&self, cx: &PluginContext<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        let workspace = || Arc::clone(&self.workspace);
        // Made here, because agents are told apart within one runtime only.
        let seen = self.changing.map(|_| Arc::new(SeenFiles::default()));
        cx.register(ReadTool::new(workspace(), seen.clone()))?;
        cx.register(GlobTool::new(workspace()))?;
        cx.register(GrepTool::new(workspace()))?;
        if let Some((config, seen)) = self.changing.zip(seen) {
            let changes = Arc::new(Changes::new(workspace(), seen, config.require_read));
            cx.register(WriteTool::new(Arc::clone(&changes)))?;
            cx.register(EditTool::new(Arc::clone(&changes)))?;
            cx.register(DeleteTool::new(Arc::clone(&changes)))?;
            cx.register(MoveTool::new(changes))?;
        }
        Ok(())
    }
}
