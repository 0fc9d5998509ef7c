//! Takes from a command of the superuser what goes beyond files: a confined command has no use for it, and with some of
//! it Landlock is not asked, as when the memory of another process is read.

use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};

/// What a superuser needs for the files of the workspace, whoever owns them, and to run programs as others.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID);

/// Limits what the next program gets. Who is no superuser has nothing to give up, and is refused.
pub(super) fn give_up() {
    for capability in CapabilitySet::all().difference(KEPT).iter() {
        let _ = remove_capability_from_bounding_set(capability);
    }
}
