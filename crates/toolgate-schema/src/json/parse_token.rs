//! The scalars of the parser: words, strings with their escapes, and numbers.
//!
//! Called by `parse` where a scalar or a key begins. Every fault is reported at the start of what is wrong.

use serde_json::{Number, Value};

use super::ParseErrorKind;
use super::parse::{Fault, NegativeZero, Parsed, Parser};
use super::scan::plain_run;

impl Parser<'_> {
    pub(super) fn word(&mut self, word: &str, value: Value) -> Parsed<Value> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(value);
        }
        let cut_off = word.as_bytes().starts_with(rest);
        let kind = if cut_off { ParseErrorKind::UnexpectedEnd } else { ParseErrorKind::ExpectedValue };
        Err(self.member_fault(kind, self.at))
    }

    /// Reads a string whose opening quote has been read.
    pub(super) fn string(&mut self) -> Parsed<String> {
        let start = self.at;
        self.at = plain_run(self.bytes, start);
        let head = self.text.get(start..self.at).unwrap_or_default();
        if self.peek() == Some(b'"') {
            self.at += 1;
            return Ok(head.to_owned());
        }
        self.escaped_string(head)
    }

    /// The rest of a string whose plain run has ended before its closing quote.
    #[cold]
    fn escaped_string(&mut self, head: &str) -> Parsed<String> {
        let mut string = String::with_capacity(head.len() * 2 + 8);
        string.push_str(head);
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => string.push(self.escape()?),
                Some(_) => return Err(self.member_fault(ParseErrorKind::ControlCharacter, self.at)),
                None => return Err(self.member_fault(ParseErrorKind::UnexpectedEnd, self.at)),
            }
            let start = self.at;
            self.at = plain_run(self.bytes, start);
            string.push_str(self.text.get(start..self.at).unwrap_or_default());
        }
    }

    /// Reads one escape sequence, a surrogate pair included.
    fn escape(&mut self) -> Parsed<char> {
        let start = self.at;
        self.at += 1;
        let character = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            Some(_) => return Err(self.member_fault(ParseErrorKind::InvalidEscape, start)),
            None => return Err(self.member_fault(ParseErrorKind::UnexpectedEnd, self.at)),
        };
        self.at += 1;
        Ok(character)
    }

    fn unicode_escape(&mut self, start: usize) -> Parsed<char> {
        let first = self.code_unit(start)?;
        if let Some(character) = char::from_u32(first) {
            return Ok(character);
        }
        let is_high = first < 0xdc00;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if is_high && rest.starts_with(b"\\u") {
            self.at += 1;
            let second = self.code_unit(start)?;
            if (0xdc00..0xe000).contains(&second)
                && let Some(character) =
                    char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
            {
                return Ok(character);
            }
        }
        Err(self.member_fault(ParseErrorKind::LoneSurrogate, start))
    }

    /// Reads `u` and four hexadecimal digits.
    fn code_unit(&mut self, start: usize) -> Parsed<u32> {
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let Some(byte) = self.peek() else {
                return Err(self.member_fault(ParseErrorKind::UnexpectedEnd, self.at));
            };
            let Some(digit) = char::from(byte).to_digit(16) else {
                return Err(self.member_fault(ParseErrorKind::InvalidEscape, start));
            };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }

    /// Reads a number: an integer token exactly, any other to the nearest double.
    pub(super) fn number(&mut self) -> Parsed<Number> {
        let start = self.at;
        let negative = self.eat(b'-');
        let digits_start = self.at;
        let mut magnitude = Some(0_u64);
        while let Some(byte @ b'0'..=b'9') = self.peek() {
            let digit = u64::from(byte - b'0');
            magnitude = magnitude.and_then(|value| value.checked_mul(10)?.checked_add(digit));
            self.at += 1;
        }
        let digits = self.at - digits_start;
        if digits == 0 {
            return Err(self.number_fault(start));
        }
        if digits > 1 && self.bytes.get(digits_start) == Some(&b'0') {
            return Err(self.member_fault(ParseErrorKind::InvalidNumber, start));
        }
        if let Some(b'.' | b'e' | b'E') = self.peek() {
            return self.double(start);
        }
        let integer = match (negative, magnitude) {
            (true, Some(0)) => return self.negative_zero(start),
            (false, Some(magnitude)) => Some(Number::from(magnitude)),
            (true, Some(magnitude)) => 0_i64.checked_sub_unsigned(magnitude).map(Number::from),
            (_, None) => None,
        };
        integer.ok_or_else(|| self.member_fault(ParseErrorKind::IntegerOutOfRange, start))
    }

    /// Reads the rest of a number that has a fraction or an exponent.
    fn double(&mut self, start: usize) -> Parsed<Number> {
        if self.eat(b'.') {
            self.digits(start)?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits(start)?;
        }
        let token = self.text.get(start..self.at).unwrap_or_default();
        let Ok(double) = token.parse::<f64>() else {
            return Err(self.member_fault(ParseErrorKind::InvalidNumber, start));
        };
        if double == 0.0 && double.is_sign_negative() {
            return self.negative_zero(start);
        }
        Number::from_f64(double).ok_or_else(|| self.member_fault(ParseErrorKind::NumberOverflow, start))
    }

    /// Skips one or more digits.
    fn digits(&mut self, start: usize) -> Parsed<()> {
        let first = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == first { Err(self.number_fault(start)) } else { Ok(()) }
    }

    fn negative_zero(&self, start: usize) -> Parsed<Number> {
        match self.negative_zero {
            NegativeZero::Accepted => Number::from_f64(-0.0),
            NegativeZero::Refused => None,
        }
        .ok_or_else(|| self.member_fault(ParseErrorKind::NegativeZero, start))
    }

    /// A number that stops where a digit should stand.
    #[cold]
    fn number_fault(&self, start: usize) -> Box<Fault> {
        match self.peek() {
            None => self.member_fault(ParseErrorKind::UnexpectedEnd, self.at),
            Some(_) => self.member_fault(ParseErrorKind::InvalidNumber, start),
        }
    }
}
