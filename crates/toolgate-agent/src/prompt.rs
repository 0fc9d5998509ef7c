//! The system prompt: sections in one stable order, so that the same state gives the same bytes.
//!
//! Assembled before each request by the turn. Names, descriptions and parameters of tools are sent apart from it; nothing else of
//! a tool gets here (rule R6), except the declarations that Code Mode needs.

use toolgate::{PresentationMode, Scope};
use toolgate_code::prompt_sections;
use toolgate_sdk::{DEFAULT_BUDGET, Language};

/// What most models need to hear about tools.
const TOOL_GUIDANCE: &str = "\
Use tools to find out; do not guess what a file, a command or a page says. Read before you change something, and check \
afterwards that the change did what it should. Calls that do not depend on each other may be made in one step. When a call \
fails, read the message, and do not repeat the same call unchanged. When the task is done, say briefly what was done and \
stop calling tools.";

/// The sections of a prompt, in the order in which they are added; those of Code Mode follow them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    sections: Vec<(String, String)>,
    code: Option<(Language, usize)>,
}

impl Prompt {
    /// A prompt without sections.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Who the model is, and how to use tools.
    #[must_use]
    pub fn standard(role: impl Into<String>) -> Self {
        Self::new().section("role", role).section("tools:guidance", TOOL_GUIDANCE)
    }

    /// Adds a section. One with the same id is replaced where it stands; a blank text takes it out.
    #[must_use]
    pub fn section(mut self, id: impl Into<String>, text: impl Into<String>) -> Self {
        let (id, text) = (id.into(), text.into());
        match self.sections.iter_mut().find(|(known, _)| *known == id) {
            Some(section) => section.1 = text,
            None => self.sections.push((id, text)),
        }
        self
    }

    /// The language of the programs where tools are presented as code, and how many tokens their declarations may have:
    /// what the runtime's Code Mode was set up with. TypeScript and its default unless it is said.
    #[must_use]
    pub fn code_mode(mut self, language: Language, budget: usize) -> Self {
        self.code = Some((language, budget));
        self
    }

    /// The text for an agent as it is now.
    pub(crate) fn assemble(&self, scope: &Scope) -> String {
        let mode = scope.presentation_mode();
        let code = match mode {
            PresentationMode::Native => Vec::new(),
            PresentationMode::Code | PresentationMode::Both => {
                let (language, budget) = self.code.unwrap_or((Language::TypeScript, DEFAULT_BUDGET));
                prompt_sections(language, mode, &scope.tools(), budget)
            }
        };
        let own = self.sections.iter().map(|(_, text)| text.as_str());
        let texts = own.chain(code.iter().map(|section| section.text.as_str()));
        texts.map(str::trim).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
    }
}
