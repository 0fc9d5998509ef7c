//! The read engine: a window of a text file of the workspace. Blocking.

use std::io::{Cursor, Read};
use std::sync::Arc;

use super::language::language_of;
use super::line::CollectedLine;
use super::types::{DEFAULT_LIMIT, LineEndings, ReadArgs, ReadLine, ReadOutput};
use super::window::{Window, WindowError, WindowText, take_window};
use crate::change::{Agent, FingerprintedReader, SeenFiles};
use crate::failure::FileToolError;
use crate::stop::{Stop, Stopped};
use crate::workspace::{Workspace, WorkspaceError, shown_text};

/// Who reads, for the record of what agents have seen.
pub(super) struct Sighting {
    pub(super) seen: Arc<SeenFiles>,
    pub(super) agent: Agent,
}

/// Reads the window that `args` ask for.
pub(crate) fn read_file(
    workspace: &Workspace,
    args: &ReadArgs,
    sighting: Option<&Sighting>,
    stop: &Stop,
) -> Result<ReadOutput, FileToolError> {
    let window = Window {
        offset: counted_from_one("offset", args.offset, 1)?,
        limit: counted_from_one("limit", args.limit, DEFAULT_LIMIT)?,
    };
    stop.check()?;
    let opened = workspace.open_file(&args.file_path)?;
    let explain = |error| explain(error, shown_text(&args.file_path));
    let source: Box<dyn Read> = match workspace.open_text(&opened.place, stop) {
        Some(text) => Box::new(Cursor::new(text)),
        None => Box::new(opened.file),
    };
    let text = match sighting {
        None => take_window(source, window, stop).map_err(explain)?,
        Some(Sighting { seen, agent }) => {
            let mut file = FingerprintedReader::new(source);
            let text = take_window(&mut file, window, stop).map_err(explain)?;
            seen.note(*agent, opened.place, file.finish());
            text
        }
    };
    Ok(output(opened.name, window.offset, text))
}

fn counted_from_one(argument: &str, given: Option<u64>, default: u64) -> Result<u64, FileToolError> {
    match given {
        Some(0) => Err(FileToolError::Arguments {
            what: format!("`{argument}` is 0"),
            hint: "lines are counted from 1; leave the argument out to read from the start",
        }),
        Some(number) => Ok(number),
        None => Ok(default),
    }
}

fn explain(error: WindowError, path: String) -> FileToolError {
    match error {
        WindowError::Stopped => Stopped.into(),
        WindowError::Io(source) => WorkspaceError::Io { path, source }.into(),
        WindowError::Binary { offset } => WorkspaceError::BinaryFile { path, offset }.into(),
        WindowError::Utf16 => WorkspaceError::Utf16 { path }.into(),
        WindowError::NotUtf8 { line, offset } => WorkspaceError::NotUtf8 { path, line, offset }.into(),
    }
}

fn output(path: String, offset: u64, text: WindowText) -> ReadOutput {
    let line_endings = line_endings(&text);
    let complete =
        text.lines.len() as u64 == text.total_lines && text.lines.iter().all(|line| line.omitted == 0);
    ReadOutput {
        language: language_of(&path).map(str::to_owned),
        path,
        offset,
        lines: text.lines.into_iter().zip(offset..).map(|(line, number)| shown_line(line, number)).collect(),
        total_lines: text.total_lines,
        truncated: !complete,
        line_endings,
        final_newline: text.final_newline,
        byte_order_mark: text.byte_order_mark,
    }
}

fn shown_line(line: CollectedLine, number: u64) -> ReadLine {
    let text = match line.omitted {
        0 => line.text,
        omitted => format!("{} [… {omitted} more bytes]", line.text),
    };
    ReadLine { number, text }
}

/// The line endings of the lines shown. The last line of the file counts only if it has one.
fn line_endings(text: &WindowText) -> Option<LineEndings> {
    let with = text.lines.iter().filter(|line| line.carriage_return).count();
    let without = text.lines.len() - with;
    match (with, without) {
        (0, 0) => None,
        (0, _) => Some(LineEndings::Lf),
        (_, 0) => Some(LineEndings::Crlf),
        (_, 1) if !text.final_newline && !text.lines.last()?.carriage_return => Some(LineEndings::Crlf),
        _ => Some(LineEndings::Mixed),
    }
}
