//! The canonical form of a definition: one JSON value with its keys in order, its digest, and its text for people.

use ring::digest::{SHA256, digest};
use serde_json::{Map, Value};
use toolgate::{JsonValue, indented_text};

use crate::upstream::Offer;

/// What of an offer is pinned: everything that a model, a person or a policy reads.
pub(super) fn canonical(offer: &Offer) -> JsonValue {
    let members = [
        ("annotations", offer.annotations.clone()),
        ("description", Some(JsonValue::from(offer.description.as_str()))),
        ("inputSchema", Some(offer.input_schema.clone())),
        ("name", Some(JsonValue::from(offer.name.as_str()))),
        ("outputSchema", offer.output_schema.clone()),
    ];
    let present = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    sorted(&JsonValue::object(present))
}

/// The same value with the keys of every object in order.
pub(super) fn sorted(value: &JsonValue) -> JsonValue {
    // What was lossless stays so; an offer has at most 128 levels, which is what this may recurse over.
    JsonValue::new(in_order(value)).unwrap_or_default()
}

fn in_order(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            Value::Object(
                members.into_iter().map(|(key, value)| (key.clone(), in_order(value))).collect::<Map<_, _>>(),
            )
        }
        Value::Array(items) => Value::Array(items.iter().map(in_order).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// The SHA-256 of the compact text of a canonical form, in hexadecimal.
pub(super) fn digest_of(canonical: &JsonValue) -> String {
    let digest = digest(&SHA256, canonical.to_text().as_bytes());
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The form that people compare: the lines of the description as they are, then the rest as indented JSON.
pub(super) fn text_of(canonical: &JsonValue) -> String {
    let description = canonical.get("description").and_then(Value::as_str).unwrap_or_default();
    let rest = canonical.as_object().map(|members| {
        let rest = members.iter().filter(|(key, _)| *key != "description");
        Value::Object(rest.map(|(key, value)| (key.clone(), value.clone())).collect())
    });
    format!("{}\n\n{}\n", description.trim_end(), indented_text(&rest.unwrap_or_default()))
}
