//! What programs can do: calls of `run_code` one after the other, what came of them, and what the log was told.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use toolgate::{CancellationToken, PresentationMode, ToolCall, ToolExecutionResult};
use toolgate_code::{CodeMode, CodeModeConfig};
use toolgate_sandbox::{InProcess, Language, Limits, WorkerCommand, WorkerPool};

use super::super::apart::Played;
use super::super::cases::{Case, CaseValue, Malformed, copy_as_object};
use super::super::compare::Comparison;
use super::super::language::ProgramLanguage;
use super::super::script::{Elements, Mode, RestrictionSpec, Scenario, TICK, play_live};
use super::code_record::{DispatchRecord, Recorder};
use super::constraint::Events;
use super::expected_program::{Expected, Seen};
use super::stage_log::log_stages;

/// The scope of the agent that makes the calls.
const AGENT: &str = "a";

/// What the programs of a case may use; the rest is as usual.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Config {
    max_parallel_sub_calls: Option<NonZeroUsize>,
    compute_ms: Option<u64>,
    max_wall_ms: Option<u64>,
    max_output_bytes: Option<usize>,
}

impl Config {
    fn in_language(&self, language: ProgramLanguage) -> CodeModeConfig {
        let usual = CodeModeConfig::new(match language {
            ProgramLanguage::TypeScript => Language::TypeScript,
            ProgramLanguage::Python => Language::Python,
        });
        let limits = Limits::in_process();
        CodeModeConfig {
            limits: Limits {
                cpu: self.compute_ms.map_or(limits.cpu, Duration::from_millis),
                wall: self.max_wall_ms.map_or(limits.wall, Duration::from_millis),
                output: self.max_output_bytes.unwrap_or(limits.output),
                ..limits
            },
            parallel: self.max_parallel_sub_calls.unwrap_or(usual.parallel),
            ..usual
        }
    }
}

/// A call as a case writes it: of `run_code` with a program, or of a tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    id: String,
    program: Option<ProgramTexts>,
    /// Words that the failure must hold.
    #[serde(default)]
    mentions: Vec<String>,
    #[serde(default)]
    cancelled: bool,
    tool: Option<String>,
    arguments: Option<CaseValue>,
}

/// One program in the languages in which it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramTexts {
    typescript: Option<String>,
    python: Option<String>,
}

impl ProgramTexts {
    fn in_language(&self, language: ProgramLanguage) -> Option<&str> {
        match language {
            ProgramLanguage::TypeScript => self.typescript.as_deref(),
            ProgramLanguage::Python => self.python.as_deref(),
        }
    }
}

/// What a case may demand of Python that the interpreter lacks: an exception of the host's own, with a member.
const MISSING_IN_PYTHON: &str = "tool-error";

/// Why the programs of a case are not played.
pub(super) fn reason_to_skip(case: &Case, language: ProgramLanguage) -> Option<String> {
    // A case that cannot be read is played, and says so.
    let mut fields = case.fields().ok()?;
    let runs: Vec<Run> = fields.take("runs").ok()?;
    let mut programs = runs.iter().filter_map(|run| run.program.as_ref());
    if programs.any(|program| program.in_language(language).is_none()) {
        return Some(format!("a program is not written in {language}"));
    }
    let demands: Vec<String> = fields.optional("pythonRequires").ok()??;
    let is_missing =
        language == ProgramLanguage::Python && demands.iter().any(|one| one == MISSING_IN_PYTHON);
    is_missing.then(|| format!("requires {MISSING_IN_PYTHON} in python"))
}

