//! Depth and size have bounds, and the same tools give the same bytes.

use std::time::{Duration, Instant};

use toolgate::ToolDefinition;
use toolgate_sdk::{Language, LossReason, Sdk, declare, describe, index};

use crate::checkers;
use crate::tools::tool;

const LANGUAGES: [Language; 2] = [Language::TypeScript, Language::Python];

fn both(tool: &ToolDefinition) -> [Sdk; 2] {
    LANGUAGES.map(|language| declare(language, std::slice::from_ref(tool)))
}

fn reasons(sdk: &Sdk) -> Vec<&LossReason> {
    sdk.losses().iter().map(toolgate_sdk::Loss::reason).collect()
}

fn nested(levels: usize, before: &str, after: &str) -> String {
    format!("{}{{}}{}", before.repeat(levels), after.repeat(levels))
}

#[test]
fn a_deep_schema_becomes_any_json_where_it_is_too_deep() {
    for (before, after, inside) in [
        (r#"{"type":"array","items":"#, "}", "/items"),
        (r#"{"type":"object","properties":{"p":"#, "}}", "/properties/p"),
        (r#"{"oneOf":["#, r#",{"type":"null"}]}"#, "/oneOf/0"),
        (r#"{"allOf":["#, "]}", "/allOf/0"),
        (r#"{"type":"object","additionalProperties":"#, "}", "/additionalProperties"),
    ] {
        for levels in [32, 5_000, 100_000] {
            let tool = tool("deep", "", &nested(levels, before, after), "{}");
            for sdk in both(&tool) {
                let deepest = sdk.losses().iter().find(|loss| *loss.reason() == LossReason::TooDeep);
                match levels {
                    32 => assert_eq!(deepest, None),
                    _ => assert_eq!(deepest.map(|loss| loss.pointer()), Some(inside.repeat(33).as_str())),
                }
            }
        }
    }
}

#[test]
fn the_deepest_types_are_checked_in_no_time() {
    let schemas = [
        (r#"{"type":"array","items":"#, "}"),
        (r#"{"type":"object","properties":{"p":"#, "}}"),
        (r#"{"type":"object","required":["p"],"additionalProperties":false,"properties":{"p":"#, "}}"),
        (r#"{"type":"object","additionalProperties":"#, "}"),
    ];
    let tools: Vec<ToolDefinition> = schemas
        .iter()
        .enumerate()
        .map(|(number, (before, after))| tool(&format!("t{number}"), "", &nested(40, before, after), "{}"))
        .collect();
    let [typescript, python] = LANGUAGES.map(|language| declare(language, &tools));
    assert!(
        checkers::typescript("deep", typescript.text(), "tools.t0([]); tools.t1({}); tools.t3({});\n")
            .is_empty()
    );
    let program =
        "async def program():\n    await tools.t0([])\n    await tools.t1({})\n    await tools.t3({})\n";
    assert!(checkers::python("deep", python.text(), program).is_empty());
}

#[test]
fn a_large_schema_has_a_bounded_declaration() {
    let properties = |count: usize, schema: &str| {
        let properties: Vec<String> = (0..count).map(|number| format!(r#""p{number}":{schema}"#)).collect();
        format!(r#"{{"type":"object","properties":{{{}}}}}"#, properties.join(","))
    };
    let values: Vec<String> = (0..300).map(|number| number.to_string()).collect();
    let branches = vec![r#"{"type":"array"}"#; 10_000].join(",");
    let long_name = format!(r#"{{"type":"object","properties":{{"{}":{{}}}}}}"#, "n".repeat(300));
    let described = format!(r#"{{"type":"string","description":"{}"}}"#, "d ".repeat(600));
    // Each definition refers to the next one twice.
    let doubling: Vec<String> = (0..60)
        .map(|n| {
            format!(r##""d{n}":{{"properties":{{"a":{{"$ref":"#/d{0}"}},"b":{{"$ref":"#/d{0}"}}}}}}"##, n + 1)
        })
        .collect();
    let doubling = format!(r##"{{"$ref":"#/d0",{},"d60":{{}}}}"##, doubling.join(","));
    let merging: Vec<String> = (0..60)
        .map(|n| format!(r##""d{n}":{{"allOf":[{{"$ref":"#/d{0}"}},{{"$ref":"#/d{0}"}}]}}"##, n + 1))
        .collect();
    let merging = format!(r##"{{"$ref":"#/d0",{},"d60":{{"properties":{{"a":{{}}}}}}}}"##, merging.join(","));
    let rows = [
        (properties(100_000, "{}"), Some(LossReason::TooLarge)),
        (properties(70, &properties(70, "{}")), Some(LossReason::TooLarge)),
        (format!(r#"{{"type":"integer","enum":[{}]}}"#, values.join(",")), Some(LossReason::ManyValues)),
        (format!(r#"{{"anyOf":[{branches}]}}"#), Some(LossReason::TooLarge)),
        (long_name, Some(LossReason::PropertyName)),
        (described.clone(), Some(LossReason::DescriptionCut)),
        (properties(200, &described), Some(LossReason::DescriptionLeftOut)),
        (doubling, None),
        (merging, None),
    ];
    for (schema, expected) in rows {
        let tool = tool("large", "", &schema, "{}");
        let begun = Instant::now();
        for sdk in both(&tool) {
            let size = sdk.text().len();
            assert!(size < 400_000, "{size} bytes of {}", schema.get(..80).unwrap_or(&schema));
            if let Some(expected) = &expected {
                let found = reasons(&sdk);
                // The property of a description is commented, its own type is not.
                let is_found = found.contains(&expected)
                    || (*expected == LossReason::DescriptionCut
                        && found.contains(&&LossReason::DescriptionLeftOut));
                assert!(is_found, "{expected:?} is missing: {found:?}");
            }
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        assert!(index(&[tool]).len() < 2_000);
    }
}

#[test]
fn a_long_description_is_cut_with_a_mark() {
    let tool = tool("t", &"日".repeat(2_000), "{}", "{}");
    for sdk in both(&tool) {
        // 4,096 bytes end inside of a character.
        assert!(sdk.text().contains(&format!("{}… (+1905 bytes)", "日".repeat(1365))), "{}", sdk.text());
        assert_eq!(reasons(&sdk), [&LossReason::DescriptionCut]);
    }
}

#[test]
fn the_same_tools_give_the_same_bytes_r9() {
    let make = || {
        let schema = r##"{"type":"object","properties":{"z":{"$ref":"#/$defs/B"},"a":{"$ref":"#/$defs/A"}},
            "$defs":{"A":{"type":"object","properties":{"x":{}}},"B":{"type":"object","properties":{"x":{}}}}}"##;
        ["read", "Read", "read!", "rEAD"].map(|name| tool(name, "Reads.", schema, schema))
    };
    for language in LANGUAGES {
        assert_eq!(declare(language, &make()), declare(language, &make()));
        let text = declare(language, &make()).text().to_owned();
        let [first, ..] = make();
        assert_eq!(describe(language, &first), describe(language, &first));
        assert!(
            text.starts_with(
                declare(language, &[])
                    .text()
                    .split("declare const tools")
                    .next()
                    .unwrap()
                    .split("class Tools")
                    .next()
                    .unwrap()
            )
        );
    }
    assert_eq!(index(&make()), index(&make()));
    assert_eq!("python".parse(), Ok(Language::Python));
    assert_eq!(Language::TypeScript.to_string().parse(), Ok(Language::TypeScript));
    assert!("ruby".parse::<Language>().is_err());
}
