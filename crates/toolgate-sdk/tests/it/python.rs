//! What each construct of a schema looks like in Python.

use toolgate_sdk::{Language, describe};

use crate::tools::tool;

/// The type of the argument `a`, with the declarations that it needs.
fn declared(schema: &str) -> String {
    let parameters = format!(
        r#"{{"type":"object","properties":{{"a":{schema}}},"required":["a"],"additionalProperties":false}}"#
    );
    let text = describe(Language::Python, &tool("t", "", &parameters, "{}"));
    let text = text.split("class Tools:").next().expect("a beginning");
    text.replace("class TArgs(TypedDict):\n    a: ", "").trim_end().to_owned()
}

#[test]
fn every_construct_of_the_subset_has_a_type() {
    let rows = [
        ("{}", "Any"),
        (r#"{"type":"null"}"#, "None"),
        (r#"{"type":"boolean"}"#, "bool"),
        (r#"{"type":"integer"}"#, "int"),
        (r#"{"type":"number"}"#, "float"),
        (r#"{"type":"string"}"#, "str"),
        (r#"{"type":"string","enum":["a","b\"c\u2028"]}"#, r#"Literal["a", "b\"c\u2028"]"#),
        (r#"{"type":"integer","enum":[1,18446744073709551615]}"#, "Literal[1, 18446744073709551615]"),
        (r#"{"type":"number","enum":[1,2.5]}"#, "Literal[1] | float"),
        (r#"{"type":"boolean","const":false}"#, "Literal[False]"),
        (r#"{"type":"array"}"#, "list[Any]"),
        (r#"{"type":"array","items":{"oneOf":[{"type":"string"},{"type":"null"}]}}"#, "list[str | None]"),
        (r#"{"type":"object"}"#, "dict[str, Any]"),
        (r#"{"type":"object","additionalProperties":false}"#, "class TArgsA(TypedDict):\n    pass\n\nTArgsA"),
        (
            r#"{"type":"object","properties":{"x":{"type":"string"},"y":{}},"required":["y"]}"#,
            "class TArgsA(TypedDict, extra_items=Any):\n    x: NotRequired[str]\n    y: Any\n\nTArgsA",
        ),
        (
            r#"{"type":"object","properties":{"my-key":{"type":"string"},"class":{},"str":{}},"additionalProperties":false}"#,
            "TArgsA = TypedDict(\"TArgsA\", {\n    \"my-key\": NotRequired[str],\n    \"class\": NotRequired[Any],\n    \"str\": NotRequired[Any],\n})\n\nTArgsA",
        ),
        // The empty name cannot be declared, so the dictionary is open.
        (
            r#"{"type":"object","properties":{"":{}},"required":[""],"additionalProperties":false}"#,
            "class TArgsA(TypedDict, extra_items=Any):\n    pass\n\nTArgsA",
        ),
        // Foreign.
        (r#"{"type":["integer","null"]}"#, "int | None"),
        (r#"{"prefixItems":[{"type":"string"},{"type":"null"}],"items":false}"#, "list[str | None]"),
        (r#"{"type":"object","additionalProperties":{"type":"number"}}"#, "dict[str, float]"),
        (
            r#"{"type":"object","properties":{"x":{"type":"string"}},"additionalProperties":{"type":"number"}}"#,
            "class TArgsA(TypedDict, extra_items=float):\n    x: NotRequired[str]\n\nTArgsA",
        ),
        ("false", "Never"),
    ];
    for (schema, expected) in rows {
        assert_eq!(declared(schema), expected, "{schema}");
    }
}

#[test]
fn tools_are_methods_or_overloads() {
    let read = tool(
        "read",
        "Reads.\n\nA \"\"\"file\"\"\".",
        r#"{"type":"object","properties":{"path":{"type":"string","description":"Where.","minLength":1}},"required":["path"]}"#,
        r#"{"type":"string"}"#,
    );
    let expected = r#"class ReadArgs(TypedDict, extra_items=Any):
    # Where.
    # minLength: 1
    path: str

class Tools:
    async def read(self, args: ReadArgs, /) -> str:
        """Reads.

        A \"\""file\"\"".
        """
        ...

tools: Tools
"#;
    assert_eq!(describe(Language::Python, &read), expected);

    let other = tool("my-tool", "", "{}", r#"{"type":"integer"}"#);
    let expected = r#"class Tools:
    def __getitem__(self, name: Literal["my-tool"], /) -> Callable[[Any], Awaitable[int]]: ...

tools: Tools
"#;
    assert_eq!(describe(Language::Python, &other), expected);

    let sdk = toolgate_sdk::declare(Language::Python, &[other, tool("class", "", "{}", "{}")]);
    assert!(sdk.text().ends_with(
        r#"class Tools:
    @overload
    def __getitem__(self, name: Literal["my-tool"], /) -> Callable[[Any], Awaitable[int]]: ...
    @overload
    def __getitem__(self, name: Literal["class"], /) -> Callable[[Any], Awaitable[Any]]: ...
    def __getitem__(self, name: str, /) -> Any: ...

tools: Tools
"#
    ));
    assert!(
        toolgate_sdk::declare(Language::Python, &[])
            .text()
            .ends_with("class Tools:\n    pass\n\ntools: Tools\n")
    );
}

#[test]
fn references_are_named_types() {
    let schema = r##"{"type":"object","properties":{"root":{"$ref":"#/$defs/Tree"}},"additionalProperties":false,
        "$defs":{"Tree":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/Tree"}},{"$ref":"#/$defs/Leaf"}]},
                 "Leaf":{"type":"object","properties":{"up":{"anyOf":[{"$ref":"#/$defs/Tree"},{"type":"null"}]}}}}}"##;
    let expected = r#"class TArgsLeaf(TypedDict, extra_items=Any):
    up: NotRequired[Union["TArgsTree", None]]

type TArgsTree = list["TArgsTree"] | TArgsLeaf

class TArgs(TypedDict):
    root: NotRequired[TArgsTree]

"#;
    let text = describe(Language::Python, &tool("t", "", schema, "{}"));
    assert_eq!(text.split("class Tools").next(), Some(expected));
}
