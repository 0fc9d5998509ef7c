//! First-party tools for Toolgate: files, search and the web.
//!
//! [`read_only_tools`] gives a runtime the tools `read`, `glob` and `grep` on one [`Workspace`], a directory that no
//! path and no symbolic link leaves. The tools are built for models: their argument names are the ones that models
//! know, their answers are bounded, deterministic, and say what they leave out.
//!
//! The engines (`read`, `glob`, `grep`, and the `walk` that two of them share) are blocking code that knows nothing of
//! calls; `blocking` runs them off the executor and waits for their end. None of them writes a file, starts a program or
//! opens a connection.
//!
//! [`web_tools`] gives a runtime `web_fetch` and `web_search`, which reach public addresses only, unless a [`WebConfig`]
//! says otherwise.

mod blocking;
mod codes;
mod failure;
mod glob;
mod grep;
mod pattern;
mod plugin;
mod read;
mod stop;
mod text;
mod walk;
mod web;
mod workspace;

pub use codes::CATALOG;
pub use plugin::{FileTools, read_only_tools};
pub use web::{
    AllowedHost, HostResolver, InvalidAllowedHost, KeySource, ProviderName, SearchAnswer, SearchConfig,
    SearchError, SearchProvider, SearchSource, WebConfig, WebTools, web_tools,
};
pub use workspace::{SpecialFile, Workspace, WorkspaceError};
