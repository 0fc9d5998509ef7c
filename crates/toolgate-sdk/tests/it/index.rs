//! The one-line index.

use toolgate_sdk::index;

use crate::tools::tool;

#[test]
fn a_line_has_name_arguments_and_first_sentence() {
    let many: Vec<String> = (0..15).map(|number| format!(r#""a{number}":{{}}"#)).collect();
    let many = format!(r#"{{"type":"object","properties":{{{}}}}}"#, many.join(","));
    let long = "x".repeat(500);
    let rows = [
        (
            tool("read", "Read a file, e.g. a log. Not a folder.", "{}", "{}"),
            "read(…): Read a file, e.g. a log.",
        ),
        (tool("now", "", r#"{"type":"object"}"#, "{}"), "now()"),
        (
            tool(
                "my-tool",
                "One\nTwo.",
                r#"{"type":"object","properties":{"my-key":{},"b":{}},"required":["b"]}"#,
                "{}",
            ),
            r#""my-tool"("my-key"?, b): One"#,
        ),
        (
            tool(
                "x\u{202e}\"",
                "Hide\u{202e} this\u{0}.",
                r##"{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"p":{}}}}}"##,
                "{}",
            ),
            "\"x\\u202e\\\"\"(p?): Hide\\u{202e} this\\u{0}.",
        ),
        (
            tool("many", "", &many, "{}"),
            "many(a0?, a1?, a2?, a3?, a4?, a5?, a6?, a7?, a8?, a9?, a10?, a11?, and 3 more)",
        ),
        (tool("long", &long, r#"{"type":"object"}"#, "{}"), &format!("long(): {}…", "x".repeat(160))),
    ];
    for (tool, expected) in rows {
        assert_eq!(index(&[tool]), format!("{expected}\n"));
    }
    assert_eq!(index(&[]), "");
}
