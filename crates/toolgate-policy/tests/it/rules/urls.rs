//! Rules about hosts: the rule and the request speak of the same one.

use serde_json::json;
use toolgate_policy::rules::Decision::{self, Allow, Ask, Deny};

use super::bench::Bench;

fn check(rules: &[&str], table: &[(&str, Decision)]) {
    let bench = Bench::new(rules);
    for (url, expected) in table {
        let explanation = bench.explain("web_fetch", json!({ "url": url }));
        assert_eq!(explanation.decision(), *expected, "{url}\n{explanation}");
    }
}

#[test]
fn a_rule_allows_its_host_alone() {
    check(
        &[
            "allow web_fetch(docs.rs)",
            "allow web_fetch(*.example.com)",
            "allow web_fetch(http://[::1]:8080)",
            "allow web_fetch(münchen.de)",
        ],
        &[
            ("https://docs.rs/serde", Allow),
            ("http://docs.rs:80/", Allow),
            ("HTTPS://DOCS.RS", Allow),
            ("https://docs.rs./", Allow),
            ("https://a.b.example.com/", Allow),
            ("http://[0:0::1]:8080/x", Allow),
            ("https://xn--mnchen-3ya.de/", Allow),
            ("https://MÜNCHEN.de/", Allow),
            ("https://docs.rs:8443/", Ask),
            ("https://docs.rs.evil.com/", Ask),
            ("https://evildocs.rs/", Ask),
            ("http://docs.rs@evil.com/", Ask),
            ("http://good@docs.rs/", Ask),
            ("http://evil.com#docs.rs", Ask),
            ("http://evil.com\\@docs.rs/", Ask),
            ("http://docs.rs\\@evil.com/", Ask),
            ("http://do\ncs.rs/", Ask),
            (" https://docs.rs/", Ask),
            ("ftp://docs.rs/", Ask),
            ("file://docs.rs/etc/passwd", Ask),
            ("docs.rs", Ask),
            ("https://example.com/", Ask),
            ("https://xexample.com/", Ask),
            ("https://[::1]:8080/", Ask),
            ("http://[::1]/", Ask),
            ("", Ask),
        ],
    );
    check(
        &["allow web_fetch(https://docs.rs:*)"],
        &[("https://docs.rs:1/", Allow), ("http://docs.rs/", Ask)],
    );
}

#[test]
fn a_rule_denies_its_host_however_it_is_written() {
    check(
        &[
            "allow web_fetch",
            "deny web_fetch(evil.com)",
            "deny web_fetch(127.0.0.1)",
            "deny web_fetch(*.internal)",
        ],
        &[
            ("https://docs.rs/", Allow),
            ("https://evil.com:8443/", Deny),
            ("http://good@EVIL.com./", Deny),
            ("http://docs.rs@evil.com/", Deny),
            ("http://docs.rs\\@good/", Allow),
            ("http://127.1/", Deny),
            ("http://0x7f000001/", Deny),
            ("http://2130706433:99/", Deny),
            ("ftp://evil.com/", Deny),
            ("http://db.internal/", Deny),
            ("no address", Deny),
        ],
    );
}
