//! Entries of a session from one place to another, drawn from the back end: for a page, for more of it, and for a browser
//! that comes back.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use maud::{Markup, html};
use serde_json::Value;
use toolgate_session::{Backend, Entry as Stored, Record, SessionId, StoreError};

use super::entry::damaged;
use super::outline::{Outline, Place};
use super::{Entry, Feed, Frame, TIMELINE, count, count_id, frame, item, list_id, off_thread};

/// How many entries are drawn at a time.
const PAGE: usize = 60;

/// How many calls of one program are drawn with it. The others are on the pages before.
const MOST_CHILDREN: usize = 60;

/// How many changed entries a browser that comes back is told of one by one.
const MOST_CHANGES: usize = 200;

/// Records that are this close together are read at once.
const CLOSE: u64 = 32;

/// How many records are read at once.
const MOST_AT_ONCE: u64 = 512;

/// Which entries of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Window {
    /// The last ones.
    Last,
    /// Those before an entry.
    Before(u64),
    /// Those behind an entry.
    After(u64),
}

/// Some entries.
pub(crate) struct Page {
    /// They.
    pub(crate) entries: Markup,
    /// The first of them, where there are others before.
    pub(crate) before: Option<u64>,
    /// The last of them, where there are others behind.
    pub(crate) after: Option<u64>,
    /// The last record that is in them.
    pub(crate) head: u64,
}

/// An entry, and the last of its sub-calls.
struct Chosen {
    entry: Entry,
    children: Vec<Entry>,
}

impl Chosen {
    fn of(outline: &Outline, place: Place) -> Option<Self> {
        let entry = outline.get(place)?.clone();
        let first = entry.children.len().saturating_sub(MOST_CHILDREN);
        let shown = entry.children.get(first..).unwrap_or_default();
        let children = shown.iter().filter_map(|place| outline.get(*place).cloned()).collect();
        Some(Self { entry, children })
    }

    fn seqs(&self) -> impl Iterator<Item = u64> {
        [&self.entry].into_iter().chain(&self.children).flat_map(Entry::seqs)
    }
}

