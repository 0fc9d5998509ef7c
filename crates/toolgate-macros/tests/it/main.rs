//! The macros through the public API: what schemas say, what tools do, and what is said about mistakes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failing helper fails its test")]

mod case;
mod described;
mod enums;
mod messages;
mod structs;
mod tools;
