//! The session log through its public API. Every back end is held to the same tables.

mod backends;
mod damage;
mod events;
mod recovery;
mod replay;
mod support;
mod torn;
mod writers;
