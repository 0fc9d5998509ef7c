//! The `bash` tool: one command of the shell, waited for or left to run as a job.
//!
//! `tool` is what the runtime calls, `types` what it takes and returns, `text` what the model reads, `card` what a
//! person sees, `signals` the names of signals. How a command runs is the matter of [`crate::command`].

mod card;
mod signals;
mod text;
mod tool;
mod types;

pub(crate) use signals::signal_name;
pub(crate) use text::length;
pub(crate) use tool::BashTool;
