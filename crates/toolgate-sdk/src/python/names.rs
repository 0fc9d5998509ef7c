//! Which names Python takes where.

use crate::names::{is_identifier, quote};

/// Every name that the types of a declaration are written with. Nothing else may have one of them where types stand.
pub(super) const MODULE: &[&str] = &[
    "Any",
    "Awaitable",
    "Callable",
    "Exception",
    "Literal",
    "Never",
    "NotRequired",
    "ToolCallError",
    "Tools",
    "TypedDict",
    "Union",
    "bool",
    "dict",
    "float",
    "int",
    "list",
    "overload",
    "str",
    "tools",
];

const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Whether a name can be declared in the body of a class by writing it. Python rewrites names that begin with two
/// underscores, and a name that types are written with would hide them.
pub(super) fn is_attribute(name: &str) -> bool {
    is_identifier(name) && !name.starts_with("__") && !KEYWORDS.contains(&name) && !MODULE.contains(&name)
}

/// A name or text in quotes.
pub(super) fn literal(text: &str) -> String {
    quote(text, |code| format!("\\U{code:08x}"))
}
