//! [`Client`]: who speaks to the gateway, as far as it is known.

/// A client of a gateway. What it says of itself proves nothing; a credential does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// The name that it gives itself.
    pub name: Option<String>,
    /// The version that it gives itself.
    pub version: Option<String>,
    /// The name of the credential that it came with.
    pub credential: Option<String>,
}
