//! Names of upstream tools (K40): distinct, short, in one alphabet, and dependent on their own pair alone.

use std::collections::HashMap;

use toolgate_mcp::names::{MOST_BYTES, tool_name};

fn is_sound(name: &str) -> bool {
    name.len() <= MOST_BYTES && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

#[test]
fn plain_pairs_keep_their_plain_names() {
    for (server, tool, name) in [
        ("github", "create_issue", "mcp__github__create_issue"),
        ("s", "_x", "mcp__s___x"),
        ("a-b", "c__d", "mcp__a-b__c__d"),
        ("s", "listbranches", "mcp__s__listbranches"),
        ("_s", "x", "mcp___s__x"),
    ] {
        assert_eq!(tool_name(server, tool), name);
    }
}

#[test]
fn what_is_not_plain_is_readable_and_told_apart_by_a_digest() {
    for (server, tool, begins) in [
        ("s_", "x", "mcp__s___x__"),
        ("a__b", "x", "mcp__a__b__x__"),
        ("s", "a.b", "mcp__s__a-b__"),
        ("s", "", "mcp__s____"),
        ("日本", "工具", "mcp__--__--__"),
        ("s", "x__abcdefghijkl", "mcp__s__x__abcdefghijkl__"),
        ("a-server-with-a-long-name", &"tool".repeat(20), "mcp__a-server-with-a__tooltool"),
    ] {
        let name = tool_name(server, tool);
        assert!(name.starts_with(begins) && is_sound(&name), "{name}");
        assert_eq!(name.len() - name.rfind("__").unwrap(), 14, "{name}");
    }
    assert_ne!(tool_name("s", "a.b"), tool_name("s", "a-b"));
    assert_ne!(tool_name("s", "_x"), tool_name("s_", "x"));
    // The digest is part of what files and prompts refer to: it must not change from version to version.
    assert_eq!(tool_name("s", "a.b"), "mcp__s__a-b__4e6cqe3raeru");
}

/// Every pair of short texts over letters that make trouble, forms that imitate a digest included.
#[test]
fn no_two_pairs_have_one_name() {
    let letters = ["_", "-", "a", ".", "é", "__", "abcdefghijkl"];
    let mut texts = vec![String::new()];
    for length in 0..3 {
        let longer: Vec<String> = texts
            .iter()
            .filter(|text| length == 0 || !text.is_empty())
            .flat_map(|text| letters.iter().map(move |letter| format!("{text}{letter}")))
            .collect();
        texts.extend(longer);
    }
    texts.sort();
    texts.dedup();
    let mut known: HashMap<String, (String, String)> = HashMap::new();
    let mut pairs = 0;
    for server in &texts {
        for tool in &texts {
            let name = tool_name(server, tool);
            assert!(is_sound(&name), "{name}");
            pairs += 1;
            if let Some(other) = known.insert(name.clone(), (server.clone(), tool.clone())) {
                panic!("{other:?} and {:?} are both {name}", (server, tool));
            }
        }
    }
    assert!(pairs > 10_000, "{pairs} pairs");
    // A form that imitates the digested name of another pair is digested itself.
    let digested = tool_name("s", "a.b");
    let imitation = digested.strip_prefix("mcp__s__").unwrap();
    assert_ne!(tool_name("s", imitation), digested);
}
