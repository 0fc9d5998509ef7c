//! Deadlines: how long a body, and every other stage of a call, may take.
//!
//! The runtime itself never ends anything by force (rule P22). [`Deadlines`] is the policy that does, within the limits
//! of its [`DeadlineConfig`], and tells what it did as [`DeadlineReport`]s.

mod config;
mod deadlines;
mod report;
mod watchdog;
mod within;

pub use config::DeadlineConfig;
pub use deadlines::{Deadlines, TimelyApprover};
pub use report::{DeadlineCounts, DeadlineReport, DeadlineStage};
