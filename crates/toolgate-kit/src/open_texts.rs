//! [`OpenTexts`]: files that somebody has open, such as an editor, whose text is not always that of the disk.
//!
//! Given to a [`Workspace`](crate::Workspace) by whoever connects an editor; asked by the tools `read`, `write` and `edit`
//! after they have found the file in the workspace. Searching looks at the disk.

use std::fmt;
use std::io;
use std::path::Path;

/// Somebody who has files open. Both functions run on a thread that may block, and return soon after `is_wanted` says no.
pub trait OpenTexts: fmt::Debug + Send + Sync + 'static {
    /// The text of an existing file, unsaved changes included; `None` where the disk has to be read.
    fn read(&self, path: &Path, is_wanted: &dyn Fn() -> bool) -> Option<String>;

    /// Makes a text the whole content of a file, which may not exist yet; its directory does.
    ///
    /// # Errors
    /// The file was not written, as far as is known.
    fn write(&self, path: &Path, text: &str, is_wanted: &dyn Fn() -> bool) -> io::Result<()>;
}
