//! The default card: the content of the result, block by block.

use std::io::{self, Write as _};

use toolgate::ContentBlock;
use toolgate::text::{Line, Text, shortened};

use crate::output::{Page, counted};

/// How much of a block that this program does not know is shown.
const UNKNOWN_CHARACTERS: usize = 2_000;

pub(super) fn blocks(page: &mut Page, blocks: &[ContentBlock]) -> io::Result<()> {
    let faint = page.styles().faint;
    for block in blocks {
        if let Some(text) = block.as_text() {
            text_lines(page, text)?;
            continue;
        }
        match block {
            ContentBlock::Image { data, mime_type } => {
                // Four characters of base64 carry three bytes.
                let size = counted(data.len() as u64 / 4 * 3, "byte", "bytes");
                writeln!(page, "{faint}[image: {}, about {size}]{faint:#}", Line(mime_type))?;
            }
            ContentBlock::Text { text } => text_lines(page, text)?,
            ContentBlock::Other(other) => {
                let json = shortened(&other.json().to_text(), UNKNOWN_CHARACTERS);
                writeln!(page, "{faint}[{}]{faint:#} {}", Line(block.kind()), Line(&json))?;
            }
        }
    }
    Ok(())
}

/// A text, ending with exactly one line break more than it has only where it has none.
pub(super) fn text_lines(page: &mut Page, text: &str) -> io::Result<()> {
    write!(page, "{}", Text(text))?;
    if text.is_empty() || text.ends_with('\n') { Ok(()) } else { writeln!(page) }
}
