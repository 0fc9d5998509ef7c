//! The tokens of a command line, by the rules that POSIX shells and bash share.
//!
//! The second of the two readers of [`super::line`]: the grammar says what the line does, and this one, which knows
//! nothing of grammar, says which bytes are words. A line is understood only where both agree. It never repairs and
//! never skips anything but blanks and comments.

use std::ops::Range;

use super::word::{Word, read_word};
use super::{Doubt, DoubtKind};

/// How deep substitutions may be nested.
const DEEPEST: usize = 16;

/// Words without an operator between them, in order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Run {
    /// The words; none where an operator follows an operator.
    pub(super) words: Vec<Word>,
}

/// Splits a line, and the substitutions in it, into runs. Redirections that write or read nothing are left out.
///
/// # Errors
/// The first thing that is not surely understood.
pub(super) fn runs(source: &str) -> Result<Vec<Run>, Doubt> {
    let mut lexer = Lexer { source, at: 0, runs: Vec::new() };
    lexer.list(0)?;
    Ok(lexer.runs)
}

/// Reads one word from a text of its own; none where the text is not exactly one word.
pub(super) fn lone_word(text: &str) -> Option<Word> {
    let mut lexer = Lexer { source: text, at: 0, runs: Vec::new() };
    let word = lexer.word(0).ok()?;
    (word.range == (0..text.len())).then_some(word)
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    runs: Vec<Run>,
}

impl Lexer<'_> {
    /// Reads up to the end, or to the parenthesis that closes the substitution.
    fn list(&mut self, depth: usize) -> Result<(), Doubt> {
        let mut run = Run::default();
        let mut open = 0_usize;
        loop {
            match self.peek(0) {
                None if depth == 0 && open == 0 => break,
                None => return Err(self.doubt(DoubtKind::Syntax, 0)),
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'#') => self.comment(),
                Some(b'\n') => {
                    self.at += 1;
                    self.close(&mut run);
                }
                Some(b')') if open == 0 => {
                    if depth == 0 {
                        return Err(self.doubt(DoubtKind::Syntax, 1));
                    }
                    break;
                }
                Some(b'<' | b'>') => self.redirection(depth)?,
                Some(b';' | b'&' | b'|' | b'(' | b')') => {
                    match self.operator()? {
                        b'(' => open += 1,
                        b')' => open -= 1,
                        _ => {}
                    }
                    self.close(&mut run);
                }
                Some(b'0'..=b'9') if self.is_descriptor() => self.redirection(depth)?,
                Some(_) => {
                    let word = self.word(depth)?;
                    run.words.push(word);
                    if self.peek(0) == Some(b'(') {
                        return Err(self.doubt(DoubtKind::Parenthesis, 1));
                    }
                }
            }
        }
        self.close(&mut run);
        Ok(())
    }

    fn peek(&self, offset: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + offset).copied()
    }

    fn doubt(&self, kind: DoubtKind, length: usize) -> Doubt {
        Doubt { kind, range: self.at..(self.at + length).min(self.source.len()) }
    }

    fn close(&mut self, run: &mut Run) {
        if !run.words.is_empty() {
            self.runs.push(std::mem::take(run));
        }
    }

    fn comment(&mut self) {
        let rest = self.source.as_bytes().get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|byte| **byte != b'\n').count();
    }

    fn word(&mut self, depth: usize) -> Result<Word, Doubt> {
        let (source, start) = (self.source, self.at);
        let word = read_word(source, start, |inside| {
            self.at = inside;
            if depth >= DEEPEST {
                return Err(self.doubt(DoubtKind::Size, 0));
            }
            self.list(depth + 1)?;
            Ok(self.at + 1)
        })?;
        self.at = word.range.end;
        Ok(word)
    }

    /// One operator; its first byte.
    fn operator(&mut self) -> Result<u8, Doubt> {
        let (first, second) = (self.peek(0).unwrap_or_default(), self.peek(1));
        let length = match (first, second) {
            (b'&', Some(b'&')) | (b'|', Some(b'|')) => 2,
            // `;;`, `;&`, `&>`, `|&`, `((`: each means something else in one shell than in the next.
            (b';', Some(b';' | b'&' | b'|'))
            | (b'&', Some(b'>' | b';' | b'|'))
            | (b'|', Some(b'&' | b';'))
            | (b'(', Some(b'(')) => return Err(self.doubt(DoubtKind::Operator, 2)),
            _ => 1,
        };
        self.at += length;
        Ok(first)
    }

    /// Whether digits stand directly before a redirection.
    fn is_descriptor(&self) -> bool {
        let rest = self.source.as_bytes().get(self.at..).unwrap_or_default();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        matches!(rest.get(digits), Some(b'<' | b'>'))
    }

    /// A redirection that touches no file: between descriptors, or to `/dev/null`.
    fn redirection(&mut self, depth: usize) -> Result<(), Doubt> {
        let start = self.at;
        while self.peek(0).is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        let operator = match (self.peek(0), self.peek(1)) {
            (Some(b'>'), Some(b'&')) | (Some(b'>'), Some(b'>')) => 2,
            (Some(b'<'), Some(b'<')) => return Err(self.doubt(DoubtKind::HereDocument, 2)),
            (Some(b'<' | b'>'), Some(b'(')) => return Err(self.doubt(DoubtKind::ProcessSubstitution, 2)),
            (Some(b'<'), Some(b'&' | b'>')) | (Some(b'>'), Some(b'|')) => {
                return Err(self.doubt(DoubtKind::Redirection, 2));
            }
            (Some(_) | None, Some(_) | None) => 1,
        };
        let duplicates = self.peek(1) == Some(b'&');
        self.at += operator;
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let target = self.word(depth)?;
        let harmless = match target.text.as_deref() {
            Some("0" | "1" | "2") => duplicates,
            Some("/dev/null") => !duplicates,
            Some(_) | None => false,
        };
        if harmless && !target.is_quoted {
            return Ok(());
        }
        let range: Range<usize> = start..target.range.end;
        Err(Doubt { kind: DoubtKind::Redirection, range })
    }
}
