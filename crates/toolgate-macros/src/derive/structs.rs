//! Structs: named fields become an object, one unnamed field its own schema, none null.

use syn::{DataStruct, Fields};

use super::Context;
use super::fields::{self, FieldRules};
use super::node::{Model, Shape};
use crate::attributes::{Annotations, Tagging};
use crate::errors::Errors;

/// The node of a struct; `None` when there is none, with the reason recorded.
pub(crate) fn model(
    data: &DataStruct,
    annotations: Annotations,
    context: &Context<'_>,
    errors: &mut Errors,
) -> Option<Model> {
    if !matches!(context.serde.tagging, Tagging::External) {
        errors.refuse(
            context.name,
            "the tag of a struct is written and never read, so the schema cannot say it",
            "remove `tag`, `content` or `untagged`, or use an enum",
        );
    }
    if context.serde.transparent {
        return fields::transparent(data.fields.iter(), annotations, context, errors);
    }
    match &data.fields {
        Fields::Named(named) => {
            let rules = FieldRules {
                case: context.serde.rename_all,
                all_default: context.serde.default,
                ..FieldRules::default()
            };
            let properties = fields::properties(named, rules, context, errors);
            let open = !context.serde.deny_unknown_fields;
            Some(Model { shape: Shape::Object { properties, open }, annotations })
        }
        Fields::Unnamed(unnamed) => fields::newtype(unnamed, "a struct", annotations, context, errors),
        Fields::Unit => Some(Model { shape: Shape::Null, annotations }),
    }
}
