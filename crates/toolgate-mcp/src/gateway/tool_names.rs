//! Tool names as the protocol recommends them, and back again (rule R2a).
//!
//! Names are made of letters, digits, `_`, `-` and `.`, at most 128. A name of another kind is told as what fits of it
//! and a checksum of the whole: the same name is the same in every list, whatever else is in it. Calls are looked up
//! among the tools of the scope, so a told name means exactly one of them or none.

use std::borrow::Cow;

use toolgate::{Scope, ToolDefinition};

/// How long a told name may be.
const LONGEST: usize = 128;

/// What a client is told of a name.
pub(super) fn told(name: &str) -> Cow<'_, str> {
    if fits(name) {
        return Cow::Borrowed(name);
    }
    let kept = name.chars().map(|c| if is_allowed(c) { c } else { '_' }).take(LONGEST - 17);
    let kept: String = kept.collect();
    Cow::Owned(format!("{kept}_{:016x}", checksum(name.as_bytes())))
}

/// The name that a client means, as the scope knows it. A name that nobody was told stays as it is, and means nothing.
pub(super) fn meant(scope: &Scope, name: &str) -> String {
    if scope.get(name).is_some() {
        return name.to_owned();
    }
    let tools = scope.tools();
    let found = tools.iter().map(ToolDefinition::name).find(|tool| !fits(tool) && told(tool) == name);
    found.unwrap_or(name).to_owned()
}

/// Whether a name is told as it is.
pub(super) fn fits(name: &str) -> bool {
    (1..=LONGEST).contains(&name.len()) && name.chars().all(is_allowed)
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// FNV-1a of 64 bits: short, and the same on every machine.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
