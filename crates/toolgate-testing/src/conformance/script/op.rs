//! Operations that more than one kind of script has, and how the kinds are put together.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use toolgate::ToolError;

use super::ToolSpec;

/// An operation that every script of some sort has, or one that this kind of script alone has.
#[derive(Debug)]
pub(super) enum Op<Shared, Own> {
    Shared(Shared),
    Own(Own),
}

/// Operations that are told from others by their names.
pub(super) trait Named: DeserializeOwned {
    /// The names.
    const NAMES: &'static [&'static str];
}

impl<'de, Shared: Named, Own: DeserializeOwned> Deserialize<'de> for Op<Shared, Own> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let op = Value::deserialize(deserializer)?;
        let name = op.get("op").and_then(Value::as_str).unwrap_or_default();
        let op = if Shared::NAMES.contains(&name) {
            Shared::deserialize(op).map(Self::Shared)
        } else {
            Own::deserialize(op).map(Self::Own)
        };
        op.map_err(D::Error::custom)
    }
}

/// A script that may wait, of a stage with operations of its own.
pub(super) type Script<Own> = Vec<Op<InstantOp, Op<WaitingOp, Own>>>;

/// Operations that every script has.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum InstantOp {
    Cancel { signal: Option<String> },
    CheckSignal {},
    Identity {},
    Arguments {},
    Unregister { tool: String },
    Register { definition: Box<ToolSpec> },
    Throw(Failure),
}

impl Named for InstantOp {
    const NAMES: &'static [&'static str] =
        &["cancel", "checkSignal", "identity", "arguments", "unregister", "register", "throw"];
}

/// Operations that every script has which may wait.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum WaitingOp {
    CancelLater {
        signal: Option<String>,
    },
    Pause {},
    Sleep {
        ms: u64,
    },
    Work {
        ticks: Option<u32>,
        argument: Option<String>,
        #[serde(default)]
        stoppable: bool,
    },
    AwaitCancel {},
}

impl Named for WaitingOp {
    const NAMES: &'static [&'static str] = &["cancelLater", "pause", "sleep", "work", "awaitCancel"];
}

/// A stage without operations of its own.
#[derive(Debug, Deserialize)]
#[serde(tag = "op")]
pub(super) enum NoOp {}

/// A failure as a case writes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failure {
    pub(super) message: String,
    pub(super) code: Option<String>,
    pub(super) name: Option<String>,
}

impl Failure {
    /// The error that a body or hook returns.
    pub(super) fn to_error(&self) -> ToolError {
        match &self.code {
            Some(code) => {
                let name = self.name.clone().unwrap_or_else(|| "Error".to_owned());
                ToolError::coded(name, code.clone(), self.message.clone())
            }
            None => ToolError::new(self.message.clone()),
        }
    }
}

/// Fails where there is no error to return: the library contains the panic. No panic hook runs, so nothing is
/// printed.
pub(super) fn fail_by_panic(message: String) -> ! {
    std::panic::resume_unwind(Box::new(message))
}
