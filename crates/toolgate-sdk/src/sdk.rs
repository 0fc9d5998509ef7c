//! The declarations of a set of tools, and how they are put together from one tool after the other.

use std::collections::HashSet;

use toolgate::ToolDefinition;

use crate::language::Language;
use crate::losses::{Loss, LossPart, LossReason};
use crate::pointer::Pointer;
use crate::{python, typescript};

/// Declarations of tools, with what they do not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sdk {
    text: String,
    losses: Vec<Loss>,
}

impl Sdk {
    /// The declarations, complete and in the order of the tools.
    ///
    /// TypeScript is checked with `--strict` and a `lib` without `dom`; the text declares the globals of a program
    /// itself. Python is checked as the beginning of a module.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the declarations do not say of the tools, in the order of the tools.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }
}

/// Declares tools in a language.
///
/// The text begins with what every program has, so that without tools it is what goes before the answers of
/// [`describe`]. Tools whose names are no identifiers are declared for subscript. Of several tools of one name the
/// first is declared.
#[must_use]
pub fn declare(language: Language, tools: &[ToolDefinition]) -> Sdk {
    let mut losses = Losses::default();
    let mut seen = HashSet::new();
    let mut distinct = Vec::with_capacity(tools.len());
    for tool in tools {
        if seen.insert(tool.name()) {
            distinct.push(tool);
        } else {
            losses.add(tool, LossPart::Tool, &Pointer::default(), LossReason::DuplicateName);
        }
    }
    let text = match language {
        Language::TypeScript => typescript::declare(&distinct, &mut losses),
        Language::Python => python::declare(&distinct, &mut losses),
    };
    Sdk { text, losses: losses.0 }
}

/// The full declaration of one tool, without what [`declare`] begins with.
#[must_use]
pub fn describe(language: Language, tool: &ToolDefinition) -> String {
    let mut losses = Losses::default();
    match language {
        Language::TypeScript => typescript::describe(tool, &mut losses),
        Language::Python => python::describe(tool, &mut losses),
    }
}

/// Collects losses while tools are declared.
#[derive(Default)]
pub(crate) struct Losses(Vec<Loss>);

impl Losses {
    pub(crate) fn add(&mut self, tool: &ToolDefinition, part: LossPart, at: &Pointer, reason: LossReason) {
        self.0.push(Loss::new(tool.name(), part, at.text(), reason));
    }

    /// Adds the losses of one schema. What is read twice, because two places refer to it, is lost once.
    pub(crate) fn add_all(
        &mut self,
        tool: &ToolDefinition,
        part: LossPart,
        losses: impl IntoIterator<Item = (Pointer, LossReason)>,
    ) {
        let mut seen = HashSet::new();
        for (at, reason) in losses {
            if seen.insert((at.text(), reason.clone())) {
                self.add(tool, part, &at, reason);
            }
        }
    }
}
