//! The card of a shell command: what it printed, in its colours.

use maud::{Markup, html};

use super::ansi;
use crate::foreign;

/// How many lines are shown. Of a longer output, the end is what people look for.
const MOST_LINES: usize = 400;

/// What a command printed. `whole` is where all of it can be seen.
pub(super) fn output(text: &str, whole: Option<&str>) -> Markup {
    let start = text.len().saturating_sub(foreign::MOST_SHOWN);
    let tail = text.get(text.ceil_char_boundary(start)..).unwrap_or_default();
    let mut lines = ansi::lines(tail);
    let left_out = lines.len().saturating_sub(MOST_LINES);
    lines.drain(..left_out);
    html! {
        @if start > 0 || left_out > 0 {
            p.more {
                "The end of " (text.len()) " bytes. "
                @if let Some(whole) = whole { a href=(whole) { "Show the whole" } }
            }
        }
        pre.screen tabindex="0" role="group" aria-label="Output" {
            @for line in &lines {
                @for (style, text) in line {
                    @match style.classes() {
                        Some(classes) => span class=(classes) { (text) },
                        None => (text),
                    }
                }
                "\n"
            }
        }
    }
}
