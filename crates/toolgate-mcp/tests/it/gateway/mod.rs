//! The gateway, mostly by frames that are written by hand: what a client may send is more than a library lets it.

mod asking;
mod calls;
mod code;
mod frames;
mod hostile;
mod http;
mod library;
mod profiles;
#[cfg(target_os = "linux")]
mod routes;
mod support;
