//! Programs that mean harm: each ends with its own failure or without effect, the next program runs, and the host
//! stays small.

use std::time::{Duration, Instant};

use toolgate_sandbox::{Limits, Sandbox};

use super::run_in;
use crate::attacks::{is_alone, patient, resident};
use crate::host::{pool, tight};

/// Program, and how it ends: the beginning of its result or of its failure.
const ATTACKS: &[(&str, &str)] = &[
    // Time.
    ("while True:\n    pass", "timeout"),
    (
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
        "timeout",
    ),
    (
        "while True:\n    try:\n        while True:\n            pass\n    finally:\n        continue",
        "timeout",
    ),
    ("for _ in iter(int, 1):\n    pass", "timeout"),
    ("[0 for _ in iter(int, 1)]", "memory|timeout"),
    ("return sum(1 for _ in iter(int, 1))", "memory|timeout"),
    ("import itertools\nfor _ in itertools.count():\n    pass", "timeout"),
    ("import itertools\nreturn list(itertools.repeat(1))", "memory|timeout"),
    ("import itertools\nreturn list(itertools.product(range(100), repeat=10))", "exception: AttributeError"),
    ("import itertools\nreturn list(itertools.permutations(range(15)))", "exception: AttributeError"),
    ("import re\nreturn bool(re.match(r'(a+)+$', 'a' * 40 + 'b'))", "false"),
    ("import re\nreturn re.sub(r'(x+x+)+y', '', 'x' * 100000)", "\"xxxxxxxxxxxxxxxxxxx"),
    ("import re\nreturn bool(re.match(r'(?=(a+))\\1*b', 'a' * 5000))", "false"),
    ("a = 7 ** 400000\nwhile True:\n    a * a", "timeout"),
    ("a = 7 ** 2000000\nwhile True:\n    a = a * a", "timeout|memory"),
    ("return len(str(7 ** 3000000))", "exception: ValueError"),
    ("return pow(7, 10 ** 8) % 3", "memory|timeout"),
    ("return 2 ** 10 ** 10", "memory|timeout"),
    ("return 1 << 10 ** 12", "memory"),
    ("return pow(3, 10 ** 5000, 10 ** 5000 + 1)", "timeout"),
    ("return int('9' * 10 ** 6)", "exception: ValueError"),
    ("s = 'ab' * 10 ** 7\nfor i in range(10 ** 6):\n    s.count('ba')", "timeout"),
    ("s = 'a' * 10 ** 7\nfor i in range(10 ** 6):\n    s.find('a' * 1000 + 'b')", "timeout"),
    ("s = 'a' * 10 ** 6\nwhile True:\n    s.replace('a', 'bb')", "timeout"),
    ("a = list(range(10 ** 5))\nwhile True:\n    a.sort(key=lambda x: -x)", "timeout"),
    ("a = list(range(10 ** 6))\nwhile True:\n    -1 in a", "timeout"),
    ("def f(n):\n    return 1 if n < 2 else f(n - 1) + f(n - 2)\nreturn f(60)", "timeout"),
    (
        "class A:\n    def __eq__(self, other):\n        while True:\n            pass\nreturn A() == 1",
        "timeout",
    ),
    ("class A:\n    def __hash__(self):\n        while True:\n            pass\nreturn {A(): 1}", "timeout"),
    ("class A:\n    def __repr__(self):\n        while True:\n            pass\nprint(A())", "timeout"),
    (
        "class A:\n    def __str__(self):\n        while True:\n            pass\nraise ValueError(A())",
        "exception: RuntimeError",
    ),
    ("class A:\n    def __repr__(self):\n        while True:\n            pass\nassert A() == 1", "timeout"),
    (
        "class A:\n    def __iter__(self):\n        return self\n    def __next__(self):\n        return 1\nfor _ in A():\n    pass",
        "timeout",
    ),
    ("import asyncio\nasync def f():\n    while True:\n        await asyncio.sleep(0)\nawait f()", "timeout"),
    (
        "import asyncio\nasync def f():\n    while True:\n        await tools.echo({})\nawait asyncio.gather(f(), f(), f())",
        "limit|timeout",
    ),
    // Memory.
    ("a = []\nwhile True:\n    a.append([0] * 1000)", "memory"),
    (
        "a = []\nwhile True:\n    try:\n        while True:\n            a.append('x' * 1000)\n    except BaseException:\n        pass",
        "memory",
    ),
    ("s = 'x'\nwhile True:\n    s += s", "memory"),
    ("return [0] * 10 ** 12", "memory"),
    ("return 'x' * 10 ** 12", "memory"),
    ("return bytes(10 ** 12)", "memory"),
    ("return (1,) * 10 ** 10", "memory"),
    ("return list(range(10 ** 12))", "memory|timeout"),
    ("return set(range(10 ** 9))", "memory|timeout"),
    ("return {i: i for i in range(10 ** 9)}", "memory|timeout"),
    ("o = {}\nwhile True:\n    o = {'o': o, 'p': [1] * 100}", "memory"),
    ("a = []\nwhile True:\n    b = [a]\n    a.append(b)", "memory|timeout"),
    ("a = []\nwhile True:\n    a.append(lambda: a)", "memory|timeout"),
    ("a = 'x' * 10 ** 6\nreturn a.replace('x', 'y' * 10 ** 6)", "memory"),
    ("return ','.join(['x' * 10 ** 5] * 10 ** 5)", "memory"),
    ("return '%s' % ('x' * 10 ** 9)", "memory"),
    ("return f'{1:1000000000000}'", "memory"),
    ("return '{:>1000000000}'.format(1)", "memory"),
    ("return 'x'.ljust(10 ** 12)", "memory"),
    ("return 'x\\t'.expandtabs(10 ** 12)", "exception: OverflowError"),
    ("import json\nreturn json.loads('[' * 10 ** 6 + ']' * 10 ** 6)", "exception: json.JSONDecodeError"),
    ("import json\na = 1\nfor i in range(40):\n    a = [a, a]\nreturn json.dumps(a)", "memory|timeout"),
    ("a = []\nfor i in range(40):\n    a = [a, a]\nreturn a", "memory|timeout"),
    ("a = []\nfor i in range(40):\n    a = [a, a]\nawait tools.echo({'a': a})", "memory|timeout"),
    ("a = []\nfor i in range(40):\n    a = [a, a]\nprint(a)", "memory|timeout"),
    ("a = []\nfor i in range(40):\n    a = [a, a]\nreturn a == [a, a]", "false"),
    ("import copy\nreturn 1", "exception"),
    ("from collections import deque\nd = deque()\nwhile True:\n    d.append('x' * 100)", "memory"),
    ("s = 'x' * 4_000_000\nl = [tools.never({'s': s}) for _ in range(100)]\nawait l[0]", "limit|timeout"),
    ("import base64\nreturn base64.b64encode(b'x' * 10 ** 9)", "memory"),
    ("exec('x = 1')", "exception: NameError"),
    // Stack and nesting.
    ("def f():\n    return f() + 1\nf()", "limit: the program used up its stack"),
    (
        "def f(n):\n    try:\n        return f(n + 1)\n    except RecursionError:\n        return f(n + 1)\nf(0)",
        "limit|timeout",
    ),
    ("def f(n):\n    return [f(n - 1)] if n else 0\nf(10 ** 6)", "limit"),
    ("a = []\nfor i in range(10 ** 5):\n    a = [a]\nreturn repr(a)", "\"[[[[[[[[[[[[[[[[[[["),
    ("a = []\nfor i in range(10 ** 5):\n    a = [a]\nreturn a", "invalid-output"),
    ("a = []\nfor i in range(10 ** 5):\n    a = [a]\nprint(a)", "nothing"),
    (
        "a = []\nfor i in range(10 ** 5):\n    a = [a]\nb = []\nfor i in range(10 ** 5):\n    b = [b]\nreturn a == b",
        "limit",
    ),
    ("a = ()\nfor i in range(10 ** 5):\n    a = (a,)\nreturn hash(a)", "limit"),
    ("a = []\nfor i in range(10 ** 5):\n    a = [a]\na = None\nreturn 1", "1"),
    (
        "a = []\nfor i in range(10 ** 5):\n    a = [a]\nawait tools.echo({'a': a})",
        "exception: ToolCallError: the arguments hold",
    ),
    (
        "f = lambda x: x\nfor i in range(10 ** 5):\n    f = (lambda g: lambda x: g(x))(f)\nreturn f(1)",
        "limit",
    ),
    ("class A:\n    def __repr__(self):\n        return repr(self)\nreturn repr(A())", "limit"),
    ("class A:\n    def __eq__(self, o):\n        return self == o\nreturn A() == A()", "limit"),
    ("class A:\n    def __str__(self):\n        return str(self)\nprint(A())", "limit"),
    ("async def f():\n    await f()\nawait f()", "limit|timeout"),
    ("import functools\nf = len\nfor i in range(10 ** 5):\n    f = functools.partial(f)\nreturn f([])", "0"),
    ("m = map(int, [1])\nfor i in range(10 ** 5):\n    m = map(lambda x: x, m)\nreturn list(m)", "[1]"),
    (
        "import itertools\nm = iter([1])\nfor i in range(10 ** 5):\n    m = itertools.chain(m)\nreturn list(m)",
        "limit",
    ),
    // Calls and output.
    ("for i in range(10 ** 6):\n    tools.echo({})", "limit"),
    ("for i in range(10 ** 6):\n    await tools.echo({})", "limit|timeout"),
    (
        "import asyncio\nawait asyncio.gather(*[tools.echo({}) for _ in range(10 ** 5)])",
        "limit: the program had more than 4096 calls in flight",
    ),
    (
        "import asyncio\na = [0] * 400000\nreturn await asyncio.gather(tools.never(a=a), tools.never(a=a), tools.never(a=a))",
        "memory: the program used up its memory",
    ),
    (
        "import asyncio\nl = [asyncio.sleep(1000) for _ in range(10 ** 5)]",
        "limit: the program has more than 10000 sleeps",
    ),
    ("import asyncio\nasync def f():\n    await asyncio.gather(f(), f())\nawait f()", "limit|memory|timeout"),
    ("while True:\n    print('x' * 10000)", "output-limit"),
    ("while True:\n    print()", "timeout"),
    ("while True:\n    print('x' * 1000, end='')", "output-limit"),
    ("while True:\n    print(end='')", "timeout"),
    ("while True:\n    print(*range(1000), sep='\\n' * 100)", "output-limit"),
    ("return 'x' * 2 ** 21", "output-limit"),
    ("raise ValueError('x' * 10 ** 7)", "exception: ValueError: xxx"),
    ("await tools.echo({'x': 'y' * 10 ** 8})", "memory"),
    // Files, environment, processes, sockets.
    (
        "open('/etc/passwd')",
        "exception: NotImplementedError: a program reaches no files, so not `open`; call a tool",
    ),
    (
        "with open('/tmp/x', 'w') as f:\n    f.write('x')",
        "exception: NotImplementedError: a program reaches no files",
    ),
    (
        "from pathlib import Path\nreturn Path('/etc/passwd').read_text()",
        "exception: NotImplementedError: a program reaches no files, so not `Path.read_text`",
    ),
    (
        "from pathlib import Path\nreturn [str(p) for p in Path('/').iterdir()]",
        "exception: NotImplementedError: a program reaches no files",
    ),
    (
        "from pathlib import Path\nreturn Path('/etc').exists()",
        "exception: NotImplementedError: a program reaches no files",
    ),
    (
        "from pathlib import Path\nPath('/tmp/x').write_text('x')",
        "exception: NotImplementedError: a program reaches no files",
    ),
    (
        "from pathlib import Path\nPath('/tmp/x').unlink()",
        "exception: NotImplementedError: a program reaches no files",
    ),
    ("from pathlib import Path\nreturn str(Path.cwd())", "exception"),
    ("import os\nreturn os.getenv('HOME')", "exception: NotImplementedError: a program has no environment"),
    ("import os\nreturn dict(os.environ)", "exception: NotImplementedError: a program has no environment"),
    ("import os\nreturn os.environ['PATH']", "exception: NotImplementedError: a program has no environment"),
    ("import os\nos.system('id')", "exception: AttributeError"),
    ("import os\nos.fork()", "exception: AttributeError"),
    ("import os\nos.listdir('/')", "exception"),
    ("import os\nos._exit(0)", "exception: AttributeError"),
    ("import sys\nsys.exit(0)", "exception"),
    ("raise SystemExit(0)", "exception: RuntimeError: the interpreter failed at this: "),
    ("exit()", "exception: NameError"),
    ("import subprocess", "exception: ModuleNotFoundError"),
    ("import socket", "exception: ModuleNotFoundError"),
    ("import ctypes", "exception: ModuleNotFoundError"),
    ("import importlib", "exception: ModuleNotFoundError"),
    ("import threading", "exception: ModuleNotFoundError"),
    ("import builtins", "exception: ModuleNotFoundError"),
    ("import gc\nreturn [str(x) for x in gc.get_objects()]", "exception"),
    (
        "import sys\nreturn [hasattr(sys, n) for n in ['modules', '_getframe', 'settrace']]",
        "[false,false,false]",
    ),
    ("import sys\nsys.setrecursionlimit(10 ** 9)", "exception"),
    ("__import__('os')", "exception: NameError"),
    ("return input()", "exception"),
    // Code out of text, and ways around.
    ("return eval('1')", "exception: NameError"),
    ("return compile('1', '', 'eval')", "exception: NameError"),
    ("return globals()", "exception: NameError"),
    ("return locals()", "exception: NameError"),
    ("return vars()", "exception: NameError"),
    ("return dir()", "exception: NameError"),
    ("return ().__class__.__bases__[0].__subclasses__()", "exception: AttributeError"),
    ("return (1).__class__.__mro__", "exception: AttributeError"),
    ("return type(type)", "invalid-output"),
    ("return object.__subclasses__()", "exception: AttributeError"),
    ("return (lambda: 1).__globals__", "exception: AttributeError"),
    ("return (lambda: 1).__code__", "exception: AttributeError"),
    ("def f():\n    pass\nreturn f.__closure__", "exception: AttributeError"),
    ("return print.__self__", "exception: AttributeError"),
    ("return tools.echo.__self__", "exception: AttributeError"),
    ("return tools.echo.__globals__", "exception: AttributeError"),
    ("return '{0.__class__}'.format(1)", "exception: AttributeError"),
    ("return '{0.__init__.__globals__}'.format(tools)", "exception"),
    ("return f'{tools.__class__.__init__.__globals__}'", "exception"),
    ("return getattr((), '__cl' + 'ass__').__base__", "exception: AttributeError"),
    ("return type('A', (object,), {'x': 1})().x", "exception: TypeError"),
    (
        "try:\n    1 / 0\nexcept Exception as e:\n    return e.__traceback__.tb_frame",
        "exception: AttributeError",
    ),
    ("async def f():\n    pass\nreturn f().cr_frame", "exception: AttributeError"),
    // Tampering with the bridge.
    ("tools.echo = lambda x: 'mine'\nreturn tools.echo(1)", "\"mine\""),
    ("tools.run_code = 1\nreturn hasattr(tools, 'run_code')", "true"),
    ("return await tools.run_code({'code': 'return 1'})", "exception: AttributeError"),
    ("return await tools['run_code']({'code': 'return 1'})", "exception: KeyError"),
    ("return await _at__('run_code')({})", "exception: KeyError"),
    ("return await _at__('echo')({'a': 1})", r#"{"a":1}"#),
    ("return _at__()", "exception: TypeError: a tool has one name"),
    ("return _end__", "nothing"),
    ("_asyncio_slee()", "exception: TypeError"),
    ("_end__ = 5", "5"),
    ("_at__ = 5\nreturn tools['echo']", "exception: TypeError"),
    ("del tools", "exception"),
    ("OSError = 1\ntry:\n    await tools.fail({})\nexcept ToolCallError:\n    pass", "exception"),
    (
        "class A:\n    def __eq__(self, o):\n        return True\n    def __hash__(self):\n        return hash('echo')\nreturn tools[A()]",
        "exception: KeyError",
    ),
    (
        "class A:\n    def __repr__(self):\n        raise ValueError('mine')\nawait tools.echo({'a': A()})",
        "exception: ToolCallError: the arguments hold an object of the class `A`",
    ),
    ("class A:\n    def __repr__(self):\n        raise ValueError('mine')\nreturn A()", "invalid-output"),
    (
        "class A:\n    def __repr__(self):\n        print('seen')\n        return 'x'\nreturn [lambda: 1, A()]",
        "invalid-output",
    ),
    ("class dict:\n    pass\nreturn await tools.echo({'a': 1})", r#"{"a":1}"#),
    ("print = None\nreturn 1", "1"),
    ("f = tools.echo\ndel f\nreturn 1", "exception: SyntaxError"),
    ("p = tools.echo({})\nawait p\nawait p\nreturn 1", "1"),
    ("import asyncio\np = tools.slow({})\nawait asyncio.gather(p, p)\nreturn 1", "1"),
    (
        "import asyncio\np = tools.slow({})\nasync def f():\n    return await p\nawait asyncio.gather(f(), f())\nreturn 1",
        "exception: RuntimeError",
    ),
    ("import asyncio\ng = asyncio.gather()\nreturn await g", "[]"),
    ("await 1", "exception: TypeError"),
    ("async def f():\n    await g\ng = f()\nawait g", "exception: RuntimeError"),
    (
        "import asyncio\nasync def f():\n    await h\nh = asyncio.gather(f())\nawait h",
        "exception: RuntimeError",
    ),
    ("return tools.echo.__name__", "exception: AttributeError"),
    ("return [1, 2, 3][10 ** 100]", "exception: IndexError"),
    ("return [0] * -10 ** 100", "[]"),
    ("return range(10 ** 100)[5]", "exception: OverflowError"),
    ("return round(1e308 * 10)", "exception: OverflowError"),
    ("import math\nreturn math.factorial(10 ** 6)", "exception: OverflowError"),
    ("import math\nreturn math.comb(10 ** 6, 5 * 10 ** 5)", "exception: OverflowError"),
];

/// Sources that are bombs themselves.
fn sources() -> Vec<(String, &'static str)> {
    let deep = "limit: the program nests too deep";
    vec![
        (format!("return {}1{}", "(".repeat(50_000), ")".repeat(50_000)), deep),
        (format!("return {}{}", "[".repeat(5_000), "]".repeat(5_000)), deep),
        (format!("return {}1{}", "f(".repeat(1_000), ")".repeat(1_000)), deep),
        (format!("return {}1{}", "f'{".repeat(1_000), "}'".repeat(1_000)), deep),
        (format!("return {}1", "not ".repeat(60_000)), "exception: SyntaxError: Source is too deeply nested"),
        (format!("return {}1", "-".repeat(250_000)), "exception: SyntaxError: Source is too deeply nested"),
        (
            format!("return {}1", "lambda:".repeat(35_000)),
            "exception: SyntaxError: Source is too deeply nested",
        ),
        (
            format!("return {}1", "await ".repeat(40_000)),
            "exception: SyntaxError: Source is too deeply nested",
        ),
        (
            format!("x = 1\nreturn x{}", ".x".repeat(125_000)),
            "exception: SyntaxError: Source is too deeply nested",
        ),
        (
            format!("x = 1\nreturn x{}", "()".repeat(125_000)),
            "exception: SyntaxError: Source is too deeply nested",
        ),
        (
            format!("x = 1\nreturn x{}", "[0]".repeat(85_000)),
            "exception: SyntaxError: Source is too deeply nested",
        ),
        (format!("return 1{}", "+1".repeat(125_000)), "exception: SyntaxError: Source is too deeply nested"),
        (format!("return 1{}", "**1".repeat(85_000)), "exception: SyntaxError: Source is too deeply nested"),
        (
            format!("return 1{}", " if 1 else 1".repeat(20_000)),
            "exception: SyntaxError: Source is too deeply nested",
        ),
        (
            format!("return 1{}", " and 1".repeat(40_000)),
            "exception: SyntaxError: Source is too deeply nested",
        ),
        (format!("return 1{}", "<2".repeat(125_000)), "memory"),
        (format!("return {}1", "x:=".repeat(80_000)), "exception: SyntaxError"),
        (format!("{}1", "x=".repeat(125_000)), "memory"),
        (
            format!("if 0:\n    pass\n{}", "elif 0:\n    pass\n".repeat(15_000)),
            "exception: SyntaxError: Source is too deeply nested",
        ),
        (format!("return {}", "'a' ".repeat(60_000)), "\"aaaaaaa"),
        (
            (0..700).fold(String::new(), |text, depth| text + &" ".repeat(depth) + "if 1:\n")
                + &" ".repeat(700)
                + "pass",
            "exception: SyntaxError: Source is too deeply nested",
        ),
        (
            (0..200).fold(String::new(), |text, depth| text + &" ".repeat(depth) + "def f():\n")
                + &" ".repeat(200)
                + "pass",
            "exception: SyntaxError: Source is too deeply nested",
        ),
        ("# ".to_owned() + &"x".repeat(300_000), "limit: the program has"),
        (
            format!("import re\nreturn bool(re.match('{}a{}', 'a'))", "(".repeat(50_000), ")".repeat(50_000)),
            "exception: re.PatternError",
        ),
        (format!("return {}", "9".repeat(250_000)), "exception: SyntaxError"),
        (format!("{}return 1", "@f\n".repeat(80_000)), "exception: SyntaxError"),
        (
            format!(
                "def f({}):\n    pass\nreturn 1",
                (0..20_000).map(|n| format!("a{n},")).collect::<String>()
            ),
            "1",
        ),
        ("\0".to_owned(), "exception: SyntaxError"),
        ("return 1\u{2028}x".to_owned(), "exception: SyntaxError"),
        ("\u{feff}return 1".to_owned(), "1"),
    ]
}

/// Runs everything, and a harmless program after each.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_workers() {
    if !is_alone("python::attacks::in_workers") {
        return;
    }
    let sandbox = pool();
    let limits = Limits { cpu: Duration::from_millis(300), ..tight() };
    let before = resident();
    let mut faults = Vec::new();
    let table = ATTACKS.iter().map(|(source, expected)| ((*source).to_owned(), *expected));
    let mut seen = 0;
    for (source, expected) in table.chain(sources()) {
        seen += 1;
        let fault = attack(&sandbox, &source, expected, &limits).await;
        faults.extend(fault);
    }
    assert!(seen >= 100, "only {seen} programs");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let grown = resident().saturating_sub(before);
    assert!(grown < 64 << 20, "the host grew by {grown} bytes");
}

async fn attack(sandbox: &impl Sandbox, source: &str, expected: &str, limits: &Limits) -> Option<String> {
    // Only what is to end by the time gets little of it, so that a busy machine changes no other verdict.
    let own = if expected.contains("timeout") { limits.clone() } else { patient(limits) };
    let shown: String = source.chars().take(120).collect();
    let started = Instant::now();
    let text = run_in(sandbox, source, own).await.text();
    let took = started.elapsed();
    if !expected.split('|').any(|expected| text.starts_with(expected)) {
        let text: String = text.chars().take(300).collect();
        return Some(format!("{shown}\n  expected {expected}\n  got      {text}"));
    }
    if took > Duration::from_secs(60) {
        return Some(format!("{shown} took {took:?}"));
    }
    let next = run_in(sandbox, "return (await tools.echo({'a': 1}))['a']", limits.clone()).await.text();
    (next != "1").then(|| format!("after {shown} the next program ended with {next}"))
}
