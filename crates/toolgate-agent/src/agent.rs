//! [`Agent`]: one session of one agent, from its opening on.
//!
//! Made by whoever runs an agent: a command, an editor's server, a test. The turns themselves are in `turn`.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use tokio::sync::broadcast;
use toolgate::schedule::Lane;
use toolgate::{CallId, Scope, WireError};
use toolgate_session::{
    Backend, Entries, Entry, Event, Journal, Record, SessionId, SessionLog, StoreError, SystemClock,
    ToolResultRecorded, recover,
};

use crate::body_log::{Attempts, BodyLog, BodyLogGuard};
use crate::family::close_subagents;
use crate::live::{Live, WATCHED};
use crate::model::{DynModel, Model, SchemaLoss, SharedModel};
use crate::prompt::Prompt;
use crate::recorder::Recorder;
use crate::routes::{RouteGuard, SessionRoutes};
use crate::spent::Spent;
use crate::steering::Steering;

/// How far a turn may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnLimits {
    /// How often the model is asked at most.
    pub steps: u64,
    /// How many tokens a request may have at most. A turn that would need more stops and says so; nothing is left out
    /// silently. Making a long conversation shorter is for whoever embeds the agent: begin a session with a summary.
    pub context_tokens: u64,
    /// How many tokens all requests of a turn may use together, those of its sub-agents included: what the provider
    /// counts, or an estimate where it counts nothing. Looked at before each request, so the last one may go beyond it.
    pub turn_tokens: u64,
    /// How many calls overlap at most.
    pub parallel: NonZeroUsize,
}

impl Default for TurnLimits {
    /// 100 steps, 200,000 tokens a request, 20 million a turn, ten calls at once.
    fn default() -> Self {
        Self { steps: 100, context_tokens: 200_000, turn_tokens: 20_000_000, parallel: Lane::DEFAULT_CAP }
    }
}

/// What an agent is made of.
#[must_use = "start or resume a session to get the agent"]
pub struct AgentBuilder {
    scope: Scope,
    model: Arc<dyn DynModel>,
    prompt: Prompt,
    limits: TurnLimits,
    routes: Option<SessionRoutes>,
    parent: Option<String>,
    workspace: Option<String>,
    place: Place,
    recorded: Option<Arc<HashMap<CallId, ToolResultRecorded>>>,
}

/// Where an agent stands among its sub-agents and theirs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// How many agents stand above it.
    pub(crate) depth: u32,
    /// The call that its whole tree belongs to, where it is a sub-agent: its calls are calls of that tree.
    pub(crate) root: Option<CallId>,
}

/// What a sub-agent takes over from the agent above it.
pub(crate) struct Kin {
    pub(crate) id: SessionId,
    pub(crate) depth: u32,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) model: Arc<dyn DynModel>,
    pub(crate) prompt: Prompt,
    pub(crate) workspace: Option<String>,
    pub(crate) limits: TurnLimits,
    pub(crate) spent: Spent,
}

/// A session cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The back end refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gave no thread for the log.
    #[error("the writer of the session log cannot be started")]
    Thread(#[from] std::io::Error),
    /// What was left open could not be closed.
    #[error(transparent)]
    Log(#[from] toolgate_session::LogError),
    /// The session was written by something else, or has lost what it needs.
    #[error(
        "the session cannot be resumed, because records {first} to {last} are lost: {reason}\nhint: `toolgate log verify` \
         says what is lost; what is left can be read, and a new session can begin with it"
    )]
    Damaged {
        /// The first record that is lost.
        first: u64,
        /// The last one.
        last: u64,
        /// What is wrong.
        reason: String,
    },
}

/// An agent with its open session. Nobody else can write the session while this lives.
pub struct Agent {
    pub(crate) scope: Scope,
    pub(crate) model: Arc<dyn DynModel>,
    pub(crate) prompt: Prompt,
    pub(crate) limits: TurnLimits,
    pub(crate) parent: Option<String>,
    pub(crate) workspace: Option<String>,
    pub(crate) id: SessionId,
    pub(crate) recorder: Recorder,
    pub(crate) attempts: Attempts,
    pub(crate) history: History,
    pub(crate) steering: Steering,
    /// The call tree of a sub-agent.
    pub(crate) root: Option<CallId>,
    pub(crate) spent: Spent,
    /// Results of then, where nothing is to be run.
    pub(crate) recorded: Option<Arc<HashMap<CallId, ToolResultRecorded>>>,
    backend: Arc<dyn Backend>,
    _body_log: BodyLogGuard,
    _route: Option<RouteGuard>,
}

