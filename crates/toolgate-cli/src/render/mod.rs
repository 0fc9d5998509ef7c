//! Cards on a terminal: how the result of a call is shown to a person.
//!
//! `commands::call` gives a [`ToolResultView`] to [`card`]; each kind of card has its file. A renderer writes what the
//! card says and never decides what a call did. Everything that comes from a tool goes through [`escape`].

mod diff;
pub(crate) mod escape;
mod generic;
mod read;
mod search;
mod terminal;
mod web;

use std::io::{self, Write as _};

use toolgate::{ContentBlock, ToolResultView};

use crate::output::Page;
use escape::Line;

/// Writes the card of a finished call. `content` stands in where a generic card brings none of its own.
///
/// # Errors
/// The page cannot be written.
pub(crate) fn card(page: &mut Page, view: &ToolResultView, content: &[ContentBlock]) -> io::Result<()> {
    if let Some(title) = view.title() {
        let style = page.styles().title;
        writeln!(page, "{style}{}{style:#}", Line(title))?;
    }
    match view {
        ToolResultView::Generic { title: _, content: own } => {
            generic::blocks(page, own.as_deref().unwrap_or(content))
        }
        ToolResultView::Terminal { title: _, output, exit_code, signal } => {
            terminal::card(page, output.as_deref(), *exit_code, signal.as_deref())
        }
        ToolResultView::Diff { title: _, diffs } => diff::card(page, diffs),
        ToolResultView::Search { title: _, shape, truncated, total } => {
            search::card(page, shape, *truncated, *total)
        }
        ToolResultView::Read { title: _, path, offset, lines, total_lines, lang, content: _ } => {
            let window = read::Window { path, offset: *offset, lines, total_lines: *total_lines };
            read::card(page, &window, lang.as_deref())
        }
        ToolResultView::Web { title: _, view, truncated } => web::card(page, view, *truncated),
    }
}
