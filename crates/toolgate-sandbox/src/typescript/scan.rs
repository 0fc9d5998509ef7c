//! The look at a source before it is parsed: how deep it nests.
//!
//! The parser recurses once for each level and the thread's stack is made for the worst case, so this is about clear
//! words and little memory, not about safety: where it mistakes a regular expression for a division, the parser still
//! fits its stack.

use crate::outcome::{Failure, FailureKind};

use super::position::Position;

/// Levels of brackets.
const MOST_BRACKETS: usize = 400;

/// Operators that nest to the right, without brackets, at one place.
const MOST_CHAINED: usize = 8_000;

/// Refuses what nests too deep.
pub(super) fn depth(source: &str) -> Result<(), Failure> {
    let mut scan = Scan { bytes: source.as_bytes(), at: 0, open: Vec::new(), chained: 0, before: 0 };
    while let Some(byte) = scan.next() {
        if let Err(at) = scan.step(byte) {
            let place = Position::of(source, at);
            let message = "the program nests too deep; split it into functions or statements";
            return Err(Failure::new(FailureKind::Limit, message).at(place.line, place.column));
        }
    }
    Ok(())
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    /// What closes each open bracket, and the chain that it interrupted.
    open: Vec<(u8, usize)>,
    chained: usize,
    /// The last byte of code before the current one.
    before: u8,
}

impl Scan<'_> {
    fn next(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte
    }

    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or_default()
    }

    /// One token; an error is the offset where it is too deep.
    fn step(&mut self, byte: u8) -> Result<(), usize> {
        match byte {
            b'"' | b'\'' => self.quoted(byte),
            b'`' => self.template()?,
            b'/' if self.peek() == b'/' => self.line_comment(),
            b'/' if self.peek() == b'*' => self.block_comment(),
            b'/' if self.starts_a_regular_expression() => self.regular_expression(),
            b'(' => self.push(b')')?,
            b'[' => self.push(b']')?,
            b'{' => self.push(b'}')?,
            b')' | b']' => self.pop(),
            b'}' => {
                let template = self.open.last().is_some_and(|(closer, _)| *closer == b'`');
                self.pop();
                if template {
                    self.template()?;
                }
            }
            b';' => self.chained = self.open.last().map_or(0, |(_, chained)| *chained),
            b'<' | b'>' | b'=' | b'?' | b':' | b'!' | b'~' | b'+' | b'-' | b'*' => self.chain()?,
            b' ' | b'\t' | b'\n' | b'\r' => return Ok(()),
            _ => {}
        }
        self.before = byte;
        Ok(())
    }

    fn push(&mut self, closer: u8) -> Result<(), usize> {
        self.open.push((closer, self.chained));
        if self.open.len() > MOST_BRACKETS { Err(self.at - 1) } else { Ok(()) }
    }

    fn pop(&mut self) {
        if let Some((_, chained)) = self.open.pop() {
            self.chained = chained;
        }
    }

    fn chain(&mut self) -> Result<(), usize> {
        self.chained += 1;
        if self.chained > MOST_CHAINED { Err(self.at - 1) } else { Ok(()) }
    }

    fn quoted(&mut self, quote: u8) {
        while let Some(byte) = self.next() {
            match byte {
                b'\\' => self.at += 1,
                b'\n' => return,
                _ if byte == quote => return,
                _ => {}
            }
        }
    }

    /// The text of a template, up to its end or to its next `${`.
    fn template(&mut self) -> Result<(), usize> {
        while let Some(byte) = self.next() {
            match byte {
                b'\\' => self.at += 1,
                b'`' => return Ok(()),
                b'$' if self.peek() == b'{' => {
                    self.at += 1;
                    return self.push(b'`');
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn line_comment(&mut self) {
        while self.next().is_some_and(|byte| byte != b'\n') {}
    }

    fn block_comment(&mut self) {
        self.at += 1;
        while let Some(byte) = self.next() {
            if byte == b'*' && self.peek() == b'/' {
                self.at += 1;
                return;
            }
        }
    }

    /// After a value a slash divides; elsewhere it begins a regular expression.
    fn starts_a_regular_expression(&self) -> bool {
        !matches!(self.before, b')' | b']' | b'}' | b'"' | b'\'' | b'`' | b'_' | b'$')
            && !self.before.is_ascii_alphanumeric()
    }

    fn regular_expression(&mut self) {
        let mut class = false;
        while let Some(byte) = self.next() {
            match byte {
                b'\\' => self.at += 1,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => return,
                b'\n' => return,
                _ => {}
            }
        }
    }
}
