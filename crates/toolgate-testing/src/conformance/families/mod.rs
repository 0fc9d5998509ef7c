//! How the cases of each family are played.

mod constraint;
mod dsl_compile;
mod expected_result;
mod pipeline;
mod registry;
mod registry_step;
mod registry_words;
mod schedule;
mod schema_assert;
mod value_validate;

use super::apart::Played;
use super::cases::{Ability, Case};
use super::family::Family;

/// What a case may demand that this library cannot be asked: the first two cannot be written in its types.
const MISSING_ABILITIES: [Ability; 3] =
    [Ability::RawContent, Ability::UncheckedDecisions, Ability::TimeoutPolicy];

/// Why a case is not played.
pub(super) fn reason_to_skip(case: &Case) -> Option<String> {
    if case.family == Family::CodeMode {
        return Some("code-mode is not played yet".to_owned());
    }
    let missing = case.requires.iter().find(|ability| MISSING_ABILITIES.contains(ability));
    missing.map(|ability| format!("requires {ability}"))
}

/// Plays a case.
pub(super) fn run(case: &Case) -> Played {
    match case.family {
        Family::SchemaAssert => schema_assert::run(case),
        Family::ValueValidate => value_validate::run(case),
        Family::DslCompile => dsl_compile::run(case),
        Family::Pipeline => pipeline::run(case),
        Family::Registry => registry::run(case),
        Family::Schedule => schedule::run(case),
        // Skipped before it gets here.
        Family::CodeMode => Ok(Vec::new()),
    }
}
