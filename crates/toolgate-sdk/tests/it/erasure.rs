//! Programs whose types the sandbox takes away, next to the same programs without types as the TypeScript compiler
//! makes them: both end the same way.

use tokio_util::sync::CancellationToken;
use toolgate_sandbox::{Globals, InProcess, Limits, Program, Sandbox as _};

use crate::checkers;

/// Types of every form.
const TYPES: &[&str] = &[
    "number",
    "string | undefined",
    "any[]",
    "readonly string[]",
    "[a: number, b?: string, ...rest: boolean[]]",
    "{ a: number; readonly b?: string; [key: string]: unknown }",
    "() => void",
    "new (...args: any[]) => object",
    "(a: number, b?: string) => a is any",
    "typeof globalThis",
    "keyof typeof Math",
    "Record<string, Array<number>>",
    "`a${string}b`",
    "Map<string, Map<string, number>>",
    "unique symbol | symbol",
    "Promise<void>['then']",
    "T extends (infer U extends string)[] ? U : never",
    "{ [K in keyof T as `x${string & K}`]-?: T[K] }",
    "{ get a(): number; set a(value: number); method<U>(this: U): asserts this is string }",
    "-1 | 1n | 'a' | null",
    "abstract new () => void",
    "(((number)))",
    "import('x').Y<number>",
    "asserts value",
];

/// Programs in which `TYPE` stands where a type can.
const PLACES: &[&str] = &[
    "type T = unknown; let x: TYPE = 1 as any; return x",
    "type T = unknown; const f = <T,>(a: TYPE, b?: TYPE, ...rest: TYPE[]): TYPE => (a as TYPE); return f(7 as any)",
    "type T = unknown; type A<T = TYPE> = TYPE; interface B<T> { a: TYPE } return 3 as unknown as A & B<TYPE>",
    "type T = unknown; class C<T> { a?: TYPE; #b!: TYPE; declare c: TYPE; m<U extends TYPE>(x: TYPE): TYPE { return x } } return Object.keys(new C<TYPE>()).join()",
    "type T = unknown; return ((1 satisfies TYPE) as TYPE)! + 1",
    "type T = unknown; const m = new Map<string, TYPE>(); m.set('a', 1 as any); return [...m.values()]",
    "type T = unknown; for (const x of [1, 2] as TYPE[]) { if (x as TYPE) return [x as TYPE] }",
];

