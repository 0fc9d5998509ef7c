//! How code that is not ours says that it failed: bodies, hooks, guards and approvers.

use std::borrow::Cow;
use std::fmt;

use crate::result::{ErrorInfo, FailureCause, ToolFailure};

/// A failure of a tool body or a hook.
///
/// Any `std::error::Error` becomes one through `?`: it then has a message and no code. A failure that callers are
/// meant to tell apart is made by [`ToolError::coded`] and keeps its name and code to the end (rule P19).
/// What is no `std::error::Error` is put into words: `.map_err(|error| ToolError::new(format!("{error:#}")))`.
/// For that reason the type does not implement `std::error::Error` itself.
// Boxed, so that the path of a success does not carry the room of a failure.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolError(Box<ErrorParts>);

#[derive(Clone, Debug, PartialEq)]
struct ErrorParts {
    message: String,
    info: Option<ErrorInfo>,
    cause: Option<FailureCause>,
}

impl ToolError {
    /// A failure with a message for the model and no code.
    pub fn new(message: impl Into<String>) -> Self {
        Self(Box::new(ErrorParts { message: message.into(), info: None, cause: None }))
    }

    /// A failure with a name and a code, such as `("QuotaError", "QUOTA")`.
    pub fn coded(
        name: impl Into<Cow<'static, str>>,
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        let info = Some(ErrorInfo::new(name, code));
        Self(Box::new(ErrorParts { message: message.into(), info, cause: None }))
    }

    /// What a body answers that stopped because it was asked to: `ABORTED`, in the library's own words.
    #[must_use]
    pub fn aborted() -> Self {
        let failure = ToolFailure::aborted(true);
        let cause = failure.cause();
        Self(Box::new(ErrorParts {
            message: failure.message().to_owned(),
            info: failure.info().cloned(),
            cause: Some(cause),
        }))
    }

    /// What the model will read, without the `Error: ` in front.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Name and code, where the failure has them.
    #[must_use]
    pub fn info(&self) -> Option<&ErrorInfo> {
        self.0.info.as_ref()
    }

    /// The code, where the failure has one.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.0.info.as_ref().map(ErrorInfo::code)
    }

    pub(crate) fn with_cause(mut self, cause: FailureCause) -> Self {
        self.0.cause = Some(cause);
        self
    }

    /// The cause that the library itself set, or the one of the stage that failed.
    pub(crate) fn into_parts(self, stage: FailureCause) -> (String, Option<ErrorInfo>, FailureCause) {
        let ErrorParts { message, info, cause } = *self.0;
        (message, info, cause.unwrap_or(stage))
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}
