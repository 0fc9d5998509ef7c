//! `toolgate mcp doctor`: every server as a row of a table, and what is wrong with it below.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::{Value, json};
use toolgate::text::Line;
use toolgate_mcp::upstream::{Identity, ServerState, ServerStatus};

use super::asked;
use crate::cli::McpServersArgs;
use crate::fault::FAILED;
use crate::output::{Page, until_closed};

/// Shows the servers. One that cannot be used makes the exit code 1.
pub(super) fn run(args: &McpServersArgs) -> anyhow::Result<ExitCode> {
    let all = asked(&args.place.workspace, &args.servers, |servers, _| Ok(servers.status()))?;
    let written = if args.json {
        let mut page = Page::raw_stdout();
        let report: Vec<_> = all.iter().map(to_json).collect();
        writeln!(page, "{}", Value::from(report)).and_then(|()| page.flush())
    } else {
        let mut page = Page::stdout();
        show(&mut page, &all).and_then(|()| page.flush())
    };
    until_closed(written).context("the report could not be written")?;
    let is_down = |status: &ServerStatus| matches!(status.state, ServerState::Down { .. });
    Ok(if all.iter().any(is_down) { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

fn state(status: &ServerStatus) -> &'static str {
    match status.state {
        ServerState::Disabled => "disabled",
        ServerState::Connecting => "connecting",
        ServerState::Ready => "ready",
        ServerState::Down { .. } => "down",
        ServerState::Closed => "closed",
    }
}

/// Everything that is not as it should be, one line or more each.
fn problems(status: &ServerStatus) -> Vec<String> {
    let mut problems = Vec::new();
    if let ServerState::Down { reason, .. } = &status.state {
        problems.push(reason.clone());
    }
    problems
        .extend(status.quarantined.iter().map(|one| format!("`{}` is held back: {}", one.tool, one.reason)));
    problems.extend(status.removed.iter().map(|tool| format!("`{tool}` was there before and is gone")));
    problems.extend(status.warnings.iter().cloned());
    problems
}

fn version(identity: Option<&Identity>) -> String {
    let Some(identity) = identity else { return "-".to_owned() };
    let program = [identity.program.as_deref(), identity.version.as_deref()];
    let program: Vec<_> = program.into_iter().flatten().collect();
    if program.is_empty() { "-".to_owned() } else { program.join(" ") }
}

fn show(page: &mut Page, all: &[ServerStatus]) -> io::Result<()> {
    let styles = page.styles();
    let (title, warning) = (styles.title, styles.warning);
    let mut rows =
        vec![["server", "state", "version", "protocol", "tools", "held back", "latency"].map(str::to_owned)];
    rows.extend(all.iter().map(|status| {
        let latency =
            status.latency.map_or_else(|| "-".to_owned(), |time| format!("{} ms", time.as_millis()));
        let protocol = status.identity.as_ref().map_or("-", |identity| identity.protocol.as_str());
        [
            Line(status.name.as_str()).to_string(),
            state(status).to_owned(),
            Line(&version(status.identity.as_ref())).to_string(),
            Line(protocol).to_string(),
            status.tools.len().to_string(),
            status.quarantined.len().to_string(),
            latency,
        ]
    }));
    let mut widths = [0; 7];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    for (at, row) in rows.iter().enumerate() {
        let cells: Vec<_> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        let line = cells.join("  ");
        let line = line.trim_end();
        if at == 0 { writeln!(page, "{title}{line}{title:#}")? } else { writeln!(page, "{line}")? }
    }
    for status in all {
        for problem in problems(status) {
            let mut lines = problem.lines();
            let first = lines.next().unwrap_or_default();
            writeln!(page, "\n{warning}{}:{warning:#} {}", Line(status.name.as_str()), Line(first))?;
            lines.try_for_each(|line| writeln!(page, "  {}", Line(line)))?;
        }
    }
    Ok(())
}

fn to_json(status: &ServerStatus) -> Value {
    let tools: Vec<_> =
        status.tools.iter().map(|one| json!({ "tool": one.tool, "name": one.name })).collect();
    let quarantined: Vec<_> =
        status.quarantined.iter().map(|one| json!({ "tool": one.tool, "reason": one.reason })).collect();
    let identity = status.identity.as_ref().map(|identity| {
        json!({ "program": identity.program, "version": identity.version, "protocol": identity.protocol })
    });
    json!({
        "server": status.name.as_str(),
        "state": state(status),
        "identity": identity,
        "latency_ms": status.latency.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        "tools": tools,
        "quarantined": quarantined,
        "removed": status.removed,
        "problems": problems(status),
    })
}
