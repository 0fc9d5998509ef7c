//! Cards: a call of a tool as a person sees it (DESIGN section 9), made of records alone.
//!
//! ```text
//! call      what the records say of a call
//! terminal  what a command printed (ansi)
//! diff      changed files
//! found     searches of files and of the web
//! code      numbered lines of a file
//! content   what the model read, for everything else
//! icon      pictures
//! ```
//!
//! The page of a session and its live stream call the same function with the same records.

mod ansi;
mod call;
mod code;
mod content;
mod diff;
mod found;
mod icon;
mod terminal;

use maud::{Markup, html};
use toolgate::registry::RUN_CODE;
use toolgate::{ToolCallKind, ToolCallView, ToolResultView};
use toolgate_session::Settlement;

pub(crate) use call::{RecordedCall, said};
pub(crate) use code::{block, json};
pub(crate) use content::{blocks, spill_links};

use crate::foreign;

/// Where a card stands, for the links in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot<'a> {
    /// The address of the session's page; none for a card that belongs to no session.
    pub(crate) session: Option<&'a str>,
    /// The name of the entry.
    pub(crate) seq: u64,
}

impl Spot<'_> {
    /// Where all of the text of a record is.
    pub(crate) fn whole(&self, record: u64) -> Option<String> {
        self.session.map(|session| format!("{session}/text/{record}"))
    }
}

/// The card of a call.
pub(crate) fn card(call: &RecordedCall, spot: Spot<'_>) -> Markup {
    let progress = call.progress();
    let is_program = call.name() == RUN_CODE;
    let (title, picture) = head(call, is_program);
    let whole = call.settled_by().and_then(|record| spot.whole(record.seq));
    html! {
        article.card.(progress.class()) id={ "c" (spot.seq) } data-tool=(foreign::title(call.name())) {
            header {
                (picture)
                h3 { span.what { (title) } span.tool { (foreign::title(call.name())) } }
                (end_pill(call))
                span.state { (progress.word()) }
                (clock(call))
            }
            div.body {
                (above(call))
                @if is_program { (program(call)) }
                @if let Some(view) = call.result_view() {
                    (result(call, view, spot, whole.as_deref()))
                } @else if let (Some(view), false) = (call.call_view(), is_program) {
                    (pending(view, spot))
                }
                @if let Some(content) = call.content() { (spill_links(content, spot)) }
            }
        }
    }
}

/// The title and the picture.
fn head(call: &RecordedCall, is_program: bool) -> (String, Markup) {
    let described = call.arguments().get("description").and_then(|described| described.as_str());
    if let (true, Some(described)) = (is_program, described) {
        return (foreign::title(described), icon::of_program());
    }
    let pending = call.call_view();
    let title = call.result_view().and_then(ToolResultView::title).or(pending.map(ToolCallView::title));
    let kind = match pending {
        Some(ToolCallView::Terminal { .. }) => ToolCallKind::Execute,
        Some(ToolCallView::Diff { .. }) => ToolCallKind::Edit,
        Some(ToolCallView::Generic { kind, .. }) => kind.unwrap_or(ToolCallKind::Other),
        None => ToolCallKind::Other,
    };
    (foreign::title(title.unwrap_or(call.name())), icon::of_kind(kind))
}

/// How a command ended.
fn end_pill(call: &RecordedCall) -> Markup {
    let Some(ToolResultView::Terminal { exit_code, signal, .. }) = call.result_view() else {
        return html! {};
    };
    html! {
        @if let Some(signal) = signal { span.pill.bad { (foreign::title(signal)) } }
        @else if let Some(code) = exit_code {
            span class={ "pill " (if *code == 0 { "ok" } else { "bad" }) } { "exit " (code) }
        }
    }
}

/// How long it has been running, or took.
fn clock(call: &RecordedCall) -> Markup {
    html! {
        @if let Some(took) = call.took() {
            time.took { (crate::length::words(took)) }
        } @else if let Some(since) = call.since() {
            time.took data-since=(since.as_millisecond()) { "" }
        }
    }
}

