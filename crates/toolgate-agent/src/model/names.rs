//! Tool names as providers allow them, and back again (rule R2a).
//!
//! Providers take letters, digits, `_` and `-`, at most 64. A name of another kind gets one that is made of what fits of it
//! and of a checksum of the whole, so the same name is the same in every request.

use std::borrow::Cow;
use std::collections::HashMap;

use toolgate::ToolSchema;

/// How long a name may be.
const LONGEST: usize = 64;

/// The names of one request.
#[derive(Debug, Default)]
pub(crate) struct WireNames {
    /// The names that the model was told instead of others.
    told: HashMap<String, String>,
}

impl WireNames {
    /// Names for these tools.
    pub(crate) fn new(tools: &[ToolSchema]) -> Self {
        let changed = tools.iter().filter(|tool| !fits(&tool.name));
        Self { told: changed.map(|tool| (wire_name(&tool.name).into_owned(), tool.name.clone())).collect() }
    }

    /// The tool that a model means.
    pub(crate) fn meant<'a>(&'a self, told: &'a str) -> &'a str {
        self.told.get(told).map_or(told, String::as_str)
    }
}

/// What a model is told of a name.
pub(crate) fn wire_name(name: &str) -> Cow<'_, str> {
    if fits(name) {
        return Cow::Borrowed(name);
    }
    let kept = name.chars().map(|c| if is_allowed(c) { c } else { '_' }).take(LONGEST - 9);
    let kept: String = kept.collect();
    Cow::Owned(format!("{kept}_{:08x}", checksum(name.as_bytes())))
}

fn fits(name: &str) -> bool {
    (1..=LONGEST).contains(&name.len()) && name.chars().all(is_allowed)
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// FNV-1a: short, and the same on every machine.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}
