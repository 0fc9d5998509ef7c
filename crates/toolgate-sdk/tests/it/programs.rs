//! Programs as models write them, one statement per line: each line has to type-check or not, as its row says.

use toolgate::ToolDefinition;
use toolgate_sdk::{Discovery, Language, declare};

use crate::checkers;
use crate::tools::tool;

fn tools() -> Vec<ToolDefinition> {
    vec![
        tool(
            "read",
            "Reads a file.",
            r#"{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer"}},"required":["path"],"additionalProperties":false}"#,
            r#"{"type":"object","properties":{"text":{"type":"string"},"lines":{"type":"integer"},"lang":{"oneOf":[{"type":"string"},{"type":"null"}]}},
                "required":["text","lines","lang"],"additionalProperties":false}"#,
        ),
        tool(
            "grep",
            "Searches.",
            r#"{"type":"object","properties":{"pattern":{"type":"string"},"mode":{"type":"string","enum":["text","regex"]}},"required":["pattern"]}"#,
            r#"{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"line":{"type":"integer"}},"required":["path"]}}"#,
        ),
        tool(
            "my-tool",
            "",
            r#"{"type":"object","properties":{"value":{"type":"string"}},"required":["value"]}"#,
            r#"{"type":"string"}"#,
        ),
        tool("record", "", r#"{"type":"object"}"#, "{}"),
        tool(
            "edit",
            "",
            r#"{"type":"object","properties":{"at":{"oneOf":[
                {"type":"object","properties":{"kind":{"type":"string","const":"line"},"line":{"type":"integer"}},"required":["kind","line"],"additionalProperties":false},
                {"type":"object","properties":{"kind":{"type":"string","const":"end"}},"required":["kind"],"additionalProperties":false}]}},"required":["at"]}"#,
            r#"{"oneOf":[{"type":"object","properties":{"ok":{"type":"boolean","const":true},"lines":{"type":"integer"}},"required":["ok","lines"],"additionalProperties":false},
                         {"type":"object","properties":{"ok":{"type":"boolean","const":false},"why":{"type":"string"}},"required":["ok","why"],"additionalProperties":false}]}"#,
        ),
        tool(
            "tree",
            "",
            r##"{"type":"object","properties":{"root":{"$ref":"#/$defs/N"}},"required":["root"],"$defs":{"N":{"type":"object",
                "properties":{"name":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/N"}},"next":{"anyOf":[{"$ref":"#/$defs/N"},{"type":"null"}]}},"required":["name"],"additionalProperties":false}}}"##,
            "{}",
        ),
        tool(
            "foreign",
            "",
            r#"{"type":"object","properties":{"v":{"type":["string","null"]},"pair":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false,"minItems":2},
                "scores":{"type":"object","additionalProperties":{"type":"number"}}}}"#,
            "{}",
        ),
    ]
}

