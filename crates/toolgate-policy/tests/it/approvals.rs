//! Approvals: who answers, who hears that a question is closed, and what the log is told (P7, P8, K03).

use serde_json::json;
use toolgate::FailureCause;
use toolgate::prelude::*;
use toolgate_policy::person::{Answer, AnswerRefused, Asking, Closed};
use toolgate_policy::{People, Stance};

use crate::support::{
    AskAlways, Counter, Journal, Person, approvals, build, call, counting, ms, people, until,
};

fn runtime(approver: impl Approver, runs: &Counter) -> ToolRuntime {
    let builder = ToolRuntime::builder().on_pre_execute(AskAlways).approver(approver);
    build(builder, [counting("pay", runs)])
}

#[tokio::test(start_paused = true)]
async fn only_an_allowing_answer_lets_the_call_go_on() {
    for (answer, cause, runs_expected) in [
        (Answer::allow_once(), None, 1),
        (Answer::Reject, Some(FailureCause::ApprovalRejected), 0),
        // An answer to another kind of question is none, and nobody else is there.
        (Answer::Reply { text: "yes".to_owned() }, Some(FailureCause::ApprovalUnavailable), 0),
        (Answer::Choose { options: vec![0] }, Some(FailureCause::ApprovalUnavailable), 0),
    ] {
        let runs = Counter::default();
        let people = people(&Person::who_says(answer.clone()).after(ms(10)));
        let (approvals, _) = approvals(&people);
        let result = runtime(approvals, &runs).scope("agent").execute(call("pay", json!({}))).await;
        assert_eq!(result.error().map(|failure| failure.cause()), cause, "{answer:?}");
        assert_eq!(runs.get(), runs_expected, "{answer:?}");
        assert!(people.pending().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_stance_answers_without_asking() {
    for (stance, cause) in [
        (Stance::Never, Some(FailureCause::ApprovalUnavailable)),
        (Stance::Yes, None),
        (Stance::Ask, Some(FailureCause::ApprovalRejected)),
    ] {
        let (runs, person) = (Counter::default(), Person::who_says(Answer::Reject));
        let (approvals, events) = approvals(&people(&person));
        let runtime = runtime(approvals.with_stance(stance), &runs);
        // A guard has the last word, also over a stance that says yes.
        let result = runtime.scope("agent").execute(call("pay", json!({}))).await;
        assert_eq!(result.error().map(|failure| failure.cause()), cause, "{stance:?}");
        assert_eq!(person.saw.entries().len(), usize::from(stance == Stance::Ask), "{stance:?}");
        assert_eq!(events.entries().len(), 2, "{stance:?}: asked and decided");
        let _guard = runtime.guard(|_| Some("never".to_owned()));
        let denied = runtime.scope("agent").execute(call("pay", json!({}))).await;
        assert!(denied.is_error(), "{stance:?}");
        assert_eq!(runs.get(), usize::from(cause.is_none()), "{stance:?}");
    }
    assert_eq!(serde_json::from_str::<Stance>("\"never\"").expect("valid"), Stance::Never);
}

#[tokio::test(start_paused = true)]
async fn the_first_answer_counts_and_the_others_are_told() {
    let (runs, people) = (Counter::default(), People::new());
    let slow = Person::who_says(Answer::Reject).after(ms(500)).named("slow");
    let quick = Person::who_says(Answer::allow_once()).after(ms(100)).named("quick");
    let absent = Person::who_never_answers().named("absent");
    for person in [&slow, &quick, &absent] {
        people.join(person.clone());
    }
    let (approvals, _) = approvals(&people);
    let result = runtime(approvals, &runs).scope("agent").execute(call("pay", json!({}))).await;
    assert!(!result.is_error(), "{}", result.text());
    for person in [&slow, &quick, &absent] {
        assert_eq!(person.saw.entries().len(), 1, "{}", person.name);
        assert_eq!(person.closed.entries(), [Closed::Answered { by: "quick".to_owned() }], "{}", person.name);
    }
}

/// An answerer that notes when its waiting ends and when it is told why.
struct Orderly(Journal<&'static str>);

struct NotesDrop(Journal<&'static str>);

impl Drop for NotesDrop {
    fn drop(&mut self) {
        self.0.note("stopped waiting");
    }
}

impl toolgate_policy::Answerer for Orderly {
    fn name(&self) -> &str {
        "orderly"
    }

    async fn answer(&self, _: &toolgate_policy::person::Question) -> HookResult<Option<Answer>> {
        let _notes = NotesDrop(self.0.clone());
        std::future::pending().await
    }

    fn closed(&self, _: &toolgate_policy::person::Question, _: &Closed) {
        self.0.note("told");
    }
}

#[tokio::test(start_paused = true)]
async fn who_has_not_answered_stops_waiting_before_being_told() {
    let (order, people) = (Journal::default(), People::new());
    people.join(Orderly(order.clone()));
    people.join(Person::who_says(Answer::allow_once()).after(ms(50)));
    let (approvals, _) = approvals(&people);
    let runtime = runtime(approvals, &Counter::default());
    assert!(!runtime.scope("agent").execute(call("pay", json!({}))).await.is_error());
    assert_eq!(order.entries(), ["stopped waiting", "told"]);
}

/// An answerer whose way to the person is broken.
struct Broken;

impl toolgate_policy::Answerer for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    async fn answer(&self, _: &toolgate_policy::person::Question) -> HookResult<Option<Answer>> {
        Err(ToolError::new("the line is dead"))
    }
}

#[tokio::test(start_paused = true)]
async fn a_broken_way_leaves_the_question_to_the_others() {
    for (others, cause) in [(true, None), (false, Some(FailureCause::ApprovalUnavailable))] {
        let (runs, people) = (Counter::default(), People::new());
        people.join(Broken);
        if others {
            people.join(Person::who_says(Answer::allow_once()).after(ms(50)));
        }
        let (approvals, _) = approvals(&people);
        let result = runtime(approvals, &runs).scope("agent").execute(call("pay", json!({}))).await;
        assert_eq!(result.error().map(|failure| failure.cause()), cause);
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_is_told_that_nothing_is_pending() {
    let (runs, person) = (Counter::default(), Person::who_never_answers());
    let people = people(&person);
    let (approvals, events) = approvals(&people);
    let runtime = runtime(approvals, &runs);
    let caller = CancellationToken::new();
    let running = runtime.scope("agent").execute(ToolCall::new("pay", json!({}), caller.clone()));
    let running = tokio::spawn(running);
    until("the question is open", || people.pending().len() == 1).await;
    let question = people.pending().first().expect("open").id;

    caller.cancel();
    // Nobody has noticed the cancellation yet; the answer is late all the same.
    assert_eq!(people.answer(question, Answer::allow_once(), "page"), Err(AnswerRefused::NotPending), "K03");
    let result = running.await.expect("no panic");
    assert_eq!(result.code(), Some("ABORTED_BEFORE_DISPATCH"), "K03");
    assert_eq!(people.answer(question, Answer::allow_once(), "page"), Err(AnswerRefused::NotPending), "K03");
    assert_eq!(runs.get(), 0, "K03");
    assert_eq!(person.closed.entries(), [Closed::Withdrawn]);
    let decided = serde_json::to_value(&events.entries()[1]).expect("data");
    assert_eq!((&decided["outcome"], &decided["by"]["kind"]), (&json!("cancelled"), &json!("caller")));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_withdraws_its_question_and_says_so() {
    let (runs, person) = (Counter::default(), Person::who_never_answers());
    let people = people(&person);
    let (approvals, events) = approvals(&people);
    let runtime = runtime(approvals, &runs);
    let running = runtime.scope("agent").execute(call("pay", json!({})));
    assert!(tokio::time::timeout(ms(10), running).await.is_err());
    assert!(people.pending().is_empty());
    assert_eq!(person.closed.entries(), [Closed::Withdrawn]);
    assert_eq!(events.entries().len(), 2, "P22: {:?}", events.entries());
}

/// Waits for what must come by itself; no time passes while anything goes on.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(ms(60_000), future).await.expect("it never came")
}

#[tokio::test(start_paused = true)]
async fn a_page_sees_answers_and_leaves() {
    let (runs, people) = (Counter::default(), People::new());
    let (approvals, _) = approvals(&people);
    let runtime = runtime(approvals, &runs);
    let agent = runtime.scope("agent");

    // Nobody is there.
    let result = agent.execute(call("pay", json!({}))).await;
    assert_eq!(result.error().expect("denied").cause(), FailureCause::ApprovalUnavailable);

    // A page is open: the question waits for it.
    let mut page = people.attend();
    let running = tokio::spawn(agent.execute(call("pay", json!({ "amount": 1 }))));
    while page.questions().is_empty() {
        soon(page.changed()).await;
    }
    let question = page.questions().first().cloned().expect("open");
    assert!(matches!(question.asking, Asking::Approval { .. }));
    let refused = people.answer(question.id, Answer::Choose { options: vec![0] }, "page");
    assert!(matches!(refused, Err(AnswerRefused::DoesNotFit(_))), "{refused:?}");
    people.answer(question.id, Answer::allow_once(), "page").expect("pending");
    assert_eq!(people.answer(question.id, Answer::Reject, "page"), Err(AnswerRefused::NotPending));
    assert!(!running.await.expect("no panic").is_error());
    assert_eq!(runs.get(), 1);

    // The last one leaves while a question is open.
    let running = tokio::spawn(agent.execute(call("pay", json!({ "amount": 2 }))));
    until("the question is open", || people.pending().len() == 1).await;
    drop(page);
    let result = soon(running).await.expect("no panic");
    assert_eq!(result.error().expect("denied").cause(), FailureCause::ApprovalUnavailable);
    assert_eq!(runs.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn patience_ends() {
    let runs = Counter::default();
    let people = people(&Person::who_says(Answer::allow_once()).after(ms(10_000)));
    let (approvals, _) = approvals(&people);
    let runtime = runtime(approvals.with_patience(ms(9_000)), &runs);
    let result = runtime.scope("agent").execute(call("pay", json!({}))).await;
    assert_eq!(result.error().expect("denied").cause(), FailureCause::ApprovalUnavailable);
    assert!(people.pending().is_empty());
}

#[tokio::test(start_paused = true)]
async fn every_ask_and_decision_is_an_event() {
    let runs = Counter::default();
    let people = people(&Person::who_says(Answer::allow_once()).named("terminal"));
    let (approvals, events) = approvals(&people);
    let call = call("pay", json!({ "amount": 1 }));
    assert!(!runtime(approvals, &runs).scope("agent").execute(call).await.is_error());
    let events: Vec<_> =
        events.entries().iter().map(|event| serde_json::to_value(event).expect("data")).collect();
    assert_eq!(
        events,
        [
            json!({
                "type": "approval/asked", "callId": "c1", "rootCallId": "c1", "agent": "agent", "tool": "pay",
                "arguments": { "amount": 1 }, "reason": "it is a test"
            }),
            json!({
                "type": "approval/decided", "callId": "c1", "rootCallId": "c1", "outcome": "allowed-once",
                "by": { "kind": "person", "name": "terminal" }
            }),
        ]
    );
    for event in events {
        let again: toolgate_policy::person::ApprovalEvent =
            serde_json::from_value(event.clone()).expect("an event");
        assert_eq!(serde_json::to_value(again).expect("data"), event);
    }
}

#[tokio::test(start_paused = true)]
async fn an_observer_of_the_events_knows_before_the_body_runs() {
    let order = Journal::<&str>::default();
    let (told, ran) = (order.clone(), order.clone());
    let people = people(&Person::who_says(Answer::allow_once()));
    let approvals = toolgate_policy::Approvals::new(people).with_log(
        move |event: &toolgate_policy::person::ApprovalEvent| {
            told.note(match event {
                toolgate_policy::person::ApprovalEvent::Asked(_) => "asked",
                toolgate_policy::person::ApprovalEvent::Decided(_) => "decided",
            });
            Ok(())
        },
    );
    let tool = crate::support::tool("pay").body(move |_, _| {
        ran.note("ran");
        async { Ok(json!(null)) }
    });
    let builder = ToolRuntime::builder().on_pre_execute(AskAlways).approver(approvals);
    build(builder, [tool]).scope("agent").execute(call("pay", json!({}))).await;
    assert_eq!(order.entries(), ["asked", "decided", "ran"]);
}
