//! What the deadline policy may be told: in code, or in a configuration file.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use toolgate::ToolExecution;

use crate::duration;

/// The limits of [`Deadlines`](super::Deadlines). In a file, durations are written `500ms`, `10s`, `2m` or `1h`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeadlineConfig {
    /// How long a tool may take that declares no timeout itself. None by default: such a tool has no deadline, unless
    /// there is a `maximum`.
    #[serde(deserialize_with = "duration::some")]
    pub default: Option<Duration>,
    /// The longest that any tool may take, whatever it declares. None by default.
    #[serde(deserialize_with = "duration::some")]
    pub maximum: Option<Duration>,
    /// How long the tools of these names may take. It goes before everything else, also before `maximum`.
    #[serde(deserialize_with = "duration::table")]
    pub tools: BTreeMap<String, Duration>,
    /// How much longer a body may take that was asked to stop. Then it is dropped where it stands, and nobody knows what
    /// it had done. None by default: a body is awaited, however long it takes.
    #[serde(deserialize_with = "duration::some")]
    pub grace: Option<Duration>,
    /// How long each other stage may take: all listeners before dispatch together, an approver, all listeners after
    /// dispatch, all listeners on the log of a program's calls. 30 s by default.
    #[serde(deserialize_with = "duration::one")]
    pub stage: Duration,
    /// How long a body may keep its thread busy without giving it back before that is reported. 1 s by default.
    #[serde(deserialize_with = "duration::one")]
    pub blocked: Duration,
}

impl Default for DeadlineConfig {
    fn default() -> Self {
        Self {
            default: None,
            maximum: None,
            tools: BTreeMap::new(),
            grace: None,
            stage: Duration::from_secs(30),
            blocked: Duration::from_secs(1),
        }
    }
}

impl DeadlineConfig {
    /// How long the body of a call may take; none where it has no deadline.
    pub(super) fn limit_of(&self, call: &ToolExecution) -> Option<Duration> {
        if let Some(limit) = self.tools.get(call.name()) {
            return Some(*limit);
        }
        let declared = call.definition().and_then(|tool| tool.timeout()).or(self.default);
        match (declared, self.maximum) {
            (Some(declared), Some(maximum)) => Some(declared.min(maximum)),
            (declared, maximum) => declared.or(maximum),
        }
    }
}
