//! `toolgate log verify`: which records of which sessions are lost.

use std::io::{self, Write as _};
use std::process::ExitCode;

use serde_json::json;
use toolgate::text::Line;
use toolgate_session::StoreError;
use toolgate_session::verify::{Verification, verify};

use crate::cli::LogVerifyArgs;
use crate::fault::FAILED;
use crate::output::{Page, counted, grouped, until_closed};
use crate::sessions::{Folder, Kept, loss};

/// Checks sessions. One that is damaged, or cannot be read at all, makes exit code 1.
pub(super) fn run(args: &LogVerifyArgs) -> anyhow::Result<ExitCode> {
    let folder = Folder::open(args.folder.as_deref())?;
    let sessions = match args.sessions.as_slice() {
        [] => folder.list()?,
        named => named.iter().map(|text| folder.find(text)).collect::<anyhow::Result<_>>()?,
    };
    let mut is_whole = true;
    let mut page = if args.json { Page::raw_stdout() } else { Page::stdout() };
    let mut list = Vec::new();
    for kept in &sessions {
        let found = verify(&*kept.backend, kept.id);
        is_whole &= found.as_ref().is_ok_and(Verification::is_whole);
        if args.json {
            list.push(to_json(kept, &found));
        } else {
            show(&mut page, kept, found)?;
        }
    }
    if args.json {
        writeln!(page, "{}", serde_json::Value::Array(list))?;
    }
    until_closed(page.flush())?;
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

fn show(page: &mut Page, kept: &Kept, found: Result<Verification, StoreError>) -> io::Result<()> {
    let styles = page.styles();
    let (faint, warning, ok) = (styles.faint, styles.warning, styles.added);
    let id = kept.id;
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            let why = format!("{:#}", anyhow::Error::from(error));
            return writeln!(page, "{id}  {warning}unreadable:{warning:#} {}", Line(&why));
        }
    };
    let records = counted(found.intact, "record", "records");
    if found.is_whole() {
        writeln!(page, "{id}  {ok}whole{ok:#}    {records}")?;
    } else {
        writeln!(page, "{id}  {warning}damaged{warning:#}  {records} can be read")?;
    }
    for damage in &found.damage {
        writeln!(page, "  {}", Line(&loss(damage)))?;
    }
    if let Some(tail) = &found.torn_tail {
        writeln!(
            page,
            "  {faint}bytes {} to {} are a half-written record, of which nobody was told; the next writer drops it{faint:#}",
            grouped(tail.start),
            grouped(tail.end.saturating_sub(1))
        )?;
    }
    Ok(())
}

fn to_json(kept: &Kept, found: &Result<Verification, StoreError>) -> serde_json::Value {
    let id = kept.id.to_string();
    let found = match found {
        Ok(found) => found,
        Err(error) => return json!({ "id": id, "whole": false, "error": error.to_string() }),
    };
    let bytes = |range: &std::ops::Range<u64>| json!([range.start, range.end]);
    let damage: Vec<_> = found
        .damage
        .iter()
        .map(|damage| {
            json!({
                "first": damage.first,
                "last": damage.last,
                "bytes": damage.bytes.as_ref().map(bytes),
                "reason": damage.reason,
            })
        })
        .collect();
    json!({
        "id": id,
        "whole": found.is_whole(),
        "records": found.intact,
        "damage": damage,
        "tornTail": found.torn_tail.as_ref().map(bytes),
    })
}