/// Programs as people write them, and where taking types away is delicate.
const PROGRAMS: &[&str] = &[
    "",
    "return 1",
    "return 'é😀'.length as number",
    "interface A { a: number }\ninterface B extends A { b?: string }\nconst x: B = { a: 1 }\nreturn x",
    "type A = { a: number }\n;[1, 2].map((n): number => n * 2)\nreturn 'ok'",
    "const a = 1 as number\n;(globalThis as any).b = a\nreturn (globalThis as any).b",
    "const a = 1\ntype B = number\n(1, 2)\nreturn a",
    "let a = 1 as any\n`x`\nreturn a",
    "let x!: number\nx = 3\nreturn x",
    "function f(this: { a: number }, b: number): number { return this.a + b } return f.call({ a: 1 }, 2)",
    "function f(a: string): string; function f(a: number): number; function f(a: any): any { return a } return f(1)",
    "abstract class A { abstract a: number; abstract m(): void; protected constructor() {} static s: number = 4 } return A.s",
    "class A { private a = 1; public readonly b: number = 2; protected static c?: number = 3; override toString(): string { return 'A' + this.a + this.b + A.c } } return `${new A()}`",
    "class A { constructor(a: number, b?: string); constructor(public_: any) { this.a = public_ } a: any } return new A(5).a",
    "class A<T> { value: T; constructor(value: T) { this.value = value } map<U>(f: (value: T) => U): A<U> { return new A<U>(f(this.value)) } } return new A<number>(1).map<string>(n => `${n}`).value",
    "class A implements Iterable<number> { *[Symbol.iterator](): Generator<number, void, undefined> { yield 1; yield 2 } } return [...new A()]",
    "class A { get x(): number { return 1 } set x(value: number) {} static { const y: number = 2; (this as any).y = y } } return [new A().x, (A as any).y]",
    "class A { declare a: number; b = 1 } return Object.keys(new A())",
    "class A { [key: string]: unknown; a: number = 1 } return new A().a",
    "class A { accessor!: number; get!: number; set?: string; static!: number; async?: boolean; readonly?: 1 } return Object.keys(new A()).length",
    "const a = <T,>(x: T): T => x; return a<number>(1)",
    "const f = async <T,>(x: T): Promise<T> => x; return await f<string>('a')",
    "const f = function <T>(x: T): x is T { return true }; return f(1)",
    "return [1, 2, 3].filter((n): n is 2 => n === 2)",
    "const a = { m<T>(x: T): T { return x }, async n(): Promise<number> { return 1 }, *g(): Generator<number> { yield 2 }, get p(): number { return 3 } }; return [a.m(0), await a.n(), ...a.g(), a.p]",
    "const { a, b = 2 }: { a: number; b?: number } = { a: 1 }; const [c, d]: [number, string] = [3, 'd']; return [a, b, c, d]",
    "try { throw new Error('x') } catch (e: unknown) { return (e as Error).message }",
    "const x = { a: { b: [1] } } as const; return x.a!.b![0]!",
    "let x: any = { a: null }; x!.a = 1; x.a! += 1; (x as any).a++; return x.a!",
    "const f = (x?: number) => x ?? 1; return f?.(undefined!)! + (f as any)?.(2)",
    "return 1 < 2 as boolean ? 3 as number : 4 as number",
    "const a = 1, b = 2, c = 3; return [a < b, a < (b), (a < b) as any > (c as any)]",
    "const f = (a: any) => a; const g: any = {}; return [f < g, f<string>('x'), typeof f<string>]",
    "const a = f<number>; function f<T>(x?: T) { return x } return a(2)",
    "switch (1 as number) { case 1 as number: { type X = 1; const x: X = 1; return x } default: return 0 }",
    "label: for (let i: number = 0, j: any = 1; i < 3; i++) { for (const k of [j] as number[]) { if (i) break label } } return 'done'",
    "declare const a: number; declare function b(): void; declare class C {} declare let d: string; return typeof (globalThis as any).a",
    "declare enum E { A } declare namespace N { const x: number } return 1",
    "declare global { interface Window { a: 1 } } return 2",
    "type type = number; const as: any = 1; const satisfies: any = 2; const of: type = 3; return as as any + (satisfies satisfies any) + of",
    "const type = 1; const declare = 2; const namespace = 3; const abstract = 4; type\nreturn [type, declare, namespace, abstract]",
    "let async: any = 1; async\nfunction f() { return 2 }\nreturn async + f()",
    "const x = (y: any): any => ({ ...y, a: 1 as const }); return x({ b: 2 })",
    "const f = (a: number): ((b: number) => number) => (b) => a + b; return f(1)(2)",
    "const f = (a: any, b = a as any, { c }: { c?: number } = {}): any => [a, b, c]; return f(1)",
    "return ((): number => 1)()",
    "return (<T,>() => 2 as T)()",
    "const o: any = {}; o.a ??= 1 as number; o.b ||= <any>2; return o",
    "const x = <number>(1 as any); return x + <number><any>2",
    "return `${1 as number} ${(2 satisfies number)!} ${`${3 as any}` as string}`",
    "return /[/]a/.test('/a' as string) as boolean",
    "const a = 4; const g = 2; return a / 2 / g as number",
    "/* type A = */ const a /*: string */ = 1 /* as any */; // : number\nreturn a",
    "const a: number // one\n  = 1; const b: /* two */ string = 'b'; return a + b",
    "return (async (): Promise<number> => { await null as any; return 1 })()",
    "async function* g(): AsyncGenerator<number> { yield 1; yield* [2, 3] as number[] } const out: number[] = []; for await (const x of g()) out.push(x); return out",
    "const s = Symbol('s') as symbol; const o = { [s as any]: 1, ['a' + (1 as number)]: 2 }; return Object.keys(o)",
    "const x: { a?: { b?: number } } = {}; return x?.a?.b ?? 'none' as const",
    "enumerate(); function enumerate(): void {} return typeof enumerate as string",
    "let a: number, b: string | undefined, c; [a, b] = [1, 'b'] as any; ({ c } = { c: 3 } as { c: number }); return [a, b, c]",
    "using_: { type using_ = 1; break using_ } return 1",
    "class A { static async *[Symbol.asyncIterator]<T>(this: typeof A): AsyncGenerator<T> {} 'quoted'?: number; 1?: string; [`c`]: any } return Object.keys(new A())",
    "class A { m?(): void; n!: () => void; static o?: <T>(x: T) => T } return Object.keys(new A())",
    "var x: any = 1; var x: any = 2; return x",
    "return ((a: number, b: number): number => a + b).length",
    "const f = (this_: any) => this_; return f(1 as any as string as unknown as number)",
];

