//! What a client may call: the scope's view, as tools of the protocol.
//!
//! Asked by `server` for every list; nothing is remembered, so a list is what a call would find.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use toolgate::registry::RUN_CODE;
use toolgate::{PresentationMode, Scope, ToolDefinition, ToolEffect, WireError};
use toolgate_sdk::{Discovery, Language, Presented, present};

use super::outcome::MOST_LEVELS;
use super::tool_names;
use crate::frame::is_deeper;

/// How programs are presented where the scope has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodePresentation {
    pub(super) language: Language,
    /// Tokens of declarations that the description of `run_code` carries at most.
    pub(super) budget: usize,
}

/// The two tools that find and declare what programs call, where declarations are too long for a description. They are
/// the gateway's own: they read what the scope sees and do nothing.
pub(super) struct Lookup {
    discovery: Discovery,
    search: String,
    describe: String,
}

impl Lookup {
    /// The lookup of a scope; none where programs are not presented, or every declaration fits.
    pub(super) fn of(scope: &Scope, code: CodePresentation) -> Option<Self> {
        if !scope.presentation_mode().presents_code() {
            return None;
        }
        let tools = programmable(scope);
        match present(code.language, &tools, code.budget) {
            Presented::Whole(_) => None,
            Presented::Index(discovery) => {
                let is_taken = |name: &str| tools.iter().any(|tool| tool.name() == name);
                let free = |name: &str| {
                    let mut name = name.to_owned();
                    while is_taken(&name) {
                        name.push('_');
                    }
                    name
                };
                let (search, describe) = (free("search_tools"), free("describe_tool"));
                Some(Self { discovery, search, describe })
            }
        }
    }

    /// Answers a call of one of the two; none where it is a call of something else.
    pub(super) fn answer(&self, name: &str, arguments: &Value) -> Option<Result<String, String>> {
        let text = |parameter: &str| {
            let text = arguments.get(parameter).and_then(Value::as_str);
            text.ok_or_else(|| format!("Error: `{name}` takes a text `{parameter}`"))
        };
        if name == self.search {
            Some(text("query").map(|query| {
                let found = self.discovery.search(query);
                let lines: Vec<String> = found.into_iter().map(|found| found.line).collect();
                if lines.is_empty() { "No tool fits.".to_owned() } else { lines.join("\n") }
            }))
        } else if name == self.describe {
            Some(text("name").and_then(|tool| {
                let missing =
                    || format!("Error: there is no tool `{tool}`\nhint: `{}` finds the names", self.search);
                self.discovery.describe(tool).ok_or_else(missing)
            }))
        } else {
            None
        }
    }

    fn tools(&self) -> [Tool; 2] {
        let tool = |name: &str, description: String, parameter: &str, meaning: &str| {
            let schema = json!({
                "type": "object",
                "properties": { (parameter): { "type": "string", "description": meaning } },
                "required": [parameter],
                "additionalProperties": false,
            });
            Tool::new(name.to_owned(), description, object(&schema))
                .with_annotations(ToolAnnotations::new().read_only(true))
        };
        [
            tool(
                &self.search,
                format!(
                    "Find tools that programs of `{RUN_CODE}` can call. One line for each, the best first."
                ),
                "query",
                "Words to look for.",
            ),
            tool(
                &self.describe,
                format!(
                    "Declare one tool that programs of `{RUN_CODE}` can call: its arguments and its result."
                ),
                "name",
                "The name of the tool.",
            ),
        ]
    }
}

/// The tools that a client of this scope may call, in the order of the scope (rules R9, K13).
pub(super) fn tools(scope: &Scope, code: CodePresentation) -> Result<Vec<Tool>, WireError> {
    let lookup = Lookup::of(scope, code);
    let schemas = scope.wire_schemas()?;
    let mut tools: Vec<Tool> = schemas
        .iter()
        .filter_map(|schema| scope.get(&schema.name))
        .filter_map(|definition| {
            if definition.name() == RUN_CODE {
                Some(run_code(scope, &definition, code, lookup.as_ref()))
            } else {
                tool(&definition)
            }
        })
        .collect();
    tools.extend(lookup.iter().flat_map(Lookup::tools));
    Ok(tools)
}

