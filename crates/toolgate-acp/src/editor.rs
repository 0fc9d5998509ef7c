//! The editor as somebody who has files open: [`Editor`], and its [`EditorFiles`].
//!
//! Given to the host with each session. Texts that nobody has saved yet are read from the editor, and what is written goes
//! through it, so that both sides see the same. Where a path may lead is decided by whoever calls this.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use agent_client_protocol::v1::schema as acp;
use tokio::runtime::Handle;
use toolgate_session::SessionId;

use crate::serve::Client;

/// How often somebody who waits for the editor looks whether the work is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// The editor of one session.
#[derive(Clone)]
pub struct Editor {
    client: Client,
    session: SessionId,
    offers: acp::ClientCapabilities,
}

/// The editor did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditorError {
    /// It refused, or is gone.
    #[error("the editor refused: {0}")]
    Refused(String),
    /// The work is not wanted any more.
    #[error("the call was cancelled before the editor answered")]
    Stopped,
}

impl Editor {
    pub(crate) fn new(client: Client, session: SessionId, offers: acp::ClientCapabilities) -> Self {
        Self { client, session, offers }
    }

    /// The editor's files, where it offers to read and to write them.
    #[must_use]
    pub fn files(&self) -> Option<EditorFiles> {
        let fs = &self.offers.fs;
        (fs.read_text_file && fs.write_text_file).then(|| EditorFiles(self.clone()))
    }

    pub(crate) fn has_terminals(&self) -> bool {
        self.offers.terminal
    }

    pub(crate) fn has_forms(&self) -> bool {
        self.offers.elicitation.as_ref().is_some_and(|offered| offered.form.is_some())
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn session(&self) -> SessionId {
        self.session
    }
}

impl fmt::Debug for Editor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Editor").field("session", &self.session).finish_non_exhaustive()
    }
}

/// The editor's files. Both functions block the thread that calls them, which must belong to a tokio runtime and must be
/// one that may block; they return soon after `is_wanted` says no.
#[derive(Clone, Debug)]
pub struct EditorFiles(Editor);

impl EditorFiles {
    /// The text of the file at an absolute path, unsaved changes included.
    ///
    /// # Errors
    /// The editor has no text for it, or [`EditorError::Stopped`].
    pub fn read(&self, path: &Path, is_wanted: &dyn Fn() -> bool) -> Result<String, EditorError> {
        let Editor { client, session, .. } = &self.0;
        let request = acp::ReadTextFileRequest::new(session.to_string(), path);
        wait_for(client.request(request), is_wanted).map(|response| response.content)
    }

    /// Makes a text the whole content of the file at an absolute path, in the editor and on the disk.
    ///
    /// # Errors
    /// The editor refused, and has changed nothing as far as it says; or [`EditorError::Stopped`], and nobody knows.
    pub fn write(&self, path: &Path, text: &str, is_wanted: &dyn Fn() -> bool) -> Result<(), EditorError> {
        let Editor { client, session, .. } = &self.0;
        let request = acp::WriteTextFileRequest::new(session.to_string(), path, text);
        wait_for(client.request(request), is_wanted).map(|_| ())
    }
}

fn wait_for<T>(
    answer: impl Future<Output = Result<T, agent_client_protocol::Error>>,
    is_wanted: &dyn Fn() -> bool,
) -> Result<T, EditorError> {
    let Ok(runtime) = Handle::try_current() else {
        return Err(EditorError::Refused("there is no runtime to ask it with".to_owned()));
    };
    runtime.block_on(async {
        let mut answer = std::pin::pin!(answer);
        loop {
            tokio::select! {
                biased;
                answer = &mut answer => return answer.map_err(|error| EditorError::Refused(error.message)),
                () = tokio::time::sleep(LOOK) => if !is_wanted() {
                    return Err(EditorError::Stopped);
                },
            }
        }
    })
}
