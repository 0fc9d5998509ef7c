//! The look at a source before it is compiled: how deep it nests, and what is written differently for the interpreter.
//!
//! Three things that programs may write, the interpreter cannot be given: the subscript of an object of the host, a
//! function of a module of its own, and an exception of another name than its own. `tools[name]` becomes `_at__(name)`,
//! `asyncio.sleep` a name, and `ToolCallError` the exception that stands for it: byte for byte of the same length, so
//! that every place stays where the author wrote it. What a program calls so is in `host`. A program that gives the
//! name `tools` to something of its own keeps its subscripts as they are.

use crate::outcome::{Failure, FailureKind};

/// The function that is called where `tools` has a subscript.
pub(super) const AT: &str = "_at__";

/// The function that is called for `asyncio.sleep`.
pub(super) const SLEEP: &str = "_asyncio_slee";

/// What `ToolCallError` is: the exception of `fault::TOOL_CALL_ERROR`.
const ERROR: &str = "OSError      ";

/// Levels of brackets; the parser takes 200.
const MOST_BRACKETS: usize = 180;

/// The source as it is compiled.
///
/// # Errors
/// When it nests too deep, with the place.
pub(super) fn prepare(source: &str) -> Result<String, Failure> {
    let mut scan = Scan {
        bytes: source.as_bytes(),
        at: 0,
        open: Vec::new(),
        line: 1,
        line_start: 0,
        before: 0,
        is_fresh: true,
        binding: None,
        binds_tools: false,
        edits: Vec::new(),
        subscripts: Vec::new(),
    };
    if let Err(refusal) = scan.code() {
        let start = source.get(scan.line_start..scan.at).unwrap_or_default();
        let column = u32::try_from(start.chars().count()).unwrap_or(u32::MAX);
        return Err(refusal.failure().at(scan.line, column.max(1)));
    }
    let mut bytes = source.as_bytes().to_vec();
    let subscripts = if scan.binds_tools { Vec::new() } else { scan.subscripts };
    for (at, text) in scan.edits.into_iter().chain(subscripts) {
        if let Some(place) = bytes.get_mut(at..at + text.len()) {
            place.copy_from_slice(text.as_bytes());
        }
    }
    // A carriage return alone ends a line, and the interpreter counts only line feeds. In a text it is one as well, as
    // Python reads its sources.
    for at in 0..bytes.len() {
        if bytes.get(at) == Some(&b'\r')
            && bytes.get(at + 1) != Some(&b'\n')
            && let Some(place) = bytes.get_mut(at)
        {
            *place = b'\n';
        }
    }
    // Only whole tokens of ASCII were replaced by others.
    String::from_utf8(bytes).or_else(|_| Ok(source.to_owned()))
}

/// Why a source is not compiled.
enum Refusal {
    /// Its brackets are deeper than they may be.
    TooDeep,
    /// The interpreter would put another character in this one's place.
    Surrogate,
}

impl Refusal {
    fn failure(&self) -> Failure {
        match self {
            Self::TooDeep => {
                let message = "the program nests too deep; split it into functions or statements";
                Failure::new(FailureKind::Limit, message)
            }
            Self::Surrogate => {
                let message = "SyntaxError: a text cannot hold half of a surrogate pair";
                Failure::new(FailureKind::Exception, message)
            }
        }
    }
}

/// What is open.
enum Open {
    /// A bracket. For a subscript of `tools`, where that begins; cleared when it is more than one expression.
    Bracket { opened: usize, tools: Option<usize> },
    /// The code in braces in a formatted text.
    Field(Quote),
    /// What follows the colon in such braces.
    Spec,
}

