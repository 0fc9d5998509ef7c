//! [`Pins`]: judges what servers offer by what is pinned, and takes approvals.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::definition::text_of;
use super::diff::unified;
use super::lock_file::{self, LockFileError, Pin, Servers};
use crate::config::{NewTools, PinPolicy, ServerName};
use crate::upstream::Offer;

/// The pins of every server, and what each offered last. Cheap to clone; clones share everything.
///
/// Before each write the file is read again, so that pins that another process made for other servers stay.
#[derive(Clone)]
pub struct Pins(Arc<Shared>);

struct Shared {
    path: PathBuf,
    state: Mutex<State>,
    /// Counts approvals, for those who judge again after one.
    approvals: watch::Sender<u64>,
}

struct State {
    pinned: Servers,
    offered: Servers,
}

/// What is to be done with one offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is offered.
    Trusted,
    /// It waits for approval, for this reason.
    Quarantined(String),
}

/// A difference between what is pinned and what a server offered last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The server.
    pub server: String,
    /// The server's own name for the tool.
    pub tool: String,
    /// What happened to it.
    pub kind: DriftKind,
}

/// What happened to a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriftKind {
    /// Its definition is another one; the difference, in the unified form.
    Changed(String),
    /// It was not there before; its definition, as a difference from nothing.
    Added(String),
    /// It is pinned and not offered any more.
    Removed,
}

