//! Shapes as Python types. Objects with properties become typed dictionaries, which have names, so that printing a
//! type also declares what it is made of.

use std::collections::HashSet;

use super::comment;
use super::names::literal;
use crate::docs::{self, SCHEMA_BYTES};
use crate::losses::LossReason;
use crate::names::{TypeNames, type_case};
use crate::pointer::Pointer;
use crate::shape::{Kind, Literal, Model, Object, Shape, Tuple, Undeclared};

pub(super) struct Types<'p> {
    /// The names of the model's definitions.
    named: Vec<String>,
    /// Which of them are declared already. A name before its declaration is quoted.
    is_declared: Vec<bool>,
    pub(super) names: &'p mut TypeNames,
    /// The declarations so far.
    pub(super) declared: &'p mut String,
    pub(super) losses: Vec<(Pointer, LossReason)>,
}

impl<'p> Types<'p> {
    /// The type of a schema, and what it leaves out. What the type is made of is appended to `declared`.
    pub(super) fn print(
        model: &Model<'_>,
        stem: &str,
        names: &'p mut TypeNames,
        declared: &'p mut String,
    ) -> (String, Vec<(Pointer, LossReason)>) {
        let root_name = model.root.kind.as_object().map(|_| names.give(stem));
        let named: Vec<String> = model
            .definitions
            .iter()
            .map(|definition| {
                let hint = if definition.hint.is_empty() { "Root" } else { definition.hint };
                names.give(&format!("{stem}{}", type_case(hint)))
            })
            .collect();
        let is_declared = vec![false; named.len()];
        let mut types = Types { named, is_declared, names, declared, losses: Vec::new() };
        // What is met first usually refers to what is met later, so most names are declared before they are used.
        for (index, definition) in model.definitions.iter().enumerate().rev() {
            types.definition(index, &definition.shape);
        }
        let root = match (model.root.kind.as_object(), root_name) {
            (Some(object), Some(name)) => types.object(object, &model.root, &name, true),
            (Some(_) | None, _) => {
                types.drop_description(&model.root);
                types.plain(&model.root, stem)
            }
        };
        (root, types.losses)
    }

    fn definition(&mut self, index: usize, shape: &Shape<'_>) {
        let Some(name) = self.named.get(index).cloned() else { return };
        if let Kind::Object(object) = &shape.kind {
            let text = self.object(object, shape, &name, true);
            if text != name {
                self.declared.push_str(&format!("type {name} = {text}\n\n"));
            }
        } else {
            let lines = self.lines(shape);
            let text = self.plain(shape, &name);
            self.declared.push_str(&comment::lines(&lines, 0));
            self.declared.push_str(&format!("type {name} = {text}\n\n"));
        }
        if let Some(is_declared) = self.is_declared.get_mut(index) {
            *is_declared = true;
        }
    }

    /// A type inside another one. `hint` is what a dictionary in it is named after.
    pub(super) fn nested(&mut self, shape: &Shape<'_>, hint: &str) -> String {
        if let Some(object) = dictionary(shape) {
            let name = self.names.give(hint);
            return self.object(object, shape, &name, true);
        }
        self.drop_description(shape);
        self.plain(shape, hint)
    }

    /// The type of a property, whose description stands before the property.
    pub(super) fn of_property(&mut self, shape: &Shape<'_>, hint: &str) -> String {
        if let Some(object) = dictionary(shape) {
            let name = self.names.give(hint);
            return self.object(object, shape, &name, false);
        }
        self.plain(shape, hint)
    }

    fn plain(&mut self, shape: &Shape<'_>, hint: &str) -> String {
        match &shape.kind {
            Kind::Any => "Any".to_owned(),
            Kind::Never => "Never".to_owned(),
            Kind::Null => "None".to_owned(),
            Kind::Boolean => "bool".to_owned(),
            Kind::Integer => "int".to_owned(),
            Kind::Number => "float".to_owned(),
            Kind::String => "str".to_owned(),
            Kind::Literals(literals) => self.literals(literals, &shape.at),
            Kind::Array(items) => format!("list[{}]", self.nested(items, &format!("{hint}Item"))),
            Kind::Tuple(tuple) => self.tuple(tuple, &shape.at, hint),
            Kind::Object(object) => self.object(object, shape, hint, false),
            Kind::Union(union) => {
                let mut number = 0;
                let branches = union.branches.iter().map(|branch| {
                    number += usize::from(matches!(branch.kind, Kind::Object(_)));
                    self.nested(branch, &format!("{hint}Option{number}"))
                });
                one_of(branches.collect())
            }
            Kind::Named(index) => self.name(*index),
        }
    }

