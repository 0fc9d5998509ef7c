//! The `spill_read` tool: a piece of a kept text by its byte offset.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use toolgate::{ContentBlock, JsonValue, RunContext, Schema, Tool, ToolCallKind, ToolEffect, ToolError};

use super::{READ, Reader};
use crate::spill::entry::{File, Form};
use crate::spill::error::SpillError;
use crate::spill::window::read_from;

/// The arguments of `spill_read`.
#[derive(Debug, Deserialize, Schema)]
#[serde(deny_unknown_fields)]
pub(in crate::spill) struct ReadArgs {
    /// The handle from the notice in the result that was cut.
    handle: String,
    /// Where to begin, in bytes from the start of the kept text; 0 if left out.
    offset: Option<u64>,
    /// How much to give, in bytes.
    limit: Option<u64>,
}

/// A piece of a kept text.
#[derive(Debug, Serialize, Deserialize, Schema)]
pub(in crate::spill) struct ReadOutput {
    /// The piece.
    text: String,
    /// Where it begins, in bytes: the offset asked for, or the start of the character there.
    offset: u64,
    /// Where it ends: the offset to go on with, unless it is `total`.
    end: u64,
    /// How long the whole is, in bytes.
    total: u64,
    /// The media type, where the text is the base64 of an image.
    media_type: Option<String>,
}

/// Reads a piece of what was cut: the tool `spill_read`.
pub(in crate::spill) struct SpillRead(pub(in crate::spill) Reader);

impl Tool for SpillRead {
    type Args = ReadArgs;
    type Output = ReadOutput;

    fn name(&self) -> Cow<'static, str> {
        READ.into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Read on in a result that was cut. The notice in that result gives the handle. Gives a piece of the kept text by \
         byte offset, ending with a whole line where one ends near, and says where to go on. To look for something use \
         spill_grep; for a part of a JSON value use spill_query."
            .into()
    }

    async fn run(&self, args: ReadArgs, cx: RunContext) -> Result<ReadOutput, ToolError> {
        let limit = self.0.answer(args.limit).map_err(SpillError::into_tool_error)?;
        let offset = args.offset.unwrap_or_default();
        let read = self.0.with(&args.handle, &cx, move |store, entry| {
            let total = entry.text_bytes;
            if offset > total {
                return Err(SpillError::Arguments {
                    what: format!("`offset` {offset} is behind the end of the text"),
                    hint: format!("it has {total} bytes"),
                });
            }
            let file = store.open_file(entry, File::Text)?;
            let window = read_from(&file, total, offset, limit)?;
            let media_type = match &entry.form {
                Form::Image(media_type) => Some(media_type.clone()),
                Form::Text | Form::JsonText | Form::Indented | Form::Compact => None,
            };
            Ok(ReadOutput { text: window.text, offset: window.start, end: window.end, total, media_type })
        });
        read.await
    }

    fn render(&self, _args: &JsonValue, output: &ReadOutput) -> Option<Vec<ContentBlock>> {
        let ReadOutput { offset, end, total, .. } = output;
        let what = output.media_type.as_ref().map_or("", |_| " of base64");
        let more = if end < total { format!("; go on with offset {end}") } else { String::new() };
        let note = format!("Bytes {offset} to {end} of {total}{what}{more}.");
        Some(vec![ContentBlock::text(output.text.clone()), ContentBlock::text(note)])
    }

    fn is_concurrency_safe(&self, _args: &ReadArgs) -> bool {
        true
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Pure
    }

    fn kind(&self) -> ToolCallKind {
        ToolCallKind::Read
    }
}
