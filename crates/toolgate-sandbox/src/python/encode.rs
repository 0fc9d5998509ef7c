//! From the program into JSON text, for arguments and results. What is not JSON is refused with its path.
//!
//! The walk keeps its own stack and stops at a depth and at a size. Tuples are lists, as everywhere in the language
//! where JSON is written.

use monty_types::MontyObject;
use num_bigint::BigInt;

use crate::json_text::{MOST_LEVELS, Refusal, Step, path_of, quote};

/// The value as JSON text of at most so many bytes.
pub(super) fn encode(value: &MontyObject, most: usize) -> Result<String, Refusal> {
    let mut walk = Walk { most, text: String::new(), open: Vec::new() };
    walk.run(value)?;
    Ok(walk.text)
}

enum Open<'v> {
    List { items: std::iter::Enumerate<std::slice::Iter<'v, MontyObject>>, at: usize },
    Dict { members: std::slice::Iter<'v, (MontyObject, MontyObject)>, key: &'v str, is_empty: bool },
}

struct Walk<'v> {
    most: usize,
    text: String,
    open: Vec<Open<'v>>,
}

impl<'v> Walk<'v> {
    fn run(&mut self, root: &'v MontyObject) -> Result<(), Refusal> {
        self.value(root)?;
        loop {
            if self.text.len() > self.most {
                return Err(Refusal::TooLong { path: self.path() });
            }
            let Some(top) = self.open.last_mut() else { return Ok(()) };
            let item = match top {
                Open::List { items, at } => match items.next() {
                    Some((index, item)) => {
                        if index > 0 {
                            self.text.push(',');
                        }
                        *at = index;
                        item
                    }
                    None => {
                        self.text.push(']');
                        self.open.pop();
                        continue;
                    }
                },
                Open::Dict { members, key, is_empty } => match members.next() {
                    Some((MontyObject::String(name), member)) => {
                        if !std::mem::take(is_empty) {
                            self.text.push(',');
                        }
                        *key = name;
                        quote(name, &mut self.text);
                        self.text.push(':');
                        member
                    }
                    Some(_) => {
                        self.open.pop();
                        return Err(self.refuse("a dictionary with a key that is no text"));
                    }
                    None => {
                        self.text.push('}');
                        self.open.pop();
                        continue;
                    }
                },
            };
            self.value(item)?;
        }
    }

    fn refuse(&self, what: impl Into<String>) -> Refusal {
        Refusal::NotJson { what: what.into(), path: self.path() }
    }

    /// Writes a value, or refuses what the language has and JSON lacks.
    fn value(&mut self, value: &'v MontyObject) -> Result<(), Refusal> {
        let lacking = match value {
            MontyObject::None => return self.write("null"),
            MontyObject::Bool(value) => return self.write(if *value { "true" } else { "false" }),
            MontyObject::Int(integer) => return self.write(&integer.to_string()),
            MontyObject::BigInt(integer) => return self.integer(integer),
            MontyObject::Float(number) => return self.number(*number),
            MontyObject::String(text) => return self.string(text),
            MontyObject::List(items) | MontyObject::Tuple(items) => {
                self.enters()?;
                self.open.push(Open::List { items: items.iter().enumerate(), at: 0 });
                return self.write("[");
            }
            MontyObject::Dict(pairs) => {
                self.enters()?;
                self.open.push(Open::Dict { members: pairs.into_iter(), key: "", is_empty: true });
                return self.write("{");
            }
            MontyObject::Bytes(_) => "bytes (use text, such as base64)",
            MontyObject::NamedTuple { .. } => "a named tuple (use a dictionary)",
            MontyObject::Set(_) | MontyObject::FrozenSet(_) => "a set (use a list)",
            MontyObject::Date(_) | MontyObject::DateTime(_) | MontyObject::Time(_) => {
                "a date or time (use its ISO text)"
            }
            MontyObject::TimeDelta(_) => "a time span (use its seconds)",
            MontyObject::TimeZone(_) => "a time zone",
            MontyObject::Exception { .. } => "an exception (use its text)",
            MontyObject::Type(_) => "a class",
            MontyObject::BuiltinFunction(_) | MontyObject::Function { .. } => "a function",
            MontyObject::Path(_) => "a path (use its text)",
            MontyObject::FileHandle(_) => "a file",
            MontyObject::Ellipsis => "an ellipsis",
            MontyObject::NotImplemented => "NotImplemented",
            MontyObject::Cycle(..) => "a cycle",
            MontyObject::ClassInstance(instance) => {
                let name: String = instance.class_type.name.chars().take(60).collect();
                return Err(self.refuse(format!("an object of the class `{name}` (use a dictionary)")));
            }
            // What it is, only its own words say.
            MontyObject::Repr(text) if text.starts_with("<coroutine") => {
                "a coroutine (is an `await` missing?)"
            }
            MontyObject::Repr(text) if text.starts_with("<function") => "a function",
            MontyObject::Repr(text) => {
                let shown: String = text.chars().take(60).collect();
                return Err(self.refuse(format!("`{shown}`")));
            }
        };
        Err(self.refuse(lacking))
    }

    fn write(&mut self, text: &str) -> Result<(), Refusal> {
        self.text.push_str(text);
        Ok(())
    }

    fn string(&mut self, text: &str) -> Result<(), Refusal> {
        if text.len() > self.most {
            return Err(Refusal::TooLong { path: self.path() });
        }
        quote(text, &mut self.text);
        Ok(())
    }

    fn enters(&self) -> Result<(), Refusal> {
        if self.open.len() < MOST_LEVELS {
            return Ok(());
        }
        Err(self.refuse(format!("more than {MOST_LEVELS} levels")))
    }

    fn integer(&mut self, integer: &BigInt) -> Result<(), Refusal> {
        if i64::try_from(integer).is_err() && u64::try_from(integer).is_err() {
            return Err(self.refuse("an integer beyond 64 bits"));
        }
        self.write(&integer.to_string())
    }

    fn number(&mut self, number: f64) -> Result<(), Refusal> {
        let Some(finite) = serde_json::Number::from_f64(number) else {
            let shown = if number.is_nan() {
                "NaN"
            } else if number > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            };
            return Err(self.refuse(shown));
        };
        if number == 0.0 && number.is_sign_negative() {
            return Err(self.refuse("negative zero"));
        }
        self.write(&finite.to_string())
    }

    /// Where the walk is, as `items[3].name`; bounded.
    fn path(&self) -> String {
        path_of(self.open.iter().map(|open| match open {
            Open::List { at, .. } => Step::Index(*at),
            Open::Dict { key, .. } => Step::Key(key),
        }))
    }
}
