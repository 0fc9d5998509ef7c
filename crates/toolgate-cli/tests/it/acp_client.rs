//! The official TypeScript SDK as the editor of `toolgate acp`, on a real workspace: a turn with a question, a diff and a
//! terminal, interrupts, a program, and the session again in another process. The script checks what it sees, and every
//! message against the published schema; here are the packages, the workspace and the configuration.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

const FILES: [(&str, &str); 5] = [
    ("package.json", include_str!("../acp-client/package.json")),
    ("package-lock.json", include_str!("../acp-client/package-lock.json")),
    (".npmrc", include_str!("../acp-client/.npmrc")),
    ("editor.mjs", include_str!("../acp-client/editor.mjs")),
    ("script.toml", include_str!("../acp-client/script.toml")),
];

/// The folder with the client and its packages, installed once per version of its files.
fn installed() -> PathBuf {
    let mut hasher = DefaultHasher::new();
    FILES.hash(&mut hasher);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("acp-client-{:016x}", hasher.finish()));
    fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let done = folder.join("done");
    if !done.exists() {
        for (name, text) in FILES {
            fs::write(folder.join(name), text).unwrap();
        }
        let npm = Command::new("npm")
            .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"])
            .current_dir(&folder)
            .output();
        let output = npm.unwrap_or_else(|error| panic!("this test needs Node.js with npm: {error}"));
        assert!(output.status.success(), "npm: {}", String::from_utf8_lossy(&output.stderr));
        fs::write(done, "").unwrap();
    }
    folder
}

#[test]
fn the_official_client_works_with_it() {
    let home = TempDir::new().unwrap();
    let root = home.path().canonicalize().unwrap();
    let workspace = root.join("workspace");
    fs::create_dir(&workspace).unwrap();
    fs::write(workspace.join("hello.txt"), "what is on the disk\n").unwrap();
    fs::write(root.join("outside.txt"), "nobody's business\n").unwrap();
    // Commands that nothing confines run in the editor's terminal.
    let config = root.join("config/toolgate");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("toolgate.toml"), "[shell.sandbox]\nmode = \"full\"\n").unwrap();
    let output = Command::new("node")
        .arg(installed().join("editor.mjs"))
        .arg(env!("CARGO_BIN_EXE_toolgate"))
        .arg(&workspace)
        .env("XDG_CONFIG_HOME", root.join("config"))
        .env("XDG_STATE_HOME", root.join("state"))
        .env("XDG_CACHE_HOME", root.join("cache"))
        .output()
        .unwrap_or_else(|error| panic!("this test needs Node.js: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    assert!(out.starts_with("checked "), "{out}\n{err}");
}
