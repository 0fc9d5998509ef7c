//! The commands, one file each.

mod acp;
mod agent;
mod call;
mod check;
mod completions;
mod config;
#[cfg(unix)]
mod doctor;
mod explain;
mod log;
mod mcp;
mod policy;
mod replay;
mod run;
mod sdk;
mod sessions;
mod tools;
mod web;

use std::process::ExitCode;

use crate::cli::Command;

/// Runs a command and gives the exit code of the process.
///
/// # Errors
/// A usage error, an output that cannot be written, or a defect of this program.
pub(crate) fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Tools(args) => tools::run(&args),
        Command::Call(args) => call::run(&args),
        Command::Run(args) if args.check => check::check(&args),
        Command::Run(args) => run::run(&args),
        Command::Agent(args) => agent::run(&args),
        Command::Acp(args) => acp::run(args),
        Command::Web(args) => web::run(&args),
        Command::Sessions(args) => sessions::run(&args),
        Command::Log(args) => log::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Sdk(args) => sdk::run(&args),
        Command::Mcp(args) => mcp::run(&args),
        #[cfg(unix)]
        Command::Doctor(args) => doctor::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Policy(args) => policy::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Completions(args) => completions::completions(&args),
        Command::Man(args) => completions::man(&args),
    }
}