impl Feed {
    /// Entries of the timeline, or of the program that is named by its entry.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(crate) async fn page(&self, program: Option<u64>, window: Window) -> Result<Page, StoreError> {
        let (chosen, before, after, head) = {
            let state = self.state();
            let outline = &state.outline;
            let list = match program {
                Some(seq) => outline.find(seq).map_or(&[][..], |place| outline.list(Some(place))),
                None => outline.list(None),
            };
            let seq = |place: &Place| outline.get(*place).map_or(0, |entry| entry.seq);
            let (from, to) = match window {
                Window::Last => (list.len().saturating_sub(PAGE), list.len()),
                Window::Before(end) => {
                    let to = list.partition_point(|place| seq(place) < end);
                    (to.saturating_sub(PAGE), to)
                }
                Window::After(start) => {
                    let from = list.partition_point(|place| seq(place) <= start);
                    (from, (from + PAGE).min(list.len()))
                }
            };
            let places = list.get(from..to).unwrap_or_default();
            let chosen: Vec<_> = places.iter().filter_map(|place| Chosen::of(outline, *place)).collect();
            let before = if from > 0 { places.first().map(seq) } else { None };
            let after = if to < list.len() { places.last().map(seq) } else { None };
            (chosen, before, after, outline.head())
        };
        let records = self.records(chosen.iter().flat_map(Chosen::seqs).collect()).await?;
        let entries = html! { @for one in &chosen { (self.drawn(one, &records)) } };
        Ok(Page { entries, before, after, head })
    }

    /// What a browser has missed that has seen everything up to a record. Nothing where that is nothing.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(crate) async fn missed(&self, since: u64) -> Result<Option<Frame>, StoreError> {
        let (head, changed) = {
            let state = self.state();
            let outline = &state.outline;
            let head = outline.head();
            if since >= head {
                // A page of a session that was longer once is a page of another one.
                return Ok((since > head).then(|| Frame::reload(head)));
            }
            let places = outline.changed_since(since);
            if places.len() > MOST_CHANGES {
                return Ok(Some(Frame::reload(head)));
            }
            let changed: Vec<_> = places
                .into_iter()
                .filter_map(|place| {
                    let chosen = Chosen::of(outline, place)?;
                    let parent = chosen.entry.parent.and_then(|parent| outline.get(parent).cloned());
                    Some((chosen, parent))
                })
                .collect();
            (head, changed)
        };
        let records = self.records(changed.iter().flat_map(|(chosen, _)| chosen.seqs()).collect()).await?;
        let mut changes: Vec<Value> = Vec::new();
        for (chosen, parent) in &changed {
            let seq = chosen.entry.seq;
            if seq <= since {
                changes.push(frame::changed(&format!("c{seq}"), self.body(&chosen.entry, &records)));
            } else if let Some(parent) = parent {
                // A program that is new itself came with its calls.
                if parent.seq <= since {
                    let item = self.drawn(chosen, &records);
                    changes.push(frame::added(&list_id(parent.seq), &format!("i{seq}"), item));
                }
            } else {
                changes.push(frame::added(TIMELINE, &format!("i{seq}"), self.drawn(chosen, &records)));
            }
            changes
                .extend(parent.as_ref().map(|parent| frame::changed(&count_id(parent.seq), count(parent))));
        }
        Ok(Some(Frame::changes(head, changes)))
    }

    /// One record of the session.
    ///
    /// # Errors
    /// [`StoreError`].
    pub(crate) async fn record(&self, seq: u64) -> Result<Option<Arc<Record>>, StoreError> {
        Ok(self.records(BTreeSet::from([seq])).await?.remove(&seq))
    }

    /// An entry as an item, with the last of its sub-calls.
    fn drawn(&self, chosen: &Chosen, records: &HashMap<u64, Arc<Record>>) -> Markup {
        let Chosen { entry, children } = chosen;
        let left = entry.children.len().saturating_sub(children.len());
        let children = html! {
            @if let (true, Some(first)) = (left > 0, children.first()) {
                li.earlier {
                    a href={ "/sessions/" (self.id()) "/items?in=" (entry.seq) "&before=" (first.seq) } data-earlier {
                        (left) " earlier calls"
                    }
                }
            }
            @for child in children { (item(child, self.body(child, records), html! {})) }
        };
        item(entry, self.body(entry, records), children)
    }

    fn body(&self, entry: &Entry, records: &HashMap<u64, Arc<Record>>) -> Markup {
        if let Some(damage) = &entry.damage {
            return damaged(damage);
        }
        let own: Vec<_> = entry.seqs().filter_map(|seq| records.get(&seq).cloned()).collect();
        self.drawing().body(entry.seq, &own)
    }

    async fn records(&self, seqs: BTreeSet<u64>) -> Result<HashMap<u64, Arc<Record>>, StoreError> {
        let (backend, id) = (Arc::clone(&self.backend), self.id);
        off_thread(move || read(&*backend, id, &seqs)).await
    }
}

/// Reads records, close ones together.
fn read(
    backend: &dyn Backend,
    id: SessionId,
    seqs: &BTreeSet<u64>,
) -> Result<HashMap<u64, Arc<Record>>, StoreError> {
    let mut records = HashMap::new();
    let mut wanted = seqs.iter().copied().peekable();
    while let Some(first) = wanted.next() {
        let mut last = first;
        while let Some(next) = wanted.next_if(|next| next - last <= CLOSE && next - first < MOST_AT_ONCE) {
            last = next;
        }
        let most = usize::try_from(last - first + 1).unwrap_or(usize::MAX);
        for entry in backend.read(id, first, most)? {
            if let Stored::Record(record) = entry
                && seqs.contains(&record.seq)
            {
                records.insert(record.seq, Arc::new(*record));
            }
        }
    }
    Ok(records)
}
