//! What a server answered to a call: the canonical value that keeps all of it, what a model reads of it, and a failure
//! with the server's own words.

use serde_json::{Map, Value};
use toolgate::text::{Line, shortened};
use toolgate::{CompiledSchema, ContentBlock, JsonValue, ToolError};

use super::offer::Offer;
use super::patterns::Patterns;
use super::schema::FullSchema;

/// How much of a failure's text is kept, in characters.
const FAILURE_CHARACTERS: usize = 64 << 10;

/// What a tool promises of its structured results, and how the promise is kept.
pub(crate) struct Promise {
    /// The output schema to register: that of the whole canonical value.
    pub(crate) registered: JsonValue,
    /// The server's schema, where the registered one cannot say all of it.
    whole: Option<FullSchema>,
}

impl Promise {
    /// The promise of an offer, or why its output schema cannot be used.
    pub(crate) fn of(offer: &Offer, patterns: &mut Patterns) -> Result<Self, String> {
        let Some(schema) = &offer.output_schema else {
            return Ok(Self { registered: envelope(&JsonValue::empty_object(), false), whole: None });
        };
        // The draft that a schema names is no part of what it says, and could not stand inside another schema.
        let members = schema.as_object().into_iter().flatten().filter(|(key, _)| *key != "$schema");
        let bare = members.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>();
        let enforced = JsonValue::new(Value::Object(bare)).map(|bare| envelope(&bare, true));
        match enforced {
            Ok(enforced) if CompiledSchema::compile(enforced.clone()).is_ok() => {
                Ok(Self { registered: enforced, whole: None })
            }
            Ok(_) | Err(_) => {
                let whole = FullSchema::compile(schema, patterns);
                let whole = whole.map_err(|fault| format!("its outputSchema: {fault}"))?;
                Ok(Self { registered: envelope(&JsonValue::empty_object(), true), whole: Some(whole) })
            }
        }
    }

    /// Checks what the registered schema cannot say.
    fn check(&self, value: &JsonValue) -> Result<(), ToolError> {
        let (Some(schema), Some(structured)) = (&self.whole, value.get("structuredContent")) else {
            return Ok(());
        };
        schema.check(structured).map_err(|violations| {
            ToolError::invalid_output(format!(
                "the structured content is not what the tool declares: {violations}"
            ))
        })
    }
}

/// The schema of a canonical value around that of its structured content.
fn envelope(structured: &JsonValue, is_promised: bool) -> JsonValue {
    let text = JsonValue::from;
    let typed = |kind: &'static str| JsonValue::object([("type".to_owned(), text(kind))]);
    let blocks = JsonValue::object([
        ("type".to_owned(), text("array")),
        ("items".to_owned(), typed("object")),
        ("description".to_owned(), text("What the server said, block by block.")),
    ]);
    let required =
        if is_promised { vec![text("content"), text("structuredContent")] } else { vec![text("content")] };
    JsonValue::object([
        ("type".to_owned(), text("object")),
        (
            "properties".to_owned(),
            JsonValue::object([
                ("content".to_owned(), blocks),
                ("structuredContent".to_owned(), structured.clone()),
                ("_meta".to_owned(), typed("object")),
            ]),
        ),
        ("required".to_owned(), JsonValue::array(required)),
        ("additionalProperties".to_owned(), JsonValue::from(false)),
    ])
}

/// The canonical value of a result: `content`, `structuredContent` and `_meta` as they came.
///
/// # Errors
/// The server reported a failure, in its words; or what it answered is no result of a call, or not what it promised.
pub(crate) fn value_of(result: &Value, promise: &Promise) -> Result<JsonValue, ToolError> {
    let members = result.as_object().ok_or_else(|| unreadable("it is no object"))?;
    let part = |key: &str| {
        let part = members.get(key).map(JsonValue::copy_of).transpose();
        part.map_err(|error| unreadable(&error.to_string()))
    };
    let content =
        part("content")?.filter(|content| !content.is_null()).unwrap_or_else(|| JsonValue::array([]));
    if !content.is_array() {
        return Err(unreadable("its content is no list"));
    }
    let structured = part("structuredContent")?;
    if members.get("isError").and_then(Value::as_bool) == Some(true) {
        return Err(failure(&content, structured.as_ref()));
    }
    let members = [
        ("content", Some(content)),
        ("structuredContent", structured),
        ("_meta", part("_meta")?.filter(|meta| meta.is_object())),
    ];
    let present = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let value = JsonValue::object(present);
    promise.check(&value)?;
    Ok(value)
}

