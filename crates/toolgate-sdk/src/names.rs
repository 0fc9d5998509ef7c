//! Names from outside, and names of our own: which are identifiers, how the others are quoted, and how generated
//! type names stay apart.

use std::collections::{HashMap, HashSet};

use toolgate::text::is_hidden;

/// Whether a name is an identifier in both languages, keywords aside. ASCII only: beyond it the languages disagree,
/// and Python takes different spellings for the same identifier.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A text as a string literal in double quotes. The escapes mean the same in both languages; `beyond` writes a
/// hidden character outside the basic plane.
pub(crate) fn quote(text: &str, beyond: impl Fn(u32) -> String) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if !is_hidden(c) => quoted.push(c),
            c => match u32::from(c) {
                code @ 0..=0xffff => quoted.push_str(&format!("\\u{code:04x}")),
                code => quoted.push_str(&beyond(code)),
            },
        }
    }
    quoted.push('"');
    quoted
}

/// A name in the case of types: letters and digits only, each word with a capital. `Tool` where nothing is left.
pub(crate) fn type_case(name: &str) -> String {
    /// Longer names are cut; [`TypeNames`] keeps them apart.
    const MOST: usize = 40;
    let mut cased = String::new();
    let mut begins = true;
    for c in name.chars() {
        if cased.len() == MOST {
            break;
        }
        if !c.is_ascii_alphanumeric() {
            begins = true;
            continue;
        }
        cased.push(if begins { c.to_ascii_uppercase() } else { c });
        begins = false;
    }
    match cased.bytes().next() {
        None => "Tool".to_owned(),
        Some(b'0'..=b'9') => format!("Tool{cased}"),
        Some(_) => cased,
    }
}

/// The type names of one text. Each is given out once.
pub(crate) struct TypeNames {
    reserved: HashSet<String>,
    given: HashSet<String>,
    /// The number that was last added to a name, so that a name wanted often is not tried from the start.
    numbers: HashMap<String, u64>,
}

impl TypeNames {
    /// Begins with names that are never given out.
    pub(crate) fn without<'a>(reserved: impl IntoIterator<Item = &'a str>) -> Self {
        let reserved = reserved.into_iter().map(str::to_owned).collect();
        Self { reserved, given: HashSet::new(), numbers: HashMap::new() }
    }

    /// Whether a name was given out.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.given.contains(name)
    }

    /// A name that is like `wanted` and free.
    pub(crate) fn give(&mut self, wanted: &str) -> String {
        /// Keeps the names of nested types from growing with every level.
        const MOST: usize = 80;
        let base: String = wanted.chars().take(MOST).collect();
        let number = self.numbers.entry(base.clone()).or_insert(1);
        let mut name = base.clone();
        while self.reserved.contains(&name) || self.given.contains(&name) {
            *number += 1;
            name = format!("{base}{number}");
        }
        self.given.insert(name.clone());
        name
    }
}
