//! `toolgate replay`: a session as it was shown, made of its log alone; or its loop run again, to see whether it still
//! writes the same.
//!
//! No model is asked, and no tool runs.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::{Value, json};
use toolgate::text::{Line, Text, shortened};
use toolgate::{PresentationMode, ToolRuntime};
use toolgate_agent::{Divergence, ReplayReport, SessionRoutes, TurnLimits, replay_offline};
use toolgate_sandbox::Language;
use toolgate_session::replay::{Card, CardChange, CardReader};
use toolgate_session::{Entry, Event, Record, summarize};

use super::log::warn;
use crate::cli::ReplayArgs;
use crate::fault::{FAILED, UsageError};
use crate::output::{Page, counted, grouped, until_closed};
use crate::progress::Spinner;
use crate::sessions::{Folder, Kept, Transcript, loss};
use crate::{code_mode, toolbox};

/// How many records are run again at most: they are held in memory.
const MOST_RECORDS: usize = 1_000_000;

/// How much of a record that differs is shown.
const RECORD_CHARACTERS: usize = 2_000;

/// Shows a session again, or runs it again.
pub(super) fn run(args: &ReplayArgs) -> anyhow::Result<ExitCode> {
    let kept = Folder::open(args.folder.sessions.as_deref())?.find(&args.session)?;
    let runtime = tools(&workspace(args, &kept)?)?;
    if args.offline {
        return offline(args, &kept, &runtime);
    }
    let mut is_whole = true;
    let mut show = Show::new(args.json, |name: &str| runtime.get(name));
    for entry in kept.entries(1) {
        match entry? {
            Entry::Record(record) => show.event(&record.event)?,
            Entry::Damaged(damage) => {
                is_whole = false;
                warn(&damage)?;
            }
        }
    }
    show.flush()?;
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// The directory that a session worked in last, unless another one is named; this one where it is gone.
fn workspace(args: &ReplayArgs, kept: &Kept) -> anyhow::Result<PathBuf> {
    if let Some(named) = &args.workspace {
        return Ok(named.clone());
    }
    let recorded = summarize(&*kept.backend, kept.id)?.workspace.map(PathBuf::from);
    Ok(recorded.filter(|path| path.is_dir()).unwrap_or_else(|| PathBuf::from(".")))
}

/// The tools whose presenters make the cards: all that an agent in this workspace could have.
fn tools(workspace: &Path) -> anyhow::Result<ToolRuntime> {
    let configuration = toolbox::configure(workspace, &[])?;
    let code = code_mode::config(&configuration.settings.code, Language::TypeScript);
    let routes = SessionRoutes::new();
    let mut toolbox = toolbox::prepare(workspace, configuration, &Arc::new(Spinner::new("replay")))?;
    let transport = code_mode::transport(code, routes.clone(), toolbox.clock(), 1)?;
    toolbox.builder = toolbox.builder.presentation_mode(PresentationMode::Both).code_transport(transport);
    Ok(toolbox.for_an_agent(routes)?.runtime)
}

/// How cards are shown.
enum Show<D> {
    People(Box<Transcript<D>>),
    Json(CardReader<D>, Page),
}

impl<D: Fn(&str) -> Option<toolgate::ToolDefinition>> Show<D> {
    fn new(is_json: bool, definition: D) -> Self {
        match is_json {
            true => Self::Json(CardReader::new(definition), Page::raw_stdout()),
            false => Self::People(Box::new(Transcript::whole(definition))),
        }
    }

    fn event(&mut self, event: &Event) -> anyhow::Result<()> {
        let written = match self {
            Self::People(transcript) => transcript.event(event),
            Self::Json(reader, page) => match reader.note(event) {
                Some(CardChange::Settled(card)) => writeln!(page, "{}", to_json(&card)),
                Some(CardChange::Begun(_)) | None => Ok(()),
            },
        };
        written.context("the session could not be shown")
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        match self {
            Self::People(_) => Ok(()),
            Self::Json(_, page) => Ok(until_closed(page.flush())?),
        }
    }
}

fn to_json(card: &Card) -> Value {
    json!({
        "callId": card.call_id.as_str(),
        "parent": card.parent.as_ref().map(toolgate::CallId::as_str),
        "call": card.call,
        "result": card.result,
    })
}

fn offline(args: &ReplayArgs, kept: &Kept, runtime: &ToolRuntime) -> anyhow::Result<ExitCode> {
    let records = whole(kept)?;
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the system gives no resources to run the loop")?;
    // What limited the turns of then is in their records, so nothing else should.
    let limits = TurnLimits {
        steps: u64::MAX,
        context_tokens: u64::MAX,
        turn_tokens: u64::MAX,
        ..TurnLimits::default()
    };
    let scope = runtime.scope("agent");
    let report = executor.block_on(replay_offline(&records, kept.id, scope, limits))?;
    let is_same = report.divergence.is_none();
    let mut page = if args.json { Page::raw_stdout() } else { Page::stdout() };
    let written = if args.json {
        writeln!(page, "{}", report_json(&report))
    } else {
        page.write_all(told(&report).as_bytes())
    };
    until_closed(written.and_then(|()| page.flush())).context("the report could not be written")?;
    Ok(if is_same { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// Every record of a session that has lost none.
fn whole(kept: &Kept) -> anyhow::Result<Vec<Record>> {
    let mut records = Vec::new();
    for entry in kept.entries(1) {
        match entry? {
            Entry::Record(record) if records.len() < MOST_RECORDS => records.push(*record),
            Entry::Record(_) => {
                let most = grouped(MOST_RECORDS as u64);
                let error = UsageError::new(format!(
                    "the session has more than the {most} records that are run again"
                ));
                return Err(error.with_hint("`toolgate replay` without --offline shows it").into());
            }
            Entry::Damaged(damage) if !damage.is_loss() => warn(&damage)?,
            Entry::Damaged(damage) => {
                let what = format!("the session cannot be run again, because {}", loss(&damage));
                return Err(UsageError::new(what)
                    .with_hint("`toolgate replay` without --offline shows what is left")
                    .into());
            }
        }
    }
    Ok(records)
}

fn told(report: &ReplayReport) -> String {
    let turns = counted(report.turns as u64, "turn", "turns");
    let events = counted(report.compared as u64, "event", "events");
    let Some(divergence) = &report.divergence else {
        return format!("no divergence: {turns} and {events} are as they were\n");
    };
    let Divergence { seq, recorded, replayed } = divergence;
    let place = match seq {
        Some(seq) => format!("divergence at record {}", grouped(*seq)),
        None => "divergence behind the last record".to_owned(),
    };
    format!(
        "{place}, after {events} that are as they were\n  recorded: {}\n  replayed: {}\n",
        Line(&side(recorded.as_ref())),
        Line(&side(replayed.as_ref()))
    )
}

fn side(event: Option<&Event>) -> String {
    match event {
        Some(event) => shortened(&Text(&event_json(event).to_string()).to_string(), RECORD_CHARACTERS),
        None => "nothing".to_owned(),
    }
}

/// An event as its record has it, without place and time.
fn event_json(event: &Event) -> Value {
    let record = Record { seq: 0, time: String::new(), event: event.clone() };
    let line: Value = serde_json::from_slice(&record.to_line()).unwrap_or(Value::Null);
    json!({ "type": event.kind(), "data": line.get("data") })
}

fn report_json(report: &ReplayReport) -> Value {
    let divergence = report.divergence.as_ref().map(|divergence| {
        json!({
            "seq": divergence.seq,
            "recorded": divergence.recorded.as_ref().map(event_json),
            "replayed": divergence.replayed.as_ref().map(event_json),
        })
    });
    json!({ "turns": report.turns, "compared": report.compared, "divergence": divergence })
}
