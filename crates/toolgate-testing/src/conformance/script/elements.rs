//! The elements that scenarios of several families share, as they are written.

use serde::Deserialize;
use toolgate::{PresentationMode, ToolExecution, ToolRestriction};

use super::ToolSpec;
use super::approval::ApprovalSpec;
use super::around::AroundOp;
use super::dispatch_log::DispatchLogOp;
use super::op::{InstantOp, Script};
use super::post::PostOp;
use super::pre::PreOp;

/// The elements of a scenario.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Elements {
    #[serde(default)]
    pub(super) mode: Mode,
    /// The language of the mounted code transport.
    pub(super) runtime: Option<String>,
    #[serde(default)]
    pub(super) scopes: Vec<ScopeSpec>,
    #[serde(default)]
    pub(super) signals: Vec<String>,
    #[serde(default)]
    pub(super) tools: Vec<ToolSpec>,
    #[serde(default)]
    pub(super) guards: Vec<GuardSpec>,
    #[serde(default)]
    pub(super) listeners: Vec<ListenerSpec>,
    pub(super) approval: Option<ApprovalSpec>,
    #[serde(default)]
    pub(super) timeout_policy: bool,
}

impl Elements {
    /// The same elements and one scope more, which the others may have as their parent.
    pub(crate) fn with_scope(mut self, name: &str) -> Self {
        self.scopes.insert(0, ScopeSpec { name: name.to_owned(), parent: None });
        self
    }

    /// The same elements, presented in this mode.
    pub(crate) fn presented(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }
}

/// A presentation mode by its name.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Mode(pub(crate) PresentationMode);

impl TryFrom<String> for Mode {
    type Error = <PresentationMode as std::str::FromStr>::Err;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        name.parse().map(Self)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScopeSpec {
    pub(super) name: String,
    pub(super) parent: Option<String>,
}

/// Which calls a listener or guard is for.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct When {
    tool: Option<String>,
    call: Option<String>,
}

impl When {
    pub(super) fn matches(&self, call: &ToolExecution) -> bool {
        self.names(call.name(), call.call_id().as_str())
    }

    /// Whether it is for a call of this tool with this id.
    pub(super) fn names(&self, tool: &str, call: &str) -> bool {
        self.tool.as_ref().is_none_or(|name| name == tool) && self.call.as_ref().is_none_or(|id| id == call)
    }
}

/// A filter on the tools of a scope.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestrictionSpec {
    pub(crate) allow: Option<Vec<String>>,
    pub(crate) deny: Option<Vec<String>>,
}

impl RestrictionSpec {
    pub(crate) fn into_restriction(self) -> ToolRestriction {
        match (self.allow, self.deny) {
            (Some(allow), Some(deny)) => ToolRestriction::allow(allow).and_deny(deny),
            (Some(allow), None) => ToolRestriction::allow(allow),
            (None, Some(deny)) => ToolRestriction::deny(deny),
            (None, None) => ToolRestriction::default(),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuardSpec {
    pub(super) id: String,
    pub(super) r#in: Option<String>,
    #[serde(default)]
    pub(super) when: When,
    #[serde(default, rename = "do")]
    pub(super) script: Vec<InstantOp>,
    pub(super) deny: Option<String>,
}

impl GuardSpec {
    /// A guard that only denies.
    pub(crate) fn denying(when: When, deny: Option<String>) -> Self {
        Self { id: "guard".to_owned(), r#in: None, when, script: Vec::new(), deny }
    }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "on", rename_all = "kebab-case")]
pub(crate) enum ListenerSpec {
    Pre(HookSpec<Script<PreOp>>),
    Around(HookSpec<Script<AroundOp>>),
    Post(HookSpec<Script<PostOp>>),
    Result(HookSpec<Vec<InstantOp>>),
    DispatchLog(HookSpec<Script<DispatchLogOp>>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound = "S: Deserialize<'de> + Default")]
pub(crate) struct HookSpec<S> {
    pub(super) id: String,
    pub(super) r#in: Option<String>,
    #[serde(default)]
    pub(super) prepend: bool,
    #[serde(default)]
    pub(super) when: When,
    #[serde(default, rename = "do")]
    pub(super) script: S,
}
