//! Enums: a string of values, or exactly one of several branches, tagged as serde tags them.
//!
//! Unit variants with an external tag share one string branch. An enum that ends up with one branch is that branch,
//! because `oneOf` needs two.

use syn::{DataEnum, Fields, LitStr, Variant, ext::IdentExt};

use super::Context;
use super::fields::{self, FieldRules};
use super::node::{Model, PropertyModel, Shape};
use crate::attributes::{Annotations, SchemaAttributes, SchemaPlace, Tagging, VariantSerde};
use crate::errors::Errors;

/// The node of an enum; `None` when there is none, with the reason recorded.
pub(crate) fn model(
    data: &DataEnum,
    annotations: Annotations,
    context: &Context<'_>,
    errors: &mut Errors,
) -> Option<Model> {
    let variants = read_variants(data, context, errors);
    if variants.is_empty() {
        errors.refuse(context.name, "an enum without variants has no values", "add a variant");
        return None;
    }
    let branches = match &context.serde.tagging {
        Tagging::External => external(&variants, context, errors),
        Tagging::Internal(tag) => {
            variants.iter().filter_map(|variant| internal(variant, tag, context, errors)).collect()
        }
        Tagging::Adjacent { tag, content } => {
            if tag.value() == content.value() {
                errors.refuse(content, "tag and content have the same key", "rename one of the two");
            }
            variants.iter().filter_map(|variant| adjacent(variant, tag, content, context, errors)).collect()
        }
        Tagging::Untagged => untagged(&variants, context, errors),
    };
    Some(collapse(branches, annotations))
}

/// A variant that has a JSON form, with its attributes.
struct ReadVariant<'a> {
    written: &'a Variant,
    name: String,
    serde: VariantSerde,
    schema: SchemaAttributes,
    annotations: Annotations,
}

fn read_variants<'a>(data: &'a DataEnum, context: &Context<'_>, errors: &mut Errors) -> Vec<ReadVariant<'a>> {
    let mut variants: Vec<ReadVariant<'_>> = Vec::with_capacity(data.variants.len());
    for written in &data.variants {
        let serde = VariantSerde::read(&written.attrs, errors);
        let schema = SchemaAttributes::read(&written.attrs, SchemaPlace::Variant, errors);
        if serde.skip {
            continue;
        }
        let ident = written.ident.unraw().to_string();
        let spelled = || context.serde.rename_all.map_or(ident.clone(), |case| case.of_variant(&ident));
        let name = serde.rename.clone().unwrap_or_else(spelled);
        let names_matter = !matches!(context.serde.tagging, Tagging::Untagged);
        if names_matter && variants.iter().any(|earlier| earlier.name == name) {
            errors.refuse(
                &written.ident,
                format!("two variants are called `{name}` in JSON"),
                "rename one of the two",
            );
        }
        let annotations = schema.annotations(&written.attrs);
        variants.push(ReadVariant { written, name, serde, schema, annotations });
    }
    variants
}

impl ReadVariant<'_> {
    /// The node of the variant's data; `None` for a unit variant, or with the mistake recorded.
    fn data(&self, annotations: Annotations, context: &Context<'_>, errors: &mut Errors) -> Option<Model> {
        match &self.written.fields {
            Fields::Unit => None,
            Fields::Unnamed(unnamed) => fields::newtype(unnamed, "a variant", annotations, context, errors),
            Fields::Named(_) => {
                let properties = self.properties(None, context, errors);
                Some(Model { shape: object(properties, context), annotations })
            }
        }
    }

    /// The properties of named fields, with the key taken by the tag.
    fn properties(
        &self,
        taken: Option<&str>,
        context: &Context<'_>,
        errors: &mut Errors,
    ) -> Vec<PropertyModel> {
        let Fields::Named(named) = &self.written.fields else { return Vec::new() };
        let case = self.serde.rename_all.or(context.serde.rename_all_fields);
        fields::properties(named, FieldRules { case, all_default: false, taken }, context, errors)
    }

    fn is_unit(&self) -> bool {
        matches!(self.written.fields, Fields::Unit)
    }

    /// A value of a string cannot carry text of its own; a doc comment is for the reader of the code then.
    fn refuse_text_of_value(&self, errors: &mut Errors) {
        for text in [&self.schema.description, &self.schema.title].into_iter().flatten() {
            errors.refuse(
                text,
                "a schema has no place for a text about one value of a string",
                "say it in the description of the enum",
            );
        }
    }
}

