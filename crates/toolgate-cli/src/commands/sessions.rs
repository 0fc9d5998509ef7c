//! `toolgate sessions`: which sessions there are, for people who look for one.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::{Value, json};
use toolgate::text::{Line, shortened};
use toolgate_session::{Summary, TurnOutcome, summarize};

use crate::cli::{SessionState, SessionsArgs};
use crate::fault::FAILED;
use crate::output::{Page, counted, grouped, until_closed};
use crate::sessions::{Folder, Kept, unreadable};

/// How much of a task is shown.
const TASK_CHARACTERS: usize = 70;

/// Lists sessions, the latest first. Reads one after the other, and no more of them than are listed. One that cannot be read
/// is named on standard error, with exit code 1.
pub(super) fn run(args: &SessionsArgs) -> anyhow::Result<ExitCode> {
    let folder = Folder::open(args.folder.sessions.as_deref())?;
    let mut all = folder.list()?;
    all.reverse();
    let most = if args.limit == 0 { usize::MAX } else { args.limit };
    let mut listed = Vec::new();
    let (mut left, mut is_whole) = (0, true);
    for kept in all {
        if listed.len() >= most {
            left += 1;
            continue;
        }
        match summarize(&*kept.backend, kept.id) {
            Ok(summary) if is_wanted(args, &summary) => listed.push((kept, summary)),
            Ok(_) => {}
            // The others can be listed all the same.
            Err(error) => {
                is_whole = false;
                unreadable(&kept, error)?;
            }
        }
    }
    let written = if args.json {
        let list = listed.iter().map(|(kept, summary)| to_json(kept, summary)).collect();
        let mut page = Page::raw_stdout();
        writeln!(page, "{}", Value::Array(list)).and_then(|()| page.flush())
    } else {
        let mut page = Page::stdout();
        show(&mut page, &folder, &listed, left).and_then(|()| page.flush())
    };
    until_closed(written).context("the list could not be written")?;
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

fn is_wanted(args: &SessionsArgs, summary: &Summary) -> bool {
    let has_text = |text: &str| {
        let texts = [&summary.task, &summary.model];
        let text = text.to_lowercase();
        texts.into_iter().flatten().any(|one| one.to_lowercase().contains(&text))
    };
    args.text.as_deref().is_none_or(has_text) && args.state.is_none_or(|wanted| wanted == state(summary))
}

fn state(summary: &Summary) -> SessionState {
    match summary.outcome {
        _ if summary.is_damaged => SessionState::Damaged,
        None => SessionState::Open,
        Some(TurnOutcome::Completed) => SessionState::Completed,
        Some(TurnOutcome::Interrupted) => SessionState::Interrupted,
        Some(TurnOutcome::LimitReached) => SessionState::LimitReached,
        Some(TurnOutcome::Failed) => SessionState::Failed,
        Some(TurnOutcome::Crashed) => SessionState::Crashed,
    }
}

/// The word for it: that of the log where a log has one.
fn word(summary: &Summary) -> &'static str {
    match summary.outcome {
        _ if summary.is_damaged => "damaged",
        None => "open",
        Some(outcome) => outcome.as_str(),
    }
}

fn show(page: &mut Page, folder: &Folder, listed: &[(Kept, Summary)], left: usize) -> io::Result<()> {
    let styles = page.styles();
    let (title, faint, warning) = (styles.title, styles.faint, styles.warning);
    for (kept, summary) in listed {
        let style = match state(summary) {
            SessionState::Completed => faint,
            SessionState::Open
            | SessionState::Interrupted
            | SessionState::LimitReached
            | SessionState::Failed
            | SessionState::Crashed
            | SessionState::Damaged => warning,
        };
        let began = summary.began.as_deref().unwrap_or("never");
        // To the second, in the time zone of the record.
        let began = began.get(..19).unwrap_or(began).replacen('T', " ", 1);
        let workspace = summary.workspace.as_ref().map(|path| format!(", {}", Line(path)));
        let task = shortened(summary.task.as_deref().unwrap_or("(nothing was said)"), TASK_CHARACTERS);
        writeln!(
            page,
            "{title}{}{title:#}  {}  {style}{}{style:#}\n  {}\n  {faint}{}, {}, {} tokens read, {} written, {}{}{}{faint:#}",
            kept.id,
            Line(&began),
            word(summary),
            Line(&task),
            counted(summary.turns, "turn", "turns"),
            counted(summary.calls, "call", "calls"),
            grouped(summary.usage.input),
            grouped(summary.usage.output),
            Line(summary.model.as_deref().unwrap_or("no model")),
            workspace.unwrap_or_default(),
            summary.parent.as_ref().map(|parent| format!(", for {}", Line(parent))).unwrap_or_default(),
        )?;
    }
    if left > 0 {
        writeln!(page, "{faint}… {} more; --limit 0 lists all{faint:#}", grouped(left as u64))?;
    }
    if listed.is_empty() {
        let path = folder.path().display().to_string();
        writeln!(page, "{faint}no session in {}{faint:#}", Line(&path))?;
    }
    Ok(())
}

fn to_json(kept: &Kept, summary: &Summary) -> Value {
    json!({
        "id": kept.id.to_string(),
        "began": summary.began,
        "changed": summary.changed,
        "state": word(summary),
        "turns": summary.turns,
        "calls": summary.calls,
        "records": summary.records,
        "workspace": summary.workspace,
        "model": summary.model,
        "parent": summary.parent,
        "task": summary.task,
        "tokens": { "input": summary.usage.input, "output": summary.usage.output },
        "store": kept.store.as_str(),
    })
}