/// Why something cannot be approved.
#[derive(Debug, thiserror::Error)]
pub enum PinError {
    /// The server has not been asked.
    #[error("nothing is known of what the server {0:?} offers now; hint: connect to it first")]
    UnknownServer(String),
    /// The server does not offer the tool.
    #[error("the server {server:?} offers no tool {tool:?}")]
    UnknownTool {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// The lock file failed.
    #[error(transparent)]
    LockFile(#[from] LockFileError),
}

impl Pins {
    /// The pins of a lock file. One that is not there yet is made with the first pin.
    ///
    /// # Errors
    /// The file is there and cannot be used. Whoever goes on without it trusts whatever comes.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, LockFileError> {
        let path = path.into();
        let state = State { pinned: lock_file::read(&path)?, offered: Servers::new() };
        Ok(Self(Arc::new(Shared { path, state: Mutex::new(state), approvals: watch::Sender::new(0) })))
    }

    /// Where the lock file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// What differs from what is pinned, for every server that has been asked, in order of servers and tools.
    #[must_use]
    pub fn diff(&self) -> Vec<Drift> {
        let state = self.lock();
        let mut drifts = Vec::new();
        for (server, offered) in &state.offered {
            let Some(pinned) = state.pinned.get(server) else { continue };
            let names: std::collections::BTreeSet<&String> = pinned.keys().chain(offered.keys()).collect();
            for tool in names {
                let kind = match (pinned.get(tool), offered.get(tool)) {
                    (Some(pin), Some(offer)) if pin.matches(offer) => continue,
                    (Some(pin), Some(offer)) => DriftKind::Changed(difference(pin, offer)),
                    (None, Some(offer)) => DriftKind::Added(unified("", &text_of(offer.definition()))),
                    (_, None) => DriftKind::Removed,
                };
                drifts.push(Drift { server: server.clone(), tool: tool.clone(), kind });
            }
        }
        drifts
    }

    /// Pins what a tool says of itself now; the tool is offered from then on.
    ///
    /// # Errors
    /// The server has not been asked, does not offer the tool, or the file cannot be written.
    pub fn approve(&self, server: &ServerName, tool: &str) -> Result<(), PinError> {
        self.pin_where(server, |name| name == tool).and_then(|count| match count {
            0 => Err(PinError::UnknownTool { server: server.to_string(), tool: tool.to_owned() }),
            _ => Ok(()),
        })
    }

    /// Pins everything that a server says of its tools now, forgets those that it has not any more, and gives the number
    /// of pins.
    ///
    /// # Errors
    /// The server has not been asked, or the file cannot be written.
    pub fn pin(&self, server: &ServerName) -> Result<usize, PinError> {
        let mut state = self.lock();
        let offered = state.offered.get(server.as_str()).cloned();
        let offered = offered.ok_or_else(|| PinError::UnknownServer(server.to_string()))?;
        let count = offered.len();
        self.keep(&mut state, server, offered)?;
        drop(state);
        self.0.approvals.send_modify(|count| *count += 1);
        Ok(count)
    }

    fn pin_where(&self, server: &ServerName, is_meant: impl Fn(&str) -> bool) -> Result<usize, PinError> {
        let mut state = self.lock();
        let offered = state.offered.get(server.as_str());
        let offered = offered.ok_or_else(|| PinError::UnknownServer(server.to_string()))?;
        let meant: Vec<_> = offered.iter().filter(|(name, _)| is_meant(name)).collect();
        let count = meant.len();
        let mut pins = state.pinned.get(server.as_str()).cloned().unwrap_or_default();
        pins.extend(meant.into_iter().map(|(name, pin)| (name.clone(), pin.clone())));
        if count > 0 {
            self.keep(&mut state, server, pins)?;
        }
        drop(state);
        self.0.approvals.send_modify(|count| *count += 1);
        Ok(count)
    }

    /// What is to be done with each offer of a server, in their order, and what went wrong with the file. The first list
    /// of a server that has any tool is pinned.
    pub(crate) fn judge(
        &self,
        server: &ServerName,
        policy: PinPolicy,
        offers: &[Offer],
    ) -> (Vec<Verdict>, Option<LockFileError>) {
        let offered: BTreeMap<String, Pin> =
            offers.iter().map(|offer| (offer.name.clone(), Pin::of(offer))).collect();
        let mut state = self.lock();
        state.offered.insert(server.as_str().to_owned(), offered.clone());
        let pinned = state.pinned.get(server.as_str()).cloned();
        let is_first = pinned.is_none();
        let pinned = pinned.unwrap_or_default();
        let pins_new = is_first || policy.new_tools == NewTools::Pin;
        let verdicts = offers.iter().map(|offer| match (pinned.get(&offer.name), offered.get(&offer.name)) {
            (Some(pin), Some(now)) if pin.matches(now) => Verdict::Trusted,
            (Some(pin), Some(now)) => Verdict::Quarantined(format!(
                "its definition is not the one that was pinned; hint: read the difference and approve it\n{}",
                difference(pin, now)
            )),
            (None, _) if pins_new => Verdict::Trusted,
            (None, _) => Verdict::Quarantined(
                "it is new on a server that was pinned before; hint: read its definition and approve it"
                    .to_owned(),
            ),
            (Some(_), None) => Verdict::Quarantined("it has no definition".to_owned()),
        });
        let verdicts = verdicts.collect();
        let mut failed = None;
        let is_new = |name: &String| pins_new && !pinned.contains_key(name);
        if offered.keys().any(is_new) {
            let mut pins = pinned.clone();
            pins.extend(
                offered
                    .iter()
                    .filter(|(name, _)| is_new(name))
                    .map(|(name, pin)| (name.clone(), pin.clone())),
            );
            failed = self.keep(&mut state, server, pins).err();
        }
        (verdicts, failed)
    }

    /// The tools of a server that are pinned and that it does not offer any more.
    pub(crate) fn removed(&self, server: &ServerName) -> Vec<String> {
        let state = self.lock();
        let (pinned, offered) = (state.pinned.get(server.as_str()), state.offered.get(server.as_str()));
        let is_gone = |tool: &&String| offered.is_none_or(|offered| !offered.contains_key(*tool));
        pinned.into_iter().flat_map(BTreeMap::keys).filter(is_gone).cloned().collect()
    }

    /// Hears of approvals.
    pub(crate) fn approvals(&self) -> watch::Receiver<u64> {
        self.0.approvals.subscribe()
    }

    /// Makes these the pins of a server, in memory and in the file. In memory also where the file fails.
    fn keep(
        &self,
        state: &mut State,
        server: &ServerName,
        pins: BTreeMap<String, Pin>,
    ) -> Result<(), LockFileError> {
        state.pinned.insert(server.as_str().to_owned(), pins.clone());
        let mut on_disk = lock_file::read(&self.0.path)?;
        on_disk.insert(server.as_str().to_owned(), pins);
        lock_file::write(&self.0.path, &on_disk)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock panics between two changes that belong together.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn difference(pin: &Pin, now: &Pin) -> String {
    let changes = unified(&text_of(pin.definition()), &text_of(now.definition()));
    if changes.is_empty() {
        "(the pin itself is damaged; the definition reads the same)\n".to_owned()
    } else {
        changes
    }
}

impl fmt::Debug for Pins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pins").field("path", &self.0.path).finish_non_exhaustive()
    }
}