fn unreadable(fault: &str) -> ToolError {
    ToolError::invalid_output(format!("the server's answer is no result of a call: {fault}"))
}

/// The failure that a server reported.
fn failure(content: &JsonValue, structured: Option<&JsonValue>) -> ToolError {
    let blocks = content.as_array().into_iter().flatten();
    let texts: Vec<String> = blocks.enumerate().filter_map(|(at, block)| text_of(block, at)).collect();
    let text = match (texts.is_empty(), structured) {
        (false, _) => texts.join("\n"),
        (true, Some(structured)) => structured.to_text(),
        (true, None) => "the server reports a failure and does not say which".to_owned(),
    };
    ToolError::new(shortened(&text, FAILURE_CHARACTERS))
}

/// What a model reads of a canonical value: texts and images as they are; of everything else, what it is and where a
/// program finds it in the value.
pub(crate) fn content_of(value: &JsonValue) -> Vec<ContentBlock> {
    let blocks = value.get("content").and_then(Value::as_array).into_iter().flatten();
    let mut content: Vec<ContentBlock> =
        blocks.enumerate().filter_map(|(at, block)| block_of(block, at)).collect();
    if content.is_empty() {
        let structured = value.get("structuredContent").and_then(|part| JsonValue::copy_of(part).ok());
        content.push(ContentBlock::text(match structured {
            Some(structured) => structured.to_text(),
            None => "(the tool answered without content)".to_owned(),
        }));
    }
    content
}

fn block_of(block: &Value, at: usize) -> Option<ContentBlock> {
    let field = |name: &str| block.get(name).and_then(Value::as_str);
    match (field("type"), field("data"), field("mimeType")) {
        (Some("image"), Some(data), Some(mime_type)) => Some(ContentBlock::image(data, mime_type)),
        _ => text_of(block, at).map(ContentBlock::text),
    }
}

/// A block as text; none for a text block that is empty.
fn text_of(block: &Value, at: usize) -> Option<String> {
    let field = |name: &str| block.get(name).and_then(Value::as_str);
    let shown = |name: &str| field(name).map(|text| Line(&shortened(text, 1_000)).to_string());
    let kind = field("type").unwrap_or_default();
    let handle = |what: String| Some(format!("[{what}; in the value it is content[{at}]]"));
    let media_type = |block: &Value| {
        let media_type = block.get("mimeType").and_then(Value::as_str).unwrap_or("of no named type");
        Line(&shortened(media_type, 100)).to_string()
    };
    match kind {
        "text" => field("text").filter(|text| !text.is_empty()).map(str::to_owned),
        "resource_link" => {
            let name = shown("name").unwrap_or_default();
            let uri = shown("uri").unwrap_or_default();
            let description = shown("description").map(|text| format!(": {text}")).unwrap_or_default();
            handle(format!("link to {name} <{uri}>{description}"))
        }
        "resource" => {
            let resource = block.get("resource").unwrap_or(&Value::Null);
            let part = |name: &str| resource.get(name).and_then(Value::as_str);
            let uri = Line(&shortened(part("uri").unwrap_or_default(), 1_000)).to_string();
            match (part("text"), part("blob")) {
                (Some(text), _) => Some(format!("<{uri}>\n{text}")),
                (None, Some(blob)) => {
                    handle(format!("resource <{uri}>, {}, {} bytes", media_type(resource), bytes_of(blob)))
                }
                (None, None) => handle(format!("resource <{uri}>")),
            }
        }
        "audio" => handle(format!(
            "audio, {}, {} bytes",
            media_type(block),
            bytes_of(field("data").unwrap_or_default())
        )),
        other => handle(format!("a block of type {:?}", shortened(other, 64))),
    }
}

/// How many bytes a base64 text stands for.
fn bytes_of(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}
