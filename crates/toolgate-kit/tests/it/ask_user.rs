//! The `ask_user` tool: answered through the people who approve calls as well, while no time passes.

use std::time::Duration;

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate_kit::ask_user;
use toolgate_policy::person::{Answer, Asking};
use toolgate_policy::{DeadlineConfig, Deadlines, People};

fn runtime(people: &People) -> ToolRuntime {
    let config = DeadlineConfig { default: Some(Duration::from_secs(5)), ..DeadlineConfig::default() };
    let deadlines = Deadlines::new(config).with_clock(people.clock());
    let runtime = ToolRuntime::builder().plugin(deadlines).build().unwrap();
    runtime.register(ask_user(people.clone())).unwrap();
    runtime
}

fn call(arguments: &Value) -> ToolCall {
    ToolCall::new("ask_user", arguments.clone(), CancellationToken::new()).with_id("q")
}

/// Asks while somebody is there, who answers an hour later.
async fn answered(arguments: Value, answer: Answer) -> (ToolExecutionResult, Asking) {
    let people = People::new();
    let runtime = runtime(&people);
    let mut page = people.attend();
    let running = tokio::spawn(runtime.scope("agent").execute(call(&arguments)));
    while page.questions().is_empty() {
        page.changed().await;
    }
    let question = page.questions()[0].clone();
    assert_eq!((question.tool.as_str(), question.agent.as_deref()), ("ask_user", Some("agent")));
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    people.answer(question.id, answer, "page").expect("still pending");
    (running.await.unwrap(), question.asking.clone())
}

#[tokio::test(start_paused = true)]
async fn the_answer_is_what_the_person_chose_or_said() {
    let options = || json!({ "question": "Which?", "options": ["red", "green", "blue"] });
    let several = || json!({ "question": "Which?", "options": ["red", "green", "blue"], "multi": true });
    let reply = |text: &str| Answer::Reply { text: text.to_owned() };
    for (arguments, answer, value) in [
        (json!({ "question": "How many?" }), reply("42"), json!({ "answers": ["42"], "own_words": true })),
        (options(), Answer::Choose { options: vec![1] }, json!({ "answers": ["green"], "own_words": false })),
        (options(), reply("none"), json!({ "answers": ["none"], "own_words": true })),
        (
            several(),
            Answer::Choose { options: vec![0, 2] },
            json!({ "answers": ["red", "blue"], "own_words": false }),
        ),
    ] {
        let (result, _) = answered(arguments.clone(), answer).await;
        assert_eq!(result.value(), Some(&JsonValue::new(value).unwrap()), "{arguments}: {}", result.text());
    }
    let (result, _) = answered(several(), Answer::Choose { options: vec![0, 2] }).await;
    assert_eq!(result.text(), "red\nblue");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_a_failure_of_its_own() {
    let (result, _) = answered(json!({ "question": "May I?" }), Answer::Reject).await;
    assert_eq!(result.code(), Some("QUESTION_DECLINED"));
    assert!(result.text().contains("hint:"), "{}", result.text());
}

#[tokio::test(start_paused = true)]
async fn what_the_person_sees_is_escaped_and_what_the_model_gets_is_not() {
    let arguments = json!({ "question": "Which\u{202e}?", "options": ["a\u{1b}[2K", "b"] });
    let (result, asking) = answered(arguments, Answer::Choose { options: vec![0] }).await;
    let Asking::Choice { question, options, is_multiple } = asking else { panic!("a choice") };
    assert_eq!((question.as_str(), options[0].as_str()), ("Which\\u{202e}?", "a\\x1b[2K"));
    assert!(!is_multiple);
    assert_eq!(result.text(), "a\u{1b}[2K");
}

#[tokio::test(start_paused = true)]
async fn without_a_person_it_says_so_at_once() {
    let people = People::new();
    let result =
        runtime(&people).scope("agent").execute(call(&json!({ "question": "Is anybody there?" }))).await;
    assert_eq!(result.code(), Some("NOBODY_TO_ASK"));
    assert!(result.text().contains("hint:"), "{}", result.text());
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_question_is_withdrawn() {
    let people = People::new();
    let page = people.attend();
    let cancel = CancellationToken::new();
    let question = ToolCall::new("ask_user", json!({ "question": "Wait?" }), cancel.clone());
    let running = tokio::spawn(runtime(&people).scope("agent").execute(question));
    while page.questions().is_empty() {
        tokio::task::yield_now().await;
    }
    cancel.cancel();
    assert_eq!(running.await.unwrap().code(), Some("ABORTED"));
    assert!(page.questions().is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_is_no_question_is_refused_before_anybody_is_asked() {
    let people = People::new();
    let _page = people.attend();
    let runtime = runtime(&people);
    for arguments in [
        json!({ "question": " \n" }),
        json!({ "question": "x".repeat(4_001) }),
        json!({ "question": "Which?", "options": vec!["x"; 21] }),
        json!({ "question": "Which?", "options": ["a", ""] }),
        json!({ "question": "Which?", "options": ["a", "x".repeat(201)] }),
        json!({ "question": "Which?", "choices": ["a"] }),
    ] {
        let result = runtime.scope("agent").execute(call(&arguments)).await;
        assert_eq!(result.code(), Some("INVALID_ARGS"), "{}", result.text());
    }
}

#[tokio::test]
async fn the_card_shows_the_question_on_one_line() {
    let tool = ask_user(People::new());
    let view = tool.present_call(&JsonValue::new(json!({ "question": "One\nor\u{200b} two?" })).unwrap());
    assert_eq!(view.title(), "Ask: One\\nor\\u{200b} two?");
}
