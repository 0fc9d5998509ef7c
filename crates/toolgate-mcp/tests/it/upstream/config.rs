//! Settings of servers: our own keys, other programs' files, and variables.

use std::time::Duration;

use serde_json::json;
use toolgate_mcp::config::{
    ConfigError, Endpoint, ForeignError, ServerConfig, ServerName, ServerTable, expand, read_mcp_servers,
};

fn variables(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("s3cret".to_owned()),
        "EMPTY" => Some(String::new()),
        "HOME" => Some("/home/me".to_owned()),
        _ => None,
    }
}

fn check(table: serde_json::Value) -> Result<ServerConfig, String> {
    let table: ServerTable = serde_json::from_value(table).map_err(|error| error.to_string())?;
    table.check(ServerName::new("s").unwrap(), &variables).map_err(|error| error.to_string())
}

#[test]
fn variables_are_put_in_their_places() {
    for (text, expanded) in [
        ("plain", "plain"),
        ("${TOKEN}", "s3cret"),
        ("a${env:TOKEN}b${HOME}", "as3cretb/home/me"),
        ("${NONE:-else}", "else"),
        ("${NONE:-}", ""),
        ("${EMPTY:-else}", "else"),
        ("${EMPTY}", ""),
        ("$TOKEN ${ ${} ${1} ${a-b}", "$TOKEN ${ ${} ${1} ${a-b}"),
        ("${NONE:-${TOKEN}", "${TOKEN"),
    ] {
        assert_eq!(expand(text, &variables).as_deref(), Ok(expanded), "{text}");
    }
    assert_eq!(expand("${NONE}", &variables), Err(ConfigError::UnsetVariable("NONE".to_owned())));
}

#[test]
fn our_own_settings_are_checked() {
    let config = check(json!({
        "command": "npx", "args": ["-y", "${HOME}/server"], "env": { "API_KEY": "${TOKEN}" },
        "allow": ["read_*", "write"], "deny": ["read_secret"], "start_timeout": "5s", "call_timeout": "2m",
        "concurrency": 2, "tools": { "write": { "effect": "idempotent", "timeout": "1s" } },
        "pins": { "new_tools": "pin" }
    }))
    .unwrap();
    let Endpoint::Process { args, env, .. } = &config.endpoint else { panic!("a program") };
    assert_eq!((args[1].as_str(), env["API_KEY"].expose()), ("/home/me/server", "s3cret"));
    assert_eq!(config.timeouts.start, Duration::from_secs(5));
    assert_eq!(config.call_timeout("write"), Some(Duration::from_secs(1)));
    assert_eq!(config.call_timeout("read_x"), Some(Duration::from_secs(120)));
    for (tool, is_admitted) in [("read_x", true), ("write", true), ("write2", false), ("read_secret", false)]
    {
        assert_eq!(config.admits(tool), is_admitted, "{tool}");
    }
    assert!(config.enabled && !config.shared && !config.trust_annotations);

    for (table, problem) in [
        (json!({}), "neither `command` nor `url`"),
        (json!({ "command": "x", "url": "http://x" }), "both"),
        (json!({ "command": "x", "headers": { "A": "b" } }), "`headers` does not go with `command`"),
        (json!({ "url": "http://x", "args": ["a"] }), "`args` does not go with `url`"),
        (json!({ "url": "ftp://x" }), "http:// or https://"),
        (json!({ "url": "http://me:pw@x" }), "password"),
        (json!({ "command": "${NONE}" }), "NONE is not set"),
        (json!({ "command": "x", "concurrency": 0 }), "at least 1"),
        (json!({ "command": "x", "start_timeout": "0s" }), "longer than zero"),
        (json!({ "command": "x", "comand": "y" }), "unknown field `comand`"),
        (json!({ "command": "x", "tools": { "t": { "efect": "pure" } } }), "unknown field `efect`"),
    ] {
        let found = check(table.clone()).expect_err(&table.to_string());
        assert!(found.contains(problem), "{table}: {found}");
    }
}

#[test]
fn nothing_secret_is_shown() {
    let configs = [
        json!({ "command": "npx", "args": ["--key", "s3cret"], "env": { "KEY": "${TOKEN}" } }),
        json!({ "url": "https://example.com/mcp?key=s3cret", "headers": { "Authorization": "Bearer s3cret" } }),
    ];
    for table in configs {
        let raw: ServerTable = serde_json::from_value(table.clone()).unwrap();
        let config = check(table).unwrap();
        let shown = format!("{raw:?} {config:?} {}", config.endpoint);
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}

#[test]
fn files_of_other_programs_are_read_as_far_as_they_go() {
    let file = json!({
        "theme": "dark",
        "mcpServers": {
            "files": { "command": "npx", "args": ["-y", "fs", "${HOME}"], "env": { "N": 1, "T": "${TOKEN}" },
                       "alwaysAllow": ["read"], "type": "stdio", "timeout": 60 },
            "web": { "type": "http", "url": "https://example.com/mcp", "headers": { "A": "${TOKEN}" }, "disabled": true },
            "old": { "type": "sse", "url": "https://example.com/sse" },
            "broken": { "args": ["x"] },
            "unset": { "command": "${NONE}" },
            "shape": { "command": ["npx"] },
            "none": 7
        }
    });
    let found = read_mcp_servers(&file.to_string(), &variables).unwrap();
    let names: Vec<&str> = found.servers.iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, ["files", "web"]);
    let Endpoint::Process { args, env, .. } = &found.servers[0].endpoint else { panic!("a program") };
    assert_eq!((args[2].as_str(), env["N"].expose(), env["T"].expose()), ("/home/me", "1", "s3cret"));
    assert!(
        found.servers[0].allow.is_none() && !found.servers[0].trust_annotations && !found.servers[1].enabled
    );
    let problems: Vec<String> =
        found.problems.iter().map(|(name, problem)| format!("{name}: {problem}")).collect();
    for (at, part) in [
        "old: it is of type",
        "broken: it has neither",
        "unset: the variable NONE",
        "shape: `command`",
        "none: `the entry` must be",
    ]
    .iter()
    .enumerate()
    {
        assert!(problems[at].starts_with(part), "{problems:?}");
    }
    assert!(matches!(read_mcp_servers("{}", &variables), Err(ForeignError::NoServers)));
    assert!(matches!(read_mcp_servers("{", &variables), Err(ForeignError::Json(_))));
}
