//! Tools that change something, through the binary: their cards, and escapes that are refused and create nothing.

#![cfg(unix)]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::thread;

use serde_json::json;

use crate::home::Home;
use crate::{allowed, project, run_in};

#[test]
fn changes_are_shown_as_what_went_and_what_came() {
    let folder = project();
    let edit = r#"{"file_path":"README.md","old_string":"It does things.","new_string":"It works."}"#;
    let run = run_in(&folder, ["call", "edit", edit, "--allow", "edit(*.md)"]).exits(0);
    assert!(run.stdout.starts_with("README.md  +1 −1\n"), "{run:#?}");
    assert!(run.stdout.contains("\n- It does things.\n+ It works.\n"), "{run:#?}");
    assert!(fs::read_to_string(folder.path().join("README.md")).unwrap().contains("It works."));

    let run = allowed(&folder, "write", r#"{"file_path":"new/a.txt","content":"1\n2\n"}"#).exits(0);
    assert_eq!(run.stdout, "new/a.txt  new file, 2 lines\n+ 1\n+ 2\n");
    allowed(&folder, "move", r#"{"source":"new/a.txt","destination":"b.txt"}"#).exits(0);
    allowed(&folder, "delete", r#"{"file_path":"new"}"#).exits(0);
    assert!(folder.path().join("b.txt").exists() && !folder.path().join("new").exists());
}

#[test]
fn a_page_of_this_machine_is_fetched_where_the_user_allows_it() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/page", listener.local_addr().unwrap());
    let arguments = json!({ "url": url }).to_string();
    let rule = format!("web_fetch(http://{})", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let body = "<html><title>T</title><h1>Hello</h1><p>there</p></html>";
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        }
    });
    let home = Home::new();
    let fetch = ["call", "web_fetch", arguments.as_str()];
    // A person's yes is not enough: the address is not public.
    let run = home.run(&[&fetch[..], &["--yes"]].concat()).exits(1);
    assert!(run.stderr.contains("ADDRESS_REFUSED"), "{run:#?}");
    home.configure("[web]\nallow_private = [\"127.0.0.1\"]\n");
    let run = home.run(&[&fetch[..], &["--allow", &rule]].concat()).exits(0);
    assert_eq!(run.stdout, format!("T\n{url} (HTTP 200)\n\n# Hello\n\nthere\n"));
    let record = home.run(&[&fetch[..], &["--allow", &rule, "--json"]].concat()).exits(0).json();
    assert!(record["content"][0]["text"].as_str().unwrap().contains("# Hello\n"), "{record}");
}

#[test]
fn escapes_are_refused_and_create_nothing() {
    let outer = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir_in(outer.path()).unwrap();
    let outside = outer.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("kept.txt"), "kept").unwrap();
    symlink(&outside, home.path().join("link")).unwrap();
    symlink(outside.join("new.txt"), home.path().join("dangling.txt")).unwrap();
    symlink(outside.join("kept.txt"), home.path().join("file.txt")).unwrap();
    let listing = || {
        let mut names: Vec<_> =
            fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        (names, fs::read_to_string(outside.join("kept.txt")).unwrap())
    };
    let before = listing();
    let absolute = outside.join("new.txt").to_str().unwrap().to_owned();
    for path in [
        "../outside/new.txt",
        "a/../../outside/new.txt",
        &absolute,
        "link/new.txt",
        "link/kept.txt",
        "dangling.txt",
        "file.txt",
        "/proc/self/cwd/../outside/new.txt",
        "new\0.txt",
        "",
        ".",
        "..",
    ] {
        for (tool, arguments) in [
            ("write", json!({ "file_path": path, "content": "escaped" })),
            ("edit", json!({ "file_path": path, "old_string": "kept", "new_string": "escaped" })),
            ("move", json!({ "source": path, "destination": "taken.txt" })),
        ] {
            let run = allowed(&home, tool, &arguments.to_string());
            let is_own_link = tool == "move" && matches!(path, "dangling.txt" | "file.txt");
            assert!(run.code == Some(1) || is_own_link, "{tool} {path:?}: {run:#?}");
            assert_eq!(listing(), before, "{tool} {path:?}: {run:#?}");
        }
    }
    assert_eq!(fs::read_dir(outer.path()).unwrap().count(), 2);
}
