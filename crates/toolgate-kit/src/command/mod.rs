//! One shell command, from its order to the moment when nothing of it is left.
//!
//! Each command has a supervisor: this binary again, with one thread, as the parent of last resort of everything that
//! the command starts. The owner's side: `shell` holds what all commands share, `run` starts a supervisor and reads
//! the output, `end` is the way to stop one, `environment` chooses what the command inherits, `capture` keeps the
//! output's ends. `piped` is a program that talks over pipes, such as a server of tools, instead of a command. The supervisor's side: `supervisor` is its main function, `descendants` finds and kills. `wire` is
//! what the two say to each other, `handover` how the order gets across, `owner` what the owner makes of the answers.

mod capture;
mod config;
mod descendants;
mod end;
mod environment;
mod error;
mod handover;
mod owner;
mod piped;
mod run;
mod scratch;
mod shell;
mod supervisor;
mod wire;

pub(crate) use capture::{Capture, Captured, complete, text_of};
pub use config::{EnvironmentConfig, ShellConfig};
pub(crate) use end::{Ender, Why};
pub(crate) use error::CommandError;
pub use owner::{EndError, Ended};
pub use piped::{PipedCommand, PipedEnder, PipedProcess};
pub(crate) use run::{Finished, Launch, Sink, launch};
pub(crate) use shell::{Place, Shell};
pub use supervisor::supervisor_main;
pub use wire::SupervisorCommand;
