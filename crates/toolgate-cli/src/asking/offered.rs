//! A permission rule as something that a person may allow from now on.

use std::sync::Arc;

use toolgate::ToolExecution;
use toolgate_policy::Rule;
use toolgate_policy::person::GrantRule;

/// A rule and its text.
pub(crate) struct OfferedRule {
    rule: Rule,
    text: String,
}

impl OfferedRule {
    /// The rule, ready to be offered.
    pub(crate) fn shared(rule: Rule) -> Arc<dyn GrantRule> {
        Arc::new(Self { text: rule.pattern().to_string(), rule })
    }
}

impl GrantRule for OfferedRule {
    fn matches(&self, call: &ToolExecution) -> bool {
        self.rule.matches(call)
    }

    fn text(&self) -> &str {
        &self.text
    }
}
