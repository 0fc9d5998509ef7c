//! What each agent has seen of each file: the record that `read`, `write` and `edit` share.
//!
//! A file is known by its place in the workspace, links followed; its state by a fingerprint of the whole content, also
//! where only a window of it was shown. The record is bounded: the file that was not used for the longest time is
//! forgotten first, and counts as never read. Nothing here touches the disk.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolgate::ScopeId;

use super::fingerprint::Fingerprint;

/// How many files are remembered, over all agents.
const REMEMBERED: usize = 4096;

/// Whose record it is; `None` for calls of nobody's agent.
pub(crate) type Agent = Option<ScopeId>;

/// What agents have seen, by agent and place.
#[derive(Debug, Default)]
pub(crate) struct SeenFiles {
    record: Mutex<Record>,
}

#[derive(Debug, Default)]
struct Record {
    files: HashMap<(Agent, PathBuf), Seen>,
    /// How often the record was used.
    now: u64,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    content: Fingerprint,
    used: u64,
}

/// How what an agent saw relates to what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    Current,
    Outdated,
    Never,
}

impl SeenFiles {
    /// Records that `agent` knows the file at `place` with this content.
    pub(crate) fn note(&self, agent: Agent, place: impl Into<PathBuf>, content: Fingerprint) {
        let mut record = self.lock();
        record.now += 1;
        let used = record.now;
        record.files.insert((agent, place.into()), Seen { content, used });
        if record.files.len() > REMEMBERED {
            let oldest = record.files.iter().min_by_key(|(_, seen)| seen.used).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| record.files.remove(&oldest));
        }
    }

    pub(super) fn compare(&self, agent: Agent, place: &str, content: Fingerprint) -> Sight {
        let mut record = self.lock();
        record.now += 1;
        let used = record.now;
        match record.files.get_mut(&(agent, PathBuf::from(place))) {
            None => Sight::Never,
            Some(seen) => {
                seen.used = used;
                if seen.content == content { Sight::Current } else { Sight::Outdated }
            }
        }
    }

    /// Records that what was at `source`, or below it, is at `destination` now. What an agent knew of it stays known;
    /// what anybody knew of the destination stays too, and is outdated by what came there.
    pub(crate) fn moved(&self, source: &str, destination: &str) {
        let mut record = self.lock();
        let moved = record.files.keys().filter(|(_, place)| place.starts_with(source)).cloned();
        for (agent, place) in moved.collect::<Vec<_>>() {
            let (Ok(rest), Some(seen)) =
                (place.strip_prefix(source), record.files.remove(&(agent, place.clone())))
            else {
                continue;
            };
            // An empty rest would leave a separator at the end.
            let rest = Some(rest).filter(|rest| !rest.as_os_str().is_empty());
            let target =
                rest.map_or_else(|| PathBuf::from(destination), |rest| Path::new(destination).join(rest));
            record.files.insert((agent, target), seen);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        // Each use leaves the record whole, whatever happens to its thread.
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_not_used_for_longest_is_forgotten_first() {
        let seen = SeenFiles::default();
        let content = Fingerprint::of(b"x");
        for number in 0..REMEMBERED {
            seen.note(None, format!("f{number}"), content);
        }
        assert_eq!(seen.compare(None, "f0", content), Sight::Current);
        seen.note(None, "one more", content);
        assert_eq!(seen.compare(None, "f0", content), Sight::Current);
        assert_eq!(seen.compare(None, "f1", content), Sight::Never);
        assert_eq!(seen.lock().files.len(), REMEMBERED);
    }

    #[test]
    fn what_is_known_moves_along() {
        let seen = SeenFiles::default();
        let content = Fingerprint::of(b"x");
        for place in ["a", "d/e/f", "ab"] {
            seen.note(None, place, content);
        }
        seen.moved("a", "b");
        seen.moved("d", "x/y");
        for (place, sight) in
            [("a", Sight::Never), ("b", Sight::Current), ("ab", Sight::Current), ("x/y/e/f", Sight::Current)]
        {
            assert_eq!(seen.compare(None, place, content), sight, "{place}");
        }
    }
}
