//! What each construct of a schema looks like in TypeScript.

use toolgate_sdk::{Language, describe};

use crate::tools::tool;

/// The declaration of a tool, less what is the same in every row.
fn declared(parameters: &str, output: &str) -> String {
    let text = describe(Language::TypeScript, &tool("t", "", parameters, output));
    text.replace("declare const tools: {\n  t(args: ", "").replace(";\n};\n", "")
}

#[test]
fn every_construct_of_the_subset_has_a_type() {
    let rows = [
        ("{}", "Json"),
        (r#"{"type":"null"}"#, "null"),
        (r#"{"type":"boolean"}"#, "boolean"),
        (r#"{"type":"integer"}"#, "Integer"),
        (r#"{"type":"number"}"#, "number"),
        (r#"{"type":"string"}"#, "string"),
        (r#"{"type":"string","enum":["a","b\"c"]}"#, r#""a" | "b\"c""#),
        (r#"{"type":"number","enum":[1.0,-2.5,1e300]}"#, "1 | -2.5 | 1e+300"),
        (r#"{"type":"boolean","const":false}"#, "false"),
        (r#"{"type":"array"}"#, "Json[]"),
        (r#"{"type":"array","items":{"type":"string"}}"#, "string[]"),
        (r#"{"type":"array","items":{"type":"string","enum":["a","b"]}}"#, r#"("a" | "b")[]"#),
        (r#"{"type":"array","items":{"type":"array","items":{"type":"null"}}}"#, "null[][]"),
        (r#"{"type":"array","items":{"oneOf":[{"type":"string"},{"type":"null"}]}}"#, "(string | null)[]"),
        (
            r#"{"oneOf":[{"type":"string"},{"type":"number"},{"type":"string","const":"a"}]}"#,
            r#"string | number | "a""#,
        ),
        (r#"{"type":"object"}"#, "{ [key: string]: Json | undefined }"),
        (r#"{"type":"object","additionalProperties":false}"#, "{ [key: string]: never }"),
        (
            r#"{"type":"object","properties":{"a":{"type":"string"},"b":{}},"required":["b"]}"#,
            "{ a?: string; b: Json; [key: string]: Json | undefined }",
        ),
        (
            r#"{"type":"object","properties":{"my-key":{"type":"string"},"class":{"type":"null"},"":{}},"additionalProperties":false}"#,
            r#"{ "my-key"?: string; class?: null; ""?: Json }"#,
        ),
    ];
    for (schema, expected) in rows {
        assert_eq!(declared(schema, "{}"), format!("{expected}): Promise<any>"), "{schema}");
    }
    assert_eq!(
        declared("{}", r#"{"type":"object","properties":{"a":{"type":"array"}}}"#),
        "Json): Promise<{ a?: any[]; [key: string]: any }>"
    );
}

#[test]
fn descriptions_and_what_no_type_says_are_comments() {
    let schema = r#"{"type":"object","properties":{
        "path":{"type":"string","description":"Where.\n\nAbsolute.","minLength":1,"default":"/"},
        "at":{"oneOf":[{"type":"object","description":"By line.","properties":{"line":{"type":"integer"}},"required":["line"],
                        "additionalProperties":false},{"type":"null"}]}},
        "additionalProperties":false,"description":"What to read."}"#;
    let expected = "\
declare const tools: {
  /** Reads. */
  read(args: /* What to read. */ {
    /**
     * Where.
     *
     * Absolute.
     * minLength: 1, default: \"/\"
     */
    path?: string;
    at?: /* By line. */ { line: Integer } | null;
  }): Promise<string>;
};
";
    let tool = tool("read", "Reads.", schema, r#"{"type":"string"}"#);
    assert_eq!(describe(Language::TypeScript, &tool), expected);
}

#[test]
fn foreign_schemas_get_the_closest_type() {
    let rows = [
        (r#"{"type":["string","null"]}"#, "string | null"),
        (r#"{"type":["integer","number"]}"#, "number"),
        (r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#, "string | Integer"),
        (r#"{"enum":["a",1,null]}"#, r#""a" | 1 | null"#),
        (r#"{"enum":["a",[1]]}"#, "string | Json[]"),
        (r#"{"const":9007199254740993}"#, "number"),
        (r#"{"type":"string","enum":[]}"#, "never"),
        ("true", "Json"),
        ("false", "never"),
        ("5", "Json"),
        (
            r#"{"prefixItems":[{"type":"string"},{"type":"null"}],"minItems":1,"items":false}"#,
            "[string] | [string, null]",
        ),
        (
            r#"{"type":"array","items":[{"type":"string"}],"additionalItems":{"type":"number"},"minItems":1}"#,
            "[string, ...number[]]",
        ),
        (r#"{"type":"object","additionalProperties":{"type":"number"}}"#, "{ [key: string]: number }"),
        (
            r#"{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"number"}}"#,
            "{ a?: string; [key: string]: Json | undefined }",
        ),
        (
            r#"{"type":"object","patternProperties":{"^x":{"type":"null"}},"additionalProperties":false}"#,
            "{ [key: string]: Json | undefined }",
        ),
        (
            r#"{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false},
                         {"type":"object","properties":{"b":{"type":"null"},"a":{}}}]}"#,
            "{ a: string; b?: null }",
        ),
        (r#"{"type":"string","anyOf":[{"const":"a"},{"const":"b"}]}"#, r#""a" | "b""#),
        (
            r#"{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{},"b":{}}}"#,
            "{ a?: Json; b?: Json; [key: string]: Json | undefined }",
        ),
        (r##"{"$ref":"https://example.org/schema"}"##, "Json"),
        (r##"{"$ref":"#/$defs/gone"}"##, "Json"),
        (r#"{"type":"unheard-of"}"#, "Json"),
        (r#"{"required":["a"]}"#, "{ a: Json; [key: string]: Json | undefined }"),
    ];
    for (schema, expected) in rows {
        assert_eq!(declared(schema, "{}"), format!("{expected}): Promise<any>"), "{schema}");
    }
}

#[test]
fn references_are_named_types() {
    let schema = r##"{"type":"object","properties":{"root":{"$ref":"#/$defs/a~1b"},"self":{"$ref":"#"}},
        "additionalProperties":false,"$defs":{"a/b":{"type":"object","description":"A node.",
        "properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/a~1b"}}},"additionalProperties":false}}}"##;
    let expected = "\
/** A node. */
type TArgsA1b = { kids?: TArgsA1b[] };

type TArgsRoot = { root?: TArgsA1b; self?: TArgsRoot };

declare const tools: {
  t(args: { root?: TArgsA1b; self?: TArgsRoot }): Promise<any>;
};
";
    assert_eq!(describe(Language::TypeScript, &tool("t", "", schema, "{}")), expected);
}
