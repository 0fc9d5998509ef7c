//! A page of `tools/list` with the tools taken out that cannot be taken in, each with its reason (K31).
//!
//! Called by `judge` for every page, whether it parses as a whole or not. The other tools of the server stay.

use rmcp::model::Tool;
use serde::Deserialize as _;
use serde_json::Value;
use toolgate::{JsonValue, ParseLimits};

use super::judge::RMCP_LEVELS;
use super::outline;

/// How many levels a tool may have, so that the page around it has no more than `rmcp` may be given.
const TOOL_LEVELS: usize = RMCP_LEVELS - 4;

/// The longest name that a report shows, in characters.
const NAME: usize = 128;

/// A tool that a server offers and nobody gets to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuarantinedTool {
    /// Its name, where it has one; at most 128 characters of it.
    pub name: Option<String>,
    /// Why, with the path.
    pub reason: String,
}

/// A list of tools without those that were quarantined.
pub(super) struct Mended {
    /// The whole message.
    pub(super) message: JsonValue,
    pub(super) quarantined: Vec<QuarantinedTool>,
}

/// Judges the tools of a page that parses. None where they all may stay.
pub(super) fn mend_value(message: &JsonValue) -> Option<Mended> {
    let tools = message.get("result")?.get("tools")?.as_array()?;
    let faults: Vec<Option<String>> = tools.iter().map(fault_of).collect();
    if faults.iter().all(Option::is_none) {
        return None;
    }
    let mut quarantined = Vec::new();
    let mut kept = Vec::new();
    for (tool, fault) in tools.iter().zip(faults) {
        match fault {
            Some(reason) => quarantined.push(QuarantinedTool { name: name_of(tool), reason }),
            None => kept.extend(JsonValue::copy_of(tool).ok()),
        }
    }
    let result = message.get("result").and_then(Value::as_object)?;
    let result = replaced(result.iter(), "tools", JsonValue::array(kept));
    let message = replaced(message.as_object()?.iter(), "result", result);
    Some(Mended { message, quarantined })
}

/// Takes a page apart that does not parse, and judges its tools one by one. None where the fault is not in a tool.
pub(super) fn mend_text(text: &[u8], limits: ParseLimits) -> Option<Mended> {
    let mut quarantined = Vec::new();
    let mut message = Vec::new();
    for (name, member) in outline::members(text)? {
        let member = if name == "result" {
            mend_result(member, limits, &mut quarantined)?
        } else {
            JsonValue::parse_slice(member, limits).ok()?
        };
        message.push((name, member));
    }
    let distinct: std::collections::HashSet<&str> = message.iter().map(|(name, _)| name.as_str()).collect();
    (distinct.len() == message.len() && !quarantined.is_empty())
        .then(|| Mended { message: JsonValue::object(message), quarantined })
}

fn mend_result(
    text: &[u8],
    limits: ParseLimits,
    quarantined: &mut Vec<QuarantinedTool>,
) -> Option<JsonValue> {
    let mut result: Vec<(String, JsonValue)> = Vec::new();
    for (name, member) in outline::members(text)? {
        if result.iter().any(|(other, _)| *other == name) {
            return None;
        }
        let member = if name == "tools" {
            let mut tools = Vec::new();
            for item in outline::items(member)? {
                match judge(item, limits) {
                    Ok(tool) => tools.push(tool),
                    Err(fault) => quarantined.push(fault),
                }
            }
            JsonValue::array(tools)
        } else {
            JsonValue::parse_slice(member, limits).ok()?
        };
        result.push((name, member));
    }
    Some(JsonValue::object(result))
}

fn judge(text: &[u8], limits: ParseLimits) -> Result<JsonValue, QuarantinedTool> {
    match JsonValue::parse_slice(text, limits) {
        Ok(tool) => match fault_of(&tool) {
            None => Ok(tool),
            Some(reason) => Err(QuarantinedTool { name: name_of(&tool), reason }),
        },
        Err(error) => {
            // Its name is given where the outline has one that is text.
            let name = outline::members(text)
                .and_then(|members| members.into_iter().find(|(name, _)| name == "name"))
                .and_then(|(_, name)| serde_json::from_slice::<String>(name).ok());
            Err(QuarantinedTool { name: name.map(|name| shortened(&name)), reason: error.to_string() })
        }
    }
}

/// Why a tool cannot be given to `rmcp`.
fn fault_of(tool: &Value) -> Option<String> {
    if super::judge::is_deeper(tool, TOOL_LEVELS) {
        return Some(format!("the tool has more than {TOOL_LEVELS} levels"));
    }
    Tool::deserialize(tool).err().map(|error| error.to_string())
}

fn name_of(tool: &Value) -> Option<String> {
    tool.get("name").and_then(Value::as_str).map(shortened)
}

fn shortened(name: &str) -> String {
    name.chars().take(NAME).collect()
}

/// Members of an object with one of them replaced.
fn replaced<'a>(
    members: impl Iterator<Item = (&'a String, &'a Value)>,
    name: &str,
    value: JsonValue,
) -> JsonValue {
    let mut value = Some(value);
    JsonValue::object(members.filter_map(|(key, member)| {
        let member = if key == name { value.take() } else { JsonValue::copy_of(member).ok() };
        member.map(|member| (key.clone(), member))
    }))
}
