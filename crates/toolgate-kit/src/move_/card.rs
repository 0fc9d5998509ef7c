//! The cards and the text of the move tool.

use toolgate::{ContentBlock, FileLocation, JsonValue, ToolCallKind, ToolCallView};

use super::types::MoveOutput;
use crate::text::{blocks, path_line, text_argument};
use crate::workspace::shown_text;

pub(super) fn call(args: &JsonValue) -> Option<ToolCallView> {
    let (source, destination) = (text_argument(args, "source")?, text_argument(args, "destination")?);
    let location = |path: &str| FileLocation { path: path.to_owned(), line: None };
    Some(ToolCallView::Generic {
        title: format!("Move {} to {}", shown_text(source), shown_text(destination)),
        kind: Some(ToolCallKind::Move),
        raw_input: Some(args.clone()),
        content: None,
        locations: Some(vec![location(source), location(destination)]),
    })
}

/// What the model reads.
pub(super) fn render(output: &MoveOutput) -> Vec<ContentBlock> {
    let MoveOutput { source, destination, overwritten } = output;
    let replaced = if *overwritten { ", replacing what was there" } else { "" };
    blocks(format!("Moved `{}` to `{}`{replaced}.", path_line(source), path_line(destination)), &[])
}
