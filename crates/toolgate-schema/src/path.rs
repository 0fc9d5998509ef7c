//! Paths of places inside a JSON document, kept as segments until somebody reads them.
//!
//! Walkers keep a [`PathTree`] while they walk; violations hold a [`PathRef`] into it. All violations of one walk
//! share one tree, so their memory is linear in the document even when every level of a deep document is at
//! fault. Text is built only when it is asked for.

use std::fmt::Write;
use std::sync::Arc;

/// What a path begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Root {
    /// The text of the root itself.
    pub(crate) text: &'static str,
    /// Whether a property of the root is written without the root's text.
    pub(crate) implicit: bool,
}

impl Root {
    /// Paths that are relative to a value which needs no name: `items[3].name`, and nothing for the root.
    pub(crate) const RELATIVE: Self = Self { text: "", implicit: true };
    /// Paths inside a raw schema.
    pub(crate) const SCHEMA: Self = Self { text: "schema", implicit: false };
    /// Paths inside a parameter map of the author language.
    pub(crate) const PARAMETERS: Self = Self { text: "parameters", implicit: false };
    /// Paths inside a validated value.
    pub(crate) const VALUE: Self = Self { text: "value", implicit: false };
    /// Paths inside the arguments of a call.
    pub(crate) const ARGUMENTS: Self = Self { text: "arguments", implicit: true };
}

/// One step from a container to a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment<K> {
    /// The property of an object.
    Key(K),
    /// The item of a list, counted from 0.
    Index(usize),
}

/// Writes a path as text: `.name` for a property, `[i]` for an item, names unchanged.
pub(crate) fn render<'a>(root: Root, segments: impl Iterator<Item = Segment<&'a str>>) -> String {
    let mut segments = segments.peekable();
    let bare = root.implicit && matches!(segments.peek(), Some(Segment::Key(_)));
    let mut text = if bare { String::new() } else { String::from(root.text) };
    let mut separate = !bare && !root.text.is_empty();
    for segment in segments {
        match segment {
            Segment::Key(name) => {
                if separate {
                    text.push('.');
                }
                text.push_str(name);
            }
            Segment::Index(index) => {
                // Writing into a String cannot fail.
                let _ = write!(text, "[{index}]");
            }
        }
        separate = true;
    }
    text
}

/// A place in a [`PathTree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PathId(usize);

impl PathId {
    /// The root of every tree.
    pub(crate) const ROOT: Self = Self(usize::MAX);
}

/// The places that a walk has met, each as one segment below another place.
#[derive(Debug)]
pub(crate) struct PathTree<K> {
    root: Root,
    places: Vec<(PathId, Segment<K>)>,
}

impl<'a> PathTree<&'a str> {
    /// A tree that has only its root.
    pub(crate) fn new(root: Root) -> Self {
        Self { root, places: Vec::new() }
    }

    /// Adds the property `name` of `parent`.
    pub(crate) fn key(&mut self, parent: PathId, name: &'a str) -> PathId {
        self.add(parent, Segment::Key(name))
    }

    /// Adds the item `index` of `parent`.
    pub(crate) fn index(&mut self, parent: PathId, index: usize) -> PathId {
        self.add(parent, Segment::Index(index))
    }

    fn add(&mut self, parent: PathId, segment: Segment<&'a str>) -> PathId {
        let id = PathId(self.places.len());
        self.places.push((parent, segment));
        id
    }

    /// Ends the walk: the tree no longer borrows the document.
    pub(crate) fn finish(self) -> Arc<PathTree<Box<str>>> {
        let own = |segment| match segment {
            Segment::Key(name) => Segment::Key(Box::from(name)),
            Segment::Index(index) => Segment::Index(index),
        };
        let places = self.places.into_iter().map(|(parent, segment)| (parent, own(segment))).collect();
        Arc::new(PathTree { root: self.root, places })
    }
}

impl<K: AsRef<str>> PathTree<K> {
    /// The text of a place.
    pub(crate) fn text(&self, id: PathId) -> String {
        let mut segments = Vec::new();
        let mut next = id;
        while let Some((parent, segment)) = self.places.get(next.0) {
            segments.push(match segment {
                Segment::Key(name) => Segment::Key(name.as_ref()),
                Segment::Index(index) => Segment::Index(*index),
            });
            next = *parent;
        }
        render(self.root, segments.into_iter().rev())
    }
}

/// A place that outlives its walk.
#[derive(Debug, Clone)]
pub(crate) struct PathRef {
    pub(crate) tree: Arc<PathTree<Box<str>>>,
    pub(crate) id: PathId,
}

impl PathRef {
    /// The text of the place, built anew on each call.
    pub(crate) fn text(&self) -> String {
        self.tree.text(self.id)
    }
}
