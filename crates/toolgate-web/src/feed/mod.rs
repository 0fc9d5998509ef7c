//! What happens in one session, for everybody who watches it.
//!
//! ```text
//! outline  what stands where, without what it says
//! entry    one entry as markup, from its records
//! pages    entries from one place to another, and what changed since
//! partial  the answer that is under way
//! frame    an event of the stream
//! feeds    the sessions that somebody watches
//! ```
//!
//! A record is drawn once, however many browsers watch. It comes from the agent that works here, or from the back end
//! where another process writes the session.

mod entry;
mod feeds;
mod frame;
mod outline;
mod pages;
mod partial;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use maud::{Markup, html};
use serde_json::json;
use tokio::sync::broadcast;
use tokio::time::Instant;
use toolgate::ToolRuntime;
use toolgate_agent::Delta;
use toolgate_session::{Backend, Entry as Stored, Event, Record, SessionId, StoreError};

use entry::Drawing;
pub(crate) use feeds::Feeds;
pub(crate) use frame::Frame;
use outline::{Change, Entry, Outline};
pub(crate) use pages::{Page, Window};
use partial::Partial;

/// How many frames a browser may be behind before it is told from the log what it missed.
const BEHIND: usize = 512;

/// How many records are read at a time.
const READ: usize = 512;

/// How often a session that another process writes is looked at.
const LOOKED_AT: Duration = Duration::from_millis(500);

/// One session that is watched.
pub(crate) struct Feed {
    id: SessionId,
    backend: Arc<dyn Backend>,
    tools: ToolRuntime,
    state: Mutex<State>,
    frames: broadcast::Sender<Frame>,
    /// When the back end was last read.
    reading: tokio::sync::Mutex<Option<Instant>>,
}

#[derive(Default)]
struct State {
    outline: Outline,
    partial: Partial,
    is_working: bool,
}

/// What a session is at, for a head line.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    /// What was asked first.
    pub(crate) task: Option<String>,
    /// The last record.
    pub(crate) head: u64,
    /// Whether an agent of this server works on it.
    pub(crate) is_working: bool,
    /// Whether a turn has no end yet.
    pub(crate) is_turn_open: bool,
}

impl Feed {
    fn new(id: SessionId, backend: Arc<dyn Backend>, tools: ToolRuntime) -> Self {
        let (frames, _) = broadcast::channel(BEHIND);
        Self { id, backend, tools, state: Mutex::default(), frames, reading: tokio::sync::Mutex::default() }
    }

    pub(crate) fn id(&self) -> SessionId {
        self.id
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // What is behind it is only ever added to, so a poisoned one still holds whole entries.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn drawing(&self) -> Drawing<'_> {
        Drawing { session: self.id, tools: &self.tools }
    }

