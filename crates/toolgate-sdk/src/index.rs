//! One line per tool: what a model needs to choose, when the whole declarations would be too long.

use toolgate::ToolDefinition;

use crate::docs::{first_sentence, shortened};
use crate::names::{is_identifier, quote};
use crate::shape::{self, Kind, Model, Object};

/// The longest sentence of a description in a line, in bytes.
const SENTENCE_BYTES: usize = 160;

/// The longest name of an argument in a line, in bytes.
const NAME_BYTES: usize = 64;

/// The most names of arguments in a line.
const NAMES: usize = 12;

/// Lists tools, one per line and in their order: name, argument names, the first sentence of the description.
///
/// An optional argument has a question mark. A name that is no identifier is quoted, and the tool is called by
/// subscript. No line is longer than about 1,200 bytes, whatever the tool says of itself.
///
/// ```
/// # use toolgate::{JsonValue, ToolDefinition};
/// # let schema = r#"{ "type": "object", "properties": { "path": {}, "limit": {} }, "required": ["path"] }"#;
/// # let read = ToolDefinition::raw("read", "Read a file. The path is absolute.")
/// #     .raw_parameters(JsonValue::parse(schema)?)
/// #     .output_schema(JsonValue::empty_object())
/// #     .body(|args, _cx| async move { Ok(args) });
/// assert_eq!(toolgate_sdk::index(&[read]), "read(path, limit?): Read a file.\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn index(tools: &[ToolDefinition]) -> String {
    tools.iter().map(|tool| line(tool) + "\n").collect()
}

/// The line of one tool, without its end.
pub(crate) fn line(tool: &ToolDefinition) -> String {
    let model = shape::read(tool.parameters().as_value());
    let mut text = format!("{}({})", shown(tool.name()), arguments(&model));
    let sentence = first_sentence(tool.description(), SENTENCE_BYTES);
    if !sentence.is_empty() {
        text.push_str(": ");
        text.push_str(&sentence);
    }
    text
}

/// The names of the arguments, or a mark where they are not those of one object.
fn arguments(model: &Model<'_>) -> String {
    let Some(object) = root_object(model) else { return "…".to_owned() };
    let mut names: Vec<String> = object
        .properties
        .iter()
        .take(NAMES)
        .map(|property| {
            shown(&shortened(property.name, NAME_BYTES)) + if property.required { "" } else { "?" }
        })
        .collect();
    if object.properties.len() > NAMES {
        names.push(format!("and {} more", object.properties.len() - NAMES));
    }
    names.join(", ")
}

fn root_object<'m, 'a>(model: &'m Model<'a>) -> Option<&'m Object<'a>> {
    let mut shape = &model.root;
    // A reference may lead to a reference; nobody writes more than a few.
    for _ in 0..8 {
        match &shape.kind {
            Kind::Object(object) => return Some(object),
            Kind::Named(index) => shape = &model.definitions.get(*index)?.shape,
            Kind::Any
            | Kind::Never
            | Kind::Null
            | Kind::Boolean
            | Kind::Integer
            | Kind::Number
            | Kind::String
            | Kind::Literals(_)
            | Kind::Array(_)
            | Kind::Tuple(_)
            | Kind::Union(_) => return None,
        }
    }
    None
}

fn shown(name: &str) -> String {
    if is_identifier(name) { name.to_owned() } else { quote(name, |code| format!("\\u{{{code:x}}}")) }
}
