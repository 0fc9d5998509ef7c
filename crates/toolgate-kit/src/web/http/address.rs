//! Which addresses may be contacted.
//!
//! [`AddressPolicy::permit`] is the only maker of a [`Permitted`] address, and only those are connected to. It decides
//! by the address itself, after the name was resolved. A name with one refused address is refused as a whole: a mixed
//! answer is what an attack by DNS looks like.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use serde::Deserialize;

use crate::web::error::WebError;
use crate::workspace::shown_text;

/// How many addresses of one name are looked at.
const MOST_ADDRESSES: usize = 64;

/// A host or a network that may be reached although it is not public.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct AllowedHost(Allowed);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Allowed {
    /// In the spelling of parsed addresses: lower case, and in ASCII.
    Name(String),
    Network(IpNet),
}

/// A text is neither a host name, nor an address, nor a network.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "`{0}` is no host name, address or network, such as `intranet.example`, `127.0.0.1` or `10.1.0.0/16`"
)]
pub struct InvalidAllowedHost(String);

impl FromStr for AllowedHost {
    type Err = InvalidAllowedHost;

    fn from_str(text: &str) -> Result<Self, InvalidAllowedHost> {
        if let Ok(network) = text.parse::<IpNet>() {
            return Ok(Self(Allowed::Network(network)));
        }
        let address = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
        if let Ok(address) = address.parse::<IpAddr>() {
            return Ok(Self(Allowed::Network(address.to_canonical().into())));
        }
        match url::Host::parse(text) {
            Ok(url::Host::Domain(name)) => Ok(Self(Allowed::Name(name))),
            Ok(url::Host::Ipv4(_) | url::Host::Ipv6(_)) | Err(_) => Err(InvalidAllowedHost(shown_text(text))),
        }
    }
}

impl TryFrom<String> for AllowedHost {
    type Error = InvalidAllowedHost;

    fn try_from(text: String) -> Result<Self, InvalidAllowedHost> {
        text.parse()
    }
}

/// An address that the policy let through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permitted(SocketAddr);

impl Permitted {
    pub(crate) fn address(self) -> SocketAddr {
        self.0
    }
}

/// Decides which addresses are contacted: public ones, and those of the configuration.
#[derive(Clone, Debug)]
pub(crate) struct AddressPolicy {
    allowed: Vec<AllowedHost>,
}

impl AddressPolicy {
    pub(crate) fn new(allowed: Vec<AllowedHost>) -> Self {
        Self { allowed }
    }

    /// Permits every address: for hosts that the operator chose.
    pub(crate) fn anywhere() -> Self {
        let nets = [IpNet::V4(v4(0, 0, 0, 0, 0)), IpNet::V6(v6(0, 0, 0, 0))];
        Self::new(nets.into_iter().map(|net| AllowedHost(Allowed::Network(net))).collect())
    }

    /// The addresses of `host` that may be connected to: all of them, or the error about the first that may not.
    pub(crate) fn permit(
        &self,
        host: &str,
        port: u16,
        addresses: &[IpAddr],
    ) -> Result<Vec<Permitted>, WebError> {
        let by_name = self.allowed.iter().any(|AllowedHost(allowed)| match allowed {
            Allowed::Name(name) => name == host,
            Allowed::Network(_) => false,
        });
        let looked_at = addresses.iter().take(MOST_ADDRESSES);
        looked_at
            .map(|address| {
                let address = address.to_canonical();
                match special(address) {
                    Some(what) if !by_name && !self.in_a_network(address) => {
                        Err(WebError::AddressRefused { host: shown_text(host), address, what })
                    }
                    Some(_) | None => Ok(Permitted(SocketAddr::new(address, port))),
                }
            })
            .collect()
    }

    fn in_a_network(&self, address: IpAddr) -> bool {
        self.allowed.iter().any(|AllowedHost(allowed)| match allowed {
            Allowed::Network(network) => network.contains(&address),
            Allowed::Name(_) => false,
        })
    }
}

