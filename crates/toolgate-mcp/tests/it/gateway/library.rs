//! The same with the official library as the client, in both eras.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, ErrorData, Implementation, JsonObject, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RequestContext, RoleClient};
use serde_json::{Value, json};
use tokio::net::UnixStream;
use tokio::time::timeout;
use toolgate::prelude::*;
use toolgate_mcp::gateway::Gateway;
use toolgate_policy::person::{Approvals, People};

use super::asking::AsksAboutEcho;
use super::support::{PATIENCE, World, runtime_with};

/// A client whose person says yes.
#[derive(Clone, Default)]
struct Willing(Arc<AtomicUsize>);

impl ClientHandler for Willing {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("willing", "1"))
    }

    async fn create_elicitation(
        &self,
        _request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({})))
    }
}

fn arguments(arguments: Value) -> JsonObject {
    arguments.as_object().cloned().unwrap_or_default()
}

#[tokio::test]
async fn the_official_client_lists_calls_and_answers_in_both_eras() {
    let modes = [
        ClientLifecycleMode::Initialize,
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] },
    ];
    for mode in modes {
        let world = World::default();
        let people = People::new();
        let runtime = runtime_with(&world, |tools| tools.approver(Approvals::new(people.clone())));
        runtime.on_pre_execute(AsksAboutEcho);
        let gateway = Gateway::of(runtime.scope("agent")).people(&people).build();
        let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
        let (read, write) = theirs.into_split();
        let served = tokio::spawn(async move { gateway.serve_stdio(read, write).await });

        let person = Willing::default();
        let client = person.clone().serve_with_lifecycle(ours.into_split(), mode.clone());
        let client = timeout(PATIENCE, client).await.expect("in time").expect("a connection");
        let tools = client.list_all_tools().await.expect("a list");
        assert_eq!(tools.len(), 5, "{mode:?}");
        let add = CallToolRequestParams::new("add").with_arguments(arguments(json!({ "a": 20, "b": 22 })));
        let answer = client.call_tool(add).await.expect("an answer");
        assert_eq!(answer.structured_content, Some(json!({ "sum": 42 })), "{mode:?}");
        let echo = CallToolRequestParams::new("echo").with_arguments(arguments(json!({ "n": u64::MAX })));
        let answer = client.call_tool(echo).await.expect("an answer");
        let text = answer.content.first().and_then(|block| block.as_text()).map(|text| text.text.clone());
        assert_eq!(text, Some(format!("{{\"n\":{}}}", u64::MAX)), "K24: {mode:?}");
        assert_eq!(person.0.load(Ordering::SeqCst), 1, "the person was asked once: {mode:?}");
        assert!(client.call_tool(CallToolRequestParams::new("nothing")).await.is_err(), "{mode:?}");

        client.cancel().await.expect("no panic");
        timeout(PATIENCE, served).await.expect("it ends").expect("no panic").expect("it served");
    }
}
