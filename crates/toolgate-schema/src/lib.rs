//! The JSON boundary, the schema author language, and the enforced subset of JSON Schema with its checker.
//!
//! - [`JsonValue`] is lossless by construction and of any depth; typed values cross it with [`JsonValue::encode`]
//!   and [`JsonValue::decode`], where only [`Nullable`] means null.
//! - [`ValueSchema`] and [`ParameterSchema`] are the author language; [`Schema`] is the same for Rust types, at
//!   compile time.
//! - [`check`] judges raw schemas, and [`CompiledSchema`] judges values.
//!
//! ```
//! use toolgate_schema::{CompiledSchema, JsonValue, PathRoot};
//!
//! let schema = JsonValue::parse(r#"{ "type": "object", "properties": { "path": { "type": "string" } },
//!                                    "required": ["path"] }"#)?;
//! let schema = CompiledSchema::compile(schema)?;
//! let violations = schema.check_value(&JsonValue::parse("{}")?, PathRoot::Arguments).unwrap_err();
//! assert_eq!(violations[0].to_string(), "`path` is required but missing");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here does I/O, waits, or uses the thread's stack for the depth of a document.

mod author;
mod excerpt;
mod json;
mod node;
mod path;
mod schema;

pub use author::{AuthorFault, Openness, ParameterSchema, ValueSchema, parameter_schema_of, value_schema_of};
pub use json::{
    DecodeError, EncodeError, JsonValue, NotLossless, Nullable, ParseError, ParseErrorKind, ParseLimits,
    RawJson, indented_text,
};
pub use node::{Node, NodeKind, Property, Schema};
pub use schema::{
    CompiledSchema, PathRoot, SchemaType, SchemaViolation, UnsupportedSchema, ValueViolation,
    ValueViolationKind, ViolationKind, check, check_object_root,
};
