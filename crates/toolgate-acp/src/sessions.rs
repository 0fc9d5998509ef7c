//! The open sessions of a connection, and the sessions that are kept.
//!
//! Called by `serve`. A session is open here once at most; another process that writes it keeps it from being opened.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use agent_client_protocol::v1::schema as acp;
use agent_client_protocol::{Error, ErrorCode};
use tokio::sync::watch;
use tokio_util::task::TaskTracker;
use toolgate::{CancellationToken, Registrar as _};
use toolgate_agent::{Agent, OpenError};
use toolgate_policy::People;
use toolgate_session::{Backend, Entry, Event, SessionId, StoreError};

use crate::editor::Editor;
use crate::host::{Equipment, Host, McpServer, SessionOrder};
use crate::question::AtTheEditor;
use crate::serve::Client;
use crate::session::{Running, Session, Work};
use crate::settings::Chosen;
use crate::story::{Audience, Story, title_of};
use crate::terminal::InTerminal;
use crate::watch::Teller;

/// How many sessions may be open at one time.
const MOST_OPEN: usize = 100;

/// How many sessions a list has at a time.
const PAGE: usize = 50;

/// How many kept sessions are looked at for one page.
const MOST_LOOKED_AT: usize = 1_000;

/// How a session comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// It is new.
    New,
    /// It goes on, and the editor knows what happened.
    Resume,
    /// It goes on, and the editor is told what happened.
    Load,
}

/// All sessions of a connection.
pub(crate) struct Sessions<H> {
    pub(crate) host: H,
    pub(crate) offers: OnceLock<acp::ClientCapabilities>,
    /// What is under way; awaited at the end.
    pub(crate) tasks: TaskTracker,
    /// Fires at the end of the connection.
    pub(crate) stop: CancellationToken,
    open: Mutex<HashMap<SessionId, Arc<Session>>>,
}

