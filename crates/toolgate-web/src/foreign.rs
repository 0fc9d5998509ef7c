//! Text that others wrote, as markup: nothing of it acts, nothing of it hides, and nothing of it is endless.
//!
//! `maud` escapes what HTML gives a meaning; this escapes what the eye cannot see, and cuts what is too long for a card.

use std::fmt::Display;

use maud::{Markup, Render, html};
use toolgate::text::{Line, Text};

/// How many bytes of one text a card shows. The rest is on a page of its own.
pub(crate) const MOST_SHOWN: usize = 48 << 10;

/// How many characters of a title are shown.
const LONGEST_TITLE: usize = 300;

/// A text on one line.
pub(crate) fn line(text: &str) -> impl Render + Display {
    Line(text).to_string()
}

/// A text of several lines.
pub(crate) fn text(text: &str) -> impl Render + Display {
    Text(text).to_string()
}

/// A title: one line, shortened.
pub(crate) fn title(text: &str) -> String {
    Line(&toolgate::text::shortened(text, LONGEST_TITLE)).to_string()
}

/// The beginning of a text of at most so many bytes, up to the end of a line where one is near, and how many bytes
/// come behind it.
pub(crate) fn beginning(text: &str, most: usize) -> (&str, usize) {
    if text.len() <= most {
        return (text, 0);
    }
    let end = text.floor_char_boundary(most);
    let head = text.get(..end).unwrap_or_default();
    let head = match head.rfind('\n') {
        Some(at) if at >= end / 2 => head.get(..=at).unwrap_or(head),
        Some(_) | None => head,
    };
    (head, text.len() - head.len())
}

/// Says how much is not shown, with the way to it where there is one.
pub(crate) fn rest(left: usize, whole: Option<&str>) -> Markup {
    html! {
        @if left > 0 {
            p.more {
                (left) " more bytes. "
                @if let Some(whole) = whole { a href=(whole) { "Show the whole" } }
            }
        }
    }
}

/// An address that may be followed: of the web, and nothing that acts.
pub(crate) fn address(url: &str) -> Option<&str> {
    let is_web = ["http://", "https://"]
        .iter()
        .any(|scheme| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
    (is_web && !url.chars().any(toolgate::text::is_hidden)).then_some(url)
}

/// A link to another site, which is told nothing of this page; only its text where it is no address of the web.
pub(crate) fn link(url: &str, content: &Markup) -> Markup {
    html! {
        @match address(url) {
            Some(url) => a href=(url) rel="noopener noreferrer nofollow" target="_blank" { (content) },
            None => (content),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_links() {
        assert!(address("https://example.org/a").is_some());
        assert!(address("HTTP://example.org").is_some());
        for url in [
            "javascript:alert(1)",
            "data:text/html,x",
            "//example.org",
            "https",
            "ht\ntps://x",
            "https://x\u{202e}y",
        ] {
            assert_eq!(link(url, &html! { "x" }).into_string(), "x", "{url}");
        }
    }

    #[test]
    fn a_cut_falls_on_a_line_where_one_is_near() {
        assert_eq!(beginning("abc", 3), ("abc", 0));
        assert_eq!(beginning("abc\nde\nf", 6), ("abc\n", 4));
        assert_eq!(beginning("a\nbcdefgh", 6), ("a\nbcde", 3));
        assert_eq!(beginning("ééé", 3), ("é", 4));
    }
}
