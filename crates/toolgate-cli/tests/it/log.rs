//! `toolgate log`: showing, exporting and checking what each store keeps.

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;

use serde_json::Value;
use toolgate::ContentBlock;
use toolgate_session::{Event, Record, SessionId, TurnStart, UserEntry};

use crate::kept::{Keeper, STORES};

/// A session of so many records, written without an agent.
pub(crate) fn long_session(keeper: &Keeper, store: &str, count: u64) -> SessionId {
    let id = SessionId::generate();
    let mut journal = keeper.backend(store).create(id).unwrap();
    let lines: Vec<Vec<u8>> = (1..=count).map(|seq| record(seq).to_line()).collect();
    for batch in lines.chunks(50) {
        journal.append(batch).unwrap();
    }
    id
}

pub(crate) fn record(seq: u64) -> Record {
    let content = vec![ContentBlock::text(format!("message {seq} of this session"))];
    let event = match seq {
        1 => Event::TurnStart(TurnStart {
            turn: 1,
            scope: "agent".to_owned(),
            workspace: None,
            model: Some("m".to_owned()),
            parent: None,
        }),
        _ => Event::UserMessage(UserEntry { source: None, content, meta: None }),
    };
    Record { seq, time: "2026-03-04T05:06:07.890+01:00".to_owned(), event }
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn places(shown: &str) -> BTreeSet<u64> {
    lines(shown).iter().map(|record| record["seq"].as_u64().unwrap()).collect()
}

const COUNT: u64 = 600;

/// Every place of some bytes: a database may hold stale copies of what it has moved.
pub(crate) fn places_of(text: &[u8], part: &[u8]) -> Vec<usize> {
    let windows = text.windows(part.len()).enumerate();
    windows.filter(|(_, window)| *window == part).map(|(at, _)| at).collect()
}

/// What somebody or something does to a file.
fn damages(text: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let places = places_of(text, b"message 300 ");
    let first = places[0];
    let page = |at: usize| at / 4096 * 4096;
    let (mut flipped, mut zeroed) = (text.to_vec(), text.to_vec());
    for at in places {
        flipped[at + 3] ^= 0x04;
        zeroed[page(at)..page(at) + 4096].fill(0);
    }
    // Nothing in what is left says that something is missing.
    let end = text[..first].iter().rposition(|byte| *byte == b'\n').map_or(page(first), |end| end + 1);
    vec![
        ("a flipped byte", flipped),
        ("a zeroed block", zeroed),
        ("a cut tail", text[..first].to_vec()),
        ("a tail cut between records", text[..end].to_vec()),
    ]
}

#[test]
fn damage_is_found_in_each_store_and_what_is_lost_is_said() {
    for store in STORES {
        let keeper = Keeper::new(store);
        let id = long_session(&keeper, store, COUNT);
        let path = keeper.file(store);
        let whole = keeper.run(&["log", "verify"]).exits(0);
        assert_eq!(whole.stdout, format!("{id}  whole    {COUNT} records\n"));
        let bytes = fs::read(&path).unwrap();
        for (what, damaged) in damages(&bytes) {
            fs::write(&path, damaged).unwrap();
            let what = format!("{store}, {what}");
            let told = keeper.run(&["log", "verify", "last"]).exits(1).stdout;
            assert!(told.starts_with(&format!("{id}  damaged  ")), "{what}: {told}");
            assert!(told.contains(" lost"), "{what}: {told}");
            let found = keeper.run(&["log", "verify", "--json"]).exits(1).json();
            assert_eq!((&found[0]["id"], &found[0]["whole"]), (&id.to_string().into(), &false.into()));
            // Everything is either shown or named as lost, and nothing is both.
            let shown = keeper.run(&["log", "show", "last", "--json"]);
            let mut seen = places(&shown.stdout);
            assert_eq!(found[0]["records"], seen.len(), "{what}");
            for damage in found[0]["damage"].as_array().unwrap() {
                let (first, last) = (damage["first"].as_u64().unwrap(), damage["last"].as_u64().unwrap());
                let range = if first == last {
                    format!("record {first} is")
                } else {
                    format!("records {first} to {last} are")
                };
                assert!(told.contains(&format!("  {range} lost")), "{what}: {told}");
                for place in first..=last {
                    assert!(seen.insert(place), "{what}: {place} is lost and shown");
                }
            }
            assert_eq!(seen, (1..=COUNT).collect(), "{what}");
            assert!(
                found[0]["damage"].as_array().unwrap().iter().any(|damage| {
                    (damage["first"].as_u64().unwrap()..=damage["last"].as_u64().unwrap()).contains(&300)
                }),
                "{what}: {found}"
            );
        }
        fs::write(&path, bytes).unwrap();
        keeper.run(&["log", "verify"]).exits(0);
    }
}

#[test]
fn one_damaged_session_among_others_is_enough_to_fail() {
    let keeper = Keeper::new("jsonl");
    let first = long_session(&keeper, "jsonl", 20);
    let path = keeper.file("jsonl");
    let second = long_session(&keeper, "sqlite", 20);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("message 7 of", "message 8 of")).unwrap();
    let run = keeper.run(&["log", "verify"]).exits(1);
    let start = text.lines().take(6).map(|line| line.len() + 1).sum::<usize>();
    let end = start + text.lines().nth(6).unwrap().len();
    let lost = format!("  record 7 is lost, bytes {start} to {end} of the file: the checksum does not fit\n");
    let lost = lost
        .replace(&end.to_string(), &crate::log::grouped(end))
        .replace(&start.to_string(), &grouped(start));
    assert_eq!(
        run.stdout,
        format!("{first}  damaged  19 records can be read\n{lost}{second}  whole    20 records\n")
    );
    keeper.run(&["log", "verify", &second.to_string()]).exits(0);
    // What is left is shown and exported, beside a word about what is not.
    for command in ["show", "export"] {
        let run = keeper.run(&["log", command, &first.to_string()]).exits(1);
        assert_eq!(run.stdout.lines().count(), 19, "{command}");
        assert!(run.stderr.starts_with("damage: record 7 is lost"), "{run:#?}");
    }
    keeper.run(&["log", "show", &first.to_string(), "--from", "8"]).exits(0);
    keeper.run(&["log", "show", &first.to_string(), "--to", "6"]).exits(0);
}