/// What is known of a session: what the model sees of it, and how far the numbers have come.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The events that messages are made of, as they are in the log.
    pub(crate) events: Vec<Event>,
    pub(crate) turns: u64,
    pub(crate) calls: u64,
    /// Set while a turn is under way. A turn whose future was dropped leaves it set.
    pub(crate) is_open: bool,
}

impl History {
    /// Takes in an event that is in the log.
    pub(crate) fn note(&mut self, event: Event) {
        match &event {
            Event::TurnStart(start) => {
                self.turns = start.turn;
                self.is_open = true;
                return;
            }
            Event::TurnEnd(_) => self.is_open = false,
            Event::AssistantMessage(message) => self.calls += message.calls.len() as u64,
            Event::UserMessage(_) | Event::ToolResult(_) => {}
            Event::ToolCall(_)
            | Event::BodyStarted(_)
            | Event::BodyEnded(_)
            | Event::SubagentStarted(_)
            | Event::CodeDispatchStart(_)
            | Event::CodeDispatch(_)
            | Event::ApprovalAsked(_)
            | Event::ApprovalDecided(_) => return,
        }
        self.events.push(event);
    }
}

impl AgentBuilder {
    /// An agent that stands below another one.
    pub(crate) fn below(scope: Scope, model: Arc<dyn DynModel>, place: Place) -> Self {
        Self {
            scope,
            model,
            prompt: Prompt::new(),
            limits: TurnLimits::default(),
            routes: None,
            parent: None,
            workspace: None,
            place,
            recorded: None,
        }
    }

    /// What the model is told before anything else. Nothing by default.
    pub fn prompt(mut self, prompt: Prompt) -> Self {
        self.prompt = prompt;
        self
    }

    /// How far a turn may go.
    pub fn limits(mut self, limits: TurnLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The routes that the runtime's Code Mode and approvals were given, so that they reach this session.
    pub fn routes(mut self, routes: SessionRoutes) -> Self {
        self.routes = Some(routes);
        self
    }

    /// The session and call that this session belongs to: `SESSION/CALL`.
    pub(crate) fn parent(mut self, parent: String) -> Self {
        self.parent = Some(parent);
        self
    }

    /// The directory that the tools work in, for those who look at the session later.
    pub fn workspace(mut self, path: impl Into<String>) -> Self {
        self.workspace = Some(path.into());
        self
    }

    /// Results of then, in the place of tools.
    pub(crate) fn recorded(mut self, results: Arc<HashMap<CallId, ToolResultRecorded>>) -> Self {
        self.recorded = Some(results);
        self
    }

    /// Begins a session of that name.
    ///
    /// # Errors
    /// [`OpenError`].
    pub async fn start(self, backend: Arc<dyn Backend>, id: SessionId) -> Result<Agent, OpenError> {
        let making = Arc::clone(&backend);
        let journal = blocking(move || making.create(id)).await?;
        Ok(self.open(backend, id, journal, History::default())?)
    }

    /// Goes on with a session. What a crash left open is closed first: each call without a result gets one that says what is known of
    /// it (case K71). So are the sessions of sub-agents that were at work then. Nothing is run again by itself.
    ///
    /// # Errors
    /// [`OpenError`]; [`OpenError::Damaged`] where a part of the conversation is lost.
    pub async fn resume(self, backend: Arc<dyn Backend>, id: SessionId) -> Result<Agent, OpenError> {
        let reading = Arc::clone(&backend);
        let (journal, closing) = blocking(move || {
            let journal = reading.open(id)?;
            close_subagents(&*reading, id, journal.last())?;
            let closing = recover::recover(&*reading, id, journal.last())?;
            Ok::<_, StoreError>((journal, closing))
        })
        .await?;
        let mut agent = self.open(backend, id, journal, History::default())?;
        agent.close_and_read(closing).await?;
        Ok(agent)
    }

    fn open(
        self,
        backend: Arc<dyn Backend>,
        id: SessionId,
        journal: Box<dyn Journal>,
        history: History,
    ) -> std::io::Result<Agent> {
        let log = SessionLog::start(journal, SystemClock)?;
        let (live, _) = broadcast::channel(WATCHED);
        let recorder = Recorder::new(log, live);
        let attempts = Attempts::default();
        let body_log = BodyLog::register(&self.scope, recorder.clone(), attempts.clone());
        let spent = Spent::default();
        let kin = || Kin {
            id,
            depth: self.place.depth,
            backend: Arc::clone(&backend),
            model: Arc::clone(&self.model),
            prompt: self.prompt.clone(),
            workspace: self.workspace.clone(),
            limits: self.limits,
            spent: spent.clone(),
        };
        let route = self.routes.map(|routes| routes.enter(&self.scope, recorder.clone(), kin()));
        Ok(Agent {
            scope: self.scope,
            model: self.model,
            prompt: self.prompt,
            limits: self.limits,
            parent: self.parent,
            workspace: self.workspace,
            id,
            recorder,
            attempts,
            history,
            steering: Steering::default(),
            root: self.place.root,
            spent,
            recorded: self.recorded,
            backend,
            _body_log: body_log,
            _route: route,
        })
    }
}

impl Agent {
    /// Begins the set-up of an agent that works in a scope and asks a model. Register the scope's hooks first: the agent
    /// adds one of its own, which has to be the innermost.
    pub fn builder(scope: Scope, model: impl Model) -> AgentBuilder {
        AgentBuilder::below(scope, Arc::new(model), Place::default())
    }

