//! What has to be known of a language to colour it.

/// How strings, comments and words are written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Language {
    /// What begins a comment to the end of the line.
    pub(super) line_comments: &'static [&'static str],
    /// What begins and ends a comment over several lines.
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    /// What begins and ends a string over several lines.
    pub(super) long_strings: &'static [&'static str],
    /// What begins and ends a string within a line.
    pub(super) quotes: &'static [char],
    /// The words of the language, sorted.
    pub(super) words: &'static [&'static str],
    /// Whether words may be written in capitals as well.
    pub(super) ignores_case: bool,
}

const PLAIN: Language = Language {
    line_comments: &[],
    block_comment: None,
    long_strings: &[],
    quotes: &['"', '\''],
    words: &[],
    ignores_case: false,
};

static RUST: Language = Language {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: &['"'],
    words: &[
        "Err", "None", "Ok", "Self", "Some", "as", "async", "await", "bool", "break", "char", "const",
        "continue", "crate", "dyn", "else", "enum", "extern", "f32", "f64", "false", "fn", "for", "i16",
        "i32", "i64", "i8", "if", "impl", "in", "isize", "let", "loop", "match", "mod", "move", "mut", "pub",
        "ref", "return", "self", "static", "str", "struct", "super", "trait", "true", "type", "u16", "u32",
        "u64", "u8", "unsafe", "use", "usize", "where", "while",
    ],
    ..PLAIN
};

static SCRIPT: Language = Language {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    long_strings: &["`"],
    words: &[
        "any",
        "as",
        "async",
        "await",
        "boolean",
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "default",
        "delete",
        "do",
        "else",
        "enum",
        "export",
        "extends",
        "false",
        "finally",
        "for",
        "from",
        "function",
        "if",
        "implements",
        "import",
        "in",
        "instanceof",
        "interface",
        "let",
        "new",
        "null",
        "number",
        "of",
        "private",
        "protected",
        "public",
        "readonly",
        "return",
        "static",
        "string",
        "super",
        "switch",
        "this",
        "throw",
        "true",
        "try",
        "type",
        "typeof",
        "undefined",
        "unknown",
        "var",
        "void",
        "while",
        "yield",
    ],
    ..PLAIN
};

/// C and its many relatives, together: a word that only one of them knows is rarely a name in another.
static BRACES: Language = Language {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    words: &[
        "abstract",
        "auto",
        "bool",
        "boolean",
        "break",
        "byte",
        "case",
        "catch",
        "chan",
        "char",
        "class",
        "const",
        "continue",
        "data",
        "def",
        "default",
        "defer",
        "delete",
        "do",
        "double",
        "else",
        "enum",
        "explicit",
        "export",
        "extends",
        "extern",
        "false",
        "final",
        "finally",
        "float",
        "for",
        "foreach",
        "fun",
        "func",
        "go",
        "goto",
        "guard",
        "if",
        "implements",
        "import",
        "in",
        "inline",
        "int",
        "interface",
        "internal",
        "is",
        "let",
        "long",
        "map",
        "namespace",
        "new",
        "nil",
        "null",
        "nullptr",
        "object",
        "operator",
        "override",
        "package",
        "private",
        "protected",
        "protocol",
        "public",
        "range",
        "readonly",
        "return",
        "sealed",
        "select",
        "self",
        "short",
        "signed",
        "sizeof",
        "static",
        "string",
        "struct",
        "super",
        "switch",
        "template",
        "this",
        "throw",
        "throws",
        "trait",
        "true",
        "try",
        "type",
        "typedef",
        "typename",
        "uint",
        "union",
        "unsigned",
        "using",
        "val",
        "var",
        "virtual",
        "void",
        "volatile",
        "when",
        "where",
        "while",
        "with",
        "yield",
    ],
    ..PLAIN
};

static PYTHON: Language = Language {
    line_comments: &["#"],
    long_strings: &["\"\"\"", "'''"],
    words: &[
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "case", "class",
        "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if",
        "import", "in", "is", "lambda", "match", "nonlocal", "not", "or", "pass", "raise", "return", "self",
        "try", "while", "with", "yield",
    ],
    ..PLAIN
};

