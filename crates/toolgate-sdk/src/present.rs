//! What a prompt carries of a set of tools: all declarations, or an index, where those would be too long.
//!
//! Asked by whoever assembles a prompt, and by the run of a program, which must answer the same way.

use toolgate::ToolDefinition;

use crate::discovery::Discovery;
use crate::language::Language;
use crate::sdk::{Sdk, declare};

/// How many tokens of declarations a prompt carries before it carries an index, unless somebody says otherwise.
pub const DEFAULT_BUDGET: usize = 10_000;

/// Bytes of declarations in a token, rounded down from what tokenizers make of them. `docs/discovery.md` has the
/// figures, and a test compares.
const TOKEN_BYTES: usize = 4;

/// What a prompt carries of a set of tools.
#[derive(Clone, Debug)]
pub enum Presented {
    /// Every tool, declared.
    Whole(Sdk),
    /// A line for every tool, and two functions that find and declare them.
    Index(Discovery),
}

impl Presented {
    /// The text for the prompt.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Whole(sdk) => sdk.text().to_owned(),
            Self::Index(discovery) => discovery.text(),
        }
    }
}

/// Chooses for a budget of so many tokens. The same tools, language and budget give the same answer.
#[must_use]
pub fn present(language: Language, tools: &[ToolDefinition], budget: usize) -> Presented {
    let sdk = declare(language, tools);
    if tokens(sdk.text()) <= budget {
        Presented::Whole(sdk)
    } else {
        Presented::Index(Discovery::of(language, tools))
    }
}

/// About how many tokens a text of declarations has. Counting them exactly takes a vocabulary, which is larger and
/// slower to load than everything else that a run does.
#[must_use]
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(TOKEN_BYTES)
}
