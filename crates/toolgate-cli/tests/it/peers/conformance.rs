//! The official conformance suite against both ends, in both eras of the protocol. Every scenario passes, but for those that
//! `docs/mcp.md` lists with their reasons; and what is listed there does not pass.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::install::{module, node};
use super::{Running, ends};
use crate::home::Home;

const DOCUMENT: &str = include_str!("../../../../../docs/mcp.md");
const PEER: &str = env!("CARGO_BIN_EXE_toolgate-suite-peer");

/// The releases of the suite: the one of the versions with a handshake, and the one of 2026-07-28.
const OLDER: &str = "@modelcontextprotocol/conformance";
const NEWER: &str = "conformance-2026-07-28";

/// What is run of each.
const ALL: [&str; 2] = ["--suite", "all"];
const REQUIRED: [&str; 2] = ["--requirements", "2026-07-28"];

/// What can be asked of any server that has tools.
const OF_ANY_SERVER: [&str; 5] =
    ["server-initialize", "ping", "logging-set-level", "tools-list", "dns-rebinding-protection"];

/// A check that never came to be made.
const NOTHING: &str = "nothing was checked";

/// The checks that failed, per scenario; none where it passed.
type Outcomes = BTreeMap<String, BTreeSet<String>>;

#[test]
fn the_gateway_passes_as_a_server() {
    let (_server, [url]) = Running::announced(Command::new(PEER).arg("server"), ["serving"]);
    let run = |release, which: [&str; 2]| {
        outcomes("gateway", release, "server", &[&["--url", &url], &which[..]].concat())
    };
    let mut all = run(OLDER, ALL);
    merge(&mut all, run(NEWER, REQUIRED));
    assert!(all.len() > 50, "too little was run: {all:#?}");
    assert_as_documented("As a server", &all);
}

#[test]
fn toolgate_passes_as_a_client() {
    let command = format!("{PEER} client");
    let run = |release, which: [&str; 2]| {
        outcomes("client", release, "client", &[&["--command", &command], &which[..]].concat())
    };
    let mut all = run(OLDER, ALL);
    merge(&mut all, run(NEWER, REQUIRED));
    assert!(all.len() > 40, "too little was run: {all:#?}");
    assert_as_documented("As a client", &all);
}

#[test]
fn the_command_passes_what_needs_no_tool_of_the_suite() {
    let home = Home::new();
    let mut command = home.command(&["mcp", "--http", "127.0.0.1:0", "--no-token"]);
    let (_server, [url]) = Running::announced(&mut command, ["serving"]);
    for scenario in OF_ANY_SERVER {
        let found = outcomes("command", OLDER, "server", &["--url", &url, "--scenario", scenario]);
        assert_eq!(found, Outcomes::from([(scenario.to_owned(), BTreeSet::new())]));
    }
}

/// Runs the suite, and reads what it found.
fn outcomes(test: &str, release: &str, side: &str, arguments: &[&str]) -> Outcomes {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{release}").replace('/', "-"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let mut suite = Command::new(node());
    suite.arg(module(&format!("{release}/dist/index.js"))).arg(side).args(arguments);
    let run = ends(suite.arg("--output-dir").arg(&folder).current_dir(&folder));
    let mut outcomes = Outcomes::new();
    for file in files_of_checks(&folder) {
        let text = fs::read_to_string(&file).expect("the checks");
        let checks: Vec<Value> = serde_json::from_str(&text).expect("JSON");
        let having = |status: &str| {
            let checks = checks.iter().filter(|check| check["status"] == status);
            checks.map(|check| check["id"].as_str().expect("an id").to_owned()).collect::<BTreeSet<_>>()
        };
        let mut failed = having("FAILURE");
        if failed.is_empty() && having("SUCCESS").is_empty() {
            failed.insert(NOTHING.to_owned());
        }
        outcomes.insert(scenario(&folder, &file, side), failed);
    }
    assert!(!outcomes.is_empty(), "nothing was run: {run:#?}");
    outcomes
}

fn merge(all: &mut Outcomes, more: Outcomes) {
    for (scenario, failed) in more {
        all.entry(scenario).or_default().extend(failed);
    }
}

/// The files `checks.json`, one per scenario.
fn files_of_checks(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let here = files.into_iter().filter(|path| path.ends_with("checks.json"));
    here.chain(folders.iter().flat_map(|folder| files_of_checks(folder))).collect()
}

/// The scenario of such a file, which lies in a folder `SCENARIO-TIME`.
fn scenario(folder: &Path, file: &Path, side: &str) -> String {
    const TIME: usize = "-2026-07-28T00-00-00-000Z".len();
    let path = file.strip_prefix(folder).ok().and_then(Path::parent).and_then(Path::to_str).expect("a path");
    let name = &path[..path.len() - TIME];
    if side == "server" {
        name.strip_prefix("server-").expect("a server's").to_owned()
    } else {
        name.to_owned()
    }
}

/// Compares with the table below a title: scenarios, the checks that fail, and why. Without checks all of it fails.
fn assert_as_documented(title: &str, outcomes: &Outcomes) {
    let section = DOCUMENT.split(&format!("#### {title}\n")).nth(1).expect("the section");
    let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let mut listed = BTreeMap::new();
    for row in rows.take_while(|line| line.starts_with('|')) {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert!(cells.len() == 3 && !cells[2].is_empty(), "a row without a reason: {row}");
        for scenario in quoted(cells[0]) {
            let is_new = listed.insert(scenario.clone(), quoted(cells[1])).is_none();
            assert!(is_new, "{scenario} is listed twice");
        }
    }
    let mut wrong = Vec::new();
    for (scenario, failed) in outcomes {
        match listed.remove(scenario) {
            None if failed.is_empty() => {}
            None => wrong.push(format!("{scenario} does not pass, and is not listed: {failed:?}")),
            Some(_) if failed.is_empty() => wrong.push(format!("{scenario} is listed, and passes")),
            Some(checks) if !checks.is_empty() && checks != *failed => {
                wrong.push(format!("{scenario} fails in other checks than listed: {failed:?}"));
            }
            Some(_) => {}
        }
    }
    wrong.extend(listed.keys().map(|scenario| format!("{scenario} is listed, and not in the suite")));
    assert!(wrong.is_empty(), "{title}:\n{}", wrong.join("\n"));
}

/// What stands between backquotes.
fn quoted(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}
