//! From JSON into the program: host values become the language's own.
//!
//! Properties are defined, never assigned, so that no setter of the program sees them. Integers that a double cannot
//! hold become BigInt. Any depth works.

use rquickjs::object::Property;
use rquickjs::{Array, Atom, BigInt, Ctx, Object, Result, String as JsString, Value};
use serde_json::Value as Json;

/// The largest integer up to which doubles are exact.
const SAFE: i64 = (1 << 53) - 1;

enum Open<'js, 'v> {
    List(Array<'js>, std::iter::Enumerate<std::slice::Iter<'v, Json>>),
    Object(Object<'js>, serde_json::map::Iter<'v>),
}

/// Builds the value.
///
/// # Errors
/// When the program's memory is used up; the exception is pending.
pub(super) fn decode<'js>(ctx: &Ctx<'js>, value: &Json) -> Result<Value<'js>> {
    let mut open = Vec::new();
    let root = begin(ctx, value, &mut open)?;
    while let Some(top) = open.last_mut() {
        match top {
            Open::List(list, items) => match items.next() {
                None => drop(open.pop()),
                Some((index, item)) => {
                    let list = list.as_object().clone();
                    let child = begin(ctx, item, &mut open)?;
                    define(
                        &list,
                        Atom::from_u32(ctx.clone(), u32::try_from(index).unwrap_or(u32::MAX))?,
                        child,
                    )?;
                }
            },
            Open::Object(object, members) => match members.next() {
                None => drop(open.pop()),
                Some((key, member)) => {
                    let object = object.clone();
                    let child = begin(ctx, member, &mut open)?;
                    define(&object, Atom::from_str(ctx.clone(), key)?, child)?;
                }
            },
        }
    }
    Ok(root)
}

fn define<'js>(object: &Object<'js>, key: Atom<'js>, value: Value<'js>) -> Result<()> {
    object.prop(key, Property::from(value).writable().enumerable().configurable())
}

/// The value of a scalar, or the empty container, which is left open.
fn begin<'js, 'v>(ctx: &Ctx<'js>, value: &'v Json, open: &mut Vec<Open<'js, 'v>>) -> Result<Value<'js>> {
    Ok(match value {
        Json::Null => Value::new_null(ctx.clone()),
        Json::Bool(value) => Value::new_bool(ctx.clone(), *value),
        Json::Number(number) => {
            if let Some(integer) = number.as_i64() {
                if (-SAFE..=SAFE).contains(&integer) {
                    Value::new_number(ctx.clone(), integer as f64)
                } else {
                    BigInt::from_i64(ctx.clone(), integer)?.into_value()
                }
            } else if let Some(integer) = number.as_u64() {
                BigInt::from_u64(ctx.clone(), integer)?.into_value()
            } else {
                Value::new_number(ctx.clone(), number.as_f64().unwrap_or(f64::NAN))
            }
        }
        Json::String(text) => JsString::from_str(ctx.clone(), text)?.into_value(),
        Json::Array(items) => {
            let list = Array::new(ctx.clone())?;
            open.push(Open::List(list.clone(), items.iter().enumerate()));
            list.into_value()
        }
        Json::Object(members) => {
            let object = Object::new(ctx.clone())?;
            open.push(Open::Object(object.clone(), members.iter()));
            object.into_value()
        }
    })
}
