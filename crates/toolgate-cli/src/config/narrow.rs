//! What counts of a file that nobody trusts: that which narrows.

use toml::Value;
use toolgate_policy::PermissionsConfig;
use toolgate_policy::rules::Decision;

use super::file::Given;
use super::keys::Untrusted;

/// Whether a value of such a file is taken, where `holds` is in force without it.
pub(super) fn is_taken(given: &Given, holds: Option<&Value>) -> bool {
    let reach = |value| given.key.reach(value);
    match (given.key.untrusted, holds) {
        (Untrusted::Taken, _) | (Untrusted::Narrower, None) => true,
        (Untrusted::Ignored, _) => false,
        // Without a value in force the strictest word narrows whatever that means.
        (Untrusted::NarrowerThanSet, None) => {
            matches!(given.key.kind, super::Kind::Choice(_)) && reach(&given.value) == Some(0)
        }
        (Untrusted::Narrower | Untrusted::NarrowerThanSet, Some(holds)) => {
            reach(&given.value).zip(reach(holds)).is_some_and(|(given, holds)| given <= holds)
        }
    }
}

/// Takes away the rules that allow. Gives them as they are written, with the place of each in the text.
pub(super) fn take_allowing(permissions: &mut PermissionsConfig) -> Vec<(usize, String)> {
    let allow = std::mem::take(&mut permissions.allow);
    let mut taken: Vec<_> =
        allow.iter().map(|rule| (rule.span().start, format!("allow `{}`", rule.get_ref()))).collect();
    permissions.rules.retain(|rule| {
        let allows = rule.get_ref().decision == Decision::Allow;
        if allows {
            taken.push((rule.span().start, format!("allow `{}`", rule.get_ref().rule)));
        }
        !allows
    });
    taken
}
