//! What a command printed, as lines of pieces in colours: the escape sequences that colour are read, all others vanish.
//!
//! Pure, linear and bounded by its input. A carriage return begins its line anew, as on a terminal, so that a progress
//! bar is one line.

use std::iter::Peekable;
use std::str::Chars;

/// How a piece looks. Colours are the sixteen of a terminal; richer ones become the nearest of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) front: Option<u8>,
    pub(super) back: Option<u8>,
    pub(super) is_bold: bool,
    pub(super) is_faint: bool,
    pub(super) is_italic: bool,
    pub(super) is_underlined: bool,
    pub(super) is_reversed: bool,
}

impl Style {
    /// The classes of its element; none for plain text.
    pub(super) fn classes(self) -> Option<String> {
        let (front, back) = if self.is_reversed { (self.back, self.front) } else { (self.front, self.back) };
        let mut classes = Vec::new();
        classes.extend(front.map(|color| format!("af{color}")));
        classes.extend(back.map(|color| format!("ab{color}")));
        let flags = [
            (self.is_bold, "abold"),
            (self.is_faint, "afaint"),
            (self.is_italic, "aitalic"),
            (self.is_underlined, "aunder"),
            (self.is_reversed && front.is_none() && back.is_none(), "areverse"),
        ];
        classes.extend(flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, class)| class.to_owned()));
        (!classes.is_empty()).then(|| classes.join(" "))
    }
}

/// A piece of a line.
pub(super) type Piece = (Style, String);

/// The lines of an output.
pub(super) fn lines(output: &str) -> Vec<Vec<Piece>> {
    let mut screen = Screen { lines: Vec::new(), line: Vec::new(), style: Style::default() };
    let mut chars = output.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => screen.escape(&mut chars),
            '\u{9b}' => screen.control(&mut chars),
            '\n' => screen.end_line(),
            // In front of the end of a line it means nothing.
            '\r' if chars.peek().is_none_or(|next| *next == '\n' || *next == '\r') => {}
            '\r' => screen.line.clear(),
            '\u{8}' => screen.go_back(),
            '\u{7}' => {}
            '\t' => screen.put(c),
            c if toolgate::text::is_hidden(c) => {
                toolgate::text::Line(c.encode_utf8(&mut [0; 4]))
                    .to_string()
                    .chars()
                    .for_each(|c| screen.put(c));
            }
            c => screen.put(c),
        }
    }
    if !screen.line.is_empty() {
        screen.end_line();
    }
    screen.lines
}

struct Screen {
    lines: Vec<Vec<Piece>>,
    line: Vec<Piece>,
    style: Style,
}

impl Screen {
    fn put(&mut self, c: char) {
        match self.line.last_mut() {
            Some((style, text)) if *style == self.style => text.push(c),
            Some(_) | None => self.line.push((self.style, c.to_string())),
        }
    }

    fn go_back(&mut self) {
        if let Some((_, text)) = self.line.last_mut() {
            text.pop();
            if text.is_empty() {
                self.line.pop();
            }
        }
    }

    fn end_line(&mut self) {
        self.lines.push(std::mem::take(&mut self.line));
    }

    /// What stands behind an escape character.
    fn escape(&mut self, chars: &mut Peekable<Chars<'_>>) {
        match chars.next() {
            Some('[') => self.control(chars),
            // Titles, links, pictures: texts that end with a bell or another escape.
            Some(']' | 'P' | 'X' | '^' | '_') => skip_text(chars),
            // Character sets have one more letter.
            Some('(' | ')' | '*' | '+' | '#' | '%' | ' ') => drop(chars.next()),
            Some(_) | None => {}
        }
    }