/// `"Unit"`, or `{"Variant": data}`.
fn external(variants: &[ReadVariant<'_>], context: &Context<'_>, errors: &mut Errors) -> Vec<Model> {
    let (units, others): (Vec<_>, Vec<_>) = variants.iter().partition(|variant| variant.is_unit());
    let mut branches = Vec::new();
    if !units.is_empty() {
        for unit in &units {
            unit.refuse_text_of_value(errors);
        }
        let values = units.into_iter().map(|unit| unit.name.clone()).collect();
        branches.push(Model { shape: Shape::Values(values), annotations: Annotations::default() });
    }
    for variant in others {
        let Some(value) = variant.data(Annotations::default(), context, errors) else { continue };
        let properties = vec![PropertyModel { name: variant.name.clone(), value, required: true }];
        // serde takes exactly one key here, whatever the container says about unknown fields.
        let shape = Shape::Object { properties, open: false };
        branches.push(Model { shape, annotations: variant.annotations.clone() });
    }
    branches
}

/// `{"tag": "Variant", …fields}`.
fn internal(
    variant: &ReadVariant<'_>,
    tag: &LitStr,
    context: &Context<'_>,
    errors: &mut Errors,
) -> Option<Model> {
    if let Fields::Unnamed(unnamed) = &variant.written.fields {
        errors.refuse(
            unnamed,
            "the fields of another type cannot be put beside the tag, because the schema cannot see them",
            "give this variant named fields, or add `content = \"…\"` to the enum",
        );
        return None;
    }
    let key = tag.value();
    let mut properties = vec![PropertyModel::required(key.clone(), Shape::Literal(variant.name.clone()))];
    properties.extend(variant.properties(Some(&key), context, errors));
    Some(Model { shape: object(properties, context), annotations: variant.annotations.clone() })
}

/// `{"tag": "Variant", "content": data}`.
fn adjacent(
    variant: &ReadVariant<'_>,
    tag: &LitStr,
    content: &LitStr,
    context: &Context<'_>,
    errors: &mut Errors,
) -> Option<Model> {
    let mut properties = vec![PropertyModel::required(tag.value(), Shape::Literal(variant.name.clone()))];
    if !variant.is_unit() {
        let value = variant.data(Annotations::default(), context, errors)?;
        properties.push(PropertyModel { name: content.value(), value, required: true });
    }
    Some(Model { shape: object(properties, context), annotations: variant.annotations.clone() })
}

/// The data alone, or null.
fn untagged(variants: &[ReadVariant<'_>], context: &Context<'_>, errors: &mut Errors) -> Vec<Model> {
    let mut branches = Vec::new();
    let mut has_unit = false;
    for variant in variants {
        let annotations = variant.annotations.clone();
        if !variant.is_unit() {
            branches.extend(variant.data(annotations, context, errors));
            continue;
        }
        if has_unit {
            errors.refuse(
                &variant.written.ident,
                "two untagged unit variants are both null, so neither can be told from the other",
                "remove one, or give the enum a tag",
            );
        }
        has_unit = true;
        branches.push(Model { shape: Shape::Null, annotations });
    }
    branches
}

fn object(properties: Vec<PropertyModel>, context: &Context<'_>) -> Shape {
    Shape::Object { properties, open: !context.serde.deny_unknown_fields }
}

fn collapse(mut branches: Vec<Model>, annotations: Annotations) -> Model {
    if branches.len() == 1
        && let Some(only) = branches.pop()
    {
        return Model { shape: only.shape, annotations: annotations.or(only.annotations) };
    }
    Model { shape: Shape::OneOf(branches), annotations }
}
