//! `toolgate agent`: a model works on a task with the tools of a workspace, and everything is kept in a session.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::pin::pin;
use std::process::ExitCode;
use std::str::FromStr as _;
use std::sync::Arc;

use anyhow::Context as _;
use toolgate::text::{Line, Text};
use toolgate::{ContentBlock, Scope};
use toolgate_agent::model::script::Script;
use toolgate_agent::model::{AnthropicModel, ApiKey, OpenAiModel, Protocol, Provider};
use toolgate_agent::{
    Agent, AgentBuilder, Delta, Live, Prompt, ScriptedModel, SessionRoutes, Subagent, SubagentLimits,
    TurnLimits, TurnReport,
};
use toolgate_policy::LostAnswers;
use toolgate_session::{Durability, Event, SessionId, SqliteBackend, TurnOutcome};

use crate::cli::AgentArgs;
use crate::fault::{FAILED, INTERRUPTED, UsageError};
use crate::interrupt::Interrupt;
use crate::output::{Page, until_closed};
use crate::progress::Spinner;
use crate::toolbox;

/// The scope of the agent.
const NAME: &str = "agent";

const ROLE: &str =
    "You are an agent that works in one directory, the workspace, with the tools that you are given.";

/// Runs one turn. A turn that failed is shown, with exit code 1.
pub(super) fn run(args: &AgentArgs) -> anyhow::Result<ExitCode> {
    let configuration = toolbox::configure(&args.workspace, &args.policy.flags())?;
    let mut toolbox = toolbox::prepare(&args.workspace, configuration, &Arc::new(Spinner::new(NAME)))?;
    toolbox.builder = toolbox.builder.on_execute(LostAnswers::new());
    let routes = SessionRoutes::new();
    toolbox.builder = toolbox.builder.tool(Subagent::new(routes.clone(), SubagentLimits::default()));
    let runtime = toolbox.for_an_agent(routes.clone())?;
    let defaults = TurnLimits::default();
    let limits = TurnLimits { steps: args.max_steps.unwrap_or(defaults.steps), ..defaults };
    let builder =
        model(args, runtime.scope(NAME))?.prompt(Prompt::standard(ROLE)).limits(limits).routes(routes);
    let folder = match &args.sessions {
        Some(folder) => folder.clone(),
        None => default_folder()?,
    };
    let backend = Arc::new(SqliteBackend::new(&folder, Durability::Power)?);
    let executor = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the system gives no resources to run an agent")?;
    let interrupt = Interrupt::listen().context("Ctrl-C could not be taken over")?;
    let report: anyhow::Result<TurnReport> = executor.block_on(async {
        let mut agent = match &args.resume {
            Some(text) => builder.resume(backend, session(text)?).await?,
            None => builder.start(backend, SessionId::generate()).await?,
        };
        let scope = agent.scope().clone();
        let id = agent.session();
        let mut live = agent.watch();
        let task = vec![ContentBlock::text(args.task.as_str())];
        let report = {
            let mut turn = pin!(agent.turn(task, interrupt.token()));
            loop {
                tokio::select! {
                    // What is told before the turn ends is shown before it.
                    biased;
                    told = live.recv() => if let Ok(told) = told { show(&told, &scope)? },
                    report = &mut turn => break report?,
                }
            }
        };
        while let Ok(told) = live.try_recv() {
            show(&told, &scope)?;
        }
        agent.close().await;
        show_end(&report, id)?;
        Ok(report)
    });
    interrupt.finish();
    Ok(match report?.outcome {
        TurnOutcome::Completed => ExitCode::SUCCESS,
        TurnOutcome::Interrupted => ExitCode::from(INTERRUPTED),
        TurnOutcome::LimitReached | TurnOutcome::Failed | TurnOutcome::Crashed => ExitCode::from(FAILED),
    })
}

fn session(text: &str) -> Result<SessionId, UsageError> {
    SessionId::from_str(text).map_err(|error| UsageError::new(error.to_string()))
}

