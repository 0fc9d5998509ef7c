//! A command line as the grammar of bash sees it: its simple commands, wherever they stand.
//!
//! The first of the two readers of [`super::line`]. It finds every command that it can, also in a line that is broken
//! or uses constructs that nobody may be allowed by, because rules that deny look at those too. It expands nothing.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

use tree_sitter::{Node, ParseOptions, Parser, Tree};

use super::{Doubt, DoubtKind};

/// How often the parser may report progress, which it does every hundred steps: lines that people write need a few
/// dozen reports. Some broken lines would otherwise take time that grows with the square of their length.
const MOST_REPORTS: usize = 20_000;

/// What the grammar found.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// The words of each simple command, assignments before it included, in the order in which they begin.
    pub(super) commands: Vec<Vec<Range<usize>>>,
    /// Keywords: `if`, `do`, `{`, `!` and their kin.
    pub(super) keywords: BTreeSet<(usize, usize)>,
    /// The variables of `for` loops.
    pub(super) variables: BTreeSet<(usize, usize)>,
    /// The words that `for` loops run through.
    pub(super) values: BTreeSet<(usize, usize)>,
    /// Texts that a command reads as its input.
    pub(super) inputs: Vec<Range<usize>>,
    /// What is not understood.
    pub(super) doubts: Vec<Doubt>,
}

impl Outline {
    /// Reads a line.
    pub(super) fn of(source: &str) -> Self {
        let mut outline = Self::default();
        match parse(source) {
            Some(tree) => outline.walk(&tree, source),
            None => outline.doubts.push(Doubt { kind: DoubtKind::Size, range: 0..source.len() }),
        }
        outline.commands.sort_by_key(|words| words.first().map(|word| word.start));
        outline
    }

    fn walk(&mut self, tree: &Tree, source: &str) {
        let mut open = vec![tree.root_node()];
        while let Some(node) = open.pop() {
            self.visit(node, source);
            let mut cursor = node.walk();
            open.extend(node.children(&mut cursor));
        }
    }

    fn visit(&mut self, node: Node<'_>, source: &str) {
        if node.is_error() || node.is_missing() {
            self.doubt(node, DoubtKind::Syntax);
            return;
        }
        if !node.is_named() {
            if KEYWORDS.contains(&node.kind()) {
                self.keywords.insert((node.start_byte(), node.end_byte()));
            }
            return;
        }
        match node.kind() {
            "command" => {
                let words = words_of(node, source);
                self.commands.push(words);
            }
            "declaration_command" | "unset_command" => {
                self.doubt(node, DoubtKind::Variable);
                let words = words_of(node, source);
                self.commands.push(words);
            }
            "for_statement" => self.for_loop(node, source),
            "variable_assignment" if node.parent().is_none_or(|parent| parent.kind() != "command") => {
                self.doubt(node, DoubtKind::Variable);
            }
            "heredoc_redirect" | "herestring_redirect" => {
                self.inputs.push(node.byte_range());
                self.doubt(node, DoubtKind::HereDocument);
            }
            "process_substitution" => self.doubt(node, DoubtKind::ProcessSubstitution),
            "arithmetic_expansion" | "c_style_for_statement" => self.doubt(node, DoubtKind::Arithmetic),
            // `((…))` is arithmetic to bash and two subshells to others.
            "compound_statement" if node.child(0).is_some_and(|first| first.kind() == "((") => {
                self.doubt(node, DoubtKind::Arithmetic);
            }
            kind if UNDERSTOOD.contains(&kind) => {}
            "function_definition" => self.doubt(node, DoubtKind::Construct("functions")),
            "case_statement" | "case_item" => self.doubt(node, DoubtKind::Construct("`case`")),
            "test_command" => self.doubt(node, DoubtKind::Construct("`[`; hint: write `test`")),
            "array" | "subscript" => self.doubt(node, DoubtKind::Construct("arrays")),
            "ansi_c_string" | "translated_string" => {
                self.doubt(node, DoubtKind::Construct("`$'…'` and `$\"…\"`"))
            }
            "brace_expression" => self.doubt(node, DoubtKind::Construct("brace expressions")),
            _ => self.doubt(node, DoubtKind::Construct("this construct")),
        }
    }

    fn for_loop(&mut self, node: Node<'_>, source: &str) {
        let mut cursor = node.walk();
        for (index, child) in node.children(&mut cursor).enumerate() {
            let range = without_blanks(child, source);
            let place = (range.start, range.end);
            let field = node.field_name_for_child(u32::try_from(index).unwrap_or(u32::MAX));
            match field {
                Some("variable") => {
                    self.variables.insert(place);
                }
                Some("value") => {
                    self.values.insert(place);
                }
                Some(_) | None => {
                    if child.kind() == "select" {
                        self.doubt(child, DoubtKind::Construct("`select`"));
                    }
                }
            }
        }
    }

    fn doubt(&mut self, node: Node<'_>, kind: DoubtKind) {
        self.doubts.push(Doubt { kind, range: node.byte_range() });
    }
}

fn parse(source: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let mut reports = 0;
    let mut progress = |_: &tree_sitter::ParseState| {
        reports += 1;
        if reports > MOST_REPORTS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = source.as_bytes();
    parser.parse_with_options(
        &mut |offset, _| bytes.get(offset..).unwrap_or_default(),
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    )
}

/// The words of a command; redirections within it are none.
fn words_of(command: Node<'_>, source: &str) -> Vec<Range<usize>> {
    let mut cursor = command.walk();
    command
        .children(&mut cursor)
        .filter(|child| !child.kind().ends_with("_redirect"))
        .map(|child| without_blanks(child, source))
        .collect()
}

/// Where a node is written. The grammar takes the blanks before some expansions for part of them.
fn without_blanks(node: Node<'_>, source: &str) -> Range<usize> {
    let text = source.get(node.byte_range()).unwrap_or_default();
    let blanks = text.len() - text.trim_start_matches([' ', '\t']).len();
    node.start_byte() + blanks..node.end_byte()
}

const KEYWORDS: &[&str] =
    &["if", "then", "elif", "else", "fi", "for", "in", "do", "done", "while", "until", "{", "}", "!"];

/// What is made of commands and words and adds nothing of its own.
const UNDERSTOOD: &[&str] = &[
    "program",
    "list",
    "pipeline",
    "command_name",
    "word",
    "number",
    "string",
    "string_content",
    "raw_string",
    "concatenation",
    "simple_expansion",
    "expansion",
    "variable_name",
    "special_variable_name",
    "variable_assignment",
    "command_substitution",
    "subshell",
    "compound_statement",
    "if_statement",
    "elif_clause",
    "else_clause",
    "while_statement",
    "do_group",
    "negated_command",
    "redirected_statement",
    "file_redirect",
    "file_descriptor",
    "comment",
];
