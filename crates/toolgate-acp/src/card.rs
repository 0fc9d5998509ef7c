//! Cards as the content of tool calls: text, diffs, and the files to follow along.
//!
//! Called by the story with what the presenters of a tool give. Pure.

use std::path::Path;

use agent_client_protocol::v1::schema as acp;
use toolgate::text::{Line, Text};
use toolgate::{ContentBlock, FileDiff, FileLocation, Nullable, ToolCallKind, ToolCallView, ToolResultView};

use crate::content::{fenced, to_block};

/// How many files of a search the editor is told to look at.
const MOST_LOCATIONS: usize = 100;

/// A card, ready for a tool call.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    pub(crate) title: Option<String>,
    pub(crate) kind: acp::ToolKind,
    pub(crate) content: Vec<acp::ToolCallContent>,
    pub(crate) locations: Vec<acp::ToolCallLocation>,
}

/// The card of a call that is not settled.
pub(crate) fn of_call(view: &ToolCallView, root: &Path) -> Shown {
    let title = Some(line(view.title()));
    match view {
        ToolCallView::Generic { kind, content, locations, .. } => Shown {
            title,
            kind: kind.map_or(acp::ToolKind::Other, to_kind),
            content: blocks(content.as_deref().unwrap_or_default()),
            locations: places(locations.as_deref(), root),
        },
        ToolCallView::Terminal { description, .. } => {
            let content = description.iter().map(|text| acp::ToolCallContent::from(Text(text).to_string()));
            Shown { title, kind: acp::ToolKind::Execute, content: content.collect(), locations: Vec::new() }
        }
        ToolCallView::Diff { diffs, locations, .. } => Shown {
            title,
            kind: acp::ToolKind::Edit,
            content: to_diffs(diffs, root),
            locations: places(locations.as_deref(), root),
        },
    }
}

/// The card of a settled call, whose raw content stands in where a card has none.
pub(crate) fn of_result(view: &ToolResultView, raw: &[ContentBlock], root: &Path) -> Shown {
    let title = view.title().map(line);
    let (content, locations) = match view {
        ToolResultView::Generic { content, .. } => (blocks(content.as_deref().unwrap_or(raw)), Vec::new()),
        ToolResultView::Terminal { output, exit_code, signal, .. } => {
            (terminal(output.as_deref(), *exit_code, signal.as_deref()), Vec::new())
        }
        ToolResultView::Diff { diffs, .. } => {
            let files = diffs.iter().map(|diff| acp::ToolCallLocation::new(root.join(&diff.path)));
            (to_diffs(diffs, root), files.collect())
        }
        ToolResultView::Search { shape, .. } => {
            let files: Vec<acp::ToolCallLocation> = match shape {
                toolgate::tool::SearchShape::Matches { matches } => matches
                    .iter()
                    .take(MOST_LOCATIONS)
                    .map(|file| {
                        let first = file.lines.first().map(|found| found.line);
                        location(&file.path, first, root)
                    })
                    .collect(),
                toolgate::tool::SearchShape::Paths { paths } => {
                    paths.iter().take(MOST_LOCATIONS).map(|path| location(path, None, root)).collect()
                }
            };
            (blocks(raw), files)
        }
        ToolResultView::Read { path, offset, lang, content, .. } => {
            let text =
                content.as_deref().map(|text| vec![fenced(text, lang.as_deref().unwrap_or("")).into()]);
            (text.unwrap_or_else(|| blocks(raw)), vec![location(path, Some(*offset), root)])
        }
        ToolResultView::Web { view, .. } => (web(view, raw), Vec::new()),
    };
    Shown { title, kind: acp::ToolKind::Other, content, locations }
}

fn web(view: &toolgate::tool::WebView, raw: &[ContentBlock]) -> Vec<acp::ToolCallContent> {
    let links: Vec<acp::ResourceLink> = match view {
        toolgate::tool::WebView::Search { sources, .. } => sources
            .iter()
            .map(|source| acp::ResourceLink::new(line(&source.title), source.url.clone()))
            .collect(),
        toolgate::tool::WebView::Fetch { url, status_code } => {
            vec![acp::ResourceLink::new(format!("{} ({status_code})", line(url)), url.clone())]
        }
    };
    let links =
        links.into_iter().map(|link| acp::ToolCallContent::from(acp::ContentBlock::ResourceLink(link)));
    links.chain(blocks(raw)).collect()
}

fn terminal(output: Option<&str>, exit_code: Option<i32>, signal: Option<&str>) -> Vec<acp::ToolCallContent> {
    let mut content: Vec<acp::ToolCallContent> =
        output.map(|output| fenced(&Text(output).to_string(), "console").into()).into_iter().collect();
    let end = match (signal, exit_code) {
        (Some(signal), _) => Some(format!("Ended by {}.", line(signal))),
        (None, Some(code)) if code != 0 || output.is_none() => Some(format!("Exit code {code}.")),
        (None, Some(_) | None) => None,
    };
    content.extend(end.map(acp::ToolCallContent::from));
    content
}

/// Blocks as content.
pub(crate) fn blocks(content: &[ContentBlock]) -> Vec<acp::ToolCallContent> {
    content.iter().map(|block| acp::ToolCallContent::from(to_block(block))).collect()
}

fn to_diffs(diffs: &[FileDiff], root: &Path) -> Vec<acp::ToolCallContent> {
    let diff = |diff: &FileDiff| {
        let old = match &diff.old_text {
            Nullable::Null => None,
            Nullable::Value(text) => Some(text.clone()),
        };
        acp::ToolCallContent::from(acp::Diff::new(root.join(&diff.path), diff.new_text.clone()).old_text(old))
    };
    diffs.iter().map(diff).collect()
}

fn places(locations: Option<&[FileLocation]>, root: &Path) -> Vec<acp::ToolCallLocation> {
    let locations = locations.unwrap_or_default().iter();
    locations.map(|place| location(&place.path, place.line, root)).collect()
}

fn location(path: &str, line: Option<u64>, root: &Path) -> acp::ToolCallLocation {
    let line = line.and_then(|line| u32::try_from(line).ok());
    acp::ToolCallLocation::new(root.join(path)).line(line)
}

fn line(text: &str) -> String {
    Line(text).to_string()
}

fn to_kind(kind: ToolCallKind) -> acp::ToolKind {
    match kind {
        ToolCallKind::Read => acp::ToolKind::Read,
        ToolCallKind::Edit => acp::ToolKind::Edit,
        ToolCallKind::Delete => acp::ToolKind::Delete,
        ToolCallKind::Move => acp::ToolKind::Move,
        ToolCallKind::Search => acp::ToolKind::Search,
        ToolCallKind::Execute => acp::ToolKind::Execute,
        ToolCallKind::Fetch => acp::ToolKind::Fetch,
        ToolCallKind::Other => acp::ToolKind::Other,
    }
}
