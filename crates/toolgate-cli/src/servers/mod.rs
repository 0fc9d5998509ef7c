//! The servers of the Model Context Protocol that a configuration names, and their tools on a runtime.
//!
//! `plan` finds them: in `toolgate.toml` and in the files of other programs that it points to. `mount` connects to them
//! for as long as a command runs, and says which cannot be used.

mod mount;
mod plan;

pub(crate) use mount::{tell, tokens};
pub(crate) use plan::{Plan, other_files, warn};