    fn name(&self, index: usize) -> String {
        match (self.named.get(index), self.is_declared.get(index)) {
            (Some(name), Some(true)) => name.clone(),
            (Some(name), _) => format!("\"{name}\""),
            (None, _) => "Any".to_owned(),
        }
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

    /// Reports a description that has no place.
    fn drop_description(&mut self, shape: &Shape<'_>) {
        if shape.description.is_some() {
            self.losses.push((shape.at.clone(), LossReason::DescriptionLeftOut));
        }
    }

    fn literals(&mut self, literals: &[Literal<'_>], at: &Pointer) -> String {
        let mut texts = Vec::new();
        let mut has_float = false;
        for literal in literals {
            match literal {
                Literal::Null => texts.push("None".to_owned()),
                Literal::Boolean(true) => texts.push("True".to_owned()),
                Literal::Boolean(false) => texts.push("False".to_owned()),
                Literal::Text(text) => texts.push(super::names::literal(text)),
                Literal::Number(number) if number.is_f64() => has_float = true,
                Literal::Number(number) => texts.push(number.to_string()),
            }
        }
        let listed = (!texts.is_empty()).then(|| format!("Literal[{}]", texts.join(", ")));
        if has_float {
            self.losses.push((at.clone(), LossReason::Literal));
        }
        one_of(listed.into_iter().chain(has_float.then(|| "float".to_owned())).collect())
    }

    /// A list as JSON gives it is no tuple of Python.
    fn tuple(&mut self, tuple: &Tuple<'_>, at: &Pointer, hint: &str) -> String {
        self.losses.push((at.clone(), LossReason::Positions));
        let hint = format!("{hint}Item");
        let items = tuple.items.iter().chain(tuple.rest.as_deref());
        let items: Vec<String> = items.map(|item| self.nested(item, &hint)).collect();
        if items.iter().any(|item| item == "Any") {
            return "list[Any]".to_owned();
        }
        format!("list[{}]", one_of(items))
    }

    /// An object under a name that is free. Gives the name, or another type where a dictionary says it all.
    fn object(&mut self, object: &Object<'_>, shape: &Shape<'_>, name: &str, is_described: bool) -> String {
        if is_plain_dictionary(object) {
            if is_described {
                self.drop_description(shape);
            }
            return match &object.undeclared {
                Undeclared::Of(shape) => {
                    format!("dict[str, {}]", self.nested(shape, &format!("{name}Value")))
                }
                Undeclared::Anything | Undeclared::Nothing => "dict[str, Any]".to_owned(),
            };
        }
        let lines = if is_described { self.lines(shape) } else { Vec::new() };
        self.dictionary(object, shape, name, &lines);
        name.to_owned()
    }
}

/// The object that becomes a typed dictionary.
fn dictionary<'s, 'a>(shape: &'s Shape<'a>) -> Option<&'s Object<'a>> {
    shape.kind.as_object().filter(|object| !is_plain_dictionary(object))
}

/// Whether an object declares no property and allows others.
fn is_plain_dictionary(object: &Object<'_>) -> bool {
    object.properties.is_empty() && !matches!(object.undeclared, Undeclared::Nothing)
}

/// A union of types, each once. A name in quotes cannot stand beside `|`.
pub(super) fn one_of(texts: Vec<String>) -> String {
    let mut seen = HashSet::new();
    let distinct: Vec<&str> = texts.iter().map(String::as_str).filter(|text| seen.insert(*text)).collect();
    if distinct.len() > 1 && distinct.iter().any(|text| text.starts_with('"')) {
        return format!("Union[{}]", distinct.join(", "));
    }
    distinct.join(" | ")
}

/// A property name in quotes.
pub(super) fn key(name: &str) -> String {
    literal(name)
}
