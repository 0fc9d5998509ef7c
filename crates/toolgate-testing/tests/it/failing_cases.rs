//! What the runner says of cases that do not hold, cannot be played, or do not end.

use serde_json::{Value, json};
use toolgate_testing::conformance::Failure;

use crate::play;

/// A case of a family: the fields of every case, and these.
fn case(id: &str, fields: Value) -> Value {
    let mut case = json!({ "id": id, "title": "a title", "basis": "spec", "checked": "reference" });
    case.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    case
}

/// A pipeline case of one call of one tool.
fn call_of(body: Value, result: Value, trace: Value) -> Value {
    case(
        "c",
        json!({
            "tools": [{ "name": "t", "body": body }],
            "calls": [{ "id": "c1", "tool": "t" }],
            "expect": { "results": [result], "trace": trace },
        }),
    )
}

fn text_result(text: &str) -> Value {
    json!({
        "call": "c1", "isError": false, "value": text, "content": [{ "type": "text", "text": text }],
        "contexts": [], "concludesTurn": false,
    })
}

/// Plays the only case, which must fail, and gives what is printed of it.
fn failure_of(family: &str, case: Value) -> (Failure, String) {
    let report = play(family, &json!([case]));
    let [failed] = report.failures() else { panic!("{report}") };
    (failed.failure.clone(), failed.to_string())
}

/// Plays the only case, which must differ from what it expects, and compares what is printed of it.
fn check_difference(family: &str, case: Value, printed: &str) {
    let (failure, text) = failure_of(family, case);
    assert!(matches!(failure, Failure::Differs(_)), "{text}");
    assert!(text.contains(printed), "{text}");
}

fn check_malformed(family: &str, case: Value, reason: &str) {
    let (failure, text) = failure_of(family, case);
    assert!(matches!(&failure, Failure::Malformed(text) if text.contains(reason)), "{text}");
}

#[test]
fn a_wrong_expectation_is_shown_with_its_place() {
    let bad_type =
        json!({ "accepted": false, "violations": [{ "path": "schema.type", "kind": "bad-enum" }] });
    check_difference(
        "schema-assert",
        case("c", json!({ "schema": { "type": "nope" }, "expect": bad_type })),
        "FAILED c  a title\n  violations[0].kind\n    expected \"bad-enum\"\n    got      \"bad-type\"\n",
    );
    check_difference(
        "value-validate",
        case("c", json!({ "schema": { "type": "string" }, "value": 1, "expect": { "valid": true } })),
        "  violations[0]\n    expected (absent)\n    got      {\"path\":\"value\"",
    );
    let schema = json!({ "compiled": true, "schema": { "type": "string", "title": "x" } });
    check_difference(
        "dsl-compile",
        case("c", json!({ "root": "value", "spec": { "type": "string" }, "expect": schema })),
        "  schema.title\n    expected \"x\"\n    got      (absent)\n",
    );
    check_difference(
        "pipeline",
        call_of(json!([{ "op": "return", "value": "v" }]), text_result("w"), json!(["c1 body t enter"])),
        "  results[c1].value\n    expected \"w\"\n    got      \"v\"\n",
    );
    check_difference(
        "pipeline",
        call_of(json!([{ "op": "return", "value": "v" }]), text_result("v"), json!(["c1 body t enter"])),
        "  trace[1..]\n    expected (nothing more)\n    got      c1 body t leave\n",
    );
    let steps =
        json!([{ "do": "register", "tool": { "name": "run_code" } }, { "do": "schemas", "expect": ["x"] }]);
    check_difference(
        "registry",
        case("c", json!({ "steps": steps })),
        "  steps[0]\n    expected success\n    got      {\"error\":\"reserved-name\"}\n",
    );
    let expect = json!({
        "results": [{ "call": "c1", "isError": false, "text": "c1" }],
        "contexts": [], "concluded": false, "cancelled": false, "constraints": [{ "absent": ["body c1"] }],
    });
    check_difference(
        "schedule",
        case(
            "c",
            json!({
                "tools": [{ "name": "t", "body": [{ "op": "returnCallId" }] }],
                "calls": [{ "id": "c1", "tool": "t", "arguments": {} }],
                "expect": expect,
            }),
        ),
        "    expected absent: body c1\n    got      pre c1, gate c1, body c1",
    );
}

