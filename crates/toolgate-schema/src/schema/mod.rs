//! The enforced subset of JSON Schema (rules S2, S3, S4): what a raw schema may say, and what it accepts.
//!
//! [`check`] judges a schema, [`CompiledSchema`] judges values. Both list everything that is wrong in walk order;
//! neither changes what it looks at, applies defaults, or recurses without a bound.

mod accept;
mod check;
mod compile;
mod compiled;
mod kind;
mod literal;
mod validate;
mod value_violation;
mod violation;
mod walk;

pub use check::{check, check_object_root};
pub use compiled::CompiledSchema;
pub use kind::SchemaType;
pub use value_violation::{PathRoot, ValueViolation, ValueViolationKind};
pub use violation::{SchemaViolation, UnsupportedSchema, ViolationKind};

pub(crate) use check::check_at;
