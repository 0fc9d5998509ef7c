//! Names and descriptions that try to end comments and strings, to hide, or to give orders (K78).

use serde_json::{Value, json};
use toolgate::{JsonValue, ToolDefinition};
use toolgate_sdk::{Language, declare, describe, index};

use crate::checkers;

const NAMES: &[&str] = &[
    "my-tool",
    "__proto__",
    "constructor",
    "then",
    "toString",
    "hasOwnProperty",
    "new",
    "get",
    "class",
    "await",
    "None",
    "self",
    "str",
    "list",
    "Any",
    "Tools",
    "tools",
    "overload",
    "__init__",
    "__hidden",
    "_",
    "1",
    "1a",
    "a b",
    "日本",
    "ﬁ",
    "*/",
    "`${x}`",
    "\"",
    "\"\"\"",
    "'",
    "\\",
    "\\\"",
    "</script>",
    "a\u{2028}b",
    "\u{202e}evil",
    "\u{200b}",
    "\u{e0041}",
    "Json",
    "Integer",
    "ToolCallError",
    "TArgs",
    "print",
    "# type: ignore",
];

const DESCRIPTIONS: &[&str] = &[
    "*/ declare const evil: any; /*",
    "**/ ends?",
    "ends with a star *",
    "/** nested */ /* twice */",
    "@ts-ignore",
    "fine\n@ts-expect-error",
    "@ts-expect-error",
    "pyright: nonsense",
    "\"\"\" + evil() + \"\"\"",
    "\"\"\"\"\"",
    "ends with a quote\"",
    "ends with a backslash\\",
    "\\\"\\\"\\\" \\u0022 \\N{QUOTATION MARK} {x} %s",
    "`${process.exit()}`",
    "lines\r\nof\rall\u{b}kinds\u{c}and\u{85}more\u{2028}and\u{2029}end",
    "nul\u{0} bell\u{7} escape\u{1b}[31m bidi\u{202e}\u{2066} zero\u{200b}\u{feff}",
    "# type: ignore",
    "# pyright: basic, strict=false\n# pyright: ignore\n# mypy: ignore-errors\n# -*- coding: utf-7 -*-",
    "'''",
    "</script><!-- -->",
    "\n\n  \n",
    "",
];

/// Tools whose every text is hostile; each takes an object whose one required property is such a name.
fn tools() -> Vec<ToolDefinition> {
    NAMES
        .iter()
        .enumerate()
        .map(|(number, name)| {
            let description = DESCRIPTIONS[number % DESCRIPTIONS.len()];
            let property = NAMES[(number * 7 + 3) % NAMES.len()];
            let schema = json!({
                "type": "object",
                "description": description,
                "properties": {
                    property: { "type": "string", "enum": [description, *name], "description": description, "default": description },
                    "nested": { "oneOf": [
                        { "type": "object", "description": description, "properties": { *name: { "type": "null" } } },
                        { "type": "array", "items": { "type": "boolean", "description": description } },
                    ] },
                },
                "required": [property],
                "additionalProperties": false,
            });
            ToolDefinition::raw(*name, description)
                .raw_parameters(JsonValue::new(schema.clone()).unwrap())
                .output_schema(JsonValue::new(schema_of_result(property)).unwrap())
                .body(|args, _cx| async move { Ok(args) })
        })
        .collect()
}

fn schema_of_result(property: &str) -> Value {
    json!({ "type": "object", "properties": { property: { "type": "integer" } }, "required": [property] })
}

/// For each tool: its name, its property, and a value for that, as literals without line breaks.
fn calls() -> Vec<(String, String, String)> {
    let text = |text: &str| {
        let escaped = Value::from(text).to_string();
        escaped.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029").replace('\u{85}', "\\u0085")
    };
    let row = |(number, name): (usize, &&str)| {
        let property = NAMES[(number * 7 + 3) % NAMES.len()];
        (text(name), text(property), text(DESCRIPTIONS[number % DESCRIPTIONS.len()]))
    };
    NAMES.iter().enumerate().map(row).collect()
}

#[test]
fn typescript_reaches_every_tool_by_subscript_and_obeys_none() {
    let mut program = String::from("async function program() {\n");
    for (name, property, value) in calls() {
        program += &format!("  (await tools[{name}]({{ [{property}]: {value} }}))[{property}].toFixed();\n");
        program += &format!("  await tools[{name}]({{ [{property}]: {value}, nested: [1] }});\n");
    }
    program += "}\n";
    let sdk = declare(Language::TypeScript, &tools());
    let complaints = checkers::typescript("hostile", sdk.text(), &program);
    assert_every_second_line_is_wrong(&complaints);
}

#[test]
fn python_reaches_every_tool_by_subscript_and_obeys_none() {
    let mut program = String::from("async def program():\n");
    // The checker does not take an escape for the character that it stands for, beyond the basic plane.
    let escaped = |text: String| text.replace('\u{e0041}', "\\U000e0041");
    for (name, property, value) in calls() {
        let (name, property) = (escaped(name), escaped(property));
        // A name that is an attribute is declared as one.
        let bare = name.trim_matches('"');
        let is_attribute = [
            "constructor",
            "then",
            "toString",
            "hasOwnProperty",
            "new",
            "get",
            "self",
            "_",
            "Json",
            "Integer",
            "TArgs",
            "print",
        ];
        let tool =
            if is_attribute.contains(&bare) { format!("tools.{bare}") } else { format!("tools[{name}]") };
        program += &format!("    (await {tool}({{{property}: {value}}}))[{property}].bit_length()\n");
        program += &format!("    await {tool}({{{property}: {value}, \"nested\": [1.5]}})\n");
    }
    let sdk = declare(Language::Python, &tools());
    let complaints = checkers::python("hostile", sdk.text(), &program);
    assert_every_second_line_is_wrong(&complaints);
}

fn assert_every_second_line_is_wrong(complaints: &checkers::Complaints) {
    for (number, name) in NAMES.iter().enumerate() {
        let (right, wrong) = (2 + number * 2, 3 + number * 2);
        assert_eq!(complaints.get(&right), None, "{name:?}");
        assert!(complaints.contains_key(&wrong), "{name:?} takes anything");
    }
}

#[test]
fn nothing_hidden_is_left_in_any_text() {
    let tools = tools();
    let mut texts = vec![index(&tools)];
    for language in [Language::TypeScript, Language::Python] {
        texts.push(declare(language, &tools).text().to_owned());
        texts.extend(tools.iter().map(|tool| describe(language, tool)));
    }
    for text in texts {
        let hidden = text.chars().find(|c| {
            (c.is_control() && *c != '\n') || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
        });
        assert_eq!(hidden, None, "{text:?}");
    }
    assert_eq!(index(&tools).lines().count(), tools.len());
}
