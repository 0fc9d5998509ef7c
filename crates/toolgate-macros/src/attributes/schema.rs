//! The closed list of `#[schema(…)]`, and the annotations of a node.
//!
//! Which words are allowed depends on the place. The words say only what a doc comment or the Rust type cannot say.

use syn::{Attribute, LitStr, Path, Type};

use super::item::Item;
use crate::{docs, errors::Errors};

/// Where a `#[schema(…)]` stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchemaPlace {
    /// On the struct or enum.
    Container,
    /// On a variant of an enum.
    Variant,
    /// On a field, or on a parameter of a tool.
    Field,
}

/// What `#[schema(…)]` says at one place.
#[derive(Default)]
pub(crate) struct SchemaAttributes {
    /// Text instead of the doc comment.
    pub(crate) description: Option<LitStr>,
    /// Short name for the reader.
    pub(crate) title: Option<LitStr>,
    /// The type to describe instead of the written one.
    pub(crate) with: Option<Type>,
    /// Where the schema types are found.
    pub(crate) root: Option<Path>,
}

impl SchemaAttributes {
    /// Reads every `#[schema(…)]` among the attributes.
    pub(crate) fn read(attributes: &[Attribute], place: SchemaPlace, errors: &mut Errors) -> Self {
        let mut read = Self::default();
        for item in Item::of(attributes, "schema", errors) {
            match (item.key.as_str(), place) {
                ("description", _) => read.description = item.text(errors),
                ("title", _) => read.title = item.text(errors),
                ("with", SchemaPlace::Container | SchemaPlace::Field) => {
                    read.with = item.inside_text(errors, "a type");
                }
                ("crate", SchemaPlace::Container) => read.root = item.inside_text(errors, "a path"),
                (unknown, _) => errors.refuse(
                    &item.place,
                    format!("`schema` has no option `{unknown}` here"),
                    format!("use one of {}", known(place)),
                ),
            }
        }
        read
    }

    /// Description and title, with the doc comment where `description` says nothing.
    pub(crate) fn annotations(&self, attributes: &[Attribute]) -> Annotations {
        let written = self.description.as_ref().map(LitStr::value);
        let description = match written {
            Some(text) => (!text.trim().is_empty()).then(|| text.trim().to_owned()),
            None => docs::description(attributes),
        };
        Annotations { description, title: self.title.as_ref().map(LitStr::value) }
    }
}

fn known(place: SchemaPlace) -> &'static str {
    match place {
        SchemaPlace::Container => "description, title, with, crate",
        SchemaPlace::Variant => "description, title",
        SchemaPlace::Field => "description, title, with",
    }
}

/// Text for the reader of a node.
#[derive(Clone, Default)]
pub(crate) struct Annotations {
    /// What the value is.
    pub(crate) description: Option<String>,
    /// Its short name.
    pub(crate) title: Option<String>,
}

impl Annotations {
    /// These annotations, with the others where these say nothing.
    pub(crate) fn or(self, others: Self) -> Self {
        Self { description: self.description.or(others.description), title: self.title.or(others.title) }
    }
}
