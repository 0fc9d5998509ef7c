//! Addresses in arguments, and the patterns that rules have for them: `docs.rs`, `*.example.com:8443`, `http://[::1]:*`.
//!
//! Both are read by the parser that HTTP clients use, so that a rule and the request speak of the same host. Names
//! are not looked up: whether a host is a private one is decided where the connection is made.

use std::fmt;

use url::{Host, Url};

/// A pattern of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostPattern {
    written: String,
    scheme: Option<String>,
    host: HostPart,
    port: PortPart,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum HostPart {
    Any,
    /// This one.
    One(String),
    /// Those below it, and not it.
    Below(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PortPart {
    /// The one that belongs to the scheme.
    Default,
    Any,
    One(u16),
}

impl HostPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is wrong with it, in words, with a hint.
    pub(crate) fn parse(written: &str) -> Result<Self, String> {
        let (scheme, rest) = match written.split_once("://") {
            Some((scheme @ ("http" | "https"), rest)) => (Some(scheme.to_owned()), rest),
            Some((scheme, _)) => {
                return Err(format!(
                    "`{scheme}` is no scheme of a rule; hint: write `http://` or `https://`, or neither"
                ));
            }
            None => (None, written),
        };
        if rest.contains(['/', '?', '#', '@', '\\']) || rest.contains(char::is_whitespace) {
            return Err(
                "a rule for addresses ends with the host or its port; hint: write `docs.rs`".to_owned()
            );
        }
        // The colons of an address of IPv6 are inside brackets.
        let after_brackets = rest.rfind(']').map_or(0, |index| index + 1);
        let colon = rest.get(after_brackets..).and_then(|rest| rest.find(':')).map(|at| at + after_brackets);
        let (host, port) =
            colon.map_or((rest, None), |at| (rest.get(..at).unwrap_or_default(), rest.get(at + 1..)));
        let port = match port {
            None => PortPart::Default,
            Some("*") => PortPart::Any,
            Some(port) => PortPart::One(
                port.parse()
                    .map_err(|_| format!("`{port}` is no port; hint: write a number up to 65535 or `*`"))?,
            ),
        };
        let host = match host.strip_prefix("*.") {
            _ if host == "*" => HostPart::Any,
            Some(domain) => match read_host(domain)? {
                Host::Domain(domain) => HostPart::Below(plain(&domain)),
                Host::Ipv4(_) | Host::Ipv6(_) => {
                    return Err("there is nothing below a number; hint: write a name behind `*.`".to_owned());
                }
            },
            None => HostPart::One(plain(&read_host(host)?.to_string())),
        };
        Ok(Self { written: written.to_owned(), scheme, host, port })
    }

    /// Whether the address is surely one that the pattern means.
    pub(crate) fn covers(&self, address: &Address) -> bool {
        let Address::Known { url, host, is_plain } = address else { return false };
        let scheme = match &self.scheme {
            Some(scheme) => scheme == url.scheme(),
            None => ["http", "https"].contains(&url.scheme()),
        };
        let port = match self.port {
            PortPart::Any => true,
            PortPart::One(port) => url.port_or_known_default() == Some(port),
            PortPart::Default => url.port().is_none(),
        };
        *is_plain && scheme && port && self.means(host)
    }

    /// Whether the address may be one that the pattern means. A pattern that says nothing of scheme or port means any.
    pub(crate) fn may_be(&self, address: &Address) -> bool {
        let Address::Known { url, host, .. } = address else { return true };
        let scheme = self.scheme.as_deref().is_none_or(|scheme| scheme == url.scheme());
        let port = match self.port {
            PortPart::Any | PortPart::Default => true,
            PortPart::One(port) => url.port_or_known_default().is_none_or(|known| known == port),
        };
        scheme && port && self.means(host)
    }

    fn means(&self, host: &str) -> bool {
        match &self.host {
            HostPart::Any => true,
            HostPart::One(one) => one == host,
            HostPart::Below(domain) => {
                host.strip_suffix(domain.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
            }
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

/// An address of an argument.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    /// It has a host.
    Known {
        /// The whole.
        url: Url,
        /// The host in its one spelling.
        host: String,
        /// Whether it says nothing but where to go: no user, no blanks, no backslashes.
        is_plain: bool,
    },
    /// It has none, or is no address.
    Unreadable,
}

impl Address {
    /// Reads an address.
    pub(crate) fn read(text: &str) -> Self {
        let Ok(url) = Url::parse(text) else { return Self::Unreadable };
        let Some(host) = url.host_str().map(plain).filter(|host| !host.is_empty()) else {
            return Self::Unreadable;
        };
        let has_user = !url.username().is_empty() || url.password().is_some();
        let is_odd = text.contains(|each: char| each == '\\' || each.is_whitespace() || each.is_control());
        Self::Known { is_plain: !has_user && !is_odd, host, url }
    }
}

fn read_host(text: &str) -> Result<Host<String>, String> {
    let host = Host::parse(text).map_err(|error| {
        format!("`{text}` is no host: {error}; hint: write a name or a number such as `docs.rs`")
    })?;
    match &host {
        Host::Domain(name) if name.contains('*') => {
            Err("`*` stands only for everything below a name; hint: write `*.example.com`".to_owned())
        }
        Host::Domain(_) | Host::Ipv4(_) | Host::Ipv6(_) => Ok(host),
    }
}

/// A host in its one spelling: the final dot of a full name says nothing new.
fn plain(host: &str) -> String {
    host.strip_suffix('.').unwrap_or(host).to_owned()
}
