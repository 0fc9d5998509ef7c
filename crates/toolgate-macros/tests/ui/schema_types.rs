//! Types whose JSON form no schema of the subset describes.

use toolgate::{Nullable, Schema};

#[derive(Schema)]
struct Recursive {
    own: Box<Recursive>,
    listed: Vec<Self>,
    absent: Option<Box<Recursive>>,
    null: Nullable<Box<self::Recursive>>,
}

#[derive(Schema)]
struct Options {
    list: Vec<Option<u8>>,
    doubled: Option<Option<u8>>,
}

#[derive(Schema)]
struct Newtype(std::option::Option<u8>);

#[derive(Schema)]
struct Wide {
    unsigned: u128,
    signed: Option<i128>,
}

#[derive(Schema)]
union Overlaid {
    number: u32,
    bytes: [u8; 4],
}

#[derive(Schema)]
struct Pair(u8, u8);

#[derive(Schema)]
struct Nothing();

#[derive(Schema)]
#[serde(transparent)]
struct Two {
    first: u8,
    second: u8,
}

#[derive(Schema)]
struct Twice {
    first: u8,
    #[serde(rename = "first")]
    second: u8,
}

// A type with mistakes still has a schema, so that its users are not blamed.
#[derive(Schema)]
struct User {
    pair: Pair,
    wide: Wide,
    overlaid: Vec<Overlaid>,
}

fn main() {}
