//! [`Outline`]: what stands where in a session, without what it says.
//!
//! Made of records in their order, by the feed of the session. It holds some numbers for each entry, so that a page of a
//! long session is found at once and rendered from the few records that it is made of. Only what is not settled yet is
//! kept whole.

use std::collections::HashMap;
use std::sync::Arc;

use toolgate::CallId;
use toolgate::registry::RUN_CODE;
use toolgate_session::{Damage, Event, Record};

/// The place of an entry in its outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place(usize);

/// One thing that a timeline shows.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The first record that it is made of, which is its name in pages.
    pub(crate) seq: u64,
    /// The other records that it is made of.
    pub(crate) more: Vec<u64>,
    /// The program that it belongs to, for a sub-call.
    pub(crate) parent: Option<Place>,
    /// Whether it is a program, which has sub-calls.
    pub(crate) is_program: bool,
    /// The sub-calls of a program.
    pub(crate) children: Vec<Place>,
    /// How many of them are settled.
    pub(crate) settled: usize,
    /// What is lost in its place.
    pub(crate) damage: Option<Damage>,
}

impl Entry {
    /// The last record that changed it.
    pub(crate) fn last(&self) -> u64 {
        self.more.last().copied().unwrap_or(self.seq)
    }

    /// Its records, in order.
    pub(crate) fn seqs(&self) -> impl Iterator<Item = u64> {
        [self.seq].into_iter().chain(self.more.iter().copied())
    }
}

/// What a record did to the outline.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) place: Place,
    pub(crate) is_new: bool,
    /// The records that the entry is made of now.
    pub(crate) records: Vec<Arc<Record>>,
}

/// The entries of one session.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    entries: Vec<Entry>,
    /// Those that are no sub-calls.
    top: Vec<Place>,
    /// The calls that are not settled, and their records.
    open: HashMap<CallId, (Place, Vec<Arc<Record>>)>,
    head: u64,
    is_turn_open: bool,
    task: Option<String>,
}

impl Outline {
    /// The last record that is in it; 0 for none.
    pub(crate) fn head(&self) -> u64 {
        self.head
    }

    /// Whether a turn was begun that has no end yet.
    pub(crate) fn is_turn_open(&self) -> bool {
        self.is_turn_open
    }

    /// The first message of the session.
    pub(crate) fn task(&self) -> Option<&str> {
        self.task.as_deref()
    }

    pub(crate) fn get(&self, place: Place) -> Option<&Entry> {
        self.entries.get(place.0)
    }

    /// The entry whose name is a record.
    pub(crate) fn find(&self, seq: u64) -> Option<Place> {
        self.entries.binary_search_by_key(&seq, |entry| entry.seq).ok().map(Place)
    }

    /// The entries of the timeline, or of a program.
    pub(crate) fn list(&self, of: Option<Place>) -> &[Place] {
        match of {
            None => &self.top,
            Some(program) => self.get(program).map_or(&[], |entry| &entry.children),
        }
    }

    /// The entries that came or changed behind a record, in their order.
    pub(crate) fn changed_since(&self, seq: u64) -> Vec<Place> {
        let places = self.entries.iter().enumerate();
        places.filter(|(_, entry)| entry.last() > seq).map(|(at, _)| Place(at)).collect()
    }

    /// Takes in a record that follows those before. One that is in already changes nothing.
    pub(crate) fn note(&mut self, record: &Arc<Record>) -> Option<Change> {
        if record.seq <= self.head {
            return None;
        }
        self.head = record.seq;
        match &record.event {
            Event::TurnStart(_) => {
                self.is_turn_open = true;
                // What a crash left open stays as it is.
                self.open.clear();
                Some(self.add(record, None))
            }
            Event::UserMessage(message) => {
                if self.task.is_none() && message.source.is_none() {
                    let text = message.content.iter().find_map(toolgate::ContentBlock::as_text);
                    self.task = text.map(str::to_owned);
                }
                Some(self.add(record, None))
            }
            Event::AssistantMessage(message) if message.content.is_empty() => None,
            Event::AssistantMessage(_) => Some(self.add(record, None)),
            Event::TurnEnd(_) => {
                self.is_turn_open = false;
                Some(self.add(record, None))
            }
            Event::ToolCall(call) => {
                let change = self.begin(&call.call_id, None, record);
                self.entries.get_mut(change.place.0)?.is_program = call.name == RUN_CODE;
                Some(change)
            }
            Event::CodeDispatchStart(call) => {
                let parent = self.open.get(&call.parent).map(|(place, _)| *place);
                Some(self.begin(&call.call_id, parent, record))
            }
            Event::BodyStarted(body) => self.go_on(&body.call_id, record),
            Event::BodyEnded(_) => None,
            Event::ApprovalAsked(asked) => self.go_on(&asked.call_id, record),
            Event::ApprovalDecided(decided) => self.go_on(&decided.call_id, record),
            Event::SubagentStarted(started) => self.go_on(&started.call_id, record),
            Event::ToolResult(result) => self.end(&result.call_id, record),
            Event::CodeDispatch(call) => self.end(&call.call_id, record),
        }
    }

    /// Takes in that records are lost.
    pub(crate) fn note_damage(&mut self, damage: Damage) {
        if damage.first <= self.head {
            return;
        }
        self.head = damage.last.unwrap_or(damage.first);
        let place = self.push(damage.first, None);
        if let Some(entry) = self.entries.get_mut(place.0) {
            entry.damage = Some(damage);
        }
    }

    fn push(&mut self, seq: u64, parent: Option<Place>) -> Place {
        let place = Place(self.entries.len());
        let (more, children) = (Vec::new(), Vec::new());
        let is_program = false;
        self.entries.push(Entry { seq, more, parent, is_program, children, settled: 0, damage: None });
        match parent.and_then(|parent| self.entries.get_mut(parent.0)) {
            Some(program) => program.children.push(place),
            None => self.top.push(place),
        }
        place
    }

    fn add(&mut self, record: &Arc<Record>, parent: Option<Place>) -> Change {
        let place = self.push(record.seq, parent);
        Change { place, is_new: true, records: vec![Arc::clone(record)] }
    }

    fn begin(&mut self, call_id: &CallId, parent: Option<Place>, record: &Arc<Record>) -> Change {
        let change = self.add(record, parent);
        self.open.insert(call_id.clone(), (change.place, change.records.clone()));
        change
    }

    fn go_on(&mut self, call_id: &CallId, record: &Arc<Record>) -> Option<Change> {
        let (place, records) = self.open.get_mut(call_id)?;
        records.push(Arc::clone(record));
        let change = Change { place: *place, is_new: false, records: records.clone() };
        self.entries.get_mut(change.place.0)?.more.push(record.seq);
        Some(change)
    }

    fn end(&mut self, call_id: &CallId, record: &Arc<Record>) -> Option<Change> {
        let change = self.go_on(call_id, record)?;
        self.open.remove(call_id);
        let parent = self.get(change.place)?.parent;
        if let Some(program) = parent.and_then(|parent| self.entries.get_mut(parent.0)) {
            program.settled += 1;
        }
        Some(change)
    }
}
