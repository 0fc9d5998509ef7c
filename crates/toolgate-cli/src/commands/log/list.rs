//! `toolgate log list`: where each log is kept, and how many records it has.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use toolgate::text::Line;

use crate::cli::LogListArgs;
use crate::fault::FAILED;
use crate::output::{Page, grouped, until_closed};
use crate::sessions::{Folder, Kept, unreadable};

/// Lists the logs of a folder, the oldest first. One that cannot be read is named on standard error, with exit code 1.
pub(super) fn run(args: &LogListArgs) -> anyhow::Result<ExitCode> {
    let folder = Folder::open(args.folder.sessions.as_deref())?;
    let mut logs = Vec::new();
    let mut is_whole = true;
    for kept in folder.list()? {
        match kept.backend.acknowledged(kept.id) {
            Ok(records) => logs.push(Log::of(kept, records)),
            Err(error) => {
                is_whole = false;
                unreadable(&kept, error)?;
            }
        }
    }
    let written = if args.json {
        let list: Vec<_> = logs.iter().map(Log::to_json).collect();
        let mut page = Page::raw_stdout();
        writeln!(page, "{}", serde_json::Value::Array(list)).and_then(|()| page.flush())
    } else {
        let mut page = Page::stdout();
        show(&mut page, &folder, &logs).and_then(|()| page.flush())
    };
    until_closed(written).context("the list could not be written")?;
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// What is known of a log without reading it.
struct Log {
    kept: Kept,
    records: u64,
    bytes: u64,
}

impl Log {
    fn of(kept: Kept, records: u64) -> Self {
        let bytes = kept.path.metadata().map_or(0, |metadata| metadata.len());
        Self { kept, records, bytes }
    }

    fn to_json(&self) -> serde_json::Value {
        json!({
            "id": self.kept.id.to_string(),
            "store": self.kept.store.as_str(),
            "records": self.records,
            "bytes": self.bytes,
            "path": self.kept.path.to_string_lossy(),
        })
    }
}

fn show(page: &mut Page, folder: &Folder, logs: &[Log]) -> io::Result<()> {
    let faint = page.styles().faint;
    for log in logs {
        let Log { kept, records, bytes } = log;
        writeln!(
            page,
            "{}  {:<6}  {:>9} records  {:>13} bytes",
            kept.id,
            kept.store.as_str(),
            grouped(*records),
            grouped(*bytes)
        )?;
    }
    writeln!(
        page,
        "{faint}{} in {}{faint:#}",
        crate::output::counted(logs.len() as u64, "log", "logs"),
        Line(&folder.path().display().to_string())
    )
}