/// What has to be known before the rest.
fn above(call: &RecordedCall) -> Markup {
    let lost = call.settlement().map(|settlement| match settlement {
        Settlement::NotStarted => "The process ended before this call began. Nothing was done.",
        Settlement::Unknown => "The process ended while this call was running. What it did is not known.",
        Settlement::Done => "The process ended after this call had done its work. Its result is lost.",
    });
    html! {
        @if let Some(session) = call.subagent() {
            p.quiet { a href={ "/sessions/" (session) } { "The session of the other agent" } }
        }
        @for note in call.normalized() { p.quiet { "Arguments: " (foreign::title(note)) } }
        @if let Some(decided) = call.decided() {
            p.quiet {
                "Approval: " (foreign::title(&decided.outcome))
                @if let Some(by) = &decided.by { " by " (foreign::title(by)) }
            }
        }
        @if let Some(lost) = lost { p.warn { (lost) } }
        @if let Some(error) = call.error() {
            p.failure {
                @if let Some(code) = &error.code { code { (foreign::title(code)) } " " }
                span.quiet { (foreign::title(&error.cause)) }
            }
        }
    }
}

/// The program of a call of `run_code`.
fn program(call: &RecordedCall) -> Markup {
    let code = call.arguments().get("code").and_then(|code| code.as_str());
    html! {
        @if let Some(code) = code {
            details.program open { summary { "Program" } (block(code, Some("typescript"), "Program")) }
        }
    }
}

/// A call that has no result yet.
fn pending(view: &ToolCallView, spot: Spot<'_>) -> Markup {
    html! {
        @match view {
            ToolCallView::Terminal { description, cwd, .. } => (command(description.as_deref(), cwd.as_deref())),
            ToolCallView::Diff { diffs, .. } => (diff::changes(diffs, &format!("d{}", spot.seq))),
            ToolCallView::Generic { raw_input, content, locations, .. } => {
                @if let Some(locations) = locations {
                    ul.paths { @for place in locations.iter().take(20) { li {
                        (foreign::title(&place.path)) @if let Some(line) = place.line { ":" (line) }
                    } } }
                }
                @if let Some(content) = content { (blocks(content, None)) }
                @if let Some(input) = raw_input { (json(&toolgate::indented_text(input), "Arguments")) }
            }
        }
    }
}

fn command(description: Option<&str>, folder: Option<&str>) -> Markup {
    html! {
        @if description.is_some() || folder.is_some() {
            p.quiet {
                @if let Some(description) = description { (foreign::title(description)) }
                @if let (Some(_), Some(_)) = (description, folder) { " · " }
                @if let Some(folder) = folder { span.path { (foreign::title(folder)) } }
            }
        }
    }
}

/// A call that has one.
fn result(call: &RecordedCall, view: &ToolResultView, spot: Spot<'_>, whole: Option<&str>) -> Markup {
    html! {
        @match view {
            ToolResultView::Terminal { output, .. } => {
                @if let Some(ToolCallView::Terminal { description, cwd, .. }) = call.call_view() {
                    (command(description.as_deref(), cwd.as_deref()))
                }
                @match output {
                    Some(output) => (terminal::output(output, whole)),
                    None => p.quiet { "It printed nothing." },
                }
            }
            ToolResultView::Diff { diffs, .. } => (diff::changes(diffs, &format!("d{}", spot.seq))),
            ToolResultView::Search { shape, truncated, total, .. } => (found::files(shape, *truncated, *total)),
            ToolResultView::Read { offset, lines, total_lines, lang, .. } => {
                (code::window(lines, *offset, *total_lines, lang.as_deref()))
            }
            ToolResultView::Web { view, truncated, .. } => (found::web(view, *truncated)),
            ToolResultView::Generic { content, .. } => {
                @if call.name() != RUN_CODE
                    && let Some(ToolCallView::Generic { raw_input: Some(input), .. }) = call.call_view() {
                    details.input { summary { "Arguments" } (json(&toolgate::indented_text(input), "Arguments")) }
                }
                @match (content.as_deref(), call.content()) {
                    (Some(content), _) | (None, Some(content)) => (blocks(content, whole)),
                    (None, None) => {},
                }
            }
        }
    }
}
