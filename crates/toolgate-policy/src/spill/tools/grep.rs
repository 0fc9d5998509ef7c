//! The `spill_grep` tool: the lines of a kept text that match a regular expression.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolgate::{ContentBlock, JsonValue, RunContext, Schema, Tool, ToolCallKind, ToolEffect, ToolError};

use super::{GREP, READ, Reader};
use crate::spill::entry::File;
use crate::spill::error::SpillError;
use crate::spill::search::{compile, search};

/// How many lines are given where nothing else is asked for, and at most.
const USUAL_LINES: u64 = 50;
const MOST_LINES: u64 = 500;

/// The arguments of `spill_grep`.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(in crate::spill) struct GrepArgs {
    /// The handle from the notice in the result that was cut.
    handle: String,
    /// The regular expression to look for, in Rust's syntax. It is matched within one line and minds case; start it
    /// with `(?i)` to ignore case.
    pattern: String,
    /// Where to begin, in bytes from the start of the kept text; 0 if left out.
    offset: Option<u64>,
    /// How many lines to give, 50 if left out and 500 at most.
    limit: Option<u64>,
}

/// The lines that match.
#[derive(Debug, Serialize, Deserialize, Schema)]
pub(in crate::spill) struct GrepOutput {
    /// The first of them, in order.
    lines: Vec<GrepLine>,
    /// How many match, from the offset on.
    total: u64,
    /// Where the search ended for lack of time, in bytes; left out where it came to the end.
    stopped_at: Option<u64>,
}

/// One matching line.
#[derive(Debug, Serialize, Deserialize, Schema)]
pub(in crate::spill) struct GrepLine {
    /// Its number, counted from 1.
    number: u64,
    /// Where the first match in it begins, in bytes from the start of the text: an offset for `spill_read`.
    offset: u64,
    /// Its text, of a long line the part around the match; `[…]` marks what is left out.
    text: String,
}

/// Searches what was cut: the tool `spill_grep`.
pub(in crate::spill) struct SpillGrep(pub(in crate::spill) Reader);

impl Tool for SpillGrep {
    type Args = GrepArgs;
    type Output = GrepOutput;

    fn name(&self) -> Cow<'static, str> {
        GREP.into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Find lines that match a regular expression in a result that was cut. The notice in that result gives the \
         handle. Each line comes with its number and with the byte offset of the match, where spill_read can go on."
            .into()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(Duration::from_secs(30))
    }

    async fn run(&self, args: GrepArgs, cx: RunContext) -> Result<GrepOutput, ToolError> {
        let lines = args.limit.unwrap_or(USUAL_LINES);
        if !(1..=MOST_LINES).contains(&lines) {
            let hint = format!("give 1 to {MOST_LINES}, and go on with an offset");
            let wrong = SpillError::Arguments { what: "`limit` is out of range".to_owned(), hint };
            return Err(wrong.into_tool_error());
        }
        let pattern = compile(&args.pattern).map_err(SpillError::into_tool_error)?;
        let (cancellation, offset) = (cx.cancellation().clone(), args.offset.unwrap_or_default());
        let room = (usize::try_from(lines).unwrap_or(usize::MAX), self.0.limits.answer);
        let searched = self.0.with(&args.handle, &cx, move |store, entry| {
            let file = store.open_file(entry, File::Text)?;
            search(&file, &pattern, offset.min(entry.text_bytes), room, &cancellation)
        });
        let matches = searched.await?;
        let line = |found: crate::spill::search::Match| GrepLine {
            number: found.line,
            offset: found.offset,
            text: found.text,
        };
        Ok(GrepOutput {
            lines: matches.found.into_iter().map(line).collect(),
            total: matches.total,
            stopped_at: matches.stopped_at,
        })
    }

    fn render(&self, _args: &JsonValue, output: &GrepOutput) -> Option<Vec<ContentBlock>> {
        let lines = output.lines.iter();
        let lines = lines.map(|line| format!("{} (offset {}): {}", line.number, line.offset, line.text));
        let mut note = format!("{} of {} matching lines", output.lines.len(), output.total);
        if output.total > output.lines.len() as u64 {
            note.push_str(&format!("; narrow the pattern, or go on with a later offset or with {READ}"));
        }
        if let Some(at) = output.stopped_at {
            note.push_str(&format!("; the search took too long and ended at offset {at}"));
        }
        note.push('.');
        let body = lines.collect::<Vec<_>>().join("\n");
        let blocks = [body, note].into_iter().filter(|text| !text.is_empty());
        Some(blocks.map(ContentBlock::text).collect())
    }

    fn is_concurrency_safe(&self, _args: &GrepArgs) -> bool {
        true
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Pure
    }

    fn kind(&self) -> ToolCallKind {
        ToolCallKind::Search
    }
}
