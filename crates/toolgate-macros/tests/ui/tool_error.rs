//! A tool that fails with another error, which is no mistake of spelling.

use toolgate::tool;

/// Fails in its own way.
#[tool]
async fn own_error() -> Result<u8, std::fmt::Error> {
    Ok(0)
}

/// Fails in its own way, by an alias.
#[tool]
async fn own_alias() -> std::io::Result<u8> {
    Ok(0)
}

fn main() {}
