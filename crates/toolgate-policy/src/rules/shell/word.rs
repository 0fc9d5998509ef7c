//! One word of a command line: what it is after quote removal, or that this is not known before it runs.
//!
//! Called by the lexer, which finds words, and by the reading of commands. It accepts only what POSIX shells and bash
//! read alike, and it never guesses: whatever it is not sure of is an unknown text or a [`Doubt`].

use std::ops::Range;

use super::{Doubt, DoubtKind};

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// Where it is written.
    pub(crate) range: Range<usize>,
    /// What it is when the command runs; none where an expansion decides, which may then give several words or none.
    pub(crate) text: Option<String>,
    /// Whether any of it was quoted; a quoted word is no keyword.
    pub(crate) is_quoted: bool,
    /// Whether it sets a variable where it stands before a command's name.
    pub(crate) is_assignment: bool,
}

/// Reads the word that begins at `start`. Substitutions are skipped by `substitution`, which gets the place after
/// `$(` and gives the place after its parenthesis.
pub(super) fn read_word(
    source: &str,
    start: usize,
    mut substitution: impl FnMut(usize) -> Result<usize, Doubt>,
) -> Result<Word, Doubt> {
    let mut reader = Reader {
        source,
        at: start,
        start,
        text: String::new(),
        is_known: true,
        is_quoted: false,
        name_end: None,
    };
    while let Some(byte) = reader.peek() {
        match byte {
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b')' => break,
            b'(' => return Err(reader.doubt(DoubtKind::Parenthesis)),
            b'\'' => reader.single_quoted()?,
            b'"' => reader.double_quoted(&mut substitution)?,
            b'\\' => reader.escaped()?,
            b'$' => reader.expansion(&mut substitution)?,
            b'`' => return Err(reader.doubt(DoubtKind::Backquote)),
            b'*' | b'?' | b'[' | b'{' | b'}' => reader.pattern(),
            b'~' => reader.tilde(),
            b'=' => reader.equals_sign(),
            byte if byte.is_ascii() => reader.literal(),
            _ => return Err(reader.doubt(DoubtKind::Unquoted)),
        }
    }
    Ok(reader.finish())
}

