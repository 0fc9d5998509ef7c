//! The workspace: one directory that the file tools may read, and nothing outside it.
//!
//! Every file tool reaches the disk through [`Workspace`] only. Paths are resolved and opened beneath an open
//! directory handle, so the kernel, not a check made earlier, decides whether a path stays inside. Nothing here
//! writes, deletes or creates.

mod error;
mod open;
mod resolve;
mod root;
mod shown;

pub use error::{SpecialFile, WorkspaceError};
pub(crate) use open::Directory;
pub use root::Workspace;
pub(crate) use shown::{shown_path, shown_text};
