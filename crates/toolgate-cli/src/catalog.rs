//! The documentation pages of error codes and causes, carried inside the binary.
//!
//! Each key of `toolgate::result::CATALOG`, `toolgate_kit::CATALOG` and `toolgate_policy::SPILL_CATALOG` has its page in
//! `docs/errors`; causes are in a folder of their own there, because some differ from a code in nothing but case, and not
//! every file system minds case. Tests tie this table to the catalogs and to the folder.

/// Some pages that belong together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// What they have in common.
    pub(crate) title: &'static str,
    /// The pages.
    pub(crate) pages: &'static [ErrorPage],
}

/// The page of one code or cause.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ErrorPage {
    /// The code or cause, as it is written in results.
    pub(crate) key: &'static str,
    /// The page, in Markdown: a heading, one sentence, and the rest.
    pub(crate) text: &'static str,
}

impl ErrorPage {
    /// The sentence below the heading.
    pub(crate) fn summary(&self) -> &'static str {
        self.text.lines().skip(1).find(|line| !line.is_empty()).unwrap_or_default()
    }
}

macro_rules! pages {
    ($folder:literal: $($key:literal)*) => {
        &[$(ErrorPage {
            key: $key,
            text: include_str!(concat!("../../../docs/errors/", $folder, $key, ".md")),
        }),*]
    };
}

/// Every page.
pub(crate) const GROUPS: &[Group] = &[
    Group {
        title: "Codes of every tool",
        pages: pages!("":
            "UNKNOWN_TOOL" "INVALID_ARGS" "INVALID_TOOL_OUTPUT" "ABORTED" "ABORTED_BEFORE_DISPATCH" "TOOL_TIMEOUT" "ANSWER_LOST"
            "CODE_RUN_FAILED" "UNSUPPORTED_SCHEMA"),
    },
    Group {
        title: "Codes of the file tools",
        pages: pages!("":
            "WORKSPACE_UNAVAILABLE" "INVALID_PATH" "OUTSIDE_WORKSPACE" "FILE_NOT_FOUND" "DANGLING_SYMLINK"
            "SYMLINK_LOOP" "NOT_A_DIRECTORY" "IS_A_DIRECTORY" "NOT_A_REGULAR_FILE" "PERMISSION_DENIED" "BINARY_FILE"
            "NOT_UTF8" "FILE_UNREADABLE"),
    },
    Group { title: "Codes of the ask_user tool", pages: pages!("": "NOBODY_TO_ASK" "QUESTION_DECLINED") },
    Group {
        title: "Codes of the tools that change files",
        pages: pages!("":
            "FILE_CHANGED" "FILE_NOT_READ" "TEXT_NOT_FOUND" "TEXT_NOT_UNIQUE" "FILE_TOO_LARGE" "ALREADY_EXISTS"
            "DIRECTORY_NOT_EMPTY" "TREE_TOO_LARGE" "PARTLY_DELETED" "MOVE_INTO_ITSELF" "OTHER_FILE_SYSTEM"
            "WORKSPACE_ROOT" "DIRECTORY_BUSY" "FILE_UNWRITABLE"),
    },
    Group {
        title: "Codes of the shell",
        pages: pages!("":
            "CONFINEMENT_UNAVAILABLE" "SHELL_UNAVAILABLE" "SUPERVISOR_KILLED" "PROCESS_LIMIT" "JOB_LIMIT" "UNKNOWN_JOB"),
    },
    Group {
        title: "Codes of the web tools",
        pages: pages!("":
            "ADDRESS_REFUSED" "FETCH_FAILED" "FETCH_TIMEOUT" "REDIRECT_REFUSED" "UNSUPPORTED_CONTENT"
            "SEARCH_UNAVAILABLE" "SEARCH_FAILED"),
    },
    Group {
        title: "Codes of kept content",
        pages: pages!("":
            "SPILL_UNKNOWN_HANDLE" "SPILL_EXPIRED" "SPILL_REFUSED" "SPILL_NOT_JSON" "SPILL_POINTER_NOT_FOUND"
            "SPILL_UNREADABLE"),
    },
    Group {
        title: "Causes, for operators",
        pages: pages!("causes/":
            "arguments_not_lossless" "unknown_tool" "denied" "approval_unavailable" "approval_rejected"
            "approval_cancelled" "guard_denied" "hook_failed" "stage_timeout" "panicked" "aborted_before_dispatch"
            "invalid_arguments" "body_failed" "timed_out" "invalid_output" "process_lost" "wrapper_failed" "aborted" "blocked"
            "invalid_decision" "finalizer_failed"),
    },
];

/// The page of a key. A key in the wrong case is found where no other is meant.
pub(crate) fn find(key: &str) -> Option<&'static ErrorPage> {
    let pages = || GROUPS.iter().flat_map(|group| group.pages);
    pages().find(|page| page.key == key).or_else(|| pages().find(|page| page.key.eq_ignore_ascii_case(key)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use toolgate::result::{CatalogEntry, EntryKind};

    use super::*;

    fn catalog() -> impl Iterator<Item = &'static CatalogEntry> {
        toolgate::result::CATALOG.iter().chain(toolgate_kit::CATALOG).chain(toolgate_policy::SPILL_CATALOG)
    }

    #[test]
    fn every_key_has_a_page_and_every_page_a_key() {
        let keys: Vec<_> = catalog().map(|entry| entry.key).collect();
        let pages: Vec<_> = GROUPS.iter().flat_map(|group| group.pages).map(|page| page.key).collect();
        assert_eq!(keys.iter().collect::<BTreeSet<_>>(), pages.iter().collect::<BTreeSet<_>>());
        assert_eq!(keys.len(), pages.len(), "a key stands twice");
    }

    #[test]
    fn every_file_in_the_folder_is_a_page() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
        let files = |folder: &Path| -> BTreeSet<String> {
            std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap())
                .filter(|entry| entry.file_type().unwrap().is_file())
                .map(|entry| entry.file_name().into_string().unwrap())
                .collect()
        };
        let named = |is_cause: bool| -> BTreeSet<String> {
            catalog()
                .filter(|entry| (entry.kind == EntryKind::Cause) == is_cause)
                .map(|entry| format!("{}.md", entry.key))
                .collect()
        };
        assert_eq!(files(&folder), named(false));
        assert_eq!(files(&folder.join("causes")), named(true));
    }

    #[test]
    fn pages_begin_with_their_key_and_the_summary_of_the_catalog() {
        for entry in catalog() {
            let page = find(entry.key).unwrap();
            assert_eq!(page.text.lines().next().unwrap(), format!("# {}", entry.key));
            assert_eq!(page.summary(), entry.summary, "{}", entry.key);
            let lines = page.text.lines().count();
            assert!((10..=25).contains(&lines), "{} has {lines} lines", entry.key);
            let long = page.text.lines().find(|line| line.chars().count() > 120);
            assert_eq!(long, None, "{}", entry.key);
        }
    }

    #[test]
    fn keys_are_found_in_any_case() {
        assert_eq!(find("ABORTED").unwrap().key, "ABORTED");
        assert_eq!(find("aborted").unwrap().key, "aborted");
        assert_eq!(find("invalid_args").unwrap().key, "INVALID_ARGS");
        assert_eq!(find("nothing").map(|page| page.key), None);
    }
}
