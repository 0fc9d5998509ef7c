//! Remembered answers (K61): exactly what was shown, for that agent, as often and as long as was said.

use std::num::{NonZeroU32, NonZeroU64};
use std::sync::Arc;

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate_policy::person::{
    Answer, ApprovalEvent, Asking, DecidedBy, DecidedOutcome, GrantRule, LapsedWhy, Remember, Remembered,
};
use toolgate_policy::{Approvals, People};

use crate::support::{AskAlways, Counter, Journal, approvals, build, call, counting, ms, until};

struct Bench {
    runs: Counter,
    people: People,
    approvals: Approvals,
    events: Journal<ApprovalEvent>,
    runtime: ToolRuntime,
}

/// Payments of up to ten.
struct SmallPayments;

impl GrantRule for SmallPayments {
    fn matches(&self, call: &ToolExecution) -> bool {
        call.name() == "pay"
            && call.arguments().get("amount").and_then(Value::as_u64).is_some_and(|amount| amount <= 10)
    }

    fn text(&self) -> &str {
        "pay up to 10"
    }
}

impl Bench {
    fn new() -> Self {
        let (runs, people) = (Counter::default(), People::new());
        let (approvals, events) = approvals(&people);
        let approvals = approvals.with_rules(|call| {
            let rule: Arc<dyn GrantRule> = Arc::new(SmallPayments);
            if rule.matches(call) { vec![rule] } else { Vec::new() }
        });
        let builder = ToolRuntime::builder().on_pre_execute(AskAlways).approver(approvals.clone());
        let runtime = build(builder, [counting("pay", &runs), counting("refund", &runs)]);
        Self { runs, people, approvals, events, runtime }
    }

    /// Makes a call while a person is there who says `answer`; gives whether the person was asked.
    async fn asked(&self, agent: &str, name: &str, arguments: Value, answer: Answer) -> bool {
        let page = self.people.attend();
        let running = tokio::spawn(self.runtime.scope(agent).execute(call(name, arguments)));
        until("asked or done", || running.is_finished() || !page.questions().is_empty()).await;
        let question = page.questions().first().cloned();
        if let Some(question) = &question {
            self.people.answer(question.id, answer, "page").expect("pending");
        }
        running.await.expect("no panic");
        question.is_some()
    }

    /// Makes a call while nobody is there; gives whether it ran.
    async fn runs_unasked(&self, agent: &str, name: &str, arguments: Value) -> bool {
        let before = self.runs.get();
        self.runtime.scope(agent).execute(call(name, arguments)).await;
        self.runs.get() > before
    }

    fn last_asked(&self) -> Vec<LapsedWhy> {
        let events = self.events.entries();
        let asked = events.iter().rev().find_map(|event| match event {
            ApprovalEvent::Asked(asked) => Some(asked.lapsed.iter().map(|lapsed| lapsed.why).collect()),
            ApprovalEvent::Decided(_) => None,
        });
        asked.expect("asked")
    }

    fn last_decided(&self) -> (DecidedOutcome, DecidedBy) {
        match self.events.entries().last() {
            Some(ApprovalEvent::Decided(decided)) => (decided.outcome, decided.by.clone()),
            other => unreachable!("no decision: {other:?}"),
        }
    }
}

fn remember(what: Remembered, uses: Option<u32>, seconds: Option<u64>) -> Answer {
    let (uses, seconds) = (uses.and_then(NonZeroU32::new), seconds.and_then(NonZeroU64::new));
    Answer::Allow { remember: Some(Remember { what, uses, seconds }) }
}

#[tokio::test(start_paused = true)]
async fn an_answer_covers_only_the_call_it_was_given_for() {
    let bench = Bench::new();
    assert!(bench.asked("agent", "pay", json!({ "amount": 1 }), Answer::allow_once()).await);
    assert_eq!(bench.runs.get(), 1);
    assert!(!bench.runs_unasked("agent", "pay", json!({ "amount": 1 })).await, "it was for once");
}

