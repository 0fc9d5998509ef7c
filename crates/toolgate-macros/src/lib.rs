//! The two macros of Toolgate: `#[derive(Schema)]` and `#[tool]` (rule S5).
//!
//! Users reach them through the `toolgate` crate, which re-exports both. Each macro first reads what is written
//! into a model (`attributes`, `tool::signature`), then turns the model into code (`derive`, `tool::expand`).
//! Every mistake is collected and reported at its own place, and the item still compiles to a stand-in so that one
//! mistake never causes a second message. Nothing here looks at types beyond their spelling, reads a file or panics.

use proc_macro::TokenStream;

mod attributes;
mod derive;
mod docs;
mod errors;
mod tool;

/// Describes the JSON form of a type: implements `toolgate`'s `Schema` trait at compile time.
///
/// # What becomes what
///
/// | Rust | schema |
/// |---|---|
/// | struct with named fields | object; open, unless `#[serde(deny_unknown_fields)]` |
/// | field of type `Option<T>` | property that may be absent; its value is a `T`, never null |
/// | field of type `Nullable<T>` | property that is always there and may be null |
/// | field with `default` | property that may be absent |
/// | struct with one unnamed field, `#[serde(transparent)]` | the schema of that field |
/// | unit struct | null |
/// | enum of unit variants | string with the variants as its values |
/// | enum with data | `oneOf`, one branch per variant (unit variants share one), tagged as serde tags it |
///
/// Doc comments become descriptions: lines of a paragraph are joined, paragraphs and lists keep their lines.
///
/// # Attributes
///
/// serde's attributes are read where they change the JSON form: `rename`, `rename_all`, `rename_all_fields`, `tag`,
/// `content`, `untagged`, `default`, `skip`, `skip_serializing_if`, `deny_unknown_fields` and `transparent`. Those
/// that change nothing a schema says (`borrow`, `bound`, `crate`, `expecting`) are ignored. Every other one is
/// refused at its place, because the schema would be wrong. `skip_serializing_if` needs an `Option` or a `default`,
/// so that what was left out can be read back.
///
/// An `untagged` enum becomes a `oneOf`, and a value must match *exactly one* branch: variants that accept a common
/// value make that value invalid. Prefer a tag, or close the variants with `deny_unknown_fields`.
///
/// `#[schema(…)]` adds:
/// - `description = "…"` and `title = "…"` on a container, variant or field, instead of the doc comment. An empty
///   description removes it.
/// - `with = "Type"` on a field or container: describe this type instead of the written one. It is needed beside
///   serde's `with`, `serialize_with`, `deserialize_with`, `from`, `try_from` and `into`, whose effect no macro can see.
/// - `crate = "path"` on a container: where `Schema`, `Node`, `NodeKind` and `Property` are found.
///
/// # Refused
///
/// Unions, recursive types, 128-bit integers, structs and variants with several unnamed fields, `Option` anywhere but
/// as the type of a named field, and an internally tagged variant around another type. All mistakes of one type are
/// reported together.
#[proc_macro_derive(Schema, attributes(schema, serde))]
pub fn derive_schema(input: TokenStream) -> TokenStream {
    derive::expand(input.into()).into()
}

/// Turns an async function into a tool.
///
/// The function becomes a unit struct of the same name that implements `toolgate`'s `Tool`; its body stays callable as
/// `name::call(arguments…)`. Parameters are the arguments that the model sends: each may carry a doc comment (its
/// description), `#[serde(default)]`, `#[serde(rename = "…")]` and `#[schema(…)]`, and they follow the rules of
/// `#[derive(Schema)]`. At most one parameter, `RunContext` or `&RunContext`, takes the context of the call instead.
/// The function returns `Result<T, ToolError>`; `T` is the canonical value.
///
/// # Options
///
/// - `name = "…"`: the name the model calls; the function's name otherwise.
/// - `description = "…"`: instead of the doc comment. A tool without either is refused.
/// - `concurrency_safe`: calls may overlap with other calls. The body must not change state of its parent.
/// - `timeout = "10s"` (`ms`, `s` or `m`, whole and above zero): promises that the body forwards the signal.
/// - `kind = read`: `read`, `edit`, `delete`, `move`, `search`, `execute`, `fetch` or `other`.
/// - `effect = pure`: `pure`, `idempotent`, `keyed` or `non_idempotent`, what a call leaves behind; the last one otherwise.
/// - `deny_unknown_fields`: arguments that are not declared are refused.
/// - `render = path`: `fn(&JsonValue, &T) -> Option<Vec<ContentBlock>>`, what the model reads.
/// - `present_call = path`: `fn(&JsonValue) -> Option<ToolCallView>`.
/// - `present_result = path`: `fn(&JsonValue, &ToolResult<'_>) -> Option<ToolResultView>`.
/// - `crate = "path"`: where the `toolgate` crate is found.
///
/// Generic functions, `self`, borrowed arguments, `impl Trait` arguments and patterns are refused. All mistakes of one
/// function are reported together.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(options.into(), item.into()).into()
}
