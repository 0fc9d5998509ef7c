//! What the model read, for cards that have no better form: texts, pictures, and the ways to what was kept aside.

use maud::{Markup, html};
use toolgate::ContentBlock;

use super::Spot;
use crate::foreign;

/// What a handle of kept content begins with, and how many digits follow.
const HANDLE: &str = "spill_";
const HANDLE_DIGITS: usize = 32;

/// How many blocks are shown.
const MOST_BLOCKS: usize = 50;

/// The largest picture that stands in a page, in base64.
const LARGEST_PICTURE: usize = 4 << 20;

/// Blocks of content. `whole` is where all of it can be seen.
pub(crate) fn blocks(content: &[ContentBlock], whole: Option<&str>) -> Markup {
    html! {
        @for block in content.iter().take(MOST_BLOCKS) {
            @match block {
                ContentBlock::Image { data, mime_type } => (picture(data, mime_type)),
                ContentBlock::Text { .. } | ContentBlock::Other(_) => @match block.as_text() {
                    Some(text) => (shown(text, whole)),
                    None => p.quiet { "A block of the type " (foreign::title(block.kind())) },
                },
            }
        }
        @if content.len() > MOST_BLOCKS { p.more { (content.len() - MOST_BLOCKS) " more blocks" } }
    }
}

fn shown(text: &str, whole: Option<&str>) -> Markup {
    let (head, left) = foreign::beginning(text, foreign::MOST_SHOWN);
    html! {
        pre.block tabindex="0" role="group" aria-label="Content" { (foreign::text(head)) }
        (foreign::rest(left, whole))
    }
}

/// A picture, where browsers draw its kind and nothing in it can run.
fn picture(data: &str, mime_type: &str) -> Markup {
    let is_drawn = matches!(mime_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp");
    let is_base64 =
        data.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\n'));
    html! {
        @if is_drawn && is_base64 && data.len() <= LARGEST_PICTURE {
            img.picture src={ "data:" (mime_type) ";base64," (data) } alt="Picture in the result";
        } @else {
            p.quiet { "A picture of " (data.len()) " characters, " (foreign::title(mime_type)) }
        }
    }
}

/// The handles of kept content in a text, each once.
fn handles(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(HANDLE) {
        let end = at + HANDLE.len() + HANDLE_DIGITS;
        let Some(handle) = text.get(at..end) else { continue };
        let is_handle =
            handle.bytes().skip(HANDLE.len()).all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_handle && !found.contains(&handle) {
            found.push(handle);
        }
    }
    found
}

/// Ways to what was kept aside of a result.
pub(crate) fn spill_links(content: &[ContentBlock], spot: Spot<'_>) -> Markup {
    let Some(session) = spot.session else { return html! {} };
    let texts = content.iter().filter_map(ContentBlock::as_text);
    let found: Vec<_> = texts
        .flat_map(|text| handles(text.get(..text.floor_char_boundary(1 << 20)).unwrap_or(text)))
        .collect();
    html! {
        @for handle in found.iter().take(10) {
            p.more { a.kept href={ (session) "/kept/" (handle) } { "Open what was cut, page by page" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_found_and_nothing_like_them() {
        let handle = format!("{HANDLE}{}", "0a".repeat(16));
        assert_eq!(handles(&format!("cut, {handle}. {handle}")), [handle.as_str()]);
        for text in ["spill_", "spill_0a", &handle.to_uppercase(), &format!("{HANDLE}{}", "../".repeat(11))] {
            assert!(handles(text).is_empty(), "{text}");
        }
    }
}
