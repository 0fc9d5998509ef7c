//! Enums whose JSON form no schema of the subset describes.

use toolgate::Schema;

#[derive(Schema)]
enum Never {}

#[derive(Schema)]
#[serde(tag = "kind")]
enum Inside {
    Named { kind: String },
    Other(Vec<u8>),
}

#[derive(Schema)]
enum Lists {
    Pair(u8, u8),
    Nothing(),
    Absent(Option<u8>),
    Own(Box<Lists>),
}

#[derive(Schema)]
enum Same {
    #[serde(rename = "Second")]
    First,
    Second,
}

#[derive(Schema)]
#[serde(untagged)]
enum Nulls {
    First,
    Second,
}

#[derive(Schema)]
#[serde(content = "data")]
enum Untold {
    First(u8),
}

#[derive(Schema)]
#[serde(tag = "same", content = "same")]
enum OneKey {
    First(u8),
}

#[derive(Schema)]
enum Words {
    #[schema(description = "The first.")]
    First,
    #[serde(other)]
    Rest,
}

fn main() {}
