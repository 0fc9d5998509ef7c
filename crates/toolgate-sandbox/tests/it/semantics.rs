//! What programs mean: values, calls, logs, timers and the ways to fail.

use toolgate_sandbox::{FailureKind, InProcess, Limits, Sandbox};

use crate::host::{pool, run, run_in, tight};

/// Program, and the result as JSON text or the failure.
const VALUES: &[(&str, &str)] = &[
    ("return 1", "1"),
    ("return 'hello'", r#""hello""#),
    ("const x = 1", "nothing"),
    ("return undefined", "nothing"),
    ("return null", "null"),
    (
        "return { n: 1.5, list: ['a', true], none: null, empty: {}, gone: undefined }",
        r#"{"n":1.5,"list":["a",true],"none":null,"empty":{}}"#,
    ),
    (
        "return [9007199254740991, -9007199254740991, 2 ** 60]",
        "[9007199254740991,-9007199254740991,1.152921504606847e+18]",
    ),
    ("return typeof (await tools.echo({ n: 2 ** 60 })).n", r#""number""#),
    ("return [undefined, 1]", "[null,1]"),
    ("return 'é\\u0000\\n\"\\\\ 🦀'", "\"é\\u0000\\n\\\"\\\\ 🦀\""),
    ("return Object.create(null)", "{}"),
    (
        "return [1e21, 1e-7, 123456789012, 0, 5e-324, 1.7976931348623157e308]",
        "[1e+21,1e-7,123456789012,0,5e-324,1.7976931348623157e+308]",
    ),
    ("return 9007199254740993n", "9007199254740993"),
    ("return [18446744073709551615n, -9223372036854775808n]", "[18446744073709551615,-9223372036854775808]"),
    ("return (await tools.echo({ value: 9007199254740993n })).value + 1n", "9007199254740994"),
    ("return typeof (await tools.echo({ value: 18446744073709551615n })).value", r#""bigint""#),
    ("return typeof (await tools.echo({ value: 9007199254740991 })).value", r#""number""#),
    ("return await tools.echo({ a: [1, { b: 'ключ' }] })", r#"{"a":[1,{"b":"ключ"}]}"#),
    ("return await tools.echo()", "{}"),
    ("const r: string = await tools.echo({ value: 'x' }); return r", r#"{"value":"x"}"#),
    ("return await tools['my-tool']({ value: 1 })", r#"{"value":1}"#),
    (
        "return [typeof tools.ghost, 'echo' in tools, 'ghost' in tools, typeof tools.hasOwnProperty]",
        r#"["undefined",true,false,"undefined"]"#,
    ),
    (
        "try { await tools.fail({}) } catch (e) { return [e instanceof ToolCallError, e instanceof Error, e.name, e.toolName, e.message] }",
        r#"[true,true,"ToolCallError","fail","deliberate"]"#,
    ),
    ("try { await tools.drop({}) } catch (e) { return e.message }", r#""the call ended without an answer""#),
    (
        "try { await tools.echo({ n: NaN }) } catch (e) { return [e.toolName, e.message] }",
        r#"["echo","the arguments hold NaN at `n`, which is not JSON"]"#,
    ),
    ("return await Promise.all([1, 2, 3].map(n => tools.echo({ n }).then(r => r.n)))", "[1,2,3]"),
    (
        "const seen = []; await Promise.all([tools.slow({ ms: 60 }).then(() => seen.push('slow')), tools.echo({}).then(() => seen.push('quick'))]); return seen",
        r#"["quick","slow"]"#,
    ),
    (
        "let n = 0; await new Promise(r => { setTimeout(r, 30); setTimeout(() => n++, 10); const t = setTimeout(() => n += 10, 5); clearTimeout(t) }); return n",
        "1",
    ),
    ("return await new Promise(r => setTimeout((a, b) => r([a, b]), 1, 'x', 2))", r#"["x",2]"#),
    (
        "const order = []; queueMicrotask(() => order.push('micro')); setTimeout(() => order.push('timer'), 0); await new Promise(r => setTimeout(r, 5)); return order",
        r#"["micro","timer"]"#,
    ),
    (
        "const p = tools.fail({}); await tools.echo({}); try { await p } catch (e) { return e.message }",
        r#""deliberate""#,
    ),
    (
        "const r = await Promise.allSettled([tools.fail({}), tools.echo({})]); return r.map(x => x.status)",
        r#"["rejected","fulfilled"]"#,
    ),
    (
        "return [typeof eval, typeof Function, typeof SharedArrayBuffer, typeof Atomics, typeof performance, typeof WebAssembly, typeof require, typeof process, typeof fetch, typeof navigator]",
        r#"["undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined"]"#,
    ),
    ("return new ToolCallError('a', 'b').toolName", r#""a""#),
    (
        "return await (async () => { let s = 0; for await (const x of (async function* () { yield 1; yield 2 })()) s += x; return s })()",
        "3",
    ),
    ("return await tools.echo({ ['__proto__']: 1 }).then(r => Object.keys(r))", r#"["__proto__"]"#),
    ("return this === undefined", "true"),
    // Failures.
    ("return { n: NaN }", "invalid-output: the program returned NaN at `n`, which is not JSON"),
    (
        "return { list: [0, { deep: -0 }] }",
        "invalid-output: the program returned negative zero at `list[1].deep`, which is not JSON",
    ),
    ("return Infinity", "invalid-output: the program returned Infinity, which is not JSON"),
    (
        "return { when: new Date() }",
        "invalid-output: the program returned a Date (use its ISO text) at `when`, which is not JSON",
    ),
    (
        "return new Map([[1, 2]])",
        "invalid-output: the program returned a Map (use Object.fromEntries), which is not JSON",
    ),
    (
        "return [new Set()]",
        "invalid-output: the program returned a Set (use an array) at `[0]`, which is not JSON",
    ),
    (
        "const a = {}; a.self = { a }; return a",
        "invalid-output: the program returned a cycle at `self.a`, which is not JSON",
    ),
    ("return { f() {} }", "invalid-output: the program returned a function at `f`, which is not JSON"),
    ("return Symbol('s')", "invalid-output: the program returned a symbol, which is not JSON"),
    (
        "return { s: 'a\\ud800' }",
        "invalid-output: the program returned text with half of a surrogate pair at `s`, which is not JSON",
    ),
    (
        "return { '\\ud800': 1 }",
        "invalid-output: the program returned a key with half of a surrogate pair, which is not JSON",
    ),
    ("return 2n ** 64n", "invalid-output: the program returned a BigInt beyond 64 bits, which is not JSON"),
    (
        "return { p: tools.echo({}) }",
        "invalid-output: the program returned a Promise (is an `await` missing?) at `p`, which is not JSON",
    ),
    (
        "class P { x = 1 }; return new P()",
        "invalid-output: the program returned an object of a class (use a plain object), which is not JSON",
    ),
    ("return new Proxy({}, {})", "invalid-output: the program returned a Proxy, which is not JSON"),
    ("return { get x() { throw new Error('mine') } }", "exception: Error: mine (line 1, column 30)"),
    (
        "return 'x'.repeat(2_000_000)",
        "output-limit: the program returned more than fits: it may print and return 1048576 bytes",
    ),
    ("let a = 0; for (let i = 0; i < 2000; i++) a = [a]; return a", "invalid-output"),
    (
        "await tools.ghost({})",
        "exception: TypeError: tools.ghost is not a function\nhint: there is no tool `ghost` (line 1, column 13)",
    ),
    (
        "const é: any = {}; const x = { y: é.z() }",
        "exception: TypeError: é.z is not a function (line 1, column 37)",
    ),
    ("throw new Error('own fault')", "exception: Error: own fault (line 1, column 11)"),
    (
        "const x: number = 1\n\n  throw new TypeError('third')",
        "exception: TypeError: third (line 3, column 13)",
    ),
    ("throw null", "exception: the program threw null"),
    ("throw undefined", "exception: the program threw undefined"),
    ("await Promise.reject(null)", "exception: the program threw null"),
    ("const a: any = []; for (;;) a.push({ a })", "memory: the program used up its memory"),
    (
        "const at = (e: Error) => /program.ts:(\\d+:\\d+)/.exec(e.stack!)![1]\nreturn [at(new Error('a')),\n  at(new Error('b'))]",
        r#"["2:16","3:10"]"#,
    ),
    ("return /program.ts:(\\d+)/.exec(new Error('first').stack)[1]", r#""1""#),
    ("try {\n\n  await tools.fail({}) } catch (e) { return /program.ts:(\\d+)/.exec(e.stack)[1] }", r#""3""#),
    ("throw 'text'", "exception: the program threw text"),
    ("throw { a: 1 }", "exception: the program threw {\"a\":1}"),
    ("await tools.fail({})\nreturn 1", "exception: ToolCallError: deliberate (line 1, column 13)"),
    (
        "const a = 1\nawait tools.echo({})\nawait tools.fail({})",
        "exception: ToolCallError: deliberate (line 3, column 13)",
    ),
    ("return (", "exception: SyntaxError: Expected `)` but found `EOF` (line 1, column 9)"),
    ("let a = 1\nlet a = 2", "exception: SyntaxError"),
    ("await new Promise(() => {})", "stalled: the program awaits a promise that nothing can settle"),
    ("Promise.reject(new Error('nobody')); return 1", "exception: Error: nobody (line 1, column 20)"),
    (
        "const p = Promise.reject(new Error('later')); await tools.echo({}); try { await p } catch { return 'caught' }",
        r#""caught""#,
    ),
    (
        "setTimeout(() => { throw new Error('timer') }, 1); await new Promise(r => setTimeout(r, 50))",
        "exception: Error: timer (line 1, column 30)",
    ),
    (
        "queueMicrotask(() => { throw new Error('micro') }); await tools.echo({})",
        "exception: Error: micro (line 1, column 34)",
    ),
    ("undefined.x", "exception: TypeError: cannot read property 'x' of undefined (line 1, column 1)"),
];

/// Runs the whole table.
async fn table(sandbox: &impl Sandbox) {
    let mut faults = Vec::new();
    for (source, expected) in VALUES {
        let text = run_in(sandbox, source, Limits::in_process()).await.text();
        let kind_only = !expected.contains(": ") && text.starts_with(&format!("{expected}: "));
        let class_only = expected.ends_with("SyntaxError") && text.starts_with(expected);
        if text != *expected && !kind_only && !class_only {
            faults.push(format!("{source}\n  expected {expected}\n  got      {text}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test]
async fn programs_end_with_their_value_or_their_failure() {
    table(&InProcess::new()).await;
}

#[tokio::test]
async fn programs_end_the_same_way_in_workers() {
    table(&pool()).await;
}

#[tokio::test]
async fn names_that_mean_something_to_the_language_are_only_names() {
    for name in ["__proto__", "constructor", "then", "toString", "prototype", "my-tool"] {
        let seen = run(&format!("return await tools[{name:?}]({{ a: 1 }})")).await;
        assert_eq!(seen.text(), r#"{"a":1}"#, "{name}");
        assert_eq!(seen.calls, [format!(r#"{name}({{"a":1}})"#)]);
    }
}

#[tokio::test]
async fn arguments_that_are_not_json_take_no_number() {
    let seen = run("try { await tools.echo({ n: NaN }) } catch {}\nreturn await tools.echo({ n: 1 })").await;
    assert_eq!(seen.calls, [r#"echo({"n":1})"#]);
}

#[tokio::test]
async fn what_is_printed_is_kept_in_order() {
    let seen = run(
        "console.log('one'); console.info('two', 3, { a: [1, 'x', undefined] }); console.warn(); console.error(null, undefined, true, 1n, NaN, -0)
         console.log([new Map([[1, 2]]), new Error('e'), () => 1, 's']); console.log('\\ud800', Symbol('q'), new Date(0))
         const c = {}; c.c = c; console.log(c); console.log('two\\nlines'); class A { x = 1 }; console.log(new A(), /x/g)",
    )
    .await;
    assert_eq!(
        seen.outcome.logs,
        [
            "one",
            r#"two 3 {"a":[1,"x",null]}"#,
            "",
            "null undefined true 1 NaN -0",
            r#"[[Map of 1],Error: e,[function],"s"]"#,
            "\u{fffd} Symbol(q) 1970-01-01T00:00:00.000Z",
            r#"{"c":[cycle]}"#,
            "two\nlines",
            r#"{"x":1} /x/g"#,
        ]
    );
}

#[tokio::test]
async fn a_flood_of_output_keeps_its_head_and_its_true_counts() {
    let limits = Limits { output: 200, ..tight() };
    let seen =
        run_in(&InProcess::new(), "for (let i = 0; i < 50; i++) console.log('0123456789')\nreturn 1", limits)
            .await;
    assert_eq!(seen.outcome.failure.as_ref().map(|f| f.kind), Some(FailureKind::OutputLimit));
    assert_eq!(seen.outcome.printed.lines, 50);
    assert_eq!(seen.outcome.printed.bytes, 500);
    assert_eq!(seen.outcome.logs.len(), 19);
    assert!(seen.outcome.logs.concat().len() <= 200);

    let seen = run("for (let i = 0; i < 100000; i++) console.log('a line of the flood', i)").await;
    assert_eq!(seen.outcome.failure.as_ref().map(|f| f.kind), Some(FailureKind::OutputLimit));
    assert_eq!(seen.outcome.printed.lines, 100_000);
    assert!(seen.text().contains("100000 lines"), "{}", seen.text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_nobody_awaited_are_told() {
    unawaited(&InProcess::new()).await;
    unawaited(&pool()).await;
}

async fn unawaited(sandbox: &impl Sandbox) {
    for (source, unawaited) in [
        ("tools.echo({}); tools.echo({}); return 1", &[1, 2][..]),
        ("tools.echo({}); await tools.echo({}); return 1", &[1]),
        ("tools.echo({}); await new Promise(r => setTimeout(r, 20)); return 1", &[1]),
        ("tools.fail({}); await new Promise(r => setTimeout(r, 20)); return 1", &[1]),
        ("tools.fail({}).then(() => 1); await new Promise(r => setTimeout(r, 20)); return 1", &[1]),
        ("tools.never({}).catch(() => {}); return 1", &[1]),
        ("await Promise.race([tools.never({}), tools.echo({})]); return 1", &[1]),
        ("await Promise.all([tools.echo({}), tools.echo({})]); return 1", &[]),
        ("await tools.fail({}).catch(() => {}); await tools.echo({}).finally(() => {}); return 1", &[]),
        ("await Promise.allSettled([tools.fail({})]); return 1", &[]),
    ] {
        let seen = run_in(sandbox, source, tight()).await;
        assert_eq!(seen.text(), "1", "{source}");
        assert_eq!(seen.outcome.unawaited, unawaited, "{source}");
    }
    let seen = run_in(sandbox, "for (let i = 0; i < 20; i++) tools.echo({ i }); return 1", tight()).await;
    assert_eq!(seen.calls.len(), 20, "submitted calls are handed over before the outcome is");
}
