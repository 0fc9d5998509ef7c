//! Places in the author's source: byte offsets become lines and columns.

/// A line and a column, both counted from 1; the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: u32,
    pub(super) column: u32,
}

impl Position {
    /// The place of a byte offset.
    pub(super) fn of(source: &str, offset: usize) -> Self {
        let mut position = Self { line: 1, column: 1 };
        let mut previous = '\0';
        for (at, character) in source.char_indices() {
            if at >= offset {
                break;
            }
            match character {
                '\n' if previous == '\r' => {}
                '\n' | '\r' | '\u{2028}' | '\u{2029}' => {
                    position.line += 1;
                    position.column = 1;
                }
                _ => position.column += 1,
            }
            previous = character;
        }
        position
    }
}
