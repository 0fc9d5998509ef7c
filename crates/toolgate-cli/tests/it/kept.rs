//! A user with sessions: the bundled project and script, and what is kept of a turn.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use toolgate_session::{Backend, Durability, Entries, Entry, JsonlBackend, Record, SessionId, SqliteBackend};

use crate::{Run, run, toolgate};

/// The stores, as the configuration calls them.
pub(crate) const STORES: [&str; 2] = ["sqlite", "jsonl"];

/// The bundled examples.
pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, target).unwrap();
        }
    }
}

/// A home with a copy of the bundled project, and sessions of its own.
pub(crate) struct Keeper {
    root: TempDir,
}

impl Keeper {
    /// One whose new sessions go to this store.
    pub(crate) fn new(store: &str) -> Self {
        let keeper = Self { root: TempDir::new().unwrap() };
        copy(&examples().join("projects/greeting"), &keeper.project());
        keeper.configure(&format!("[sessions]\nstore = \"{store}\"\n"));
        keeper
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    /// Where sessions are kept.
    pub(crate) fn folder(&self) -> PathBuf {
        self.root().join("data/toolgate/sessions")
    }

    /// Writes the user's own file.
    pub(crate) fn configure(&self, text: &str) {
        let path = self.root().join("config/toolgate/toolgate.toml");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The binary in the project.
    pub(crate) fn command<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        let mut command = toolgate(&self.project());
        for (name, folder) in [
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_DATA_HOME", "data"),
        ] {
            command.env(name, self.root().join(folder));
        }
        for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"] {
            command.env_remove(name);
        }
        command.args(args);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        run(&mut self.command(args))
    }

    /// An agent that follows a script of its own.
    pub(crate) fn scripted(&self, script: &str, args: &[&str]) -> Run {
        let path = self.root().join("script.toml");
        fs::write(&path, script).unwrap();
        let all = [&["agent", "--yes", "--script", path.to_str().unwrap()], args].concat();
        self.run(&all)
    }

    /// An agent that follows the bundled script.
    pub(crate) fn fix_test(&self, args: &[&str]) -> Run {
        let script = examples().join("scripts/fix-test.toml");
        let all = [&["agent", "--yes", "--script", script.to_str().unwrap(), "Make the test pass."], args];
        self.run(&all.concat())
    }

    /// The back end of a store.
    pub(crate) fn backend(&self, store: &str) -> Box<dyn Backend> {
        match store {
            "jsonl" => Box::new(JsonlBackend::new(self.folder(), Durability::Process).unwrap()),
            _ => Box::new(SqliteBackend::new(self.folder(), Durability::Process).unwrap()),
        }
    }

    /// The latest session of a store.
    pub(crate) fn latest(&self, store: &str) -> SessionId {
        *self.backend(store).list().unwrap().last().unwrap()
    }

    /// Every record of the latest session.
    pub(crate) fn records(&self, store: &str) -> Vec<Record> {
        let backend = self.backend(store);
        let entries = Entries::new(&*backend, self.latest(store), 1);
        entries
            .map(|entry| match entry.unwrap() {
                Entry::Record(record) => *record,
                Entry::Damaged(damage) => panic!("{damage:?}"),
            })
            .collect()
    }

    /// The file of the latest session.
    pub(crate) fn file(&self, store: &str) -> PathBuf {
        let suffix = if store == "jsonl" { "jsonl" } else { "db" };
        self.folder().join(format!("{}.{suffix}", self.latest(store)))
    }
}
