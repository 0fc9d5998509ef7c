//! The author language (rule S1): schemas as tool authors write them, and their translation into the subset.
//!
//! There is one representation, the author-form JSON; builders write it, files contain it. Derived schemas of Rust
//! types are translated here too. Nothing here judges values.

mod assert;
mod derived;
mod fault;
mod parameters;
mod translate;
mod value;

pub use derived::{parameter_schema_of, value_schema_of};
pub use fault::AuthorFault;
pub use parameters::ParameterSchema;
pub use value::{Openness, ValueSchema};
