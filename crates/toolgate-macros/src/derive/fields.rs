//! Fields: the named ones become properties, a single unnamed one gives its own schema.
//!
//! Used for structs and for the variants of enums alike.

use syn::{Field, FieldsNamed, FieldsUnnamed, Type, ext::IdentExt};

use super::node::{Model, PropertyModel, Shape};
use super::{Context, types};
use crate::attributes::{Annotations, Case, FieldSerde, SchemaAttributes, SchemaPlace};
use crate::errors::Errors;

/// What the fields of a struct or variant are told from outside.
#[derive(Clone, Copy, Default)]
pub(crate) struct FieldRules<'a> {
    /// The spelling of the names.
    pub(crate) case: Option<Case>,
    /// Whether every field may be absent.
    pub(crate) all_default: bool,
    /// A key that is taken by the tag of the variant.
    pub(crate) taken: Option<&'a str>,
}

/// The properties of named fields, in order, without the skipped ones.
pub(crate) fn properties(
    fields: &FieldsNamed,
    rules: FieldRules<'_>,
    context: &Context<'_>,
    errors: &mut Errors,
) -> Vec<PropertyModel> {
    let mut properties: Vec<PropertyModel> = Vec::with_capacity(fields.named.len());
    for field in &fields.named {
        let Some(property) = property(field, rules, context, errors) else { continue };
        let name = &property.name;
        if rules.taken == Some(name) || properties.iter().any(|earlier| earlier.name == *name) {
            errors.refuse(&field.ident, format!("the key `{name}` is used twice"), "rename one of the two");
        }
        properties.push(property);
    }
    properties
}

/// The property of one named field; `None` when it is skipped.
fn property(
    field: &Field,
    rules: FieldRules<'_>,
    context: &Context<'_>,
    errors: &mut Errors,
) -> Option<PropertyModel> {
    let ident = field.ident.as_ref()?.unraw().to_string();
    let read = ReadField::new(field, errors);
    if read.serde.skip {
        return None;
    }
    // What is described may differ from what is written; an `Option` in either place makes the field optional.
    let described = read.described();
    let inner = types::option_inner(described);
    let optional = inner.is_some() || types::option_inner(&field.ty).is_some();
    let described = inner.unwrap_or(described).clone();
    types::check(&described, Some(context.name), errors);

    let default = read.serde.default || rules.all_default;
    if let Some(custom) = &read.serde.custom_reading
        && optional
        && !default
    {
        errors.refuse(
            &custom.place,
            format!("serde refuses an absent key where `{}` reads an `Option`", custom.key),
            "add `#[serde(default)]` to this field",
        );
    }
    if let Some(skip) = &read.serde.skip_serializing_if
        && !optional
        && !default
    {
        errors.refuse(
            &skip.place,
            "a key that is left out cannot be read back into this field",
            "add `#[serde(default)]` to this field",
        );
    }
    Some(PropertyModel {
        name: read
            .serde
            .rename
            .unwrap_or_else(|| rules.case.map_or(ident.clone(), |case| case.of_field(&ident))),
        value: Model { shape: Shape::Of(Box::new(described)), annotations: read.annotations },
        required: !(optional || default),
    })
}

/// The node of the only unnamed field of `owner`, for example of "a struct"; its own text is that of the owner.
pub(crate) fn newtype(
    fields: &FieldsUnnamed,
    owner: &str,
    annotations: Annotations,
    context: &Context<'_>,
    errors: &mut Errors,
) -> Option<Model> {
    let mut unnamed = fields.unnamed.iter();
    let (Some(field), None) = (unnamed.next(), unnamed.next()) else {
        let count = fields.unnamed.len();
        errors.refuse(
            fields,
            format!("{owner} with {count} unnamed fields would be a list that a schema cannot describe"),
            "give the fields names",
        );
        return None;
    };
    let read = ReadField::new(field, errors);
    if read.serde.skip {
        errors.refuse(field, format!("the only field of {owner} cannot be skipped"), "make it a unit");
        return None;
    }
    Some(whole(read, annotations, context, errors))
}

/// The node of the field that a transparent struct stands for.
pub(crate) fn transparent<'a>(
    fields: impl Iterator<Item = &'a Field>,
    annotations: Annotations,
    context: &Context<'_>,
    errors: &mut Errors,
) -> Option<Model> {
    let mut read: Vec<ReadField<'_>> = fields
        .filter(|field| !types::is_phantom(&field.ty))
        .map(|field| ReadField::new(field, errors))
        .filter(|field| !field.serde.skip)
        .collect();
    if let (Some(only), true) = (read.pop(), read.is_empty()) {
        return Some(whole(only, annotations, context, errors));
    }
    errors.refuse(
        context.name,
        "a transparent struct has the JSON form of its only field, and this one has none or several",
        "skip the other fields, or remove `transparent`",
    );
    None
}

fn whole(read: ReadField<'_>, annotations: Annotations, context: &Context<'_>, errors: &mut Errors) -> Model {
    let described = read.described();
    types::check(described, Some(context.name), errors);
    Model { shape: Shape::Of(Box::new(described.clone())), annotations: annotations.or(read.annotations) }
}

/// A field with its attributes.
struct ReadField<'a> {
    written: &'a Type,
    with: Option<Type>,
    serde: FieldSerde,
    annotations: Annotations,
}

impl<'a> ReadField<'a> {
    fn new(field: &'a Field, errors: &mut Errors) -> Self {
        let schema = SchemaAttributes::read(&field.attrs, SchemaPlace::Field, errors);
        let serde = FieldSerde::read(&field.attrs, schema.with.is_some(), errors);
        let annotations = schema.annotations(&field.attrs);
        Self { written: &field.ty, with: schema.with, serde, annotations }
    }

    /// The type whose schema is used.
    fn described(&self) -> &Type {
        self.with.as_ref().unwrap_or(self.written)
    }
}
