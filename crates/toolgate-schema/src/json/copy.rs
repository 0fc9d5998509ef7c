//! Copying a value of any depth.
//!
//! Called where a document has to be owned twice (author schemas, annotations). Shared values are never copied:
//! cloning a `JsonValue` clones its `Arc`.

use serde_json::Value;

use super::RawJson;

/// A copy of a value, made with an explicit list of the places still to be filled.
pub(crate) fn copy(value: &Value) -> RawJson {
    let mut copied = RawJson::from(Value::Null);
    let mut open: Vec<(&Value, &mut Value)> = vec![(value, copied.as_value_mut())];
    while let Some((source, target)) = open.pop() {
        match source {
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => *target = source.clone(),
            Value::Array(items) => {
                *target = Value::Array(vec![Value::Null; items.len()]);
                if let Value::Array(targets) = target {
                    open.extend(items.iter().zip(targets));
                }
            }
            Value::Object(members) => {
                *target = Value::Object(members.keys().map(|name| (name.clone(), Value::Null)).collect());
                if let Value::Object(targets) = target {
                    open.extend(members.values().zip(targets.values_mut()));
                }
            }
        }
    }
    copied
}