/// How a text is quoted.
#[derive(Clone, Copy)]
struct Quote {
    byte: u8,
    is_triple: bool,
    is_formatted: bool,
    has_escapes: bool,
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    open: Vec<Open>,
    line: u32,
    line_start: usize,
    /// The first byte of the last token, or its only one.
    before: u8,
    /// Whether a statement begins here.
    is_fresh: bool,
    /// How many brackets were open at a word that binds the names after it.
    binding: Option<usize>,
    /// Whether `tools` is a name of the program's own, somewhere in it.
    binds_tools: bool,
    edits: Vec<(usize, &'static str)>,
    /// The edits that stand for the subscripts of `tools`.
    subscripts: Vec<(usize, &'static str)>,
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or_default()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied()?;
        self.at += 1;
        if byte == b'\n' || byte == b'\r' && self.peek(0) != b'\n' {
            self.line += 1;
            self.line_start = self.at;
        }
        Some(byte)
    }

    fn code(&mut self) -> Result<(), Refusal> {
        while let Some(byte) = self.next() {
            match byte {
                b' ' | b'\t' | 0x0c => continue,
                b'\r' | b'\n' => {
                    if self.open.is_empty() {
                        self.is_fresh = true;
                        self.binding = None;
                    }
                    continue;
                }
                b'\\' => {
                    self.line_end();
                    continue;
                }
                b'#' => {
                    while self.at < self.bytes.len() && !matches!(self.peek(0), b'\n' | b'\r') {
                        self.at += 1;
                    }
                    continue;
                }
                // An ellipsis, after which a name is no attribute.
                b'.' if self.peek(0) == b'.' && self.peek(1) == b'.' => {
                    self.at += 2;
                    self.before = 0;
                    self.is_fresh = false;
                    continue;
                }
                b'"' | b'\'' => self.begin(byte, b"")?,
                b'(' | b'{' => self.push(None)?,
                b'[' => self.push(None)?,
                b')' | b']' => self.pop(),
                b'}' => self.brace()?,
                b':' => self.colon()?,
                b',' => self.plural(),
                _ if is_word(byte) => self.word()?,
                _ => {}
            }
            self.before = byte;
            self.is_fresh = byte == b';';
        }
        Ok(())
    }

    /// Passes over the end of a line that a backslash stands before.
    fn line_end(&mut self) {
        if self.next() == Some(b'\r') && self.peek(0) == b'\n' {
            self.next();
        }
    }

    fn push(&mut self, tools: Option<usize>) -> Result<(), Refusal> {
        self.open.push(Open::Bracket { opened: self.at - 1, tools });
        if self.open.len() > MOST_BRACKETS { Err(Refusal::TooDeep) } else { Ok(()) }
    }

    fn pop(&mut self) {
        if !matches!(self.open.last(), Some(Open::Bracket { .. })) {
            return;
        }
        let Some(Open::Bracket { opened, tools: Some(tools) }) = self.open.pop() else { return };
        let closed = self.at - 1;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let mut rest = rest.iter().copied().skip_while(|byte| matches!(byte, b' ' | b'\t'));
        let is_assigned = rest.next() == Some(b'=') && rest.next() != Some(b'=');
        let inside = self.bytes.get(opened + 1..closed).unwrap_or_default();
        if !is_assigned && self.bytes.get(closed) == Some(&b']') && !inside.trim_ascii().is_empty() {
            self.subscripts.extend([(tools, AT), (opened, "("), (closed, ")")]);
        }
    }

    /// A closing brace: of a bracket, or of code in a formatted text, which goes on.
    fn brace(&mut self) -> Result<(), Refusal> {
        match self.open.last() {
            Some(Open::Field(quote)) => {
                let quote = *quote;
                self.open.pop();
                self.text(quote)
            }
            Some(Open::Bracket { .. } | Open::Spec) | None => {
                self.pop();
                Ok(())
            }
        }
    }

    /// A colon: in code of a formatted text, what follows is text again.
    fn colon(&mut self) -> Result<(), Refusal> {
        if let Some(Open::Field(quote)) = self.open.last()
            && self.peek(0) != b'='
        {
            let quote = *quote;
            self.open.pop();
            self.open.push(Open::Spec);
            return self.text(quote);
        }
        if self.binding == Some(self.open.len()) {
            self.binding = None;
        }
        self.plural();
        Ok(())
    }

    /// The subscript is no single name: then the language says what it thinks of it.
    fn plural(&mut self) {
        if let Some(Open::Bracket { tools, .. }) = self.open.last_mut() {
            *tools = None;
        }
    }

    /// A name, a number, a keyword, or the prefix of a text.
    fn word(&mut self) -> Result<(), Refusal> {
        let start = self.at - 1;
        while is_word(self.peek(0)) {
            self.at += 1;
        }
        let word = self.bytes.get(start..self.at).unwrap_or_default();
        let quote = self.peek(0);
        if matches!(quote, b'"' | b'\'')
            && word.len() <= 2
            && word.iter().all(|byte| b"rRbBuUfFtT".contains(byte))
        {
            self.at += 1;
            return self.begin(quote, word);
        }
        if word.first().is_some_and(u8::is_ascii_digit) && self.peek(0) == b'.' {
            // The point of a number.
            self.at += 1;
        }
        if self.before == b'.' {
            return Ok(());
        }
        let is_named = self.is_named(start);
        match word {
            b"for" | b"lambda" | b"def" | b"class" | b"import" | b"as" => {
                self.binding = Some(self.open.len())
            }
            b"in" if self.binding == Some(self.open.len()) => self.binding = None,
            _ => {}
        }
        if word == b"tools" {
            while matches!(self.peek(0), b' ' | b'\t') {
                self.at += 1;
            }
            self.binds_tools |= is_named || self.is_assigned();
            if self.peek(0) == b'[' {
                self.at += 1;
                return self.push(Some(start));
            }
        } else if word == b"ToolCallError" {
            self.edits.push((start, ERROR));
        } else if word == b"asyncio" {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            if rest.starts_with(b".sleep") && !rest.get(6).copied().is_some_and(is_word) {
                self.at += 6;
                self.edits.push((start, SLEEP));
            }
        }
        Ok(())
    }

    /// Whether the name that begins there is given to something by the words before it: a parameter, the target of a
    /// loop, an import.
    fn is_named(&self, start: usize) -> bool {
        let before = self.bytes.get(..start).unwrap_or_default().trim_ascii_end();
        let starts = matches!(before.last(), Some(b',' | b'(' | b'*'));
        let word = before.rsplit(|byte| !is_word(*byte)).next().unwrap_or_default();
        self.binding.is_some()
            && (starts || matches!(word, b"for" | b"lambda" | b"def" | b"class" | b"import" | b"as"))
    }

    /// Whether what follows a name gives it to something: not the `=` of a keyword in a call.
    fn is_assigned(&self) -> bool {
        let is_statement = !matches!(self.open.last(), Some(Open::Bracket { .. }));
        match (self.peek(0), self.peek(1)) {
            (b'=', next) => next != b'=' && is_statement,
            (b':', b'=') => true,
            (b':' | b',', _) => self.is_fresh,
            (_, _) => false,
        }
    }

    /// A text, after its first quote, with what stands before that.
    fn begin(&mut self, byte: u8, prefix: &[u8]) -> Result<(), Refusal> {
        let has = |letters: &[u8]| prefix.iter().any(|letter| letters.contains(letter));
        let is_triple = self.peek(0) == byte && self.peek(1) == byte;
        if is_triple {
            self.at += 2;
        }
        self.text(Quote { byte, is_triple, is_formatted: has(b"fFtT"), has_escapes: !has(b"rRbB") })
    }

    /// Whether an escape, after its backslash, is half of a surrogate pair.
    fn is_surrogate(&self) -> bool {
        let digits = match self.peek(0) {
            b'u' => 1,
            b'U' if (1..5).all(|at| self.peek(at) == b'0') => 5,
            _ => return false,
        };
        matches!(
            (self.peek(digits), self.peek(digits + 1)),
            (b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F')
        )
    }

    /// The rest of a text, up to its end or to code in it.
    fn text(&mut self, quote: Quote) -> Result<(), Refusal> {
        let in_spec = matches!(self.open.last(), Some(Open::Spec));
        while let Some(byte) = self.next() {
            match byte {
                // The name of a character is no code, and a backslash does not keep code from being code.
                b'\\'
                    if quote.is_formatted
                        && quote.has_escapes
                        && self.peek(0) == b'N'
                        && self.peek(1) == b'{' =>
                {
                    self.at += 2;
                }
                b'\\' if quote.is_formatted && self.peek(0) == b'{' => {}
                b'\\' if quote.has_escapes && self.is_surrogate() => return Err(Refusal::Surrogate),
                b'\\' => self.line_end(),
                b'\n' | b'\r' if !quote.is_triple => return Ok(()),
                b'{' if quote.is_formatted && self.peek(0) == b'{' && !in_spec => self.at += 1,
                b'{' if quote.is_formatted => {
                    self.open.push(Open::Field(quote));
                    return if self.open.len() > MOST_BRACKETS { Err(Refusal::TooDeep) } else { Ok(()) };
                }
                b'}' if in_spec => {
                    self.open.pop();
                    return self.text(quote);
                }
                _ if byte == quote.byte && !quote.is_triple => return Ok(()),
                _ if byte == quote.byte && self.peek(0) == byte && self.peek(1) == byte => {
                    self.at += 2;
                    return Ok(());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80
}
