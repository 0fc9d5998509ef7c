//! Policies around and inside programs (K62), in a real sandbox.

use std::time::Duration;

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate_code::{CodeMode, CodeModeConfig};
use toolgate_policy::person::{Answer, Asking};
use toolgate_policy::{DeadlineConfig, Deadlines};
use toolgate_sandbox::{InProcess, Language, Limits};

use crate::support::{AskAlways, Journal, Person, approvals, build, ms, people, tool};

struct AskAboutDelete;

impl PreExecute for AskAboutDelete {
    async fn pre_execute(&self, call: &ToolExecution, next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        if call.name() == "delete" { AskAlways.pre_execute(call, next).await } else { next.run().await }
    }
}

/// How long a person takes: twice as long as the program has.
const THINKS: Duration = Duration::from_secs(5);

const PROGRAM: &str = "await tools.read({ path: \"a\" });\n\
    let denied = \"\";\n\
    try { await tools.delete({ path: \"a\" }) } catch (e) { denied = e.toolName + \": \" + e.message }\n\
    await tools.write({ path: \"b\" });\n\
    return denied;";

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_in_a_program_shows_the_real_arguments_and_a_denial_can_be_caught() {
    for (answer, ran, said) in [
        (Answer::Reject, &["read", "write"][..], "delete: the call of `delete` was rejected: it is a test"),
        (Answer::allow_once(), &["read", "delete", "write"], ""),
    ] {
        // The program waits for the person, and no time passes.
        let person = Person::who_says(answer).after(THINKS);
        let people = people(&person);
        let (approvals, events) = approvals(&people);
        let config = DeadlineConfig {
            default: Some(ms(60_000)),
            tools: [("run_code".to_owned(), ms(60_000))].into(),
            ..DeadlineConfig::default()
        };
        let done = Journal::default();
        // Of the two clocks of the program, the one of the wall is the deadline's; the person takes longer than it has.
        let clock = people.clock();
        let limits = Limits { wall: THINKS / 2, ..Limits::in_process() };
        let config_of_programs = CodeModeConfig { limits, ..CodeModeConfig::new(Language::TypeScript) };
        let mode = CodeMode::new(InProcess::default(), config_of_programs)
            .with_clock(move |call, limit| clock.elapse(call.root_call_id(), limit));
        let builder = ToolRuntime::builder()
            .presentation_mode(PresentationMode::Code)
            .code_transport(mode)
            .plugin(Deadlines::new(config).with_clock(people.clock()))
            .on_pre_execute(AskAboutDelete)
            .approver(approvals);
        let tools = ["read", "delete", "write"].map(|name| {
            let done = done.clone();
            tool(name).body(move |_, _| {
                done.note(name);
                async { Ok(json!("ok")) }
            })
        });
        let runtime = build(builder, tools);
        let arguments = json!({ "code": PROGRAM, "description": "a test" });
        let call = ToolCall::new("run_code", arguments, CancellationToken::new()).with_id("p");
        let result = runtime.scope("agent").execute(call).await;
        assert_eq!(result.value().expect("a success")["result"], json!(said), "K62: {}", result.text());
        assert_eq!(done.entries(), ran, "K62");

        let questions = person.saw.entries();
        let [question] = questions.as_slice() else { unreachable!("K62: one question: {questions:?}") };
        assert_eq!((question.tool.as_str(), question.call_id.as_str()), ("delete", "p:code:2"), "K62");
        assert_eq!(question.root_call_id, "p", "K62");
        let Asking::Approval { arguments, shown, .. } = &question.asking else { unreachable!("an approval") };
        assert_eq!(arguments["path"], json!("a"), "K62");
        assert_eq!(shown, "{\n  \"path\": \"a\"\n}", "K62");
        let ids = |event: Value| (event["callId"].clone(), event["rootCallId"].clone());
        for event in events.entries() {
            let event = serde_json::to_value(&event).expect("data");
            assert_eq!(ids(event), (json!("p:code:2"), json!("p")), "K62: parent and child are in the log");
        }
        assert_eq!(events.entries().len(), 2, "K62");
    }
}
