//! Writes Markdown: lines with the prefixes of the containers that they are in, and text with its marks.

use super::inline::Mark;

/// How many containers may be open. What is nested deeper is written at this depth.
const MOST_CONTAINERS: usize = 32;

/// How many marks may be open. What is nested deeper has no mark of its own.
const MOST_MARKS: usize = 8;

/// What a line stands in.
#[derive(Debug)]
pub(super) enum Container {
    Quote,
    /// A list with the number of its next item, if it has numbers.
    List {
        number: Option<u64>,
    },
    /// An item with its marker until it was written, then its width.
    Item {
        marker: String,
        written: bool,
    },
}

/// The distance from the text before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
    Paragraph,
}

/// A Markdown text that grows.
#[derive(Debug)]
pub(super) struct Markdown {
    out: String,
    limit: usize,
    containers: Vec<Container>,
    marks: Vec<Mark>,
    gap: Gap,
    heading: Option<usize>,
    /// Written before the next text: the number signs of a heading.
    lead: &'static str,
    /// How many cells of tables are open.
    pub(super) cells: u32,
}

impl Markdown {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            out: String::new(),
            limit,
            containers: Vec::new(),
            marks: Vec::new(),
            gap: Gap::None,
            heading: None,
            lead: "",
            cells: 0,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.out.len() > self.limit
    }

    /// The text, without marks that are still open and white space at the end.
    pub(super) fn finish(mut self) -> String {
        self.close_marks(0);
        self.out.truncate(self.out.trim_end().len());
        self.out
    }

    /// Running text; white space is collapsed.
    pub(super) fn text(&mut self, text: &str) {
        let mut words = text.split_ascii_whitespace();
        if text.starts_with(|c: char| c.is_ascii_whitespace()) {
            self.space();
        }
        if let Some(first) = words.next() {
            self.begin();
            self.word(first);
            for word in words {
                self.out.push(' ');
                self.word(word);
            }
            if text.ends_with(|c: char| c.is_ascii_whitespace()) {
                self.space();
            }
        }
    }

    /// Text as it is, its lines with the prefixes of the containers.
    pub(super) fn verbatim(&mut self, text: &str) {
        self.begin();
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.new_line();
            }
            self.out.push_str(line);
            if self.is_full() {
                return;
            }
        }
    }

    /// The next text is a word of its own.
    pub(super) fn space(&mut self) {
        self.gap = self.gap.max(Gap::Space);
    }

    /// The next text begins on a line of its own.
    pub(super) fn line(&mut self) {
        self.ask(Gap::Line);
    }

    /// The next text is a paragraph of its own.
    pub(super) fn paragraph(&mut self) {
        self.ask(Gap::Paragraph);
    }

    /// Begins a heading of this level; text is on one line until [`Self::end_heading`].
    pub(super) fn heading(&mut self, level: usize) {
        self.end_heading();
        self.paragraph();
        if self.is_one_line() {
            return;
        }
        self.heading = Some(level);
        self.lead = "######".get(..level).map_or("", |signs| signs);
    }

    pub(super) fn end_heading(&mut self) {
        if self.heading.take().is_some() {
            self.close_marks(0);
            self.marks.clear();
            self.lead = "";
            self.paragraph();
        }
    }

    /// Enters a container; whether there was room for it.
    pub(super) fn enter(&mut self, container: Container) -> bool {
        let room = self.containers.len() < MOST_CONTAINERS;
        if room {
            self.containers.push(container);
        }
        room
    }

    /// Leaves the innermost container that `is` the one meant, and those within it.
    pub(super) fn leave(&mut self, is: impl Fn(&Container) -> bool) {
        if let Some(at) = self.containers.iter().rposition(is) {
            self.containers.truncate(at);
        }
    }

    /// Begins an item of the innermost list, or of a list that the page forgot to open.
    pub(super) fn item(&mut self) {
        let list = self.containers.iter().rposition(|container| matches!(container, Container::List { .. }));
        let stray = self.containers.iter().rposition(|container| matches!(container, Container::Item { .. }));
        let kept = list.map(|at| at.saturating_add(1)).or(stray).unwrap_or(self.containers.len());
        self.containers.truncate(kept);
        let marker = match self.containers.last_mut() {
            Some(Container::List { number: Some(number) }) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            Some(Container::List { number: None } | Container::Quote | Container::Item { .. }) | None => {
                "- ".to_owned()
            }
        };
        self.line();
        self.enter(Container::Item { marker, written: false });
    }

    pub(super) fn is_in_item(&self) -> bool {
        self.containers.iter().any(|container| matches!(container, Container::Item { .. }))
    }

    /// Opens a mark; whether there was room for it.
    pub(super) fn mark(&mut self, mark: Mark) -> bool {
        let room = self.marks.len() < MOST_MARKS;
        if room {
            self.marks.push(mark);
        }
        room
    }

    /// Closes the innermost mark that `is` the one meant. Marks within it close too, and open again after it.
    pub(super) fn unmark(&mut self, is: impl Fn(&Mark) -> bool) {
        if let Some(at) = self.marks.iter().rposition(is) {
            self.close_marks(at);
            self.marks.remove(at);
        }
    }

    /// Closes the marks from `first` on; they open again with the next text.
    fn close_marks(&mut self, first: usize) {
        for mark in self.marks.iter_mut().skip(first).rev() {
            mark.close(&mut self.out);
        }
    }

    /// A heading, a link and a cell have no line ends.
    fn is_one_line(&self) -> bool {
        self.heading.is_some() || self.cells > 0 || self.marks.iter().any(Mark::is_link)
    }

    /// Asks for a distance: a word's, where all is on one line.
    fn ask(&mut self, gap: Gap) {
        if self.is_one_line() {
            self.space();
        } else {
            self.close_marks(0);
            // A block at the start of an item stands beside its marker.
            let at_marker = matches!(self.containers.last(), Some(Container::Item { written: false, .. }));
            self.gap = self.gap.max(if at_marker { Gap::Line } else { gap });
        }
    }

    /// Writes the gap, the prefixes and the opening marks before text.
    fn begin(&mut self) {
        if self.out.is_empty() {
            self.prefix();
        } else {
            match self.gap {
                Gap::None => {}
                Gap::Space => self.out.push(' '),
                Gap::Line => self.new_line(),
                Gap::Paragraph => {
                    self.blank_line();
                    self.new_line();
                }
            }
        }
        self.gap = Gap::None;
        self.out.push_str(self.lead);
        if !self.lead.is_empty() {
            self.out.push(' ');
            self.lead = "";
        }
        for mark in &mut self.marks {
            mark.open(&mut self.out);
        }
    }

    fn word(&mut self, word: &str) {
        if self.cells > 0 && word.contains('|') {
            self.out.push_str(&word.replace('|', "\\|"));
        } else {
            self.out.push_str(word);
        }
    }

    fn new_line(&mut self) {
        self.out.push('\n');
        self.prefix();
    }

    /// A line with nothing but the marks of quotations. Items are not begun by it.
    fn blank_line(&mut self) {
        self.out.push('\n');
        let start = self.out.len();
        for container in &self.containers {
            match container {
                Container::Quote => self.out.push_str("> "),
                Container::Item { marker, written: true } => push_spaces(&mut self.out, marker.len()),
                Container::Item { written: false, .. } => break,
                Container::List { .. } => {}
            }
        }
        let kept = self.out.get(start..).map_or(0, |line| line.trim_end().len());
        self.out.truncate(start.saturating_add(kept));
    }

    fn prefix(&mut self) {
        for container in &mut self.containers {
            match container {
                Container::Quote => self.out.push_str("> "),
                Container::List { .. } => {}
                Container::Item { marker, written: written @ false } => {
                    self.out.push_str(marker);
                    *written = true;
                }
                Container::Item { marker, written: true } => push_spaces(&mut self.out, marker.len()),
            }
        }
    }
}

fn push_spaces(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}
