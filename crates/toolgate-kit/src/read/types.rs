//! What the read tool takes and returns.

use serde::{Deserialize, Serialize};
use toolgate::Schema;

/// How many lines are read when no limit is given.
pub(super) const DEFAULT_LIMIT: u64 = 2000;

/// The arguments of the `read` tool.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadArgs {
    /// The file to read: relative to the workspace root, or absolute and inside it.
    pub(crate) file_path: String,
    /// The first line to read, counted from 1. Leave it out to read from the start.
    pub(crate) offset: Option<u64>,
    /// How many lines to read at most, 2000 if left out. The result says how many lines the file has, so read a long
    /// file in several calls.
    pub(crate) limit: Option<u64>,
}

/// A window of a text file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct ReadOutput {
    /// The file, relative to the workspace root.
    pub(crate) path: String,
    /// The first line asked for, counted from 1.
    pub(crate) offset: u64,
    /// The lines of the window. Empty when the offset is past the end.
    pub(crate) lines: Vec<ReadLine>,
    /// How many lines the file has.
    pub(crate) total_lines: u64,
    /// Whether anything of the file is missing here: lines before or after, or the end of a very long line.
    pub(crate) truncated: bool,
    /// The language that the file's name suggests.
    pub(crate) language: Option<String>,
    /// How the lines shown end.
    pub(crate) line_endings: Option<LineEndings>,
    /// Whether the last line of the file ends with a line ending.
    pub(crate) final_newline: bool,
    /// Whether the file starts with a byte order mark. It is not part of the first line here.
    pub(crate) byte_order_mark: bool,
}

/// One line of a file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
pub(crate) struct ReadLine {
    /// Its number, counted from 1.
    pub(crate) number: u64,
    /// Its text without the line ending. Of a very long line the first 2000 characters, and how much is missing.
    pub(crate) text: String,
}

/// How lines end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LineEndings {
    /// With a line feed.
    Lf,
    /// With a carriage return and a line feed.
    Crlf,
    /// Some one way, some the other.
    Mixed,
}
