//! The web page of Toolgate: sessions as they happen, what waits for a person, tools, policy and statistics.
//!
//! A [`WebServer`] serves one user's browsers from the machine that the tools work on. It renders every page itself, from
//! the session log alone; one small script keeps pages up to date from a stream of events. Everything that it needs is in
//! the binary, and it asks no other server for anything.
//!
//! ```text
//! access    who may talk to the server: host, origin, cookie; headers
//! server    the routes, from start to end
//! stream    the events of one page
//! desk      the agents that work here
//! feed      what happens in one session, for all who watch it
//! card      a call as a person sees it
//! pages     what a person sees and can do
//! source    source text in colours
//! markdown  what a model says
//! foreign   text of others, made harmless
//! length    lengths of time and counts, in words
//! fault     a request that was not done
//! assets    style, script and picture
//! ```
//!
//! No tool, no policy and no log is here: calls go through the runtime, answers through `People`, and records come from
//! the back end.

mod access;
mod assets;
mod card;
mod desk;
mod fault;
mod feed;
mod foreign;
mod length;
mod markdown;
mod pages;
mod server;
mod source;
mod stream;

pub use access::{NoRandomness, Secret};
pub use desk::MakeAgent;
pub use server::{WebConfig, WebError, WebParts, WebServer};
