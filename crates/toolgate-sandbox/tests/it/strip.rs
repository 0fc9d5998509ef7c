//! What TypeScript adds is erased in place, or refused with its place.

use crate::host::run;

/// Programs that use the types of TypeScript, and their results.
const ERASED: &[(&str, &str)] = &[
    ("const x: number = 1; return x", "1"),
    ("let a!: string; a = 'x'; return a", r#""x""#),
    (
        "function f<T extends object>(this: void, x?: T, ...rest: string[]): asserts x is T {} f({}); return 1",
        "1",
    ),
    ("function f(this: { a: number }) { return this.a } return f.call({ a: 2 })", "2"),
    ("const f = <T,>(x: T): T => x; return f<number>(3)", "3"),
    ("const f = async <T,>(\n  x: T,\n): Promise<T> => x; return await f(4)", "4"),
    ("const f = (x: number):\n  number => x; return f(5)", "5"),
    ("const f = (x: number): {\n a: number } => ({ a: x }); return f(5)", r#"{"a":5}"#),
    ("interface A { x: number }\ntype B = A | null\nconst a: B = { x: 1 }\nreturn a!.x", "1"),
    ("const a = 1 as any\n;[2].map(x => x)\nreturn a", "1"),
    ("const b = [1]\nconst a = b as any\n[0]\nreturn a", "[1]"),
    ("let a = 5\ninterface X {}\n(1)\nreturn a", "5"),
    ("const a = ({ x: 1 } satisfies { x: number }).x as const; return a", "1"),
    ("const a = <number>(<unknown>1); return a", "1"),
    (
        "class A<T> implements Iterable<T> { private readonly x: number = 1; static y?: string; declare z: number; constructor(public_: number) {} get v(): number { return this.x } [Symbol.iterator](): any {} protected async m?(): Promise<void> {} } return new A<number>(1).v",
        "1",
    ),
    (
        "class A {\n  a = 1\n  public ['b'] = 2\n  private *g(): any { yield 1 }\n [k: string]: any\n}\nreturn { ...new A() }",
        r#"{"a":1,"b":2}"#,
    ),
    (
        "abstract class A { abstract m(): void; n() { return 1 } } class B extends A { override m() {} } return new B().n()",
        "1",
    ),
    (
        "function f(a: string): void\nfunction f(a: number): void\nfunction f(a: any) { return a }\nreturn f(1)",
        "1",
    ),
    (
        "declare const q: number; declare function w(): void; declare enum E { A } declare namespace N {} return typeof q",
        r#""undefined""#,
    ),
    ("try { throw 1 } catch (e: unknown) { return e }", "1"),
    ("for (const x of [1] as number[]) return x", "1"),
    ("const f = Math.max<number>\nreturn typeof f", r#""function""#),
    ("const { a, b }: { a: number; b?: string } = { a: 1 }; return a", "1"),
    ("return [1, 2].map((x): number => x + 1)", "[2,3]"),
    ("const re = /[(]{2}/; return re.test('((')", "true"),
    ("return `a${`b${1 as number}`}`", r#""ab1""#),
    (
        "type F = new (x: number) => void; let x: F | undefined = undefined; return x?.name ?? 'none'",
        r#""none""#,
    ),
    ("// the end is a comment\nreturn 1 // comment", "1"),
    ("'use strict'; return 1", "1"),
    ("await [1]; await (1); return await { a: 1 as number }.a", "1"),
    // What the types have kept apart stays apart.
    ("class A { get: number\n x() { return 1 } } return typeof new A().x", r#""function""#),
    ("class A { static set?: any\n x(a: any) { return 1 } } return typeof new A().x", r#""function""#),
    ("class A { static: number\n x = 1 } return new A().x", "1"),
    (
        "const f = <T,>() => <T[]>[]; const o = <any>{ a: 1 }; return [f<number>(), o.a, (() => (<any>{ b: 2 }).b)()]",
        "[[],1,2]",
    ),
    // A first line for the shell is no part of the program.
    ("#!/usr/bin/env -S toolgate run\nreturn 1", "1"),
    (
        "let x = 0, y = 1; return [x < !--y, '<!--', /<!--/.source, `<!--`] // <!-- a",
        r#"[true,"<!--","<!--","<!--"]"#,
    ),
    ("label: for (;;) { break label } return 1 < 2 && 3 > 2", "true"),
];

#[tokio::test]
async fn types_are_erased() {
    let mut faults = Vec::new();
    for (source, expected) in ERASED {
        let text = run(source).await.text();
        if text != *expected {
            faults.push(format!("{source}\n  expected {expected}\n  got      {text}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Programs that are refused before anything runs, with the words and the place.
const REFUSED: &[(&str, &str, u32, u32)] = &[
    ("enum A { B }", "an enum", 1, 1),
    ("const a = 1\n  const enum A { B }", "an enum", 2, 3),
    ("namespace A { export const b = 1 }", "a namespace", 1, 1),
    ("module A {}", "a namespace", 1, 1),
    ("class A { constructor(private x: number) {} }", "a parameter property", 1, 23),
    ("class A { constructor(readonly x: number) {} }", "a parameter property", 1, 23),
    ("@d class A {}", "a decorator", 1, 1),
    ("class A { @d m() {} }", "a decorator", 1, 11),
    ("import x from 'y'", "an import", 1, 1),
    ("import type { X } from 'y'", "an import", 1, 1),
    ("import x = require('y')", "an import", 1, 1),
    ("const a = 1; await import('fs')", "an import", 1, 20),
    ("/* é */ return import('fs')", "an import", 1, 16),
    ("export const a = 1", "an export", 1, 1),
    ("export default 1", "an export", 1, 1),
    ("class A { accessor x = 1 }", "`accessor`", 1, 11),
    ("return <\nany>1", "type assertion", 1, 8),
    // Without the type, these would mean something else.
    ("const f = () => <any>{ a: 1 }", "type assertion", 1, 17),
    ("const f = () => <any><any>{ a: 1 }.a", "type assertion", 1, 22),
    ("<any>{ a: 1 }", "type assertion", 1, 1),
    ("<any>function () {}", "type assertion", 1, 1),
    // The engine takes this for a comment, in which the parser sees code.
    ("let x = 0, y = 1; return [x <!--y, 2]", "`<!--`", 1, 29),
    ("let y = 1; 0<!--y+`\nimport('fs')//`", "`<!--`", 1, 13),
    ("return '\0'", "U+0000", 1, 9),
];

#[tokio::test]
async fn what_cannot_be_erased_is_refused_with_its_place() {
    for (source, words, line, column) in REFUSED {
        let seen = run(&format!("{source}\n;console.log('ran')")).await;
        let failure = seen.outcome.failure.as_ref().unwrap_or_else(|| panic!("{source} ran"));
        assert!(failure.message.contains(words), "{source}: {failure}");
        assert_eq!((failure.line, failure.column), (Some(*line), Some(*column)), "{source}: {failure}");
        assert!(seen.outcome.logs.is_empty(), "{source}");
    }
}

#[tokio::test]
async fn columns_stay_behind_types_that_are_not_ascii() {
    let seen = run("type Ключ = 'é🦀'; const a: Ключ = 'é🦀' as Ключ; throw new Error('x')").await;
    let failure = seen.outcome.failure.unwrap();
    assert_eq!((failure.line, failure.column), (Some(1), Some(59)), "{failure}");
}
