//! Messages and cards from events alone.

use serde_json::json;
use toolgate::{
    CallId, ContentBlock, JsonValue, RunContext, ToolCallView, ToolDefinition, ToolResultView, UserMessage,
};
use toolgate_session::replay::{Message, cards, messages};
use toolgate_session::{
    AssistantMessage, CodeDispatch, CodeDispatchStart, Event, RecordedError, RequestedCall, ToolCallRecorded,
    ToolResultRecorded,
};

use crate::support::text;

fn requested(id: &str) -> RequestedCall {
    RequestedCall {
        call_id: CallId::from(id),
        model_id: id.to_owned(),
        name: "shout".to_owned(),
        arguments: "{}".to_owned(),
    }
}

fn called(id: &str, name: &str) -> Event {
    Event::ToolCall(ToolCallRecorded {
        call_id: CallId::from(id),
        name: name.to_owned(),
        arguments: JsonValue::parse(r#"{"word":"hey"}"#).unwrap(),
        normalized: Vec::new(),
        effect: None,
    })
}

fn settled(id: &str, error: Option<&str>, context: Option<&str>) -> Event {
    Event::ToolResult(ToolResultRecorded {
        call_id: CallId::from(id),
        content: vec![ContentBlock::text(format!("result of {id}"))],
        error: error.map(|code| RecordedError {
            message: "broken".to_owned(),
            name: Some("E".to_owned()),
            code: Some(code.to_owned()),
            cause: "body_failed".to_owned(),
        }),
        meta: Some(JsonValue::from(7)),
        contexts: context.map(|text| UserMessage::text("plugin", text)).into_iter().collect(),
        concludes_turn: false,
        settlement: None,
    })
}

fn asked(ids: &[&str]) -> Event {
    let calls = ids.iter().map(|id| requested(id)).collect();
    Event::AssistantMessage(AssistantMessage { calls, ..AssistantMessage::default() })
}

#[test]
fn contexts_follow_the_last_result_of_their_step() {
    let events = [
        text("go"),
        asked(&["a", "b"]),
        called("a", "shout"),
        called("b", "shout"),
        settled("a", None, Some("note a")),
        settled("b", Some("X"), Some("note b")),
        asked(&["c"]),
        called("c", "shout"),
        settled("c", None, Some("note c")),
    ];
    let shape: Vec<String> = messages(&events)
        .into_iter()
        .map(|message| match message {
            Message::User { source, content } => {
                format!("{}: {}", source.unwrap_or_default(), content[0].as_text().unwrap())
            }
            Message::Assistant { calls, .. } => format!("asks for {}", calls.len()),
            Message::Tool { call_id, is_error, .. } => format!("{call_id} {is_error}"),
        })
        .collect();
    assert_eq!(
        shape,
        [
            ": go",
            "asks for 2",
            "a false",
            "b true",
            "plugin: note a",
            "plugin: note b",
            "asks for 1",
            "c false",
            "plugin: note c",
        ]
    );
}

#[test]
fn cards_come_from_the_presenters_and_a_tool_that_is_gone_is_shown_by_its_content() {
    let shout = ToolDefinition::raw("shout", "Shouts.")
        .output_schema(json!({}))
        .present_call(|arguments| {
            let title = format!("Shout {}", arguments["word"].as_str()?);
            Some(ToolCallView::Terminal { title, description: None, cwd: None })
        })
        .present_result(|arguments, result| {
            let code = result.error.and_then(|error| error.code()).unwrap_or("fine");
            let title = Some(format!("{} {code} {}", arguments["word"], result.meta?));
            Some(ToolResultView::Generic { title, content: None })
        })
        .body(|_: JsonValue, _: RunContext| async { Ok(JsonValue::null()) });
    let sub_call = CallId::from("a:code:1");
    let events = [
        called("a", "shout"),
        called("b", "gone"),
        Event::CodeDispatchStart(CodeDispatchStart {
            parent: CallId::from("a"),
            call_id: sub_call.clone(),
            name: "gone".to_owned(),
            arguments: JsonValue::null(),
        }),
        settled("b", None, None),
        Event::CodeDispatch(CodeDispatch {
            parent: CallId::from("a"),
            call_id: sub_call,
            name: "gone".to_owned(),
            is_error: true,
            content: vec![ContentBlock::text("Error: no")],
        }),
        settled("a", Some("QUOTA"), None),
        called("c", "shout"),
    ];
    let found = cards(&events, |name| (name == "shout").then(|| shout.clone()));
    let shape: Vec<(String, Option<String>, String, Option<String>)> = found
        .iter()
        .map(|card| {
            let result = card.result.as_ref().map(|result| match result {
                ToolResultView::Generic { title, content } => {
                    let text = content.as_ref().and_then(|content| content[0].as_text().map(str::to_owned));
                    format!("{}|{}", title.clone().unwrap_or_default(), text.unwrap_or_default())
                }
                other => format!("{other:?}"),
            });
            let parent = card.parent.as_ref().map(ToString::to_string);
            (card.call_id.to_string(), parent, card.call.title().to_owned(), result)
        })
        .collect();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        shape,
        [
            ("a".to_owned(), None, "Shout hey".to_owned(), text("\"hey\" QUOTA 7|")),
            ("b".to_owned(), None, "gone".to_owned(), text("gone|result of b")),
            ("a:code:1".to_owned(), text("a"), "gone".to_owned(), text("gone|Error: no")),
            ("c".to_owned(), None, "Shout hey".to_owned(), None),
        ]
    );
}
