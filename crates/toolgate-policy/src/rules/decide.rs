//! The decision of all rules together about one call: deny beats ask beats allow.
//!
//! Called by [`Permissions`](super::Permissions), which gives the layers that the call is under. Where rules are
//! silent, a tool that changes nothing is allowed and any other one asks.

use toolgate::ToolEffect;
use toolgate::registry::RUN_CODE;

use super::explanation::{Because, CommandDecision, Explanation};
use super::facts::Facts;
use super::rule::{Decision, Rule};
use super::set::Rules;

/// Decides. The effect is none where no tool of that name can be called.
pub(super) fn decide(layers: &[&Rules], facts: &Facts<'_>, effect: Option<ToolEffect>) -> Explanation {
    let rules = || layers.iter().flat_map(|layer| layer.iter());
    let first = |decision| rules().find(|rule| rule.decision == decision && rule.decides(facts));
    let mut explanation = Explanation::new(facts.tool, silent(facts.tool, effect));
    if let Some(rule) = first(Decision::Deny) {
        explanation.because = Because::Rule(rule.clone());
    } else if effect.is_none() {
        return explanation;
    } else if let Some(rule) = first(Decision::Ask) {
        explanation.because = Because::Rule(rule.clone());
    } else if let Some(rule) = first(Decision::Allow) {
        explanation.because = Because::Rule(rule.clone());
    }
    explain_commands(layers, facts, &mut explanation);
    explanation
}

/// What is decided where no rule speaks.
fn silent(tool: &str, effect: Option<ToolEffect>) -> Because {
    match effect {
        None => Because::NoTool,
        // The calls that a program makes are decided one by one.
        Some(_) if tool == RUN_CODE => Because::Program,
        Some(ToolEffect::Pure) => Because::Pure,
        Some(ToolEffect::Idempotent | ToolEffect::Keyed | ToolEffect::NonIdempotent) => Because::Changes,
    }
}

/// Looks at the command line that rules speak of, command by command: together, several rules may allow what none of
/// them allows alone.
fn explain_commands(layers: &[&Rules], facts: &Facts<'_>, explanation: &mut Explanation) {
    let rules: Vec<&Rule> = layers.iter().flat_map(|layer| layer.iter()).collect();
    let pointers = rules.iter().filter_map(|rule| rule.pattern.command_line(facts));
    let pointer = pointers.chain((facts.tool == "bash").then_some("/command")).next();
    let Some(pointer) = pointer else { return };
    let Some(line) = facts.line(pointer) else { return };
    let text = |range: std::ops::Range<usize>| line.source.get(range).unwrap_or_default().to_owned();
    let here = |rule: &&&Rule| rule.pattern.command_line(facts) == Some(pointer);
    let commands = line.commands.iter().map(|command| {
        let of = |decision| {
            rules.iter().filter(here).find(|rule| {
                rule.decision == decision
                    && match decision {
                        Decision::Allow => rule.pattern.covers_command(command),
                        Decision::Ask | Decision::Deny => rule.pattern.may_be_command(command, &line),
                    }
            })
        };
        let rule = of(Decision::Deny).or_else(|| of(Decision::Ask)).or_else(|| of(Decision::Allow));
        CommandDecision { command: text(command.range()), rule: rule.map(|rule| (*rule).clone()) }
    });
    explanation.commands = commands.collect();
    explanation.doubts =
        line.doubts.iter().map(|doubt| (text(doubt.range.clone()), doubt.kind.to_string())).collect();
    let all_allowed = !explanation.commands.is_empty()
        && explanation.doubts.is_empty()
        && explanation.commands.iter().all(|command| command.decision() == Some(Decision::Allow));
    if explanation.because == Because::Changes && all_allowed {
        explanation.because = Because::EveryCommand;
    }
}
