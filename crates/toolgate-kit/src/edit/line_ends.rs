//! A text as the model sees it, every line ending a line feed, and the way back to the bytes of the file.

use std::borrow::Cow;

/// A text with line feeds only, which knows which of them stand for CRLF.
#[derive(Debug)]
pub(super) struct LfView<'t> {
    pub(super) text: Cow<'t, str>,
    /// Where its line feeds are. Empty where none stands for CRLF.
    ends: Vec<usize>,
    /// Those of them that stand for CRLF.
    crlf: Vec<usize>,
}

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnd {
    Lf,
    Crlf,
}

/// `text` with a line feed for each CRLF. A carriage return alone is a character like any other.
pub(super) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

impl<'t> LfView<'t> {
    pub(super) fn of(raw: &'t str) -> Self {
        let mut view = Self { text: with_line_feeds(raw), ends: Vec::new(), crlf: Vec::new() };
        if matches!(view.text, Cow::Borrowed(_)) {
            return view;
        }
        let mut previous = None;
        for (offset, byte) in raw.bytes().enumerate() {
            if byte == b'\n' {
                let removed = view.crlf.len();
                if previous == Some(b'\r') {
                    view.crlf.push(offset - removed - 1);
                    view.ends.push(offset - removed - 1);
                } else {
                    view.ends.push(offset - removed);
                }
            }
            previous = Some(byte);
        }
        view
    }

    /// Where the place `offset` of the view is in the text that it was made of.
    pub(super) fn raw_offset(&self, offset: usize) -> usize {
        offset + self.crlf.partition_point(|end| *end < offset)
    }

    /// How lines end where `start..end` is replaced: as the first line that ends there does, or else the nearest line
    /// before, or else the nearest after.
    pub(super) fn line_end_at(&self, start: usize, end: usize) -> LineEnd {
        let next = self.ends.partition_point(|line_end| *line_end < start);
        let inside = self.ends.get(next).filter(|line_end| **line_end < end);
        let before = next.checked_sub(1).and_then(|previous| self.ends.get(previous));
        let nearest = inside.or(before).or_else(|| self.ends.get(next));
        match nearest.map(|nearest| self.crlf.binary_search(nearest)) {
            Some(Ok(_)) => LineEnd::Crlf,
            Some(Err(_)) | None => LineEnd::Lf,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_again() {
        let raw = "a\r\nb\nc\r\r\n\r\nd";
        let view = LfView::of(raw);
        assert_eq!(view.text, "a\nb\nc\r\n\nd");
        for (offset, raw_offset) in [(0, 0), (1, 1), (2, 3), (4, 5), (5, 6), (6, 7), (7, 9), (8, 11), (9, 12)]
        {
            assert_eq!(view.raw_offset(offset), raw_offset, "{offset}");
        }
        assert_eq!(view.line_end_at(0, 1), LineEnd::Crlf);
        assert_eq!(view.line_end_at(2, 4), LineEnd::Lf);
        assert_eq!(view.line_end_at(4, 5), LineEnd::Lf);
        assert_eq!(view.line_end_at(8, 9), LineEnd::Crlf);
        assert_eq!(LfView::of("a\nb").line_end_at(0, 1), LineEnd::Lf);
    }
}
