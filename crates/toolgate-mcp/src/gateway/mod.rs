//! The gateway: what a scope offers, served to any client of the Model Context Protocol.
//!
//! A [`Gateway`] serves over a pair of byte streams ([`serve_stdio`](Gateway::serve_stdio)) and over streamable HTTP
//! ([`serve_http`](Gateway::serve_http)), in both eras of the protocol: with the `initialize` handshake and sessions, and
//! with the requests of 2026-07-28 that stand alone. Each client conversation has a scope of its own (`session`), chosen
//! by a [`Profile`]; it lists what that scope sees (`catalog`) and calls through the pipeline (`call`), so list, call and
//! policy agree. Questions to people go to the client that made the call (`asking`), and wait for its next request where
//! the protocol has it so (`parked`).
//!
//! Frames are judged before `rmcp` parses them (`ingress`): arguments reach the pipeline as they were sent.

mod asking;
mod builder;
mod call;
mod catalog;
mod changes;
mod client;
mod drive;
mod form;
mod http;
mod ingress;
mod limits;
mod messages;
mod outcome;
mod parked;
mod profile;
mod server;
mod session;
mod shared;
mod stdio;
mod tool_names;

pub use builder::{Gateway, GatewayBuilder};
pub use client::Client;
pub use http::{Access, Credential, HttpOptions, Secret};
pub use limits::GatewayLimits;
pub use profile::{Conversation, Profile};
pub use session::Unanswered;