/// A code-mode case of one program that calls one tool, prints and returns, with this in the place of what is true.
fn program_of(way: &str, wrong: Value) -> Value {
    let (printed, called) = (json!(["printed"]), json!([{ "type": "text", "text": "v" }]));
    let mut fields = json!({
        "tools": [{ "name": "t", "body": [{ "op": "defer", "context": "n" }, { "op": "return", "value": "v" }] }],
        "listeners": [],
        "config": {},
        "runs": [{ "id": "p", "program": { "typescript": "console.log('printed'); return await tools.t({})" } }],
        "traced": true,
        "expect": {
            "runs": [{
                "call": "p", "isError": false, "logs": printed, "result": "v",
                "content": [{ "type": "text", "text": "printed\nv" }], "contexts": ["n"], "concludesTurn": false,
            }],
            "dispatches": [{
                "id": "p:code:1", "parent": "p", "tool": "t", "arguments": {}, "isError": false, "content": called,
            }],
            "constraints": [{ "order": ["start p:code:1", "body p:code:1", "settle p:code:1"] }],
            "trace": ["p:code:1 body t enter", "p:code:1 body t leave"],
        },
    });
    if let Some(place) = fields.pointer_mut(way) {
        *place = wrong;
    }
    case("c", fields)
}

#[test]
fn a_wrong_expectation_of_a_program_is_shown_with_its_place() {
    assert_eq!(play("code-mode", &json!([program_of("/none", json!(0))])).passed(), 1);
    let report = play("code-mode", &json!([program_of("/runs/0/program", json!({ "python": "" }))]));
    let skips: Vec<_> = report.skips().iter().collect();
    assert_eq!(skips, [(&"a program is not written in typescript".to_owned(), &1)]);
    let image = json!([{ "forwardedContent": [{ "type": "image" }] }]);
    for (way, wrong, printed) in [
        (
            "/expect/runs/0/logs",
            json!([]),
            "  runs[p].logs[0]\n    expected (absent)\n    got      \"printed\"\n",
        ),
        ("/expect/runs/0/result", json!("w"), "  runs[p].result\n    expected \"w\"\n    got      \"v\"\n"),
        ("/expect/runs/0/content", json!([{ "$anyError": true }]), "  runs[p].content\n"),
        (
            "/expect/runs/0/contexts",
            json!(["m"]),
            "  runs[p].contexts[0..]\n    expected m\n    got      n\n",
        ),
        ("/expect/runs/0/contexts", image, "  runs[p].contexts[0..]\n    expected [{\"type\":\"image\"}]\n"),
        ("/expect/runs/0/concludesTurn", json!(true), "  runs[p].concludesTurn\n"),
        ("/runs/0/program/typescript", json!("throw 1"), "  runs[p].failure.kind\n    expected (absent)\n"),
        ("/runs/0", json!({ "id": "p", "tool": "t" }), "  runs[p].code\n    expected (absent)\n"),
        (
            "/expect/dispatches",
            json!([]),
            "  dispatches[0..]\n    expected (nothing more)\n    got      p:code:1\n",
        ),
        ("/expect/dispatches/0/parent", json!("q"), "  dispatches[p:code:1].parent\n"),
        ("/expect/dispatches/0/tool", json!("u"), "  dispatches[p:code:1].tool\n"),
        ("/expect/dispatches/0/arguments", json!({ "a": 1 }), "  dispatches[p:code:1].arguments.a\n"),
        ("/expect/dispatches/0/isError", json!(true), "  dispatches[p:code:1].isError\n"),
        ("/expect/dispatches/0/content", json!([]), "  dispatches[p:code:1].content\n"),
        (
            "/expect/constraints",
            json!([{ "order": ["settle p:code:1", "start p:code:1"] }]),
            "    got      pre p, gate p, start p:code:1, pre p:code:1, gate p:code:1, body p:code:1, \
             done p:code:1, post p:code:1, result p:code:1, settle p:code:1, post p, result p\n",
        ),
        ("/expect/trace", json!([]), "  trace[0..]\n    expected (nothing more)\n"),
    ] {
        check_difference("code-mode", program_of(way, wrong), printed);
    }
}

