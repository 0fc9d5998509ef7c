//! Programs that mean harm: each ends with its own failure or without effect, the next program runs, and the host
//! stays small.

use std::process::Command;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use toolgate_sandbox::{FailureKind, InProcess, Limits, Sandbox};

use crate::host::{pool, run_cancelled, run_in, tight};

/// Program, and how it ends: the beginning of its result or of its failure. One end each, the same in both placements.
const ATTACKS: &[(&str, &str)] = &[
    // Time.
    ("while (true) {}", "timeout"),
    ("for (;;) { try { while (true) {} } catch {} finally { while (true) {} } }", "timeout"),
    (
        "const f = () => { queueMicrotask(f); for (;;) {} }; queueMicrotask(f); await new Promise(() => {})",
        "timeout",
    ),
    ("const f = () => Promise.resolve().then(f); await f()", "memory: the program used up"),
    ("const f = () => queueMicrotask(f); f(); await new Promise(() => {})", "timeout"),
    ("const f = () => setTimeout(f, 0); f(); await new Promise(() => {})", "timeout"),
    ("(async function f() { for (;;) await null })(); return 1", "timeout"),
    ("return /^(a+)+$/.test('a'.repeat(40) + 'b')", "timeout"),
    ("return 'x'.repeat(100000).replace(/(x+x+)+y/, '')", "timeout"),
    ("new Array(1e5).fill(0).sort(() => { for (;;) {} })", "timeout"),
    ("Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", "timeout"),
    ("return { get x() { for (;;) {} } }", "timeout"),
    ("await tools.echo({ get x() { for (;;) {} } })", "timeout"),
    ("console.log({ get x() { for (;;) {} } })", "timeout"),
    (
        "const e = new Error('x'); Object.defineProperty(e, 'message', { get() { for (;;) {} } }); throw e",
        "timeout",
    ),
    ("throw { get x() { for (;;) {} } }", "timeout"),
    ("function* g() { try { yield 1 } finally { for (;;) {} } } for (const x of g()) break", "timeout"),
    ("class A { static [Symbol.hasInstance]() { for (;;) {} } } return 1 instanceof A", "timeout"),
    ("return `${{ toString() { for (;;) {} } }}`", "timeout"),
    ("return +{ [Symbol.toPrimitive]() { for (;;) {} } }", "timeout"),
    ("setTimeout(() => { for (;;) {} }, 0); await new Promise(() => {})", "timeout"),
    (
        "await Promise.all(Array.from({ length: 100 }, async () => { for (;;) await tools.echo({}) }))",
        "limit: the program made more than 10000 calls",
    ),
    // Memory.
    ("const a = []; for (;;) a.push(new Array(1000).fill(a.length))", "memory"),
    ("let s = 'x'; for (;;) s += s", "exception: InternalError: string too long"),
    ("return new Array(10 ** 9).fill(0)", "memory: the program used up"),
    ("new Uint8Array(2 ** 31)", "exception: RangeError: invalid array buffer length"),
    ("const a = []; for (;;) a.push(new ArrayBuffer(1 << 20))", "memory"),
    ("const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })", "memory: the program used up"),
    ("let o = {}; for (;;) o = { o, p: new Array(100).fill(1) }", "memory"),
    ("const a = []; for (;;) { try { for (;;) a.push('x'.repeat(1000) + a.length) } catch {} }", "timeout"),
    (
        "let p = Promise.resolve(); for (let i = 0; i < 1e7; i++) p = p.then(x => x); await p",
        "memory: the program used up",
    ),
    ("const a = []; for (;;) a.push(() => a)", "memory"),
    ("const a = []; for (;;) a.push(Promise.reject(1))", "memory: the program used up"),
    ("'x'.padEnd(2 ** 29).split('')", "memory: the program used up"),
    ("return [...'x'.repeat(5e6)].length", "memory: the program used up"),
    ("let b = 1n; for (;;) b = b * b + (1n << 60n)", "exception: RangeError: BigInt is too large"),
    ("return (2n ** 1000000n).toString().length", "301030"),
    ("return JSON.parse('['.repeat(1e6) + ']'.repeat(1e6))", "limit: the program used up its stack"),
    ("let a = []; for (let i = 0; i < 40; i++) a = [a, a]; return a", "output-limit"),
    (
        "let a = []; for (let i = 0; i < 40; i++) a = [a, a]; await tools.echo({ a })",
        "exception: ToolCallError: the arguments",
    ),
    (
        "let a = []; for (let i = 0; i < 40; i++) a = [a, a]; console.log(a)",
        "output-limit: the program printed 1 lines",
    ),
    ("const a = []; a.length = 4294967295; return a", "output-limit"),
    (
        "const s = 'x'.repeat(4e6); return await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(() => tools.never({ s })))",
        "limit: the arguments of the calls in flight",
    ),
    (
        "const a = new Array(400000).fill(0); return await Promise.all([1, 2, 3].map(() => tools.never({ a })))",
        "limit: the arguments of the calls in flight",
    ),
    // Stack and nesting.
    ("const f = () => f() + 1; f()", "limit: the program used up its stack"),
    ("const f = n => { try { return f(n + 1) } catch { return f(n + 1) } }; f(0)", "timeout"),
    ("const f = (n) => n ? [f(n - 1)] : 0; f(1e6)", "limit"),
    (
        "let p = {}; for (let i = 0; i < 2e4; i++) p = new Proxy(p, {}); return p.x",
        "limit: the program used up its stack",
    ),
    ("let a: any = []; for (let i = 0; i < 1e5; i++) a = [a]; return JSON.stringify(a)", "limit"),
    ("let a: any = []; for (let i = 0; i < 1e5; i++) a = [a]; return a", "invalid-output"),
    ("let a: any = []; for (let i = 0; i < 1e5; i++) a = [a]; a = null; return 1", "1"),
    // Calls and output.
    ("for (let i = 0; i < 1e6; i++) tools.echo({})", "limit"),
    ("for (let i = 0; i < 1e6; i++) await tools.echo({})", "limit: the program made more than 10000 calls"),
    (
        "for (let i = 0; i < 1e6; i++) setTimeout(() => {}, 1e6)",
        "limit: the program has more than 10000 timers",
    ),
    ("for (;;) console.log('x'.repeat(10000))", "output-limit"),
    ("for (;;) console.log()", "output-limit"),
    ("return 'x'.repeat(2 ** 21)", "output-limit"),
    // Code out of text.
    ("return eval('1')", "exception: ReferenceError"),
    ("return Function('return 1')()", "exception: ReferenceError"),
    ("return (() => {}).constructor('return 1')()", "exception: TypeError: code cannot"),
    ("return (async () => {}).constructor('return 1')()", "exception: TypeError: code cannot"),
    ("return (function* () {}).constructor('return 1')()", "exception: TypeError: code cannot"),
    ("return (async function* () {}).constructor('return 1')()", "exception: TypeError: code cannot"),
    (
        "return Reflect.construct(Object.getPrototypeOf(Object.getPrototypeOf(async () => {})).constructor, ['return 1'])()",
        "exception: TypeError",
    ),
    ("return tools.echo.constructor('return 1')()", "exception: TypeError: code cannot"),
    ("return console.log.constructor('return 1')()", "exception: TypeError: code cannot"),
    ("return (class {}).constructor.constructor('return 1')()", "exception: TypeError: code cannot"),
    ("setTimeout('tools.echo({})', 1)", "exception: TypeError: setTimeout takes a function"),
    ("return await import('fs')", "exception: SyntaxError: an import"),
    ("return 1; }); evil(); (async () => {", "exception: SyntaxError"),
    ("}\n)(); globalThis.evil = 1; (async function () {", "exception: SyntaxError"),
    (
        "return [typeof std, typeof os, typeof scriptArgs, typeof print, typeof gc, typeof load]",
        r#"["undefined","undefined","undefined","undefined","undefined","undefined"]"#,
    ),
    // Tampering with the bridge and with the language.
    ("Promise.prototype.then = () => { throw 1 }; return (await tools.echo({ a: 1 })).a", "1"),
    ("globalThis.Promise = null; return (await tools.echo({ a: 1 })).a", "1"),
    ("JSON.stringify = () => 'no'; JSON.parse = () => 'no'; return await tools.echo({ a: 1 })", r#"{"a":1}"#),
    ("Object.prototype.toJSON = () => 'no'; return await tools.echo({ a: 1 })", r#"{"a":1}"#),
    (
        "Array.prototype.push = Array.prototype.map = Array.prototype[Symbol.iterator] = () => { throw 1 }; console.log(1, 2); return await tools.echo({ a: [1] })",
        r#"{"a":[1]}"#,
    ),
    (
        "Object.defineProperty(Object.prototype, 'a', { set() { throw new Error('seen') }, get() { return 'no' } }); const r = await tools.echo({ ['a']: 1 }); return Object.getOwnPropertyDescriptor(r, 'a').value",
        "1",
    ),
    (
        "Object.defineProperty(Array.prototype, '0', { set() { throw new Error('seen') } }); const r = await tools.echo({ a: Array.of(1) }).catch(e => e.message); return 1",
        "1",
    ),
    (
        "Object.prototype.get = () => 1; Object.prototype.value = 7; Object.prototype.enumerable = true; return await tools.echo({ a: 1 })",
        r#"{"a":1}"#,
    ),
    (
        "Object.prototype.then = function (r) { r('stolen') }; return await tools.echo({ a: 1 })",
        r#""stolen""#,
    ),
    ("tools.echo = () => 'mine'", "exception: TypeError"),
    ("delete tools.echo", "exception: TypeError"),
    ("Object.setPrototypeOf(tools, { ghost() {} })", "exception: TypeError"),
    ("globalThis.tools = {}", "exception: TypeError"),
    ("ToolCallError.prototype.name = 'x'", "exception: TypeError"),
    ("Object.setPrototypeOf(ToolCallError, function () { throw 1 })", "exception: TypeError"),
    (
        "globalThis.Error = function () { throw 1 }; try { await tools.fail({}) } catch (e) { return e.message }",
        r#""deliberate""#,
    ),
    (
        "Error.prepareStackTrace = () => { throw 1 }; Error.stackTraceLimit = 0; try { await tools.fail({}) } catch (e) { return typeof e.stack }",
        r#""string""#,
    ),
    ("try { await tools.fail({}) } catch (e) { return e.stack.includes('toolgate') }", "false"),
    (
        "Symbol.prototype[Symbol.toPrimitive] = null; return 1",
        "exception: TypeError: 'Symbol.toPrimitive' is read-only",
    ),
    (
        "return await tools.echo(new Proxy({}, { ownKeys() { throw 1 } })).catch(e => e.message)",
        r#""the arguments hold a Proxy"#,
    ),
    (
        "return await tools.echo({ then(r) { r(1) } }).catch(e => e.message)",
        r#""the arguments hold a function at `then`"#,
    ),
    ("return await tools.echo({ [Symbol('s')]: 1, a: 1 })", r#"{"a":1}"#),
    (
        "return await tools.echo({ toJSON: () => 1 }).catch(e => e.message)",
        r#""the arguments hold a function"#,
    ),
    ("let n = 0; await tools.echo({ get a() { return ++n } }); return n", "1"),
    ("const a = { get a() { tools.echo({}); return 1 } }; await tools.echo(a); return 1", "1"),
    ("return { then(resolve) { resolve({ then(r) { r(5) } }) } }", "5"),
    ("return { then(resolve) { throw new Error('mine') } }", "exception: Error: mine"),
    ("return { then() {} }", "stalled"),
    ("await { then(r) { setTimeout(r, 5) } }; return 1", "1"),
    ("const t = {}; t.then = r => r(t); await t", "timeout"),
    (
        "return Object.keys(globalThis).concat(Reflect.ownKeys(globalThis).filter(k => /host|bridge|native/i.test(String(k))))",
        r#"[]"#,
    ),
    ("return tools.run_code === undefined && !('run_code' in tools)", "true"),
    ("const p = tools.echo({}); p.constructor = 1", "exception: TypeError"),
    (
        "const p = tools.echo({ a: 1 }); Object.defineProperty(p, 'constructor', { get() { throw new Error('mine') } }); await p",
        "exception: Error: mine",
    ),
    ("new WeakRef({}); new Promise((_, r) => r()); return 1", "exception"),
    ("return new Date().getTimezoneOffset() * 0", "0"),
    (
        "Object.freeze(Object.prototype); Object.freeze(Array.prototype); return await tools.echo({ a: [1] })",
        r#"{"a":[1]}"#,
    ),
    ("return Reflect.ownKeys(tools).length > 5", "true"),
];

/// Sources that are bombs themselves.
fn sources() -> Vec<(String, &'static str)> {
    vec![
        (
            format!("return {}1{}", "(".repeat(50_000), ")".repeat(50_000)),
            "limit: the program nests too deep",
        ),
        (format!("return {}{}", "[".repeat(5_000), "]".repeat(5_000)), "limit: the program nests too deep"),
        (format!("return {}1", "!".repeat(100_000)), "limit: the program nests too deep"),
        (format!("return {}1", "a=>".repeat(50_000)), "limit: the program nests too deep"),
        (
            format!("type A = {}number{}; return 1", "A<".repeat(20_000), ">".repeat(20_000)),
            "limit: the program nests too deep",
        ),
        (
            format!("/\"/; return {}1{}", "(".repeat(20_000), ")".repeat(20_000)),
            "limit: the program nests too deep",
        ),
        (format!("return 1{}", "+1".repeat(3_900)), "3901"),
        (format!("{}1", "if(1)".repeat(40_000)), "limit: the program used up its stack"),
        (format!("return {}1", "typeof ".repeat(30_000)), "limit: the program used up its stack"),
        (
            format!("return {}1{}", "`${".repeat(5_000), "}`".repeat(5_000)),
            "limit: the program nests too deep",
        ),
        ("// ".to_owned() + &"x".repeat(300_000), "limit: the program has"),
        (
            format!("return /{}a{}/.test('a')", "(".repeat(50_000), ")".repeat(50_000)),
            "limit: the program nests too deep",
        ),
    ]
}

/// The same limits with all the time that anything but an endless program needs.
pub(crate) fn patient(limits: &Limits) -> Limits {
    Limits { wall: Duration::from_secs(300), cpu: Duration::from_secs(150), ..limits.clone() }
}

/// Whether this process is for the suite alone, so that it measures its own growth and nobody else's. Where it is not,
/// the test of that name is run in one that is.
pub(crate) fn is_alone(test: &str) -> bool {
    const MARK: &str = "TOOLGATE_SUITE_ALONE";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let mut alone = Command::new(std::env::current_exe().expect("this program"));
    let status = alone.args([test, "--exact", "--nocapture"]).env(MARK, "1").status();
    assert!(status.expect("a process").success(), "{test} failed in a process of its own");
    false
}

/// Runs everything, and a harmless program after each.
async fn all(sandbox: &impl Sandbox, limits: &Limits) {
    let before = resident();
    let mut faults = Vec::new();
    let table = ATTACKS.iter().map(|(source, expected)| ((*source).to_owned(), *expected));
    let mut seen = 0;
    for (source, expected) in table.chain(sources()) {
        seen += 1;
        // Only what is to end by the time gets little of it, so that a busy machine changes no other verdict.
        let limits = if expected == "timeout" { limits.clone() } else { patient(limits) };
        let started = Instant::now();
        let text = run_in(sandbox, &source, limits.clone()).await.text();
        let took = started.elapsed();
        if !text.starts_with(expected) {
            let shown: String = source.chars().take(100).collect();
            faults.push(format!("{shown}\n  expected {expected}\n  got      {text}"));
        }
        if took > Duration::from_secs(300) {
            faults.push(format!("{source} took {took:?}"));
        }
        let next = run_in(sandbox, "return (await tools.echo({ a: 1 })).a", limits.clone()).await.text();
        if next != "1" {
            faults.push(format!("after {source} the next program ended with {next}"));
        }
    }
    assert!(seen >= 100, "only {seen} programs");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let grown = resident().saturating_sub(before);
    assert!(grown < 64 << 20, "the host grew by {grown} bytes");
}

/// The memory of this process that is resident.
pub(crate) fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap_or_default() * 1024
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_this_process() {
    if !is_alone("attacks::in_this_process") {
        return;
    }
    all(&InProcess::new(), &tight()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_workers() {
    if !is_alone("attacks::in_workers") {
        return;
    }
    all(&pool(), &tight()).await;
}

/// How long a program goes on that is cancelled: the shortest of a few times, because a busy machine adds to each.
pub(crate) async fn soonest_end(sandbox: &impl Sandbox, source: &str, limits: &Limits) -> Duration {
    let mut soonest = Duration::MAX;
    for _ in 0..5 {
        let cancel = CancellationToken::new();
        let asked = cancel.clone();
        let task = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            asked.cancel();
            Instant::now()
        });
        let seen = run_cancelled(sandbox, source, limits.clone(), cancel).await;
        soonest = soonest.min(task.await.expect("the task").elapsed());
        assert_eq!(seen.outcome.failure.as_ref().map(|f| f.kind), Some(FailureKind::Abort), "{source}");
        if soonest < Duration::from_millis(100) {
            break;
        }
    }
    soonest
}

#[tokio::test]
async fn cancelling_ends_a_loop_and_a_wait() {
    let limits = Limits { cpu: Duration::from_secs(20), ..Limits::in_process() };
    for source in ["for (;;) {}", "await tools.never({})", "await new Promise(r => setTimeout(r, 60000))"] {
        let took = soonest_end(&InProcess::new(), source, &limits).await;
        assert!(took < Duration::from_millis(100), "{source} went on for {took:?}");
    }
}