struct Reader<'a> {
    source: &'a str,
    at: usize,
    start: usize,
    text: String,
    is_known: bool,
    is_quoted: bool,
    /// Where the first equals sign is, if what stands before it can be a variable's name.
    name_end: Option<usize>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    fn peek_at(&self, offset: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + offset).copied()
    }

    fn doubt(&self, kind: DoubtKind) -> Doubt {
        Doubt { kind, range: self.start..self.at }
    }

    fn slice(&self, range: Range<usize>) -> &str {
        self.source.get(range).unwrap_or_default()
    }

    fn literal(&mut self) {
        if let Some(byte) = self.peek() {
            self.text.push(char::from(byte));
        }
        self.at += 1;
    }

    /// A character that may stand for other text, alone or with its neighbours.
    fn pattern(&mut self) {
        // `{` and `}` alone are keywords, which the grammar tells from words; `[` alone is the name of a command.
        let alone = self.at == self.start
            && matches!(self.peek(), Some(b'{' | b'}' | b'['))
            && self.peek_at(1).is_none_or(|next| b" \t\n;&|<>)".contains(&next));
        self.is_known &= alone;
        self.literal();
    }

    fn tilde(&mut self) {
        let before = self.at.checked_sub(1).and_then(|index| self.source.as_bytes().get(index)).copied();
        if self.at == self.start || matches!(before, Some(b'=' | b':')) {
            self.is_known = false;
        }
        self.literal();
    }

    fn equals_sign(&mut self) {
        if self.at == self.start {
            // Some shells look the rest up as a command.
            self.is_known = false;
        }
        if self.name_end.is_none() {
            self.name_end = Some(self.at);
        }
        self.literal();
    }

    fn escaped(&mut self) -> Result<(), Doubt> {
        self.is_quoted = true;
        match self.peek_at(1) {
            None => Err(self.doubt(DoubtKind::Syntax)),
            Some(b'\n') => Err(self.doubt(DoubtKind::Continuation)),
            Some(byte) if byte.is_ascii() => {
                self.at += 1;
                self.literal();
                Ok(())
            }
            Some(_) => Err(self.doubt(DoubtKind::Unquoted)),
        }
    }

    fn single_quoted(&mut self) -> Result<(), Doubt> {
        self.is_quoted = true;
        let inside = self.at + 1;
        let end = self.source.get(inside..).and_then(|rest| rest.find('\''));
        let Some(end) = end else { return Err(self.doubt(DoubtKind::Syntax)) };
        let quoted = self.slice(inside..inside + end).to_owned();
        self.text.push_str(&quoted);
        self.at = inside + end + 1;
        Ok(())
    }

    fn double_quoted(
        &mut self,
        substitution: &mut impl FnMut(usize) -> Result<usize, Doubt>,
    ) -> Result<(), Doubt> {
        self.is_quoted = true;
        self.at += 1;
        loop {
            match self.peek() {
                None => return Err(self.doubt(DoubtKind::Syntax)),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'`') => return Err(self.doubt(DoubtKind::Backquote)),
                Some(b'$') => self.expansion(substitution)?,
                Some(b'\\') => match self.peek_at(1) {
                    Some(b'\n') => return Err(self.doubt(DoubtKind::Continuation)),
                    Some(b'$' | b'`' | b'"' | b'\\') => {
                        self.at += 1;
                        self.literal();
                    }
                    Some(_) | None => self.literal(),
                },
                Some(byte) if byte.is_ascii() => self.literal(),
                Some(_) => {
                    let character = self.source.get(self.at..).and_then(|rest| rest.chars().next());
                    let Some(character) = character else { return Err(self.doubt(DoubtKind::Syntax)) };
                    self.text.push(character);
                    self.at += character.len_utf8();
                }
            }
        }
    }

    /// A `$` and what it introduces. Only the plain forms, which run nothing and set nothing.
    fn expansion(
        &mut self,
        substitution: &mut impl FnMut(usize) -> Result<usize, Doubt>,
    ) -> Result<(), Doubt> {
        self.is_known = false;
        let length = match self.peek_at(1) {
            Some(b'(') if self.peek_at(2) == Some(b'(') => return Err(self.doubt(DoubtKind::Arithmetic)),
            Some(b'(') => {
                self.at = substitution(self.at + 2)?;
                return Ok(());
            }
            Some(b'{') => {
                let name = self.name_length(self.at + 2);
                if name == 0 || self.peek_at(2 + name) != Some(b'}') {
                    return Err(self.doubt(DoubtKind::Expansion));
                }
                name + 3
            }
            Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' | b'0'..=b'9') => 2,
            Some(_) => match self.name_length(self.at + 1) {
                0 => return Err(self.doubt(DoubtKind::Expansion)),
                name => name + 1,
            },
            None => return Err(self.doubt(DoubtKind::Expansion)),
        };
        self.at += length;
        Ok(())
    }

    /// How long the variable's name at that place is.
    fn name_length(&self, at: usize) -> usize {
        let rest = self.source.as_bytes().get(at..).unwrap_or_default();
        if rest.first().is_some_and(u8::is_ascii_digit) {
            return 0;
        }
        rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
    }

    fn finish(self) -> Word {
        let is_assignment = self.name_end.is_some_and(|end| {
            // `a+=b` appends in bash and is a command's name elsewhere; it may not pass for either.
            let name = self.slice(self.start..end).trim_end_matches('+');
            let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            plain && name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit())
        });
        Word {
            range: self.start..self.at,
            text: self.is_known.then_some(self.text),
            is_quoted: self.is_quoted,
            is_assignment,
        }
    }
}
