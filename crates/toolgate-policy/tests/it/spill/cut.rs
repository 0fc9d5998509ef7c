//! What is cut, and what is left alone.

use serde_json::json;
use toolgate::prelude::*;
use toolgate::{CodeDispatchLog, FailureCause};
use toolgate_policy::{SpillConfig, ToolSpill};

use super::bench::{Bench, handle, handle_in, kept, large, tool};

fn small() -> SpillConfig {
    SpillConfig { max_text_bytes: 1_000, head_bytes: 600, tail_bytes: 200, ..SpillConfig::default() }
}

#[tokio::test]
async fn a_large_value_leaves_head_tail_sizes_and_a_handle() {
    let bench = Bench::new();
    let value = large(500_000);
    bench.gives("big", value.clone());
    let result = bench.call("big", json!({})).await;
    assert!(result.value().unwrap() == &value, "K51: the canonical value is whole");
    let [excerpt, notice] = result.content() else { panic!("{:?}", result.content().len()) };
    let (excerpt, notice) = (excerpt.as_text().unwrap(), notice.as_text().unwrap());
    let (head, rest) = excerpt.split_once("[… ").unwrap();
    let (gap, tail) = rest.split_once(" bytes left out …]\n").unwrap();
    let whole = kept(&value);
    assert!(whole.starts_with(head) && head.len() > 5_000 && head.ends_with('\n'));
    assert!(whole.ends_with(tail) && tail.len() > 1_000);
    assert_eq!(gap.parse::<usize>().unwrap() + head.len() + tail.len(), whole.len());
    for words in [
        "[spill policy]".to_owned(),
        format!("{} bytes", value.to_string().len()),
        format!("{} in all", head.len() + tail.len()),
        format!("indented JSON of {} bytes", whole.len()),
        format!("offset {}", head.len()),
        "60 minutes".to_owned(),
        "`spill_query`".to_owned(),
    ] {
        assert!(notice.contains(&words), "K51: {words} in {notice}");
    }
}

#[tokio::test]
async fn a_result_of_the_largest_size_stays_and_one_byte_more_is_cut() {
    let bench = Bench::with(small());
    for (length, is_cut) in [(10, false), (1_000, false), (1_001, true)] {
        let name = format!("text{length}");
        bench.gives(&name, "x".repeat(length));
        let result = bench.call(&name, json!({})).await;
        assert_eq!(handle_in(&result.text()).is_some(), is_cut, "{length}");
        assert_eq!(result.text() == "x".repeat(length), !is_cut, "{length}");
    }
}

#[tokio::test]
async fn tools_may_have_a_size_of_their_own() {
    let tools = [("never".to_owned(), ToolSpill::Never), ("later".to_owned(), ToolSpill::Above(3_000))];
    let bench = Bench::with(SpillConfig { tools: tools.into(), ..small() });
    for (name, length, is_cut) in [("usual", 2_000, true), ("never", 100_000, false), ("later", 3_000, false)]
    {
        bench.gives(name, "x".repeat(length));
        let result = bench.call(name, json!({})).await;
        assert_eq!(handle_in(&result.text()).is_some(), is_cut, "{name}");
    }
    let later = bench.runtime.scope("other");
    later.register(tool("later").body(|_, _| async { Ok(json!("x".repeat(3_001))) })).unwrap();
    let result = bench.call_as(&later, "later", json!({})).await;
    assert!(handle_in(&result.text()).is_some());
}

#[tokio::test]
async fn failures_are_cut_as_well() {
    let bench = Bench::with(small());
    let message = "line of an error\n".repeat(1_000);
    let failing = message.clone();
    let body = move |_: JsonValue, _: RunContext| {
        let failure = ToolError::coded("SomeError", "SOME", failing.clone());
        async move { Err::<JsonValue, _>(failure) }
    };
    bench.runtime.register(tool("fails").body(body)).unwrap();
    let result = bench.call("fails", json!({})).await;
    assert!(result.text().starts_with("Error: line of an error\n") && result.text().len() < 1_600);
    assert_eq!((result.code(), result.error().unwrap().message()), (Some("SOME"), message.as_str()));
    let args = json!({ "handle": handle(&result) });
    let read = bench.value("spill_read", args).await;
    assert_eq!(read["total"], json!("Error: ".len() + message.len()));
}

