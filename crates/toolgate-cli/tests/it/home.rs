//! A user of the binary: a workspace, and a home with a configuration of its own.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::{Run, run, toolgate};

/// A home, and a workspace beside it.
pub(crate) struct Home {
    root: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let home = Self { root: tempfile::tempdir().unwrap() };
        fs::create_dir(home.workspace()).unwrap();
        home
    }

    /// The workspace.
    pub(crate) fn workspace(&self) -> PathBuf {
        self.root.path().join("workspace")
    }

    /// The user's own file.
    pub(crate) fn user_file(&self) -> PathBuf {
        self.root.path().join("config/toolgate/toolgate.toml")
    }

    /// Writes the user's own file.
    pub(crate) fn configure(&self, text: &str) {
        fs::create_dir_all(self.user_file().parent().unwrap()).unwrap();
        fs::write(self.user_file(), text).unwrap();
    }

    /// Writes the file of the workspace.
    pub(crate) fn of_workspace(&self, text: &str) {
        fs::write(self.workspace().join("toolgate.toml"), text).unwrap();
    }

    /// The binary in the workspace.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = toolgate(&self.workspace());
        for (name, folder) in
            [("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state"), ("XDG_CACHE_HOME", "cache")]
        {
            command.env(name, self.root.path().join(folder));
        }
        command.args(args);
        command
    }

    /// Runs the binary in the workspace.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        run(&mut self.command(args))
    }

    /// A value in force, and where it comes from.
    pub(crate) fn value(&self, key: &str, args: &[&str]) -> (serde_json::Value, serde_json::Value) {
        let run = self.run(&[&["config", "--json"], args].concat()).exits(0);
        let all: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let values = all["values"].as_array().unwrap();
        let value = values.iter().find(|value| value["key"] == key);
        let value = value.unwrap_or_else(|| panic!("{key} is not in {all:#}"));
        (value["value"].clone(), value["origin"].clone())
    }
}
