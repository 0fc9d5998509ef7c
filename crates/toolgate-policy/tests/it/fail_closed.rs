//! A policy component that fails denies (K64): whichever it is, and however it fails.

use std::future::pending;
use std::sync::Arc;

use serde_json::json;
use toolgate::FailureCause;
use toolgate::prelude::*;
use toolgate_policy::person::{Answer, ApprovalEvent, GrantRule, Question, Remember, Remembered};
use toolgate_policy::{Answerer, Approvals, DeadlineConfig, Deadlines, People};

use crate::support::{AskAlways, Counter, Never, Person, build, call, counting, ms, people};

/// How a component fails.
#[derive(Clone, Copy, Debug)]
enum Fails {
    WithAnError,
    ByPanic,
    ByNeverDeciding,
}

impl Fails {
    fn now<T>(self) -> HookResult<T> {
        match self {
            Self::WithAnError | Self::ByNeverDeciding => Err(ToolError::new("out of order")),
            Self::ByPanic => panic!("out of order"),
        }
    }

    async fn soon<T>(self) -> HookResult<T> {
        match self {
            Self::ByNeverDeciding => pending().await,
            Self::WithAnError | Self::ByPanic => self.now(),
        }
    }
}

struct Broken(Fails);

impl PreExecute for Broken {
    async fn pre_execute(&self, _: &ToolExecution, _: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        self.0.soon().await
    }
}

impl Approver for Broken {
    async fn approve(&self, _: ApprovalRequest<'_>) -> HookResult<ApprovalOutcome> {
        self.0.soon().await
    }
}

impl Answerer for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    async fn answer(&self, _: &Question) -> HookResult<Option<Answer>> {
        self.0.soon().await
    }
}

/// A rule that cannot be matched, once it was granted.
struct BrokenRule;

impl GrantRule for BrokenRule {
    fn matches(&self, _: &ToolExecution) -> bool {
        panic!("the rule is broken")
    }

    fn text(&self) -> &str {
        "everything"
    }
}

#[derive(Clone, Copy, Debug)]
enum Component {
    Listener,
    Approver,
    Answerer,
    LogOfTheAsk,
    LogOfTheDecision,
    OfferedRules,
    ReportOfALateStage,
}

