//! Reading what was cut: by offset, by pattern, by pointer.

use std::time::Instant;

use serde_json::{Value, json};
use toolgate::prelude::*;
use toolgate_policy::SpillConfig;

use super::bench::{Bench, handle, kept, large, tool};

#[tokio::test]
async fn five_megabytes_can_be_read_searched_and_pointed_into() {
    let bench = Bench::new();
    let value = large(5_000_000);
    bench.gives("big", value.clone());
    let handle = handle(&bench.call("big", json!({})).await);
    let found =
        bench.value("spill_grep", json!({ "handle": handle, "pattern": "\"number\": 123456,?$" })).await;
    assert_eq!(found["total"], json!(1), "K51: by pattern");
    let offset = found["lines"][0]["offset"].as_u64().unwrap();
    let read = bench.value("spill_read", json!({ "handle": handle, "offset": offset, "limit": 100 })).await;
    let text = read["text"].as_str().unwrap();
    assert!(
        text.starts_with("\"number\": 123456,\n    \"name\": \"näme 123456\",\n"),
        "K51: by offset: {text}"
    );
    let part = bench.value("spill_query", json!({ "handle": handle, "pointer": "/123456" })).await;
    let part = JsonValue::parse(part["text"].as_str().unwrap()).unwrap();
    assert!(&part == value.pointer("/123456").unwrap(), "K51: by pointer");
}

#[tokio::test]
async fn reading_on_gives_every_byte_once() {
    let bench = Bench::new();
    let long_line = "äö€😀 without a break ".repeat(5_000);
    let lines = (0..20_000).map(|number| format!("line {number} ü\r\n")).collect::<String>();
    for (name, text) in [("line", long_line), ("lines", lines)] {
        bench.gives(name, text.as_str());
        let handle = handle(&bench.call(name, json!({})).await);
        for limit in [4, 1_000, 16_384] {
            // A whole reading by four bytes at a time would only take long.
            let start = if limit == 4 { text.len() - 400 } else { 0 };
            let start = (start..).find(|at| text.is_char_boundary(*at)).unwrap();
            let (mut at, mut read) = (start, String::new());
            while at < text.len() {
                let args = json!({ "handle": handle, "offset": at, "limit": limit });
                let piece = bench.value("spill_read", args).await;
                let piece_text = piece["text"].as_str().unwrap();
                assert!(piece_text.len() <= limit && !piece_text.is_empty(), "{name} {limit} {at}");
                assert_eq!(piece["offset"], json!(at));
                read.push_str(piece_text);
                at = usize::try_from(piece["end"].as_u64().unwrap()).unwrap();
            }
            assert!(read == text[start..], "K51: {name} {limit}");
        }
    }
}

#[tokio::test]
async fn an_offset_within_a_character_is_its_start() {
    let bench = Bench::new();
    bench.gives("text", "😀".repeat(20_000));
    let handle = handle(&bench.call("text", json!({})).await);
    for (offset, start) in [(0, 0), (1, 0), (3, 0), (4, 4), (7, 4), (79_999, 79_996), (80_000, 80_000)] {
        let args = json!({ "handle": handle, "offset": offset, "limit": 9 });
        let piece = bench.value("spill_read", args).await;
        assert_eq!(piece["offset"], json!(start), "{offset}");
        let expected = "😀".repeat(((80_000 - start) / 4).min(2));
        assert_eq!(piece["text"], json!(expected), "{offset}");
    }
}