#[test]
fn typescript_programs() {
    let rows = [
        (
            true,
            r#"const r = await tools.read({ path: "a" }); r.text.length + r.lines; const l: string | null = r.lang;"#,
        ),
        (true, r#"const path = "a"; await tools.read({ path, offset: 3 });"#),
        (false, "await tools.read({});"),
        (false, "await tools.read({ path: 1 });"),
        (false, r#"await tools.read({ path: "a", ofset: 3 });"#),
        (false, "await tools.read();"),
        (false, r#"(await tools.read({ path: "a" })).txt;"#),
        (false, r#"(await tools.read({ path: "a" })).lang.length;"#),
        (false, r#"tools.read({ path: "a" }).text;"#),
        (false, "await tools.ghost({});"),
        (true, r#"const paths = (await tools.grep({ pattern: "x" })).map(hit => hit.path.toUpperCase());"#),
        (true, r#"await tools.grep({ pattern: "x", mode: "regex", undeclared: [1, { deep: null }] });"#),
        (false, r#"await tools.grep({ pattern: "x", mode: "glob" });"#),
        (false, r#"await tools.grep({ pattern: "x", undeclared: () => 1 });"#),
        (true, r#"const s: string = await tools["my-tool"]({ value: "x" });"#),
        (false, r#"const s: number = await tools["my-tool"]({ value: "x" });"#),
        (false, r#"await tools["my-tol"]({ value: "x" });"#),
        (
            true,
            r#"const v = await tools.record({ n: 1.5, "ключ": [null, { deep: ["é", true] }] }); v["ключ"][1].deep[0];"#,
        ),
        (true, r#"await tools.edit({ at: { kind: "line", line: 2 } });"#),
        (
            true,
            r#"const e = await tools.edit({ at: { kind: "end" } }); e.ok ? e.lines.toFixed() : e.why.length;"#,
        ),
        (false, r#"const e = await tools.edit({ at: { kind: "end" } }); e.why;"#),
        (false, r#"await tools.edit({ at: { kind: "line" } });"#),
        (false, r#"await tools.edit({ at: { kind: "begin" } });"#),
        (
            true,
            r#"await tools.tree({ root: { name: "a", kids: [{ name: "b", kids: [] }], next: { name: "c", next: null } } });"#,
        ),
        (false, r#"await tools.tree({ root: { name: "a", kids: [{ nam: "b" }] } });"#),
        (true, r#"await tools.foreign({ v: null, pair: ["a", 1], scores: { a: 1, b: 0.5 } });"#),
        (false, r#"await tools.foreign({ pair: ["a"] });"#),
        (false, r#"await tools.foreign({ scores: { a: "x" } });"#),
        (
            true,
            r#"try { await tools.record({}); } catch (e) { if (e instanceof ToolCallError) { const t: string[] = [e.toolName, e.message, e.name]; } }"#,
        ),
        (
            true,
            r#"console.log("a", 1, {}); console.info(); console.warn(null); console.error(new Error("x"));"#,
        ),
        (true, "await new Promise(r => setTimeout(r, 100)); clearTimeout(setTimeout(() => {}, 1));"),
        (
            true,
            r#"const all = await Promise.all(["a", "b"].map(path => tools.read({ path }))); all[0]?.text;"#,
        ),
        (true, r#"await tools.read({ path: "a" }).then(r => r.text).catch(() => "none");"#),
        (false, "process.exit();"),
        (false, r#"await fetch("x");"#),
        (false, "document.title;"),
        (false, r#"require("fs");"#),
    ];
    let mut program = String::from("async function program() {\n");
    for (_, line) in rows {
        program += &format!("{{ {line} }}\n");
    }
    program += "}\n";
    let sdk = declare(Language::TypeScript, &tools());
    let complaints = checkers::typescript("programs", sdk.text(), &program);
    compare(&rows, &complaints);
}

#[test]
fn python_programs() {
    let rows = [
        (true, r#"r = await tools.read({"path": "a"}); r["text"].upper(); r["lines"].bit_length()"#),
        (true, r#"path = "a"; await tools.read({"path": path, "offset": 3})"#),
        (false, "await tools.read({})"),
        (false, r#"await tools.read({"path": 1})"#),
        (false, r#"await tools.read({"path": "a", "ofset": 3})"#),
        (false, r#"await tools.read({"path": "a", "offset": 1.5})"#),
        (false, "await tools.read()"),
        (false, r#"(await tools.read({"path": "a"}))["txt"]"#),
        (false, r#"(await tools.read({"path": "a"}))["lang"].upper()"#),
        (false, r#"tools.read({"path": "a"})["text"]"#),
        (false, "await tools.ghost({})"),
        (true, r#"paths = [hit["path"].upper() for hit in await tools.grep({"pattern": "x"})]"#),
        (true, r#"await tools.grep({"pattern": "x", "mode": "regex", "undeclared": [1, {"deep": None}]})"#),
        (false, r#"await tools.grep({"pattern": "x", "mode": "glob"})"#),
        (true, r#"s: str = await tools["my-tool"]({"value": "x"})"#),
        (false, r#"i: int = await tools["my-tool"]({"value": "x"})"#),
        (false, r#"await tools["my-tol"]({"value": "x"})"#),
        (
            true,
            r#"v = await tools.record({"n": 1.5, "ключ": [None, {"deep": ["é", True]}]}); v["ключ"][1]["deep"][0]"#,
        ),
        (true, r#"await tools.edit({"at": {"kind": "line", "line": 2}})"#),
        (
            true,
            r#"e = await tools.edit({"at": {"kind": "end"}}); e["lines"] if e["ok"] is True else e["why"]"#,
        ),
        (false, r#"await tools.edit({"at": {"kind": "line"}})"#),
        (false, r#"await tools.edit({"at": {"kind": "begin"}})"#),
        (
            true,
            r#"await tools.tree({"root": {"name": "a", "kids": [{"name": "b", "kids": []}], "next": {"name": "c", "next": None}}})"#,
        ),
        (false, r#"await tools.tree({"root": {"name": "a", "kids": [{"nam": "b"}]}})"#),
        (true, r#"await tools.foreign({"v": None, "pair": ["a", 1], "scores": {"a": 1, "b": 0.5}})"#),
        (false, r#"await tools.foreign({"pair": [None]})"#),
        (false, r#"await tools.foreign({"scores": {"a": "x"}})"#),
        (true, "import asyncio; await asyncio.gather(*[tools.read({\"path\": p}) for p in [\"a\", \"b\"]])"),
        (true, r#"import asyncio; await asyncio.gather(tools.record({}), tools["my-tool"]({"value": "x"}))"#),
        (true, r#"print("a", 1, {})"#),
    ];
    let mut program = String::from("async def program():\n");
    for (_, line) in rows {
        program += &format!("    {line}\n");
    }
    program += "    try:\n        await tools.record({})\n    except ToolCallError as e:\n        return [str(e), isinstance(e, Exception)]\n";
    let sdk = declare(Language::Python, &tools());
    let complaints = checkers::python("programs", sdk.text(), &program);
    compare(&rows, &complaints);
    assert_eq!(complaints.keys().find(|line| **line > rows.len() + 1), None, "{complaints:?}");
}

#[test]
fn programs_that_find_their_tools() {
    let rows: &[(bool, &str)] = &[
        (true, "const found = await tools.search(\"read a file\");"),
        (true, "const name: string = found[0].name + found[0].line;"),
        (true, "const text: string = await tools.describe(name);"),
        (true, "const lines = (await tools.read({ path: \"a\" })).lines;"),
        (true, "await tools[\"my-tool\"]({ value: text + lines });"),
        (false, "await tools.search(7);"),
        (false, "const wrong: string = await tools.search(\"\");"),
    ];
    let program: String = rows.iter().map(|(_, line)| format!("{line}\n")).collect();
    let program = format!("async function program() {{\n{program}}}\n");
    let text = Discovery::of(Language::TypeScript, &tools()).text();
    compare(rows, &checkers::typescript("discovery", &text, &program));

    let rows: &[(bool, &str)] = &[
        (true, "    found = await tools.search(\"read a file\")"),
        (true, "    name: str = found[0][\"name\"] + found[0][\"line\"]"),
        (true, "    text: str = await tools.describe(name)"),
        (true, "    lines = (await tools.read({\"path\": \"a\"}))[\"lines\"]"),
        (true, "    await tools[\"my-tool\"]({\"value\": text + lines})"),
        (false, "    await tools.search(7)"),
        (false, "    wrong: str = await tools.search(\"\")"),
    ];
    let program: String = rows.iter().map(|(_, line)| format!("{line}\n")).collect();
    let program = format!("async def program() -> None:\n{program}");
    let text = Discovery::of(Language::Python, &tools()).text();
    compare(rows, &checkers::python("discovery", &text, &program));
}

fn compare(rows: &[(bool, &str)], complaints: &checkers::Complaints) {
    for (index, (is_right, line)) in rows.iter().enumerate() {
        match (is_right, complaints.get(&(index + 2))) {
            (true, Some(complaint)) => panic!("{line}\n{complaint}"),
            (false, None) => panic!("{line}\nwas accepted"),
            (true, None) | (false, Some(_)) => {}
        }
    }
}
