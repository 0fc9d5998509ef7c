//! What a command may reach: files, the network, and other processes.
//!
//! The owner's side: [`SandboxConfig`] is what was asked for, `probe` finds out what this machine can enforce, `plan`
//! puts the two together or refuses. The supervisor's side, on Linux: `files` (Landlock) and `calls` (seccomp) are
//! applied to the command between fork and exec, or `bubblewrap` wraps it. Nothing here runs a command itself.

mod bubblewrap;
#[cfg(target_os = "linux")]
mod calls;
mod config;
mod enter;
#[cfg(target_os = "linux")]
mod files;
mod plan;
#[cfg(target_os = "linux")]
mod powers;
mod probe;

pub use config::{Enforcement, NetworkAccess, SandboxBackend, SandboxConfig, SandboxMode};
pub(crate) use enter::Cell;
pub(crate) use plan::{Confinement, Files, Means};
pub use plan::{NotEnforceable, SandboxPlan};
pub use probe::{Bubblewrap, SandboxSupport};
