//! HTTP as far as model adapters need it: one POST, whose answer is a stream of events.
//!
//! `connection` opens a socket, with TLS where the address says so; `exchange` sends a request and reads the answer's pieces
//! within their time; `events` makes events of bytes; `retry` decides about another attempt. Each request has a connection of
//! its own and nothing runs in the background, so dropping a request closes its socket. It is built on hyper and rustls,
//! which the web tools use already; a larger client would add a pool, redirects and cookies that nobody needs here.

mod connection;
mod events;
mod exchange;
mod retry;

pub(crate) use events::Events;
pub(crate) use exchange::{Client, Post, Problem, ProblemDetail};
