//! Ready-made hooks: the policies that make tools safe to use.
//!
//! Each policy is a listener, wrapper or approver of `toolgate`, registered like anybody's own. One that cannot decide
//! denies; nothing here can allow what a guard or another listener denied.

#[cfg(unix)]
mod spill;

#[cfg(unix)]
pub use spill::{SPILL_CATALOG, Spill, SpillConfig, SpillConfigError, SpillFolderError, ToolSpill};
