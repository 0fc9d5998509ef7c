//! Declarations in TypeScript: one object `tools` whose methods are the tools.

mod comment;
mod member;
mod types;

use toolgate::ToolDefinition;

use crate::names::TypeNames;
use crate::sdk::Losses;

/// What every program has besides its tools and the language itself.
const PRELUDE: &str = "\
/** Any JSON value. */
type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };

/** A number without a fraction. One beyond 2^53 arrives as a BigInt, although it is declared as number. */
type Integer = number;

/** What a failed call rejects with. */
declare class ToolCallError extends Error {
  toolName: string;
}

/** What is printed comes back with the result. */
declare const console: {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
};
declare function setTimeout(callback: (...args: any[]) => void, milliseconds?: number): number;
declare function clearTimeout(timer: number | undefined): void;

";

/// Names that no generated type has.
const RESERVED: &[&str] = &["Json", "Integer", "ToolCallError"];

pub(crate) fn declare(tools: &[&ToolDefinition], losses: &mut Losses) -> String {
    PRELUDE.to_owned() + &body(tools, losses)
}

pub(crate) fn describe(tool: &ToolDefinition, losses: &mut Losses) -> String {
    body(&[tool], losses)
}

/// The named types of all tools, and the tools.
fn body(tools: &[&ToolDefinition], losses: &mut Losses) -> String {
    let mut names = TypeNames::without(RESERVED.iter().copied());
    let mut aliases = String::new();
    let mut members = String::new();
    for tool in tools {
        member::declare(tool, &mut names, &mut aliases, &mut members, losses);
    }
    format!("{aliases}declare const tools: {{\n{members}}};\n")
}
