//! What the attributes of an item say, read before any code is made.
//!
//! `item` splits an attribute into its parts; `serde`, `schema` and `tool` know the closed list of each. Anything
//! outside a list is a mistake, because ignoring it could make a schema wrong.

mod case;
mod item;
mod schema;
mod serde;
mod tool;

pub(crate) use case::Case;
pub(crate) use schema::{Annotations, SchemaAttributes, SchemaPlace};
pub(crate) use serde::{ContainerSerde, FieldSerde, Tagging, VariantSerde};
pub(crate) use tool::ToolOptions;
