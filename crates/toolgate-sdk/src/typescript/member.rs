//! One tool as a method of `tools`, with the named types that its schemas need.

use toolgate::ToolDefinition;

use super::comment;
use super::types::{Position, Types, key};
use crate::docs::{self, TOOL_BYTES};
use crate::losses::{LossPart, LossReason};
use crate::names::{TypeNames, is_identifier, type_case};
use crate::pointer::Pointer;
use crate::sdk::Losses;
use crate::shape::{self, Model};

/// Names that are quoted although they are identifiers: `new` would declare a constructor, the others are modifiers
/// or mean something to the language itself. A quoted member is reachable by dot and by subscript.
const QUOTED: &[&str] = &[
    "new",
    "get",
    "set",
    "readonly",
    "static",
    "abstract",
    "public",
    "private",
    "protected",
    "declare",
    "async",
    "accessor",
    "override",
    "constructor",
    "prototype",
    "then",
    "__proto__",
];

/// Appends the tool's named types to `aliases` and the tool to `members`.
pub(super) fn declare(
    tool: &ToolDefinition,
    names: &mut TypeNames,
    aliases: &mut String,
    members: &mut String,
    losses: &mut Losses,
) {
    let described = docs::lines(tool.description(), TOOL_BYTES);
    if described.cut {
        losses.add(tool, LossPart::Tool, &Pointer::default(), LossReason::DescriptionCut);
    }
    let name = tool.name();
    let stem = type_case(name);
    let mut side = |part, position, suffix: &str| {
        let schema = match position {
            Position::Arguments => tool.parameters(),
            Position::Result => tool.output_schema(),
        };
        let mut model = shape::read(schema.as_value());
        losses.add_all(tool, part, std::mem::take(&mut model.losses));
        let (text, declared, lost) = print(&model, position, &format!("{stem}{suffix}"), names);
        aliases.push_str(&declared);
        losses.add_all(tool, part, lost);
        text
    };
    let args = side(LossPart::Parameters, Position::Arguments, "Args");
    let result = side(LossPart::Output, Position::Result, "Result");
    let member = if is_identifier(name) && !QUOTED.contains(&name) { name.to_owned() } else { key(name) };
    members.push_str(&comment::before(&described.lines, 1));
    members.push_str(&format!("  {member}(args: {args}): Promise<{result}>;\n"));
}

/// The type of a schema, the declarations of its definitions, and what both leave out.
fn print(
    model: &Model<'_>,
    position: Position,
    stem: &str,
    names: &mut TypeNames,
) -> (String, String, Vec<(Pointer, LossReason)>) {
    let named: Vec<String> = model
        .definitions
        .iter()
        .map(|definition| {
            let hint = if definition.hint.is_empty() { "Root" } else { definition.hint };
            names.give(&format!("{stem}{}", type_case(hint)))
        })
        .collect();
    let mut types = Types::new(&named, position);
    let root = types.commented(&model.root, 1);
    let mut declared = String::new();
    for (definition, name) in model.definitions.iter().zip(&named) {
        let lines = types.lines(&definition.shape);
        let text = types.plain(&definition.shape, 0);
        declared.push_str(&comment::before(&lines, 0));
        declared.push_str(&format!("type {name} = {text};\n\n"));
    }
    (root, declared, types.losses)
}
