//! The command line of bubblewrap that amounts to a confinement.
//!
//! Used by the supervisor, and in part by the probe. Nothing here starts anything.

use std::ffi::OsString;
use std::path::Path;

use super::{Confinement, Files, NetworkAccess};

/// The namespaces that every wrapped command gets. The network has one of its own where it is closed.
pub(super) const NAMESPACES: &[&str] =
    &["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--die-with-parent", "--cap-drop", "ALL"];

/// The rest of a trial that needs all that a real command could.
pub(super) const TRIAL: &[&str] =
    &["--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", "/bin/sh", "-c", ":"];

/// The arguments up to the program, for a command that begins in `folder` and whose filter of system calls is read
/// from a descriptor.
pub(super) fn arguments(confinement: &Confinement, folder: &Path, filter: Option<i32>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = NAMESPACES.iter().map(OsString::from).collect();
    let mut add = |words: &[&std::ffi::OsStr]| arguments.extend(words.iter().map(|word| (*word).to_owned()));
    let root = match confinement.files {
        Files::Devices | Files::Beneath(_) => "--ro-bind",
        Files::All => "--bind",
    };
    add(&[root.as_ref(), "/".as_ref(), "/".as_ref()]);
    add(&["--dev".as_ref(), "/dev".as_ref(), "--proc".as_ref(), "/proc".as_ref()]);
    if let Files::Beneath(places) = &confinement.files {
        for place in places {
            add(&["--bind-try".as_ref(), place.as_os_str(), place.as_os_str()]);
        }
    }
    if confinement.network != NetworkAccess::All {
        add(&["--unshare-net".as_ref()]);
    }
    if let Some(filter) = filter {
        add(&["--seccomp".as_ref(), filter.to_string().as_ref()]);
    }
    add(&["--chdir".as_ref(), folder.as_os_str(), "--".as_ref()]);
    arguments
}
