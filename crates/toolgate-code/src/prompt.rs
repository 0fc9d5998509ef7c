//! What a model is told of Code Mode: the declarations of its tools, and the rule of mode `code`.
//!
//! Asked for by whoever assembles a prompt. Pure text; the same tools give the same bytes (rule R9).

use toolgate::registry::RUN_CODE;
use toolgate::{PresentationMode, ToolDefinition};
use toolgate_sdk::{Language, present};

/// One section of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptSection {
    /// Which section: `tools:sdk` or `tools:mode`.
    pub id: &'static str,
    /// What the model reads.
    pub text: String,
}

/// The sections for an agent that is presented these tools in this mode; none for `native`.
///
/// Of declarations that have more than the budget's tokens the prompt carries an index instead, and the program has
/// functions that find and declare tools; see [`present`]. The budget must be that of the
/// [`CodeModeConfig`](crate::CodeModeConfig).
#[must_use]
pub fn prompt_sections(
    language: Language,
    mode: PresentationMode,
    tools: &[ToolDefinition],
    budget: usize,
) -> Vec<PromptSection> {
    let rule = match mode {
        PresentationMode::Native => return Vec::new(),
        PresentationMode::Code => format!(
            "Every tool is called from a program: pass the body of an async function to `{RUN_CODE}`. A direct call of \
             another tool is refused. Only what the program prints or returns comes back."
        ),
        PresentationMode::Both => format!(
            "Tools may be called directly, or several of them from one program that is passed to `{RUN_CODE}`: the body \
             of an async function. Only what the program prints or returns comes back."
        ),
    };
    vec![
        PromptSection { id: "tools:mode", text: rule },
        PromptSection { id: "tools:sdk", text: present(language, &visible(tools.to_vec()), budget).text() },
    ]
}

/// The tools that a program sees: all but `run_code` itself (rule C2).
pub(crate) fn visible(mut tools: Vec<ToolDefinition>) -> Vec<ToolDefinition> {
    tools.retain(|tool| tool.name() != RUN_CODE);
    tools
}

/// The language of declarations for programs of a language.
pub(crate) fn declared(language: toolgate_sandbox::Language) -> Language {
    match language {
        toolgate_sandbox::Language::TypeScript => Language::TypeScript,
        toolgate_sandbox::Language::Python => Language::Python,
    }
}
