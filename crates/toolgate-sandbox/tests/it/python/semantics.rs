//! What programs mean: values, calls, logs, sleeps and the ways to fail.

use std::time::{Duration, Instant};

use toolgate_sandbox::{FailureKind, Limits};

use super::run_in;
use crate::host::{pool, tight};

/// Program, and the result as JSON text or the failure.
const VALUES: &[(&str, &str)] = &[
    ("return 1", "1"),
    ("return 'hello'", r#""hello""#),
    ("x = 1", "nothing"),
    ("1 + 1", "nothing"),
    ("", "nothing"),
    ("# only a comment", "nothing"),
    ("'only a text'", "nothing"),
    ("return", "null"),
    ("return None", "null"),
    ("if True:\n    x = 1", "nothing"),
    ("if True:\n    return 5", "5"),
    (
        "return {'n': 1.5, 'list': ['a', True], 'none': None, 'empty': {}, 'tuple': (1, (2,), ())}",
        r#"{"n":1.5,"list":["a",true],"none":null,"empty":{},"tuple":[1,[2],[]]}"#,
    ),
    ("return 'é\\x00\\n\"\\\\ 🦀'", "\"é\\u0000\\n\\\"\\\\ 🦀\""),
    (
        "return [1e21, 1e-7, 0.1, 5e-324, 1.7976931348623157e308]",
        "[1e+21,1e-7,0.1,5e-324,1.7976931348623157e+308]",
    ),
    ("return 1.0", "1.0"),
    // Integers are exact (K24).
    ("return 9007199254740993", "9007199254740993"),
    ("return [2**64 - 1, -2**63, 2**63]", "[18446744073709551615,-9223372036854775808,9223372036854775808]"),
    ("return (await tools.echo({'value': 9007199254740993}))['value'] + 1", "9007199254740994"),
    ("return (await tools.echo({'value': 18446744073709551615}))['value'] - 1", "18446744073709551614"),
    ("return type((await tools.echo({'value': 1.0}))['value']).__name__", r#""float""#),
    ("return type((await tools.echo({'value': 1}))['value']).__name__", r#""int""#),
    // Calls.
    ("return await tools.echo({'a': [1, {'b': 'ключ'}]})", r#"{"a":[1,{"b":"ключ"}]}"#),
    ("return await tools.echo()", "{}"),
    ("return await tools.echo(a=1, b=[None])", r#"{"a":1,"b":[null]}"#),
    ("return await tools.echo(**{'a': 1})", r#"{"a":1}"#),
    (
        "return await tools.echo({'a': 1}, b=2)",
        "exception: TypeError: tools.echo takes one dictionary, or keywords",
    ),
    ("return await tools.echo(1, 2)", "exception: TypeError: tools.echo takes one dictionary, or keywords"),
    ("f = tools.echo\nreturn await f({'a': 1})", r#"{"a":1}"#),
    (
        "async def f(n):\n    return (await tools.echo({'n': n}))['n']\nreturn [await f(1), await f(2)]",
        "[1,2]",
    ),
    ("return (await tools.echo({'a': {'b': 1}}))['a']['b']", "1"),
    (
        "return [hasattr(tools, 'echo'), hasattr(tools, 'ghost'), hasattr(tools, 'run_code')]",
        "[true,false,false]",
    ),
    ("return tools.ghost", "exception: AttributeError: 'Tools' object has no attribute 'ghost'"),
    ("return await tools.ghost({})", "exception: AttributeError: 'Tools' object has no attribute 'ghost'"),
    ("try:\n    await tools.fail({})\nexcept ToolCallError as e:\n    return str(e)", r#""deliberate""#),
    (
        "try:\n    await tools.fail({})\nexcept Exception as e:\n    return [str(e), isinstance(e, ToolCallError)]",
        r#"["deliberate",true]"#,
    ),
    (
        "try:\n    await tools.drop({})\nexcept ToolCallError as e:\n    return str(e)",
        r#""the call ended without an answer""#,
    ),
    (
        "try:\n    await tools.echo({'n': float('nan')})\nexcept ToolCallError as e:\n    return str(e)",
        r#""the arguments hold NaN at `n`, which is not JSON""#,
    ),
    ("try:\n    [][1]\nexcept ToolCallError:\n    return 1\nexcept IndexError:\n    return 2", "2"),
    ("raise OSError('own')", "exception: OSError: own"),
    // By subscript (K78), and what only looks like one.
    ("return await tools['my-tool']({'value': 1})", r#"{"value":1}"#),
    ("return await tools[\"my-tool\"](value=1)", r#"{"value":1}"#),
    ("n = 'my' + '-tool'\nreturn await tools[n]({'value': 1})", r#"{"value":1}"#),
    ("return await tools [ 'my-tool' ] ({'value': 1})", r#"{"value":1}"#),
    ("return await tools[\n  'my-tool'\n]({'value': 1})", r#"{"value":1}"#),
    ("return [await tools[n]({'v': tools['echo'] == tools.echo}) for n in ['my-tool']]", r#"[{"v":true}]"#),
    ("return f\"{await tools['my-tool']({'value': [1][0]})}\"", r#""{'value': 1}""#),
    ("class A:\n    def f(self):\n        return tools['my-tool']\nreturn await A().f()({})", "{}"),
    ("return tools['ghost']", "exception: KeyError: 'ghost'"),
    (
        "return [\"tools['x']\", r\"tools['y']\", f\"tools['z']{1}tools['w']\", '''tools['v']''']",
        r#"["tools['x']","tools['y']","tools['z']1tools['w']","tools['v']"]"#,
    ),
    ("x = {'tools': [7]}\nreturn [x['tools'][0], x['tools'][0:1]]", "[7,[7]]"),
    ("class A:\n    pass\na = A()\na.tools = [7]\nreturn a.tools[0]", "7"),
    ("return f'{1:>{2+1}}|{\"a\"!r:^5}|{{x}}|{3:03d}' # tools['", r#""  1| 'a' |{x}|003""#),
    ("tools['my-tool'] = 1", "exception: TypeError"),
    // A name `tools` of the program's own is no set of tools.
    ("tools = ['a']\nreturn tools[0]", r#""a""#),
    ("def f(first, tools):\n    return tools[0]\nreturn f(1, ['a'])", r#""a""#),
    ("def f(first: int, tools: list) -> str:\n    return tools[0]\nreturn f(1, ['a'])", r#""a""#),
    ("r = []\nfor tools in [['a'], ['b']]:\n    r.append(tools[0])\nreturn r", r#"["a","b"]"#),
    ("return [tools[0] for n, tools in [(1, ['a'])]]", r#"["a"]"#),
    ("return (lambda *tools: tools[0])('a')", r#""a""#),
    ("tools, b = ['a'], 2\nreturn tools[0]", r#""a""#),
    ("tools: list = ['a']\nreturn tools[0]", r#""a""#),
    ("if (tools := ['a']):\n    return tools[0]", r#""a""#),
    ("return [x for x in [tools['echo'] == tools.echo]]", "[true]"),
    ("def f(tool=tools['echo']):\n    return tool\nreturn await f()({'a': 1})", r#"{"a":1}"#),
    ("def f(tool, tools=None):\n    return tools\nreturn f(tools.echo)", "null"),
    ("return await (lambda x: tools['my-tool'](x))({'a': 1})", r#"{"a":1}"#),
    ("for name in tools['echo'], tools['my-tool']:\n    await name({})\nreturn 1", "1"),
    // Where code ends and text begins.
    ("x = 1.\nreturn await tools['echo']({'x': x})", r#"{"x":1.0}"#),
    ("class A: ...\nreturn await tools['echo']({})", "{}"),
    ("return rf\"\\N{'tools[0]'}\"", r#""\\Ntools[0]""#),
    ("return rf\"\\N{tools['echo'] == tools.echo}\"", r#""\\NTrue""#),
    ("return 'a\\\r\ntools[0]'", r#""atools[0]""#),
    ("# it's\rreturn tools['echo'] == tools.echo", "true"),
    ("try: await tools.fail()\nexcept ToolCallError: ...\nreturn await tools['echo']({})", "{}"),
    // At once.
    (
        "import asyncio\nreturn await asyncio.gather(*[tools.echo({'n': n}) for n in [1, 2, 3]])",
        r#"[{"n":1},{"n":2},{"n":3}]"#,
    ),
    (
        "import asyncio\nseen = []\nasync def f(tool, ms, name):\n    await tool({'ms': ms})\n    seen.append(name)\nawait asyncio.gather(f(tools.slow, 60, 'slow'), f(tools.echo, 0, 'quick'))\nreturn seen",
        r#"["quick","slow"]"#,
    ),
    (
        "p = tools.fail({})\nawait tools.echo({})\ntry:\n    await p\nexcept ToolCallError as e:\n    return str(e)",
        r#""deliberate""#,
    ),
    (
        "import asyncio\ntry:\n    await asyncio.gather(tools.echo({}), tools.fail({}))\nexcept ToolCallError as e:\n    return str(e)",
        r#""deliberate""#,
    ),
    (
        "p = tools.echo({'a': 1})\nq = tools.echo({'a': 2})\nb = await q\na = await p\nreturn [a, b, await p]",
        r#"[{"a":1},{"a":2},{"a":1}]"#,
    ),
    ("import asyncio\nreturn [await asyncio.sleep(0.01), await asyncio.sleep(0, 'x')]", r#"[null,"x"]"#),
    (
        "import asyncio\nseen = []\nasync def f(s):\n    await asyncio.sleep(s)\n    seen.append(s)\nawait asyncio.gather(f(0.05), f(0.01))\nreturn seen",
        "[0.01,0.05]",
    ),
    (
        "import asyncio\nawait asyncio.sleep('x')",
        "exception: TypeError: asyncio.sleep takes a number of seconds",
    ),
    (
        "import asyncio\nasync def main():\n    return await tools.echo({'a': 1})\nreturn asyncio.run(main())",
        r#"{"a":1}"#,
    ),
    // The language.
    (
        "import json, re, math\nreturn [json.loads('[1]'), re.findall('a+', 'aab'), math.floor(1.5)]",
        r#"[[1],["aa"],1]"#,
    ),
    (
        "from collections import Counter, defaultdict, deque\nd = defaultdict(list)\nd['a'].append(1)\nreturn [Counter('aab'), d, deque([1])]",
        r#"[{"a":2,"b":1},{"a":[1]},[1]]"#,
    ),
    (
        "from datetime import datetime, date, timezone\nnow = datetime.now(timezone.utc)\nreturn [now.year > 2000, date.today().year > 2000, datetime.now().tzinfo is None]",
        "[true,true,true]",
    ),
    ("from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nreturn P(1).x", "1"),
    ("return [x for x in range(3) if (y := x) > 0]", "[1,2]"),
    ("return sorted([3, 1, 2], key=lambda x: -x)", "[3,2,1]"),
    // Failures: values (K77).
    ("return {'n': float('nan')}", "invalid-output: the program returned NaN at `n`, which is not JSON"),
    (
        "return {'list': [0, {'deep': -0.0}]}",
        "invalid-output: the program returned negative zero at `list[1].deep`, which is not JSON",
    ),
    ("return float('-inf')", "invalid-output: the program returned -Infinity, which is not JSON"),
    ("return 2**64", "invalid-output: the program returned an integer beyond 64 bits, which is not JSON"),
    (
        "return [-2**63 - 1]",
        "invalid-output: the program returned an integer beyond 64 bits at `[0]`, which is not JSON",
    ),
    (
        "from datetime import date\nreturn {'when': date(2020, 1, 1)}",
        "invalid-output: the program returned a date or time (use its ISO text) at `when`, which is not JSON",
    ),
    ("return [{1}]", "invalid-output: the program returned a set (use a list) at `[0]`, which is not JSON"),
    (
        "return {'b': b'x'}",
        "invalid-output: the program returned bytes (use text, such as base64) at `b`, which is not JSON",
    ),
    (
        "return {'a': {1: 2}}",
        "invalid-output: the program returned a dictionary with a key that is no text at `a`, which is not JSON",
    ),
    (
        "a = {}\na['self'] = {'a': a}\nreturn a",
        "invalid-output: the program returned a cycle at `self.a`, which is not JSON",
    ),
    ("return {'f': lambda: 1}", "invalid-output: the program returned a function at `f`, which is not JSON"),
    ("return {'f': len}", "invalid-output: the program returned a function at `f`, which is not JSON"),
    ("return int", "invalid-output: the program returned a class, which is not JSON"),
    ("return tools.echo", "invalid-output: the program returned a function, which is not JSON"),
    (
        "return tools",
        "invalid-output: the program returned an object of the class `Tools` (use a dictionary), which is not JSON",
    ),
    (
        "class P:\n    pass\nreturn [P()]",
        "invalid-output: the program returned an object of the class `P` (use a dictionary) at `[0]`, which is not JSON",
    ),
    (
        "return {'p': tools.echo({})}",
        "invalid-output: the program returned a coroutine (is an `await` missing?) at `p`, which is not JSON",
    ),
    (
        "return ValueError('x')",
        "invalid-output: the program returned an exception (use its text), which is not JSON",
    ),
    ("return ...", "invalid-output: the program returned an ellipsis, which is not JSON"),
    (
        "return 'x' * 2_000_000",
        "output-limit: the program returned more than fits: it may print and return 1048576 bytes",
    ),
    ("a = 0\nfor i in range(2000):\n    a = [a]\nreturn a", "invalid-output"),
    // Failures: places (K76).
    ("raise ValueError('own fault')", "exception: ValueError: own fault (line 1, column 7)"),
    ("x: int = 1\n\nif x:\n    raise TypeError('third')", "exception: TypeError: third (line 4, column 11)"),
    ("def f():\n    return 1 / 0\nf()", "exception: ZeroDivisionError: division by zero (line 2, column 12)"),
    ("await tools.fail({})\nreturn 1", "exception: ToolCallError: deliberate (line 1, column 1)"),
    (
        "a = 1\nawait tools.echo({})\nx = await tools.fail({})",
        "exception: ToolCallError: deliberate (line 3, column 5)",
    ),
    (
        "import asyncio\nawait asyncio.gather(tools.echo({}),\n  tools.fail({}))",
        "exception: ToolCallError: deliberate (line 2, column 1)",
    ),
    ("x = tools['my-tool'] + nope", "exception: NameError: name 'nope' is not defined (line 1, column 24)"),
    ("x = 1\rnope", "exception: NameError: name 'nope' is not defined (line 2, column 1)"),
    ("x = 1\r\n\r\rif x:\r  nope", "exception: NameError: name 'nope' is not defined (line 5, column 3)"),
    ("return '''a\rb'''", r#""a\nb""#),
    ("x = '\u{2028}'\r\nnope", "exception: NameError: name 'nope' is not defined (line 2, column 1)"),
    ("return nope", "exception: NameError: name 'nope' is not defined (line 1, column 8)"),
    ("return (", "exception: SyntaxError"),
    ("x = [1,\ny = 2", "exception: SyntaxError"),
    ("def f(:\n    pass", "exception: SyntaxError"),
    ("  x = 1\n y = 2", "exception: SyntaxError"),
    ("x = '", "exception: SyntaxError"),
    ("raise ValueError", "exception: ValueError (line 1, column 7)"),
    ("assert 1 == 2", "exception: AssertionError"),
    (
        "return 1\n'a\\ud800'",
        "exception: SyntaxError: a text cannot hold half of a surrogate pair (line 2, column 3)",
    ),
    ("return '\\U0000DFFF'", "exception: SyntaxError: a text cannot hold half of a surrogate pair"),
    ("return [r'\\ud800', '\\\\ud800', '\\ud7ff'][0:2]", r#"["\\ud800","\\ud800"]"#),
    ("import json\nreturn json.loads('\"\\\\ud800\"')", "exception"),
    ("return chr(0xd800)", "exception"),
];

#[tokio::test]
async fn programs_end_with_their_value_or_their_failure() {
    let pool = pool();
    let mut faults = Vec::new();
    for (source, expected) in VALUES {
        let text = run_in(&pool, source, Limits::default()).await.text();
        let is_beginning = expected.contains(": ") && text.starts_with(expected);
        let kind_only = text.starts_with(&format!("{expected}: "));
        if text != *expected && !kind_only && !is_beginning {
            faults.push(format!("{source}\n  expected {expected}\n  got      {text}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test]
async fn names_that_mean_something_to_the_language_are_only_names() {
    let pool = pool();
    for name in ["__proto__", "constructor", "then", "toString", "prototype", "my-tool"] {
        let seen = run_in(&pool, &format!("return await tools[{name:?}]({{'a': 1}})"), tight()).await;
        assert_eq!(seen.text(), r#"{"a":1}"#, "{name}");
        assert_eq!(seen.calls, [format!(r#"{name}({{"a":1}})"#)]);
    }
    let seen = run_in(&pool, "return [await tools.then(), await tools.__proto__()]", tight()).await;
    assert_eq!(seen.text(), "[{},{}]");
}

#[tokio::test]
async fn arguments_that_are_not_json_take_no_number() {
    let source = "try:\n    await tools.echo({'n': {1}})\nexcept ToolCallError:\n    pass\nreturn await tools.echo({'n': 1})";
    let seen = run_in(&pool(), source, tight()).await;
    assert_eq!(seen.calls, [r#"echo({"n":1})"#]);
}

#[tokio::test]
async fn what_is_printed_is_kept_in_order() {
    let source = "print('one')\nprint('two', 3, {'a': [1, 'x', None]})\nprint()\nprint('a', end='')\nprint('b', 'c', sep='-')\nprint('two\\nlines')\nprint(1.0, True, None, -0.0)\nprint('end', end='')";
    let seen = run_in(&pool(), source, tight()).await;
    let expected =
        ["one", "two 3 {'a': [1, 'x', None]}", "", "ab-c", "two\nlines", "1.0 True None -0.0", "end"];
    assert_eq!(seen.outcome.logs, expected, "{:?}", seen.outcome);
    let seen = run_in(&pool(), "print('one')\nprint('two', end='')\n1 / 0", tight()).await;
    assert_eq!(seen.outcome.logs, ["one", "two"]);
}

#[tokio::test]
async fn a_flood_of_output_keeps_its_head_and_its_true_counts() {
    let limits = Limits { output: 200, ..tight() };
    let seen = run_in(&pool(), "for i in range(50):\n    print('0123456789')\nreturn 1", limits).await;
    assert_eq!(seen.outcome.failure.as_ref().map(|f| f.kind), Some(FailureKind::OutputLimit));
    assert_eq!((seen.outcome.printed.lines, seen.outcome.printed.bytes), (50, 500));
    assert_eq!(seen.outcome.logs.len(), 19);

    let limits = Limits { output: 200, ..tight() };
    let seen = run_in(&pool(), "print('é' * 150, 'x')\nprint('more')\nreturn 1", limits).await;
    assert_eq!(seen.outcome.failure.as_ref().map(|f| f.kind), Some(FailureKind::OutputLimit));
    assert_eq!((seen.outcome.printed.lines, seen.outcome.printed.bytes), (2, 306));
    assert_eq!(seen.outcome.logs, ["é".repeat(99)]);

    let limits = Limits { cpu: Duration::from_secs(20), ..Limits::default() };
    let seen = run_in(&pool(), "for i in range(100000):\n    print('a line of the flood', i)", limits).await;
    assert_eq!(seen.outcome.failure.as_ref().map(|f| f.kind), Some(FailureKind::OutputLimit));
    assert_eq!(seen.outcome.printed.lines, 100_000);
}

/// Rule C8, case K75.
#[tokio::test]
async fn calls_that_nobody_awaited_are_told() {
    let pool = pool();
    for (source, unawaited) in [
        ("tools.echo({})\ntools.echo({})\nreturn 1", &[1, 2][..]),
        ("tools.echo({})\nawait tools.echo({})\nreturn 1", &[1]),
        ("import asyncio\ntools.echo({})\nawait asyncio.sleep(0.03)\nreturn 1", &[1]),
        (
            "import asyncio\ntools.fail({})\nawait asyncio.gather(tools.echo({}), tools.slow({}))\nreturn 1",
            &[1],
        ),
        ("tools.never({})\nreturn 1", &[1]),
        ("p = tools.echo({})\nq = tools.echo({})\nawait q\nawait p\nreturn 1", &[]),
        ("import asyncio\nawait asyncio.gather(tools.echo({}), tools.echo({}))\nreturn 1", &[]),
        ("import asyncio\nasyncio.gather(tools.echo({}), tools.echo({}))\nreturn 1", &[1, 2]),
        (
            "import asyncio\nasync def f(n):\n    tools.echo({})\n    return await tools.echo({})\nawait asyncio.gather(f(1), f(2))\nreturn 1",
            &[1, 3],
        ),
        ("try:\n    await tools.fail({})\nexcept ToolCallError:\n    pass\nreturn 1", &[]),
        ("l = [tools.echo({'n': n}) for n in range(5)]\nfor p in l:\n    await p\nreturn 1", &[]),
    ] {
        let seen = run_in(&pool, source, tight()).await;
        assert_eq!(seen.text(), "1", "{source}");
        assert_eq!(seen.outcome.unawaited, unawaited, "{source}");
    }
    let seen = run_in(&pool, "for i in range(20):\n    tools.echo({'i': i})\nreturn 1", tight()).await;
    assert_eq!(seen.calls.len(), 20, "submitted calls are handed over before the outcome is");
}

#[tokio::test]
async fn calls_overlap_and_sleeping_is_no_computing() {
    let limits = Limits { cpu: Duration::from_millis(200), ..tight() };
    let started = Instant::now();
    let source = "import asyncio\nawait asyncio.gather(*[tools.slow({'ms': 300}) for _ in range(50)])\nawait asyncio.sleep(0.3)\nreturn 1";
    assert_eq!(run_in(&pool(), source, limits).await.text(), "1");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_wait_ends_with_the_wall_time() {
    let limits = Limits { wall: Duration::from_millis(300), ..tight() };
    for source in ["import asyncio\nawait asyncio.sleep(60)", "await tools.never({})"] {
        let seen = run_in(&pool(), source, limits.clone()).await;
        assert_eq!(seen.text(), "timeout: the program ran for longer than 300ms", "{source}");
    }
}
