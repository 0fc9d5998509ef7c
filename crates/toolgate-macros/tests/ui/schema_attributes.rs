//! Mistakes in `#[schema(…)]`.

use toolgate::Schema;

#[derive(Schema)]
#[schema(colour = "red", title)]
struct Container {
    #[schema(description = 3)]
    first: u8,
    #[schema(with = "Vec<")]
    second: u8,
    #[schema(crate = "toolgate")]
    third: u8,
    #[schema]
    fourth: u8,
    #[schema(title = "Fifth" description = "The fifth.")]
    fifth: u8,
}

#[derive(Schema)]
enum Variants {
    #[schema(with = "String")]
    First(u8),
}

fn main() {}
