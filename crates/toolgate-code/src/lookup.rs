//! Answers the two functions of discovery for a program whose prompt carried an index.
//!
//! Called by the run before a host call becomes a call of a tool: what is answered here is no tool, so nothing of the
//! pipeline sees it. The sandbox has counted it as a call, which bounds how often a program asks.

use toolgate::{JsonValue, ToolDefinition};
use toolgate_sandbox::{HostCall, HostReply, Language};
use toolgate_sdk::{Discovery, Presented, present};

use crate::prompt::declared;

/// The longest text that a program may ask about, in bytes.
const MOST_TEXT: usize = 1_000;

/// What a program of these tools can look up besides calling them.
pub(crate) struct Lookup(Option<Discovery>);

impl Lookup {
    /// The functions of discovery exist where the prompt carries an index.
    pub(crate) fn of(language: Language, tools: &[ToolDefinition], budget: usize) -> Self {
        match present(declared(language), tools, budget) {
            Presented::Whole(_) => Self(None),
            Presented::Index(discovery) => Self(Some(discovery)),
        }
    }

    /// The names that exist for the program besides those of its tools.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let names = self.0.iter().flat_map(|discovery| [discovery.search_name(), discovery.describe_name()]);
        names.map(str::to_owned)
    }

    /// Answers the call of one of these functions; gives any other call back.
    pub(crate) fn answer(&self, call: HostCall) -> Option<HostCall> {
        let Some(discovery) = &self.0 else { return Some(call) };
        let answer = if call.name == discovery.search_name() {
            asked(&call, "words").map(|words| found(discovery, words))
        } else if call.name == discovery.describe_name() {
            asked(&call, "name").and_then(|name| described(discovery, name))
        } else {
            return Some(call);
        };
        call.reply.send(match answer {
            Ok(value) => HostReply::Ok(value),
            Err(message) => HostReply::Err(message),
        });
        None
    }
}

/// The text that a function was given: as its argument, or by its name in an object.
fn asked<'a>(call: &'a HostCall, parameter: &str) -> Result<&'a str, String> {
    let given = call.arguments.get(parameter).unwrap_or(call.arguments.as_value());
    let text = given.as_str().ok_or_else(|| {
        format!("`{name}` takes one text\nhint: call it as tools.{name}(\"…\")", name = call.name)
    })?;
    if text.len() > MOST_TEXT {
        return Err(format!("`{}` takes a text of at most {MOST_TEXT} bytes", call.name));
    }
    Ok(text)
}

fn found(discovery: &Discovery, words: &str) -> JsonValue {
    JsonValue::array(discovery.search(words).into_iter().map(|found| {
        JsonValue::object([
            ("name".to_owned(), JsonValue::from(found.name.as_str())),
            ("line".to_owned(), JsonValue::from(found.line.as_str())),
        ])
    }))
}

fn described(discovery: &Discovery, name: &str) -> Result<JsonValue, String> {
    let text = discovery.describe(name);
    text.map(|text| JsonValue::from(text.as_str())).ok_or_else(|| {
        format!("there is no tool `{name}`\nhint: tools.{} finds the names", discovery.search_name())
    })
}