static SHELL: Language = Language {
    line_comments: &["#"],
    words: &[
        "case", "cd", "do", "done", "echo", "elif", "else", "esac", "exit", "export", "fi", "for",
        "function", "if", "in", "local", "return", "set", "then", "until", "while",
    ],
    ..PLAIN
};

static RUBY: Language = Language {
    line_comments: &["#", "--"],
    words: &[
        "and", "begin", "break", "case", "class", "def", "do", "else", "elseif", "elsif", "end", "ensure",
        "false", "fn", "for", "function", "if", "in", "local", "module", "nil", "not", "or", "repeat",
        "require", "rescue", "return", "self", "then", "true", "unless", "until", "when", "while", "yield",
    ],
    ..PLAIN
};

static SQL: Language = Language {
    line_comments: &["--"],
    block_comment: Some(("/*", "*/")),
    words: &[
        "and",
        "as",
        "asc",
        "begin",
        "between",
        "by",
        "case",
        "commit",
        "create",
        "delete",
        "desc",
        "distinct",
        "drop",
        "else",
        "end",
        "exists",
        "foreign",
        "from",
        "group",
        "having",
        "in",
        "index",
        "inner",
        "insert",
        "into",
        "is",
        "join",
        "key",
        "left",
        "like",
        "limit",
        "not",
        "null",
        "on",
        "or",
        "order",
        "primary",
        "references",
        "select",
        "set",
        "table",
        "then",
        "union",
        "unique",
        "update",
        "values",
        "when",
        "where",
        "with",
    ],
    ignores_case: true,
    ..PLAIN
};

static DATA: Language = Language {
    line_comments: &["#", ";"],
    long_strings: &["\"\"\""],
    words: &["false", "no", "null", "off", "on", "true", "yes"],
    ..PLAIN
};

static JSON: Language = Language {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: &['"'],
    words: &["false", "null", "true"],
    ..PLAIN
};

static STYLE: Language = Language { block_comment: Some(("/*", "*/")), ..PLAIN };

static MARKUP: Language = Language { block_comment: Some(("<!--", "-->")), quotes: &['"'], ..PLAIN };

/// The language that a hint of a card, a fence of Markdown or the end of a file name means.
pub(super) fn language(hint: &str) -> Option<&'static Language> {
    Some(match hint {
        "rust" | "rs" => &RUST,
        "typescript" | "tsx" | "javascript" | "jsx" | "ts" | "js" | "mjs" | "mts" => &SCRIPT,
        "c" | "cpp" | "csharp" | "java" | "kotlin" | "scala" | "swift" | "dart" | "go" | "zig" | "php"
        | "groovy" | "solidity" | "objective-c" | "fsharp" | "protobuf" | "h" | "cc" | "kt" | "cs" => &BRACES,
        "python" | "py" | "pyi" | "starlark" | "nim" => &PYTHON,
        "bash" | "sh" | "shell" | "zsh" | "fish" | "powershell" | "dockerfile" | "makefile" | "cmake"
        | "just" => &SHELL,
        "ruby" | "rb" | "lua" | "elixir" | "julia" | "perl" | "r" => &RUBY,
        "sql" => &SQL,
        "toml" | "yaml" | "yml" | "ini" | "hcl" | "nix" | "graphql" | "gitignore" => &DATA,
        "json" | "jsonc" => &JSON,
        "css" | "scss" | "less" => &STYLE,
        "html" | "xml" | "svg" | "vue" | "svelte" => &MARKUP,
        _ => return None,
    })
}

/// A hint for a file, from its name.
pub(crate) fn language_of(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    let (_, extension) = name.rsplit_once('.')?;
    language(extension).map(|_| extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_so_that_they_are_found() {
        for language in [&RUST, &SCRIPT, &BRACES, &PYTHON, &SHELL, &RUBY, &SQL, &DATA, &JSON] {
            let out: Vec<_> = language.words.windows(2).filter(|pair| pair.first() >= pair.last()).collect();
            assert!(out.is_empty(), "{out:?}");
        }
    }
}
