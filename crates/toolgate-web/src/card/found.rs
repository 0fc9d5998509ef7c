//! The cards of searches: matching lines by file, paths, and what the web had.

use maud::{Markup, html};
use toolgate::tool::{SearchShape, WebView};

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
            let body = html! {
                @for file in matches {
                    @if room > 0 {
                        details.group open {
                            summary {
                                span.path { (foreign::title(&file.path)) }
                                span.count { (file.lines.len()) }
                            }
                            table { tbody {
                                @for line in file.lines.iter().take(room) {
                                    tr { th scope="row" { (line.line) } td { (foreign::line(&line.text)) } }
                                }
                            } }
                        }
                        @let _ = { room = room.saturating_sub(file.lines.len()); };
                    }
                }
            };
            (body, MOST - room)
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
