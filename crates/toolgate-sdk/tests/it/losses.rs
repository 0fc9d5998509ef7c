//! What is not said is listed, with its place (K32).

use toolgate_sdk::{Language, LossPart, LossReason as Reason, declare};

use crate::tools::tool;

fn losses(language: Language, schema: &str) -> Vec<(String, Reason)> {
    let sdk = declare(language, &[tool("t", "", schema, "{}")]);
    let mut found: Vec<(String, Reason)> = Vec::new();
    for loss in sdk.losses() {
        assert_eq!((loss.tool(), loss.part()), ("t", LossPart::Parameters));
        found.push((loss.pointer().to_owned(), loss.reason().clone()));
    }
    found
}

#[test]
fn the_subset_loses_only_what_no_union_says() {
    let rows = [
        (
            r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string","enum":["x"]}}}"#,
            false,
        ),
        (
            r#"{"oneOf":[{"type":"string"},{"type":"null"},{"type":"array","items":{"type":"string"}}]}"#,
            false,
        ),
        (r#"{"oneOf":[{"type":"string","const":"a"},{"type":"string","enum":["b","c"]}]}"#, false),
        (
            r#"{"oneOf":[{"type":"object","properties":{"k":{"type":"string","const":"a"}},"required":["k"]},
                      {"type":"object","properties":{"k":{"type":"string","const":"b"}}}]}"#,
            false,
        ),
        (
            r#"{"oneOf":[{"type":"object","properties":{"a":{}},"required":["a"]},
                      {"type":"object","additionalProperties":false}]}"#,
            false,
        ),
        (r#"{"oneOf":[{"type":"string"},{"type":"string","const":"a"}]}"#, true),
        (r#"{"oneOf":[{"type":"integer"},{"type":"number"}]}"#, true),
        (r#"{"oneOf":[{"type":"string"},{}]}"#, true),
        (
            r#"{"oneOf":[{"type":"object","properties":{"k":{"type":"string","const":"a"}}},
                      {"type":"object","properties":{"k":{"type":"string","const":"b"}}}]}"#,
            true,
        ),
    ];
    for (schema, overlaps) in rows {
        let expected = if overlaps { vec![("/oneOf".to_owned(), Reason::Overlap)] } else { Vec::new() };
        for language in [Language::TypeScript, Language::Python] {
            assert_eq!(losses(language, schema), expected, "{language} {schema}");
        }
    }
}

#[test]
fn foreign_keywords_are_listed_with_their_pointer() {
    let keyword = |word: &str| Reason::Keyword(word.to_owned());
    let rows: [(&str, &[(&str, Reason)]); 12] = [
        (
            r#"{"type":"string","format":"uri","pattern":"a"}"#,
            &[("/format", keyword("format")), ("/pattern", keyword("pattern"))],
        ),
        (
            r#"{"type":"object","properties":{"a/b":{"type":"integer","minimum":1}}}"#,
            &[("/properties/a~1b/minimum", keyword("minimum"))],
        ),
        (r#"{"type":"object","not":{"required":["a"]}}"#, &[("/not", keyword("not"))]),
        (
            r#"{"type":"object","patternProperties":{"a":{}}}"#,
            &[("/patternProperties", keyword("patternProperties"))],
        ),
        (r##"{"anyOf":[{"type":"null"},{"$ref":"other.json"}]}"##, &[("/anyOf/1/$ref", Reason::Reference)]),
        (r#"{"properties":{}}"#, &[("", Reason::AssumedType("object".to_owned()))]),
        (r#"{"type":"thing"}"#, &[("/type", Reason::Malformed("type".to_owned()))]),
        (r#"{"oneOf":[]}"#, &[("/oneOf", Reason::Malformed("oneOf".to_owned()))]),
        (r#"{"type":"array","items":7}"#, &[("/items", Reason::NotASchema)]),
        (r#"{"type":"string","allOf":[{"type":"null"}]}"#, &[("", Reason::Conjunction("type".to_owned()))]),
        (r#"{"enum":[{"a":1}]}"#, &[("/enum", Reason::Literal)]),
        (
            r##"{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"type":"null"}]},"b":{"$ref":"#/$defs/a"}}}"##,
            &[("/$defs/a", Reason::SelfReference)],
        ),
    ];
    for (schema, expected) in rows {
        let expected: Vec<(String, Reason)> =
            expected.iter().map(|(pointer, reason)| ((*pointer).to_owned(), reason.clone())).collect();
        for language in [Language::TypeScript, Language::Python] {
            assert_eq!(losses(language, schema), expected, "{language} {schema}");
        }
    }
}

#[test]
fn some_losses_are_of_one_language() {
    let rows = [
        (Language::Python, r#"{"type":"number","enum":[0.5]}"#, "", Reason::Literal),
        (Language::TypeScript, r#"{"type":"integer","const":9007199254740993}"#, "", Reason::Literal),
        (Language::Python, r#"{"type":"array","prefixItems":[{}],"minItems":1}"#, "", Reason::Positions),
        (Language::Python, r#"{"type":"object","properties":{"":{}}}"#, "/properties/", Reason::PropertyName),
        (
            Language::Python,
            r#"{"type":"array","items":{"type":"string","description":"d"}}"#,
            "/items",
            Reason::DescriptionLeftOut,
        ),
        (
            Language::TypeScript,
            r#"{"type":"object","properties":{"a":{}},"additionalProperties":{"type":"null"}}"#,
            "/additionalProperties",
            Reason::UndeclaredKeys,
        ),
        (
            Language::TypeScript,
            r#"{"type":"object","properties":{"valueOf":{}}}"#,
            "/properties/valueOf",
            Reason::InheritedName,
        ),
    ];
    for (language, schema, pointer, reason) in rows {
        let other = if language == Language::Python { Language::TypeScript } else { Language::Python };
        assert_eq!(losses(language, schema), [(pointer.to_owned(), reason)], "{language} {schema}");
        assert_eq!(losses(other, schema), [], "{other} {schema}");
    }
}

#[test]
fn a_loss_is_one_safe_line() {
    let tool = tool("a\n\u{202e}", "", r#"{"type":"object","properties":{"x\n":{"minimum":1}}}"#, "{}");
    let sdk = declare(Language::TypeScript, &[tool.clone(), tool]);
    let lines: Vec<String> = sdk.losses().iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "\"a\\n\\u{202e}\": a second tool of this name is left out",
            "\"a\\n\\u{202e}\" parameters at \"/properties/x\\n/minimum\": the type does not say \"minimum\"",
        ]
    );
}