const fn v4(a: u8, b: u8, c: u8, d: u8, length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6(a: u16, b: u16, c: u16, length: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), length)
}

const METADATA: &str = "the address of a cloud's metadata service";

/// The IPv4 addresses that are not public hosts, after the registries of special-purpose addresses. The first row
/// that fits says why.
const SPECIAL_V4: &[(Ipv4Net, &str)] = &[
    (v4(169, 254, 169, 254, 32), METADATA),
    (v4(168, 63, 129, 16, 32), METADATA),
    (v4(100, 100, 100, 200, 32), METADATA),
    (v4(192, 0, 0, 192, 32), METADATA),
    (v4(0, 0, 0, 0, 8), "an address of this network, not of a host"),
    (v4(10, 0, 0, 0, 8), "a private address"),
    (v4(100, 64, 0, 0, 10), "a carrier's shared address"),
    (v4(127, 0, 0, 0, 8), "a loopback address"),
    (v4(169, 254, 0, 0, 16), "a link-local address"),
    (v4(172, 16, 0, 0, 12), "a private address"),
    (v4(192, 0, 0, 0, 24), "an address reserved for protocols"),
    (v4(192, 0, 2, 0, 24), "an address reserved for documentation"),
    (v4(192, 88, 99, 0, 24), "a relay between IPv6 and IPv4"),
    (v4(192, 168, 0, 0, 16), "a private address"),
    (v4(198, 18, 0, 0, 15), "an address reserved for benchmarks"),
    (v4(198, 51, 100, 0, 24), "an address reserved for documentation"),
    (v4(203, 0, 113, 0, 24), "an address reserved for documentation"),
    (v4(224, 0, 0, 0, 4), "a multicast address"),
    (v4(255, 255, 255, 255, 32), "the broadcast address"),
    (v4(240, 0, 0, 0, 4), "a reserved address"),
];

/// The part of IPv6 from which public addresses are given out.
const PUBLIC_V6: Ipv6Net = v6(0x2000, 0, 0, 3);

/// The same for IPv6. The last rows are inside [`PUBLIC_V6`]; what is outside it and has no row is refused as well.
const SPECIAL_V6: &[(Ipv6Net, &str)] = &[
    (Ipv6Net::new_assert(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), 128), METADATA),
    (Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128), "a loopback address"),
    (Ipv6Net::new_assert(Ipv6Addr::UNSPECIFIED, 128), "the unspecified address"),
    (v6(0xfc00, 0, 0, 7), "a private address"),
    (v6(0xfe80, 0, 0, 10), "a link-local address"),
    (v6(0xfec0, 0, 0, 10), "a site-local address"),
    (v6(0xff00, 0, 0, 8), "a multicast address"),
    (v6(0x64, 0xff9b, 1, 48), "a local translation to IPv4"),
    (v6(0x2001, 0xdb8, 0, 32), "an address reserved for documentation"),
    (v6(0x2001, 0, 0, 23), "an address reserved for protocols"),
    (v6(0x2002, 0, 0, 16), "a relay between IPv6 and IPv4"),
    (v6(0x3fff, 0, 0, 20), "an address reserved for documentation"),
];

/// The well-known prefix of translators from IPv6 to IPv4: such an address is as public as the IPv4 one inside.
const TRANSLATED: Ipv6Net = v6(0x64, 0xff9b, 0, 96);

