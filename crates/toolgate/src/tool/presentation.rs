//! Cards: how a tool wants its call and its result to be shown (DESIGN section 9).
//!
//! A provider-neutral vocabulary. User interfaces switch on `card`; one that does not know a card shows the raw
//! content. The serialised field names are part of the contract.

use serde::{Deserialize, Serialize};

use super::ContentBlock;
use crate::result::ToolFailure;
use crate::{JsonValue, Nullable};

/// How to show a call that has not finished.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "card", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ToolCallView {
    /// The default card.
    Generic {
        /// What is being done, in a few words.
        title: String,
        /// Which icon fits.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        kind: Option<ToolCallKind>,
        /// The arguments, as they came.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        raw_input: Option<JsonValue>,
        /// Something to show besides the title.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        content: Option<Vec<ContentBlock>>,
        /// Files that the call reads or changes, for editors that follow along.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        locations: Option<Vec<FileLocation>>,
    },
    /// A shell command.
    Terminal {
        /// The command.
        title: String,
        /// What it is for.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        description: Option<String>,
        /// Where it runs.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        cwd: Option<String>,
    },
    /// A change of files.
    Diff {
        /// What is being changed.
        title: String,
        /// The changes asked for.
        diffs: Vec<FileDiff>,
        /// Where they are.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        locations: Option<Vec<FileLocation>>,
    },
}

/// How to show a finished call. It takes the place of the pending view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "card", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ToolResultView {
    /// The default card.
    Generic {
        /// A new title; without one the pending title stays.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        title: Option<String>,
        /// What to show; without it the raw content.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        content: Option<Vec<ContentBlock>>,
    },
    /// What a command printed and how it ended.
    Terminal {
        /// A new title.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        title: Option<String>,
        /// The captured output.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        output: Option<String>,
        /// The exit code, if the command exited.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        exit_code: Option<i32>,
        /// The signal, if one ended the command.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        signal: Option<String>,
    },
    /// The changes that were made.
    Diff {
        /// A new title.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        title: Option<String>,
        /// Applied hunks with context; the whole file where there is no image from before.
        diffs: Vec<FileDiff>,
    },
    /// What a search found. The body text is not repeated here.
    Search {
        /// A new title.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        title: Option<String>,
        /// Matches or paths.
        #[serde(flatten)]
        shape: SearchShape,
        /// Whether the list was cut: a partial result is never shown as complete.
        truncated: bool,
        /// How much there is in all.
        total: u64,
    },
    /// A window of a file.
    Read {
        /// A new title.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        title: Option<String>,
        /// The file.
        path: String,
        /// The first line asked for, counted from 1; kept even when there are no lines.
        offset: u64,
        /// The lines.
        lines: Vec<ReadFileLine>,
        /// How many lines the file has.
        total_lines: u64,
        /// A language hint from the file's extension.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        lang: Option<String>,
        /// The text without its envelope, for an interface that has no such card.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        content: Option<String>,
    },
    /// What was found on or fetched from the web. The body text is not repeated here.
    Web {
        /// A new title.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        title: Option<String>,
        /// Search or fetch.
        #[serde(flatten)]
        view: WebView,
        /// Whether something was cut.
        truncated: bool,
    },
}

/// The two shapes of a search result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "shape", rename_all = "camelCase")]
pub enum SearchShape {
    /// Matching lines, by file.
    Matches {
        /// The files with matches.
        matches: Vec<SearchFileMatches>,
    },
    /// Matching paths.
    Paths {
        /// The paths.
        paths: Vec<String>,
    },
}

/// The matches in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchFileMatches {
    /// The file.
    pub path: String,
    /// Its matching lines.
    pub lines: Vec<SearchLine>,
}

/// One matching line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchLine {
    /// Its number, counted from 1.
    pub line: u64,
    /// Its text, possibly shortened.
    pub text: String,
}

/// The two kinds of web cards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum WebView {
    /// A web search.
    Search {
        /// What was found.
        sources: Vec<WebSource>,
        /// An answer that the provider gave.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        answer: Option<String>,
    },
    /// A fetched page.
    Fetch {
        /// The address after redirects.
        url: String,
        /// The HTTP status.
        status_code: u16,
    },
}

/// One web source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebSource {
    /// The page's title.
    pub title: String,
    /// Its address.
    pub url: String,
}

/// What a tool does to the world; chooses the icon of a generic card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolCallKind {
    /// Reads.
    Read,
    /// Changes content.
    Edit,
    /// Removes.
    Delete,
    /// Moves or renames.
    Move,
    /// Searches.
    Search,
    /// Runs something.
    Execute,
    /// Gets something from a network.
    Fetch,
    /// Anything else.
    Other,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLocation {
    /// The file.
    pub path: String,
    /// The line, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u64>,
}

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileDiff {
    /// The file.
    pub path: String,
    /// The text before; null for a new file.
    pub old_text: Nullable<String>,
    /// The text after.
    pub new_text: String,
}

/// One numbered line of a window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadFileLine {
    /// Its number, counted from 1.
    pub number: u64,
    /// Its text, without the line ending.
    pub text: String,
}

/// The durable part of a result (rule P21): all that a presenter may look at besides the arguments.
#[derive(Clone, Copy, Debug)]
pub struct ToolResult<'a> {
    /// What the model read.
    pub content: &'a [ContentBlock],
    /// Why the call failed, if it did.
    pub error: Option<&'a ToolFailure>,
    /// The presentation metadata.
    pub meta: Option<&'a JsonValue>,
}

impl ToolCallView {
    /// The view of a call whose tool says nothing: its name and its arguments.
    #[must_use]
    pub fn fallback(name: &str, kind: ToolCallKind, args: &JsonValue) -> Self {
        Self::Generic {
            title: name.to_owned(),
            kind: Some(kind),
            raw_input: Some(args.clone()),
            content: None,
            locations: None,
        }
    }

    /// The title of any card.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Self::Generic { title, .. } | Self::Terminal { title, .. } | Self::Diff { title, .. } => title,
        }
    }
}

impl ToolResultView {
    /// The view of a result whose tool says nothing: the pending title and the raw content.
    #[must_use]
    pub fn fallback(title: String, content: Vec<ContentBlock>) -> Self {
        Self::Generic { title: Some(title), content: Some(content) }
    }

    /// The title of any card, where it has one of its own.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        match self {
            Self::Generic { title, .. }
            | Self::Terminal { title, .. }
            | Self::Diff { title, .. }
            | Self::Search { title, .. }
            | Self::Read { title, .. }
            | Self::Web { title, .. } => title.as_deref(),
        }
    }
}
