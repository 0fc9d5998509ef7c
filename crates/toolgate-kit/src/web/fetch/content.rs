//! What a body is, after the server's `Content-Type` and its first bytes, and how its bytes become text.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How far into a body the page may say its character set.
const PRESCAN: usize = 1024;

/// What a text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// HTML, which becomes Markdown.
    Html,
    /// XML, which stays as it is.
    Xml,
    /// Any other text, which stays as it is.
    Plain,
    /// The server does not say.
    Unknown,
}

/// A parsed `Content-Type`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ContentType {
    /// Type and subtype in lower case; empty where the server sent none.
    pub(super) essence: String,
    charset: Option<String>,
}

impl ContentType {
    pub(super) fn parse(header: &str) -> Self {
        let mut parts = header.split(';');
        let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = parts.find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']);
            name.trim().eq_ignore_ascii_case("charset").then(|| value.to_owned())
        });
        Self { essence, charset }
    }

    /// The format; `None` for what is no text.
    pub(super) fn format(&self) -> Option<Format> {
        let (kind, subtype) = self.essence.split_once('/').unwrap_or((self.essence.as_str(), ""));
        match (kind, subtype) {
            ("", _) => Some(Format::Unknown),
            ("text", "html") | ("application", "xhtml+xml") => Some(Format::Html),
            ("text" | "application", "xml") => Some(Format::Xml),
            ("application" | "image" | "model", subtype) if subtype.ends_with("+xml") => Some(Format::Xml),
            ("text", _) => Some(Format::Plain),
            ("application", subtype) if is_text(subtype) => Some(Format::Plain),
            _ => None,
        }
    }
}

fn is_text(subtype: &str) -> bool {
    let names = [
        "json",
        "javascript",
        "ecmascript",
        "x-javascript",
        "typescript",
        "yaml",
        "x-yaml",
        "toml",
        "x-ndjson",
        "ndjson",
        "jsonl",
        "sql",
        "graphql",
        "x-sh",
        "x-tex",
        "x-httpd-php",
        "x-www-form-urlencoded",
    ];
    names.contains(&subtype) || subtype.ends_with("+json") || subtype.ends_with("+yaml")
}

/// The text of a body, and its format now that the body can be looked at; `None` when it holds NUL characters, so that
/// it is no text whatever the server says.
///
/// The character set is the one of the byte order mark, else of the header, else of the document; UTF-8 where nobody
/// says and the bytes are valid, and otherwise windows-1252. What is invalid becomes U+FFFD. A body that was `cut` may
/// end within a character.
pub(super) fn decode(
    bytes: Vec<u8>,
    content_type: &ContentType,
    format: Format,
    cut: bool,
) -> Option<(String, Format)> {
    let (encoding, mark) = match Encoding::for_bom(&bytes) {
        Some((encoding, length)) => (encoding, length),
        None => (declared(&bytes, content_type, format).unwrap_or_else(|| guess(&bytes, cut)), 0),
    };
    let text = if encoding == UTF_8 && mark == 0 {
        // Without a copy where nothing is wrong, which is the common case.
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    } else {
        encoding.decode_without_bom_handling(bytes.get(mark..).unwrap_or_default()).0.into_owned()
    };
    if text.contains('\0') {
        return None;
    }
    let format = match format {
        Format::Unknown if looks_like_html(&text) => Format::Html,
        Format::Unknown => Format::Plain,
        Format::Html | Format::Xml | Format::Plain => format,
    };
    Some((text, format))
}

fn declared(bytes: &[u8], content_type: &ContentType, format: Format) -> Option<&'static Encoding> {
    let by_header = content_type.charset.as_deref().and_then(|name| Encoding::for_label(name.as_bytes()));
    let head = bytes.get(..PRESCAN).unwrap_or(bytes);
    by_header.or_else(|| match format {
        Format::Html | Format::Unknown => label_after(head, b"charset"),
        Format::Xml => label_after(head, b"encoding"),
        Format::Plain => None,
    })
}

