//! `toolgate sessions`: finding the session that somebody looks for.

use serde_json::Value;

use crate::kept::{Keeper, STORES};
use crate::log::long_session;

fn ids(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|session| session["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn sessions_are_listed_latest_first_with_what_they_are_about() {
    let keeper = Keeper::new("sqlite");
    assert_eq!(keeper.run(&["sessions", "--json"]).exits(0).stdout, "[]\n");
    assert!(keeper.run(&["sessions"]).exits(0).stdout.starts_with("no session in "));
    let answer = "[[answer]]\ntext = \"hi\"\nusage = { input = 1200, output = 34 }\n";
    keeper.scripted(answer, &["Say hello,\nplease."]).exits(0);
    let first = keeper.latest("sqlite").to_string();
    keeper.scripted("", &["Fail at once."]).exits(1);
    let second = keeper.latest("sqlite").to_string();
    let third = long_session(&keeper, "jsonl", 5).to_string();

    let list = keeper.run(&["sessions", "--json"]).exits(0).json();
    assert_eq!(ids(&list), [third.clone(), second.clone(), first.clone()]);
    let states: Vec<&Value> = list.as_array().unwrap().iter().map(|session| &session["state"]).collect();
    assert_eq!(states, ["open", "failed", "completed"]);
    assert_eq!(list[2]["task"], "Say hello,\nplease.");
    assert_eq!(list[2]["tokens"], serde_json::json!({ "input": 1200, "output": 34 }));
    assert_eq!(list[2]["workspace"], keeper.project().canonicalize().unwrap().to_str().unwrap());
    assert_eq!(
        (&list[2]["turns"], &list[2]["model"], &list[2]["store"]),
        (&1.into(), &"script".into(), &"sqlite".into())
    );

    let shown = keeper.run(&["sessions"]).exits(0).stdout;
    assert!(
        shown.contains(
            "\n  Say hello,\\nplease.\n  1 turn, 0 calls, 1,200 tokens read, 34 written, script, /"
        ),
        "{shown}"
    );
    assert!(
        shown.starts_with(&format!("{third}  2026-03-04 05:06:07  open\n  message 2 of this session\n")),
        "{shown}"
    );

    for (args, expected) in [
        (&["hello"][..], vec![&first]),
        (&["SCRIPT"], vec![&second, &first]),
        (&["--state", "failed"], vec![&second]),
        (&["hello", "--state", "failed"], vec![]),
        (&["--limit", "1"], vec![&third]),
        (&["--limit", "0"], vec![&third, &second, &first]),
    ] {
        let list = keeper.run(&[&["sessions", "--json"], args].concat()).exits(0).json();
        assert_eq!(ids(&list).iter().collect::<Vec<_>>(), expected, "{args:?}");
    }
    assert!(
        keeper
            .run(&["sessions", "--limit", "1"])
            .exits(0)
            .stdout
            .ends_with("… 2 more; --limit 0 lists all\n")
    );
}

#[test]
fn a_damaged_session_is_listed_as_one() {
    for store in STORES {
        let keeper = Keeper::new(store);
        long_session(&keeper, store, 40);
        let path = keeper.file(store);
        let mut bytes = std::fs::read(&path).unwrap();
        for at in crate::log::places_of(&bytes, b"message 20 ") {
            bytes[at] ^= 1;
        }
        std::fs::write(&path, bytes).unwrap();
        let list = keeper.run(&["sessions", "--state", "damaged", "--json"]).exits(0).json();
        assert_eq!((&list[0]["state"], &list[0]["records"]), (&"damaged".into(), &39.into()), "{store}");
    }
}

#[test]
fn one_that_cannot_be_read_hides_no_other() {
    let keeper = Keeper::new("sqlite");
    let bad = long_session(&keeper, "sqlite", 3).to_string();
    let path = keeper.file("sqlite");
    let good = long_session(&keeper, "jsonl", 3).to_string();
    std::fs::create_dir(path.with_extension("db-wal")).unwrap();
    let run = keeper.run(&["sessions", "--json"]).exits(1);
    assert_eq!(ids(&serde_json::from_str(&run.stdout).unwrap()), [good.as_str()]);
    assert!(run.stderr.starts_with(&format!("unreadable: session {bad}: ")), "{run:#?}");
    let run = keeper.run(&["log", "verify"]).exits(1);
    assert!(run.stdout.contains(&format!("{bad}  unreadable: ")), "{run:#?}");
    assert!(run.stdout.contains(&format!("{good}  whole ")), "{run:#?}");
    let list = keeper.run(&["log", "list", "--json"]).exits(0).json();
    assert_eq!(ids(&list), [bad.as_str(), &good], "what is noted beside it can be read");
}

#[test]
fn colour_is_for_terminals() {
    let keeper = Keeper::new("sqlite");
    keeper.fix_test(&[]).exits(0);
    for args in [&["sessions"][..], &["log", "show", "last"], &["log", "verify"], &["replay", "last"]] {
        assert!(!keeper.run(args).exits(0).stdout.contains('\x1b'), "{args:?}");
        let coloured = crate::run(keeper.command(args).env("CLICOLOR_FORCE", "1")).exits(0);
        assert!(coloured.stdout.contains('\x1b'), "{args:?}");
    }
    for args in
        [&["sessions", "--json"][..], &["log", "show", "last", "--json"], &["replay", "last", "--json"]]
    {
        assert!(
            !crate::run(keeper.command(args).env("CLICOLOR_FORCE", "1")).exits(0).stdout.contains('\x1b')
        );
    }
}