fn grouped(number: usize) -> String {
    let digits = number.to_string();
    match digits.len() {
        0..=3 => digits,
        length => format!("{},{}", &digits[..length - 3], &digits[length - 3..]),
    }
}

#[test]
fn a_record_that_was_never_acknowledged_is_no_loss() {
    let keeper = Keeper::new("jsonl");
    let id = long_session(&keeper, "jsonl", 5);
    let path = keeper.file("jsonl");
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_slice(&record(6).to_line()[..40]);
    fs::write(&path, bytes).unwrap();
    let run = keeper.run(&["log", "verify"]).exits(0);
    assert!(run.stdout.starts_with(&format!("{id}  whole    5 records\n  bytes ")), "{run:#?}");
    assert!(run.stdout.contains("half-written record"), "{run:#?}");
}

#[test]
fn records_are_chosen_by_place_and_type() {
    for store in STORES {
        let keeper = Keeper::new(store);
        keeper.fix_test(&[]).exits(0);
        let all = keeper.records(store);
        let shown = keeper.run(&["log", "show", "last"]).exits(0);
        assert_eq!(shown.stdout.lines().count(), all.len());
        assert!(
            shown.stdout.contains("tool/call                 #2 read {\"file_path\":\"greet.sh\"}\n"),
            "{shown:#?}"
        );
        assert!(shown.stdout.ends_with("turn/end                  turn 1, completed\n"), "{shown:#?}");
        let run = keeper.run(&["log", "show", "last", "--json", "--from", "4", "--to", "9"]).exits(0);
        let expected: Vec<u8> =
            all[3..9].iter().flat_map(|record| [record.to_line(), b"\n".to_vec()].concat()).collect();
        assert_eq!(run.stdout.into_bytes(), expected);
        let args = ["log", "show", "last", "--json", "--type", "tool/call", "--type", "turn/end"];
        let kinds: Vec<Value> =
            lines(&keeper.run(&args).exits(0).stdout).iter().map(|r| r["type"].clone()).collect();
        assert_eq!(kinds, ["tool/call", "tool/call", "tool/call", "tool/call", "turn/end"]);
        keeper.run(&["log", "show", "last", "--type", "tool/dance"]).fails(2, "`tool/dance` is no type");
    }
}

