//! Shapes as TypeScript types.

use std::collections::HashSet;

use crate::docs::{self, SCHEMA_BYTES};
use crate::losses::LossReason;
use crate::names::{is_identifier, quote};
use crate::pointer::Pointer;
use crate::shape::{Kind, Literal, Object, Property, Shape, Tuple, Undeclared};

use super::comment;

/// On which side of a call a type stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// A program makes the value: any JSON has to be JSON.
    Arguments,
    /// A program reads the value: any JSON may be used without further checks.
    Result,
}

/// Names that every object has without declaring them. One that leaves such an optional property out still has
/// something of another type there.
const INHERITED: &[&str] = &[
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// The widest object that stands on one line, in bytes.
const LINE_BYTES: usize = 80;

pub(super) struct Types<'m> {
    /// The names of the model's definitions.
    named: &'m [String],
    position: Position,
    pub(super) losses: Vec<(Pointer, LossReason)>,
}

impl<'m> Types<'m> {
    pub(super) fn new(named: &'m [String], position: Position) -> Self {
        Self { named, position, losses: Vec::new() }
    }

    /// The type with its description in front of it, for places where no declaration is commented.
    pub(super) fn commented(&mut self, shape: &Shape<'_>, indent: usize) -> String {
        let lines = self.lines(shape);
        let text = self.plain(shape, indent);
        if lines.is_empty() { text } else { comment::within(&lines.join(" ")) + &text }
    }

    /// The lines of a comment: the description, and what the type does not say.
    pub(super) fn lines(&mut self, shape: &Shape<'_>) -> Vec<String> {
        let described = docs::lines(shape.description.unwrap_or_default(), SCHEMA_BYTES);
        if described.cut {
            self.losses.push((shape.at.clone(), LossReason::DescriptionCut));
        }
        let mut lines = described.lines;
        if !shape.notes.is_empty() {
            lines.push(shape.notes.join(", "));
        }
        lines
    }

    /// The type alone.
    pub(super) fn plain(&mut self, shape: &Shape<'_>, indent: usize) -> String {
        match &shape.kind {
            Kind::Any => self.any().to_owned(),
            Kind::Never => "never".to_owned(),
            Kind::Null => "null".to_owned(),
            Kind::Boolean => "boolean".to_owned(),
            Kind::Integer => "Integer".to_owned(),
            Kind::Number => "number".to_owned(),
            Kind::String => "string".to_owned(),
            Kind::Literals(literals) => self.literals(literals, &shape.at),
            Kind::Array(items) => format!("{}[]", self.item(items, indent)),
            Kind::Tuple(tuple) => self.tuple(tuple, indent),
            Kind::Object(object) => self.object(object, &shape.at, indent),
            Kind::Union(union) => {
                let branches = union.branches.iter().map(|branch| self.commented(branch, indent)).collect();
                one_of(branches)
            }
            Kind::Named(index) => self.named.get(*index).cloned().unwrap_or_else(|| self.any().to_owned()),
        }
    }