#[tokio::test]
async fn wrong_arguments_say_what_is_wrong() {
    let bench = Bench::new();
    bench.gives("big", large(50_000));
    bench.gives("text", "no json ".repeat(10_000));
    let big = handle(&bench.call("big", json!({})).await);
    let text = handle(&bench.call("text", json!({})).await);
    for (tool, arguments, code, words) in [
        ("spill_read", json!({ "handle": big, "offset": 10_000_000 }), "INVALID_ARGS", "behind the end"),
        ("spill_read", json!({ "handle": big, "limit": 3 }), "INVALID_ARGS", "4 to 16384"),
        ("spill_read", json!({ "handle": big, "limit": 16_385 }), "INVALID_ARGS", "4 to 16384"),
        ("spill_read", json!({ "handle": big, "limit": -1 }), "INVALID_ARGS", "limit"),
        ("spill_grep", json!({ "handle": big, "pattern": "" }), "INVALID_ARGS", "`pattern` is empty"),
        ("spill_grep", json!({ "handle": big, "pattern": "(" }), "INVALID_ARGS", "not a regular expression"),
        ("spill_grep", json!({ "handle": big, "pattern": "(?:a{1000}){1000}" }), "INVALID_ARGS", "too large"),
        ("spill_grep", json!({ "handle": big, "pattern": "x", "limit": 501 }), "INVALID_ARGS", "1 to 500"),
        ("spill_query", json!({ "handle": big, "pointer": "a" }), "INVALID_ARGS", "begin with `/`"),
        (
            "spill_query",
            json!({ "handle": big, "pointer": "", "offset": 9_999_999 }),
            "INVALID_ARGS",
            "behind",
        ),
        ("spill_query", json!({ "handle": text, "pointer": "" }), "SPILL_NOT_JSON", "spill_grep"),
        (
            "spill_query",
            json!({ "handle": big, "pointer": "/0/nome" }),
            "SPILL_POINTER_NOT_FOUND",
            "`number`, `name`",
        ),
        (
            "spill_query",
            json!({ "handle": big, "pointer": "/1250" }),
            "SPILL_POINTER_NOT_FOUND",
            "1250 items",
        ),
        (
            "spill_query",
            json!({ "handle": big, "pointer": "/00" }),
            "SPILL_POINTER_NOT_FOUND",
            "no item `00`",
        ),
        ("spill_query", json!({ "handle": big, "pointer": "/-" }), "SPILL_POINTER_NOT_FOUND", "no item `-`"),
        (
            "spill_query",
            json!({ "handle": big, "pointer": "/0/name/x" }),
            "SPILL_POINTER_NOT_FOUND",
            "kind string",
        ),
    ] {
        let result = bench.call(tool, arguments.clone()).await;
        assert_eq!(result.code(), Some(code), "{arguments} {}", result.text());
        assert!(result.text().contains(words), "{arguments} {}", result.text());
    }
}

