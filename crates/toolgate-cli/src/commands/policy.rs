//! `toolgate policy`: the rules on trial. Nothing is run and nobody is asked.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::{Value, json};
use toolgate::text::Text;
use toolgate_policy::Rule;
use toolgate_policy::rules::Explanation;

use crate::cli::{PolicyAction, PolicyArgs, PolicyExplainArgs, PolicyTestArgs};
use crate::output::{Page, counted, until_closed};
use crate::progress::Spinner;
use crate::{arguments, config, toolbox};

/// Tests or explains.
pub(super) fn run(args: &PolicyArgs) -> anyhow::Result<ExitCode> {
    match &args.action {
        PolicyAction::Test(args) => test(args),
        PolicyAction::Explain(args) => explain(args),
    }
}

/// Reads every rule, also those of a file that is not trusted, and says how many there are. One that is wrong is an error.
fn test(args: &PolicyTestArgs) -> anyhow::Result<ExitCode> {
    let root = toolbox::root_of(&args.workspace)?;
    let rules = config::every_rule(&root, &args.policy.flags())?;
    let count = rules.iter().count() as u64;
    let mut page = Page::stdout();
    let written = writeln!(
        page,
        "{} and {}, all sound",
        counted(count, "rule", "rules"),
        counted(rules.examples() as u64, "example", "examples")
    );
    until_closed(written.and_then(|()| page.flush())).context("the answer could not be written")?;
    Ok(ExitCode::SUCCESS)
}

fn explain(args: &PolicyExplainArgs) -> anyhow::Result<ExitCode> {
    let configuration = toolbox::configure(&args.workspace, &args.policy.flags())?;
    let toolbox = toolbox::prepare(&args.workspace, configuration, &Arc::new(Spinner::new(&args.name)))?;
    let permissions = toolbox.permissions.clone();
    let tools = toolbox.for_a_person()?;
    let arguments = arguments::read(args.arguments.as_deref())?;
    let effect = tools.runtime.get(&args.name).map(|tool| tool.effect());
    let explanation = permissions.explain(&args.name, &arguments, effect, None);
    let mut page = if args.json { Page::raw_stdout() } else { Page::stdout() };
    let written = if args.json {
        writeln!(page, "{}", to_json(&explanation))
    } else {
        writeln!(page, "{}", Text(&explanation.to_string()))
    };
    until_closed(written.and_then(|()| page.flush())).context("the explanation could not be written")?;
    Ok(ExitCode::SUCCESS)
}

fn to_json(explanation: &Explanation) -> Value {
    let rule = |rule: &Rule| {
        json!({
            "decision": rule.decision().to_string(),
            "rule": rule.pattern().to_string(),
            "origin": rule.origin().to_string(),
            "reason": rule.reason(),
        })
    };
    let commands: Vec<_> = explanation
        .commands
        .iter()
        .map(|command| {
            json!({
                "command": command.command,
                "decision": command.decision().map(|decision| decision.to_string()),
                "rule": command.rule.as_ref().map(rule),
            })
        })
        .collect();
    let doubts: Vec<_> =
        explanation.doubts.iter().map(|(text, why)| json!({ "text": text, "why": why })).collect();
    json!({
        "decision": explanation.decision().to_string(),
        "rule": explanation.rule().map(rule),
        "explanation": explanation.to_string(),
        "commands": commands,
        "doubts": doubts,
    })
}
