//! Code Mode as the configuration wants it: for the program of `toolgate run`, and for those that a model writes.

use anyhow::Context as _;
use toolgate::CodeTransport;
use toolgate_code::{CodeMode, CodeModeConfig, DispatchSink};
use toolgate_policy::person::PersonClock;
use toolgate_sandbox::{Language, Limits, WorkerCommand, WorkerPool};

use crate::config::CodeConfig;

/// The limits of a program.
pub(crate) fn limits(chosen: &CodeConfig) -> Limits {
    let defaults = Limits::default();
    Limits {
        wall: chosen.timeout.unwrap_or(defaults.wall),
        cpu: chosen.cpu.unwrap_or(defaults.cpu),
        memory: chosen.memory.unwrap_or(defaults.memory),
        calls: chosen.max_calls.unwrap_or(defaults.calls),
        ..defaults
    }
}

/// How programs of a language run.
pub(crate) fn config(chosen: &CodeConfig, language: Language) -> CodeModeConfig {
    let usual = CodeModeConfig::new(language);
    CodeModeConfig { limits: limits(chosen), parallel: chosen.parallel.unwrap_or(usual.parallel), ..usual }
}

/// `run_code` itself, whose time stands still while a person is asked. `idle` workers wait for the next
/// programs.
///
/// # Errors
/// The worker cannot be prepared.
pub(crate) fn transport(
    config: CodeModeConfig,
    sink: impl DispatchSink,
    clock: PersonClock,
    idle: usize,
) -> anyhow::Result<impl CodeTransport> {
    let workers = WorkerPool::new(WorkerCommand::default(), idle).context("no worker could be prepared")?;
    let code = CodeMode::new(workers, config).with_sink(sink);
    Ok(code.with_clock(move |call, limit| clock.elapse(call.root_call_id(), limit)))
}
