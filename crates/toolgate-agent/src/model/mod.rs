//! Models: who is asked for the next step.
//!
//! [`Model`] is one request and its streamed answer; [`Answer`] collects it, whoever the provider is. Adapters know how a
//! provider speaks. None of them runs a tool or keeps a history.

mod answer;
mod anthropic;
mod error;
mod http;
mod names;
mod openai;
pub mod projection;
mod provider;
mod request;
pub mod script;
mod shared;
mod wire;

use std::future::Future;
use std::pin::Pin;

use toolgate::ToolSchema;

pub use answer::Answer;
pub(crate) use answer::AskedCall;
pub use anthropic::AnthropicModel;
pub use error::ModelError;
pub use openai::OpenAiModel;
pub use projection::SchemaLoss;
pub use provider::{ApiKey, Patience, Protocol, Provider};
pub use request::ModelRequest;
pub(crate) use request::tokens_of;
pub use script::ScriptedModel;
pub use shared::SharedModel;

/// A model of some provider.
pub trait Model: Send + Sync + 'static {
    /// The name under which the provider knows it, for the log.
    fn name(&self) -> &str;

    /// Asks for one answer, and hands its pieces to `answer` as they come.
    ///
    /// Dropping the future ends the request. An implementation may ask again by itself as long as nothing was handed
    /// over ([`Answer::is_untouched`]); afterwards a failure is a failure.
    ///
    /// # Errors
    /// [`ModelError`]; what was handed over is given up then.
    fn answer<'a>(
        &'a self,
        request: &'a ModelRequest,
        answer: &'a mut Answer,
    ) -> impl Future<Output = Result<(), ModelError>> + Send + 'a;

    /// What the model is not told of the parameters of these tools, because its provider takes no such schema (case
    /// K32). The tools check it all the same. Nothing by default.
    fn schema_losses(&self, tools: &[ToolSchema]) -> Vec<SchemaLoss> {
        let _ = tools;
        Vec::new()
    }
}

/// Whether a provider's word for the end of an answer means the limit of its output.
pub(crate) fn is_cut_off(word: &str) -> bool {
    matches!(word, "length" | "max_tokens")
}

/// The same with its future boxed.
pub(crate) trait DynModel: Send + Sync {
    fn name(&self) -> &str;

    fn answer<'a>(
        &'a self,
        request: &'a ModelRequest,
        answer: &'a mut Answer,
    ) -> Pin<Box<dyn Future<Output = Result<(), ModelError>> + Send + 'a>>;

    fn schema_losses(&self, tools: &[ToolSchema]) -> Vec<SchemaLoss>;
}

impl<M: Model> DynModel for M {
    fn name(&self) -> &str {
        Model::name(self)
    }

    fn answer<'a>(
        &'a self,
        request: &'a ModelRequest,
        answer: &'a mut Answer,
    ) -> Pin<Box<dyn Future<Output = Result<(), ModelError>> + Send + 'a>> {
        Box::pin(Model::answer(self, request, answer))
    }

    fn schema_losses(&self, tools: &[ToolSchema]) -> Vec<SchemaLoss> {
        Model::schema_losses(self, tools)
    }
}
