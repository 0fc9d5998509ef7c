//! The workspace: one directory that the file tools may read and change, and nothing outside it.
//!
//! Every file tool reaches the disk through [`Workspace`] only. Paths are resolved and opened beneath an open
//! directory handle, so the kernel, not a check made earlier, decides whether a path stays inside. Nothing here
//! writes, deletes or creates; [`crate::change`] does, through the handles that it gets here.

mod entry;
mod error;
mod open;
mod resolve;
mod root;
mod shown;

pub(crate) use entry::{Entry, open_child};
pub use error::{SpecialFile, WorkspaceError};
pub(crate) use open::{Directory, open_own_file};
pub use root::Workspace;
pub(crate) use shown::{shown_path, shown_text};
