//! `toolgate run`: one program, run by `run_code` of a runtime that presents its tools as code.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use toml::Value;
use toolgate::registry::RUN_CODE;
use toolgate::text::{Line, Text};
use toolgate::{JsonValue, PresentationMode, ToolCall, ToolExecutionResult, ToolFailure, indented_text};
use toolgate_policy::duration;
use toolgate_sandbox::{Failure, FailureKind, Language, Limits, Outcome};

use crate::cli::RunArgs;
use crate::config::Flag;
use crate::dispatches::Dispatches;
use crate::excerpt::{excerpt, offset_of};
use crate::fault::{self, FAILED, INTERRUPTED};
use crate::interrupt::Interrupt;
use crate::output::{Page, until_closed};
use crate::program::{self, ProgramText};
use crate::toolbox::Tools;
use crate::{code_mode, progress, size, toolbox};

/// Who the program belongs to, and the id of its call; its own calls are `run:code:<n>`.
const NAME: &str = "run";

/// Runs a program and shows what came of it. A failed program is a shown result and exit code 1, not an error.
pub(super) fn run(args: &RunArgs) -> anyhow::Result<ExitCode> {
    let configuration = toolbox::configure(&args.workspace, &flags(args))?;
    let chosen = &configuration.settings.code;
    let program = program::read(&args.program, args.lang, &code_mode::limits(chosen))?;
    let config = code_mode::config(chosen, program.language);
    let dispatches = Dispatches::new(&program.name, !args.json);
    let mut toolbox = toolbox::prepare(&args.workspace, configuration, dispatches.spinner())?;
    let code = code_mode::transport(config, dispatches.clone(), toolbox.clock(), 1)?;
    toolbox.builder = toolbox
        .builder
        .presentation_mode(PresentationMode::Code)
        .code_transport(code)
        .on_execute(dispatches.clone());
    let unanswered = toolbox.unanswered.clone();
    let Tools { runtime, servers } = toolbox.for_a_reader()?;
    let interrupt = Interrupt::listen().context("Ctrl-C could not be taken over")?;
    let call = call(&program, &interrupt);
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the system gives no resources to run a program")?;
    let result = executor.block_on(async {
        let servers = servers.mounted(&runtime).await?;
        let work = runtime.scope(NAME).execute(call);
        let result = progress::watch(work, dispatches.spinner(), &interrupt.token()).await;
        servers.close().await;
        anyhow::Ok(result)
    })?;
    let was_interrupted = interrupt.finish();

    if args.json {
        let mut page = Page::raw_stdout();
        let written = writeln!(page, "{}", result.to_record_text()).and_then(|()| page.flush());
        until_closed(written).context("the result could not be written")?;
    } else {
        show(&result, dispatches.take_outcome().as_ref(), &program)?;
        show_hints(&unanswered.hints())?;
    }
    Ok(match (result.is_error(), was_interrupted) {
        (false, _) => ExitCode::SUCCESS,
        (true, true) => ExitCode::from(INTERRUPTED),
        (true, false) => ExitCode::from(FAILED),
    })
}

/// What the flags say, for the configuration.
fn flags(args: &RunArgs) -> Vec<Flag> {
    let say = |name: &str, value: Value, flag| Flag::Value {
        path: vec!["code".to_owned(), name.to_owned()],
        value,
        flag,
    };
    let count = |number: usize| Value::Integer(i64::try_from(number).unwrap_or(i64::MAX));
    let mut flags = args.policy.flags();
    if let Some(limit) = args.timeout {
        flags.push(say("timeout", duration::text_of(limit).into(), "--timeout"));
        // Who allows a program more time allows it to compute as well.
        let cpu = limit.max(Limits::default().cpu);
        flags.push(say("cpu", duration::text_of(cpu).into(), "--timeout"));
    }
    flags.extend(args.memory.map(|bytes| say("memory", size::text_of(bytes).into(), "--memory")));
    flags.extend(args.max_calls.map(|calls| say("max_calls", count(calls), "--max-calls")));
    flags.extend(args.parallel.map(|calls| say("parallel", count(calls.get()), "--parallel")));
    flags
}

fn call(program: &ProgramText, interrupt: &Interrupt) -> ToolCall {
    let arguments = JsonValue::object([
        ("code".to_owned(), JsonValue::from(program.source.as_str())),
        ("description".to_owned(), JsonValue::from(program.name.as_str())),
    ]);
    ToolCall::new(RUN_CODE, arguments, interrupt.token()).with_id(NAME)
}

/// Shows what was printed and returned on standard output, and on standard error what else there is to say.
fn show(
    result: &ToolExecutionResult,
    outcome: Option<&Outcome>,
    program: &ProgramText,
) -> anyhow::Result<()> {
    let logs = outcome.map(|outcome| outcome.logs.as_slice()).unwrap_or_default();
    let value = result.value();
    let mut page = Page::stdout();
    let written = show_output(&mut page, logs, value.and_then(|value| value.get("result")));
    until_closed(written.and_then(|()| page.flush())).context("the result could not be written")?;
    let mut page = Page::stderr();
    let written = match result.error() {
        None => show_unawaited(&mut page, value),
        Some(failure) => show_failure(&mut page, failure, outcome, program),
    };
    until_closed(written.and_then(|()| page.flush())).context("the error could not be written")
}

