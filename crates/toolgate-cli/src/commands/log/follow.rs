//! `toolgate log follow`: records as somebody else appends them, until Ctrl-C.
//!
//! The writer is never asked: what it has acknowledged is looked up in intervals, and read when it has grown.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use toolgate_session::Entry;

use super::show::Form;
use super::warn;
use crate::cli::LogFollowArgs;
use crate::interrupt::Interrupt;
use crate::sessions::{Folder, Kept};

/// How often the log is looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// Follows a log. Ctrl-C is how it ends, so that is success.
pub(super) fn run(args: &LogFollowArgs) -> anyhow::Result<ExitCode> {
    let kept = Folder::open(args.folder.sessions.as_deref())?.find(&args.session)?;
    let from = match args.from {
        Some(from) => from,
        None => kept.backend.acknowledged(kept.id)? + 1,
    };
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .context("the system gives no clock")?;
    let interrupt = Interrupt::listen().context("Ctrl-C could not be taken over")?;
    let form = Form::new(args.json);
    executor.block_on(follow(&kept, from, form, &interrupt))?;
    Ok(ExitCode::SUCCESS)
}

async fn follow(kept: &Kept, from: u64, mut form: Form, interrupt: &Interrupt) -> anyhow::Result<()> {
    let stop = interrupt.token();
    let mut entries = kept.entries(from);
    loop {
        for entry in entries.by_ref() {
            match entry? {
                Entry::Record(record) => form.record(kept.id, &record)?,
                Entry::Damaged(damage) => {
                    form.flush()?;
                    warn(&damage)?;
                }
            }
            if stop.is_cancelled() {
                break;
            }
        }
        form.flush()?;
        loop {
            tokio::select! {
                () = stop.cancelled() => return Ok(()),
                () = tokio::time::sleep(INTERVAL) => {}
            }
            if kept.backend.acknowledged(kept.id)? >= entries.place() {
                break;
            }
        }
    }
}
