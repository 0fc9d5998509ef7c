//! The pages in a real browser, driven by `tests/browser/run.mjs`. Pictures are left in the build folder.
//!
//! Needs Node.js with npm, its registry for the first run, and Chromium. Nothing is skipped: what is missing fails the test.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGE: &str = include_str!("../browser/package.json");
const LOCK: &str = include_str!("../browser/package-lock.json");
const CONFIGURATION: &str = include_str!("../browser/.npmrc");
const RUN: &str = include_str!("../browser/run.mjs");

/// The folder with the packages, installed once for each version of their lock file.
fn installed() -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (PACKAGE, LOCK, CONFIGURATION).hash(&mut hasher);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("browser-{:016x}", hasher.finish()));
    fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let done = folder.join("done");
    if !done.exists() {
        for (name, text) in
            [("package.json", PACKAGE), ("package-lock.json", LOCK), (".npmrc", CONFIGURATION)]
        {
            fs::write(folder.join(name), text).unwrap();
        }
        let installing = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"];
        let output = Command::new("npm").args(installing).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::write(done, "").unwrap();
    }
    folder
}

fn chromium() -> &'static str {
    let places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    places.into_iter().find(|place| Path::new(place).exists()).unwrap()
}

#[test]
fn people_see_and_decide_in_the_browser() {
    let folder = installed();
    fs::write(folder.join("run.mjs"), RUN).unwrap();
    let home = tempfile::tempdir().unwrap();
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    // A port that is free now: the server is started twice at the same one.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let status = Command::new("node")
        .arg("run.mjs")
        .current_dir(&folder)
        .env("TOOLGATE", env!("CARGO_BIN_EXE_toolgate"))
        .env("HOME_FOLDER", home.path())
        .env("OUT", &pictures)
        .env("CHROMIUM", chromium())
        .env("PORT", port.to_string())
        .status()
        .unwrap();
    assert!(status.success(), "the pictures are in {}", pictures.display());
}
