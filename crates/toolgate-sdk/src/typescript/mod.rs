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

/// What every program has, the functions of discovery, and lines about the tools.
pub(crate) fn discover(search: &str, describe: &str, lines: &[String]) -> String {
    let mut text = PRELUDE.to_owned();
    text.push_str(&format!(
        "\
/** The tools, called as `tools.name(args)`. Two functions tell more of those that are listed below. */
declare const tools: {{
  /** Finds tools by words, the best first. */
  {search}(words: string): Promise<{{ name: string; line: string }}[]>;
  /** The declaration of a tool: the types of its arguments and of its result. */
  {describe}(name: string): Promise<string>;
  [name: string]: (args: any) => Promise<any>;
}};

"
    ));
    for line in lines {
        // A line has no line break of any kind, so it cannot leave its comment.
        text.push_str(&format!("// {line}\n"));
    }
    text
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
