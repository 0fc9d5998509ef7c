//! The outline of a text that the parser refuses: where its members and items begin and end.
//!
//! Called to take a broken list of tools apart, so that each tool is judged alone. It builds no value and does not
//! recurse; serde skips the values, at any depth.

use serde::de::IgnoredAny;

/// The members of the object that a text is: names and the texts of their values. None where it is no object.
pub(crate) fn members(text: &[u8]) -> Option<Vec<(String, &[u8])>> {
    let mut rest = opened(text, b'{')?;
    let mut members = Vec::new();
    if trimmed(rest).first() == Some(&b'}') {
        return Some(members);
    }
    loop {
        let (name, after) = value(rest)?;
        let name: String = serde_json::from_slice(name).ok()?;
        let (member, after) = value(opened(after, b':')?)?;
        members.push((name, member));
        match trimmed(after).split_first()? {
            (b',', after) => rest = after,
            (b'}', _) => return Some(members),
            _ => return None,
        }
    }
}

/// The texts of the items of the array that a text is. None where it is no array.
pub(super) fn items(text: &[u8]) -> Option<Vec<&[u8]>> {
    let mut rest = opened(text, b'[')?;
    let mut items = Vec::new();
    if trimmed(rest).first() == Some(&b']') {
        return Some(items);
    }
    loop {
        let (item, after) = value(rest)?;
        items.push(item);
        match trimmed(after).split_first()? {
            (b',', after) => rest = after,
            (b']', _) => return Some(items),
            _ => return None,
        }
    }
}

/// The text of the value that comes next, and what follows it.
fn value(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = trimmed(text);
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    text.split_at_checked(values.byte_offset())
}

/// What follows a byte that has to come next.
fn opened(text: &[u8], byte: u8) -> Option<&[u8]> {
    trimmed(text).strip_prefix(&[byte])
}

fn trimmed(text: &[u8]) -> &[u8] {
    text.trim_ascii_start()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_apart_without_being_understood() {
        let deep = "[".repeat(5_000) + &"]".repeat(5_000);
        let text = format!(r#" {{ "a" : 12345678901234567890123 , "b\n":{deep},"a":"\ud800", "c":{{}} }} "#);
        let members = members(text.as_bytes()).unwrap();
        let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b\n", "a", "c"]);
        assert_eq!(members[0].1, b"12345678901234567890123");
        assert_eq!(members[1].1.len(), 10_000);
        assert_eq!(members[2].1, br#""\ud800""#);
        assert_eq!(items(b"[ 1 , {\"a\":[1,2]},\"x\"]").unwrap(), [&b"1"[..], b"{\"a\":[1,2]}", b"\"x\""]);
        assert_eq!(items(b"[]").unwrap().len(), 0);
    }

    #[test]
    fn what_is_cut_off_has_no_outline() {
        for text in [&b"{\"a\":1"[..], b"{\"a\" 1}", b"{\"a\":1 \"b\":2}", b"{1:2}", b"[1,2", b"", b"1"] {
            assert_eq!((members(text), items(text)), (None, None), "{}", String::from_utf8_lossy(text));
        }
    }
}
