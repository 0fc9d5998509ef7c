//! First-party tools for Toolgate: files, search, the shell, the web, and a list of steps.
//!
//! [`read_only_tools`] gives a runtime the tools `read`, `glob` and `grep` on one [`Workspace`], a directory that no
//! path and no symbolic link leaves; [`file_tools`] adds `write`, `edit`, `delete` and `move`. [`todo_tool`] is
//! `todo_write`. The tools are built for models: their argument names are the ones that models know, their answers are
//! bounded, deterministic, and say what they leave out.
//!
//! [`shell_tools`] adds `bash` and the tools for jobs: commands in the workspace, confined, each watched over by a process
//! that ends everything the command has started.
//!
//! The engines (`read`, `glob`, `grep`, the `walk` that two of them share, and the tools that `change` files) are
//! blocking code that knows nothing of calls; `blocking` runs them off the executor and waits for their end. None of
//! them starts a program or opens a connection.
//!
//! [`web_tools`] gives a runtime `web_fetch` and `web_search`, which reach public addresses only, unless a [`WebConfig`]
//! says otherwise.

mod ask_user;
#[cfg(unix)]
mod bash;
mod blocking;
mod change;
mod codes;
#[cfg(unix)]
mod command;
#[cfg(unix)]
mod confine;
mod delete;
mod edit;
mod failure;
mod glob;
mod grep;
#[cfg(unix)]
mod jobs;
mod key;
mod move_;
mod open_texts;
mod pattern;
mod plugin;
mod read;
#[cfg(unix)]
mod shell_plugin;
mod stop;
#[cfg(unix)]
mod system;
mod text;
mod todo;
mod walk;
mod web;
mod workspace;
mod write;

pub use ask_user::ask_user;
pub use codes::CATALOG;
#[cfg(unix)]
pub use command::{
    EndError, Ended, EnvironmentConfig, PipedCommand, PipedEnder, PipedProcess, ShellConfig,
    SupervisorCommand, supervisor_main,
};
#[cfg(unix)]
pub use confine::{
    Bubblewrap, Enforcement, NetworkAccess, NotEnforceable, SandboxBackend, SandboxConfig, SandboxMode,
    SandboxPlan, SandboxSupport,
};
pub use key::{Key, KeyError, KeySource};
pub use open_texts::OpenTexts;
pub use plugin::{FileTools, FileToolsConfig, file_tools, read_only_tools};
#[cfg(unix)]
pub use shell_plugin::{ShellTools, shell_tools};
pub use todo::{Todo, TodoLists, TodoStatus, TodoTool, todo_tool};
pub use web::{
    AllowedHost, HostResolver, InvalidAllowedHost, ProviderName, SearchAnswer, SearchConfig, SearchError,
    SearchProvider, SearchSource, WebConfig, WebTools, web_tools,
};
pub use workspace::{SpecialFile, Workspace, WorkspaceError};