#[tokio::test]
async fn what_policy_says_of_a_refused_call_can_be_read_by_the_refused() {
    let bench = Bench::with(small());
    bench.gives("some", 1);
    let _guard = bench.runtime.guard(|call| (call.name() == "some").then(|| "because ".repeat(1_000)));
    let result = bench.call("some", json!({})).await;
    assert_eq!(result.error().unwrap().cause(), FailureCause::GuardDenied);
    assert_eq!(bench.refusal(&handle(&result)).await, None);
}

#[tokio::test]
async fn contexts_and_metadata_stay() {
    let bench = Bench::with(small());
    let context = "context ".repeat(1_000);
    let deferred = context.clone();
    let definition = tool("talks").presentation_meta(|_, _| Ok(json!({ "meta": "m".repeat(5_000) }))).body(
        move |_, cx: RunContext| {
            cx.defer_context(UserMessage::text("test", deferred.clone()));
            cx.conclude_turn();
            async { Ok(json!("x".repeat(5_000))) }
        },
    );
    bench.runtime.register(definition).unwrap();
    let result = bench.call("talks", json!({})).await;
    handle(&result);
    assert_eq!(result.additional_contexts(), [UserMessage::text("test", context)], "P15");
    assert_eq!(result.meta().unwrap()["meta"], json!("m".repeat(5_000)), "P16");
    assert!(result.concludes_turn(), "P20");
}

/// Says something else in the place of a result.
struct Says(PostToolDecision);

impl PostExecute for Says {
    async fn post_execute(
        &self,
        call: &ToolExecution,
        _result: &ToolExecutionResult,
        next: Next<'_, Post>,
    ) -> HookResult<PostToolDecision> {
        if call.name() == "secret" { Ok(self.0.clone()) } else { next.run().await }
    }
}

#[tokio::test]
async fn what_another_listener_made_is_cut_and_the_value_behind_it_is_not_kept() {
    let words = || vec![ContentBlock::text("public ".repeat(1_000))];
    for decision in [PostToolDecision::replace_content(words()), PostToolDecision::block(words())] {
        let bench = Bench::with(small());
        bench.gives("secret", json!({ "secret": "s".repeat(5_000) }));
        let decision = decision.with_contexts(vec![UserMessage::text("test", "kept")]);
        bench.runtime.on_post_execute(Says(decision));
        let result = bench.call("secret", json!({})).await;
        assert_eq!(result.additional_contexts(), [UserMessage::text("test", "kept")]);
        let handle = handle(&result);
        let read = bench.value("spill_read", json!({ "handle": handle })).await;
        assert_eq!(read["text"], json!("public ".repeat(1_000)));
        let query = bench.call("spill_query", json!({ "handle": handle, "pointer": "/secret" })).await;
        assert_eq!(query.code(), Some("SPILL_NOT_JSON"));
        for file in bench.files() {
            assert!(!std::fs::read_to_string(&file).unwrap().contains("ssss"), "{}", file.display());
        }
    }
}