/// Says what would have let the calls run that nobody could be asked about.
fn show_hints(hints: &[String]) -> anyhow::Result<()> {
    let mut page = Page::stderr();
    let hint = page.styles().hint;
    let written = hints.iter().try_for_each(|text| writeln!(page, "{hint}hint:{hint:#} {}", Line(text)));
    until_closed(written.and_then(|()| page.flush())).context("the hints could not be written")
}

fn show_output(page: &mut Page, logs: &[String], returned: Option<&serde_json::Value>) -> io::Result<()> {
    for line in logs {
        writeln!(page, "{}", Text(line))?;
    }
    match returned.map(|returned| (returned, returned.as_str())) {
        None => Ok(()),
        Some((_, Some(text))) => writeln!(page, "{}", Text(text)),
        Some((returned, None)) => writeln!(page, "{}", Text(&indented_text(returned))),
    }
}

fn show_unawaited(page: &mut Page, value: Option<&JsonValue>) -> io::Result<()> {
    let calls = value.and_then(|value| value.get("unawaited")?.as_array()).into_iter().flatten();
    let warning = page.styles().warning;
    for call in calls.filter_map(|call| call.as_str()) {
        // What else an error said stands with the call above.
        let (call, _) = fault::split_hints(call);
        writeln!(page, "{warning}warning:{warning:#} nobody awaited {}", Line(call))?;
    }
    Ok(())
}

fn show_failure(
    page: &mut Page,
    failure: &ToolFailure,
    outcome: Option<&Outcome>,
    program: &ProgramText,
) -> io::Result<()> {
    let Some(cause) = outcome.and_then(|outcome| outcome.failure.as_ref()) else {
        let (message, mut hints) = fault::split_hints(failure.message());
        hints.extend(failure.code().map(explanation));
        return fault::show(page, message, None, &hints);
    };
    let (text, mut hints) = fault::split_hints(&cause.message);
    let message = format!("the program failed ({}): {text}", cause.kind);
    hints.push(hint(cause, program.language).to_owned());
    hints.extend(failure.code().map(explanation));
    fault::show(page, &message, place(cause, program).as_deref(), &hints)
}

fn explanation(code: &str) -> String {
    format!("run `toolgate explain {code}` to know more")
}

/// Where it happened, the author's line, and a caret.
fn place(failure: &Failure, program: &ProgramText) -> Option<String> {
    let (line, column) = (failure.line?, failure.column.unwrap_or(1));
    let offset = offset_of(&program.source, program.language, line, column)?;
    let lines = excerpt(program.source.as_bytes(), offset);
    Some(format!("  {}:{line}:{column}\n{lines}", Line(&program.name)))
}

/// What to do about a failed program.
fn hint(failure: &Failure, language: Language) -> &'static str {
    let begins = |names: &[&str]| names.iter().any(|name| failure.message.starts_with(name));
    match (failure.kind, language) {
        (FailureKind::Exception, Language::TypeScript) if begins(&["SyntaxError"]) => {
            "a program is the body of an async function, in TypeScript whose types can be erased"
        }
        (FailureKind::Exception, Language::Python)
            if begins(&["SyntaxError", "ModuleNotFoundError", "ImportError"]) =>
        {
            "a program is the body of an async function, in a part of Python: docs/python.md lists what it lacks"
        }
        (FailureKind::Exception, Language::TypeScript) => {
            "run `toolgate sdk --lang ts` to see what a program can call, and with what"
        }
        (FailureKind::Exception, Language::Python) => {
            "run `toolgate sdk --lang py` to see what a program can call, and with what"
        }
        (FailureKind::Timeout, _) => "allow more time with --timeout, or let the program do less",
        (FailureKind::Stalled, Language::TypeScript) => {
            "await only calls, timers and promises that the program settles itself"
        }
        (FailureKind::Stalled, Language::Python) => "await only calls, sleeps and coroutines that end",
        (FailureKind::Abort, _) => "run the program again; what its calls had done remains",
        (FailureKind::InvalidOutput, Language::TypeScript) => {
            "return JSON: texts, numbers, true, false, null, lists and plain objects"
        }
        (FailureKind::InvalidOutput, Language::Python) => {
            "return JSON: texts, numbers, True, False, None, lists, and dictionaries whose keys are texts"
        }
        (FailureKind::OutputLimit, _) => "print and return less, such as a summary",
        (FailureKind::Memory, _) => "allow more memory with --memory, or keep less at one time",
        (FailureKind::Limit, _) => {
            "let the program do less; where it makes too many calls, allow more with --max-calls"
        }
        (FailureKind::Crash, _) => "run the program again, and report it if it fails again",
    }
}
