//! One call of a server's tool: out, back, and taken back where the caller does not want it any more (K01).

use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, ErrorCode, InputRequest, InputRequiredResult,
    InputResponses, JsonObject, ServerResult,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient, ServiceError};
use serde_json::Value;
use toolgate::text::{Text, shortened};
use toolgate::{JsonValue, RunContext, ToolError};

use super::connection::Connection;
use crate::transport::is_login_required;

/// How long taking a call back may take. Then the server does not hear of it.
const FAREWELL: Duration = Duration::from_millis(200);
/// How often a server may ask for something before it answers.
const MOST_ROUNDS: usize = 10;
/// How much a server may ask for at one time.
const MOST_REQUESTS: usize = 16;
/// How much of a server's refusal is shown, in characters.
const REFUSAL_CHARACTERS: usize = 4_000;

/// Why there is no result.
pub(crate) enum CallFault {
    /// The caller cancelled.
    Cancelled,
    /// The connection ended before the answer.
    Lost(String),
    /// Something else.
    Failed(ToolError),
}

/// Calls a tool and gives its result as it was sent.
pub(crate) async fn call(
    connection: &Connection,
    tool: &str,
    arguments: JsonObject,
    cx: &RunContext,
) -> Result<JsonValue, CallFault> {
    let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    for _ in 0..MOST_ROUNDS {
        match round(connection, params.clone(), cx).await? {
            Answer::Result(result) => return Ok(result),
            Answer::Wanted(wanted) => {
                let responses = tokio::select! {
                    biased;
                    () = cx.cancellation().cancelled() => return Err(CallFault::Cancelled),
                    responses = respond(connection, &wanted) => responses,
                };
                params.input_responses = responses.map_err(CallFault::Failed)?;
                params.request_state = wanted.request_state;
            }
        }
    }
    Err(CallFault::Failed(ToolError::new(format!(
        "the server asked more than {MOST_ROUNDS} times before it answered"
    ))))
}

enum Answer {
    Result(JsonValue),
    Wanted(Box<InputRequiredResult>),
}

/// One request and its answer.
async fn round(
    connection: &Connection,
    params: CallToolRequestParams,
    cx: &RunContext,
) -> Result<Answer, CallFault> {
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let sending = connection.peer.send_cancellable_request(request, PeerRequestOptions::no_options());
    let mut handle = tokio::select! {
        biased;
        () = cx.cancellation().cancelled() => return Err(CallFault::Cancelled),
        handle = sending => handle.map_err(|error| fault(error, connection))?,
    };
    let mut reports = connection.client.reports(handle.progress_token.clone());
    let response = loop {
        tokio::select! {
            biased;
            () = cx.cancellation().cancelled() => {
                take_back(handle).await;
                return Err(CallFault::Cancelled);
            }
            response = &mut handle.rx => break response,
            report = reports.next() => cx.report(&report),
        }
    };
    while let Some(report) = reports.waiting() {
        cx.report(&report);
    }
    let result = match response {
        Ok(Ok(result)) => result,
        Ok(Err(error)) => return Err(fault(error, connection)),
        Err(_) => return Err(fault(ServiceError::TransportClosed, connection)),
    };
    // Taken whatever it is, so that it does not wait there for nobody.
    let raw = connection.answers.take(&handle.id);
    if let ServerResult::InputRequiredResult(wanted) = result {
        return Ok(Answer::Wanted(Box::new(wanted)));
    }
    if let ServerResult::CreateTaskResult(_) = result {
        let failure = "the server answers with a task to be asked about later, which it was not told to do";
        return Err(CallFault::Failed(ToolError::invalid_output(failure)));
    }
    // As it was sent, where the transport keeps that; otherwise through text, which carries a number unchanged.
    if let Some(raw) = raw {
        return JsonValue::copy_of(raw.result())
            .map(Answer::Result)
            .map_err(|error| unreadable(&error.to_string()));
    }
    let text = serde_json::to_string(&result).map_err(|error| unreadable(&error.to_string()))?;
    JsonValue::parse(&text).map(Answer::Result).map_err(|error| unreadable(&error.to_string()))
}

fn unreadable(fault: &str) -> CallFault {
    CallFault::Failed(ToolError::invalid_output(format!("the server's answer cannot be read: {fault}")))
}

/// Tells the server that nobody waits for a request any more.
async fn take_back(handle: RequestHandle<RoleClient>) {
    let told =
        tokio::time::timeout(FAREWELL, handle.cancel(Some("the caller cancelled the call".to_owned()))).await;
    if !matches!(told, Ok(Ok(()))) {
        tracing::debug!(target: "toolgate", "a server could not be told that a call was cancelled");
    }
}

/// Answers what a server wants before it goes on.
async fn respond(
    connection: &Connection,
    wanted: &InputRequiredResult,
) -> Result<Option<InputResponses>, ToolError> {
    let Some(requests) = &wanted.input_requests else { return Ok(None) };
    if requests.len() > MOST_REQUESTS {
        return Err(ToolError::new(format!(
            "the server wants more than {MOST_REQUESTS} things at one time before it answers"
        )));
    }
    let mut responses = InputResponses::new();
    for (key, request) in requests {
        #[expect(clippy::wildcard_enum_match_arm, reason = "whatever else is asked for is not offered")]
        let response: Value = match request {
            InputRequest::Elicitation(request) => {
                serde_json::to_value(connection.client.answer(request.params.clone()).await)?
            }
            InputRequest::ListRoots(_) => serde_json::to_value(connection.client.roots())?,
            _ => {
                return Err(ToolError::new(
                    "the server wants something before it answers that is not offered here",
                ));
            }
        };
        responses.insert(key.clone(), response);
    }
    Ok(Some(responses))
}

fn shown(message: &str) -> String {
    Text(&shortened(message, REFUSAL_CHARACTERS)).to_string()
}

/// What an error of a request means for the call.
fn fault(error: ServiceError, connection: &Connection) -> CallFault {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "whatever else goes wrong has to do with the connection"
    )]
    match error {
        // What the judge of messages says of an answer that cannot be taken, and a server of a request.
        ServiceError::McpError(refusal) if refusal.code == ErrorCode::PARSE_ERROR => {
            CallFault::Failed(ToolError::invalid_output(shown(&refusal.message)))
        }
        // What waits when a program ends is answered by the transport.
        ServiceError::McpError(refusal)
            if refusal.code == ErrorCode::INTERNAL_ERROR && connection.diagnostics.problem().is_some() =>
        {
            CallFault::Lost(connection.reason_of(&ServiceError::McpError(refusal)))
        }
        ServiceError::McpError(refusal) => {
            let (server, code) = (&connection.server, refusal.code.0);
            let message = shown(&refusal.message);
            CallFault::Failed(ToolError::new(format!(
                "the server {server} refused the call: {message} (code {code})"
            )))
        }
        ServiceError::Cancelled { reason } => {
            let reason =
                reason.map(|reason| format!(": {}", Text(&shortened(&reason, 200)))).unwrap_or_default();
            CallFault::Failed(ToolError::new(format!(
                "the server {} gave the call up{reason}",
                connection.server
            )))
        }
        ServiceError::UnexpectedResponse => unreadable("it is no result of a call"),
        // It was turned away, so it was not carried out.
        error if is_login_required(&error) => CallFault::Failed(ToolError::new(format!(
            "the server {}: {}",
            connection.server,
            connection.reason_of(&error)
        ))),
        error => CallFault::Lost(connection.reason_of(&error)),
    }
}
