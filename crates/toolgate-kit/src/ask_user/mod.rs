//! The `ask_user` tool: a question that only a person can answer.
//!
//! It asks through the people of `toolgate-policy`, the same ones that approve calls, and decides nothing itself.

mod tool;
mod types;

pub use tool::ask_user;
