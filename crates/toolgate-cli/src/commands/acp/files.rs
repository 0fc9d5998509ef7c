//! The editor's files as open texts of a workspace.

use std::io;
use std::path::Path;

use toolgate_acp::EditorFiles;
use toolgate_kit::OpenTexts;

/// The files of an editor.
#[derive(Debug)]
pub(super) struct InTheEditor(pub(super) EditorFiles);

impl OpenTexts for InTheEditor {
    fn read(&self, path: &Path, is_wanted: &dyn Fn() -> bool) -> Option<String> {
        // What the editor cannot give, such as a binary file, the disk can, or says better why not.
        self.0.read(path, is_wanted).ok()
    }

    fn write(&self, path: &Path, text: &str, is_wanted: &dyn Fn() -> bool) -> io::Result<()> {
        self.0.write(path, text, is_wanted).map_err(io::Error::other)
    }
}
