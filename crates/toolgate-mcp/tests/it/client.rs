//! A client for the tests of transports: it asks, and keeps the answers of tools as they were sent.

use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, JsonObject, ServerResult};
use rmcp::service::{PeerRequestOptions, RunningService, ServiceError};
use rmcp::transport::Transport;
use rmcp::{RoleClient, ServiceExt as _};
use toolgate_mcp::transport::{Connected, Diagnostics};
use toolgate_mcp::{RawAnswer, RawAnswers};

pub(crate) struct Client {
    pub(crate) service: RunningService<RoleClient, ()>,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) answers: RawAnswers,
}

impl Client {
    /// Says hello.
    pub(crate) async fn connect<T>(connected: Connected<T>) -> Result<Self, String>
    where
        T: Transport<RoleClient> + Send + 'static,
    {
        let Connected { transport, diagnostics, answers } = connected;
        let service = ().serve(transport).await.map_err(|error| error.to_string())?;
        Ok(Self { service, diagnostics, answers })
    }

    /// Calls a tool; gives its answer as it was sent, and how `rmcp` saw it.
    pub(crate) async fn call(&self, name: &str) -> Result<(RawAnswer, ServerResult), ServiceError> {
        let params = CallToolRequestParams::new(name.to_owned()).with_arguments(JsonObject::new());
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let handle = self.service.send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
        let id = handle.id.clone();
        let result = handle.await_response().await?;
        let answer = self.answers.take(&id).expect("the answer is kept until it is taken");
        assert!(self.answers.take(&id).is_none(), "it is taken once");
        Ok((answer, result))
    }

    /// Calls a tool that fails; gives the message.
    pub(crate) async fn fail(&self, name: &str) -> String {
        match self.call(name).await {
            Err(ServiceError::McpError(error)) => error.message.into_owned(),
            other => panic!("{name} did not fail with an error of the protocol: {other:?}"),
        }
    }
}
