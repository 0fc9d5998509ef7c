//! [`SandboxPlan`]: what was asked for, met with what this machine can enforce.
//!
//! Made once by the owner, for all commands, and by `toolgate doctor`. A plan that does not keep its mode's promise is
//! no plan: it is refused unless best effort was asked for.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    Bubblewrap, Enforcement, NetworkAccess, SandboxBackend, SandboxConfig, SandboxMode, SandboxSupport,
};

/// What will be enforced, by what, and what is left open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SandboxPlan {
    /// What enforces it: `landlock`, `bubblewrap` or `nothing`.
    pub by: &'static str,
    /// Which files may be changed.
    pub mode: SandboxMode,
    /// Whom a command may talk to.
    pub network: NetworkAccess,
    /// What a command may do although the mode reads as if it could not, one sentence each.
    pub gaps: Vec<String>,
    #[serde(skip)]
    means: Means,
    #[serde(skip)]
    writable: Vec<PathBuf>,
}

/// A confinement that this machine cannot enforce.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this machine cannot confine commands to mode {mode} with network {network}: {why}")]
pub struct NotEnforceable {
    mode: SandboxMode,
    network: NetworkAccess,
    why: String,
}

/// The order to the supervisor: what to do to the command before it begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Confinement {
    pub(crate) files: Files,
    pub(crate) network: NetworkAccess,
    pub(crate) means: Means,
}

impl Confinement {
    /// None at all, for what is not started by a model.
    pub(crate) fn none() -> Self {
        Self { files: Files::All, network: NetworkAccess::All, means: Means::Kernel { landlock: false } }
    }
}

/// Which files may be changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Files {
    /// Devices that keep nothing.
    Devices,
    /// Those, and what is beneath these places.
    Beneath(Vec<PathBuf>),
    /// All.
    All,
}

/// What enforces it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Means {
    /// The kernel, of its own.
    Kernel {
        /// Landlock is there.
        landlock: bool,
    },
    /// This program.
    Bubblewrap(PathBuf),
}

/// The first version of Landlock that also covers truncation, without which files outside can be emptied.
const ENOUGH: u32 = 3;
/// The first that keeps commands from signalling other processes, and from abstract Unix sockets.
const SCOPES: u32 = 6;

impl SandboxSupport {
    /// How a configuration would be enforced here.
    ///
    /// # Errors
    /// It cannot be, and enforcement is required.
    pub fn plan(&self, config: &SandboxConfig) -> Result<SandboxPlan, NotEnforceable> {
        let (mode, network) = (config.mode, config.network());
        let refuse = |why: String| NotEnforceable { mode, network, why };
        let plan = |by, means, gaps| SandboxPlan {
            by,
            mode,
            network,
            gaps,
            means,
            writable: config.writable.clone(),
        };
        if mode == SandboxMode::Full && network == NetworkAccess::All {
            return Ok(plan("nothing", Means::Kernel { landlock: false }, Vec::new()));
        }
        let kernel = self.kernel(mode, network);
        let wrapped = || match &self.bubblewrap {
            Bubblewrap::Usable { path, .. } => Ok(Means::Bubblewrap(path.clone())),
            Bubblewrap::Unusable { path, why } => Err(format!("{} does not work: {why}", path.display())),
            Bubblewrap::Absent => Err("bubblewrap (bwrap) is not installed".to_owned()),
        };
        let found = match config.backend {
            SandboxBackend::Landlock => {
                kernel.map(|gaps| ("landlock", Means::Kernel { landlock: true }, gaps))
            }
            SandboxBackend::Bubblewrap => wrapped().map(|means| ("bubblewrap", means, Vec::new())),
            SandboxBackend::Auto => match (kernel, wrapped()) {
                (Ok(gaps), _) => Ok(("landlock", Means::Kernel { landlock: true }, gaps)),
                (Err(_), Ok(means)) => Ok(("bubblewrap", means, Vec::new())),
                (Err(kernel), Err(wrapped)) => Err(format!("{kernel}, and {wrapped}")),
            },
        };
        match (found, config.enforcement) {
            (Ok((by, means, gaps)), _) => Ok(plan(by, means, gaps)),
            (Err(why), Enforcement::Required) => Err(refuse(why)),
            (Err(why), Enforcement::BestEffort) => {
                let landlock = self.landlock.is_some();
                let by = if landlock || self.seccomp { "landlock" } else { "nothing" };
                Ok(plan(by, Means::Kernel { landlock }, vec![why]))
            }
        }
    }

    /// Whether the kernel can do it by itself, and what is then left open.
    fn kernel(&self, mode: SandboxMode, network: NetworkAccess) -> Result<Vec<String>, String> {
        if !self.seccomp {
            return Err("this kernel has no seccomp filters".to_owned());
        }
        if mode == SandboxMode::Full {
            return Ok(Vec::new());
        }
        let abi = self.landlock.ok_or("this kernel has no Landlock, or has it switched off")?;
        if abi < ENOUGH {
            return Err(format!("Landlock of this kernel (ABI {abi}) is older than ABI {ENOUGH}"));
        }
        let mut gaps = Vec::new();
        if mode == SandboxMode::WorkspaceWrite {
            gaps.push(
                "permissions, owner and times of files outside can be changed where the user owns them"
                    .to_owned(),
            );
        }
        if abi < SCOPES {
            gaps.push("signals can be sent to other processes of the user".to_owned());
            if network == NetworkAccess::Unix {
                gaps.push("abstract Unix sockets of other programs can be reached".to_owned());
            }
        }
        Ok(gaps)
    }
}

impl SandboxPlan {
    /// What a model is told of it.
    pub(crate) fn in_words(&self) -> String {
        let files = match self.mode {
            SandboxMode::ReadOnly => "A command can change no file",
            SandboxMode::WorkspaceWrite => {
                "A command can change files of the workspace and of $TMPDIR, and no others"
            }
            SandboxMode::Full => "A command can change whatever files its user may",
        };
        let network = match self.network {
            NetworkAccess::None => "it has no network",
            NetworkAccess::Unix => "its network is the Unix sockets of this machine",
            NetworkAccess::All => "it has network",
        };
        format!("{files}; {network}.")
    }

    /// The confinement of a command that may change the workspace and a folder of temporary files.
    pub(crate) fn confinement(&self, workspace: &Path, scratch: &Path) -> Confinement {
        let files = match self.mode {
            SandboxMode::ReadOnly => Files::Devices,
            SandboxMode::WorkspaceWrite => {
                let own = [workspace.to_owned(), scratch.to_owned()];
                Files::Beneath(own.into_iter().chain(self.writable.iter().cloned()).collect())
            }
            SandboxMode::Full => Files::All,
        };
        Confinement { files, network: self.network, means: self.means.clone() }
    }
}