/// The character set named as `word = "name"` in the first bytes of a document, where it is one that can name itself.
fn label_after(head: &[u8], word: &[u8]) -> Option<&'static Encoding> {
    let head = head.to_ascii_lowercase();
    let mut places = memchr::memmem::find_iter(&head, word);
    places.find_map(|at| {
        let rest = head.get(at.saturating_add(word.len())..)?.trim_ascii_start();
        let rest = rest.strip_prefix(b"=")?.trim_ascii_start();
        let rest = rest.strip_prefix(b"\"").or(rest.strip_prefix(b"'")).unwrap_or(rest);
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte);
        let end = rest.iter().position(|byte| !is_name(byte)).unwrap_or(rest.len());
        let encoding = Encoding::for_label(rest.get(..end)?)?;
        // Whoever wrote this in ASCII did not write it in UTF-16.
        Some(if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
    })
}

fn guess(bytes: &[u8], cut: bool) -> &'static Encoding {
    match std::str::from_utf8(bytes) {
        Ok(_) => UTF_8,
        Err(error) if cut && error.error_len().is_none() => UTF_8,
        Err(_) => WINDOWS_1252,
    }
}

fn looks_like_html(text: &str) -> bool {
    let start = text.trim_start().get(..14).unwrap_or(text.trim_start()).to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_apart() {
        for (header, format) in [
            ("text/html", Some(Format::Html)),
            (" TEXT/HTML ; charset=utf-8", Some(Format::Html)),
            ("application/xhtml+xml", Some(Format::Html)),
            ("application/rss+xml", Some(Format::Xml)),
            ("image/svg+xml", Some(Format::Xml)),
            ("application/json", Some(Format::Plain)),
            ("application/vnd.api+json", Some(Format::Plain)),
            ("text/markdown", Some(Format::Plain)),
            ("", Some(Format::Unknown)),
            ("application/octet-stream", None),
            ("image/png", None),
            ("application/pdf", None),
            ("application/zip", None),
            ("nonsense", None),
        ] {
            assert_eq!(ContentType::parse(header).format(), format, "{header}");
        }
    }

    #[test]
    fn character_sets_are_found() {
        let html = b"<html><meta http-equiv=x content='text/html; charset=windows-1251'>\xcf".to_vec();
        for (bytes, header, expected) in [
            (b"caf\xc3\xa9".to_vec(), "text/plain", "caf\u{e9}"),
            (b"caf\xe9".to_vec(), "text/plain", "caf\u{e9}"),
            (b"caf\xe9".to_vec(), "text/plain; charset=utf-8", "caf\u{fffd}"),
            (b"caf\xc3".to_vec(), "text/plain", "caf\u{c3}"),
            (b"\x82\xa0".to_vec(), "text/plain; charset=\"Shift_JIS\"", "\u{3042}"),
            (b"\xef\xbb\xbfx\xc3\xa9".to_vec(), "text/plain; charset=iso-8859-1", "x\u{e9}"),
            (b"\xff\xfea\0b\0".to_vec(), "text/plain", "ab"),
            (b"a\0".to_vec(), "text/plain; charset=utf-16le", "a"),
            (b"<meta charset=utf-16>\xc3\xa9".to_vec(), "text/html", "<meta charset=utf-16>\u{e9}"),
            (
                b"<?xml version='1.0' encoding='koi8-r'?>\xf0".to_vec(),
                "text/xml",
                "<?xml version='1.0' encoding='koi8-r'?>\u{41f}",
            ),
            (b"x; charset=none \xe9".to_vec(), "text/html", "x; charset=none \u{e9}"),
        ] {
            let content_type = ContentType::parse(header);
            let format = content_type.format().unwrap();
            let (text, _) = decode(bytes, &content_type, format, false).unwrap();
            assert_eq!(text, expected, "{header}");
        }
        let (text, format) = decode(html, &ContentType::parse(""), Format::Unknown, false).unwrap();
        let plain = ContentType::parse("text/plain");
        assert_eq!(decode(b"caf\xc3".to_vec(), &plain, Format::Plain, true).unwrap().0, "caf\u{fffd}");
        assert!(text.ends_with('\u{41f}') && format == Format::Html, "{text}");
    }

    #[test]
    fn bytes_that_are_no_text_are_seen() {
        assert_eq!(
            decode(b"\x7fELF\0\0".to_vec(), &ContentType::parse("text/plain"), Format::Plain, false),
            None
        );
    }
}
