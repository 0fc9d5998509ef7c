//! The tools: what each takes and gives, and a form that calls one through the whole pipeline.

use std::sync::Arc;

use axum::Form;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde::Deserialize;
use toolgate::{
    CallId, CancellationToken, JsonValue, ToolCall, ToolDefinition, ToolEffect, ToolExecutionResult,
};
use toolgate_session::{Event, Record, RecordedError, ToolCallRecorded, ToolResultRecorded};

use super::{Frame, Place, form};
use crate::card::{RecordedCall, Spot, card, json};
use crate::fault::Fault;
use crate::foreign;
use crate::server::Shared;

/// The scope of calls that a person makes from a page.
const SCOPE: &str = "web";

/// Which tool.
#[derive(Debug, Deserialize)]
pub(crate) struct Named {
    name: String,
}

fn frame(title: &str) -> Frame<'_> {
    Frame { title, place: Place::Tools, live: Some("/events?questions=true".to_owned()) }
}

fn address(name: &str) -> String {
    format!("/tool?name={}", form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>())
}

fn effect(effect: ToolEffect) -> (&'static str, &'static str) {
    match effect {
        ToolEffect::Pure => ("changes nothing", "ok"),
        ToolEffect::Idempotent | ToolEffect::Keyed => ("may be repeated", "asks"),
        ToolEffect::NonIdempotent => ("changes something", "bad"),
    }
}

/// `GET /tools`.
pub(crate) async fn show(State(shared): State<Arc<Shared>>) -> Response {
    let tools = shared.runtime.scope(SCOPE).tools();
    let body = html! {
        h1 { "Tools" }
        p.quiet.intro { (tools.len()) " tools can be called. Each call goes through policy and approvals." }
        ul.tools {
            @for tool in &tools {
                @let (word, class) = effect(tool.effect());
                li {
                    a href=(address(tool.name())) {
                        span.name { (foreign::title(tool.name())) }
                        span.pill.(class) { (word) }
                        span.quiet { (foreign::title(first_sentence(tool.description()))) }
                    }
                }
            }
        }
        div #questions {}
    };
    frame("Tools").around(body).into_response()
}

fn first_sentence(text: &str) -> &str {
    let end = text.find(". ").map(|at| at + 1).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

/// `GET /tool`.
pub(crate) async fn tool(
    State(shared): State<Arc<Shared>>,
    Query(named): Query<Named>,
) -> Result<Response, Fault> {
    let tool = find(&shared, &named.name)?;
    Ok(frame(tool.name()).around(page(&tool, &[], None)).into_response())
}

fn find(shared: &Shared, name: &str) -> Result<ToolDefinition, Fault> {
    shared.runtime.scope(SCOPE).get(name).ok_or_else(|| Fault::missing("such tool"))
}

fn page(tool: &ToolDefinition, filled: &[(String, String)], outcome: Option<&Markup>) -> Markup {
    let (word, class) = effect(tool.effect());
    html! {
        h1 { (foreign::title(tool.name())) }
        p { span.pill.(class) { (word) }
            @if let Some(timeout) = tool.timeout() { " " span.quiet { "at most " (timeout.as_secs_f64()) " s" } } }
        p.intro { (foreign::text(tool.description())) }
        div.columns {
            form.call method="post" action=(address(tool.name())) data-call {
                h2 { "Call it" }
                (form::fields(tool.parameters(), filled))
                button.main type="submit" { "Call" }
            }
            section {
                h2 { "Result" }
                div #questions {}
                div #outcome aria-live="polite" {
                    @match outcome { Some(outcome) => (outcome), None => p.quiet { "Nothing was called yet." } }
                }
            }
        }
        details { summary { "Parameters" } (json(&toolgate::indented_text(tool.parameters()), "Schema of the parameters")) }
        details { summary { "Output" } (json(&toolgate::indented_text(tool.output_schema()), "Schema of the output")) }
    }
}

/// `POST /tool`.
pub(crate) async fn call(
    State(shared): State<Arc<Shared>>,
    Query(named): Query<Named>,
    Form(filled): Form<Vec<(String, String)>>,
) -> Result<Response, Fault> {
    let tool = find(&shared, &named.name)?;
    let outcome = match form::arguments(tool.parameters(), &filled) {
        Err(message) => html! { p.failure { (foreign::text(&message)) } },
        Ok(arguments) => run(&shared, tool.name(), arguments).await?,
    };
    Ok(frame(tool.name()).around(page(&tool, &filled, Some(&outcome))).into_response())
}

/// Makes a call, which ends when the person leaves.
async fn run(shared: &Arc<Shared>, name: &str, arguments: JsonValue) -> Result<Markup, Fault> {
    let stop = shared.stop.child_token();
    let _leaves = stop.clone().drop_guard();
    let began = now();
    let result = execute(shared, SCOPE, name, arguments.clone(), stop).await?;
    let call_id = CallId::from("web");
    let call = ToolCallRecorded {
        call_id: call_id.clone(),
        name: name.to_owned(),
        arguments,
        normalized: Vec::new(),
        effect: None,
    };
    let settled = ToolResultRecorded {
        call_id,
        content: result.content().to_vec(),
        error: result.error().map(|error| RecordedError {
            message: error.message().to_owned(),
            name: error.info().map(|info| info.name().to_owned()),
            code: error.code().map(str::to_owned),
            cause: error.cause().to_string(),
        }),
        meta: result.meta().cloned(),
        contexts: Vec::new(),
        concludes_turn: false,
        settlement: None,
    };
    let records = [
        Arc::new(Record { seq: 1, time: began, event: Event::ToolCall(call) }),
        Arc::new(Record { seq: 2, time: now(), event: Event::ToolResult(settled) }),
    ];
    let recorded = RecordedCall::new(&records, |name| shared.runtime.get(name));
    Ok(html! { @if let Some(call) = &recorded { (card(call, Spot { session: None, seq: 1 })) } })
}

/// Makes a call in a scope, on a task of its own, so that it comes to its end when the one who asked is gone.
///
/// # Errors
/// [`Fault`] where the task is lost, which a panic of this program would be.
pub(super) async fn execute(
    shared: &Shared,
    scope: &str,
    name: &str,
    arguments: JsonValue,
    stop: CancellationToken,
) -> Result<ToolExecutionResult, Fault> {
    let call = ToolCall::new(name, arguments, stop);
    let running = shared.tasks.spawn(shared.runtime.scope(scope).execute(call));
    running.await.map_err(|_| Fault::failed("The call was lost."))
}

fn now() -> String {
    jiff::Timestamp::now().to_string()
}
