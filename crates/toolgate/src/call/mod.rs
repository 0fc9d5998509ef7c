//! One call: what the caller asks for, and what the pipeline makes of it.

mod cancellation;
mod execution;
mod id;
mod run_context;
mod token;
mod tool_call;
mod unchecked;

pub use cancellation::Cancellation;
pub use execution::ToolExecution;
pub use id::CallId;
pub use run_context::RunContext;
pub use token::ExecutionToken;
pub use tool_call::ToolCall;
pub use unchecked::UncheckedJson;

pub(crate) use unchecked::Unrepresentable;

pub(crate) use execution::ExecutionParts;