#[tokio::test]
async fn blocks_count_together_and_keep_their_places() {
    let bench = Bench::with(SpillConfig { max_image_bytes: 2_000, ..small() });
    let audio = |data: &str| {
        let block = json!({ "type": "audio", "mimeType": "audio/wav", "data": data });
        ContentBlock::from_json(&JsonValue::new(block).unwrap()).unwrap()
    };
    let text = || ContentBlock::text("word ".repeat(100));
    let image = |letter: &str| ContentBlock::image(letter.repeat(1_500), "image/png");
    let content = vec![text(), image("A"), text(), audio(&"d".repeat(2_000)), image("B"), text()];
    let given = content.clone();
    let definition = tool("mixed").render(move |_, _| Ok(given.clone())).body(|_, _| async { Ok(json!(1)) });
    bench.runtime.register(definition).unwrap();
    let result = bench.call("mixed", json!({})).await;
    let kinds = result.content().iter().map(ContentBlock::kind).collect::<Vec<_>>();
    assert_eq!(kinds, ["text", "text", "image", "text", "text", "text"], "{}", result.text());
    assert_eq!(result.content()[2], image("A"), "the first image fits");
    let read = async |at: usize| {
        let handle = handle_in(result.content()[at].as_text().unwrap()).unwrap();
        bench.value("spill_read", json!({ "handle": handle })).await
    };
    assert_eq!(
        read(1).await["text"],
        json!(["word ".repeat(100), "word ".repeat(100), "word ".repeat(100)].join("\n"))
    );
    let sound = read(4).await["text"].as_str().unwrap().to_owned();
    assert_eq!(JsonValue::parse(&sound).unwrap()[0]["data"], json!("d".repeat(2_000)));
    let picture = read(5).await;
    assert_eq!((&picture["text"], &picture["media_type"]), (&json!("B".repeat(1_500)), &json!("image/png")));
    assert!(result.content()[5].as_text().unwrap().contains("image/png, 1500 bytes"));
}

#[tokio::test]
async fn the_logged_copy_of_a_sub_call_is_cut_and_its_content_is_not() {
    let bench = Bench::with(small());
    let value = large(5_000);
    bench.gives("inner", value.clone());
    // What Code Mode does with each sub-call of a program.
    let body = |_: JsonValue, cx: RunContext| async move {
        let call = cx.nested_call("inner", json!({ "some": "argument" })).with_id("c:code:1");
        let result = cx.runtime().execute(call).await;
        let dispatch = CodeDispatchLog {
            outer: cx.call().clone(),
            sub_call_id: "c:code:1".into(),
            name: "inner".to_owned(),
            arguments: JsonValue::new(json!({ "some": "argument" })).unwrap(),
            is_error: result.is_error(),
            content: result.content().to_vec(),
        };
        let logged = cx.runtime().logged_content(&dispatch).await;
        let logged = logged.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n");
        Ok(json!({ "whole": result.text().len(), "logged": logged }))
    };
    bench.runtime.register(tool("outer").body(body)).unwrap();
    let result = bench.call("outer", json!({})).await;
    let value_of_outer = result.value().unwrap();
    assert_eq!(value_of_outer["whole"], json!(value.to_string().len()), "the program's copy is whole");
    let logged = value_of_outer["logged"].as_str().unwrap();
    assert!(logged.contains("[spill policy]") && logged.len() < 1_500, "C5: {logged}");
    let handle = handle_in(logged).unwrap();
    let part = bench.value("spill_query", json!({ "handle": handle, "pointer": "/3/number" })).await;
    assert_eq!(part["text"], json!("3"));
    // The handle remembers the call: a rule about its arguments holds for reading.
    bench.runtime.guard(|call| call.arguments().get("some").map(|_| "no".to_owned()));
    assert_eq!(bench.refusal(&handle).await.as_deref(), Some("SPILL_REFUSED"));
}

#[tokio::test]
async fn the_answers_of_the_reading_tools_are_not_cut_again() {
    let bench = Bench::with(small());
    bench.gives("big", large(50_000));
    let handle = handle(&bench.call("big", json!({})).await);
    for (name, arguments) in [
        ("spill_read", json!({ "handle": handle })),
        ("spill_grep", json!({ "handle": handle, "pattern": "name", "limit": 500 })),
        ("spill_query", json!({ "handle": handle, "pointer": "" })),
    ] {
        let files = bench.files().len();
        let result = bench.call(name, arguments).await;
        assert!((10_000..40_000).contains(&result.text().len()), "{name} {}", result.text().len());
        assert!(!result.text().contains("[spill policy]"), "{name}");
        assert_eq!(bench.files().len(), files, "{name}");
    }
}
