//! [`Entries`]: a session read page by page, also while it grows.

use std::collections::VecDeque;

use crate::{Backend, Entry, SessionId, StoreError};

/// How many entries are read at a time.
const PAGE: usize = 512;

/// The entries of a session, in order. No more than a page is held at a time.
///
/// At the end it gives nothing; asked again later, it gives what was appended meanwhile. Damage whose end nothing tells
/// yet is given once, and again with its end when something stands behind it.
pub struct Entries<'a> {
    backend: &'a dyn Backend,
    id: SessionId,
    next: u64,
    page: VecDeque<Entry>,
    /// The last damage without an end.
    open: Option<Open>,
}

/// Damage of which nothing behind it tells how far it goes.
#[derive(Clone, Copy)]
struct Open {
    first: u64,
    is_told: bool,
}

impl<'a> Entries<'a> {
    /// Reads a session from the place `from` on.
    #[must_use]
    pub fn new(backend: &'a dyn Backend, id: SessionId, from: u64) -> Self {
        Self { backend, id, next: from.max(1), page: VecDeque::new(), open: None }
    }

    /// The place of the next entry.
    #[must_use]
    pub fn place(&self) -> u64 {
        self.next
    }

    fn take(&mut self, entry: Entry) -> Step {
        match &entry {
            Entry::Record(record) => self.next = record.seq + 1,
            Entry::Damaged(damage) => match damage.last {
                Some(last) => self.next = last + 1,
                None => {
                    let open = self.open.filter(|open| open.first == damage.first);
                    self.next = damage.first;
                    self.page.clear();
                    self.open = Some(Open { first: damage.first, is_told: open.is_some() });
                    match open {
                        // Read from there on, more may be found of it.
                        None => return Step::Again,
                        Some(Open { is_told: true, .. }) => return Step::End,
                        Some(Open { is_told: false, .. }) => {}
                    }
                }
            },
        }
        Step::Give(entry)
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<Entry, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.page.is_empty() {
                match self.backend.read(self.id, self.next, PAGE) {
                    Ok(page) => self.page = page.into(),
                    Err(error) => return Some(Err(error)),
                }
            }
            let entry = self.page.pop_front()?;
            match self.take(entry) {
                Step::Give(entry) => return Some(Ok(entry)),
                Step::Again => {}
                Step::End => return None,
            }
        }
    }
}

/// What to do after an entry was read.
enum Step {
    Give(Entry),
    Again,
    End,
}
