//! The macros through the public API: what schemas say, what tools do, and what is said about mistakes.

mod case;
mod described;
mod enums;
mod messages;
mod structs;
mod tools;
