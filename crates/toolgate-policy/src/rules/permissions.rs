//! The hook that asks the rules about every call.

use toolgate::result::code;
use toolgate::stage::Pre;
use toolgate::{
    HookResult, JsonValue, Next, PreExecute, PreToolDecision, Scope, ScopeId, ToolEffect, ToolError,
    ToolExecution,
};

use super::decide::decide;
use super::explanation::{Because, Explanation};
use super::facts::Facts;
use super::rule::{Decision, Rule};
use super::set::Rules;
use super::suggest::suggest;

/// Permission rules as a listener before dispatch: register it with `on_pre_execute` on the runtime.
///
/// Rules are global or of a scope. A call is under the global ones and those of the scopes that its agent is in; a
/// nearer layer can add, and cannot take away: what any layer denies stays denied. Paths count from the workspace of
/// the nearest layer. What the rules allow goes on to the other listeners, which may still refuse it; what they ask
/// about may be denied by those, and never allowed.
///
/// Cheap to clone. A decision waits for nothing; it reads the links of the paths that rules speak of.
#[derive(Clone, Debug)]
pub struct Permissions {
    global: Rules,
    scoped: Vec<(ScopeId, Rules)>,
}

impl Permissions {
    /// The rules for every call.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self { global: rules, scoped: Vec::new() }
    }

    /// The same with further rules for the calls of a scope and those below it. Of several, the one given last counts as
    /// the nearest, so give outer scopes first.
    #[must_use]
    pub fn with_scope(mut self, scope: &Scope, rules: Rules) -> Self {
        self.scoped.push((scope.id(), rules));
        self
    }

    /// What the rules say of a call, and why. The effect is that of the tool, none where there is no such tool.
    #[must_use]
    pub fn explain(
        &self,
        tool: &str,
        arguments: &JsonValue,
        effect: Option<ToolEffect>,
        scope: Option<&Scope>,
    ) -> Explanation {
        let layers = self.layers(scope);
        decide(&layers, &Facts::new(tool, arguments.as_value(), folder(&layers, &self.global)), effect)
    }

    /// Rules that would each allow a call, for a person to choose from: the narrowest first. Never one that would let
    /// anything of a kind run that the call is no example of, such as everything that `sudo` can do.
    #[must_use]
    pub fn suggest(&self, call: &ToolExecution) -> Vec<Rule> {
        let layers = self.layers(call.scope());
        let nearest = layers.last().copied().unwrap_or(&self.global);
        suggest(call.name(), call.arguments().as_value(), &nearest.folder)
    }

    /// The layers that a scope is under, farthest first.
    fn layers(&self, scope: Option<&Scope>) -> Vec<&Rules> {
        let of_scopes = self.scoped.iter().filter(|(id, _)| scope.is_some_and(|scope| scope.is_within(*id)));
        [&self.global].into_iter().chain(of_scopes.map(|(_, rules)| rules)).collect()
    }
}

fn folder<'a>(layers: &[&'a Rules], global: &'a Rules) -> &'a super::path::Folder {
    layers.last().map_or(&global.folder, |rules| &rules.folder)
}

impl PreExecute for Permissions {
    async fn pre_execute(&self, call: &ToolExecution, next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        let effect = call.definition().map(|tool| tool.effect());
        let explanation = self.explain(call.name(), call.arguments(), effect, call.scope());
        if explanation.because == Because::NoTool {
            let message = format!("there is no tool {:?}; hint: call one that is listed", call.name());
            return Err(ToolError::coded(code::TOOL_NOT_FOUND_ERROR, code::UNKNOWN_TOOL, message));
        }
        match explanation.decision() {
            Decision::Deny => Ok(PreToolDecision::deny(explanation.to_string())),
            Decision::Allow => next.run().await,
            Decision::Ask => Ok(match next.run().await? {
                PreToolDecision::Allow => PreToolDecision::ask(explanation.to_string()),
                PreToolDecision::Ask { reason: None } => PreToolDecision::ask(explanation.to_string()),
                PreToolDecision::Ask { reason: Some(reason) } => {
                    PreToolDecision::ask(format!("{explanation}\n{reason}"))
                }
                denial @ PreToolDecision::Deny { .. } => denial,
            }),
        }
    }
}
