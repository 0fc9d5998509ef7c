//! The cards and the text of the delete tool.

use toolgate::{ContentBlock, FileLocation, JsonValue, ToolCallKind, ToolCallView};

use super::types::DeleteOutput;
use crate::text::{blocks, counted, path_line, text_argument};
use crate::workspace::shown_text;

pub(super) fn call(args: &JsonValue) -> Option<ToolCallView> {
    let path = text_argument(args, "file_path")?;
    let recursive = args.as_value().get("recursive").and_then(|recursive| recursive.as_bool());
    let all = if recursive == Some(true) { " and all that is in it" } else { "" };
    Some(ToolCallView::Generic {
        title: format!("Delete {}{all}", shown_text(path)),
        kind: Some(ToolCallKind::Delete),
        raw_input: Some(args.clone()),
        content: None,
        locations: Some(vec![FileLocation { path: path.to_owned(), line: None }]),
    })
}

/// What the model reads.
pub(super) fn render(output: &DeleteOutput) -> Vec<ContentBlock> {
    let DeleteOutput { path, kind, contents } = output;
    let with = match contents {
        0 => String::new(),
        count => format!(" and the {} in it", counted(*count, "entry", "entries")),
    };
    blocks(format!("Deleted the {} `{}`{with}.", kind.word(), path_line(path)), &[])
}
