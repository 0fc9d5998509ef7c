//! Ready-made hooks: the policies that make tools safe to use.
//!
//! Each policy is a listener, wrapper or approver of `toolgate`, registered like anybody's own. One that cannot decide
//! denies; nothing here can allow what a guard or another listener denied.

pub mod deadline;
pub mod duration;
mod lost_answers;
pub mod person;
mod repeat;
pub mod rules;
#[cfg(unix)]
mod spill;

pub use deadline::{DeadlineConfig, DeadlineReport, Deadlines};
pub use lost_answers::LostAnswers;
pub use person::{Answerer, Approvals, People, Stance};
pub use repeat::RepeatReminder;
pub use rules::{Permissions, PermissionsConfig, Rule, Rules};
#[cfg(unix)]
pub use spill::{SPILL_CATALOG, Spill, SpillConfig, SpillConfigError, SpillFolderError, ToolSpill};

/// Compiles and runs the guide to hooks.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/write-a-hook.md")]
struct WriteAHook;