/// One tool; none where its schemas are deeper than clients can read.
fn tool(definition: &ToolDefinition) -> Option<Tool> {
    if is_deeper(definition.parameters().as_value(), MOST_LEVELS) {
        tracing::warn!(
            target: "toolgate",
            tool = definition.name(),
            "the schema of a tool has more than {MOST_LEVELS} levels, so no client is told of the tool"
        );
        return None;
    }
    let name = tool_names::told(definition.name()).into_owned();
    let mut tool = Tool::new(name, definition.description().to_owned(), input_schema(definition));
    if !tool_names::fits(definition.name()) {
        tool.title = Some(definition.name().to_owned());
    }
    tool.output_schema = structured_schema(definition).map(object);
    tool.annotations = Some(annotations(definition.effect()));
    Some(tool)
}

fn run_code(
    scope: &Scope,
    definition: &ToolDefinition,
    code: CodePresentation,
    lookup: Option<&Lookup>,
) -> Tool {
    let reach = match scope.presentation_mode() {
        PresentationMode::Native | PresentationMode::Code => "Every other tool is called from here.",
        PresentationMode::Both => "The other tools may also be called directly.",
    };
    let declared = match lookup {
        None => present(code.language, &programmable(scope), code.budget).text(),
        Some(Lookup { discovery, search, describe }) => format!(
            "There are too many tools to declare here. Find them with `{search}` and declare one with `{describe}`, or \
             from a program with `tools.{}` and `tools.{}`. A program calls a tool as `tools.name(arguments)`.",
            discovery.search_name(),
            discovery.describe_name(),
        ),
    };
    let description = format!("{} {reach}\n\n{declared}", definition.description());
    let mut tool = Tool::new(RUN_CODE, description, input_schema(definition));
    tool.annotations = Some(annotations(definition.effect()));
    tool
}

/// What programs of the scope can call: all but `run_code` itself (rule C2).
fn programmable(scope: &Scope) -> Vec<ToolDefinition> {
    let mut tools = scope.tools();
    tools.retain(|tool| tool.name() != RUN_CODE);
    tools
}

/// The schema as it was registered. The protocol wants it to say that arguments are an object.
fn input_schema(definition: &ToolDefinition) -> Arc<JsonObject> {
    let schema = definition.parameters().as_value();
    match schema.get("type") {
        Some(_) => object(schema),
        None => {
            let mut whole = Map::from_iter([("type".to_owned(), json!("object"))]);
            whole.extend(schema.as_object().cloned().unwrap_or_default());
            Arc::new(whole)
        }
    }
}

/// The schema of structured content. A tool whose value is a plain text, or anything at all, says it with content alone.
/// Values that are no objects are for the clients of 2026-07-28; `rmcp` leaves them out for older ones.
pub(super) fn structured_schema(definition: &ToolDefinition) -> Option<&Value> {
    let schema = definition.output_schema().as_value();
    let is_plain = schema.get("type").is_none_or(|kind| kind == "string") && !has_choice(schema);
    (!is_plain && !is_deeper(schema, MOST_LEVELS)).then_some(schema)
}

fn has_choice(schema: &Value) -> bool {
    ["anyOf", "oneOf", "allOf", "$ref", "enum", "const"].iter().any(|keyword| schema.get(keyword).is_some())
}

/// Hints from what the tool declares. What it does not declare is left to the protocol's defaults, the most careful ones.
fn annotations(effect: ToolEffect) -> ToolAnnotations {
    match effect {
        ToolEffect::Pure => ToolAnnotations::new().read_only(true),
        ToolEffect::Idempotent => ToolAnnotations::new().read_only(false).idempotent(true),
        ToolEffect::Keyed | ToolEffect::NonIdempotent => {
            ToolAnnotations::new().read_only(false).idempotent(false)
        }
    }
}

fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}
