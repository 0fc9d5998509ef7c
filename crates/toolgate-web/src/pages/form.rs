//! A form for the arguments of a tool, made from its schema, and the arguments that a filled one means.
//!
//! What has no form of its own is written as JSON. An empty field is left out.

use maud::{Markup, html};
use serde_json::{Map, Number, Value};
use toolgate::JsonValue;

use crate::foreign;

/// What stands in front of the name of a parameter, so that none can be taken for another field.
const PREFIX: &str = "arg:";

/// The field that takes all arguments as one JSON object.
const WHOLE: &str = "json";

/// How a parameter is written.
#[derive(Debug, PartialEq, Eq)]
enum Field {
    Text,
    Integer,
    Number,
    Boolean,
    /// One of these texts.
    Choice(Vec<String>),
    Json,
}

/// One parameter.
struct Parameter<'a> {
    name: &'a str,
    field: Field,
    description: &'a str,
    is_required: bool,
}

fn parameters(schema: &JsonValue) -> Vec<Parameter<'_>> {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object);
    let parameters = properties.into_iter().flatten().map(|(name, schema)| Parameter {
        name,
        field: field(schema),
        description: schema.get("description").and_then(Value::as_str).unwrap_or_default(),
        is_required: required.contains(&name.as_str()),
    });
    parameters.collect()
}

fn field(schema: &Value) -> Field {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let texts: Option<Vec<_>> = values.iter().map(|value| value.as_str().map(str::to_owned)).collect();
        return texts.map_or(Field::Json, Field::Choice);
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => Field::Text,
        Some("integer") => Field::Integer,
        Some("number") => Field::Number,
        Some("boolean") => Field::Boolean,
        Some(_) | None => Field::Json,
    }
}

/// The fields of a tool's parameters, with what was filled in before.
pub(super) fn fields(schema: &JsonValue, filled: &[(String, String)]) -> Markup {
    let before = |name: &str| filled.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value);
    html! {
        @for (at, parameter) in parameters(schema).iter().enumerate() {
            @let name = format!("{PREFIX}{}", parameter.name);
            @let value = before(&name);
            @let id = format!("p{at}");
            div.field {
                label for=(id) {
                    (foreign::title(parameter.name))
                    @if parameter.is_required { span.required { "required" } }
                }
                @if !parameter.description.is_empty() {
                    p.quiet id={ "about-" (id) } { (foreign::text(parameter.description)) }
                }
                @let about = (!parameter.description.is_empty()).then(|| format!("about-{id}"));
                @match &parameter.field {
                    Field::Text => textarea id=(id) name=(name) rows="1" aria-describedby=[about] { (value) },
                    Field::Integer => {
                        input id=(id) name=(name) type="text" inputmode="numeric" value=(value) aria-describedby=[about];
                    }
                    Field::Number => {
                        input id=(id) name=(name) type="text" inputmode="decimal" value=(value) aria-describedby=[about];
                    }
                    Field::Boolean => (choice(&id, &name, &["true".to_owned(), "false".to_owned()], value, about)),
                    Field::Choice(texts) => (choice(&id, &name, texts, value, about)),
                    Field::Json => {
                        textarea id=(id) name=(name) rows="2" placeholder="JSON" aria-describedby=[about] { (value) }
                    }
                }
            }
        }
        details.field {
            summary { "All arguments as JSON" }
            label.hidden for="whole" { "All arguments as one JSON object, in place of the fields" }
            textarea #whole name=(WHOLE) rows="4" placeholder="{ … }" { (before(WHOLE)) }
        }
    }
}

fn choice(id: &str, name: &str, texts: &[String], value: &str, about: Option<String>) -> Markup {
    html! {
        select id=(id) name=(name) aria-describedby=[about] {
            option value="" { "" }
            @for text in texts { option value=(text) selected[text == value] { (foreign::title(text)) } }
        }
    }
}

/// The arguments of a filled form.
///
/// # Errors
/// What is wrong with a field, for the person who filled it.
pub(super) fn arguments(schema: &JsonValue, filled: &[(String, String)]) -> Result<JsonValue, String> {
    let value = |name: &str| filled.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    if let Some(text) = value(WHOLE).filter(|text| !text.trim().is_empty()) {
        return JsonValue::parse(text).map_err(|error| format!("The arguments are no JSON: {error}"));
    }
    let mut members = Map::new();
    for Parameter { name, field, is_required, .. } in parameters(schema) {
        let text = value(&format!("{PREFIX}{name}")).unwrap_or_default();
        let is_kept = !text.is_empty() || (is_required && field == Field::Text);
        if is_kept {
            let read = read(&field, text)
                .ok_or_else(|| format!("`{name}` cannot be read: it is {}", wanted(&field)))?;
            members.insert(name.to_owned(), read);
        }
    }
    JsonValue::new(Value::Object(members)).map_err(|error| error.message())
}

fn read(field: &Field, text: &str) -> Option<Value> {
    match field {
        // Browsers send lines with the ends of the protocol.
        Field::Text => Some(Value::String(text.replace("\r\n", "\n"))),
        Field::Choice(_) => Some(Value::String(text.to_owned())),
        Field::Integer => {
            let text = text.trim();
            let unsigned = text.parse::<u64>().ok().map(Number::from);
            Some(Value::Number(unsigned.or_else(|| text.parse::<i64>().ok().map(Number::from))?))
        }
        Field::Number => text.trim().parse().ok().and_then(Number::from_f64).map(Value::Number),
        Field::Boolean => text.parse().ok().map(Value::Bool),
        Field::Json => JsonValue::parse(text).ok().map(|value| value.as_value().clone()),
    }
}

fn wanted(field: &Field) -> &'static str {
    match field {
        Field::Text => "a text",
        Field::Integer => "a whole number",
        Field::Number => "a number",
        Field::Boolean => "`true` or `false`",
        Field::Choice(_) => "one of the choices",
        Field::Json => "JSON",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_means_the_arguments_that_a_schema_describes() {
        let schema = JsonValue::parse(
            r#"{"type":"object","required":["s"],"properties":{"s":{"type":"string"},"i":{"type":"integer"},"b":{"type":"boolean"},
                "e":{"type":"string","enum":["x","y"]},"l":{"type":"array"},"json":{"type":"string"}}}"#,
        )
        .unwrap();
        let filled = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let text = |pairs: &[(&str, &str)]| arguments(&schema, &filled(pairs)).map(|value| value.to_text());
        for (pairs, expected) in [
            (&[][..], r#"{"s":""}"#),
            (
                &[("arg:s", "a\r\nb"), ("arg:i", " -7 "), ("arg:b", "true")][..],
                r#"{"s":"a\nb","i":-7,"b":true}"#,
            ),
            (
                &[("arg:s", "a"), ("arg:e", "y"), ("arg:l", "[1]"), ("arg:json", "j")][..],
                r#"{"s":"a","e":"y","l":[1],"json":"j"}"#,
            ),
            (&[("arg:s", "a"), ("json", r#"{"z":1}"#)][..], r#"{"z":1}"#),
        ] {
            assert_eq!(text(pairs).as_deref(), Ok(expected));
        }
        for wrong in [("arg:i", "1.5"), ("arg:b", "yes"), ("arg:l", "["), ("json", "nonsense")] {
            assert!(text(&[wrong]).is_err(), "{wrong:?}");
        }
        let markup = fields(&schema, &filled(&[("arg:s", "</textarea><script>")])).into_string();
        assert!(markup.contains("&lt;/textarea&gt;&lt;script&gt;"), "{markup}");
    }
}