#[test]
fn a_case_that_cannot_be_played_is_a_failure_with_its_reason() {
    let accepted = json!({ "accepted": true });
    for (fields, reason) in [
        (json!({ "schema": {} }), "missing field `expect`"),
        (json!({ "schema": {}, "expect": accepted, "extra": 1 }), "unknown field `extra`"),
        (json!({ "schema": {}, "expect": { "accepted": "yes" } }), "invalid type"),
        (json!({ "schema": {}, "expect": accepted, "requires": ["magic"] }), "unknown variant `magic`"),
        (
            json!({ "schema": { "$nest": { "times": 2, "wrap": [], "core": 1 } }, "expect": accepted }),
            "0 holes",
        ),
    ] {
        check_malformed("schema-assert", case("c", fields), reason);
    }
    check_malformed("pipeline", case("c", json!({})), "`calls` is missing");
    for (body, reason) in [
        (json!([{ "op": "dance" }]), "unknown variant `dance`"),
        (json!([{ "op": "cancel", "signal": "s" }]), "there is no signal `s`"),
        (json!([{ "op": "work" }]), "no number of ticks"),
        (json!([{ "op": "unregister", "tool": "u" }]), "`u` is not registered"),
    ] {
        check_malformed("pipeline", call_of(body, text_result("v"), json!([])), reason);
    }
    check_malformed(
        "registry",
        case("c", json!({ "steps": [{ "do": "dance" }] })),
        "unknown variant `dance`",
    );
    let dispose = json!({ "steps": [{ "do": "dispose", "handle": "h" }] });
    check_malformed("registry", case("c", dispose), "there is no handle `h`");
    let dance = json!([{ "on": "dispatch-log", "id": "l", "do": [{ "op": "dance" }] }]);
    let mute = json!([{ "on": "dispatch-log", "id": "l", "do": [] }]);
    let both = json!({ "id": "p", "tool": "t", "program": { "typescript": "" } });
    for (way, value, reason) in [
        ("/listeners", dance, "unknown variant `dance`"),
        ("/listeners", mute, "ends without content"),
        ("/config", json!({ "maxParallelSubCalls": 0 }), "`config`"),
        ("/runs/0", both, "either `program` or `tool`"),
        ("/runs", json!([]), "one entry for each run"),
        ("/traced", json!(false), "`expect.trace` goes with `traced`"),
        ("/expect/constraints", json!([{ "absent": ["commit p"] }]), "is no event of this family"),
        ("/expect/constraints", json!([{ "absent": ["dance p"] }]), "is no event"),
    ] {
        check_malformed("code-mode", program_of(way, value), reason);
    }
}

#[test]
fn a_case_without_an_id_is_named_by_its_place() {
    let report = play("registry", &json!([{ "steps": [] }, 7]));
    let ids: Vec<_> = report.failures().iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids, ["registry[0]", "registry[1]"]);
}

#[test]
fn an_id_may_be_used_once() {
    let fields = json!({ "schema": {}, "expect": { "accepted": true } });
    let report = play("schema-assert", &json!([case("c", fields.clone()), case("c", fields)]));
    assert_eq!(report.passed(), 1);
    let [failed] = report.failures() else { panic!("{report}") };
    assert!(failed.to_string().contains("the id is used twice"), "{failed}");
}

#[test]
fn a_file_that_is_no_list_of_cases_is_a_failure() {
    let report = play("pipeline", &json!({}));
    let [failed] = report.failures() else { panic!("{report}") };
    assert_eq!(failed.id, "pipeline.json");
}

#[test]
fn a_case_that_never_ends_is_a_failure() {
    let body = json!([{ "op": "awaitCancel" }, { "op": "return", "value": "v" }]);
    let (failure, text) = failure_of("pipeline", call_of(body, text_result("v"), json!([])));
    assert!(matches!(failure, Failure::Hung), "{text}");
}
