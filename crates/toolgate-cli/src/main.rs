//! The `toolgate` command: what the pipeline does, on the command line.
//!
//! This file is the entry and the exit: it reads the command line, runs one command and turns what comes of it into
//! an exit code. 0 is success, 1 is a failed call or program, 2 is wrong usage, 130 is an interrupt. A reader that goes away
//! (`| head`) is no failure.

mod arguments;
mod asking;
mod catalog;
mod cli;
mod code_mode;
mod commands;
mod config;
mod dispatches;
mod excerpt;
mod fault;
mod interrupt;
mod output;
mod parameters;
mod program;
mod progress;
mod render;
mod servers;
mod sessions;
mod size;
mod suggest;
mod toolbox;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::Cli;

/// Counts what a program in Python uses, where this binary is its worker.
#[cfg(feature = "python")]
#[global_allocator]
static ALLOCATOR: toolgate_sandbox::ProgramAllocator = toolgate_sandbox::ProgramAllocator;

/// The argument by which this binary is started as a worker for programs; not for people.
const SANDBOX_WORKER: &str = "sandbox-worker";

/// The argument by which it is started as the supervisor of a shell command; not for people either.
#[cfg(unix)]
const SHELL_SUPERVISOR: &str = "shell-supervisor";

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == SANDBOX_WORKER) {
        toolgate_sandbox::worker_main();
    }
    #[cfg(unix)]
    if std::env::args_os().nth(1).is_some_and(|argument| argument == SHELL_SUPERVISOR) {
        toolgate_kit::supervisor_main();
    }
    match Cli::try_parse() {
        Ok(cli) => commands::run(cli.command).unwrap_or_else(|error| fault::report(&error)),
        Err(answer) => fault::report_usage(&answer),
    }
}
