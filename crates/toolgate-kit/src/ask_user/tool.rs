//! The `ask_user` tool.

use std::borrow::Cow;

use toolgate::result::code;
use toolgate::text::Line;
use toolgate::{
    ContentBlock, JsonValue, RunContext, Tool, ToolCallKind, ToolCallView, ToolDefinition, ToolEffect,
    ToolError, ToolResult, ToolResultView,
};
use toolgate_policy::People;
use toolgate_policy::person::{Answer, Answered, Asking};

use super::types::{AskUserArgs, AskUserOutput};
use crate::codes::{NOBODY_TO_ASK, QUESTION_DECLINED, QUESTION_ERROR};
use crate::text::text_argument;

/// How many options a question may have.
const MOST_OPTIONS: usize = 20;

/// How long a question, and each option, may be, in characters. A longer one is no question.
const LONGEST_QUESTION: usize = 4_000;
const LONGEST_OPTION: usize = 200;

/// A tool that asks the person that the agent works for: `ask_user`.
///
/// It waits as long as the person takes, and has no timeout of its own; deadlines that share the people's clock do not
/// count the time. A cancelled call withdraws the question and ends with `ABORTED`. It fails with `NOBODY_TO_ASK` where
/// there is nobody, with `QUESTION_DECLINED` where the person refuses, and with `INVALID_ARGS` for a question or options
/// that are empty, too many or too long.
#[must_use]
pub fn ask_user(people: People) -> ToolDefinition {
    ToolDefinition::new(AskUser { people })
}

/// The tool on its people.
#[derive(Debug)]
struct AskUser {
    people: People,
}

impl Tool for AskUser {
    type Args = AskUserArgs;
    type Output = AskUserOutput;

    fn name(&self) -> Cow<'static, str> {
        "ask_user".into()
    }

    fn description(&self) -> Cow<'static, str> {
        "Ask the user a question and wait for the answer. Use it when you cannot go on without something that only the \
         user knows or decides: an ambiguous request, a choice between real alternatives, a missing name or value. Do \
         not use it for what you can find out with other tools, nor to ask whether a call may run. Offer options where \
         the answers are few."
            .into()
    }

    fn effect(&self) -> ToolEffect {
        ToolEffect::Pure
    }

    async fn run(&self, args: AskUserArgs, cx: RunContext) -> Result<AskUserOutput, ToolError> {
        let options = args.options.unwrap_or_default();
        if let Some(what) = fault(&args.question, &options) {
            return Err(ToolError::coded(code::TOOL_ARGS_ERROR, code::INVALID_ARGS, what));
        }
        let asking = Asking::choice(&args.question, &options, args.multi.unwrap_or_default());
        match self.people.ask(cx.call(), asking, cx.cancellation()).await {
            Answered::By { answer: Answer::Choose { options: chosen }, .. } => {
                let answers = chosen.iter().filter_map(|at| options.get(*at)).cloned().collect();
                Ok(AskUserOutput { answers, own_words: false })
            }
            Answered::By { answer: Answer::Reply { text }, .. } => {
                Ok(AskUserOutput { answers: vec![text], own_words: true })
            }
            Answered::By { answer: Answer::Reject | Answer::Allow { .. }, .. } => Err(ToolError::coded(
                QUESTION_ERROR,
                QUESTION_DECLINED,
                "the user does not want to answer this question\n\
                 hint: go on with a careful assumption, and say which one",
            )),
            Answered::Cancelled => Err(ToolError::aborted()),
            Answered::Unavailable => Err(ToolError::coded(
                QUESTION_ERROR,
                NOBODY_TO_ASK,
                "there is nobody who could answer: no user is present in this run\n\
                 hint: go on with a careful assumption, and say which one",
            )),
        }
    }

    fn render(&self, _args: &JsonValue, output: &AskUserOutput) -> Option<Vec<ContentBlock>> {
        Some(vec![ContentBlock::text(output.answers.join("\n"))])
    }

    fn kind(&self) -> ToolCallKind {
        ToolCallKind::Other
    }

    fn present_call(&self, args: &JsonValue) -> Option<ToolCallView> {
        Some(ToolCallView::Generic {
            title: format!("Ask: {}", Line(text_argument(args, "question")?)),
            kind: Some(ToolCallKind::Other),
            raw_input: Some(args.clone()),
            content: None,
            locations: None,
        })
    }

    fn present_result(&self, args: &JsonValue, _result: &ToolResult<'_>) -> Option<ToolResultView> {
        let title = self.present_call(args).map(|view| view.title().to_owned());
        Some(ToolResultView::Generic { title, content: None })
    }
}

/// What is wrong with a question, where something is.
fn fault(question: &str, options: &[String]) -> Option<String> {
    let is_longer = |text: &str, most: usize| text.chars().nth(most).is_some();
    if question.trim().is_empty() {
        return Some("`question` is empty\nhint: write what you need to know".to_owned());
    }
    if is_longer(question, LONGEST_QUESTION) {
        return Some(format!(
            "`question` has more than {LONGEST_QUESTION} characters\nhint: ask for one thing"
        ));
    }
    if options.len() > MOST_OPTIONS {
        return Some(format!(
            "`options` has more than {MOST_OPTIONS} entries\nhint: offer the likeliest few"
        ));
    }
    let bad =
        options.iter().position(|option| option.trim().is_empty() || is_longer(option, LONGEST_OPTION))?;
    Some(format!(
        "`options[{bad}]` is empty or has more than {LONGEST_OPTION} characters\nhint: keep options short"
    ))
}
