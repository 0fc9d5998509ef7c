//! What a call gives back: one shape for success, one for failure, and the table of codes and causes.

mod codes;
mod execution_result;
mod failure;
mod record;

pub use codes::{CATALOG, CatalogEntry, EntryKind, code};
pub(crate) use execution_result::joined_text;
pub use execution_result::{ToolExecutionResult, ToolOutcome};
pub use failure::{ErrorInfo, FailureCause, ToolFailure};
