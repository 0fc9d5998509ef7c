//! How the cases of each family are played.

mod code_mode;
mod code_record;
mod constraint;
mod dsl_compile;
mod expected_program;
mod expected_result;
mod pipeline;
mod registry;
mod registry_step;
mod registry_words;
mod schedule;
mod schema_assert;
mod stage_log;
mod value_validate;

use toolgate_sandbox::WorkerCommand;

use super::apart::Played;
use super::cases::{Ability, Case};
use super::family::Family;
use super::language::ProgramLanguage;

/// What a case may demand that cannot be written in the types of this library.
const MISSING_ABILITIES: [Ability; 2] = [Ability::RawContent, Ability::UncheckedDecisions];

/// Why a case is not played.
pub(super) fn reason_to_skip(case: &Case, language: ProgramLanguage) -> Option<String> {
    if case.family == Family::CodeMode {
        if language == ProgramLanguage::Python && !cfg!(feature = "python") {
            return Some("the python sandbox is not built in".to_owned());
        }
        if let Some(reason) = code_mode::reason_to_skip(case, language) {
            return Some(reason);
        }
    }
    let missing = case.requires.iter().find(|ability| MISSING_ABILITIES.contains(ability));
    missing.map(|ability| format!("requires {ability}"))
}

/// Plays a case, with its programs in this language.
pub(super) fn run(case: &Case, language: ProgramLanguage, worker: WorkerCommand) -> Played {
    match case.family {
        Family::SchemaAssert => schema_assert::run(case),
        Family::ValueValidate => value_validate::run(case),
        Family::DslCompile => dsl_compile::run(case),
        Family::Pipeline => pipeline::run(case),
        Family::Registry => registry::run(case),
        Family::Schedule => schedule::run(case),
        Family::CodeMode => code_mode::run(case, language, worker),
    }
}
