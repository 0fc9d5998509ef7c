//! `toolgate call`: one call through the whole pipeline, and its result as a card or as JSON.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use toolgate::result::{FailureCause, code};
use toolgate::tool::ToolResult;
use toolgate::{
    JsonValue, ToolCall, ToolDefinition, ToolExecutionResult, ToolFailure, ToolResultView, ToolRuntime,
};

use crate::cli::CallArgs;
use crate::fault::{self, FAILED, INTERRUPTED};
use crate::interrupt::Interrupt;
use crate::output::{Page, until_closed};
use crate::parameters::parameters;
use crate::progress::Spinner;
use crate::{arguments, catalog, progress, render, suggest, toolbox};

/// Calls a tool and shows what came of it. A failed call is a shown result and exit code 1, not an error.
pub(super) fn run(args: &CallArgs) -> anyhow::Result<ExitCode> {
    let runtime = toolbox::open(&args.workspace)?;
    let arguments = arguments::read(args.arguments.as_deref())?;
    let tool = runtime.get(&args.name);
    let limit = args.timeout.map(|limit| (args.name.as_str(), limit));
    runtime.plug(toolbox::deadlines(limit)).context("the deadlines could not be set up")?;
    let interrupt = Interrupt::listen().context("Ctrl-C could not be taken over")?;
    let result = execute(&runtime, args, arguments.clone(), tool.as_ref(), &interrupt)?;
    let was_interrupted = interrupt.finish();

    if args.json {
        show_record(&result)?;
    } else {
        show(&result, &Shown { args, arguments: &arguments, runtime: &runtime, tool: tool.as_ref() })?;
    }
    Ok(match (result.is_error(), was_interrupted) {
        (false, _) => ExitCode::SUCCESS,
        (true, true) => ExitCode::from(INTERRUPTED),
        (true, false) => ExitCode::from(FAILED),
    })
}

fn execute(
    runtime: &ToolRuntime,
    args: &CallArgs,
    arguments: JsonValue,
    tool: Option<&ToolDefinition>,
    interrupt: &Interrupt,
) -> anyhow::Result<ToolExecutionResult> {
    let title = match tool {
        Some(tool) => tool.present_call(&arguments).title().to_owned(),
        None => args.name.clone(),
    };
    let call = ToolCall::new(args.name.as_str(), arguments, interrupt.token());
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the system gives no resources to run a call")?;
    Ok(executor.block_on(progress::watch(runtime.execute(call), &Spinner::new(&title), &interrupt.token())))
}

/// What is known of a call besides its result.
struct Shown<'a> {
    args: &'a CallArgs,
    arguments: &'a JsonValue,
    runtime: &'a ToolRuntime,
    tool: Option<&'a ToolDefinition>,
}

fn show_record(result: &ToolExecutionResult) -> anyhow::Result<()> {
    let mut page = Page::raw_stdout();
    let written = writeln!(page, "{}", result.to_record_text()).and_then(|()| page.flush());
    until_closed(written).context("the result could not be written")
}

fn show(result: &ToolExecutionResult, shown: &Shown<'_>) -> anyhow::Result<()> {
    if let Some(view) = view_of(result, shown) {
        let mut page = Page::stdout();
        let written = render::card(&mut page, &view, result.content()).and_then(|()| page.flush());
        until_closed(written).context("the result could not be written")?;
    }
    if let Some(failure) = result.error() {
        let (message, mut hints) = fault::split_hints(failure.message());
        hints.extend(hints_for(failure, shown));
        let mut page = Page::stderr();
        let written = fault::show(&mut page, message, None, &hints).and_then(|()| page.flush());
        until_closed(written).context("the error could not be written")?;
    }
    Ok(())
}

/// The card to show. A failure has one only where there is more to see than its message, which is shown anyway.
fn view_of(result: &ToolExecutionResult, shown: &Shown<'_>) -> Option<ToolResultView> {
    let durable = ToolResult { content: result.content(), error: result.error(), meta: result.meta() };
    let view = shown.tool.map(|tool| tool.present_result(shown.arguments, &durable));
    let says_more = match (&view, result.error()) {
        (_, None) => true,
        (None | Some(ToolResultView::Generic { .. }), Some(failure)) => {
            result.text() != format!("Error: {}", failure.message())
        }
        (Some(_), Some(_)) => true,
    };
    says_more.then(|| view.unwrap_or(ToolResultView::Generic { title: None, content: None }))
}

/// What to do about a failure, beyond what the tool itself advises.
fn hints_for(failure: &ToolFailure, shown: &Shown<'_>) -> Vec<String> {
    let mut hints = Vec::new();
    match failure.code() {
        Some(code::UNKNOWN_TOOL) => {
            let tools = shown.runtime.tools();
            let near = suggest::near(&shown.args.name, tools.iter().map(ToolDefinition::name));
            hints.extend(suggest::question(&near));
            hints.push("run `toolgate tools` to see what can be called".to_owned());
        }
        Some(code::INVALID_ARGS) => hints.extend(shown.tool.and_then(usage_of)),
        // What a tool says itself about its time comes with its own advice.
        Some(code::TOOL_TIMEOUT) if failure.cause() == FailureCause::TimedOut => {
            hints.push("allow more time with --timeout, or ask for less".to_owned())
        }
        Some(_) | None => {}
    }
    let key = failure.code().unwrap_or_else(|| failure.cause().as_str());
    if catalog::find(key).is_some() {
        hints.push(format!("run `toolgate explain {key}` to know more"));
    }
    hints
}

/// The arguments that a tool takes, on one line.
fn usage_of(tool: &ToolDefinition) -> Option<String> {
    let list = parameters(tool.parameters())
        .iter()
        .map(|one| format!("{} ({}{})", one.name, one.kind, if one.is_required { ", required" } else { "" }))
        .collect::<Vec<_>>();
    (!list.is_empty()).then(|| format!("`{}` takes {}", tool.name(), list.join(", ")))
}
