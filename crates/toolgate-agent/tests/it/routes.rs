//! Code Mode and approvals belong to the runtime, and their events to the session of the agent they happen for.

use std::sync::Arc;

use toolgate::{HookResult, Next, PreExecute, PreToolDecision, PresentationMode, ToolExecution, stage};
use toolgate_agent::{Agent, SessionRoutes};
use toolgate_code::{CodeMode, CodeModeConfig};
use toolgate_policy::{Approvals, People, Stance};
use toolgate_sandbox::{InProcess, Language};
use toolgate_session::{Event, TurnOutcome};

use crate::support::{Session, asks, runtime, says, script, turn};
use crate::transcript::is_valid;

/// Asks about every number.
struct Asks;

impl PreExecute for Asks {
    async fn pre_execute(
        &self,
        call: &ToolExecution,
        next: Next<'_, stage::Pre>,
    ) -> HookResult<PreToolDecision> {
        match call.name() {
            "number" => Ok(PreToolDecision::Ask { reason: Some("a number".to_owned()) }),
            _ => next.run().await,
        }
    }
}

#[tokio::test]
async fn sub_calls_and_approvals_are_in_the_session_in_order() {
    let routes = SessionRoutes::new();
    let code = CodeMode::new(InProcess::default(), CodeModeConfig::new(Language::TypeScript));
    let approvals = Approvals::new(People::new()).with_stance(Stance::Yes).with_log(routes.clone());
    let runtime = runtime()
        .0
        .code_transport(code.with_sink(routes.clone()))
        .approver(approvals)
        .on_pre_execute(Asks)
        .presentation_mode(PresentationMode::Both)
        .build()
        .unwrap();
    let session = Session::new();
    let program =
        r#"{"code":"return await tools.number({ n: 9007199254740993n });","description":"one number"}"#;
    let model = script(vec![asks(&[("number", r#"{"n":1}"#), ("run_code", program)]), says("done")]);
    let builder = Agent::builder(runtime.scope("agent"), model).routes(routes);
    let mut agent = builder.start(Arc::clone(&session.backend), session.id).await.unwrap();
    assert_eq!(turn(&mut agent).await.outcome, TurnOutcome::Completed);
    let asked = [
        "tool/call",
        "approval/asked",
        "approval/decided",
        "tool/body-start",
        "tool/body-end",
        "tool/result",
    ];
    let program = [
        "tool/call",
        "tool/body-start",
        "tool/code-dispatch-start",
        "approval/asked",
        "approval/decided",
        "tool/code-dispatch",
        "tool/body-end",
        "tool/result",
    ];
    let expected = [
        &["turn/start", "user/message", "assistant/message"][..],
        &asked,
        &program,
        &["assistant/message", "turn/end"],
    ]
    .concat();
    assert_eq!(session.kinds(), expected);
    let results = session.results();
    let text = results[1].content[0].as_text().unwrap();
    assert!(text.contains("9007199254740993"), "K24 through a program: {text}");
    for event in session.events() {
        match event {
            Event::CodeDispatch(call) => {
                assert_eq!(call.parent, results[1].call_id);
                assert_eq!(call.call_id.to_string(), format!("{}:code:1", call.parent));
            }
            Event::ApprovalDecided(decided) => {
                assert_eq!(
                    (decided.outcome.as_str(), decided.by.as_deref()),
                    ("allowed-once", Some("stance"))
                );
            }
            _ => {}
        }
    }
    is_valid(&session.events());
}
