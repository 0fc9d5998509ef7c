//! The card of a file: numbered lines in colours, and how much of the file they are.

use maud::{Markup, html};
use toolgate::ReadFileLine;

use crate::foreign;
use crate::source::Highlighter;

/// How many lines are shown.
const MOST_LINES: usize = 400;

/// Longer lines are shown without their end.
const LONGEST_LINE: usize = 2_000;

/// A window of a file.
pub(super) fn window(lines: &[ReadFileLine], offset: u64, total: u64, lang: Option<&str>) -> Markup {
    let mut highlighter = Highlighter::new(lang);
    let shown = lines.get(..MOST_LINES.min(lines.len())).unwrap_or_default();
    html! {
        @if shown.is_empty() {
            p.quiet { "No lines from line " (offset) " on, of " (total) "." }
        } @else {
            div.code tabindex="0" role="group" aria-label="Lines of the file" {
                table { tbody {
                    @for line in shown {
                        tr { th scope="row" { (line.number) } td { (pieces(&mut highlighter, &line.text)) } }
                    }
                } }
            }
            p.more {
                "Showing " (shown.len()) " of " (total) @if total == 1 { " line" } @else { " lines" }
            }
        }
    }
}

/// A text in the colours of a language, without numbers.
pub(crate) fn block(text: &str, lang: Option<&str>, label: &str) -> Markup {
    let mut highlighter = Highlighter::new(lang);
    let (head, left) = foreign::beginning(text, foreign::MOST_SHOWN);
    html! {
        pre.block tabindex="0" role="group" aria-label=(label) {
            @for line in head.lines() { (pieces(&mut highlighter, line)) "\n" }
        }
        (foreign::rest(left, None))
    }
}

/// One line in colours.
pub(super) fn pieces(highlighter: &mut Highlighter, line: &str) -> Markup {
    let (head, left) = foreign::beginning(line, LONGEST_LINE);
    html! {
        @for (token, text) in highlighter.line(head) {
            @match token.class() {
                Some(class) => span class=(class) { (foreign::line(text)) },
                None => (foreign::line(text)),
            }
        }
        @if left > 0 { span.quiet { "… (+" (left) " bytes)" } }
    }
}

/// A value of JSON, in colours.
pub(crate) fn json(text: &str, label: &str) -> Markup {
    block(text, Some("json"), label)
}
