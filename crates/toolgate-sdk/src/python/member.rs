//! One tool as a method of `Tools`, or as an overload of its subscript, with the types that its schemas need.

use toolgate::ToolDefinition;

use super::comment;
use super::names::{is_attribute, literal};
use super::types::Types;
use crate::docs::{self, TOOL_BYTES};
use crate::losses::{LossPart, LossReason};
use crate::names::{TypeNames, type_case};
use crate::pointer::Pointer;
use crate::sdk::Losses;
use crate::shape;

/// The members of `Tools`, as far as they are known.
#[derive(Default)]
pub(super) struct Members {
    methods: String,
    /// One signature of the subscript for each tool whose name is no attribute.
    subscripts: Vec<String>,
}

impl Members {
    /// The body of the class.
    pub(super) fn text(&self) -> String {
        let mut text = self.methods.clone();
        // A single overload is an error, and so are overloads without an implementation.
        let is_overloaded = self.subscripts.len() > 1;
        for subscript in &self.subscripts {
            if is_overloaded {
                text.push_str("    @overload\n");
            }
            text.push_str(subscript);
        }
        if is_overloaded {
            text.push_str("    def __getitem__(self, name: str, /) -> Any: ...\n");
        }
        if text.is_empty() { "    pass\n".to_owned() } else { text }
    }
}

/// Appends the tool's types to `types` and the tool to `members`.
pub(super) fn declare(
    tool: &ToolDefinition,
    names: &mut TypeNames,
    types: &mut String,
    members: &mut Members,
    losses: &mut Losses,
) {
    let described = docs::lines(tool.description(), TOOL_BYTES);
    if described.cut {
        losses.add(tool, LossPart::Tool, &Pointer::default(), LossReason::DescriptionCut);
    }
    let name = tool.name();
    let stem = type_case(name);
    let mut side = |part, schema: &serde_json::Value, suffix: &str| {
        let mut model = shape::read(schema);
        losses.add_all(tool, part, std::mem::take(&mut model.losses));
        let (text, lost) = Types::print(&model, &format!("{stem}{suffix}"), names, types);
        losses.add_all(tool, part, lost);
        text
    };
    let args = side(LossPart::Parameters, tool.parameters().as_value(), "Args");
    let result = side(LossPart::Output, tool.output_schema().as_value(), "Result");
    let doc = comment::doc(&described.lines, 2);
    let signature = if is_attribute(name) {
        format!("    async def {name}(self, args: {args}, /) -> {result}:")
    } else {
        let key = literal(name);
        format!(
            "    def __getitem__(self, name: Literal[{key}], /) -> Callable[[{args}], Awaitable[{result}]]:"
        )
    };
    let member = if doc.is_empty() {
        format!("{signature} ...\n")
    } else {
        format!("{signature}\n{doc}        ...\n")
    };
    if is_attribute(name) {
        members.methods.push_str(&member);
    } else {
        members.subscripts.push(member);
    }
}
