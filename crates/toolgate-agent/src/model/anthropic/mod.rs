//! [`AnthropicModel`]: the messages protocol.

mod request;
mod stream;

use hyper::header::{HeaderName, HeaderValue};
use toolgate::ToolSchema;

use super::http::{Client, Events, Post};
use super::names::WireNames;
use super::projection::{SchemaLoss, losses};
use super::provider::Provider;
use super::{Answer, Model, ModelError, ModelRequest};
use stream::Pieces;

/// The version of the protocol that this adapter speaks.
const VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");

/// A model behind a messages server.
#[derive(Debug)]
pub struct AnthropicModel {
    client: Client,
}

impl AnthropicModel {
    /// A model of this provider.
    #[must_use]
    pub fn new(provider: Provider) -> Self {
        Self { client: Client { provider } }
    }
}

impl Model for AnthropicModel {
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

impl AnthropicModel {
    async fn ask(&self, request: &ModelRequest, answer: &mut Answer) -> Result<(), ModelError> {
        let post = Post {
            path: "/messages",
            body: request::body(&self.client.provider, request),
            key_header: (HeaderName::from_static("x-api-key"), ""),
            extra: vec![(HeaderName::from_static("anthropic-version"), VERSION)],
        };
        let mut reply = self.client.post(&post).await?;
        let mut events = Events::default();
        let mut pieces = Pieces::new(WireNames::new(&request.tools));
        while let Some(bytes) = reply.chunk().await? {
            for event in events.read(&bytes)? {
                if pieces.read(&event.data, answer)? {
                    return Ok(());
                }
            }
        }
        Err(ModelError::Cut { why: "the stream ended before the answer did".to_owned() })
    }
}
