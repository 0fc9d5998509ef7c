//! How the registry says that something cannot be set up. Every mistake of one thing is reported at once (rule R2).

use std::fmt;

use super::PluginError;

/// A tool that cannot be registered, and everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the tool {tool:?} cannot be registered: {}", list(.problems))]
pub struct RegistrationError {
    tool: String,
    problems: Vec<DefinitionProblem>,
}

impl RegistrationError {
    pub(crate) fn new(tool: &str, problems: Vec<DefinitionProblem>) -> Self {
        Self { tool: tool.to_owned(), problems }
    }

    /// The name that the tool gives itself.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// What is wrong, in the order of the checks; never empty.
    #[must_use]
    pub fn problems(&self) -> &[DefinitionProblem] {
        &self.problems
    }
}

/// One reason why a definition is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionProblem {
    /// The name is not one (rule R2a).
    #[error(transparent)]
    InvalidName(#[from] crate::tool::InvalidToolName),
    /// The name belongs to the library.
    #[error("the name is reserved for the tool that runs programs")]
    ReservedName,
    /// The layer has a tool of that name already.
    #[error("the same layer has a tool of that name already")]
    DuplicateName,
    /// The parameters cannot be compiled.
    #[error("its parameters are no valid schema: {0}")]
    InvalidParameters(String),
    /// There is no output declaration.
    #[error("it declares no output schema; `{{}}` allows any value")]
    MissingOutputSchema,
    /// The output schema is outside the enforced subset.
    #[error("its output schema is outside the enforced subset: {0}")]
    InvalidOutputSchema(String),
    /// The timeout is not a positive, finite time.
    #[error("its timeout must be positive and finite, not {0}")]
    InvalidTimeout(String),
    /// The code that describes the tool panicked.
    #[error("its description panicked: {0}")]
    Panicked(String),
    /// The scope is closed.
    #[error("its scope is closed")]
    ScopeClosed,
}

/// A restriction that cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestrictionError {
    /// There is neither a list to allow nor one to deny.
    #[error("a restriction needs a list of names to allow or to deny")]
    EmptyFilter,
    /// The filter names the tool that runs programs, which no filter touches.
    #[error("a restriction cannot name `run_code`")]
    ReservedName,
    /// The filter names what the scope does not inherit.
    #[error("the scope inherits no tool of the name: {}", list(.0))]
    UnknownNames(Vec<String>),
    /// The filter names tools that the scope registered itself, which are exempt.
    #[error("a restriction filters what a scope inherits, and these tools are the scope's own: {}", list(.0))]
    OwnNames(Vec<String>),
    /// The scope is closed.
    #[error("the scope is closed")]
    ScopeClosed,
}

/// A presentation mode that cannot be declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PresentationError {
    /// The scope has declared one already.
    #[error("the scope has declared a presentation mode already; dispose of that declaration first")]
    Conflict,
    /// The scope is closed.
    #[error("the scope is closed")]
    ScopeClosed,
}

/// A tool list that cannot be offered to a model (rule R9a).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The presentation mode needs a code transport and none is mounted.
    #[error(
        "the presentation mode needs `run_code`, and no code transport is mounted; hint: mount one with `ToolRuntime::builder().code_transport(…)` or present as `native`"
    )]
    NoCodeRuntime,
    /// The mounted code transport speaks a language that the library does not know.
    #[error("the mounted code transport speaks {0:?}; known languages are `typescript` and `python`")]
    UnknownLanguage(String),
}

/// Everything that is wrong with the set-up of a runtime.
#[derive(Debug, thiserror::Error)]
#[error("the runtime cannot be set up: {}", list(.problems))]
pub struct SetupError {
    problems: Vec<SetupProblem>,
}

/// One reason why a runtime cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupProblem {
    /// A tool is refused.
    #[error(transparent)]
    Tool(#[from] RegistrationError),
    /// A plugin failed to install, for the reason that it gave.
    #[error("{}", with_source(.0))]
    Plugin(#[from] PluginError),
}

impl SetupError {
    pub(crate) fn new(problems: Vec<SetupProblem>) -> Self {
        Self { problems }
    }

    /// What is wrong, in the order of the set-up; never empty.
    #[must_use]
    pub fn problems(&self) -> &[SetupProblem] {
        &self.problems
    }
}

/// An error with what is behind it, for where several errors become one text.
fn with_source(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

fn list<T: fmt::Display>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