    /// Frames from now on.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Frame> {
        self.frames.subscribe()
    }

    /// Whether nobody needs it.
    fn is_idle(&self) -> bool {
        self.frames.receiver_count() == 0 && !self.state().is_working
    }

    /// What it is at.
    pub(crate) fn standing(&self) -> Standing {
        let state = self.state();
        Standing {
            task: state.outline.task().map(str::to_owned),
            head: state.outline.head(),
            is_working: state.is_working,
            is_turn_open: state.outline.is_turn_open(),
        }
    }

    /// What a browser that comes is told besides records: the answer under way, and whether an agent works.
    pub(crate) fn greeting(&self) -> [Frame; 2] {
        let state = self.state();
        [
            Frame::passing("partial", &state.partial.whole()),
            Frame::passing("working", &json!({ "working": state.is_working })),
        ]
    }

    /// Says whether an agent of this server works on the session.
    pub(crate) fn set_working(&self, is_working: bool) {
        let mut state = self.state();
        state.is_working = is_working;
        // Nobody may be watching.
        let _ = self.frames.send(Frame::passing("working", &json!({ "working": is_working })));
    }

    /// Tells of a piece of an answer.
    pub(crate) fn say(&self, delta: &Delta) {
        let mut state = self.state();
        if let Some(data) = state.partial.push(delta) {
            let _ = self.frames.send(Frame::passing("delta", &data));
        }
    }

    /// Takes in a record as it is written. False where others come before it, which have to be read first.
    pub(crate) fn take_in(&self, record: &Arc<Record>) -> bool {
        let mut state = self.state();
        if record.seq > state.outline.head() + 1 {
            return false;
        }
        self.note(&mut state, record);
        true
    }

    /// Reads what the back end has and this has not.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(crate) async fn catch_up(&self) -> Result<(), StoreError> {
        let mut read = self.reading.lock().await;
        loop {
            let from = self.state().outline.head() + 1;
            let (backend, id) = (Arc::clone(&self.backend), self.id);
            let entries = off_thread(move || backend.read(id, from, READ)).await?;
            if entries.is_empty() {
                *read = Some(Instant::now());
                return Ok(());
            }
            let mut state = self.state();
            for entry in entries {
                match entry {
                    Stored::Record(record) => self.note(&mut state, &Arc::new(*record)),
                    Stored::Damaged(damage) => state.outline.note_damage(damage),
                }
            }
        }
    }

    /// The same, for a session that another process may be writing, and not more often than is useful.
    pub(crate) async fn look(&self) {
        let is_due = self.reading.lock().await.is_none_or(|last| last.elapsed() >= LOOKED_AT);
        if !is_due || self.state().is_working {
            return;
        }
        if let Err(error) = self.catch_up().await {
            tracing::warn!(target: "toolgate", session = %self.id, "a session cannot be read: {error}");
        }
    }

    /// Takes in one record, and tells of it.
    fn note(&self, state: &mut State, record: &Arc<Record>) {
        if record.seq <= state.outline.head() {
            return;
        }
        if matches!(record.event, Event::AssistantMessage(_) | Event::TurnEnd(_)) {
            state.partial.clear();
            let _ = self.frames.send(Frame::passing("partial", &state.partial.whole()));
        }
        let Some(change) = state.outline.note(record) else { return };
        if self.frames.receiver_count() > 0 {
            let _ = self.frames.send(Frame::changes(record.seq, self.draw(&state.outline, &change)));
        }
    }

    /// What a change does to pages.
    fn draw(&self, outline: &Outline, change: &Change) -> Vec<serde_json::Value> {
        let Some(entry) = outline.get(change.place) else { return Vec::new() };
        let body = self.drawing().body(entry.seq, &change.records);
        let parent = entry.parent.and_then(|parent| outline.get(parent));
        let mut changes = vec![if change.is_new {
            let list = parent.map_or_else(|| TIMELINE.to_owned(), |parent| list_id(parent.seq));
            frame::added(&list, &format!("i{}", entry.seq), item(entry, body, html! {}))
        } else {
            frame::changed(&format!("c{}", entry.seq), body)
        }];
        changes.extend(parent.map(|parent| frame::changed(&count_id(parent.seq), count(parent))));
        changes
    }
}

/// The list of the timeline.
const TIMELINE: &str = "timeline";

fn list_id(program: u64) -> String {
    format!("s{program}")
}

fn count_id(program: u64) -> String {
    format!("n{program}")
}

/// How many calls of a program there are, and how many are settled.
fn count(program: &Entry) -> Markup {
    let calls = program.children.len();
    html! {
        p.count id=(count_id(program.seq)) {
            @if calls > 0 {
                (calls) @if calls == 1 { " call" } @else { " calls" }
                @if program.settled < calls { ", " (program.settled) " settled" }
            }
        }
    }
}

/// An entry as an item of a list.
fn item(entry: &Entry, body: Markup, children: Markup) -> Markup {
    html! {
        li.entry id={ "i" (entry.seq) } data-seq=(entry.seq) {
            (body)
            @if entry.is_program {
                (count(entry))
                ol.subs id=(list_id(entry.seq)) aria-label="Calls of the program" { (children) }
            }
        }
    }
}

/// Runs something that reads files on a thread that may wait for them.
pub(crate) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let lost = |error| StoreError::Io {
        action: "reading",
        path: std::path::PathBuf::new(),
        source: std::io::Error::other(error),
    };
    tokio::task::spawn_blocking(work).await.map_err(lost)?
}