pub(super) fn run(case: &Case, language: ProgramLanguage, worker: WorkerCommand) -> Played {
    let mut fields = case.fields()?;
    let runs: Vec<Run> = fields.take("runs")?;
    let expect: Expected = fields.take("expect")?;
    let config: Config = fields.optional("config")?.unwrap_or_default();
    let restrict: Option<RestrictionSpec> = fields.optional("restrict")?;
    let is_agentless = fields.optional("agentless")?.unwrap_or(false);
    let is_traced = fields.optional("traced")?.unwrap_or(false);
    let mode = fields.optional("mode")?.unwrap_or(Mode(PresentationMode::Code));
    // What a case says of its Python programs; whether they are played is decided elsewhere.
    fields.optional::<String>("python")?;
    fields.optional::<Vec<String>>("pythonRequires")?;
    let elements: Elements = fields.rest()?;
    expect.check_form(runs.iter().map(|run| run.id.as_str()), is_traced)?;

    let record = Arc::new(DispatchRecord::default());
    let config = config.in_language(language);
    let noted = Arc::clone(&record);
    let workers = match language {
        ProgramLanguage::TypeScript => None,
        ProgramLanguage::Python => {
            let workers = WorkerPool::new(worker, 1);
            Some(workers.map_err(|error| Malformed::new(format!("no worker could be prepared: {error}")))?)
        }
    };
    play_live(
        elements.presented(mode).with_scope(AGENT),
        |builder, world| {
            let sink = Recorder { world: Arc::clone(world), record: noted };
            match workers {
                None => builder.code_transport(CodeMode::new(InProcess::new(), config).with_sink(sink)),
                Some(workers) => builder.code_transport(CodeMode::new(workers, config).with_sink(sink)),
            }
        },
        async |scenario| {
            let agent = (!is_agentless).then_some(AGENT);
            if let Some(restrict) = restrict {
                let restricted = scenario.world.scope(AGENT)?.restrict(restrict.into_restriction());
                restricted.map_err(|error| Malformed::new(error.to_string()))?;
            }
            log_stages(&scenario.runtime, &scenario.world);
            let mut comparison = Comparison::default();
            for (run, expected) in runs.iter().zip(&expect.runs) {
                record.begin(&run.id);
                let result = execute(&scenario, run, language, agent).await?;
                let outcome = record.finish(&run.id);
                let seen = match (&run.program, &outcome) {
                    (None, _) => Seen::of_call(&result),
                    (Some(_), outcome) => Seen::of_program(&result, outcome.as_ref()),
                };
                expected.compare(&result, &seen, &run.mentions, &mut comparison);
                let is_told = run.program.is_some() && agent.is_some();
                if !result.is_error() && outcome.is_some() != is_told {
                    let told = |told| if told { "the log is told of the program's end" } else { "(absent)" };
                    comparison.differs(format!("runs[{}]", run.id), told(is_told), told(!is_told));
                }
            }
            // What is told although no call runs any more is told too late.
            tokio::time::sleep(TICK).await;
            record.compare(&expect.dispatches, &mut comparison);
            Events::new(scenario.world.take_events()).compare(&expect.constraints, &mut comparison);
            if let Some(trace) = &expect.trace {
                comparison.lines("trace", trace, &scenario.world.take_trace());
            }
            Ok(comparison.into_mismatches())
        },
    )
}

async fn execute(
    scenario: &Scenario,
    run: &Run,
    language: ProgramLanguage,
    agent: Option<&str>,
) -> Result<ToolExecutionResult, Malformed> {
    let caller = CancellationToken::new();
    if run.cancelled {
        caller.cancel();
    }
    scenario.world.set_caller(caller.clone());
    let call = match (&run.program, &run.tool, &run.arguments) {
        (Some(program), None, None) => {
            let code = program.in_language(language);
            let code =
                code.ok_or_else(|| Malformed::new(format!("a program is not written in {language}")))?;
            let (code, description) = (Value::from(code), Value::from("a program of a case"));
            let arguments = copy_as_object(&[("code", &code), ("description", &description)]);
            ToolCall::new(toolgate::registry::RUN_CODE, arguments, caller)
        }
        (None, Some(tool), arguments) => {
            let arguments = arguments.clone().unwrap_or_else(CaseValue::empty_object);
            ToolCall::new(tool.as_str(), arguments.to_raw(), caller)
        }
        (Some(_), _, _) | (None, None, _) => {
            return Err(Malformed::new("a run has either `program` or `tool` with its `arguments`"));
        }
    };
    let mut call = call.with_id(run.id.as_str());
    if let Some(agent) = agent {
        call = call.in_scope(scenario.world.scope(agent)?);
    }
    Ok(scenario.runtime.execute(call).await)
}
