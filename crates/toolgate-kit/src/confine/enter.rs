//! [`Cell`]: a confinement made ready by the supervisor, and entered by the command's process before it begins.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use super::{Confinement, Means};

/// A confinement that could not be made ready.
#[derive(Debug, thiserror::Error)]
#[error("the confinement cannot be set up: {0}")]
pub(crate) struct CellError(String);

/// A confinement, ready.
pub(crate) struct Cell {
    /// What stands before the shell on the command line.
    wrapper: Vec<OsString>,
    #[cfg(target_os = "linux")]
    rules: Option<landlock::RulesetCreated>,
    #[cfg(target_os = "linux")]
    filter: Option<seccompiler::BpfProgram>,
    /// What the wrapper reads its filter from; open until the command has begun.
    #[cfg(target_os = "linux")]
    _handed: Option<std::os::fd::OwnedFd>,
}

#[cfg(target_os = "linux")]
impl Cell {
    /// Makes everything that entering needs. Called in the supervisor.
    pub(crate) fn prepare(confinement: &Confinement, folder: &Path) -> Result<Self, CellError> {
        use super::{Files, NetworkAccess, bubblewrap, calls, files};

        let fault = |error: &dyn std::fmt::Display| CellError(error.to_string());
        let is_open = confinement.files == Files::All && confinement.network == NetworkAccess::All;
        if is_open {
            return Ok(Self { wrapper: Vec::new(), rules: None, filter: None, _handed: None });
        }
        match &confinement.means {
            Means::Kernel { landlock } => {
                let rules = match landlock {
                    true => files::ruleset(&confinement.files, confinement.network)
                        .map_err(|error| fault(&error))?,
                    false => None,
                };
                let own = rustix::process::getpid();
                let filter = calls::filter(confinement, Some(own)).map_err(|error| fault(&error))?;
                Ok(Self { wrapper: Vec::new(), rules, filter: Some(filter), _handed: None })
            }
            Means::Bubblewrap(program) => {
                let filter = calls::filter(confinement, None).map_err(|error| fault(&error))?;
                let handed = hand_over(&filter).map_err(|error| fault(&error))?;
                let number = std::os::fd::AsRawFd::as_raw_fd(&handed);
                let mut wrapper = vec![program.clone().into_os_string()];
                wrapper.extend(bubblewrap::arguments(confinement, folder, Some(number)));
                Ok(Self { wrapper, rules: None, filter: None, _handed: Some(handed) })
            }
        }
    }

    /// What the command line begins with, and what the process does to itself before it begins.
    pub(crate) fn into_parts(
        self,
    ) -> (Vec<OsString>, impl FnMut() -> io::Result<()> + Send + Sync + 'static) {
        let Self { wrapper, mut rules, filter, _handed } = self;
        let enter = move || {
            // Kept until here, so that the wrapper inherits it.
            let _ = &_handed;
            if filter.is_some() {
                super::powers::give_up();
            }
            if let Some(rules) = rules.take() {
                let status = rules.restrict_self().map_err(io::Error::other)?;
                if status.ruleset == landlock::RulesetStatus::NotEnforced {
                    return Err(io::Error::from(io::ErrorKind::Unsupported));
                }
            }
            if let Some(filter) = &filter {
                rustix::thread::set_no_new_privs(true)?;
                seccompiler::apply_filter(filter).map_err(io::Error::other)?;
            }
            Ok(())
        };
        (wrapper, enter)
    }
}

/// Puts a filter where a program that is started can read it.
#[cfg(target_os = "linux")]
fn hand_over(filter: &[seccompiler::sock_filter]) -> io::Result<std::os::fd::OwnedFd> {
    use std::io::{Seek as _, Write as _};

    let bytes: Vec<u8> = filter
        .iter()
        .flat_map(|one| {
            let [code_low, code_high] = one.code.to_ne_bytes();
            let [first, second, third, fourth] = one.k.to_ne_bytes();
            [code_low, code_high, one.jt, one.jf, first, second, third, fourth]
        })
        .collect();
    let flags = rustix::fs::MemfdFlags::empty();
    let mut file = std::fs::File::from(rustix::fs::memfd_create("filter", flags)?);
    file.write_all(&bytes)?;
    file.rewind()?;
    Ok(file.into())
}

#[cfg(not(target_os = "linux"))]
impl Cell {
    /// There is nothing to confine with; plans say so.
    pub(crate) fn prepare(_confinement: &Confinement, _folder: &Path) -> Result<Self, CellError> {
        Ok(Self { wrapper: Vec::new() })
    }

    /// What the command line begins with, and what the process does to itself before it begins.
    pub(crate) fn into_parts(
        self,
    ) -> (Vec<OsString>, impl FnMut() -> io::Result<()> + Send + Sync + 'static) {
        (self.wrapper, || Ok(()))
    }
}
