//! The visitor that finds what TypeScript adds to JavaScript, and blanks it or refuses it.
//!
//! A blank keeps line ends and puts one space for each other character. Where blanks would join two statements that
//! the author kept apart by a line end, the first blank is a semicolon.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

/// What cannot be erased, and where.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) message: String,
    pub(super) offset: usize,
}

/// One change of the text.
enum Edit {
    /// Characters become spaces, line ends stay.
    Blank(Span),
    /// One ASCII byte becomes another.
    Put(u32, u8),
}

/// Collects the changes of one source.
pub(super) struct Eraser<'s> {
    source: &'s str,
    edits: Vec<Edit>,
    refusal: Option<Refusal>,
    /// Where the last statement or body of an arrow function begins that is an expression.
    beginning: Option<u32>,
}

const ENUM: &str = "an enum is not supported, because it cannot be erased; use an object with `as const`";
const NAMESPACE: &str = "a namespace is not supported, because it cannot be erased; use an object";
const PARAMETER_PROPERTY: &str =
    "a parameter property is not supported, because it cannot be erased; declare the field and assign it";
const DECORATOR: &str = "a decorator is not supported";
const IMPORT: &str =
    "an import is not supported; a program has `tools`, `console` and the language's own values";
const EXPORT: &str = "an export is not supported; return the value";

impl<'s> Eraser<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self { source, edits: Vec::new(), refusal: None, beginning: None }
    }

    /// The text without types, or the first thing that cannot be erased.
    pub(super) fn finish(self) -> Result<String, Refusal> {
        if let Some(refusal) = self.refusal {
            return Err(refusal);
        }
        // 0 keeps a byte, 1 blanks its character, anything else is the byte to put.
        let mut plan = vec![0_u8; self.source.len()];
        for edit in &self.edits {
            match *edit {
                Edit::Blank(span) => {
                    if let Some(part) = plan.get_mut(span.start as usize..span.end as usize) {
                        part.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = 1);
                    }
                }
                Edit::Put(at, byte) => {
                    if let Some(place) = plan.get_mut(at as usize) {
                        *place = byte;
                    }
                }
            }
        }
        let mut text = String::with_capacity(self.source.len());
        for ((_, character), plan) in self
            .source
            .char_indices()
            .map(|(at, character)| ((at, character), plan.get(at).copied().unwrap_or_default()))
        {
            match plan {
                0 => text.push(character),
                1 if matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}') => text.push(character),
                1 => text.push(' '),
                byte => text.push(char::from(byte)),
            }
        }
        Ok(text)
    }

    fn refuse(&mut self, span: Span, message: &str) {
        let offset = span.start as usize;
        if self.refusal.as_ref().is_none_or(|first| offset < first.offset) {
            self.refusal = Some(Refusal { message: message.to_owned(), offset });
        }
    }

    fn text(&self, start: u32, end: u32) -> &'s str {
        self.source.get(start as usize..end as usize).unwrap_or_default()
    }

    fn blank(&mut self, start: u32, end: u32) {
        if start < end {
            self.edits.push(Edit::Blank(Span::new(start, end)));
        }
    }

    /// Blanks a whole statement or member; the semicolon keeps its neighbours apart.
    fn erase(&mut self, span: Span) {
        self.edits.push(Edit::Put(span.start, b';'));
        self.blank(span.start, span.end);
    }

    /// Blanks what follows an expression. Where the next line would then continue the expression, a semicolon ends it.
    fn blank_tail(&mut self, start: u32, end: u32) {
        let skipped = self.skip(end, self.source.len() as u32);
        let gap = self.text(end, skipped);
        let next = self.source.as_bytes().get(skipped as usize);
        if gap.contains(['\n', '\r', '\u{2028}', '\u{2029}']) && matches!(next, Some(b'(' | b'[' | b'`')) {
            // The type begins after white space; its keyword or bracket makes room for the semicolon.
            self.edits.push(Edit::Put(self.skip(start, end), b';'));
        }
        self.blank(start, end);
    }

    /// The first offset from `start` that is neither white space nor comment.
    fn skip(&self, start: u32, end: u32) -> u32 {
        let mut at = start as usize;
        let end = end as usize;
        while at < end {
            let rest = self.source.get(at..end).unwrap_or_default();
            let trimmed = rest.trim_start();
            if trimmed.len() < rest.len() {
                at += rest.len() - trimmed.len();
            } else if rest.starts_with("//") {
                at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                at += rest.find("*/").map_or(rest.len(), |length| length + 2);
            } else {
                break;
            }
        }
        at as u32
    }

    /// Blanks the mark that must follow: `?` or `!`.
    fn blank_mark(&mut self, after: u32, mark: u8) {
        let at = self.skip(after, self.source.len() as u32);
        if self.source.as_bytes().get(at as usize) == Some(&mark) {
            self.blank(at, at + 1);
        }
    }

    /// Blanks the modifiers that only TypeScript has, in front of the key of a class member. `computed` keys and
    /// generators would join the line before, once nothing stands in front of them.
    fn blank_modifiers(&mut self, start: u32, key: u32) {
        let mut at = start;
        let mut first = true;
        loop {
            at = self.skip(at, key);
            let rest = self.text(at, key);
            let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len()) as u32;
            if length == 0 {
                return;
            }
            let word = self.text(at, at + length);
            if matches!(word, "public" | "private" | "protected" | "readonly" | "override" | "abstract") {
                let after = self.skip(at + length, self.source.len() as u32) as usize;
                if first && matches!(self.source.as_bytes().get(after), Some(b'[' | b'*')) {
                    self.edits.push(Edit::Put(at, b';'));
                }
                self.blank(at, at + length);
            }
            first = false;
            at += length;
        }
    }

    fn has_line_end(&self, start: u32, end: u32) -> bool {
        self.text(start, end).contains(['\n', '\r', '\u{2028}', '\u{2029}'])
    }

    /// The offset after the key of a class member, past the bracket of a computed one.
    fn after_key(&self, key: &PropertyKey<'_>, computed: bool) -> u32 {
        let end = key.span().end;
        if !computed {
            return end;
        }
        let at = self.skip(end, self.source.len() as u32);
        if self.source.as_bytes().get(at as usize) == Some(&b']') { at + 1 } else { end }
    }
}

