//! How much stays in a result and how much is kept: [`SpillConfig`], the `[spill]` table of a configuration file.
//!
//! Checked once, when the plugin is installed; from then on everybody works with the checked form.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

/// How large a result may be, how much is shown of a larger one, and for how long the whole of it is kept.
///
/// Sizes are bytes of UTF-8 text; an image counts as its base64 text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SpillConfig {
    /// How much text one result may hold; 32 KiB by default.
    pub max_text_bytes: u64,
    /// How much base64 the images of one result may hold; 4 MiB by default.
    pub max_image_bytes: u64,
    /// How much of the beginning of a longer text is shown; 6 KiB by default.
    pub head_bytes: u64,
    /// How much of its end is shown; 2 KiB by default.
    pub tail_bytes: u64,
    /// How much text one answer of the tools that read kept content may hold; 16 KiB by default. These answers are
    /// never cut again.
    pub answer_bytes: u64,
    /// How much is kept at the same time; 256 MiB by default. The oldest goes first.
    pub quota_bytes: u64,
    /// How many contents are kept at the same time; 1,000 by default. The oldest goes first.
    pub quota_entries: u64,
    /// How long a content is kept; one hour by default. Written as `expires_after_seconds`.
    #[serde(rename = "expires_after_seconds", deserialize_with = "seconds")]
    pub expires_after: Duration,
    /// Tools that are treated in another way, by name.
    pub tools: BTreeMap<String, ToolSpill>,
}

/// What happens to the texts of one tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolSpill {
    /// Nothing is ever cut: `read = "never"`.
    Never,
    /// Cut beyond so many bytes: `bash = { above = 65536 }`. It is at least what head and tail show.
    Above(u64),
}

impl Default for SpillConfig {
    fn default() -> Self {
        Self {
            max_text_bytes: 32 * 1024,
            max_image_bytes: 4 * 1024 * 1024,
            head_bytes: 6 * 1024,
            tail_bytes: 2 * 1024,
            answer_bytes: 16 * 1024,
            quota_bytes: 256 * 1024 * 1024,
            quota_entries: 1_000,
            expires_after: Duration::from_secs(60 * 60),
            tools: BTreeMap::new(),
        }
    }
}

fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_secs)
}

/// A setting makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the setting `{setting}` of spill is {is}\nhint: {hint}")]
pub struct SpillConfigError {
    setting: String,
    is: u64,
    hint: String,
}

/// The smallest sensible answer: a line of it and a note.
const LEAST_ANSWER: u64 = 256;

/// The largest: what fits into a request of a model.
const MOST_ANSWER: u64 = 1024 * 1024;

/// The checked settings.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    text: usize,
    pub(super) images: usize,
    pub(super) head: usize,
    pub(super) tail: usize,
    pub(super) answer: usize,
    pub(super) quota: Quota,
    tools: BTreeMap<String, ToolSpill>,
}

/// How much is kept, and for how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quota {
    pub(super) bytes: u64,
    pub(super) entries: usize,
    pub(super) expires_after: Duration,
}

impl Limits {
    pub(super) fn check(config: SpillConfig) -> Result<Self, SpillConfigError> {
        let wrong = |setting: &str, is: u64, hint: String| {
            Err(SpillConfigError { setting: setting.to_owned(), is, hint })
        };
        let shown = config.head_bytes.saturating_add(config.tail_bytes);
        let too_small = |least: u64| format!("head and tail show {least} bytes, so give at least as many");
        if config.max_text_bytes < shown {
            return wrong("max_text_bytes", config.max_text_bytes, too_small(shown));
        }
        for (tool, spill) in &config.tools {
            if let ToolSpill::Above(bytes) = spill
                && *bytes < shown
            {
                return wrong(&format!("tools.{tool}.above"), *bytes, too_small(shown));
            }
        }
        if !(LEAST_ANSWER..=MOST_ANSWER).contains(&config.answer_bytes) {
            let hint = format!("give {LEAST_ANSWER} to {MOST_ANSWER} bytes");
            return wrong("answer_bytes", config.answer_bytes, hint);
        }
        for (setting, is) in [("quota_bytes", config.quota_bytes), ("quota_entries", config.quota_entries)] {
            if is == 0 {
                return wrong(setting, is, "give at least 1, or leave spill out altogether".to_owned());
            }
        }
        if config.expires_after.is_zero() {
            let hint = "give at least 1, or leave spill out altogether".to_owned();
            return wrong("expires_after_seconds", 0, hint);
        }
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        Ok(Self {
            text: size(config.max_text_bytes),
            images: size(config.max_image_bytes),
            head: size(config.head_bytes),
            tail: size(config.tail_bytes),
            answer: size(config.answer_bytes),
            quota: Quota {
                bytes: config.quota_bytes,
                entries: size(config.quota_entries),
                expires_after: config.expires_after,
            },
            tools: config.tools,
        })
    }

    /// A size up to which nothing is too large, whatever the tool.
    pub(super) fn smallest(&self) -> usize {
        let above = self.tools.values().filter_map(|spill| match spill {
            ToolSpill::Above(bytes) => usize::try_from(*bytes).ok(),
            ToolSpill::Never => None,
        });
        above.chain([self.text, self.images]).min().unwrap_or_default()
    }

    /// How much text a result of that tool may hold; none where nothing is cut.
    pub(super) fn text_of(&self, tool: &str) -> Option<usize> {
        match self.tools.get(tool) {
            None => Some(self.text),
            Some(ToolSpill::Never) => None,
            Some(ToolSpill::Above(bytes)) => Some(usize::try_from(*bytes).unwrap_or(usize::MAX)),
        }
    }
}
