//! Permission rules: which calls may run, which somebody has to allow, and which never run.
//!
//! `allow` needs certainty and `deny` a possibility: what a rule cannot read is never allowed by it and always denied by
//! it. [`Permissions`] is the hook; [`Rules`] are read from a configuration or flags, all mistakes at once.

mod call_pattern;
mod config;
mod decide;
mod example;
mod explanation;
mod facts;
mod host;
mod path;
mod permissions;
mod rule;
mod set;
mod shell;
mod subject;
mod suggest;
mod text;
mod wildcard;

pub use call_pattern::CallPattern;
pub use config::{CallExample, ExampleConfig, PermissionsConfig, RuleConfig};
pub use explanation::{Because, CommandDecision, Explanation};
pub use permissions::Permissions;
pub use rule::{Decision, Origin, Rule};
pub use set::{RuleProblem, Rules, RulesBuilder, RulesError};
pub use text::PatternError;
