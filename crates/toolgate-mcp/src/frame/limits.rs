//! [`FrameLimits`]: how much one message of a server may ask of this process.

use toolgate::ParseLimits;

/// How large one message may be. What goes beyond fails the one request that it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameLimits {
    /// The longest message in bytes: a line on stdio, an event or a body over HTTP. 16 MiB.
    pub max_bytes: usize,
    /// Levels and values of one message. 1,000 and 1,000,000.
    pub parse: ParseLimits,
}

impl Default for FrameLimits {
    fn default() -> Self {
        Self { max_bytes: 16 << 20, parse: ParseLimits::default() }
    }
}