/// What is special about an address; `None` for one of a public host.
fn special(address: IpAddr) -> Option<&'static str> {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            SPECIAL_V4.iter().find(|(net, _)| net.contains(&address)).map(|(_, what)| *what)
        }
        IpAddr::V6(address) if TRANSLATED.contains(&address) => {
            let [.., a, b, c, d] = address.octets();
            special(IpAddr::V4(Ipv4Addr::new(a, b, c, d)))
        }
        IpAddr::V6(address) => {
            let row = SPECIAL_V6.iter().find(|(net, _)| net.contains(&address));
            let outside = (!PUBLIC_V6.contains(&address)).then_some("not a public address");
            row.map(|(_, what)| *what).or(outside)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(address: &str) -> Option<&'static str> {
        special(address.parse().unwrap())
    }

    #[test]
    fn public_addresses_are_not_special() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700:4700::1111",
            "2a00:1450::1",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
        ] {
            assert_eq!(refused(address), None, "{address}");
        }
    }

    #[test]
    fn special_addresses_are_refused_with_their_kind() {
        for (address, what) in [
            ("0.0.0.0", "this network"),
            ("0.1.2.3", "this network"),
            ("10.0.0.1", "private"),
            ("100.64.0.1", "carrier"),
            ("100.127.255.255", "carrier"),
            ("127.0.0.1", "loopback"),
            ("127.255.255.254", "loopback"),
            ("169.254.169.254", "metadata"),
            ("169.254.1.1", "link-local"),
            ("168.63.129.16", "metadata"),
            ("172.16.0.1", "private"),
            ("172.31.255.255", "private"),
            ("192.0.0.192", "metadata"),
            ("192.168.0.1", "private"),
            ("198.19.0.1", "benchmarks"),
            ("224.0.0.1", "multicast"),
            ("255.255.255.255", "broadcast"),
            ("240.0.0.1", "reserved"),
            ("::", "unspecified"),
            ("::1", "loopback"),
            ("::7f00:1", "not a public"),
            ("fe80::1", "link-local"),
            ("fc00::1", "private"),
            ("fd00:ec2::254", "metadata"),
            ("ff02::1", "multicast"),
            ("::ffff:127.0.0.1", "loopback"),
            ("::ffff:10.0.0.1", "private"),
            ("64:ff9b::7f00:1", "loopback"),
            ("64:ff9b::a9fe:a9fe", "metadata"),
            ("64:ff9b:1::1", "translation"),
            ("2002:7f00:1::", "relay"),
            ("2001::1", "protocols"),
            ("2001:db8::1", "documentation"),
            ("3fff::1", "documentation"),
            ("4000::1", "not a public"),
            ("100::1", "not a public"),
        ] {
            let found = refused(address).unwrap_or_else(|| panic!("{address} is refused"));
            assert!(found.contains(what), "{address}: {found}");
        }
    }

    #[test]
    fn one_refused_address_refuses_the_name() {
        let policy = AddressPolicy::new(Vec::new());
        let addresses = ["8.8.8.8".parse().unwrap(), "10.0.0.1".parse().unwrap()];
        assert_eq!(policy.permit("mixed.example", 80, &addresses[..1]).unwrap().len(), 1);
        assert!(policy.permit("mixed.example", 80, &addresses).is_err());
    }

    #[test]
    fn what_the_configuration_names_is_permitted_and_nothing_beside_it() {
        let addresses = ["10.1.2.3".parse().unwrap()];
        for (allowed, host, permitted) in [
            ("10.1.0.0/16", "a.example", true),
            ("10.2.0.0/16", "a.example", false),
            ("10.1.2.3", "a.example", true),
            ("A.Example", "a.example", true),
            ("a.example", "b.a.example", false),
            ("::/0", "a.example", false),
            ("0.0.0.0/0", "a.example", true),
            ("[::ffff:10.1.2.3]", "a.example", true),
        ] {
            let policy = AddressPolicy::new(vec![allowed.parse().unwrap()]);
            assert_eq!(policy.permit(host, 80, &addresses).is_ok(), permitted, "{allowed}");
        }
        for text in ["", "a b", "http://a/", "10.0.0.0/33", "0x7f.1", "a:80"] {
            assert!(text.parse::<AllowedHost>().is_err(), "{text}");
        }
    }
}