/// Programs of TypeScript that need more than taking types away, and two that have no place in the body of a function:
/// a namespace, though it may hold nothing but types, and an export.
const REFUSED: &[&str] = &[
    "namespace N { export type A = 1 } return 3 as N.A",
    "export {}; return 1",
    "enum E { A } return E.A",
    "const enum E { A } return E.A",
    "namespace N { export const a = 1 } return N.a",
    "module N { export let a = 1 } return 1",
    "class A { constructor(public a: number) {} } return new A(1).a",
    "class A { constructor(private readonly a = 1) {} } return 1",
    "class A { constructor(protected a?: string) {} } return 1",
    "class A { constructor(readonly a: number) {} } return 1",
    "class A { constructor(override a: number) {} } return 1",
    "import a = require('a'); return 1",
    "export = 1",
    "@d class A {} return 1",
    "class A { @d m() {} } return 1",
    "class A { @d a = 1 } return 1",
];

fn corpus() -> Vec<String> {
    let placed = PLACES.iter().flat_map(|place| TYPES.iter().map(|shape| place.replace("TYPE", shape)));
    PROGRAMS.iter().map(|program| (*program).to_owned()).chain(placed).collect()
}

/// How a program ends; the place of a failure does not matter, because the compiler moves it.
async fn end(source: &str) -> String {
    let (calls, _open) = tokio::sync::mpsc::channel(1);
    let sandbox = InProcess::new();
    let run = sandbox.run(
        Program::typescript(source),
        Globals::default(),
        Limits::in_process(),
        calls,
        CancellationToken::new(),
    );
    let outcome = run.await;
    match (outcome.failure, outcome.result) {
        (Some(failure), _) => format!("{}: {}", failure.kind, failure.message),
        (None, Some(result)) => result.to_text(),
        (None, None) => "nothing".to_owned(),
    }
}

#[tokio::test]
async fn programs_mean_the_same_without_their_types() {
    let corpus = corpus();
    let made = checkers::transpiled(&corpus);
    assert_eq!(made.len(), corpus.len());
    let mut compared = 0;
    let mut faults = Vec::new();
    for (source, made) in corpus.iter().zip(made) {
        let ours = end(source).await;
        match made {
            // What is no TypeScript in this place is none for the sandbox either.
            None if ours.starts_with("exception: SyntaxError") => {}
            None => faults.push(format!("{source}\n  was accepted here: {ours}")),
            Some(made) => {
                compared += 1;
                // The compiler marks a module; a program is the body of a function.
                let theirs = end(&made.replace("export {};", "")).await;
                if ours != theirs || ours.starts_with("exception: SyntaxError") {
                    faults.push(format!("{source}\n  here: {ours}\n  there: {theirs}"));
                }
            }
        }
    }
    println!("{compared} of {} programs compared", corpus.len());
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(compared >= 150, "only {compared} programs");
}

#[tokio::test]
async fn what_means_more_than_its_types_is_refused() {
    for source in REFUSED {
        let ours = end(source).await;
        assert!(ours.starts_with("exception: SyntaxError"), "{source}: {ours}");
    }
}
