//! `toolgate agent`: a model works on a task with the tools of a workspace, and everything is kept in a session.

pub(super) mod model;
mod screen;

use std::path::PathBuf;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use toolgate::ContentBlock;
use toolgate_agent::{AgentBuilder, Prompt, SessionRoutes, Subagent, SubagentLimits, TurnLimits, TurnReport};
use toolgate_policy::LostAnswers;
use toolgate_sandbox::Language;
use toolgate_session::{SessionId, TurnOutcome, summarize};

use crate::cli::{AgentArgs, AgentMode};
use crate::fault::{FAILED, INTERRUPTED, UsageError};
use crate::interrupt::Interrupt;
use crate::progress::Spinner;
use crate::sessions::{Folder, Kept, Store, default_folder};
use crate::toolbox::Tools;
use crate::{code_mode, toolbox};
use screen::Screen;

/// The scope of the agent.
const NAME: &str = "agent";

/// What the model is told that it is.
pub(super) const ROLE: &str =
    "You are an agent that works in one directory, the workspace, with the tools that you are given.";

/// Runs one turn. A turn that failed is shown, with exit code 1.
pub(super) fn run(args: &AgentArgs) -> anyhow::Result<ExitCode> {
    if args.task.trim().is_empty() {
        return Err(UsageError::new("the task is empty").with_hint("say in words what to do").into());
    }
    let session = match &args.resume {
        Some(text) => Session::Kept(Folder::open(args.sessions.as_deref())?.find(text)?),
        None => Session::New,
    };
    let workspace = workspace(args, &session)?;
    let configuration = toolbox::configure(&workspace, &args.flags())?;
    let settings = configuration.settings.clone();
    let model = model::choose(&args.model, &settings.model)?;
    let mode = settings.agent.mode;
    let routes = SessionRoutes::new();
    let mut toolbox = toolbox::prepare(&workspace, configuration, &Arc::new(Spinner::new(NAME)))?;
    toolbox.builder = toolbox.builder.on_execute(LostAnswers::new());
    toolbox.builder = toolbox.builder.tool(Subagent::new(routes.clone(), SubagentLimits::default()));
    if mode != AgentMode::Native {
        let code = code_mode::config(&settings.code, Language::TypeScript);
        let transport = code_mode::transport(code, routes.clone(), toolbox.clock(), 1)?;
        toolbox.builder = toolbox.builder.presentation_mode(mode.presentation()).code_transport(transport);
    }
    let Tools { runtime, servers } = toolbox.for_an_agent(routes.clone())?;
    let limits = TurnLimits {
        steps: settings.agent.max_steps,
        context_tokens: settings.agent.context_tokens,
        turn_tokens: settings.agent.turn_tokens,
        ..TurnLimits::default()
    };
    let executor = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the system gives no resources to run an agent")?;
    let builder = executor
        .block_on(model.builder(runtime.scope(NAME)))?
        .prompt(Prompt::standard(ROLE))
        .limits(limits)
        .routes(routes)
        .workspace(toolbox::root_of(&workspace)?.display().to_string());
    let interrupt = Interrupt::listen().context("Ctrl-C could not be taken over")?;
    let report = executor.block_on(async {
        let servers = servers.mounted(&runtime).await?;
        let report = turn(args, builder, session, settings.sessions.store, &interrupt).await;
        servers.close().await;
        report
    });
    interrupt.finish();
    Ok(match report?.outcome {
        TurnOutcome::Completed => ExitCode::SUCCESS,
        TurnOutcome::Interrupted => ExitCode::from(INTERRUPTED),
        TurnOutcome::LimitReached | TurnOutcome::Failed | TurnOutcome::Crashed => ExitCode::from(FAILED),
    })
}

/// The session to work in.
enum Session {
    New,
    Kept(Kept),
}

/// The directory to work in: the one that somebody names, else that in which the session has worked, else this one.
fn workspace(args: &AgentArgs, session: &Session) -> anyhow::Result<PathBuf> {
    if let Some(named) = &args.workspace {
        return Ok(named.clone());
    }
    let recorded = match session {
        Session::New => None,
        Session::Kept(kept) => summarize(&*kept.backend, kept.id)?.workspace.map(PathBuf::from),
    };
    match recorded {
        Some(path) if !path.is_dir() => {
            let message =
                format!("the session worked in `{}`, which is no directory any more", path.display());
            Err(UsageError::new(message).with_hint("say with --workspace DIR where it goes on").into())
        }
        Some(path) => Ok(path),
        None => Ok(PathBuf::from(".")),
    }
}

async fn turn(
    args: &AgentArgs,
    builder: AgentBuilder,
    session: Session,
    store: Store,
    interrupt: &Interrupt,
) -> anyhow::Result<TurnReport> {
    let (mut agent, backend) = match session {
        Session::Kept(kept) => {
            let agent = builder.resume(Arc::clone(&kept.backend), kept.id).await?;
            (agent, kept.backend)
        }
        Session::New => {
            let folder = match &args.sessions {
                Some(folder) => folder.clone(),
                None => default_folder()?,
            };
            let backend = store.backend(&folder)?;
            let agent = builder.start(Arc::clone(&backend), SessionId::generate()).await?;
            (agent, backend)
        }
    };
    let scope = agent.scope().clone();
    let id = agent.session();
    let mut live = agent.watch();
    // What was said before is not shown again.
    let from = backend.acknowledged(id)? + 1;
    let mut screen = Screen::new(args.json, &*backend, id, from, move |name: &str| scope.get(name));
    screen.begin()?;
    let task = vec![ContentBlock::text(args.task.as_str())];
    let report = {
        let mut turn = pin!(agent.turn(task, interrupt.token()));
        loop {
            tokio::select! {
                // What is told before the turn ends is shown before it.
                biased;
                told = live.recv() => screen.show(told)?,
                report = &mut turn => break report,
            }
        }
    };
    agent.close().await;
    // Also where the turn could not go on: what is in the log, happened.
    screen.finish()?;
    Ok(report?)
}
