//! The `spill_query` tool: a part of a kept JSON value by its JSON pointer.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolgate::{ContentBlock, JsonValue, RunContext, Schema, Tool, ToolCallKind, ToolEffect, ToolError};

use super::{QUERY, Reader};
use crate::spill::error::SpillError;
use crate::spill::pointer::Pointer;
use crate::spill::scan;
use crate::spill::window::read_from;

/// The arguments of `spill_query`.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(in crate::spill) struct QueryArgs {
    /// The handle from the notice in the result that was cut.
    handle: String,
    /// The JSON pointer of the part, such as `/items/0/name`; the empty text means the whole value. `~1` is a `/` in a
    /// name, `~0` a `~`.
    pointer: String,
    /// How much of the part's text to skip, in bytes; for parts that are longer than an answer.
    offset: Option<u64>,
    /// How much of its text to give, in bytes.
    limit: Option<u64>,
}

/// A part of a kept value.
#[derive(Debug, Serialize, Deserialize, Schema)]
pub(in crate::spill) struct QueryOutput {
    /// `object`, `array`, `string`, `number`, `boolean` or `null`.
    kind: String,
    /// The JSON text of the part, from `offset` on; all of it where `end` is `total`.
    text: String,
    /// Where the text begins in that of the part, in bytes.
    offset: u64,
    /// Where it ends: the offset to go on with, unless it is `total`.
    end: u64,
    /// How long the part's text is, in bytes.
    total: u64,
    /// How many members a list or object has.
    members: Option<u64>,
    /// The names of an object's first members, where its text is not given whole.
    names: Option<Vec<String>>,
}

/// Takes a part out of what was cut: the tool `spill_query`.
pub(in crate::spill) struct SpillQuery(pub(in crate::spill) Reader);

impl Tool for SpillQuery {
    type Args = QueryArgs;
    type Output = QueryOutput;

    fn name(&self) -> Cow<'static, str> {
        QUERY.into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Take a part of a JSON value whose result was cut, by JSON pointer. The notice in that result gives the handle. \
         Of a part that is too long for an answer it gives the beginning, the number of members and the first names, so \
         that a longer pointer can be chosen."
            .into()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(Duration::from_secs(30))
    }

    async fn run(&self, args: QueryArgs, cx: RunContext) -> Result<QueryOutput, ToolError> {
        let limit = self.0.answer(args.limit).map_err(SpillError::into_tool_error)?;
        let pointer = Pointer::parse(&args.pointer).map_err(SpillError::into_tool_error)?;
        let (cancellation, skip) = (cx.cancellation().clone(), args.offset.unwrap_or_default());
        let queried = self.0.with(&args.handle, &cx, move |store, entry| {
            let json = entry.json().ok_or(SpillError::NotJson)?;
            let part = scan::find(store.open_file(entry, json)?, &pointer, &cancellation)?;
            let total = part.end - part.start;
            if skip > total {
                return Err(SpillError::Arguments {
                    what: format!("`offset` {skip} is behind the end of the part"),
                    hint: format!("its text has {total} bytes"),
                });
            }
            let file = store.open_file(entry, json)?;
            let window = read_from(&file, part.end, part.start + skip, limit)?;
            let (offset, end) = (window.start - part.start, window.end - part.start);
            let is_whole = offset == 0 && end == total;
            Ok(QueryOutput {
                kind: part.kind.as_str().to_owned(),
                text: window.text,
                offset,
                end,
                total,
                members: part.members,
                names: (!is_whole && part.kind == scan::Kind::Object).then_some(part.names),
            })
        });
        queried.await
    }

    fn render(&self, _args: &JsonValue, output: &QueryOutput) -> Option<Vec<ContentBlock>> {
        let QueryOutput { kind, text, offset, end, total, members, names } = output;
        let mut blocks = vec![ContentBlock::text(text.clone())];
        if *offset > 0 || end < total {
            let mut note = format!("Bytes {offset} to {end} of {total} of this {kind}");
            if let Some(members) = members {
                note.push_str(&format!(" of {members} members"));
            }
            if end < total {
                note.push_str(&format!("; go on with offset {end}, or point at a member"));
            }
            note.push('.');
            if let Some(names) = names.as_ref().filter(|names| !names.is_empty()) {
                note.push_str(&format!(" Its first names: `{}`.", names.join("`, `")));
            }
            blocks.push(ContentBlock::text(note));
        }
        Some(blocks)
    }

    fn is_concurrency_safe(&self, _args: &QueryArgs) -> bool {
        true
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Pure
    }

    fn kind(&self) -> ToolCallKind {
        ToolCallKind::Search
    }
}