fn policy(component: Component, fails: Fails) -> toolgate::ToolRuntimeBuilder {
    let deadlines = Deadlines::new(DeadlineConfig { stage: ms(200), ..DeadlineConfig::default() });
    let yes = || people(&Person::who_says(Answer::allow_once()));
    let builder = ToolRuntime::builder().plugin(deadlines.clone());
    match component {
        Component::Listener => builder.on_pre_execute(Broken(fails)),
        Component::Approver => builder.on_pre_execute(AskAlways).approver(deadlines.approver(Broken(fails))),
        Component::Answerer => {
            let people = People::new();
            people.join(Broken(fails));
            // The clock stands still for an answerer that never answers, so this needs patience of another kind.
            let approvals = Approvals::new(people).with_patience(ms(1_000));
            builder.on_pre_execute(AskAlways).approver(deadlines.approver(approvals))
        }
        Component::LogOfTheAsk | Component::LogOfTheDecision => {
            let approvals = Approvals::new(yes()).with_log(move |event: &ApprovalEvent| match event {
                ApprovalEvent::Asked(_) if matches!(component, Component::LogOfTheAsk) => fails.now(),
                ApprovalEvent::Decided(_) if matches!(component, Component::LogOfTheDecision) => fails.now(),
                ApprovalEvent::Asked(_) | ApprovalEvent::Decided(_) => Ok(()),
            });
            builder.on_pre_execute(AskAlways).approver(approvals)
        }
        Component::OfferedRules => {
            let approvals = Approvals::new(yes()).with_rules(|_| panic!("no rules"));
            builder.on_pre_execute(AskAlways).approver(approvals)
        }
        Component::ReportOfALateStage => {
            let config = DeadlineConfig { stage: ms(200), ..DeadlineConfig::default() };
            let deadlines = Deadlines::reporting(config, |_| panic!("no report"));
            ToolRuntime::builder().plugin(deadlines).on_pre_execute(Never::default())
        }
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_fails_denies() {
    use Component::*;
    use Fails::*;
    for (component, fails, cause) in [
        (Listener, WithAnError, FailureCause::HookFailed),
        (Listener, ByPanic, FailureCause::Panicked),
        (Listener, ByNeverDeciding, FailureCause::StageTimeout),
        (Approver, WithAnError, FailureCause::HookFailed),
        (Approver, ByPanic, FailureCause::Panicked),
        (Approver, ByNeverDeciding, FailureCause::StageTimeout),
        (Answerer, WithAnError, FailureCause::ApprovalUnavailable),
        (Answerer, ByPanic, FailureCause::Panicked),
        (Answerer, ByNeverDeciding, FailureCause::StageTimeout),
        (LogOfTheAsk, WithAnError, FailureCause::HookFailed),
        (LogOfTheAsk, ByPanic, FailureCause::Panicked),
        (LogOfTheDecision, WithAnError, FailureCause::HookFailed),
        (LogOfTheDecision, ByPanic, FailureCause::Panicked),
        (OfferedRules, ByPanic, FailureCause::Panicked),
        (ReportOfALateStage, ByPanic, FailureCause::Panicked),
    ] {
        let runs = Counter::default();
        let runtime = build(policy(component, fails), [counting("work", &runs)]);
        let result = runtime.scope("agent").execute(call("work", json!({}))).await;
        let failure = result.error().expect("denied");
        assert_eq!(runs.get(), 0, "K64: {component:?} {fails:?}");
        assert_eq!(failure.cause(), cause, "K64: {component:?} {fails:?}: {failure}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_granted_rule_that_breaks_denies() {
    let runs = Counter::default();
    let remember = Remember { what: Remembered::Rule(0), uses: None, seconds: None };
    let person = Person::who_says(Answer::Allow { remember: Some(remember) });
    let approvals =
        Approvals::new(people(&person)).with_rules(|_| vec![Arc::new(BrokenRule) as Arc<dyn GrantRule>]);
    let builder = ToolRuntime::builder().on_pre_execute(AskAlways).approver(approvals);
    let agent = build(builder, [counting("work", &runs)]).scope("agent");
    assert!(!agent.execute(call("work", json!({}))).await.is_error());
    let result = agent.execute(call("work", json!({}))).await;
    assert_eq!(result.error().expect("denied").cause(), FailureCause::Panicked, "K64");
    assert_eq!(runs.get(), 1, "K64");
}

#[tokio::test(start_paused = true)]
async fn a_log_that_breaks_does_not_reach_whoever_drops_a_call() {
    for fails in [Fails::WithAnError, Fails::ByPanic] {
        let (runs, told) = (Counter::default(), Counter::default());
        let tells = told.clone();
        let person = Person::who_never_answers();
        let approvals = Approvals::new(people(&person)).with_log(move |event: &ApprovalEvent| match event {
            ApprovalEvent::Asked(_) => Ok(()),
            ApprovalEvent::Decided(_) => {
                tells.add();
                fails.now()
            }
        });
        let builder = ToolRuntime::builder().on_pre_execute(AskAlways).approver(approvals);
        let agent = build(builder, [counting("work", &runs)]).scope("agent");
        // Dropped here, which must not panic.
        assert!(tokio::time::timeout(ms(10), agent.execute(call("work", json!({})))).await.is_err());
        assert_eq!((told.get(), runs.get()), (1, 0), "K64: {fails:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_failing_hook_is_named_to_operators_only() {
    let runtime = build(
        ToolRuntime::builder().on_pre_execute(Broken(Fails::WithAnError)),
        [counting("work", &Counter::default())],
    );
    let result = runtime.execute(call("work", json!({}))).await;
    let hook = result.error().expect("denied").hook().expect("named");
    assert!(hook.ends_with("fail_closed::Broken"), "{hook}");
    assert!(result.to_record_text().contains(&format!("\"hook\":\"{hook}\"")));
    assert!(!result.text().contains("Broken"), "no model reads it");
}
