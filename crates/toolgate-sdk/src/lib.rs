//! Tools as declarations in a programming language, for programs that call them.
//!
//! A program of Code Mode calls `tools.name(args)`. [`declare`] writes what a model or a type checker needs to know
//! of that: a type for the arguments and the result of each tool, from its schemas, and the descriptions as
//! comments. For large sets, [`index`] is one line per tool and [`describe`] the declaration of a single one;
//! [`present`] chooses, and [`Discovery`] is what a program finds tools with.
//!
//! ```
//! use toolgate::{JsonValue, ToolDefinition};
//! use toolgate_sdk::{Language, declare};
//!
//! let schema = r#"{ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"],
//!                   "additionalProperties": false }"#;
//! let read = ToolDefinition::raw("read", "Read a file.")
//!     .raw_parameters(JsonValue::parse(schema)?)
//!     .output_schema(JsonValue::parse(r#"{ "type": "string" }"#)?)
//!     .body(|args, _cx| async move { Ok(args) });
//!
//! let sdk = declare(Language::TypeScript, &[read]);
//! assert!(sdk.text().contains("read(args: { path: string }): Promise<string>;"));
//! assert!(sdk.losses().is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a declaration promises
//!
//! - The same tools in the same order give the same bytes.
//! - Every value that a schema accepts has the declared type. Where a language cannot say a rule of the schema, the
//!   type is wider, the rule stands in the comment if it is short, and [`Sdk::losses`] names its place.
//! - Names and descriptions come from strangers. They cannot end a comment or a string, hide or reorder text, or
//!   speak to a type checker.
//! - The size is bounded: at most 32 levels of a schema and [`SCHEMA_NODES`] of its nodes are written, and long
//!   descriptions are cut with a mark.
//!
//! These differences hold for every schema and are therefore no losses. TypeScript has no integers: they are
//! `Integer`, which is `number`, and one beyond 2^53 arrives as a BigInt. An object that is closed refuses undeclared
//! keys of a literal only. In Python `True` is an `int`, a `float` without a fraction is not, and any JSON is `Any`.
//! In both, any JSON that comes back is not checked further.
//!
//! Nothing here does I/O, and nothing fails: a schema outside the enforced subset gets the closest type.

mod discovery;
mod docs;
mod index;
mod language;
mod losses;
mod names;
mod pointer;
mod present;
mod python;
mod sdk;
mod shape;
mod typescript;

pub use discovery::{Discovery, Found};
pub use index::index;
pub use language::{Language, UnknownLanguage};
pub use losses::{Loss, LossPart, LossReason};
pub use present::{DEFAULT_BUDGET, Presented, present, tokens};
pub use sdk::{Sdk, declare, describe};
pub use shape::SCHEMA_NODES;