#[test]
fn an_export_is_what_the_other_store_would_have_kept() {
    let keeper = Keeper::new("sqlite");
    keeper.fix_test(&[]).exits(0);
    let id = keeper.latest("sqlite");
    let exported = keeper.run(&["log", "export", "last"]).exits(0).stdout;
    let folder = keeper.root().join("exported");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join(format!("{id}.jsonl")), &exported).unwrap();
    let there = |args: &[&str]| {
        keeper.run(&[args, &["--sessions", folder.to_str().unwrap()]].concat()).exits(0).stdout
    };
    assert_eq!(there(&["log", "export", "last"]), exported);
    assert_eq!(there(&["log", "verify"]), format!("{id}  whole    28 records\n"));
    assert_eq!(there(&["replay", "last"]), keeper.run(&["replay", "last"]).exits(0).stdout);
    there(&["replay", "last", "--offline"]);
    // Beside the original nobody could tell which one is meant.
    fs::copy(folder.join(format!("{id}.jsonl")), keeper.folder().join(format!("{id}.jsonl"))).unwrap();
    keeper.run(&["log", "export", &id.to_string()]).fails(2, "is kept twice, as sqlite and as jsonl");
}

#[test]
fn logs_are_listed_with_their_places() {
    let keeper = Keeper::new("jsonl");
    assert!(keeper.run(&["log", "list"]).exits(0).stdout.starts_with("0 logs in "));
    assert!(!keeper.folder().exists(), "looking makes no folder");
    let ids = [long_session(&keeper, "jsonl", 3), long_session(&keeper, "sqlite", 4)];
    let list = keeper.run(&["log", "list", "--json"]).exits(0).json();
    for (place, (store, records)) in [("jsonl", 3), ("sqlite", 4)].into_iter().enumerate() {
        let log = &list[place];
        assert_eq!(log["id"], ids[place].to_string());
        assert_eq!((&log["store"], &log["records"]), (&store.into(), &records.into()));
        let path = log["path"].as_str().unwrap();
        assert_eq!(fs::metadata(path).unwrap().len(), log["bytes"].as_u64().unwrap());
    }
    let shown = keeper.run(&["log", "list"]).exits(0).stdout;
    assert!(
        shown.contains("jsonl           3 records")
            && shown.ends_with(&format!("2 logs in {}\n", keeper.folder().display())),
        "{shown}"
    );
    keeper.run(&["log", "list", "--sessions", "nowhere"]).fails(2, "`nowhere` holds no sessions");
    keeper.run(&["log", "list", "--sessions", "greet.sh"]).fails(2, "it is no folder");
}

#[test]
fn a_session_is_named_by_as_much_as_tells_it_from_others() {
    let keeper = Keeper::new("jsonl");
    keeper.run(&["log", "show", "last"]).fails(2, "there is no session in");
    let first = long_session(&keeper, "jsonl", 2).to_string();
    let second = long_session(&keeper, "sqlite", 3).to_string();
    let shared = first.bytes().zip(second.bytes()).take_while(|(one, other)| one == other).count();
    let count = |name: &str| keeper.run(&["log", "show", name]).exits(0).stdout.lines().count();
    assert_eq!((count(&first[..=shared]), count(&second[..=shared]), count("last")), (2, 3, 3));
    let run = keeper.run(&["log", "show", &first[..shared]]).fails(2, "is the beginning of several sessions");
    assert!(run.stderr.contains(&first) && run.stderr.contains(&second), "{run:#?}");
    for name in ["", "x", "lastly", "../../etc/passwd", "0197c3a2-7b1c-7c3e-8f00-2a4b6c8d0e1f"] {
        keeper.run(&["log", "show", name]).exits(2);
    }
}

#[test]
fn readers_that_go_away_are_no_failure() {
    for store in STORES {
        let keeper = Keeper::new(store);
        long_session(&keeper, store, 3_000);
        for args in [
            &["log", "show", "last"][..],
            &["log", "show", "last", "--json"],
            &["log", "export", "last"],
            &["log", "follow", "last", "--from", "1"],
            &["log", "verify"],
            &["log", "list"],
            &["sessions"],
            &["replay", "last"],
            &["replay", "last", "--json"],
        ] {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let output = keeper.command(args).stdout(writer).stderr(Stdio::piped()).output().unwrap();
            assert_eq!(
                (output.status.code(), String::from_utf8(output.stderr).unwrap()),
                (Some(0), String::new()),
                "{args:?}"
            );
        }
    }
}