#[tokio::test(start_paused = true)]
async fn a_remembered_answer_covers_exactly_the_arguments_shown() {
    let bench = Bench::new();
    let answer = remember(Remembered::Arguments, None, None);
    assert!(bench.asked("agent", "pay", json!({ "amount": 1, "to": "x" }), answer).await);
    for (agent, name, arguments, runs, why) in [
        ("agent", "pay", json!({ "amount": 1, "to": "x" }), true, vec![]),
        // The same value in another order and another spelling.
        ("agent", "pay", json!({ "to": "x", "amount": 1.0 }), true, vec![]),
        ("agent", "pay", json!({ "amount": 100, "to": "x" }), false, vec![LapsedWhy::OtherArguments]),
        (
            "agent",
            "pay",
            json!({ "amount": 1, "to": "x", "more": 0 }),
            false,
            vec![LapsedWhy::OtherArguments],
        ),
        ("agent", "refund", json!({ "amount": 1, "to": "x" }), false, vec![]),
        ("other", "pay", json!({ "amount": 1, "to": "x" }), false, vec![]),
    ] {
        assert_eq!(bench.runs_unasked(agent, name, arguments.clone()).await, runs, "K61: {name} {arguments}");
        assert_eq!(bench.last_asked(), why, "K61: {name} {arguments}");
        let (outcome, by) = bench.last_decided();
        if runs {
            assert!(matches!(by, DecidedBy::Grant { .. }), "{by:?}");
        } else {
            assert_eq!((outcome, by), (DecidedOutcome::Unavailable, DecidedBy::Nobody), "K61: audited");
        }
    }
    // The session of that agent is over; another scope of its name is another agent.
    bench.approvals.forget(&bench.runtime.scope("agent"));
    assert!(!bench.runs_unasked("agent", "pay", json!({ "amount": 1, "to": "x" })).await);
}

#[tokio::test(start_paused = true)]
async fn a_scope_made_again_under_the_same_name_inherits_nothing() {
    let bench = Bench::new();
    let answer = remember(Remembered::Arguments, None, None);
    assert!(bench.asked("agent", "pay", json!({}), answer).await);
    assert!(bench.runs_unasked("agent", "pay", json!({})).await);
    bench.runtime.scope("agent").close();
    assert!(!bench.runs_unasked("agent", "pay", json!({})).await, "K61");
}

#[tokio::test(start_paused = true)]
async fn a_used_or_expired_grant_is_refused_and_audited() {
    let bench = Bench::new();
    let pay = || json!({ "amount": 1 });
    assert!(bench.asked("agent", "pay", pay(), remember(Remembered::Arguments, Some(2), None)).await);
    assert!(bench.runs_unasked("agent", "pay", pay()).await);
    assert!(bench.runs_unasked("agent", "pay", pay()).await);
    assert!(!bench.runs_unasked("agent", "pay", pay()).await, "K61: used up");
    assert_eq!(bench.last_asked(), [LapsedWhy::UsedUp], "K61");

    let bench = Bench::new();
    assert!(bench.asked("agent", "pay", pay(), remember(Remembered::Arguments, None, Some(60))).await);
    tokio::time::advance(ms(59_000)).await;
    assert!(bench.runs_unasked("agent", "pay", pay()).await);
    tokio::time::advance(ms(1_000)).await;
    assert!(!bench.runs_unasked("agent", "pay", pay()).await, "K61: expired");
    assert_eq!(bench.last_asked(), [LapsedWhy::Expired], "K61");
}

#[tokio::test(start_paused = true)]
async fn a_rule_that_a_person_chose_covers_what_falls_under_it() {
    let bench = Bench::new();
    assert!(
        bench.asked("agent", "pay", json!({ "amount": 2 }), remember(Remembered::Rule(0), None, None)).await
    );
    for (amount, runs) in [(2, true), (10, true), (11, false)] {
        assert_eq!(
            bench.runs_unasked("agent", "pay", json!({ "amount": amount })).await,
            runs,
            "K61: {amount}"
        );
    }
    assert!(!bench.runs_unasked("agent", "refund", json!({ "amount": 2 })).await);
    let remembered = bench.events.entries().iter().find_map(|event| match event {
        ApprovalEvent::Decided(decided) => decided.remembered.clone(),
        ApprovalEvent::Asked(_) => None,
    });
    assert_eq!(remembered.expect("remembered").1, "pay up to 10");
}

#[tokio::test(start_paused = true)]
async fn only_an_offered_rule_can_be_remembered() {
    let bench = Bench::new();
    let page = bench.people.attend();
    let running = tokio::spawn(bench.runtime.scope("agent").execute(call("pay", json!({ "amount": 1 }))));
    until("asked", || !page.questions().is_empty()).await;
    let question = page.questions().first().cloned().expect("open");
    let Asking::Approval { rules, .. } = &question.asking else { unreachable!("an approval") };
    assert_eq!(*rules, ["pay up to 10"]);
    let answer = remember(Remembered::Rule(1), None, None);
    assert!(bench.people.answer(question.id, answer, "page").is_err());
    bench.people.answer(question.id, Answer::Reject, "page").expect("still pending");
    running.await.expect("no panic");
    assert_eq!(bench.runs.get(), 0);
}

