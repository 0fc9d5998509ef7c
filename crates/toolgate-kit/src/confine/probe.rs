//! [`SandboxSupport`]: what this machine can enforce, found out by asking it.
//!
//! Called once when shell tools are made, and by `toolgate doctor`. It starts no command, `bwrap` excepted.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Serialize;

use super::bubblewrap;
use crate::system;

/// What this machine can enforce on commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SandboxSupport {
    /// The version of Landlock's interface, where the kernel has it and it is on.
    pub landlock: Option<u32>,
    /// Whether the kernel filters system calls.
    pub seccomp: bool,
    /// Whether this user may make user namespaces, as far as the kernel's settings say.
    pub user_namespaces: bool,
    /// The program `bwrap`.
    pub bubblewrap: Bubblewrap,
}

/// Whether commands can be wrapped in bubblewrap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum Bubblewrap {
    /// It is not installed.
    Absent,
    /// It is installed, and cannot make its namespaces.
    Unusable {
        /// Where it is.
        path: PathBuf,
        /// What it said.
        why: String,
    },
    /// It works.
    Usable {
        /// Where it is.
        path: PathBuf,
        /// Its version.
        version: String,
    },
}

impl SandboxSupport {
    /// Asks the machine. Runs `bwrap` twice where it is installed, which takes about 20 ms.
    #[must_use]
    pub fn probe() -> Self {
        Self { bubblewrap: find_bubblewrap(), ..Self::probe_kernel() }
    }

    /// The same without a look at bubblewrap.
    #[must_use]
    pub fn probe_kernel() -> Self {
        Self {
            landlock: system::landlock_abi(),
            seccomp: has_seccomp(),
            user_namespaces: has_user_namespaces(),
            bubblewrap: Bubblewrap::Absent,
        }
    }
}

/// The status of a process names its filters where the kernel can have any.
fn has_seccomp() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().any(|line| line.starts_with("Seccomp_filters:") || line.starts_with("Seccomp:"))
}

fn has_user_namespaces() -> bool {
    let setting = |name: &str| {
        let text = std::fs::read_to_string(format!("/proc/sys/{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let is_root = rustix::process::geteuid().is_root();
    setting("user/max_user_namespaces").is_some_and(|most| most > 0)
        && (is_root
            || (setting("kernel/unprivileged_userns_clone") != Some(0)
                && setting("kernel/apparmor_restrict_unprivileged_userns") != Some(1)))
}

fn find_bubblewrap() -> Bubblewrap {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Only absolute folders: a relative one could be the workspace.
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    let Some(path) = folders.map(|folder| folder.join("bwrap")).find(|file| file.is_file()) else {
        return Bubblewrap::Absent;
    };
    let run = |arguments: &[&str]| {
        Command::new(&path)
            .args(arguments)
            .env_clear()
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())
    };
    let version = run(&["--version"]).map(|output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.split_whitespace().last().unwrap_or("unknown").to_owned()
    });
    let trial: Vec<&str> =
        bubblewrap::NAMESPACES.iter().copied().chain(bubblewrap::TRIAL.iter().copied()).collect();
    match (version, run(&trial)) {
        (Ok(version), Ok(output)) if output.status.success() => Bubblewrap::Usable { path, version },
        (_, Ok(output)) => {
            let why =
                String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or("it failed").to_owned();
            Bubblewrap::Unusable { path, why }
        }
        (_, Err(why)) => Bubblewrap::Unusable { path, why },
    }
}
