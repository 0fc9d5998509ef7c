//! The two streams that a person reads, with colour only where a person sees it.
//!
//! Every command writes through a [`Page`]. Colour follows the terminal, `NO_COLOR`, `CLICOLOR` and
//! `CLICOLOR_FORCE`; where there is none, the styles are empty and nothing has to be stripped afterwards.

use std::io::{self, BufWriter, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

/// One stream, buffered. What it holds is written by `flush`, whose error matters, and at the latest when it is
/// dropped.
pub(crate) struct Page {
    out: BufWriter<Box<dyn Write>>,
    styles: Styles,
}

/// The styles of a page; all empty where there is no colour.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Styles {
    /// Headings and names of tools.
    pub(crate) title: Style,
    /// Names of files.
    pub(crate) path: Style,
    /// Line numbers and remarks.
    pub(crate) faint: Style,
    /// Added lines.
    pub(crate) added: Style,
    /// Removed lines.
    pub(crate) removed: Style,
    /// What must not be overlooked in a card: a cut list, a failed command.
    pub(crate) warning: Style,
    /// The word `error:`.
    pub(crate) error: Style,
    /// The word `hint:`.
    pub(crate) hint: Style,
}

impl Styles {
    fn coloured() -> Self {
        Self {
            title: Style::new().bold(),
            path: AnsiColor::Magenta.on_default(),
            faint: Style::new().dimmed(),
            added: AnsiColor::Green.on_default(),
            removed: AnsiColor::Red.on_default(),
            warning: AnsiColor::Yellow.on_default(),
            error: AnsiColor::Red.on_default().bold(),
            hint: AnsiColor::Cyan.on_default().bold(),
        }
    }
}

impl Page {
    /// Standard output.
    pub(crate) fn stdout() -> Self {
        let out = io::stdout();
        match AutoStream::choice(&out) {
            ColorChoice::Never => Self::plain(Box::new(out)),
            choice @ (ColorChoice::Auto | ColorChoice::Always | ColorChoice::AlwaysAnsi) => {
                Self::coloured(Box::new(AutoStream::new(out, choice)))
            }
        }
    }

    /// Standard error.
    pub(crate) fn stderr() -> Self {
        let out = io::stderr();
        match AutoStream::choice(&out) {
            ColorChoice::Never => Self::plain(Box::new(out)),
            choice @ (ColorChoice::Auto | ColorChoice::Always | ColorChoice::AlwaysAnsi) => {
                Self::coloured(Box::new(AutoStream::new(out, choice)))
            }
        }
    }

    /// Standard output for programs: bytes as they are, whatever the terminal.
    pub(crate) fn raw_stdout() -> Self {
        Self::plain(Box::new(io::stdout()))
    }

    /// A page without colour that a test can read.
    #[cfg(test)]
    pub(crate) fn in_memory(memory: std::sync::mpsc::Sender<Vec<u8>>) -> Self {
        struct Memory(std::sync::mpsc::Sender<Vec<u8>>);
        impl Write for Memory {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.send(bytes.to_vec()).map_err(io::Error::other)?;
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        Self::plain(Box::new(Memory(memory)))
    }

    /// The styles to write with.
    pub(crate) fn styles(&self) -> Styles {
        self.styles
    }

    fn plain(out: Box<dyn Write>) -> Self {
        Self { out: BufWriter::with_capacity(BUFFER, out), styles: Styles::default() }
    }

    fn coloured(out: Box<dyn Write>) -> Self {
        Self { out: BufWriter::with_capacity(BUFFER, out), styles: Styles::coloured() }
    }
}

const BUFFER: usize = 32 * 1024;

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Takes a broken pipe for the end of the output: the reader has seen enough.
///
/// # Errors
/// Any other failure to write.
pub(crate) fn until_closed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// A count with commas between groups of three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count and its noun: `1 line`, `2,000 lines`.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (12_345, "12,345"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(
            (counted(1, "line", "lines"), counted(0, "line", "lines")),
            ("1 line".into(), "0 lines".into())
        );
    }
}
