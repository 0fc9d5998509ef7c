//! The one table of codes and causes (rule P19).

use std::collections::BTreeSet;

use toolgate::FailureCause;
use toolgate::result::{CATALOG, EntryKind};

#[test]
fn every_cause_is_in_the_table_once() {
    let listed: Vec<&str> =
        CATALOG.iter().filter(|entry| entry.kind == EntryKind::Cause).map(|entry| entry.key).collect();
    let known: Vec<&str> = FailureCause::ALL.iter().map(|cause| cause.as_str()).collect();
    assert_eq!(listed.iter().collect::<BTreeSet<_>>(), known.iter().collect::<BTreeSet<_>>());
    assert_eq!(listed.len(), known.len());
}