    fn any(&self) -> &'static str {
        match self.position {
            Position::Arguments => "Json",
            Position::Result => "any",
        }
    }

    /// A type that stands before brackets.
    fn item(&mut self, shape: &Shape<'_>, indent: usize) -> String {
        let text = self.commented(shape, indent);
        let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let is_bracketed = match &shape.kind {
            Kind::Object(_) | Kind::Array(_) => true,
            Kind::Tuple(tuple) => tuple.least == tuple.items.len(),
            Kind::Any
            | Kind::Never
            | Kind::Null
            | Kind::Boolean
            | Kind::Integer
            | Kind::Number
            | Kind::String
            | Kind::Literals(_)
            | Kind::Union(_)
            | Kind::Named(_) => false,
        };
        let is_commented = text.starts_with("/*");
        if is_word || (is_bracketed && !is_commented) { text } else { format!("({text})") }
    }

    fn literals(&mut self, literals: &[Literal<'_>], at: &Pointer) -> String {
        let mut texts = Vec::with_capacity(literals.len());
        for literal in literals {
            texts.push(match literal {
                Literal::Null => "null".to_owned(),
                Literal::Boolean(value) => value.to_string(),
                Literal::Text(text) => key(text),
                Literal::Number(number) => match exact(number) {
                    Some(text) => text,
                    None => {
                        self.losses.push((at.clone(), LossReason::Literal));
                        "number".to_owned()
                    }
                },
            });
        }
        one_of(texts)
    }

    /// Every length that a list may have, so that no position has to be optional: an absent item is not `undefined`.
    fn tuple(&mut self, tuple: &Tuple<'_>, indent: usize) -> String {
        let items: Vec<String> = tuple.items.iter().map(|item| self.commented(item, indent)).collect();
        let rest = tuple.rest.as_ref().map(|rest| self.item(rest, indent));
        let lengths = (tuple.least..=items.len()).map(|length| {
            let mut parts: Vec<String> = items.iter().take(length).cloned().collect();
            if length == items.len()
                && let Some(rest) = &rest
            {
                parts.push(format!("...{rest}[]"));
            }
            format!("[{}]", parts.join(", "))
        });
        one_of(lengths.collect())
    }

    fn object(&mut self, object: &Object<'_>, at: &Pointer, indent: usize) -> String {
        let index = self.index_signature(object, at, indent);
        let Some(properties) = nonempty(&object.properties) else {
            // An empty type without a signature would be any value but null.
            return format!("{{ {} }}", index.as_deref().unwrap_or("[key: string]: never"));
        };
        let mut members = Vec::with_capacity(properties.len() + 1);
        let mut is_short = true;
        let mut width = 4 + indent * 2;
        for property in properties {
            let lines = self.lines(&property.shape);
            let member = self.property(property, indent + 1);
            is_short &= lines.is_empty() && !member.contains('\n');
            width += member.len() + 2;
            members.push((lines, member));
        }
        members.extend(index.map(|index| (Vec::new(), index)));
        width += members.last().map_or(0, |(_, member)| member.len() + 2);
        if is_short && width <= LINE_BYTES {
            let members: Vec<String> = members.into_iter().map(|(_, member)| member).collect();
            return format!("{{ {} }}", members.join("; "));
        }
        let pad = "  ".repeat(indent + 1);
        let mut text = String::from("{\n");
        for (lines, member) in members {
            text.push_str(&comment::before(&lines, indent + 1));
            text.push_str(&format!("{pad}{member};\n"));
        }
        text + &"  ".repeat(indent) + "}"
    }

    fn property(&mut self, property: &Property<'_>, indent: usize) -> String {
        let name = if is_identifier(property.name) { property.name.to_owned() } else { key(property.name) };
        let optional = if property.required { "" } else { "?" };
        let shape = &property.shape;
        let text = if !property.required && INHERITED.contains(&property.name) {
            self.losses.push((shape.at.clone(), LossReason::InheritedName));
            "any".to_owned()
        } else if shape.kind.is_any() && property.name == "then" {
            // What is awaited and might be callable under this name has no type at all.
            "Json".to_owned()
        } else {
            self.plain(shape, indent)
        };
        format!("{name}{optional}: {text}")
    }

    /// What stands for the undeclared keys. A signature has to allow what the properties are as well, so a type for
    /// undeclared keys alone can only be said where there are no properties.
    fn index_signature(&mut self, object: &Object<'_>, at: &Pointer, indent: usize) -> Option<String> {
        let value = match &object.undeclared {
            Undeclared::Nothing => return None,
            Undeclared::Of(shape) if object.properties.is_empty() => self.commented(shape, indent),
            Undeclared::Anything | Undeclared::Of(_) => {
                if matches!(object.undeclared, Undeclared::Of(_)) {
                    self.losses.push((at.key("additionalProperties"), LossReason::UndeclaredKeys));
                }
                match self.position {
                    Position::Arguments => "Json | undefined".to_owned(),
                    Position::Result => "any".to_owned(),
                }
            }
        };
        Some(format!("[key: string]: {value}"))
    }
}

/// A name or text in quotes.
pub(super) fn key(text: &str) -> String {
    quote(text, |code| format!("\\u{{{code:x}}}"))
}

/// A number as a literal type, where a double holds it exactly.
fn exact(number: &serde_json::Number) -> Option<String> {
    const EXACT: u64 = 1 << 53;
    let is_exact = match (number.as_i64(), number.as_u64()) {
        (Some(value), _) => value.unsigned_abs() <= EXACT,
        (None, Some(value)) => value <= EXACT,
        (None, None) => true,
    };
    is_exact.then(|| {
        let text = number.to_string();
        text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
    })
}

/// A union of types, each once.
fn one_of(texts: Vec<String>) -> String {
    let mut seen = HashSet::new();
    let distinct: Vec<&str> = texts.iter().map(String::as_str).filter(|text| seen.insert(*text)).collect();
    distinct.join(" | ")
}

fn nonempty<T>(items: &[T]) -> Option<&[T]> {
    (!items.is_empty()).then_some(items)
}
