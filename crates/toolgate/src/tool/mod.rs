//! What a tool author writes: definitions, typed tools, function tools, content and cards.

mod content;
mod definition;
mod effect;
mod error;
mod function;
mod name;
mod presentation;
mod raw;
mod typed;

pub use content::{ContentBlock, ContentBlockError, OtherBlock, UserMessage};
pub use definition::{IntoToolDefinition, ToolDefinition, ToolIdentity};
pub use effect::ToolEffect;
pub use error::ToolError;
pub use function::{FunctionTool, tool_fn};
pub use name::InvalidToolName;
pub use presentation::{
    FileDiff, FileLocation, ReadFileLine, SearchFileMatches, SearchLine, SearchShape, ToolCallKind,
    ToolCallView, ToolResult, ToolResultView, WebSource, WebView,
};
pub use raw::RawToolBuilder;
pub use typed::Tool;

pub(crate) use definition::{Behaviour, BoxFuture, Produced, Projector, default_content};
pub(crate) use name::{ToolName, tool_label};
