//! [`OpenAiModel`]: chat completions, as OpenAI and the servers of open models speak them (DeepSeek, vLLM, Ollama,
//! llama.cpp).

mod request;
mod stream;

use toolgate::ToolSchema;

use super::http::{Client, Events, Post};
use super::names::WireNames;
use super::projection::{SchemaLoss, losses};
use super::provider::Provider;
use super::{Answer, Model, ModelError, ModelRequest};
use stream::Chunks;

/// A model behind a chat-completions server.
#[derive(Debug)]
pub struct OpenAiModel {
    client: Client,
}

impl OpenAiModel {
    /// A model of this provider.
    #[must_use]
    pub fn new(provider: Provider) -> Self {
        Self { client: Client { provider } }
    }
}

impl Model for OpenAiModel {
    fn name(&self) -> &str {
        &self.client.provider.model
    }

    async fn answer(&self, request: &ModelRequest, answer: &mut Answer) -> Result<(), ModelError> {
        let asked = self.ask(request, answer).await;
        asked.map_err(|error| error.without(self.client.provider.key.as_ref()))
    }

    fn schema_losses(&self, tools: &[ToolSchema]) -> Vec<SchemaLoss> {
        losses(tools)
    }
}

impl OpenAiModel {
    async fn ask(&self, request: &ModelRequest, answer: &mut Answer) -> Result<(), ModelError> {
        let body = request::body(&self.client.provider, request);
        let mut reply = self.client.post(&Post::with_bearer("/chat/completions", body)).await?;
        let mut events = Events::default();
        let mut chunks = Chunks::new(WireNames::new(&request.tools));
        while let Some(bytes) = reply.chunk().await? {
            for event in events.read(&bytes)? {
                if chunks.read(&event.data, answer)? {
                    return Ok(());
                }
            }
        }
        chunks.end(answer)
    }
}
