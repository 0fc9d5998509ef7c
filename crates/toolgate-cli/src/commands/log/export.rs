//! `toolgate log export`: a log as JSON lines, byte for byte as its records are kept, whatever keeps them.

use std::io::Write as _;
use std::process::ExitCode;

use toolgate_session::Entry;

use super::warn;
use crate::cli::LogExportArgs;
use crate::fault::FAILED;
use crate::output::{Page, until_closed};
use crate::sessions::Folder;

/// Writes every record that can be read. What is lost is said on standard error, with exit code 1.
pub(super) fn run(args: &LogExportArgs) -> anyhow::Result<ExitCode> {
    let kept = Folder::open(args.folder.sessions.as_deref())?.find(&args.session)?;
    let mut page = Page::raw_stdout();
    let mut is_whole = true;
    for entry in kept.entries(1) {
        match entry? {
            Entry::Record(record) => {
                page.write_all(&record.to_line())?;
                writeln!(page)?;
            }
            Entry::Damaged(damage) => {
                is_whole = false;
                warn(&damage)?;
            }
        }
    }
    until_closed(page.flush())?;
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}
