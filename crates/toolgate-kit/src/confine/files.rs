//! Files, by Landlock: everything may be read, and what is named may be changed.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd,
    PathFdError, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
};

use super::{Files, NetworkAccess};

/// What ordinary programs write to and which keeps nothing.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// The newest interface that is asked for; the crate leaves out what the kernel does not know.
const NEWEST: ABI = ABI::V9;

/// The rules, ready to be entered. `None` where no file is out of reach.
pub(super) fn ruleset(files: &Files, network: NetworkAccess) -> Result<Option<RulesetCreated>, RulesetError> {
    let places: &[PathBuf] = match files {
        Files::Devices => &[],
        Files::Beneath(places) => places,
        Files::All => return Ok(None),
    };
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(Scope::Signal)?;
    if network != NetworkAccess::All {
        rules = rules.handle_access(AccessNet::from_all(NEWEST))?.scope(Scope::AbstractUnixSocket)?;
    }
    let mut rules = rules.create()?;
    rules = allow(rules, Path::new("/"), AccessFs::from_read(NEWEST))?;
    for device in DEVICES {
        rules = allow(rules, Path::new(device), AccessFs::from_file(NEWEST))?;
    }
    for place in places {
        let access = if place.is_dir() { AccessFs::from_all(NEWEST) } else { AccessFs::from_file(NEWEST) };
        rules = allow(rules, place, access)?;
    }
    Ok(Some(rules))
}

/// A place that is not there cannot be changed either.
fn allow(
    rules: RulesetCreated,
    place: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    match PathFd::new(place) {
        Ok(open) => rules.add_rule(PathBeneath::new(open, access)),
        Err(PathFdError::OpenCall { .. } | _) => Ok(rules),
    }
}