#[tokio::test(start_paused = true)]
async fn overlapping_calls_share_the_uses_of_a_grant() {
    let bench = Bench::new();
    assert!(bench.asked("agent", "pay", json!({}), remember(Remembered::Arguments, Some(1), None)).await);
    let agent = bench.runtime.scope("agent");
    let both = (agent.execute(call("pay", json!({}))), agent.execute(call("pay", json!({}))));
    let (one, two) = tokio::join!(both.0, both.1);
    assert_eq!(usize::from(one.is_error()) + usize::from(two.is_error()), 1, "K61");
}

#[tokio::test(start_paused = true)]
async fn a_grant_ends_with_the_tool_that_was_shown() {
    for what in [Remembered::Arguments, Remembered::Rule(0)] {
        let bench = Bench::new();
        let pay = || json!({ "amount": 1 });
        let agent = bench.runtime.scope("agent");
        let first = agent.register(counting("pay", &bench.runs)).expect("valid");
        assert!(bench.asked("agent", "pay", pay(), remember(what, None, None)).await);
        assert!(bench.runs_unasked("agent", "pay", pay()).await, "{what:?}");
        // Another tool comes, and calls itself the same.
        first.dispose();
        let impostor = Counter::default();
        let second = agent.register(counting("pay", &impostor)).expect("valid");
        agent.execute(call("pay", pay())).await;
        assert_eq!(impostor.get(), 0, "K61: {what:?}: nobody has allowed this one");
        assert_eq!(bench.last_asked(), [LapsedWhy::OtherTool], "{what:?}");
        // Behind it is the one of the runtime, which nobody has seen either.
        second.dispose();
        assert!(!bench.runs_unasked("agent", "pay", pay()).await, "{what:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_about_a_tool_that_was_replaced_meanwhile_does_not_count() {
    for comes_another in [true, false] {
        let (bench, impostor) = (Bench::new(), Counter::default());
        let (page, agent) = (bench.people.attend(), bench.runtime.scope("agent"));
        let shown = agent.register(counting("look", &bench.runs)).expect("valid");
        let running = tokio::spawn(agent.execute(call("look", json!({}))));
        until("asked", || !page.questions().is_empty()).await;
        shown.dispose();
        let _other = comes_another.then(|| agent.register(counting("look", &impostor)).expect("valid"));
        let question = page.questions().first().cloned().expect("open");
        let answer = remember(Remembered::Arguments, None, None);
        bench.people.answer(question.id, answer, "page").expect("pending");
        let result = running.await.expect("no panic");
        assert!(result.text().contains("was replaced or removed"), "{}", result.text());
        assert_eq!(
            (bench.runs.get(), impostor.get()),
            (0, 0),
            "K61: what was shown is what runs, or nothing"
        );
        assert_eq!(bench.last_decided(), (DecidedOutcome::Cancelled, DecidedBy::Nobody));
        drop(page);
        assert!(!bench.runs_unasked("agent", "look", json!({})).await, "nothing was remembered");
        assert_eq!(impostor.get(), 0);
    }
}

#[test]
fn answers_cross_the_wire() {
    for (answer, text) in [
        (Answer::allow_once(), r#"{"answer":"allow","remember":null}"#),
        (Answer::Reject, r#"{"answer":"reject"}"#),
        (Answer::Choose { options: vec![0, 2] }, r#"{"answer":"choose","options":[0,2]}"#),
        (
            remember(Remembered::Rule(1), Some(3), Some(60)),
            r#"{"answer":"allow","remember":{"what":{"rule":1},"uses":3,"seconds":60}}"#,
        ),
    ] {
        assert_eq!(serde_json::to_string(&answer).expect("data"), text);
        assert_eq!(serde_json::from_str::<Answer>(text).expect("an answer"), answer);
    }
    for text in [
        r#"{"answer":"allow","rememeber":null}"#,
        r#"{"answer":"allow","remember":{"what":"arguments","uses":0}}"#,
        r#"{"answer":"yes"}"#,
    ] {
        assert!(serde_json::from_str::<Answer>(text).is_err(), "{text}");
    }
}
