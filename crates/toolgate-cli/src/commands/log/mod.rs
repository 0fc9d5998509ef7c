//! `toolgate log`: the records of sessions, one file for each thing to do with them. Nothing here changes a log.

mod export;
mod follow;
mod list;
mod show;
mod verify;

use std::io::Write as _;
use std::process::ExitCode;

use toolgate::text::Line;
use toolgate_session::Damage;

use crate::cli::{LogAction, LogArgs};
use crate::output::{Page, until_closed};
use crate::sessions::loss;

/// Does one thing with a log.
pub(super) fn run(args: &LogArgs) -> anyhow::Result<ExitCode> {
    match &args.action {
        LogAction::List(args) => list::run(args),
        LogAction::Show(args) => show::run(args),
        LogAction::Follow(args) => follow::run(args),
        LogAction::Export(args) => export::run(args),
        LogAction::Verify(args) => verify::run(args),
    }
}

/// Says on standard error what of a log is lost, beside what is shown of it.
pub(super) fn warn(damage: &Damage) -> anyhow::Result<()> {
    let mut page = Page::stderr();
    let warning = page.styles().warning;
    let written = writeln!(page, "{warning}damage:{warning:#} {}", Line(&loss(damage)));
    Ok(until_closed(written.and_then(|()| page.flush()))?)
}