impl<H: Host> Sessions<H> {
    pub(crate) fn new(host: H) -> Self {
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        Self { host, offers: OnceLock::new(), tasks, stop, open: Mutex::default() }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Session>>> {
        // Held for plain look-ups only.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An open session.
    ///
    /// # Errors
    /// There is none of that name.
    pub(crate) fn get(&self, id: &acp::SessionId) -> Result<Arc<Session>, Error> {
        let known = read_id(id).and_then(|id| self.open().get(&id).cloned());
        known
            .ok_or_else(|| Error::new(ErrorCode::RESOURCE_NOT_FOUND, "there is no open session of that name"))
    }

    /// Opens a session. Where it is open here already, it is closed first.
    ///
    /// # Errors
    /// What keeps it from being opened, in words for the person.
    pub(crate) async fn enter(
        &self,
        client: Client,
        id: SessionId,
        opening: Opening,
        directory: PathBuf,
        mcp_servers: Vec<McpServer>,
    ) -> Result<Arc<Session>, Error> {
        self.host.access().map_err(|needed| Error::new(ErrorCode::AUTH_REQUIRED, needed.to_string()))?;
        if !directory.is_absolute() {
            return Err(Error::new(
                ErrorCode::INVALID_PARAMS,
                "the working directory is not an absolute path",
            ));
        }
        self.leave(id).await;
        if self.open().len() >= MOST_OPEN {
            let message =
                format!("{MOST_OPEN} sessions are open, and there can be no more\nhint: close some");
            return Err(Error::new(ErrorCode::INVALID_REQUEST, message));
        }
        let offers = self.offers.get().cloned().unwrap_or_default();
        let editor = Editor::new(client, id, offers);
        let equipping = self.equip(editor, opening, directory, mcp_servers);
        let session = match self.stop.run_until_cancelled(equipping).await {
            Some(session) => Arc::new(session?),
            None => return Err(Error::request_cancelled()),
        };
        let replaced = self.open().insert(id, Arc::clone(&session));
        if let Some(replaced) = replaced {
            replaced.close().await;
        }
        // Whoever ends the connection closes what is open, which this might just have missed.
        if self.stop.is_cancelled() {
            session.close().await;
        }
        Ok(session)
    }

    async fn equip(
        &self,
        editor: Editor,
        opening: Opening,
        directory: PathBuf,
        mcp_servers: Vec<McpServer>,
    ) -> Result<Session, Error> {
        let (id, client) = (editor.session(), editor.client().clone());
        let people = People::new();
        let (announced, _) = watch::channel(Vec::new());
        let (announced, running) = (Arc::new(announced), Arc::new(Running::default()));
        people.join(AtTheEditor {
            editor: editor.clone(),
            announced: Arc::clone(&announced),
            running: Arc::clone(&running),
            rejected: Mutex::new(HashSet::new()),
        });
        let order = SessionOrder { id, directory, mcp_servers, people, editor: editor.clone() };
        let equipment = self.host.equip(order).await;
        let Equipment { scope, approvals, routes, prompt, limits, root, presents_code, terminal_tool, keep } =
            equipment.map_err(|error| Error::new(ErrorCode::INVALID_PARAMS, error.to_string()))?;
        let models = self.host.models();
        let Some(first) = models.first() else {
            return Err(Error::new(ErrorCode::INTERNAL_ERROR, "there is no model to ask"));
        };
        let model = first.id.clone();
        let builder = Agent::builder(scope.clone(), first.model.clone())
            .prompt(prompt)
            .limits(limits)
            .routes(routes)
            .workspace(root.to_string_lossy());
        let backend = self.host.backend();
        let opened = match opening {
            Opening::New => builder.start(Arc::clone(&backend), id).await,
            Opening::Resume | Opening::Load => builder.resume(Arc::clone(&backend), id).await,
        };
        let agent = match opened {
            Ok(agent) => agent,
            Err(error) => {
                scope.close();
                return Err(unopened(&error));
            }
        };
        if let Some(tool) = terminal_tool.filter(|_| editor.has_terminals()) {
            // Registered last, so that it is the innermost: the log says that the body begins before it does.
            scope.on_execute(InTerminal { tool, editor, root: root.clone() });
        }
        let audience = if opening == Opening::Load { Audience::Later } else { Audience::Present };
        let told = Story::new(scope.clone(), root.clone(), limits.context_tokens, audience);
        let mut teller =
            Teller { story: told, client: client.clone(), session: id, backend, announced, last: 0 };
        match opening {
            Opening::New => {}
            Opening::Resume => teller.pass_over().await,
            Opening::Load => teller.catch_up(None).await,
        }
        teller.story = Story::new(scope.clone(), root.clone(), limits.context_tokens, Audience::Present);
        let presentation = scope.presentation_mode();
        let chosen = Chosen { stance: approvals.stance(), model: model.clone(), presentation };
        Ok(Session {
            id,
            running,
            scope,
            approvals,
            presents_code,
            steps: limits.steps,
            models,
            client,
            chosen: Mutex::new(chosen),
            presented: Mutex::default(),
            work: tokio::sync::Mutex::new(Some(Work { agent, teller, model, _keep: keep })),
        })
    }

    /// Closes a session; nothing where it is not open.
    pub(crate) async fn leave(&self, id: SessionId) -> bool {
        let session = self.open().remove(&id);
        match session {
            Some(session) => {
                session.close().await;
                true
            }
            None => false,
        }
    }

    /// Stops everything that is under way, awaits it, and closes every session. A second time does nothing.
    pub(crate) async fn end(&self) {
        self.stop.cancel();
        let open: Vec<Arc<Session>> = self.open().values().cloned().collect();
        for session in &open {
            session.running.cancel();
        }
        self.tasks.close();
        self.tasks.wait().await;
        let open: Vec<Arc<Session>> = self.open().drain().map(|(_, session)| session).collect();
        for session in open {
            session.close().await;
        }
    }
}

/// The session that a name means; none where it is no name of one.
pub(crate) fn read_id(id: &acp::SessionId) -> Option<SessionId> {
    id.0.parse().ok()
}

fn unopened(error: &OpenError) -> Error {
    let (code, message) = match error {
        OpenError::Store(StoreError::NotFound(_)) => (ErrorCode::RESOURCE_NOT_FOUND, error.to_string()),
        OpenError::Store(StoreError::Busy(_)) => (
            ErrorCode::INVALID_REQUEST,
            format!("{error}\nhint: close it there, in another window or another program"),
        ),
        OpenError::Store(
            StoreError::Exists(_)
            | StoreError::Damaged { .. }
            | StoreError::Io { .. }
            | StoreError::Database { .. },
        )
        | OpenError::Thread(_)
        | OpenError::Log(_)
        | OpenError::Damaged { .. } => (ErrorCode::INTERNAL_ERROR, error.to_string()),
    };
    Error::new(code, message)
}

/// A page of the kept sessions, newest first: those of one directory where one is named. Sessions of sub-agents, and those
/// of which nobody knows the directory, are not listed. Reads files.
///
/// # Errors
/// The back end failed, or the cursor is none of a list.
pub(crate) fn list(
    backend: &dyn Backend,
    directory: Option<&Path>,
    cursor: Option<&str>,
) -> Result<acp::ListSessionsResponse, Error> {
    let failed = |error: StoreError| Error::new(ErrorCode::INTERNAL_ERROR, error.to_string());
    let before: Option<SessionId> = match cursor.map(str::parse).transpose() {
        Ok(before) => before,
        Err(_) => return Err(Error::new(ErrorCode::INVALID_PARAMS, "the cursor is none of this list")),
    };
    let directory = directory.map(|path| path.canonicalize().unwrap_or_else(|_| path.to_owned()));
    let ids = backend.list().map_err(failed)?;
    let mut rest = ids.into_iter().rev().filter(|id| before.is_none_or(|before| *id < before)).peekable();
    let mut infos = Vec::new();
    let mut last = None;
    for id in rest.by_ref().take(MOST_LOOKED_AT) {
        last = Some(id);
        // One that is damaged or was removed meanwhile is passed over.
        let info = info(backend, id).ok().flatten();
        infos.extend(info.filter(|info| directory.as_ref().is_none_or(|directory| *directory == info.cwd)));
        if infos.len() >= PAGE {
            break;
        }
    }
    let next = if rest.peek().is_some() { last.map(|id| id.to_string()) } else { None };
    Ok(acp::ListSessionsResponse::new(infos).next_cursor(next))
}

/// What a list says of a session; nothing for one that is not listed.
fn info(backend: &dyn Backend, id: SessionId) -> Result<Option<acp::SessionInfo>, StoreError> {
    let mut directory = None;
    let mut title = None;
    let mut time = None;
    // A turn begins with these two.
    for entry in backend.read(id, 1, 2)? {
        let Entry::Record(record) = entry else { continue };
        time = Some(record.time);
        if let Event::TurnStart(start) = record.event {
            if start.parent.is_some() {
                return Ok(None);
            }
            directory = start.workspace;
        } else if let Event::UserMessage(message) = record.event {
            title = title_of(&message.content);
        }
    }
    let Some(directory) = directory else { return Ok(None) };
    let last = backend.acknowledged(id)?;
    for entry in backend.read(id, last.max(1), 1)? {
        if let Entry::Record(record) = entry {
            time = Some(record.time);
        }
    }
    Ok(Some(acp::SessionInfo::new(id.to_string(), directory).title(title).updated_at(time)))
}
