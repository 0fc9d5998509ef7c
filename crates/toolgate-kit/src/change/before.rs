//! What a file was when a change of it began: the image that is compared before the new content takes its place.
//!
//! Taken by the tools that replace content, checked by [`super::replace`]. Reading is bounded: of a file larger than
//! the limit only the fingerprint is taken, in constant memory.

use std::io::Read as _;
use std::path::Path;

use cap_std::fs::Metadata;

use super::error::ChangeError;
use super::fingerprint::{Fingerprint, Sum};
use crate::failure::FileToolError;
use crate::stop::Stop;
use crate::workspace::{Entry, Workspace, shown_text};

/// How large a text may be that a change takes or leaves, in bytes.
pub(crate) const TEXT_LIMIT: u64 = 8 * 1024 * 1024;

/// How much is read at once.
const BLOCK: usize = 64 * 1024;

/// A file as it was.
#[derive(Debug)]
pub(crate) struct Before {
    /// All of it; `None` where that is more than the limit.
    pub(crate) content: Option<Vec<u8>>,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) metadata: Metadata,
}

impl Before {
    /// Reads the file at `entry`; `None` when there is none any more.
    pub(crate) fn take(
        workspace: &Workspace,
        entry: &Entry,
        stop: &Stop,
    ) -> Result<Option<Self>, FileToolError> {
        let explain = |error| workspace.explain(error, &entry.path);
        let Some(mut file) = entry.open().map_err(explain)? else { return Ok(None) };
        let metadata = Metadata::from_file(&file).map_err(explain)?;
        if let Some(text) = workspace.open_text(Path::new(&entry.path), stop) {
            let fingerprint = Fingerprint::of(text.as_bytes());
            let content = Some(text.into_bytes()).filter(|text| text.len() as u64 <= TEXT_LIMIT);
            return Ok(Some(Self { content, fingerprint, metadata }));
        }
        let mut kept = Some(Vec::new());
        let mut sum = Sum::default();
        let mut block = vec![0; BLOCK];
        loop {
            stop.check()?;
            let count = match file.read(&mut block) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(explain(error).into()),
            };
            let bytes = block.get(..count).unwrap_or_default();
            sum.add(bytes);
            kept = kept.filter(|kept| (kept.len() + count) as u64 <= TEXT_LIMIT);
            if let Some(kept) = &mut kept {
                kept.extend_from_slice(bytes);
            }
        }
        Ok(Some(Self { content: kept, fingerprint: sum.end(), metadata }))
    }

    /// Whether the file at `entry` is still this one with this content.
    pub(super) fn is_current(
        &self,
        workspace: &Workspace,
        entry: &Entry,
        stop: &Stop,
    ) -> Result<bool, FileToolError> {
        if self.content.is_some() {
            let now = Self::take(workspace, entry, stop)?;
            return Ok(now.is_some_and(|now| {
                is_same_file(&now.metadata, &self.metadata) && now.fingerprint == self.fingerprint
            }));
        }
        // Reading a huge file once more would take long; whoever changes it changes its times.
        let now = entry.directory.symlink_metadata(&entry.name);
        Ok(now.is_ok_and(|now| {
            is_same_file(&now, &self.metadata)
                && now.len() == self.metadata.len()
                && now.modified().ok() == self.metadata.modified().ok()
        }))
    }
}

/// Refuses a text that is too long to be written.
pub(crate) fn check_text_size(path: &str, size: u64) -> Result<(), ChangeError> {
    if size > TEXT_LIMIT {
        return Err(ChangeError::TooLarge { path: shown_text(path), size, most: TEXT_LIMIT });
    }
    Ok(())
}

#[cfg(unix)]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use cap_std::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    one.created().ok() == other.created().ok()
}
