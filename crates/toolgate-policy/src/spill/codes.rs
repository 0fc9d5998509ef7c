//! The one table of the codes that reading kept content adds. Each has a page in `docs/errors`.

use toolgate::result::{CatalogEntry, EntryKind};

/// The error name of every code in the [`SPILL_CATALOG`].
pub(super) const SPILL_ERROR: &str = "SpillError";

pub(super) const UNKNOWN_HANDLE: &str = "SPILL_UNKNOWN_HANDLE";
pub(super) const EXPIRED: &str = "SPILL_EXPIRED";
pub(super) const REFUSED: &str = "SPILL_REFUSED";
pub(super) const NOT_JSON: &str = "SPILL_NOT_JSON";
pub(super) const POINTER_NOT_FOUND: &str = "SPILL_POINTER_NOT_FOUND";
pub(super) const UNREADABLE: &str = "SPILL_UNREADABLE";

const fn coded(key: &'static str, summary: &'static str) -> CatalogEntry {
    CatalogEntry { key, kind: EntryKind::Code { name: SPILL_ERROR }, summary }
}

/// Every code that the tools for kept content add to those of the library.
pub const SPILL_CATALOG: &[CatalogEntry] = &[
    coded(UNKNOWN_HANDLE, "No content is kept under the handle for this agent."),
    coded(EXPIRED, "The content was kept for its time, or made room for newer content, and is gone."),
    coded(REFUSED, "Policy does not let this agent make the call that the content came from."),
    coded(NOT_JSON, "The content is no JSON, so no pointer leads into it."),
    coded(POINTER_NOT_FOUND, "The JSON pointer leads to nothing."),
    coded(UNREADABLE, "The file with the content cannot be read as it was written."),
];