    /// A control sequence; only those that colour do something.
    fn control(&mut self, chars: &mut Peekable<Chars<'_>>) {
        let mut parameters = String::new();
        while let Some(c) = chars.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)) {
            parameters.push(c);
        }
        if chars.next_if(|c| ('\u{40}'..='\u{7e}').contains(c)) == Some('m') {
            self.color(&parameters);
        }
    }

    fn color(&mut self, parameters: &str) {
        let mut numbers = parameters.split([';', ':']).map(|text| text.parse::<u16>().unwrap_or_default());
        while let Some(number) = numbers.next() {
            let style = &mut self.style;
            match number {
                0 => *style = Style::default(),
                1 => style.is_bold = true,
                2 => style.is_faint = true,
                3 => style.is_italic = true,
                4 => style.is_underlined = true,
                7 => style.is_reversed = true,
                22 => (style.is_bold, style.is_faint) = (false, false),
                23 => style.is_italic = false,
                24 => style.is_underlined = false,
                27 => style.is_reversed = false,
                30..=37 => style.front = u8::try_from(number - 30).ok(),
                38 => style.front = rich(&mut numbers),
                39 => style.front = None,
                40..=47 => style.back = u8::try_from(number - 40).ok(),
                48 => style.back = rich(&mut numbers),
                49 => style.back = None,
                90..=97 => style.front = u8::try_from(number - 82).ok(),
                100..=107 => style.back = u8::try_from(number - 92).ok(),
                _ => {}
            }
        }
    }
}

fn skip_text(chars: &mut Peekable<Chars<'_>>) {
    while let Some(c) = chars.next() {
        if c == '\u{7}' || c == '\u{9c}' {
            return;
        }
        if c == '\u{1b}' {
            let _ = chars.next_if_eq(&'\\');
            return;
        }
    }
}

/// One of 256 colours, or one of three parts, as the nearest of sixteen.
fn rich(numbers: &mut impl Iterator<Item = u16>) -> Option<u8> {
    match numbers.next()? {
        5 => match numbers.next()? {
            low @ 0..=15 => u8::try_from(low).ok(),
            cube @ 16..=231 => {
                let cube = cube - 16;
                Some(nearest([cube / 36, cube / 6 % 6, cube % 6].map(|part| part * 51)))
            }
            gray @ 232..=255 => Some(nearest([(gray - 232) * 10 + 8; 3])),
            _ => None,
        },
        2 => Some(nearest([numbers.next()?, numbers.next()?, numbers.next()?])),
        _ => None,
    }
}

/// The nearest of the sixteen colours to red, green and blue.
fn nearest(parts: [u16; 3]) -> u8 {
    let [red, green, blue] = parts;
    let most = red.max(green).max(blue);
    let least = red.min(green).min(blue);
    if most.saturating_sub(least) < 40 {
        return match most {
            0..=50 => 0,
            51..=150 => 8,
            151..=220 => 7,
            _ => 15,
        };
    }
    let half = least + (most - least) / 2;
    let hue = u8::from(red > half) | u8::from(green > half) << 1 | u8::from(blue > half) << 2;
    if most > 200 { hue + 8 } else { hue }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(output: &str) -> String {
        let line = |pieces: Vec<Piece>| {
            let pieces = pieces.into_iter().map(|(style, text)| match style.classes() {
                Some(classes) => format!("⟨{classes}:{text}⟩"),
                None => text,
            });
            pieces.collect::<String>()
        };
        lines(output).into_iter().map(line).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn colours_are_read_and_everything_else_vanishes() {
        for (output, expected) in [
            ("a\nb\n", "a|b"),
            ("a\r\nb", "a|b"),
            ("\x1b[31mred\x1b[0m plain", "⟨af1:red⟩ plain"),
            ("\x1b[1;92;44mx\x1b[22;39my\x1b[mz", "⟨af10 ab4 abold:x⟩⟨ab4:y⟩z"),
            ("\x1b[38;5;196mr\x1b[38;2;10;10;10mb", "⟨af9:r⟩⟨af0:b⟩"),
            ("\x1b[7mx\x1b[31my", "⟨areverse:x⟩⟨ab1:y⟩"),
            ("10%\r20%\r100%\n", "100%"),
            ("ab\u{8}c", "ac"),
            ("\x1b]0;title\x07a\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "alink"),
            ("\x1b[2J\x1b[Hx\x1b(By\x1bPdcs\x1b\\z", "xyz"),
            ("\u{9b}31mx\x1b[", "⟨af1:x⟩"),
            ("a\u{202e}b\0", "a\\u{202e}b\\x00"),
            ("<script>", "<script>"),
            ("\x1b]unended", ""),
            ("\x1b[38;5m\x1b[999999999mx", "x"),
        ] {
            assert_eq!(shown(output), expected, "{output:?}");
        }
    }
}