impl<'a> Visit<'a> for Eraser<'_> {
    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.blank(it.span.start, it.span.end);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.blank(it.span.start, it.span.end);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.blank(it.span.start, it.span.end);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_tail(it.expression.span().end, it.span.end);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_tail(it.expression.span().end, it.span.end);
    }

    fn visit_ts_instantiation_expression(&mut self, it: &TSInstantiationExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_tail(it.type_arguments.span.start, it.span.end);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_mark(it.expression.span().end, b'!');
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        let start = it.expression.span().start;
        if self.has_line_end(it.span.start, start) {
            self.refuse(it.span, "a type assertion over several lines is not supported; use `as`");
        }
        if self.beginning == Some(it.span.start) {
            // Without the type, what follows would be read as something else.
            let rest = self.text(start, self.source.len() as u32);
            if ["{", "function", "class", "async"].iter().any(|word| rest.starts_with(word)) {
                self.refuse(it.span, "a type assertion is not supported here; use `as`, and parentheses");
            }
            self.beginning = Some(start);
        }
        self.blank(it.span.start, start);
        self.visit_expression(&it.expression);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if it.declare || it.body.is_none() {
            self.erase(it.span);
            return;
        }
        if let Some(this) = &it.this_param {
            let after = self.skip(this.span.end, it.params.span.end);
            let comma = self.source.as_bytes().get(after as usize) == Some(&b',');
            self.blank(this.span.start, if comma { after + 1 } else { this.span.end });
        }
        if let Some(parameters) = &it.type_parameters {
            self.visit_ts_type_parameter_declaration(parameters);
        }
        self.visit_formal_parameters(&it.params);
        if let Some(returned) = &it.return_type {
            self.visit_ts_type_annotation(returned);
        }
        if let Some(body) = &it.body {
            self.visit_function_body(body);
        }
        let _ = flags;
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        self.beginning = Some(it.span.start);
        walk::walk_expression_statement(self, it);
    }

    fn visit_arrow_function_body(&mut self, it: &ArrowFunctionBody<'a>) {
        self.beginning = Some(it.span().start);
        walk::walk_arrow_function_body(self, it);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        // To the engine a comment begins here, as on old web pages.
        let right = it.right.span().start;
        if self.text(right.saturating_sub(1), self.source.len() as u32).starts_with("<!--") {
            self.refuse(Span::new(right - 1, right), "`<!--` is not supported; write `< !--`");
        }
        walk::walk_binary_expression(self, it);
    }

    fn visit_hashbang(&mut self, it: &Hashbang<'a>) {
        self.blank(it.span.start, it.span.end);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        if let Some(parameters) = &it.type_parameters {
            // Between `async` and the parenthesis no line may end.
            if it.r#async && self.has_line_end(it.span.start, it.params.span.start) {
                self.edits.push(Edit::Put(parameters.span.start, b'('));
                self.blank(it.params.span.start, it.params.span.start + 1);
            }
        }
        if let Some(returned) = &it.return_type {
            // Nor between the parenthesis and the arrow.
            if self.has_line_end(returned.span.start, returned.span.end) {
                let close = it.params.span.end.saturating_sub(1);
                self.blank(close, close + 1);
                let last = self.text(returned.span.start, returned.span.end).chars().next_back();
                let width = last.map_or(1, char::len_utf8) as u32;
                self.edits.push(Edit::Put(returned.span.end.saturating_sub(width), b')'));
            }
        }
        walk::walk_arrow_function_expression(self, it);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            self.refuse(it.span, PARAMETER_PROPERTY);
        }
        if it.optional {
            self.blank_mark(it.pattern.span().end, b'?');
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        if it.declare {
            self.erase(it.span);
        } else {
            walk::walk_variable_declaration(self, it);
        }
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.blank_mark(it.id.span().end, b'!');
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if it.declare {
            self.erase(it.span);
            return;
        }
        if it.r#abstract {
            let length = "abstract".len() as u32;
            let from = self.skip(it.span.start, it.body.span.start);
            if self.text(from, from + length) == "abstract" {
                self.blank(from, from + length);
            }
        }
        if let Some(last) = it.implements.last() {
            let mut from = it.span.start;
            from = it.id.as_ref().map_or(from, |id| id.span.end);
            from = it.type_parameters.as_ref().map_or(from, |parameters| parameters.span.end);
            if let Some(heritage) = &it.heritage {
                from = heritage.expression.span().end;
                from = heritage.type_arguments.as_ref().map_or(from, |arguments| arguments.span.end);
            }
            let found = self.text(from, last.span.start).rfind("implements");
            if let Some(found) = found {
                self.blank(from + found as u32, last.span.end);
            }
        }
        self.visit_decorators(&it.decorators);
        if let Some(parameters) = &it.type_parameters {
            self.visit_ts_type_parameter_declaration(parameters);
        }
        if let Some(heritage) = &it.heritage {
            self.visit_class_heritage(heritage);
        }
        self.visit_class_body(&it.body);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        let is_abstract = matches!(it.r#type, MethodDefinitionType::TSAbstractMethodDefinition);
        if is_abstract || it.value.body.is_none() {
            self.erase(it.span);
            return;
        }
        self.blank_modifiers(it.span.start, it.key.span().start);
        if it.optional {
            let after = self.after_key(&it.key, it.computed);
            self.blank_mark(after, b'?');
        }
        walk::walk_method_definition(self, it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        if it.declare || matches!(it.r#type, PropertyDefinitionType::TSAbstractPropertyDefinition) {
            self.erase(it.span);
            return;
        }
        self.blank_modifiers(it.span.start, it.key.span().start);
        let after = self.after_key(&it.key, it.computed);
        if it.optional {
            self.blank_mark(after, b'?');
        }
        if it.definite {
            self.blank_mark(after, b'!');
        }
        walk::walk_property_definition(self, it);
        // Without its type and at the end of a line, such a field would be a word before the next member.
        if it.value.is_none()
            && let Some(kind) = &it.type_annotation
            && matches!(self.text(it.key.span().start, after), "get" | "set" | "static")
        {
            self.edits.push(Edit::Put(kind.span.start, b';'));
        }
    }

    fn visit_accessor_property(&mut self, it: &AccessorProperty<'a>) {
        self.refuse(it.span, "an `accessor` field is not supported; write a getter and a setter");
    }

    fn visit_ts_index_signature(&mut self, it: &TSIndexSignature<'a>) {
        self.erase(it.span);
    }

    fn visit_ts_type_alias_declaration(&mut self, it: &TSTypeAliasDeclaration<'a>) {
        self.erase(it.span);
    }

    fn visit_ts_interface_declaration(&mut self, it: &TSInterfaceDeclaration<'a>) {
        self.erase(it.span);
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        if it.declare { self.erase(it.span) } else { self.refuse(it.span, ENUM) }
    }

    fn visit_ts_external_module_declaration(&mut self, it: &TSExternalModuleDeclaration<'a>) {
        if it.declare { self.erase(it.span) } else { self.refuse(it.span, NAMESPACE) }
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        if it.declare { self.erase(it.span) } else { self.refuse(it.span, NAMESPACE) }
    }

    fn visit_ts_global_declaration(&mut self, it: &TSGlobalDeclaration<'a>) {
        if it.declare { self.erase(it.span) } else { self.refuse(it.span, NAMESPACE) }
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        self.refuse(it.span, IMPORT);
    }

    fn visit_ts_export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.refuse(it.span, EXPORT);
    }

    fn visit_ts_namespace_export_declaration(&mut self, it: &TSNamespaceExportDeclaration<'a>) {
        self.refuse(it.span, EXPORT);
    }

    fn visit_module_declaration(&mut self, it: &ModuleDeclaration<'a>) {
        let message = if matches!(it, ModuleDeclaration::ImportDeclaration(_)) { IMPORT } else { EXPORT };
        self.refuse(it.span(), message);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        self.refuse(it.span, IMPORT);
    }

    fn visit_import_meta(&mut self, it: &ImportMeta) {
        self.refuse(it.span, IMPORT);
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.refuse(it.span, DECORATOR);
    }
}
