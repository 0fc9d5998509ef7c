//! `toolgate call`: one call through the whole pipeline, and its result as a card or as JSON.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use toml::Value;
use toolgate::result::code;
use toolgate::tool::ToolResult;
use toolgate::{
    FailureCause, JsonValue, ToolCall, ToolDefinition, ToolExecutionResult, ToolFailure, ToolResultView,
    ToolRuntime,
};
use toolgate_policy::duration;

use crate::cli::CallArgs;
use crate::config::Flag;
use crate::fault::{self, FAILED, INTERRUPTED};
use crate::interrupt::Interrupt;
use crate::output::{Page, until_closed};
use crate::parameters::parameters;
use crate::progress::Spinner;
use crate::toolbox::Tools;
use crate::{arguments, catalog, progress, render, suggest, toolbox};

/// On whose behalf the call is made.
const AGENT: &str = "call";

/// Calls a tool and shows what came of it. A failed call is a shown result and exit code 1, not an error.
pub(super) fn run(args: &CallArgs) -> anyhow::Result<ExitCode> {
    let configuration = toolbox::configure(&args.workspace, &flags(args))?;
    let arguments = arguments::read(args.arguments.as_deref())?;
    let spinner = Arc::new(Spinner::new(&args.name));
    let toolbox = toolbox::prepare(&args.workspace, configuration, &spinner)?;
    let unanswered = toolbox.unanswered.clone();
    let Tools { runtime, servers } = toolbox.for_a_person()?;
    let interrupt = Interrupt::listen().context("Ctrl-C could not be taken over")?;
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the system gives no resources to run a call")?;
    let (result, tool) = executor.block_on(async {
        let servers = servers.for_tool(&args.name).mounted(&runtime).await?;
        let tool = runtime.get(&args.name);
        if let Some(tool) = &tool {
            spinner.say(tool.present_call(&arguments).title());
        }
        let result = execute(&runtime, args, arguments.clone(), &spinner, &interrupt).await;
        servers.close().await;
        anyhow::Ok((result, tool))
    })?;
    let was_interrupted = interrupt.finish();

    if args.json {
        show_record(&result)?;
    } else {
        let hints = unanswered.hints();
        let shown = Shown { args, arguments: &arguments, runtime: &runtime, tool: tool.as_ref(), hints };
        show(&result, &shown)?;
    }
    Ok(match (result.is_error(), was_interrupted) {
        (false, _) => ExitCode::SUCCESS,
        (true, true) => ExitCode::from(INTERRUPTED),
        (true, false) => ExitCode::from(FAILED),
    })
}

/// What the flags say, for the configuration.
fn flags(args: &CallArgs) -> Vec<Flag> {
    let limit = args.timeout.map(|limit| Flag::Value {
        path: vec!["limits".to_owned(), "tools".to_owned(), args.name.clone()],
        value: Value::from(duration::text_of(limit)),
        flag: "--timeout",
    });
    args.policy.flags().into_iter().chain(limit).collect()
}

async fn execute(
    runtime: &ToolRuntime,
    args: &CallArgs,
    arguments: JsonValue,
    spinner: &Spinner,
    interrupt: &Interrupt,
) -> ToolExecutionResult {
    let call = ToolCall::new(args.name.as_str(), arguments, interrupt.token());
    // Approvals are for calls of an agent; this one is the person at the terminal.
    let work = runtime.scope(AGENT).execute(call);
    progress::watch(work, spinner, &interrupt.token()).await
}

/// What is known of a call besides its result.
struct Shown<'a> {
    args: &'a CallArgs,
    arguments: &'a JsonValue,
    runtime: &'a ToolRuntime,
    tool: Option<&'a ToolDefinition>,
    /// What would have let the call run.
    hints: Vec<String>,
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
        hints.extend(shown.hints.iter().cloned());
        hints.extend(hints_for(failure, shown));
        let is_unasked = failure.cause() == FailureCause::ApprovalUnavailable;
        let unasked = if is_unasked { "the call needs an approval, and nobody could be asked\n" } else { "" };
        let message = format!("{unasked}{message}");
        let mut page = Page::stderr();
        let written = fault::show(&mut page, &message, None, &hints).and_then(|()| page.flush());
        until_closed(written).context("the error could not be written")?;
    }
    Ok(())
}

/// The card to show. A failure has one only where there is more to see than its message, which is shown anyway.
fn view_of(result: &ToolExecutionResult, shown: &Shown<'_>) -> Option<ToolResultView> {
    let durable = ToolResult { content: result.content(), error: result.error(), meta: result.meta() };
    let view = shown.tool.map(|tool| tool.present_result(shown.arguments, &durable));
    let view = view.unwrap_or(ToolResultView::Generic { title: None, content: None });
    render::says_more(&view, result.content(), result.error().map(ToolFailure::message)).then_some(view)
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
