//! Files that an editor has open: read from it, written through it, and never looked for outside the workspace.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

use serde_json::json;
use toolgate::{CancellationToken, ToolCall};
use toolgate_kit::{FileToolsConfig, OpenTexts, file_tools};

use crate::bench::Bench;

/// An editor with some files open, which keeps what it is asked.
#[derive(Debug, Default)]
struct Editor {
    texts: Mutex<BTreeMap<PathBuf, String>>,
    asked: Mutex<Vec<PathBuf>>,
    refuses: bool,
    hangs: bool,
}

impl OpenTexts for Editor {
    fn read(&self, path: &Path, is_wanted: &dyn Fn() -> bool) -> Option<String> {
        self.asked.lock().unwrap().push(path.to_owned());
        while self.hangs && is_wanted() {
            sleep(Duration::from_millis(1));
        }
        self.texts.lock().unwrap().get(path).cloned()
    }

    fn write(&self, path: &Path, text: &str, _is_wanted: &dyn Fn() -> bool) -> io::Result<()> {
        self.asked.lock().unwrap().push(path.to_owned());
        if self.refuses {
            return Err(io::Error::other("the editor refused: read-only"));
        }
        self.texts.lock().unwrap().insert(path.to_owned(), text.to_owned());
        Ok(())
    }
}

impl Editor {
    fn text(&self, path: &Path) -> Option<String> {
        self.texts.lock().unwrap().get(path).cloned()
    }
}

/// A workspace in which `f` is open with another text than that of the disk.
fn bench(editor: Editor) -> (Bench, Arc<Editor>, PathBuf) {
    let editor = Arc::new(editor);
    let texts = Arc::clone(&editor);
    let bench = Bench::using(move |workspace| {
        file_tools(workspace.with_open_texts(texts), FileToolsConfig::default())
    });
    let bench = bench.and(&[("f", "saved\n"), ("other", "on the disk\n")]);
    let place = bench.root().canonicalize().unwrap().join("f");
    editor.texts.lock().unwrap().insert(place.clone(), "unsaved\nand more\n".to_owned());
    (bench, editor, place)
}

#[tokio::test]
async fn what_is_open_is_read_and_changed_where_it_is_open() {
    let (bench, editor, place) = bench(Editor::default());
    assert_eq!(bench.text("read", json!({ "file_path": "f" })).await, "     1\tunsaved\n     2\tand more");
    assert_eq!(bench.text("read", json!({ "file_path": "other" })).await, "     1\ton the disk");
    let args = json!({ "file_path": "f", "old_string": "unsaved", "new_string": "changed" });
    let value = bench.value("edit", args).await;
    assert_eq!(value["changes"]["added"], 1);
    assert_eq!(editor.text(&place).unwrap(), "changed\nand more\n");
    // The disk is the editor's to write.
    assert_eq!(bench.content("f"), "saved\n");
    let value = bench.value("write", json!({ "file_path": "f", "content": "whole\n" })).await;
    assert_eq!((&value["outcome"], &value["changes"]["removed"]), (&json!("replaced"), &json!(2)));
    assert_eq!(editor.text(&place).unwrap(), "whole\n");
}

#[tokio::test]
async fn a_new_file_is_written_by_the_editor_in_a_directory_that_is_there() {
    let (bench, editor, place) = bench(Editor::default());
    let value = bench.value("write", json!({ "file_path": "new/deep/g", "content": "x" })).await;
    assert_eq!(value["outcome"], "created");
    assert!(bench.path("new/deep").is_dir());
    assert_eq!(editor.text(&place.with_file_name("new/deep/g")).as_deref(), Some("x"));
}

#[tokio::test]
async fn what_somebody_types_meanwhile_is_not_overwritten() {
    let (bench, editor, place) = bench(Editor::default());
    bench.value("read", json!({ "file_path": "f" })).await;
    editor.texts.lock().unwrap().insert(place.clone(), "typed\n".to_owned());
    let (code, _) = bench.failure("write", json!({ "file_path": "f", "content": "mine" })).await;
    assert_eq!(code, "FILE_CHANGED");
    assert_eq!(editor.text(&place).unwrap(), "typed\n");
}

#[tokio::test]
async fn the_editor_is_asked_for_nothing_outside_the_workspace() {
    let (bench, editor, _) = bench(Editor::default());
    std::fs::write(bench.outside("secret"), "secret").unwrap();
    #[cfg(unix)]
    bench.link("way-out", bench.outside("secret"));
    for path in ["../secret", "way-out", "/etc/passwd", "a\0b", ""] {
        for (tool, args) in [
            ("read", json!({ "file_path": path })),
            ("write", json!({ "file_path": path, "content": "x" })),
            ("edit", json!({ "file_path": path, "old_string": "s", "new_string": "x" })),
        ] {
            let (code, message) = bench.failure(tool, args).await;
            assert!(!code.is_empty(), "{tool} {path:?}: {message}");
        }
    }
    assert!(editor.asked.lock().unwrap().is_empty(), "{:?}", editor.asked.lock().unwrap());
}

#[tokio::test]
async fn a_refusal_of_the_editor_is_a_failure_that_leaves_nothing() {
    let (bench, editor, place) = bench(Editor { refuses: true, ..Editor::default() });
    let before = bench.world();
    for args in [json!({ "file_path": "f", "content": "x" }), json!({ "file_path": "a/b", "content": "x" })] {
        let (_, message) = bench.failure("write", args).await;
        assert!(message.contains("read-only"), "{message}");
    }
    assert_eq!(bench.world(), before);
    assert_eq!(editor.text(&place).unwrap(), "unsaved\nand more\n");
}

#[tokio::test]
async fn a_cancelled_call_does_not_wait_for_the_editor() {
    let (bench, editor, _) = bench(Editor { hangs: true, ..Editor::default() });
    let stop = CancellationToken::new();
    let call = ToolCall::new("read", json!({ "file_path": "f" }), stop.clone());
    let running = tokio::spawn(bench.runtime.execute(call));
    while editor.asked.lock().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    stop.cancel();
    let result = tokio::time::timeout(Duration::from_secs(60), running).await.expect("it ends").unwrap();
    assert_eq!(result.code(), Some("ABORTED"));
}
