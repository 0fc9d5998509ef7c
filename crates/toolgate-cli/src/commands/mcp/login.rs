//! `toolgate mcp login`: somebody logs in at a server, in a browser of their own.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use toolgate::text::Line;
use toolgate_mcp::config::Endpoint;
use toolgate_mcp::transport::begin_login;
use toolgate_mcp::upstream::oauth_of;

use super::pins::said;
use crate::cli::McpLoginArgs;
use crate::fault::UsageError;
use crate::output::Page;
use crate::servers::{Plan, tokens};
use crate::toolbox;

/// How long somebody may take in the browser.
const PATIENCE: Duration = Duration::from_secs(600);

/// Prints where to log in, and waits until somebody has.
pub(super) fn run(args: &McpLoginArgs) -> anyhow::Result<ExitCode> {
    let name = &args.server;
    let workspace = &args.place.workspace;
    let settings = toolbox::configure(workspace, &[])?.settings;
    let plan = Plan::new(&settings.mcp, &toolbox::root_of(workspace)?)?.only(std::slice::from_ref(name))?;
    let store = tokens().ok_or_else(|| {
        UsageError::new("there is no place to keep what the server gives")
            .with_hint("set HOME or XDG_STATE_HOME")
    })?;
    let here = plan.configs.iter().find_map(|config| match &config.endpoint {
        Endpoint::Http { url, oauth, .. } => Some((url.as_str(), oauth)),
        Endpoint::Process { .. } => None,
    });
    let Some((url, oauth)) = here else {
        return Err(UsageError::new(format!("the server `{name}` is a program, at which nobody logs in"))
            .with_hint("give it what it needs in `env`")
            .into());
    };
    if args.forget {
        store.forget(url)?;
        return said(&format!("nothing is kept of a log-in at `{name}` any more"));
    }
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the system gives no resources to log in")?;
    executor.block_on(async {
        let login = begin_login(url, &oauth_of(oauth, store)).await?;
        let mut page = Page::stderr();
        let faint = page.styles().faint;
        let written = writeln!(
            page,
            "to log in at `{}`, go to\n\n  {}\n\n{faint}waiting for {} minutes; Ctrl-C gives up{faint:#}",
            Line(name),
            Line(login.url()),
            PATIENCE.as_secs() / 60
        );
        written.and_then(|()| page.flush()).context("the address could not be shown")?;
        login.wait(PATIENCE).await?;
        anyhow::Ok(())
    })?;
    said(&format!("logged in at `{name}`"))
}
