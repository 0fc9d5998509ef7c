//! The cards of searches: matching lines by file, paths, and what the web had.

use maud::{Markup, html};
use toolgate::tool::{SearchFileMatches, SearchLine, SearchShape, WebView};

use crate::foreign;

/// How many lines or paths are shown.
const MOST: usize = 300;

/// What a search of files found.
pub(super) fn files(shape: &SearchShape, is_truncated: bool, total: u64) -> Markup {
    let (body, shown) = match shape {
        SearchShape::Paths { paths } => {
            let shown = paths.len().min(MOST);
            let body =
                html! { ul.paths { @for path in paths.iter().take(MOST) { li { (foreign::title(path)) } } } };
            (body, shown)
        }
        SearchShape::Matches { matches } => {
            let mut room = MOST;
            let files: Vec<_> = matches
                .iter()
                .map(|file| {
                    let lines = file.lines.get(..room.min(file.lines.len())).unwrap_or_default();
                    room -= lines.len();
                    (file, lines)
                })
                .filter(|(_, lines)| !lines.is_empty())
                .collect();
            (html! { @for (file, lines) in &files { (lines_of(file, lines)) } }, MOST - room)
        }
    };
    html! {
        @if total == 0 { p.quiet { "Nothing was found." } }
        div.found tabindex="0" role="group" aria-label="What was found" { (body) }
        p.more {
            "Showing " (shown) " of " (total)
            @if is_truncated { ". The search stopped there; there may be more." }
        }
    }
}

/// The matching lines of one file, as far as they are shown.
fn lines_of(file: &SearchFileMatches, lines: &[SearchLine]) -> Markup {
    html! {
        details.group open {
            summary { span.path { (foreign::title(&file.path)) } span.count { (file.lines.len()) } }
            table { tbody {
                @for line in lines { tr { th scope="row" { (line.line) } td { (foreign::line(&line.text)) } } }
            } }
        }
    }
}

/// What the web had.
pub(super) fn web(view: &WebView, is_truncated: bool) -> Markup {
    html! {
        @match view {
            WebView::Search { sources, answer } => {
                @if let Some(answer) = answer { p.answer { (foreign::text(answer)) } }
                ol.sources {
                    @for source in sources.iter().take(MOST) {
                        li {
                            (foreign::link(&source.url, &html! { (foreign::title(&source.title)) }))
                            span.url { (foreign::title(&source.url)) }
                        }
                    }
                }
            }
            WebView::Fetch { url, status_code } => {
                p.fetched {
                    (foreign::link(url, &html! { (foreign::title(url)) }))
                    span class={ "pill " (if (200..400).contains(status_code) { "ok" } else { "bad" }) } { (status_code) }
                }
            }
        }
        @if is_truncated { p.more { "Something was cut." } }
    }
}
