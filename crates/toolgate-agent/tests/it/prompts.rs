//! What the model is told beforehand: sections in one order, the same bytes for the same state, Code Mode's declarations.

use std::sync::{Arc, Mutex};

use toolgate::{PresentationMode, ToolRuntime};
use toolgate_agent::{Agent, Answer, Model, ModelError, ModelRequest, Prompt};
use toolgate_sdk::Language;
use toolgate_testing::StubCodeTransport;

use crate::support::{Session, runtime, turn};

/// A model that keeps what it was asked.
struct Listening(Arc<Mutex<Vec<ModelRequest>>>);

impl Model for Listening {
    fn name(&self) -> &str {
        "listening"
    }

    async fn answer(&self, request: &ModelRequest, answer: &mut Answer) -> Result<(), ModelError> {
        self.0.lock().unwrap().push(request.clone());
        answer.text("ok")?;
        answer.stop("stop", false);
        Ok(())
    }
}

async fn asked(runtime: ToolRuntime, prompt: Prompt) -> Vec<ModelRequest> {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let session = Session::new();
    let builder = Agent::builder(runtime.scope("agent"), Listening(Arc::clone(&requests))).prompt(prompt);
    let mut agent = builder.start(Arc::clone(&session.backend), session.id).await.unwrap();
    turn(&mut agent).await;
    turn(&mut agent).await;
    requests.lock().unwrap().clone()
}

fn prompt() -> Prompt {
    Prompt::standard("You are an agent.").section("project", "Tabs, not spaces.").section("blank", "  ")
}

#[tokio::test]
async fn the_same_state_gives_the_same_bytes() {
    let one = asked(runtime().0.build().unwrap(), prompt()).await;
    let two = asked(runtime().0.build().unwrap(), prompt()).await;
    assert_eq!(format!("{one:?}"), format!("{two:?}"));
    assert_eq!(one[0].system, one[1].system);
    assert_eq!(one[1].messages[..1], one[0].messages[..], "a request continues the one before");
    let system = &one[0].system;
    let places =
        ["You are an agent.", "Use tools", "Tabs, not spaces."].map(|part| system.find(part).unwrap());
    assert!(places.is_sorted(), "{system}");
    assert!(!system.contains("\n\n\n"), "{system}");
    let names: Vec<&str> = one[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["number", "nothing"]);
}

#[tokio::test]
async fn a_section_is_replaced_where_it_stands() {
    let replaced = prompt().section("role", "You are a poet.");
    let requests = asked(runtime().0.build().unwrap(), replaced).await;
    assert!(requests[0].system.starts_with("You are a poet."), "{}", requests[0].system);
    assert!(!requests[0].system.contains("You are an agent."));
}

#[tokio::test]
async fn code_mode_adds_its_rule_and_its_declarations() {
    for (mode, names) in [
        (PresentationMode::Code, vec!["run_code"]),
        (PresentationMode::Both, vec!["number", "nothing", "run_code"]),
    ] {
        let runtime =
            runtime().0.code_transport(StubCodeTransport::new("typescript")).presentation_mode(mode).build();
        let requests = asked(runtime.unwrap(), prompt()).await;
        let offered: Vec<&str> = requests[0].tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(offered, names);
        let system = &requests[0].system;
        assert!(system.contains("run_code") && system.contains("number("), "{system}");
        let refused = system.contains("A direct call of another tool is refused");
        assert_eq!(refused, mode == PresentationMode::Code, "{system}");
    }
}

#[tokio::test]
async fn declarations_over_their_budget_become_an_index() {
    let both = || {
        runtime().0.code_transport(StubCodeTransport::new("python")).presentation_mode(PresentationMode::Code)
    };
    let whole = prompt().code_mode(Language::Python, 10_000);
    let whole = &asked(both().build().unwrap(), whole).await[0].system;
    assert!(whole.contains("async def number(") || whole.contains("def number("), "{whole}");
    let index = prompt().code_mode(Language::Python, 1);
    let index = &asked(both().build().unwrap(), index).await[0].system;
    assert!(index.contains("number") && !index.contains("def number("), "{index}");
}
