//! The `subagent` tool: a task for another agent, which works on it in a session of its own and gives back one answer.
//!
//! Mounted on a runtime by whoever runs agents. The child's scope is one below its parent's, so it sees at most the tools that its
//! parent sees, under the same rules, guards and approvals; a call can only take tools away from it. Its log names the
//! call that began it, and the parent's log names the child's session before that is there.

mod answer;
mod child;

use std::borrow::Cow;

use toolgate::{
    ContentBlock, JsonValue, RunContext, Schema, Tool, ToolCallView, ToolError, result::code, text,
};

use crate::routes::SessionRoutes;
use answer::Expected;
use child::Child;

/// What the tool is called.
pub(crate) const NAME: &str = "subagent";

/// How long a title of a card gets.
const TITLE: usize = 80;

/// How far sub-agents may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubagentLimits {
    /// How many sub-agents may stand below one another; with 1, a sub-agent begins none itself.
    pub depth: u32,
    /// How often a sub-agent asks its model at most, over all of its turns.
    pub steps: u64,
    /// How many tokens a sub-agent may use, those of its own sub-agents included. It gets no more than its parent's turn
    /// has left, and what it uses is used of that too.
    pub tokens: u64,
    /// How often a sub-agent may try to give an answer that matches the schema, and how often it may end without one.
    pub attempts: u32,
}

impl Default for SubagentLimits {
    /// One level, 50 steps, two million tokens, three attempts.
    fn default() -> Self {
        Self { depth: 1, steps: 50, tokens: 2_000_000, attempts: 3 }
    }
}

/// The tool. Give it the routes that the agents of its runtime enter: an agent without routes begins no sub-agents.
#[derive(Clone, Debug)]
pub struct Subagent {
    routes: SessionRoutes,
    limits: SubagentLimits,
}

impl Subagent {
    /// The tool, for the agents of these routes.
    #[must_use]
    pub fn new(routes: SessionRoutes, limits: SubagentLimits) -> Self {
        Self { routes, limits }
    }
}

/// Arguments of `subagent`.
#[derive(Debug, serde::Deserialize, Schema)]
pub struct SubagentArgs {
    /// What to do, with all that is needed to do it: the sub-agent sees nothing of this conversation.
    pub task: String,
    /// The only tools that it may use. It never has one that you have not; without this list it has all of yours.
    pub tools: Option<Vec<String>>,
    /// A JSON Schema with an object at its root (type, properties, required, additionalProperties, items, enum, const,
    /// oneOf). With it, the answer is an object that matches it; without it, a text.
    pub schema: Option<JsonValue>,
}

/// What a sub-agent gives back.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, Schema)]
pub struct SubagentReport {
    /// The session in which it worked.
    pub session: String,
    /// What it said last.
    pub text: String,
    /// Its answer, where a schema was given.
    pub result: Option<JsonValue>,
    /// How often it asked its model.
    pub steps: u64,
    /// How many tokens it used, roughly where its provider does not say.
    pub tokens: u64,
}

impl Tool for Subagent {
    type Args = SubagentArgs;
    type Output = SubagentReport;

    fn name(&self) -> Cow<'static, str> {
        NAME.into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Give a task to another agent, which works on it by itself with your tools and gives back one answer. Good for \
         work whose details you need not see. It knows only what you write in `task`, and cannot ask you."
            .into()
    }

    /// Side by side only where none of them can change anything: where each tool that it may use says so.
    fn is_concurrency_safe(&self, args: &SubagentArgs) -> bool {
        args.tools.as_ref().is_some_and(|tools| self.routes.are_pure(tools))
    }

    async fn run(&self, args: SubagentArgs, cx: RunContext) -> Result<SubagentReport, ToolError> {
        let parent = cx.call().scope().and_then(|scope| self.routes.entered(scope));
        let Some(parent) = parent else {
            return Err(ToolError::new("only an agent with a session can begin a sub-agent"));
        };
        let depth = parent.kin.depth.saturating_add(1);
        if depth > self.limits.depth {
            let most = self.limits.depth;
            return Err(ToolError::new(format!(
                "sub-agents may stand {most} deep, and this one would be at {depth}\nhint: do the task yourself"
            )));
        }
        let schema = args.schema.map(Expected::schema).transpose()?;
        let child = Child::begin(&self.routes, self.limits, parent, depth, args.tools, schema, &cx).await?;
        child.work(args.task, &cx).await
    }

    fn render(&self, _args: &JsonValue, report: &SubagentReport) -> Option<Vec<ContentBlock>> {
        let said = match &report.result {
            Some(result) => result.to_text(),
            None if report.text.trim().is_empty() => "(the sub-agent ended without a word)".to_owned(),
            None => report.text.clone(),
        };
        Some(vec![ContentBlock::text(said)])
    }

    fn presentation_meta(&self, _args: &JsonValue, report: &SubagentReport) -> Option<JsonValue> {
        Some(JsonValue::object([
            ("session".to_owned(), JsonValue::from(report.session.as_str())),
            ("steps".to_owned(), JsonValue::from(report.steps)),
            ("tokens".to_owned(), JsonValue::from(report.tokens)),
        ]))
    }

    fn present_call(&self, args: &JsonValue) -> Option<ToolCallView> {
        let task = args.get("task")?.as_str()?;
        let title = format!("Sub-agent: {}", text::shortened(task.lines().next().unwrap_or_default(), TITLE));
        Some(ToolCallView::fallback(&title, toolgate::ToolCallKind::Other, args))
    }
}

/// What is said of arguments that cannot be used.
fn invalid(message: String) -> ToolError {
    ToolError::coded(code::TOOL_ARGS_ERROR, code::INVALID_ARGS, message)
}
