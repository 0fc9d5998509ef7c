//! The steps of a registry case, as they are written.

use serde::Deserialize;
use serde_json::Value;

use super::super::cases::{CaseValue, Fields, Malformed};
use super::super::script::{Mode, ToolSpec, When};

/// One step: what to do, under what name to remember what it gives, and what to observe.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) action: Action,
    /// Absent: the step must succeed.
    pub(super) expect: Option<Value>,
}

impl Step {
    pub(super) fn read(step: &Value) -> Result<Self, Malformed> {
        let members = step.as_object().ok_or_else(|| Malformed::new("a step is an object"))?;
        let mut fields = Fields::of(members.iter())?;
        Ok(Self { expect: fields.optional("expect")?, action: fields.rest()? })
    }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub(super) enum Action {
    Register {
        tool: Box<ToolSpec>,
        r#in: Option<String>,
        r#as: Option<String>,
    },
    Restrict {
        r#in: Option<String>,
        allow: Option<Vec<String>>,
        deny: Option<Vec<String>>,
        r#as: Option<String>,
    },
    Guard {
        r#in: Option<String>,
        deny_with: Option<String>,
        #[serde(default)]
        when: When,
        r#as: Option<String>,
    },
    PresentAs {
        r#in: Option<String>,
        mode: Mode,
        r#as: Option<String>,
    },
    Dispose {
        handle: String,
    },
    DisposeScope {
        scope: String,
    },
    Schemas {
        scope: Option<String>,
    },
    Schema {
        scope: Option<String>,
        name: String,
    },
    Shape {
        scope: Option<String>,
        name: String,
    },
    Wire {
        scope: Option<String>,
    },
    Get {
        scope: Option<String>,
        name: String,
    },
    Present {
        scope: Option<String>,
        name: String,
    },
    Classify(Call),
    Call(Call),
    Watch {
        r#as: String,
        r#in: Option<String>,
        record: Option<String>,
    },
    Notifications {
        watch: String,
    },
    Snapshots {
        watch: String,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) scope: Option<String>,
    pub(super) tool: String,
    #[serde(default = "CaseValue::empty_object")]
    pub(super) arguments: CaseValue,
    #[serde(default)]
    pub(super) nested: bool,
}