    /// The name of the session.
    #[must_use]
    pub fn session(&self) -> SessionId {
        self.id
    }

    /// The agent's scope.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// What the model is not told of the parameters of the tools that it is offered now, for whoever sets an agent up (case
    /// K32).
    ///
    /// # Errors
    /// Nothing can be offered: the presentation mode needs `run_code`, and there is none.
    pub fn schema_losses(&self) -> Result<Vec<SchemaLoss>, WireError> {
        Ok(self.model.schema_losses(&self.scope.wire_schemas()?))
    }

    /// Asks another model from the next turn on.
    pub fn set_model(&mut self, model: SharedModel) {
        self.model = model.into_inner();
    }

    /// What happens from now on, for a screen. A watcher that falls behind misses the oldest and is told how many.
    #[must_use]
    pub fn watch(&self) -> broadcast::Receiver<Live> {
        self.recorder.live().subscribe()
    }

    /// The records of the session from now on, each once it is durable, whoever wrote it: also what people were asked and
    /// what a program called. A follower that is too far behind is told how many it missed, and reads those from the
    /// back end.
    #[must_use]
    pub fn follow(&self) -> broadcast::Receiver<Arc<Record>> {
        self.recorder.follow()
    }

    /// A way to say something to the agent while a turn is under way.
    #[must_use]
    pub fn steering(&self) -> Steering {
        self.steering.clone()
    }

    /// Gives the session back, so that it can be resumed. Dropping an agent does that too, a moment later.
    pub async fn close(self) {
        let Self { recorder, .. } = self;
        recorder.close().await;
    }

    /// Closes a turn whose future was dropped, as recovery does for one whose process died.
    pub(crate) async fn close_abandoned(&mut self) -> Result<(), OpenError> {
        // Everything that was handed over before is written once this is.
        let last = self.recorder.flush().await?;
        let (backend, id) = (Arc::clone(&self.backend), self.id);
        let closing = blocking(move || recover::recover(&*backend, id, last)).await?;
        self.close_and_read(closing).await
    }

    /// Appends what closes the last turn, and reads the whole session again.
    async fn close_and_read(&mut self, closing: Vec<Event>) -> Result<(), OpenError> {
        self.recorder.append_all(closing).await?;
        let (backend, id) = (Arc::clone(&self.backend), self.id);
        self.history = blocking(move || read_history(&*backend, id)).await?;
        Ok(())
    }
}

fn read_history(backend: &dyn Backend, id: SessionId) -> Result<History, OpenError> {
    let mut history = History::default();
    for entry in Entries::new(backend, id, 1) {
        match entry? {
            Entry::Record(record) => history.note(record.event),
            Entry::Damaged(damage) if !damage.is_loss() => {}
            Entry::Damaged(damage) => {
                let last = damage.last.unwrap_or(damage.first);
                return Err(OpenError::Damaged { first: damage.first, last, reason: damage.reason });
            }
        }
    }
    Ok(history)
}

/// Runs something that reads or writes files on a thread that may wait for them.
async fn blocking<T, E>(work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, OpenError>
where
    T: Send + 'static,
    E: Send + 'static,
    OpenError: From<E>,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(done?),
        Err(lost) => Err(OpenError::Thread(std::io::Error::other(lost))),
    }
}
