//! One call, as rules look at it: its arguments, read as command lines, paths and addresses when a rule asks.
//!
//! Made once per decision, so that a hundred rules read a command line once. It is never kept, because what paths lead
//! to may change.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::host::Address;
use super::path::{Folder, PathNames};
use super::shell::ShellLine;
use super::subject::{Subject, UNDERSTOOD_BESIDE_COMMAND, paths};

/// A call under decision.
pub(crate) struct Facts<'a> {
    /// The name that was called.
    pub(crate) tool: &'a str,
    /// Its arguments.
    pub(crate) arguments: &'a Value,
    folder: &'a Folder,
    lines: Cache<ShellLine>,
    names: Cache<PathNames>,
    addresses: Cache<Address>,
}

/// What was read, by the place of the argument; a call has few of them.
type Cache<T> = RefCell<Vec<(String, Rc<T>)>>;

impl<'a> Facts<'a> {
    /// The facts of a call that is made in a folder.
    pub(crate) fn new(tool: &'a str, arguments: &'a Value, folder: &'a Folder) -> Self {
        Self {
            tool,
            arguments,
            folder,
            lines: RefCell::default(),
            names: RefCell::default(),
            addresses: RefCell::default(),
        }
    }

    fn fields(&self) -> Option<&'a Map<String, Value>> {
        self.arguments.as_object()
    }

    /// The argument at a JSON pointer.
    pub(crate) fn value(&self, pointer: &str) -> Option<&'a Value> {
        self.arguments.pointer(pointer)
    }

    /// The command line at a JSON pointer; none where no text is there.
    pub(crate) fn line(&self, pointer: &str) -> Option<Rc<ShellLine>> {
        let text = self.value(pointer)?.as_str()?;
        Some(cached(&self.lines, pointer, || ShellLine::read(text)))
    }

    /// The names of the path at a JSON pointer.
    pub(crate) fn path(&self, pointer: &str) -> Rc<PathNames> {
        cached(&self.names, pointer, || self.read_path(self.value(pointer), false))
    }

    /// The address at a JSON pointer.
    pub(crate) fn address(&self, pointer: &str) -> Rc<Address> {
        cached(&self.addresses, pointer, || {
            self.value(pointer).and_then(Value::as_str).map_or(Address::Unreadable, Address::read)
        })
    }

    /// The paths that a tool for files or search is given; at least one.
    pub(crate) fn paths_of(&self, subject: Subject) -> Vec<Rc<PathNames>> {
        let Some(fields) = self.fields() else { return vec![Rc::new(PathNames::unreadable())] };
        if subject == Subject::Tree {
            return vec![cached(&self.names, "(tree)", || self.tree(fields))];
        }
        let names = paths(fields).enumerate().map(|(index, value)| {
            cached(&self.names, &format!("({index})"), || self.read_path(Some(value), false))
        });
        let names: Vec<_> = names.collect();
        if names.is_empty() { vec![Rc::new(PathNames::unreadable())] } else { names }
    }

    /// Where a search looks: everything below its path, or below the workspace.
    fn tree(&self, fields: &Map<String, Value>) -> PathNames {
        // A pattern that leaves the folder makes its path say nothing.
        let pattern = fields.get("pattern").and_then(Value::as_str).unwrap_or_default();
        let leaves =
            self.tool == "glob" && (pattern.starts_with('/') || pattern.split('/').any(|part| part == ".."));
        if leaves {
            return PathNames::unreadable();
        }
        match fields.get("path") {
            None => PathNames::of(".", self.folder, true),
            Some(path) => self.read_path(Some(path), true),
        }
    }

    fn read_path(&self, value: Option<&Value>, is_tree: bool) -> PathNames {
        let text = value.and_then(Value::as_str);
        text.map_or_else(PathNames::unreadable, |text| PathNames::of(text, self.folder, is_tree))
    }

    /// Whether the other arguments of the tool `bash` leave its command what it is.
    pub(crate) fn command_stands_alone(&self) -> bool {
        let Some(fields) = self.fields() else { return false };
        if fields.keys().any(|name| !UNDERSTOOD_BESIDE_COMMAND.contains(&name.as_str())) {
            return false;
        }
        let Some(folder) = fields.get("workdir") else { return true };
        let names = self.read_path(Some(folder), true);
        let is_relative = |name: &str| name.contains('/') && !name.starts_with('/');
        let is_root = names.first() == Some(".");
        names.is_inside()
            && (is_root
                || self.line("/command").is_some_and(|line| {
                    line.commands.iter().all(|command| command.name().is_some_and(|name| !is_relative(name)))
                }))
    }
}

fn cached<T>(cache: &Cache<T>, key: &str, read: impl FnOnce() -> T) -> Rc<T> {
    let known = cache.borrow().iter().find(|(name, _)| name == key).map(|(_, value)| Rc::clone(value));
    known.unwrap_or_else(|| {
        let value = Rc::new(read());
        cache.borrow_mut().push((key.to_owned(), Rc::clone(&value)));
        value
    })
}
