//! The language of a file, guessed from its name.
//!
//! A hint for highlighting in a card; nothing decides by it, and no content is looked at. The names are the ones that
//! Markdown fences and highlighters use.

/// The language that the name of a file suggests.
pub(super) fn language_of(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next()?.to_ascii_lowercase();
    let by_name = match name.as_str() {
        "dockerfile" | "containerfile" => Some("dockerfile"),
        "makefile" | "gnumakefile" => Some("makefile"),
        "cmakelists.txt" => Some("cmake"),
        "cargo.lock" | "poetry.lock" | "uv.lock" => Some("toml"),
        "gemfile" | "rakefile" => Some("ruby"),
        "jenkinsfile" => Some("groovy"),
        "build.bazel" | "workspace.bazel" => Some("starlark"),
        "justfile" => Some("just"),
        "go.mod" => Some("go"),
        ".bashrc" | ".bash_profile" | ".profile" | ".zshrc" => Some("bash"),
        ".gitignore" | ".dockerignore" | ".ignore" => Some("gitignore"),
        ".editorconfig" | ".gitconfig" => Some("ini"),
        _ => None,
    };
    by_name.or_else(|| by_extension(name.rsplit_once('.')?.1))
}

fn by_extension(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "rs" => "rust",
        "ts" | "mts" | "cts" => "typescript",
        "tsx" => "tsx",
        "js" | "mjs" | "cjs" => "javascript",
        "jsx" => "jsx",
        "py" | "pyi" | "pyw" => "python",
        "go" => "go",
        "java" => "java",
        "kt" | "kts" => "kotlin",
        "scala" | "sc" => "scala",
        "swift" => "swift",
        "c" | "h" => "c",
        "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" => "cpp",
        "m" | "mm" => "objective-c",
        "cs" => "csharp",
        "fs" | "fsx" => "fsharp",
        "rb" => "ruby",
        "php" => "php",
        "pl" | "pm" => "perl",
        "lua" => "lua",
        "r" => "r",
        "jl" => "julia",
        "ex" | "exs" => "elixir",
        "erl" | "hrl" => "erlang",
        "hs" => "haskell",
        "ml" | "mli" => "ocaml",
        "clj" | "cljs" | "edn" => "clojure",
        "dart" => "dart",
        "zig" => "zig",
        "nim" => "nim",
        "sol" => "solidity",
        "sh" | "bash" | "zsh" => "bash",
        "fish" => "fish",
        "ps1" | "psm1" => "powershell",
        "bat" | "cmd" => "batch",
        "sql" => "sql",
        "html" | "htm" => "html",
        "css" => "css",
        "scss" => "scss",
        "less" => "less",
        "vue" => "vue",
        "svelte" => "svelte",
        "astro" => "astro",
        "json" | "jsonl" | "ndjson" => "json",
        "json5" | "jsonc" => "jsonc",
        "yaml" | "yml" => "yaml",
        "toml" => "toml",
        "ini" | "cfg" | "conf" | "properties" => "ini",
        "xml" | "xsd" | "xsl" | "svg" | "plist" => "xml",
        "md" | "markdown" => "markdown",
        "mdx" => "mdx",
        "rst" => "rst",
        "adoc" => "asciidoc",
        "tex" => "latex",
        "proto" => "protobuf",
        "graphql" | "gql" => "graphql",
        "tf" | "tfvars" | "hcl" => "hcl",
        "nix" => "nix",
        "cmake" => "cmake",
        "mk" => "makefile",
        "gradle" | "groovy" => "groovy",
        "bzl" => "starlark",
        "asm" | "s" => "asm",
        "wat" => "wasm",
        "diff" | "patch" => "diff",
        "vim" => "vim",
        "el" | "lisp" => "lisp",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::language_of;

    #[test]
    fn the_name_decides() {
        for (path, language) in [
            ("src/main.rs", Some("rust")),
            ("a/Dockerfile", Some("dockerfile")),
            ("A.JSON", Some("json")),
            ("notes", None),
            ("archive.unknown", None),
            ("dir.rs/notes", None),
            (".gitignore", Some("gitignore")),
        ] {
            assert_eq!(language_of(path), language, "{path}");
        }
    }
}
