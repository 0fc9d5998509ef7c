//! A server's tool as a tool of the pipeline: what is sent, what comes back, and when it is asked again.

use std::sync::Arc;

use toolgate::text::Text;
use toolgate::{JsonValue, RunContext, ToolCallKind, ToolDefinition, ToolEffect, ToolError};

use super::answer::{Promise, content_of, value_of};
use super::call::{CallFault, call};
use super::offer::Offer;
use super::patterns::Patterns;
use super::schema::FullSchema;
use super::server::Server;
use crate::config::ServerConfig;
use crate::names::tool_name;

/// One tool, bound to the server that has it.
struct Bound {
    tool: String,
    input: FullSchema,
    promise: Promise,
    effect: ToolEffect,
    server: Arc<Server>,
}

/// The definition of an offer, or why there can be none.
///
/// The parameters are sent to models as the server gave them (rule S7). Hidden characters of the description become
/// visible, because a model would read what no person sees.
pub(crate) fn define(
    offer: Offer,
    server: &Arc<Server>,
    patterns: &mut Patterns,
) -> Result<ToolDefinition, String> {
    let config = server.config();
    let input = FullSchema::compile(&offer.input_schema, patterns);
    let input = input.map_err(|fault| format!("its inputSchema: {fault}"))?;
    let promise = Promise::of(&offer, patterns)?;
    let effect = effect_of(&offer, config);
    let is_pure = effect == ToolEffect::Pure;
    let name = tool_name(config.name.as_str(), &offer.name);
    let mut builder = ToolDefinition::raw(name, Text(&offer.description).to_string())
        .raw_parameters(offer.input_schema.clone())
        .output_schema(promise.registered.clone())
        .effect(effect)
        .kind(if is_pure { ToolCallKind::Read } else { ToolCallKind::Other })
        .render(|_, value| Ok(content_of(value)));
    if let Some(timeout) = config.call_timeout(&offer.name) {
        builder = builder.timeout(timeout);
    }
    let bound = Arc::new(Bound { tool: offer.name, input, promise, effect, server: Arc::clone(server) });
    if is_pure {
        let bound = Arc::clone(&bound);
        builder = builder.concurrency_safe_when(move |args| bound.input.check(args).is_ok());
    }
    Ok(builder.body(move |args, cx| {
        let bound = Arc::clone(&bound);
        async move { bound.run(&args, &cx).await }
    }))
}

/// What a call leaves behind: what the settings say; what the server says, where the settings believe it; otherwise
/// something every time.
fn effect_of(offer: &Offer, config: &ServerConfig) -> ToolEffect {
    let declared = config.tools.get(&offer.name).and_then(|settings| settings.effect);
    match declared {
        Some(effect) => effect.into(),
        None if !config.trust_annotations => ToolEffect::NonIdempotent,
        None if offer.hint("readOnlyHint") => ToolEffect::Pure,
        None if offer.hint("idempotentHint") => ToolEffect::Idempotent,
        None => ToolEffect::NonIdempotent,
    }
}

impl Bound {
    async fn run(&self, args: &JsonValue, cx: &RunContext) -> Result<JsonValue, ToolError> {
        let Some(members) = args.as_object() else {
            return Err(ToolError::invalid_arguments("invalid arguments: they are no object"));
        };
        let checked = self.input.check(args);
        checked
            .map_err(|violations| ToolError::invalid_arguments(format!("invalid arguments: {violations}")))?;
        let may_ask_again = match self.effect {
            ToolEffect::Pure | ToolEffect::Idempotent => true,
            ToolEffect::Keyed | ToolEffect::NonIdempotent => false,
        };
        let mut asked_again = false;
        let mut lost: Option<ToolError> = None;
        loop {
            let (connection, _turn) = match (self.server.connection(cx).await, lost.take()) {
                (Ok(found), _) => found,
                (Err(unreachable), None) => return Err(unreachable),
                // What happened to the call matters more than that it could not be made again.
                (Err(_), Some(lost)) => return Err(lost),
            };
            match call(&connection, &self.tool, members.clone(), cx).await {
                Ok(result) => return value_of(&result, &self.promise),
                Err(CallFault::Failed(failure)) => return Err(failure),
                Err(CallFault::Cancelled) => return Err(ToolError::aborted()),
                Err(CallFault::Lost(reason)) => {
                    connection.useless.cancel();
                    let error = ToolError::answer_lost(format!(
                        "the connection to the server {} was lost before it answered, so it is not known whether the call was carried out: {reason}",
                        connection.server
                    ));
                    if !may_ask_again || asked_again {
                        return Err(error);
                    }
                    asked_again = true;
                    lost = Some(error);
                }
            }
        }
    }
}
