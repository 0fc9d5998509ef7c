//! serde attributes that a schema cannot follow; one mistake, one message.

use toolgate::Schema;

#[derive(Schema)]
#[serde(rename_all = "Title Case", remote = "Other", default)]
struct Container {
    #[serde(flatten)]
    flat: Vec<u8>,
    #[serde(alias = "second", alias = "third")]
    first: u8,
    #[serde(with = "custom")]
    custom: u8,
    #[serde(skip_serializing)]
    half: u8,
    #[serde(rename(serialize = "out", deserialize = "in"))]
    both: u8,
    #[serde(rename = 3, getter = "x")]
    wrong: u8,
}

#[derive(Schema)]
#[serde(try_from = "String", into = "String")]
struct Converted {
    url: String,
}

#[derive(Schema)]
#[serde(tag = "type")]
struct Tagged {
    name: String,
}

#[derive(Schema)]
struct Absent {
    #[serde(deserialize_with = "custom")]
    #[schema(with = "String")]
    time: Option<u64>,
}

#[derive(Schema)]
struct LeftOut {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    list: Vec<u8>,
}

#[derive(Schema)]
#[serde(tag = "t", untagged)]
enum Both {
    #[serde(alias = "second")]
    First { a: u8 },
    #[serde(untagged)]
    Second,
}

fn main() {}
