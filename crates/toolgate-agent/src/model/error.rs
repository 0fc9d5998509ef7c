//! Why a model gave no answer.

use super::provider::ApiKey;

/// A model gave no answer. The turn ends, and the session can go on with another one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// There is no key for the provider.
    #[error("there is no key for {provider}\nhint: {hint}")]
    NoKey {
        /// The provider.
        provider: String,
        /// Where a key would be looked for.
        hint: String,
    },
    /// The provider cannot be reached.
    #[error("{url} cannot be reached: {why}\nhint: {hint}")]
    Unreachable {
        /// Where it should be.
        url: String,
        /// Why not.
        why: String,
        /// What to look at.
        hint: String,
    },
    /// The provider refused the request.
    #[error("{url} answered {status}: {message}")]
    Refused {
        /// Who refused.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What it said, shortened.
        message: String,
    },
    /// Nothing came for too long.
    #[error("{url} sent nothing for {seconds} s")]
    Idle {
        /// Who is silent.
        url: String,
        /// For how long.
        seconds: u64,
    },
    /// The answer ended before it was whole.
    #[error("the answer of the model was cut off: {why}")]
    Cut {
        /// How.
        why: String,
    },
    /// The answer is not what the protocol says.
    #[error("the answer of the model cannot be read: {why}")]
    Malformed {
        /// What is wrong.
        why: String,
    },
    /// The answer is larger than one is kept.
    #[error("the answer of the model is larger than {limit} bytes")]
    TooLarge {
        /// How large it may be.
        limit: usize,
    },
    /// What a log says about a failure of then.
    #[error("{0}")]
    Recorded(String),
    /// The script has no further answer, or wants a failure here.
    #[error("the script of the model: {0}")]
    Script(String),
}

impl ModelError {
    /// The same without the key, where a provider repeats it: errors are logged and shown.
    pub(crate) fn without(mut self, key: Option<&ApiKey>) -> Self {
        let text = match &mut self {
            Self::Refused { message, .. } => message,
            Self::Cut { why } | Self::Malformed { why } | Self::Unreachable { why, .. } => why,
            Self::NoKey { .. }
            | Self::Idle { .. }
            | Self::TooLarge { .. }
            | Self::Recorded(_)
            | Self::Script(_) => return self,
        };
        if let Some(key) = key {
            *text = text.replace(key.reveal(), "(the key)");
        }
        self
    }
}
