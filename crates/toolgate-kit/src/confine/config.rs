//! What was asked for: the part of `toolgate.toml` that confines commands.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How commands are confined. The default writes in the workspace alone, has no network, and refuses to run where
/// that cannot be enforced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SandboxConfig {
    /// Which files a command may change.
    pub mode: SandboxMode,
    /// Whom it may talk to. Without it nobody, and everybody in mode `full`.
    pub network: Option<NetworkAccess>,
    /// Files and folders outside the workspace that it may change too, in mode `workspace-write`.
    pub writable: Vec<PathBuf>,
    /// What enforces it.
    pub backend: SandboxBackend,
    /// What happens where it cannot be enforced.
    pub enforcement: Enforcement,
}

impl SandboxConfig {
    /// The network access in force: the one that was chosen, or that of the mode.
    #[must_use]
    pub fn network(&self) -> NetworkAccess {
        self.network.unwrap_or(match self.mode {
            SandboxMode::ReadOnly | SandboxMode::WorkspaceWrite => NetworkAccess::None,
            SandboxMode::Full => NetworkAccess::All,
        })
    }
}

/// Which files a command may change. It may read whatever its user may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxMode {
    /// None, devices like `/dev/null` excepted.
    ReadOnly,
    /// Those of the workspace, and a private folder for temporary files (`TMPDIR`).
    #[default]
    WorkspaceWrite,
    /// Whatever its user may.
    Full,
}

impl SandboxMode {
    /// Every mode, the strictest first.
    pub const ALL: [Self; 3] = [Self::ReadOnly, Self::WorkspaceWrite, Self::Full];

    /// The mode as it is written in `toolgate.toml`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::Full => "full",
        }
    }
}

impl fmt::Display for SandboxMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whom a command may talk to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkAccess {
    /// Nobody: it gets no sockets but pairs of its own. A Unix socket counts too, because a daemon behind one may do
    /// for a command what the command may not.
    None,
    /// Programs of this machine, through Unix sockets.
    Unix,
    /// Everybody.
    All,
}

impl NetworkAccess {
    /// The access as it is written in `toolgate.toml`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Unix => "unix",
            Self::All => "all",
        }
    }
}

impl fmt::Display for NetworkAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What enforces the confinement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxBackend {
    /// Landlock and seccomp where the kernel has them, else bubblewrap where it works.
    #[default]
    Auto,
    /// Landlock and seccomp.
    Landlock,
    /// The program `bwrap`: namespaces with read-only mounts. Slower to start, and stricter: it also keeps the
    /// attributes of files, and hides the other processes.
    Bubblewrap,
}

/// What happens where a confinement cannot be enforced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Enforcement {
    /// Commands are refused.
    #[default]
    Required,
    /// Commands run with what can be enforced, and the tool's description says what cannot.
    BestEffort,
}
