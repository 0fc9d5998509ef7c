//! Declarations in Python: typed dictionaries, and one object `tools` whose methods are the tools.

mod comment;
mod dictionary;
mod member;
mod names;
mod types;

use toolgate::ToolDefinition;

use crate::names::TypeNames;
use crate::sdk::Losses;
use member::Members;

/// What every program has besides its tools and the language itself, and what the declarations are written with.
const PRELUDE: &str = "\
from collections.abc import Awaitable, Callable
from typing import Any, Literal, Never, NotRequired, Union, overload
from typing_extensions import TypedDict

class ToolCallError(Exception):
    \"\"\"What a failed call raises; its text is the message.\"\"\"

";

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
class Found(TypedDict):
    \"\"\"A tool that a search found.\"\"\"
    name: str
    line: str

class Tools:
    \"\"\"The tools, called as `tools.name(args)`. Two functions tell more of those that are listed below.\"\"\"
    def {search}(self, words: str, /) -> Awaitable[list[Found]]:
        \"\"\"Finds tools by words, the best first.\"\"\"
        ...
    def {describe}(self, name: str, /) -> Awaitable[str]:
        \"\"\"The declaration of a tool: the types of its arguments and of its result.\"\"\"
        ...
    def __getattr__(self, name: str) -> Callable[[Any], Awaitable[Any]]: ...
    def __getitem__(self, name: str) -> Callable[[Any], Awaitable[Any]]: ...

tools: Tools

"
    ));
    for line in lines {
        // A line has no line break of any kind, so it cannot leave its comment.
        text.push_str(&format!("# {line}\n"));
    }
    text
}

/// The types of all tools, and the tools.
fn body(tools: &[&ToolDefinition], losses: &mut Losses) -> String {
    // A method hides the type of the same name from the methods after it.
    let tool_names = tools.iter().map(|tool| tool.name());
    let mut names = TypeNames::without(names::MODULE.iter().copied().chain(tool_names));
    let mut types = String::new();
    let mut members = Members::default();
    for tool in tools {
        member::declare(tool, &mut names, &mut types, &mut members, losses);
    }
    format!("{types}class Tools:\n{}\ntools: Tools\n", members.text())
}
