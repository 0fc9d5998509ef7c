//! The error that travels through serde while a typed value is encoded or decoded.
//!
//! It starts at the place of the fault with a message only; each container on the way out adds its segment, so
//! no path is kept while nothing is wrong. `encode` and `decode` turn it into their public errors.

use std::fmt::{self, Display};

use crate::excerpt::bounded_message;
use crate::path::{Root, Segment, render};

/// Levels of lists and objects that a typed value may have.
pub(super) const MAX_LEVELS: u16 = 128;

/// Transparent wrappers (`Some`, newtypes) that may stand around each other, over the whole depth.
const MAX_WRAPPERS: u16 = 512;

/// How deep a typed walk is. Serde recurses on the thread's stack, so both counts are bounded.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Depth {
    levels: u16,
    wrappers: u16,
}

impl Depth {
    /// The depth inside a container.
    pub(super) fn container(self) -> Result<Self, TypedError> {
        if self.levels >= MAX_LEVELS {
            return Err(TypedError::new(format!("the value has more than {MAX_LEVELS} levels")));
        }
        Ok(Self { levels: self.levels + 1, wrappers: self.wrappers })
    }

    /// The depth inside a wrapper that adds no JSON level.
    pub(super) fn wrapper(self) -> Result<Self, TypedError> {
        if self.wrappers >= MAX_WRAPPERS {
            return Err(TypedError::new(format!("more than {MAX_WRAPPERS} wrapper types enclose the value")));
        }
        Ok(Self { levels: self.levels, wrappers: self.wrappers + 1 })
    }
}

/// A message, and the way back to the root as far as it is known.
#[derive(Debug)]
pub(super) struct TypedError(Box<Fault>);

#[derive(Debug)]
struct Fault {
    message: String,
    /// From the fault to the root.
    segments: Vec<Segment<String>>,
}

impl TypedError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(Box::new(Fault { message: message.into(), segments: Vec::new() }))
    }

    pub(super) fn at_key(mut self, name: &str) -> Self {
        self.0.segments.push(Segment::Key(name.to_owned()));
        self
    }

    pub(super) fn at_index(mut self, index: usize) -> Self {
        self.0.segments.push(Segment::Index(index));
        self
    }

    /// Path and message.
    pub(super) fn into_parts(self) -> (String, String) {
        let segments = self.0.segments.iter().rev().map(|segment| match segment {
            Segment::Key(name) => Segment::Key(name.as_str()),
            Segment::Index(index) => Segment::Index(*index),
        });
        (render(Root::RELATIVE, segments), self.0.message)
    }
}

impl Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for TypedError {}

impl serde::ser::Error for TypedError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(bounded_message(&message))
    }
}

impl serde::de::Error for TypedError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(bounded_message(&message))
    }
}