#[tokio::test]
async fn a_search_finds_lines_and_where_they_are() {
    let bench = Bench::new();
    let value = large(400_000);
    bench.gives("big", value.clone());
    let handle = handle(&bench.call("big", json!({})).await);
    let whole = kept(&value);
    let found = bench.value("spill_grep", json!({ "handle": handle, "pattern": "näme 7777\\b" })).await;
    assert_eq!((&found["total"], found["lines"].as_array().unwrap().len()), (&json!(1), 1), "K51");
    let line = &found["lines"][0];
    let offset = usize::try_from(line["offset"].as_u64().unwrap()).unwrap();
    assert!(whole[offset..].starts_with("näme 7777\""));
    assert_eq!(line["text"], json!("    \"name\": \"näme 7777\","));
    let number = whole[..offset].matches('\n').count() + 1;
    assert_eq!(line["number"], json!(number));
    // From an offset on, lines keep their numbers.
    let args = json!({ "handle": handle, "pattern": "\"number\"", "offset": offset, "limit": 2 });
    let found = bench.value("spill_grep", args).await;
    assert_eq!(found["lines"][0]["text"], json!("    \"number\": 7778,"));
    assert_eq!(found["lines"][0]["number"], json!(number + 7));
    assert_eq!(found["total"], json!(value.as_array().unwrap().len() - 7_778));
    assert_eq!(found["lines"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_long_line_is_searched_whole_and_shown_around_the_match() {
    let bench = Bench::new();
    // A match at every place of the pieces in which such a line is searched.
    for shift in [0, 1, 3_000, 3_570, 3_583, 3_584, 3_600, 4_090, 4_096] {
        let text = format!("{}NEEDLE{}\nlast NEEDLE", "x".repeat(40_000 + shift), "y".repeat(40_000));
        let name = format!("long{shift}");
        bench.gives(&name, text.as_str());
        let handle = handle(&bench.call(&name, json!({})).await);
        let found = bench.value("spill_grep", json!({ "handle": handle, "pattern": "NEEDLE" })).await;
        assert_eq!(found["total"], json!(2), "{shift}");
        assert_eq!(found["lines"][0]["offset"], json!(40_000 + shift), "{shift}");
        let shown = found["lines"][0]["text"].as_str().unwrap();
        assert!(shown.starts_with("[…] x") && shown.contains("NEEDLE") && shown.ends_with(" […]"), "{shown}");
        assert!(shown.len() < 500, "{shown}");
        assert_eq!(found["lines"][1]["number"], json!(2));
        // No piece but the first begins a line.
        let found = bench.value("spill_grep", json!({ "handle": handle, "pattern": "^(y|NEEDLE)" })).await;
        assert_eq!(found["total"], json!(0), "{shift}");
    }
}

#[tokio::test]
async fn the_heaviest_expression_ends_and_hears_of_cancellation() {
    let bench = Bench::new();
    // Every letter of it can be the next one of the expression, so nothing is skipped.
    bench.gives("big", "abbacab".repeat(700_000));
    let handle = handle(&bench.call("big", json!({})).await);
    let cancel = CancellationToken::new();
    let args = json!({ "handle": handle, "pattern": "(?:[abc]{0,300}a){6}[abc]{300}z" });
    let call = bench.runtime.scope("agent").execute(ToolCall::new("spill_grep", args, cancel.clone()));
    let begun = Instant::now();
    let call = tokio::spawn(call);
    // The search answers within its own limit, or as soon as it is told to stop.
    tokio::time::timeout(std::time::Duration::from_millis(300), async { cancel.cancelled().await })
        .await
        .ok();
    cancel.cancel();
    let result = call.await.unwrap();
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
    assert!(result.code() == Some("ABORTED") || !result.is_error(), "{}", result.text());
}

#[tokio::test]
async fn a_pointer_takes_any_part_of_a_large_value() {
    let bench = Bench::new();
    let items = large(200_000);
    let last = items.as_array().unwrap().len() - 1;
    let value =
        json!({ "a/b": { "~": [null, true, -1.5e3] }, "": "empty", "items": items, "käy\"s": { "x": {} } });
    bench.gives("big", value.clone());
    let handle = handle(&bench.call("big", json!({})).await);
    for pointer in [
        "/a~1b/~0/0".to_owned(),
        "/a~1b/~0/1".to_owned(),
        "/a~1b/~0/2".to_owned(),
        "/a~1b".to_owned(),
        "/".to_owned(),
        "/käy\"s/x".to_owned(),
        format!("/items/{last}/tags"),
        format!("/items/{last}"),
    ] {
        let part = bench.value("spill_query", json!({ "handle": handle, "pointer": pointer })).await;
        let text = part["text"].as_str().unwrap();
        let expected = value.pointer(&pointer).unwrap();
        assert!(&JsonValue::parse(text).unwrap() == expected, "K51: {pointer} {text}");
        assert_eq!((&part["end"], &part["offset"]), (&part["total"], &json!(0)), "{pointer}");
    }
    let part = bench.value("spill_query", json!({ "handle": handle, "pointer": "/items" })).await;
    assert_eq!((&part["kind"], &part["members"]), (&json!("array"), &json!(last + 1)));
    assert!(part["text"].as_str().unwrap().len() <= 16_384);
    let whole = bench.call("spill_query", json!({ "handle": handle, "pointer": "" })).await;
    assert_eq!(whole.value().unwrap()["names"], json!(["a/b", "", "items", "käy\\\"s"]));
    // Going on within a part gives every byte of it.
    let tags = bench.value("spill_query", json!({ "handle": handle, "pointer": "/items/5" })).await;
    let text = tags["text"].as_str().unwrap();
    let args = json!({ "handle": handle, "pointer": "/items/5", "offset": 4, "limit": 7 });
    let piece = bench.value("spill_query", args).await;
    assert!(text[4..].starts_with(piece["text"].as_str().unwrap()) && piece["offset"] == json!(4));
}

#[tokio::test]
async fn pointers_lead_into_the_value_where_the_text_is_another_view() {
    let bench = Bench::new();
    let value = large(50_000);
    let given = JsonValue::new(value).unwrap();
    let definition = tool("view")
        .render(|_, _| Ok(vec![ContentBlock::text("A view\n".repeat(10_000))]))
        .body(move |_, _| std::future::ready(Ok(given.clone())));
    bench.runtime.register(definition).unwrap();
    let handle = handle(&bench.call("view", json!({})).await);
    let read = bench.value("spill_read", json!({ "handle": handle, "limit": 7 })).await;
    assert_eq!(read["text"], json!("A view\n"));
    let part = bench.value("spill_query", json!({ "handle": handle, "pointer": "/7/name" })).await;
    assert_eq!(part["text"], json!("\"näme 7\""));
}

#[tokio::test]
async fn a_text_that_is_json_can_be_pointed_into_as_it_is() {
    let bench = Bench::new();
    let text = format!(" [ {{ \"a\" :\t[1 , 2 ]}} ,\"{}\"]\n", "x\\\"]".repeat(20_000));
    bench.gives("text", text.as_str());
    let handle = handle(&bench.call("text", json!({})).await);
    for (pointer, expected) in [("/0/a", "[1 , 2 ]"), ("/0/a/1", "2")] {
        let part = bench.value("spill_query", json!({ "handle": handle, "pointer": pointer })).await;
        assert_eq!(part["text"], json!(expected));
    }
    let part = bench.value("spill_query", json!({ "handle": handle, "pointer": "/1" })).await;
    assert_eq!((&part["kind"], &part["total"]), (&json!("string"), &json!(80_002)));
}

#[tokio::test]
async fn a_deep_value_is_kept_compact_and_read_without_a_stack() {
    let bench = Bench::with(SpillConfig { quota_bytes: 2_000_000, ..SpillConfig::default() });
    let deep = format!("{}7{}", "[".repeat(100_000), "]".repeat(100_000));
    let value = JsonValue::parse_with(&deep, toolgate::ParseLimits::unbounded()).unwrap();
    let given = value.clone();
    bench.runtime.register(tool("deep").body(move |_, _| std::future::ready(Ok(given.clone())))).unwrap();
    let result = bench.call("deep", json!({})).await;
    assert!(result.text().contains("as compact JSON"), "{}", result.text());
    let handle = handle(&result);
    let pointer = "/0".repeat(1_000);
    let part = bench.value("spill_query", json!({ "handle": handle, "pointer": pointer })).await;
    assert_eq!((&part["total"], &part["members"]), (&json!(deep.len() - 2_000), &json!(1)));
}

#[tokio::test]
async fn a_changed_file_is_reported_and_not_trusted() {
    let bench = Bench::new();
    bench.gives("big", large(50_000));
    let handle = handle(&bench.call("big", json!({})).await);
    for file in bench.files().iter().filter(|file| file.extension().unwrap() == "text") {
        std::fs::write(file, [0xff; 100]).unwrap();
    }
    for (tool, arguments) in [
        ("spill_read", json!({ "handle": handle })),
        ("spill_query", json!({ "handle": handle, "pointer": "/0" })),
    ] {
        let result = bench.call(tool, arguments).await;
        assert_eq!(result.code(), Some("SPILL_UNREADABLE"), "{tool} {}", result.text());
    }
    let value: Value = json!({ "handle": handle, "pattern": "x" });
    assert!(!bench.call("spill_grep", value).await.is_error());
}
