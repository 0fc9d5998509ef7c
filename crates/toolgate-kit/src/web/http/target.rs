//! An address that can be fetched, and what a redirect from it may lead to.

use url::{Host, Position, Url};

use crate::web::error::WebError;
use crate::workspace::shown_text;

/// The longest address, in bytes.
const LONGEST: usize = 8192;

/// An absolute `http` or `https` address with a host, without credentials and without a fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    url: Url,
    host: Host<String>,
    port: u16,
}

impl Target {
    /// Parses what a caller gave, the way browsers do: `http://0x7f.1/` is `http://127.0.0.1/`.
    pub(crate) fn parse(text: &str) -> Result<Self, WebError> {
        let invalid = |why: &str| WebError::InvalidUrl { url: shown_address(text), why: why.to_owned() };
        if text.len() > LONGEST {
            return Err(invalid(&format!("it is longer than {LONGEST} bytes")));
        }
        let url = Url::parse(text).map_err(|error| invalid(&error.to_string()))?;
        Self::new(url).map_err(invalid)
    }

    fn new(mut url: Url) -> Result<Self, &'static str> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err("only http and https are supported");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it holds a user name or password");
        }
        let Some(host) = url.host().map(|host| host.to_owned()) else { return Err("it has no host") };
        let Some(port) = url.port_or_known_default() else { return Err("it has no port") };
        url.set_fragment(None);
        Ok(Self { url, host, port })
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    pub(crate) fn host(&self) -> &Host<String> {
        &self.host
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Whether the host is this machine by its spelling.
    pub(crate) fn is_this_machine(&self) -> bool {
        match &self.host {
            Host::Domain(name) => name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        }
    }

    /// The `Host` header: the host, and the port where it is not the scheme's own.
    pub(crate) fn authority(&self) -> &str {
        &self.url[Position::BeforeHost..Position::AfterPort]
    }

    /// Path and query.
    pub(crate) fn path(&self) -> &str {
        &self.url[Position::BeforePath..Position::AfterQuery]
    }

    /// The address, as messages show it.
    pub(crate) fn shown(&self) -> String {
        shown_text(self.url.as_str())
    }

    /// Where a redirect with this `Location` leads, if it may be followed.
    ///
    /// It stays on the same site: rules about hosts were asked about the host that the caller named, and another one
    /// has to be asked about anew. It never goes from TLS to plain text.
    pub(crate) fn redirected(&self, location: &str) -> Result<Self, WebError> {
        let refused = |to: &str, why: &str, hint: &'static str| WebError::RedirectRefused {
            from: self.shown(),
            to: shown_address(to),
            why: why.to_owned(),
            hint,
        };
        const OTHER: &str = "use another source";
        if location.len() > LONGEST {
            return Err(refused(location, &format!("it is longer than {LONGEST} bytes"), OTHER));
        }
        let url = self.url.join(location).map_err(|error| refused(location, &error.to_string(), OTHER))?;
        let shown = url.as_str().to_owned();
        let next = Self::new(url).map_err(|why| refused(location, why, OTHER))?;
        if self.is_tls() && !next.is_tls() {
            return Err(refused(&shown, "it leads from https to plain http", OTHER));
        }
        if !self.is_same_site(&next) {
            return Err(refused(
                &shown,
                "it leads to another host or port",
                "if that is where you want to go, call web_fetch with the new address",
            ));
        }
        Ok(next)
    }

    /// The same host but for a leading `www.`, and the same port or the default one on both sides.
    fn is_same_site(&self, other: &Self) -> bool {
        let plain = |host: &Host<String>| match host {
            Host::Domain(name) => name.strip_prefix("www.").unwrap_or(name).to_owned(),
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        let defaults = self.url.port().is_none() && other.url.port().is_none();
        plain(&self.host) == plain(&other.host) && (defaults || self.port == other.port)
    }
}

/// An address as messages show it: what stands before the host may be a password.
fn shown_address(text: &str) -> String {
    let start = text.find(':').map_or(0, |colon| colon + 1);
    let (scheme, rest) = text.split_at(start);
    let rest = rest.trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    match authority.rfind('@') {
        Some(at) => shown_text(&format!("{scheme}//…{}", rest.get(at..).unwrap_or_default())),
        None => shown_text(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_stay_on_the_site_and_never_lose_tls() {
        for (from, location, to) in [
            ("http://a.example/x", "/y", Some("http://a.example/y")),
            ("http://a.example/", "https://a.example/", Some("https://a.example/")),
            ("http://a.example/", "https://www.a.example/z#part", Some("https://www.a.example/z")),
            ("http://www.a.example/", "//a.example", Some("http://a.example/")),
            ("http://a.example:81/", "http://a.example:81/b", Some("http://a.example:81/b")),
            ("https://a.example/", "http://a.example/", None),
            ("http://a.example/", "http://b.example/", None),
            ("http://a.example/", "http://a.example.b.example/", None),
            ("http://a.example/", "http://a.example:81/", None),
            ("http://a.example/", "http://127.0.0.1/", None),
            ("http://a.example/", "file:///etc/passwd", None),
            ("http://a.example/", "http://user:secret@a.example/", None),
            ("http://a.example/", "http://", None),
        ] {
            let from = Target::parse(from).unwrap();
            let found = from.redirected(location).ok().map(|target| target.url.to_string());
            assert_eq!(found.as_deref(), to, "{location}");
        }
    }
}
