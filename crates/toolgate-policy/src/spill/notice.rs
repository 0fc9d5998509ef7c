//! What a model reads in the place of what was cut: head, tail, both sizes, the handle, and who cut.

use std::time::Duration;

use toolgate::ContentBlock;

use super::entry::{Entry, Form};
use super::tools::{GREP, QUERY, READ};
use super::window::Window;

/// What each notice begins with: the layer that cut.
const LAYER: &str = "[spill policy]";

/// The blocks in the place of a text: the excerpt, and a notice of its own, so that no text can pass for one.
pub(super) fn of_text(
    entry: &Entry,
    original: usize,
    head: &Window,
    tail: &Window,
    kept_for: Duration,
) -> Vec<ContentBlock> {
    let left_out = tail.start.saturating_sub(head.end);
    let gap = if head.text.is_empty() || head.text.ends_with('\n') { "" } else { "\n" };
    let excerpt = format!("{}{gap}[… {left_out} bytes left out …]\n{}", head.text, tail.text);
    let form = match &entry.form {
        Form::Text => "as it was".to_owned(),
        Form::JsonText => "as it was; it is JSON".to_owned(),
        Form::Indented => {
            format!("as indented JSON of {} bytes, of which this is an excerpt", entry.text_bytes)
        }
        Form::Compact => "as compact JSON".to_owned(),
        Form::Image(_) => "as base64".to_owned(),
    };
    let shown = head.text.len() + tail.text.len();
    let query = match entry.json() {
        Some(_) => format!(" `{QUERY}` takes a part of the value by JSON pointer."),
        None => String::new(),
    };
    let notice = format!(
        "{LAYER} This result is cut: {original} bytes, of which the first {} and the last {} are shown, {shown} in all. \
         The whole is kept for {} as {}, {form}. `{READ}` with this handle and offset {} goes on after the beginning; \
         `{GREP}` finds lines in it.{query}",
        head.text.len(),
        tail.text.len(),
        words(kept_for),
        entry.handle,
        head.end,
    );
    vec![ContentBlock::text(excerpt), ContentBlock::text(notice)]
}

/// The block in the place of an image.
pub(super) fn of_image(entry: &Entry, media_type: &str, kept_for: Duration) -> Vec<ContentBlock> {
    let media_type = media_type.chars().take(60).flat_map(char::escape_debug).collect::<String>();
    vec![ContentBlock::text(format!(
        "{LAYER} An image is left out of this result: {media_type}, {} bytes of base64, of which 0 are shown. It is kept \
         for {} as {}; `{READ}` with this handle gives the base64.",
        entry.text_bytes,
        words(kept_for),
        entry.handle,
    ))]
}

fn words(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds >= 120 && seconds % 60 == 0 => format!("{} minutes", seconds / 60),
        seconds => format!("{seconds} s"),
    }
}
