//! What the rules say of a call, and why. Nothing is run and nobody is asked.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde::Deserialize;
use toolgate::JsonValue;
use toolgate_policy::rules::{Decision, Explanation};

use super::{Frame, Place};
use crate::foreign;
use crate::server::Shared;

/// A call to be judged.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Trial {
    #[serde(default)]
    tool: String,
    #[serde(default)]
    arguments: String,
}

/// `GET /policy`.
pub(crate) async fn show(State(shared): State<Arc<Shared>>, Query(trial): Query<Trial>) -> Response {
    let trial = Trial { tool: seen(&trial.tool), arguments: seen(&trial.arguments) };
    let tools = shared.runtime.tools();
    let verdict = (!trial.tool.is_empty()).then(|| judge(&shared, &trial));
    let body = html! {
        h1 { "Policy" }
        p.quiet.intro { "What the rules would decide about a call. Nothing is run and nobody is asked." }
        form.trial method="get" action="/policy" {
            label for="tool" { "Tool" }
            input #tool name="tool" list="tools" value=(trial.tool) required autocomplete="off";
            datalist #tools { @for tool in &tools { option value=(tool.name()) {} } }
            label for="arguments" { "Arguments, as JSON" }
            textarea #arguments name="arguments" rows="3" placeholder="{\"command\": \"git status\"}" { (trial.arguments) }
            button.main type="submit" { "Explain" }
        }
        @if let Some(verdict) = verdict { section #verdict aria-label="Decision" { (verdict) } }
    };
    let live = Some("/events".to_owned());
    Frame { title: "Policy", place: Place::Policy, live }.around(body).into_response()
}

/// A text without what nobody would see in the form.
fn seen(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !toolgate::text::is_hidden(*c)).collect()
}

fn judge(shared: &Shared, trial: &Trial) -> Markup {
    let text = if trial.arguments.trim().is_empty() { "{}" } else { trial.arguments.as_str() };
    let arguments = match JsonValue::parse(text) {
        Ok(arguments) => arguments,
        Err(error) => {
            return html! { p.failure { "The arguments are no JSON: " (foreign::text(&error.to_string())) } };
        }
    };
    let effect = shared.runtime.get(&trial.tool).map(|tool| tool.effect());
    explained(&shared.permissions.explain(&trial.tool, &arguments, effect, None))
}

fn explained(explanation: &Explanation) -> Markup {
    let decision = explanation.decision();
    html! {
        p { span class={ "pill verdict " (class(Some(decision))) } { (decision.to_string()) } }
        pre.block tabindex="0" role="group" aria-label="Explanation" { (foreign::text(&explanation.to_string())) }
        @if !explanation.commands.is_empty() {
            table.commands {
                thead { tr { th scope="col" { "Command" } th scope="col" { "Rule" } } }
                tbody {
                    @for command in &explanation.commands {
                        tr {
                            td { code { (foreign::title(&command.command)) } }
                            td {
                                span class={ "pill " (class(command.decision())) } {
                                    @match command.decision() { Some(decision) => (decision.to_string()), None => "no rule" }
                                }
                                @if let Some(rule) = &command.rule { " " (foreign::title(&rule.to_string())) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn class(decision: Option<Decision>) -> &'static str {
    match decision {
        Some(Decision::Allow) => "ok",
        Some(Decision::Ask) => "asks",
        Some(Decision::Deny) => "bad",
        None => "off",
    }
}
