//! [`Skim`]: the id of a message that is not kept, found while its bytes go by.
//!
//! Called for messages that are too long, and for those that the parser refuses. It knows just enough of JSON not to be
//! misled by what stands inside of strings and of nested values, and keeps a few bytes only, whatever goes by.

use std::sync::Arc;

use rmcp::model::RequestId;

/// The longest id that is looked at, in bytes of JSON.
const LONGEST: usize = 256;

/// What kind of a message it was, and which one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Skimmed {
    /// Its id, where it has one that JSON-RPC allows.
    pub(crate) id: Option<RequestId>,
    /// It has a method: it asks or tells something. Otherwise it answers.
    pub(crate) has_method: bool,
}

/// Reads a message without keeping it.
#[derive(Debug, Default)]
pub(crate) struct Skim {
    depth: usize,
    string: Option<Escape>,
    /// A key of the outermost object is due, not a value.
    is_key_due: bool,
    /// The key or the value that is being read, where it is one of the outermost object.
    token: Vec<u8>,
    key: Vec<u8>,
    found: Skimmed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    No,
    Begun,
}

impl Skim {
    /// Looks at the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// What was found.
    pub(crate) fn finish(self) -> Skimmed {
        self.found
    }

    fn step(&mut self, byte: u8) {
        if let Some(escape) = self.string {
            self.keep(byte);
            self.string = match (escape, byte) {
                (Escape::Begun, _) => Some(Escape::No),
                (Escape::No, b'\\') => Some(Escape::Begun),
                (Escape::No, b'"') => None,
                (Escape::No, _) => Some(Escape::No),
            };
            return;
        }
        match byte {
            b'"' => {
                self.keep(byte);
                self.string = Some(Escape::No);
            }
            b'{' | b'[' => {
                self.depth = self.depth.saturating_add(1);
                if self.depth == 1 {
                    self.is_key_due = true;
                    self.token.clear();
                }
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.member();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b',' if self.depth == 1 => {
                self.member();
                self.is_key_due = true;
            }
            b':' if self.depth == 1 && self.is_key_due => {
                self.key = std::mem::take(&mut self.token);
                self.is_key_due = false;
            }
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < LONGEST {
            self.token.push(byte);
        }
    }

    /// A member of the outermost object is complete.
    fn member(&mut self) {
        let token = std::mem::take(&mut self.token);
        match self.key.as_slice() {
            b"\"method\"" => self.found.has_method = true,
            b"\"id\"" => self.found.id = id_of(&token),
            _ => {}
        }
        self.key.clear();
    }
}

fn id_of(token: &[u8]) -> Option<RequestId> {
    match serde_json::from_slice(token).ok()? {
        serde_json::Value::Number(number) => number.as_i64().map(RequestId::Number),
        serde_json::Value::String(text) => Some(RequestId::String(Arc::from(text))),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Array(_)
        | serde_json::Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skim(text: &[u8]) -> (Option<String>, bool) {
        let mut skim = Skim::default();
        skim.feed(text);
        let found = skim.finish();
        (found.id.map(|id| format!("{id:?}")), found.has_method)
    }

    #[test]
    fn the_outermost_id_is_found_wherever_it_stands() {
        let number = |n: i64| Some(format!("Number({n})"));
        for (text, id, has_method) in [
            (&br#"{"jsonrpc":"2.0","id":5,"result":{"id":6}}"#[..], number(5), false),
            (br#"{"result":{"id":6,"a":[{"id":7}]}, "id" : -5 }"#, number(-5), false),
            (br#"{"result":"\"id\":9,{[","id":5}"#, number(5), false),
            (br#"{"result":"\\","id":5}"#, number(5), false),
            (br#"{"method":"m","id":5}"#, number(5), true),
            (br#"{"method":"m"}"#, None, true),
            (br#"{"id":"a,}b"}"#, Some("String(\"a,}b\")".to_owned()), false),
            (b"{\"result\":\"\xff\xfe\",\"id\":5}", number(5), false),
            (br#"{"id":5,"result":[[[["#, number(5), false),
            (br#"{"id":null}"#, None, false),
            (br#"{"id":{"id":5}}"#, None, false),
            (b"no json", None, false),
            (b"", None, false),
        ] {
            assert_eq!(skim(text), (id, has_method), "{}", String::from_utf8_lossy(text));
        }
    }
}
