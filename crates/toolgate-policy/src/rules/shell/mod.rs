//! Command lines and the rules about them.
//!
//! Lines are those of `/bin/sh`, whichever shell that is: what POSIX shells and bash do not read alike is a doubt.

mod builtins;
mod doubt;
mod grammar;
mod lexer;
mod line;
mod pattern;
mod word;
mod wrappers;

pub(super) use doubt::{Doubt, DoubtKind};
pub(super) use line::{LONGEST_LINE, ShellLine, SimpleCommand};
pub(super) use pattern::CommandPattern;
pub(super) use wrappers::is_open_ended;
