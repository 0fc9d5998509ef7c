//! K20–K24: the text of arguments, read strictly; what is refused is refused for that call alone.

use std::sync::atomic::Ordering;

use toolgate_agent::{history_arguments, read_arguments};
use toolgate_session::{Event, TurnOutcome};

use crate::support::{Session, asks, runtime, says, told, turn};

#[test]
fn texts_become_objects_or_are_refused() {
    // The text, whether the output was cut off, the arguments or a part of the message, what was recorded.
    type Row = (&'static str, bool, Result<&'static str, &'static str>, Option<&'static str>);
    let blank = Some("read blank text as an empty object");
    let unwrapped = Some("unwrapped a doubly encoded object");
    let rows: &[Row] = &[
        ("{}", false, Ok("{}"), None),
        (" {\"n\": 2} \n", false, Ok(r#"{"n":2}"#), None),
        ("", false, Ok("{}"), blank),
        (" \n\t", false, Ok("{}"), blank),
        ("", true, Err("were truncated: there is no text of them"), None),
        (r#"{"n":2}"#, true, Ok(r#"{"n":2}"#), None),
        (r#""{\"n\":2}""#, false, Ok(r#"{"n":2}"#), unwrapped),
        (r#""\"{\\\"n\\\":2}\"""#, false, Err("the arguments are a string"), None),
        (r#""{\"n\":2} thanks""#, false, Err("the arguments are a string"), None),
        (r#""x""#, false, Err("the arguments are a string"), None),
        (r#""""#, false, Err("the arguments are a string"), None),
        ("[1]", false, Err("the arguments are a list"), None),
        (r#""[1]""#, false, Err("the arguments are a string"), None),
        ("null", false, Err("the arguments are null"), None),
        ("true", false, Err("the arguments are a boolean"), None),
        ("7", false, Err("the arguments are a number"), None),
        (r#"{"all": tru"#, false, Err("were truncated"), None),
        (r#"{"all": trx"#, false, Err("expected a value"), None),
        (r#"{"n":2} thanks!"#, false, Err("unexpected text after the value"), None),
        (r#"{"n":2}{"n":3}"#, false, Err("unexpected text after the value"), None),
        (r#"{"path":"a.txt","content":"half"#, false, Err("they end inside `content` after 31 bytes"), None),
        (r#"{"path":"a.txt","content":"half\"#, false, Err("were truncated"), None),
        (r#"{"path":"a.txt","content":"half\u00"#, false, Err("were truncated"), None),
        (r#"{"path":"a.txt","content":"#, false, Err("were truncated"), None),
        (r#"{"path""#, false, Err("were truncated"), None),
        ("{", false, Err("were truncated"), None),
        (r#"{"a":1,"a":2}"#, false, Err("the key occurs twice at `a`"), None),
        (r#"{"n":9007199254740993}"#, false, Ok(r#"{"n":9007199254740993}"#), None),
        (r#"{"n":18446744073709551615}"#, false, Ok(r#"{"n":18446744073709551615}"#), None),
        (r#"{"n":-9223372036854775808}"#, false, Ok(r#"{"n":-9223372036854775808}"#), None),
        (r#"{"a":[{"n":12345678901234567890123}]}"#, false, Err("at `a[0].n`"), None),
        (r#"{"n":-0}"#, false, Err("negative zero"), None),
        ("{'n':2}", false, Err("expected a key in double quotes"), None),
        ("n=2", false, Err("expected a value"), None),
    ];
    for (text, is_cut_off, expected, normalized) in rows {
        let read = read_arguments(text, *is_cut_off);
        match (&read, expected) {
            (Ok(read), Ok(value)) => {
                assert_eq!(read.value.to_text(), *value, "{text}");
                assert_eq!(read.normalized.map(|step| step.as_str()), *normalized, "{text}");
            }
            (Err(refused), Err(part)) => {
                assert!(refused.to_string().contains(part), "{text}: {refused}");
            }
            _ => panic!("{text}: {read:?} is not {expected:?}"),
        }
        // K23: whatever was sent, the history is valid JSON.
        let history = history_arguments(text);
        assert!(toolgate::JsonValue::parse(&history).unwrap().is_object(), "{text}: {history}");
        if !is_cut_off && let Ok(read) = read {
            assert_eq!(toolgate::JsonValue::parse(&history).unwrap(), read.value, "{text}");
        }
    }
}

#[tokio::test]
async fn a_refused_call_fails_alone_and_the_turn_goes_on() {
    let (builder, ran) = runtime();
    let scope = builder.build().unwrap().scope("agent");
    let session = Session::new();
    let refused = [r#"{"all": tru"#, "[1]", "null", r#""x""#, r#"{"n":2} thanks!"#, r#"{"n":"#];
    let mut calls: Vec<(&str, &str)> = refused.iter().map(|text| ("number", *text)).collect();
    calls.push(("number", r#""{\"n\":2}""#));
    calls.push(("number", ""));
    calls.push(("nothing", ""));
    let mut agent = session.start(scope, vec![asks(&calls), says("done")]).await;
    let report = turn(&mut agent).await;
    assert_eq!((report.outcome, report.text.as_str(), report.steps), (TurnOutcome::Completed, "done", 2));

    let results = session.results();
    for (text, result) in refused.iter().zip(&results) {
        assert_eq!(told(result).1, Some("INVALID_ARGS"), "{text}: {result:?}");
    }
    assert_eq!(told(&results[6]), ("2".to_owned(), None));
    // K20: the model reads what is missing, not a JSON error.
    let (missing, code) = told(&results[7]);
    assert_eq!(code, Some("INVALID_ARGS"));
    assert!(missing.contains('n') && missing.contains("missing") && !missing.contains("JSON"), "{missing}");
    assert_eq!(told(&results[8]), ("nothing".to_owned(), None));
    assert_eq!(ran.load(Ordering::SeqCst), 2, "no body ran for a refused text");

    // The raw text and what was done to it are in the log.
    let calls = session.calls();
    assert_eq!(calls[6].normalized, ["unwrapped a doubly encoded object"]);
    assert_eq!(calls[8].normalized, ["read blank text as an empty object"]);
    assert!(calls[0].arguments.is_null());
    let asked = session.events().into_iter().find_map(|event| match event {
        Event::AssistantMessage(message) => Some(message.calls),
        _ => None,
    });
    let texts: Vec<String> = asked.unwrap().into_iter().map(|call| call.arguments).take(6).collect();
    assert_eq!(texts, refused);
}

#[tokio::test]
async fn the_last_call_of_a_cut_off_answer_is_no_call_without_arguments() {
    let (builder, ran) = runtime();
    let scope = builder.build().unwrap().scope("agent");
    let session = Session::new();
    let mut cut = asks(&[("nothing", ""), ("nothing", "")]);
    cut.stop = Some("length".to_owned());
    let mut agent = session.start(scope, vec![cut, says("done")]).await;
    assert_eq!(turn(&mut agent).await.outcome, TurnOutcome::Completed);
    let results = session.results();
    assert_eq!(told(&results[0]).1, None);
    assert!(told(&results[1]).0.contains("truncated"), "{:?}", results[1]);
    assert_eq!(ran.load(Ordering::SeqCst), 1);
}
