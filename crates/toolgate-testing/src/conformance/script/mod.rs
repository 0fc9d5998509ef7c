//! The scenario elements of a case, and the interpreter of their scripts.
//!
//! A scenario is set up from its elements; each script then runs where the library calls the tool, listener, guard,
//! observer or approver that it belongs to, and leaves its lines in the trace.

mod approval;
mod around;
mod body;
mod dispatch_log;
mod elements;
mod finalize;
mod guard;
mod observer;
mod op;
mod outcome;
mod post;
mod pre;
mod setup;
mod stage;
mod tool;
mod world;

pub(crate) use elements::{Elements, GuardSpec, Mode, RestrictionSpec, When};
pub(crate) use outcome::context_names;
pub(crate) use setup::{Scenario, parent_token, play, play_live};
pub(crate) use stage::TICK;
pub(crate) use tool::{ToolSpec, define};
pub(crate) use world::{Site, World};
