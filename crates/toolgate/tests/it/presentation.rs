//! Cards keep their serialised field names (DESIGN section 9).

use serde_json::json;
use toolgate::tool::{SearchFileMatches, SearchLine, SearchShape, WebView};
use toolgate::{
    ContentBlock, FileDiff, FileLocation, JsonValue, Nullable, ReadFileLine, ToolCallKind, ToolCallView,
    ToolResultView,
};

#[test]
fn pending_views() {
    let args = JsonValue::new(json!({ "q": 1 })).expect("lossless");
    let generic = ToolCallView::Generic {
        title: "t".into(),
        kind: Some(ToolCallKind::Read),
        raw_input: Some(args.clone()),
        content: None,
        locations: Some(vec![FileLocation { path: "a".into(), line: Some(3) }]),
    };
    check_call(
        &generic,
        json!({
            "card": "generic", "title": "t", "kind": "read", "rawInput": { "q": 1 },
            "locations": [{ "path": "a", "line": 3 }]
        }),
    );
    let terminal = ToolCallView::Terminal { title: "ls".into(), description: None, cwd: Some("/".into()) };
    check_call(&terminal, json!({ "card": "terminal", "title": "ls", "cwd": "/" }));
    let diff = ToolCallView::Diff {
        title: "new".into(),
        diffs: vec![FileDiff { path: "a".into(), old_text: Nullable::Null, new_text: "x".into() }],
        locations: None,
    };
    check_call(
        &diff,
        json!({
            "card": "diff", "title": "new", "diffs": [{ "path": "a", "oldText": null, "newText": "x" }]
        }),
    );
}

#[test]
fn completed_views() {
    check_result(
        &ToolResultView::fallback("t".into(), vec![ContentBlock::text("x")]),
        json!({
            "card": "generic", "title": "t", "content": [{ "type": "text", "text": "x" }]
        }),
    );
    let terminal =
        ToolResultView::Terminal { title: None, output: Some("o".into()), exit_code: Some(1), signal: None };
    check_result(&terminal, json!({ "card": "terminal", "output": "o", "exitCode": 1 }));
    let line = SearchLine { line: 2, text: "x".into() };
    let matches =
        SearchShape::Matches { matches: vec![SearchFileMatches { path: "a".into(), lines: vec![line] }] };
    check_result(
        &ToolResultView::Search { title: None, shape: matches, truncated: true, total: 9 },
        json!({
            "card": "search", "shape": "matches", "matches": [{ "path": "a", "lines": [{ "line": 2, "text": "x" }] }],
            "truncated": true, "total": 9
        }),
    );
    let paths = SearchShape::Paths { paths: vec!["a".into()] };
    check_result(
        &ToolResultView::Search { title: None, shape: paths, truncated: false, total: 1 },
        json!({
            "card": "search", "shape": "paths", "paths": ["a"], "truncated": false, "total": 1
        }),
    );
    let read = ToolResultView::Read {
        title: None,
        path: "a".into(),
        offset: 7,
        lines: vec![ReadFileLine { number: 7, text: "x".into() }],
        total_lines: 9,
        lang: Some("rust".into()),
        content: None,
    };
    check_result(
        &read,
        json!({
            "card": "read", "path": "a", "offset": 7, "lines": [{ "number": 7, "text": "x" }], "totalLines": 9,
            "lang": "rust"
        }),
    );
    let web = ToolResultView::Web {
        title: None,
        view: WebView::Fetch { url: "https://example.org".into(), status_code: 200 },
        truncated: false,
    };
    check_result(
        &web,
        json!({
            "card": "web", "kind": "fetch", "url": "https://example.org", "statusCode": 200, "truncated": false
        }),
    );
}

fn check_call(view: &ToolCallView, expected: serde_json::Value) {
    assert_eq!(*JsonValue::encode(view).expect("encodes"), expected);
    assert_eq!(serde_json::from_value::<ToolCallView>(expected).expect("decodes"), *view);
}

fn check_result(view: &ToolResultView, expected: serde_json::Value) {
    assert_eq!(*JsonValue::encode(view).expect("encodes"), expected);
    assert_eq!(serde_json::from_value::<ToolResultView>(expected).expect("decodes"), *view);
}
