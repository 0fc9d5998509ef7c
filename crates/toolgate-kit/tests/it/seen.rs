//! Nobody's work is overwritten unseen: what an agent changes must be as the agent last saw it.

use std::fs;

use serde_json::{Value, json};

use crate::bench::Bench;

fn edit(old: &str, new: &str) -> Value {
    json!({ "file_path": "f", "old_string": old, "new_string": new })
}

fn write(content: &str) -> Value {
    json!({ "file_path": "f", "content": content })
}

fn read() -> Value {
    json!({ "file_path": "f", "limit": 1 })
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_is_left_alone_until_it_is_read_again() {
    for (how, change) in [("in place", false), ("by another file", true)] {
        let bench = Bench::changing().and(&[("f", "one\ntwo\n")]);
        bench.value("read", read()).await;
        // Beyond the window that was read, of the same length, and with the old time: only the content tells.
        let time = fs::metadata(bench.path("f")).unwrap().modified().unwrap();
        if change {
            bench.write("g", "one\nTWO\n");
            fs::rename(bench.path("g"), bench.path("f")).unwrap();
        } else {
            bench.write("f", "one\nTWO\n");
        }
        fs::File::options().write(true).open(bench.path("f")).unwrap().set_modified(time).unwrap();
        for (tool, args) in
            [("edit", edit("one", "1")), ("write", write("new")), ("write", write("one\nTWO\n"))]
        {
            let (code, message) = bench.failure(tool, args).await;
            assert_eq!(code, "FILE_CHANGED", "{how}: {message}");
            assert!(message.contains("hint: read the file again"), "{message}");
            assert_eq!(bench.content("f"), "one\nTWO\n", "{how}");
        }
        bench.value("read", read()).await;
        bench.value("edit", edit("one", "1")).await;
        assert_eq!(bench.content("f"), "1\nTWO\n");
    }
}

#[tokio::test]
async fn what_an_agent_wrote_it_has_seen() {
    let bench = Bench::strict();
    bench.value("write", write("one")).await;
    bench.value("edit", edit("one", "two")).await;
    bench.value("edit", edit("two", "three")).await;
    bench.value("write", write("four")).await;
    bench.value("move", json!({ "source": "f", "destination": "d/g" })).await;
    bench.value("edit", json!({ "file_path": "d/g", "old_string": "four", "new_string": "five" })).await;
    bench.value("move", json!({ "source": "d", "destination": "e" })).await;
    bench.value("write", json!({ "file_path": "e/g", "content": "six" })).await;
    assert_eq!(bench.content("e/g"), "six");
}

#[tokio::test]
async fn where_the_rule_is_on_a_file_must_have_been_read() {
    let bench = Bench::strict().and(&[("f", "one"), ("g", "other")]);
    let overwrite = json!({ "source": "g", "destination": "f", "overwrite": true });
    for (tool, args) in [("edit", edit("one", "1")), ("write", write("new")), ("move", overwrite.clone())] {
        let (code, message) = bench.failure(tool, args).await;
        assert_eq!(code, "FILE_NOT_READ", "{message}");
        assert_eq!(bench.content("f"), "one");
    }
    // A read that shows nothing of the file has not seen it.
    bench.write("f", "one\0");
    assert_eq!(bench.failure("read", read()).await.0, "BINARY_FILE");
    assert_eq!(bench.failure("write", write("new")).await.0, "FILE_NOT_READ");
    bench.write("f", "one");
    bench.value("read", read()).await;
    bench.value("edit", edit("one", "1")).await;
    bench.value("move", overwrite).await;
    assert_eq!(bench.content("f"), "other");
}

#[tokio::test]
async fn each_agent_has_seen_its_own() {
    let bench = Bench::strict().and(&[("f", "one")]);
    let (first, second) = (bench.runtime.scope("first"), bench.runtime.scope("second"));
    assert!(!bench.call_as(&first, "read", read()).await.is_error());
    assert_eq!(bench.call_as(&second, "edit", edit("one", "2")).await.code(), Some("FILE_NOT_READ"));
    assert!(!bench.call_as(&second, "read", read()).await.is_error());
    assert!(!bench.call_as(&second, "edit", edit("one", "two")).await.is_error());
    assert_eq!(bench.call_as(&first, "edit", edit("two", "1")).await.code(), Some("FILE_CHANGED"));
    assert_eq!(bench.call_as(&first, "write", write("1")).await.code(), Some("FILE_CHANGED"));
    // An agent that comes later under the same name is another one.
    second.close();
    let again = bench.runtime.scope("second");
    assert_eq!(bench.call_as(&again, "edit", edit("two", "2")).await.code(), Some("FILE_NOT_READ"));
    assert_eq!(bench.content("f"), "two");
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_is_the_same_under_all_its_paths() {
    let bench = Bench::strict().and(&[("dir/f", "one")]);
    bench.link("link", "dir/f");
    bench.link("other", "dir");
    bench.value("read", json!({ "file_path": "link" })).await;
    let args = json!({ "file_path": "other/../dir/f", "old_string": "one", "new_string": "two" });
    bench.value("edit", args).await;
    bench.write("dir/f", "three");
    let args = json!({ "file_path": "other/f", "content": "x" });
    assert_eq!(bench.failure("write", args).await.0, "FILE_CHANGED");
}
