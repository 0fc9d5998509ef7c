//! [`FileTools`]: the read-only file tools of one workspace, as a plugin.

use std::error::Error;
use std::sync::Arc;

use toolgate::{Plugin, PluginContext, Registrar as _};

use crate::Workspace;
use crate::glob::GlobTool;
use crate::grep::GrepTool;
use crate::read::ReadTool;

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
    FileTools { workspace: Arc::new(workspace) }
}

/// The file tools of one workspace; made by [`read_only_tools`].
#[derive(Clone, Debug)]
pub struct FileTools {
    workspace: Arc<Workspace>,
}

impl Plugin for FileTools {
    fn name(&self) -> &str {
        "file-tools"
    }

    fn install(&self, cx: &PluginContext<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        cx.register(ReadTool::new(Arc::clone(&self.workspace)))?;
        cx.register(GlobTool::new(Arc::clone(&self.workspace)))?;
        cx.register(GrepTool::new(Arc::clone(&self.workspace)))?;
        Ok(())
    }
}
