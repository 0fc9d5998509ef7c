//! Configuration files that are no such thing, are too much, or are made to harm.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use crate::home::Home;

#[test]
fn what_is_no_text_file_is_refused_and_never_waited_for() {
    let home = Home::new();
    let path = home.workspace().join("toolgate.toml");
    let refused = |message: &str| {
        home.run(&["config"]).fails(2, message);
        // Not even a call that changes nothing runs under rules that could not be read.
        home.run(&["call", "glob", r#"{"pattern":"*"}"#]).fails(2, message);
    };
    fs::create_dir(&path).unwrap();
    refused("is a directory");
    fs::remove_dir(&path).unwrap();

    // A pipe into which nobody ever writes.
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    refused("is no regular file");
    fs::remove_file(&path).unwrap();

    for target in ["/etc/passwd", "/dev/zero", "/nowhere/at/all"] {
        symlink(target, &path).unwrap();
        refused("is a symbolic link");
        fs::remove_file(&path).unwrap();
    }

    fs::write(&path, format!("# {}\n", "x".repeat(256 * 1024))).unwrap();
    refused("is longer than 262,144 bytes");
    fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    refused("is longer than 262,144 bytes");
    fs::write(&path, b"[shell]\nshell = \"\xff\"\n").unwrap();
    refused("is not UTF-8: it has another byte after 17 bytes");

    for deep in [
        format!("x = {}1{}\n", "[".repeat(100_000), "]".repeat(100_000)),
        format!("x = {}1{}\n", "{ a = ".repeat(30_000), " }".repeat(30_000)),
        format!("[{}]\n", vec!["a"; 100_000].join(".")),
        format!("{} = 1\n", vec!["a"; 100_000].join(".")),
    ] {
        fs::write(&path, deep).unwrap();
        refused("toolgate.toml:1:");
    }
    // As many keys as fit are no burden.
    fs::write(&path, (0..8_000).map(|n| format!("limits.tools.t{n} = \"1s\"\n")).collect::<String>())
        .unwrap();
    home.run(&["config"]).exits(0);
    fs::remove_file(&path).unwrap();
    home.run(&["config"]).exits(0);
}

#[test]
fn a_file_that_may_not_be_read_is_not_skipped() {
    let home = Home::new();
    home.of_workspace("[permissions]\ndeny = [\"read\"]\n");
    let path = home.workspace().join("toolgate.toml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Root reads everything; then the rule counts. Either way nothing is read.
    let run = home.run(&["call", "read", r#"{"file_path":"toolgate.toml"}"#]);
    assert!(matches!(run.code, Some(1 | 2)) && run.stdout.is_empty(), "{run:#?}");
    if fs::read(&path).is_err() {
        run.fails(2, "could not be read: Permission denied");
    }
}

#[test]
fn the_users_own_file_may_be_a_link() {
    let home = Home::new();
    home.configure("");
    fs::remove_file(home.user_file()).unwrap();
    let elsewhere = home.workspace().join("dotfiles.toml");
    fs::write(&elsewhere, "[limits]\nmaximum = \"9s\"\n").unwrap();
    symlink(&elsewhere, home.user_file()).unwrap();
    assert_eq!(home.value("limits.maximum", &[]).0, "9s");
}

#[test]
fn what_a_file_says_cannot_act_on_the_terminal() {
    let home = Home::new();
    let evil = "\u{1b}]0;title\u{7}\u{202e}";
    for text in [
        format!("[limits.tools]\n\"{}\" = \"1s\"\n", "\\u001b[2J\\u202e"),
        "[permissions]\nallow = [\"write(\\u001b[31m\\u202e)\"]\n".to_owned(),
        "[permissions]\ndeny = [\"\\u001b[31m (\"]\n".to_owned(),
        "[[permissions.rules]]\ndecision = \"deny\"\nrule = \"read\"\nreason = \"\\u001b[31m\\u202e\"\n"
            .to_owned(),
        "\"\\u001b[31m\" = 1\n".to_owned(),
        format!("[shell]\nshell = '{evil}'\n"),
        format!("# {evil}\nx = 1\n"),
    ] {
        home.of_workspace(&text);
        let read = r#"{"file_path":"toolgate.toml"}"#;
        for args in [
            &["config"][..],
            &["policy", "test"],
            &["policy", "explain", "read", read],
            &["call", "glob", r#"{"pattern":"x"}"#],
            &["doctor"],
        ] {
            let run = home.run(args);
            for stream in [&run.stdout, &run.stderr] {
                let found =
                    stream.chars().find(|c| (c.is_control() && !"\n\t".contains(*c)) || *c == '\u{202e}');
                assert_eq!(found, None, "{text}: {run:?}");
            }
        }
    }
}
