//! Objects as typed dictionaries, in the form of a class where their names allow it.

use super::comment;
use super::names::is_attribute;
use super::types::{Types, key};
use crate::losses::LossReason;
use crate::names::type_case;
use crate::shape::{Object, Property, Shape, Undeclared};

impl Types<'_> {
    /// Declares a dictionary under a name, after everything that it is made of.
    pub(super) fn dictionary(
        &mut self,
        object: &Object<'_>,
        shape: &Shape<'_>,
        name: &str,
        lines: &[String],
    ) {
        let mut fields = Vec::with_capacity(object.properties.len());
        let mut is_class = true;
        let mut has_nameless = false;
        for property in &object.properties {
            // A dictionary cannot declare the empty name.
            if property.name.is_empty() {
                has_nameless = true;
                self.losses.push((property.shape.at.clone(), LossReason::PropertyName));
                continue;
            }
            // A class may hide the types that its later fields are written with.
            is_class &= is_attribute(property.name) && !self.names.is_given(property.name);
            fields.push(self.field(property, name));
        }
        let extra = match &object.undeclared {
            Undeclared::Nothing if !has_nameless => String::new(),
            Undeclared::Nothing | Undeclared::Anything => ", extra_items=Any".to_owned(),
            Undeclared::Of(_) if has_nameless => {
                self.losses.push((shape.at.key("additionalProperties"), LossReason::UndeclaredKeys));
                ", extra_items=Any".to_owned()
            }
            Undeclared::Of(extra) => format!(", extra_items={}", self.nested(extra, &format!("{name}Value"))),
        };
        let text =
            if is_class { class(name, &fields, &extra, lines) } else { call(name, &fields, &extra, lines) };
        self.declared.push_str(&text);
        self.declared.push('\n');
    }

    fn field<'f>(&mut self, property: &Property<'f>, name: &str) -> Field<'f> {
        let lines = self.lines(&property.shape);
        let text = self.of_property(&property.shape, &format!("{name}{}", type_case(property.name)));
        let text = if property.required { text } else { format!("NotRequired[{text}]") };
        Field { name: property.name, lines, text }
    }
}

struct Field<'f> {
    name: &'f str,
    lines: Vec<String>,
    text: String,
}

fn class(name: &str, fields: &[Field<'_>], extra: &str, lines: &[String]) -> String {
    let mut text = format!("class {name}(TypedDict{extra}):\n") + &comment::doc(lines, 1);
    for field in fields {
        text.push_str(&comment::lines(&field.lines, 1));
        text.push_str(&format!("    {}: {}\n", field.name, field.text));
    }
    if fields.is_empty() && lines.is_empty() {
        text.push_str("    pass\n");
    }
    text
}

fn call(name: &str, fields: &[Field<'_>], extra: &str, lines: &[String]) -> String {
    let mut text = comment::lines(lines, 0) + &format!("{name} = TypedDict(\"{name}\", {{\n");
    for field in fields {
        text.push_str(&comment::lines(&field.lines, 1));
        text.push_str(&format!("    {}: {},\n", key(field.name), field.text));
    }
    text + &format!("}}{extra})\n")
}
