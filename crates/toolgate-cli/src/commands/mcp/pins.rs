//! `toolgate mcp diff`, `approve` and `pin`: what tools say of themselves, beside what they said when first seen.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::{Value, json};
use toolgate::text::{Line, Text};
use toolgate_mcp::config::ServerName;
use toolgate_mcp::pin::{Drift, DriftKind, Pins};
use toolgate_mcp::upstream::{ServerState, Servers};

use super::asked;
use crate::cli::{McpApproveArgs, McpPinArgs, McpServersArgs};
use crate::fault::{FAILED, UsageError};
use crate::output::{Page, counted, until_closed};

/// Shows what differs: exit code 1, or 0 where nothing does.
pub(super) fn diff(args: &McpServersArgs) -> anyhow::Result<ExitCode> {
    let drifts = asked(&args.place.workspace, &args.servers, |servers, pins| {
        for name in servers.status().iter().map(|status| status.name.as_str()) {
            answered(servers, name)?;
        }
        Ok(kept(pins)?.diff())
    })?;
    let written = if args.json {
        let mut page = Page::raw_stdout();
        let report: Vec<_> = drifts.iter().map(to_json).collect();
        writeln!(page, "{}", Value::from(report)).and_then(|()| page.flush())
    } else {
        let mut page = Page::stdout();
        show(&mut page, &drifts).and_then(|()| page.flush())
    };
    until_closed(written).context("the difference could not be written")?;
    Ok(if drifts.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// Pins what some tools say of themselves now.
pub(super) fn approve(args: &McpApproveArgs) -> anyhow::Result<ExitCode> {
    asked(&args.place.workspace, std::slice::from_ref(&args.server), |servers, pins| {
        let name = answered(servers, &args.server)?;
        let pins = kept(pins)?;
        for tool in &args.tools {
            pins.approve(&name, tool)?;
        }
        Ok(())
    })?;
    said(&format!("{} of `{}` approved", counted(args.tools.len() as u64, "tool", "tools"), args.server))
}

/// Pins everything that some servers say of their tools now.
pub(super) fn pin(args: &McpPinArgs) -> anyhow::Result<ExitCode> {
    let mut lines = Vec::new();
    asked(&args.place.workspace, &args.servers, |servers, pins| {
        for server in &args.servers {
            let count = kept(pins)?.pin(&answered(servers, server)?)?;
            lines.push(format!("{} of `{server}` pinned", counted(count as u64, "tool", "tools")));
        }
        Ok(())
    })?;
    said(&lines.join("\n"))
}

/// The pins, without which nothing can be said.
fn kept(pins: Option<&Pins>) -> anyhow::Result<&Pins> {
    pins.ok_or_else(|| {
        UsageError::new("there is no place to keep what tools say of themselves")
            .with_hint("set HOME or XDG_STATE_HOME, or name a file with `mcp.lock`")
            .into()
    })
}

/// The name of a server that has answered; an error tells why another one has not.
fn answered(servers: &Servers, name: &str) -> anyhow::Result<ServerName> {
    let status = servers.status().into_iter().find(|status| status.name.as_str() == name);
    let status = status.with_context(|| format!("there is no server `{name}`"))?;
    match status.state {
        ServerState::Down { reason, .. } => {
            Err(anyhow::anyhow!("the server `{name}` cannot be used: {reason}"))
        }
        ServerState::Disabled => Err(UsageError::new(format!("the server `{name}` is disabled"))
            .with_hint("set `enabled` to true")
            .into()),
        ServerState::Connecting | ServerState::Ready | ServerState::Closed => Ok(status.name),
    }
}

fn show(page: &mut Page, drifts: &[Drift]) -> io::Result<()> {
    let title = page.styles().title;
    for Drift { server, tool, kind } in drifts {
        let (what, difference) = match kind {
            DriftKind::Changed(difference) => ("changed", difference.as_str()),
            DriftKind::Added(difference) => ("new", difference.as_str()),
            DriftKind::Removed => ("gone", ""),
        };
        writeln!(page, "{title}{} {}: {what}{title:#}", Line(server), Line(tool))?;
        write!(page, "{}", Text(difference))?;
    }
    if drifts.is_empty() {
        writeln!(page, "every tool describes itself as it did when it was first seen")?;
    }
    Ok(())
}

fn to_json(drift: &Drift) -> Value {
    let (kind, difference) = match &drift.kind {
        DriftKind::Changed(difference) => ("changed", Some(difference)),
        DriftKind::Added(difference) => ("new", Some(difference)),
        DriftKind::Removed => ("gone", None),
    };
    json!({ "server": drift.server, "tool": drift.tool, "kind": kind, "difference": difference })
}

pub(super) fn said(text: &str) -> anyhow::Result<ExitCode> {
    let mut page = Page::stdout();
    let written = writeln!(page, "{}", Text(text)).and_then(|()| page.flush());
    until_closed(written).context("the answer could not be written")?;
    Ok(ExitCode::SUCCESS)
}
