//! Takes the bytes of a file as the text that can be edited, or says why they are none.

use memchr::{memchr, memchr_iter};

use crate::workspace::{WorkspaceError, shown_text};

/// The mark that some programs put at the start of UTF-8 text. It is no part of the text.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The byte order mark, or nothing, and the text after it.
pub(super) fn decode<'b>(bytes: &'b [u8], path: &str) -> Result<(&'b str, &'b str), WorkspaceError> {
    let path = || shown_text(path);
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(WorkspaceError::Utf16 { path: path() });
    }
    if let Some(offset) = memchr(0, bytes) {
        return Err(WorkspaceError::BinaryFile { path: path(), offset: offset as u64 });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        let before = bytes.get(..offset).unwrap_or_default();
        let line = memchr_iter(b'\n', before).count() as u64 + 1;
        WorkspaceError::NotUtf8 { path: path(), line, offset: offset as u64 }
    })?;
    let mark = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    Ok(text.split_at_checked(mark).unwrap_or(("", text)))
}