/// The agent's model: a script, or one of a provider.
fn model(args: &AgentArgs, scope: Scope) -> anyhow::Result<AgentBuilder> {
    if let Some(path) = &args.script {
        let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let script = Script::parse(&text).map_err(|error| UsageError::new(error.to_string()))?;
        return Ok(Agent::builder(scope, ScriptedModel::new(script)));
    }
    let Some(model) = &args.model else {
        let error = UsageError::new("there is no model to ask");
        return Err(error
            .with_hint(
                "name one: `--model openai:NAME` with OPENAI_API_KEY, `--model anthropic:NAME` with ANTHROPIC_API_KEY, or \
                 a local server with `--model openai:NAME --base-url http://127.0.0.1:11434/v1`; or try \
                 `--script examples/scripts/fix-test.toml`, which needs none",
            )
            .into());
    };
    let (protocol, variable, name) = match model.split_once(':') {
        Some(("openai", name)) => (Protocol::OpenAi, "OPENAI_API_KEY", name),
        Some(("anthropic", name)) => (Protocol::Anthropic, "ANTHROPIC_API_KEY", name),
        _ => {
            let error = UsageError::new(format!("`{}` names no model", Line(model)));
            return Err(error.with_hint("say `openai:NAME` or `anthropic:NAME`").into());
        }
    };
    let mut provider = Provider::new(protocol, name);
    provider.key = std::env::var(variable).ok().as_deref().and_then(ApiKey::new);
    provider.key_hint = format!("set {variable}");
    if let Some(url) = &args.base_url {
        provider.base_url.clone_from(url);
    }
    Ok(match protocol {
        Protocol::OpenAi => Agent::builder(scope, OpenAiModel::new(provider)),
        Protocol::Anthropic => Agent::builder(scope, AnthropicModel::new(provider)),
    })
}

/// Where sessions are kept unless somebody says otherwise.
fn default_folder() -> Result<PathBuf, UsageError> {
    let of = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = of("XDG_DATA_HOME").or_else(|| of("HOME").map(|home| home.join(".local/share")));
    let missing = || UsageError::new("there is no place for sessions, because HOME is not set");
    let data = data.ok_or_else(|| missing().with_hint("name one with `--sessions DIR`"))?;
    Ok(data.join("toolgate/sessions"))
}

/// Shows what the model says on standard output, and its calls on standard error, as they come.
fn show(live: &Live, scope: &Scope) -> io::Result<()> {
    match live {
        Live::Delta(Delta::Text(text)) => {
            let mut page = Page::stdout();
            until_closed(write!(page, "{}", Text(text)).and_then(|()| page.flush()))
        }
        Live::Delta(Delta::Call { .. }) => Ok(()),
        Live::Event { event, .. } => show_event(event, scope),
    }
}

fn show_event(event: &Event, scope: &Scope) -> io::Result<()> {
    match event {
        Event::AssistantMessage(message) if !message.content.is_empty() => {
            let mut page = Page::stdout();
            until_closed(writeln!(page).and_then(|()| page.flush()))
        }
        Event::ToolCall(call) => {
            let title = match scope.get(&call.name) {
                Some(tool) => tool.present_call(&call.arguments).title().to_owned(),
                None => call.name.clone(),
            };
            let mut page = Page::stderr();
            until_closed(writeln!(page, "> {}", Line(&title)).and_then(|()| page.flush()))
        }
        Event::ToolResult(result) => match &result.error {
            None => Ok(()),
            Some(error) => {
                let mut page = Page::stderr();
                until_closed(writeln!(page, "  failed: {}", Text(&error.message)).and_then(|()| page.flush()))
            }
        },
        Event::TurnStart(_)
        | Event::UserMessage(_)
        | Event::AssistantMessage(_)
        | Event::BodyStarted(_)
        | Event::BodyEnded(_)
        | Event::SubagentStarted(_)
        | Event::CodeDispatchStart(_)
        | Event::CodeDispatch(_)
        | Event::ApprovalAsked(_)
        | Event::ApprovalDecided(_)
        | Event::TurnEnd(_) => Ok(()),
    }
}

fn show_end(report: &TurnReport, id: SessionId) -> io::Result<()> {
    let mut page = Page::stderr();
    let reason = report.reason.as_deref().map(Text);
    let written = match reason {
        Some(reason) => writeln!(page, "{reason}"),
        None => Ok(()),
    };
    let written = written.and_then(|()| writeln!(page, "session {id}"));
    until_closed(written.and_then(|()| page.flush()))
}
