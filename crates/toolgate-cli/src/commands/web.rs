//! `toolgate web`: sessions, approvals and tools in the browser, served from this machine.

use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use tempfile::NamedTempFile;
use toolgate::Scope;
use toolgate_agent::{Prompt, SessionRoutes, Subagent, SubagentLimits, TurnLimits};
use toolgate_policy::LostAnswers;
use toolgate_sandbox::Language;
use toolgate_web::{MakeAgent, Secret, WebConfig, WebParts, WebServer};

use super::agent::ROLE;
use super::agent::model;
use crate::cli::{AgentMode, WebArgs};
use crate::code_mode;
use crate::interrupt::Interrupt;
use crate::output::{Page, until_closed};
use crate::progress::Spinner;
use crate::sessions::default_folder;
use crate::toolbox::{self, Tools};

/// The file beside the sessions in which the secret of the browsers is kept.
const SECRET: &str = "web-secret";

/// Serves until it is interrupted.
pub(super) fn run(args: &WebArgs) -> anyhow::Result<ExitCode> {
    let configuration = toolbox::configure(&args.workspace, &args.flags())?;
    let settings = configuration.settings.clone();
    let has_model =
        args.model.model.is_some() || args.model.script.is_some() || settings.model.name.is_some();
    let chosen = if has_model { Some(model::choose(&args.model, &settings.model)?) } else { None };
    let folder = match &args.sessions {
        Some(folder) => folder.clone(),
        None => default_folder()?,
    };
    let backend = settings.sessions.store.backend(&folder)?;
    let secret = secret(&folder)?;
    let routes = SessionRoutes::new();
    let mut toolbox = toolbox::prepare(&args.workspace, configuration, &Arc::new(Spinner::new("web")))?;
    toolbox.builder = toolbox.builder.on_execute(LostAnswers::new());
    toolbox.builder = toolbox.builder.tool(Subagent::new(routes.clone(), SubagentLimits::default()));
    if settings.agent.mode != AgentMode::Native {
        let code = code_mode::config(&settings.code, Language::TypeScript);
        let transport = code_mode::transport(code, routes.clone(), toolbox.clock())?;
        let mode = settings.agent.mode.presentation();
        toolbox.builder = toolbox.builder.presentation_mode(mode).code_transport(transport);
    }
    let (people, permissions) = (toolbox.people(), toolbox.permissions.clone());
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
        .context("the system gives no resources to serve pages")?;
    let asked = match chosen {
        Some(chosen) => Some(executor.block_on(chosen.asked())?),
        None => None,
    };
    let workspace = toolbox::root_of(&args.workspace)?.display().to_string();
    let agents = asked.map(|asked| -> Box<MakeAgent> {
        Box::new(move |scope: Scope| {
            let builder = asked.builder(scope).prompt(Prompt::standard(ROLE)).limits(limits);
            builder.routes(routes.clone()).workspace(workspace.clone())
        })
    });
    let parts = WebParts { runtime: runtime.clone(), backend, people, permissions, agents };
    let config = WebConfig { address: args.listen, names: args.hosts.clone(), secret };
    let interrupt = Interrupt::listen().context("Ctrl-C could not be taken over")?;
    executor.block_on(async {
        let servers = servers.mounted(&runtime).await?;
        let served = serve(parts, config, &interrupt).await;
        servers.close().await;
        served
    })?;
    interrupt.finish();
    Ok(ExitCode::SUCCESS)
}

async fn serve(parts: WebParts, config: WebConfig, interrupt: &Interrupt) -> anyhow::Result<()> {
    let server = WebServer::bind(parts, config).await?;
    announce(&server.link()?).context("the link could not be shown")?;
    Ok(server.serve(interrupt.token()).await?)
}

fn announce(link: &str) -> io::Result<()> {
    let mut page = Page::stdout();
    until_closed(writeln!(page, "{link}").and_then(|()| page.flush()))?;
    let mut page = Page::stderr();
    let hint = page.styles().hint;
    let written = writeln!(
        page,
        "{hint}hint:{hint:#} open the link in a browser; it is good for one, once. Ctrl-C ends this."
    );
    until_closed(written.and_then(|()| page.flush()))
}

/// The secret of before, so that browsers that are in stay in; or a new one, which only the user can read.
fn secret(folder: &Path) -> anyhow::Result<Secret> {
    let path = folder.join(SECRET);
    if let Some(secret) = kept(&path)? {
        return Ok(secret);
    }
    let secret = Secret::draw()?;
    let failed = || format!("`{}` could not be written", path.display());
    // Made for the user alone, and put into its place whole.
    let mut file = NamedTempFile::new_in(folder).with_context(failed)?;
    file.write_all(secret.reveal().as_bytes()).with_context(failed)?;
    file.persist(&path).with_context(failed)?;
    Ok(secret)
}

fn kept(path: &Path) -> anyhow::Result<Option<Secret>> {
    let failed = || format!("`{}` could not be read", path.display());
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(failed),
    };
    // One that others can read is no secret, and another is drawn.
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        if file.metadata().with_context(failed)?.mode() & 0o077 != 0 {
            return Ok(None);
        }
    }
    let mut digits = String::new();
    file.take(1_000).read_to_string(&mut digits).with_context(failed)?;
    Ok(Secret::parse(digits.trim()))
}
