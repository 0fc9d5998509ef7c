//! Turns doc comments into the description that a model reads.
//!
//! The wrapping of a comment is the author's, so the lines of a paragraph are joined; what carries meaning by its line
//! breaks (blank lines, lists, headings, quotes, tables and code fences) keeps them.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The text of the doc comments among the attributes; `None` when there is none or it is blank.
///
/// Only literal text counts: `#[doc(hidden)]` and `#[doc = include_str!(…)]` are no description.
pub(crate) fn description(attributes: &[Attribute]) -> Option<String> {
    let mut lines = Vec::new();
    for attribute in attributes {
        if let Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("doc")
            && let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value
        {
            // An empty comment line is an empty text, which `lines` would drop.
            lines.extend(text.value().split('\n').map(str::to_owned));
        }
    }
    let text = join(&lines);
    (!text.is_empty()).then_some(text)
}

/// Joins wrapped lines and keeps meaningful line breaks.
fn join(lines: &[String]) -> String {
    let mut text = String::new();
    let mut in_fence = false;
    let mut may_join = false;
    for line in lines {
        let trimmed = line.trim();
        let is_fence = trimmed.starts_with("```");
        if in_fence || is_fence {
            let line = if is_fence { trimmed } else { line.strip_prefix(' ').unwrap_or(line).trim_end() };
            text.push('\n');
            text.push_str(line);
            in_fence ^= is_fence;
            may_join = false;
        } else if trimmed.is_empty() {
            text.push('\n');
            may_join = false;
        } else {
            text.push(if may_join && !starts_block(trimmed) { ' ' } else { '\n' });
            text.push_str(trimmed);
            may_join = !trimmed.starts_with('#') && !trimmed.starts_with('|');
        }
    }
    collapse_blank_lines(text.trim())
}

/// Whether a line begins something that must not be glued to the line before it.
fn starts_block(line: &str) -> bool {
    let numbered = line.trim_start_matches(|character: char| character.is_ascii_digit());
    ["- ", "* ", "+ ", "# ", "## ", "### ", "> ", "|"].iter().any(|marker| line.starts_with(marker))
        || (numbered.len() < line.len() && (numbered.starts_with(". ") || numbered.starts_with(") ")))
}

/// Leaves at most one blank line between two lines.
fn collapse_blank_lines(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    let mut line_breaks = 0;
    for character in text.chars() {
        line_breaks = if character == '\n' { line_breaks + 1 } else { 0 };
        if line_breaks <= 2 {
            collapsed.push(character);
        }
    }
    collapsed
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn joins_lines_and_keeps_structure() {
        let table: [(&[&str], &str); 6] = [
            (&[" One", " line. "], "One line."),
            (&[" First.", "", "", " Second", " part."], "First.\n\nSecond part."),
            (&[" Either:", " - a", "   wrapped", " - b"], "Either:\n- a wrapped\n- b"),
            (&[" Steps:", " 1. a", " 2. b"], "Steps:\n1. a\n2. b"),
            (&[" Like:", " ```", " a", "   b", " ```", " end"], "Like:\n```\na\n  b\n```\nend"),
            (&["", " "], ""),
        ];
        for (lines, expected) in table {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            assert_eq!(join(&lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn reads_doc_attributes_only() {
        let attributes: Vec<Attribute> =
            vec![parse_quote!(#[doc = " A"]), parse_quote!(#[doc(hidden)]), parse_quote!(#[doc = " b.\n c"])];
        assert_eq!(description(&attributes).as_deref(), Some("A b. c"));
        let attributes: Vec<Attribute> =
            vec![parse_quote!(#[doc = " A."]), parse_quote!(#[doc = ""]), parse_quote!(#[doc = " B."])];
        assert_eq!(description(&attributes).as_deref(), Some("A.\n\nB."));
        assert_eq!(description(&[]), None);
    }
}
