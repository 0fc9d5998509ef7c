//! The web tools against servers of this process: real sockets, and the far side of the network written by hand.

mod addresses;
mod fetch;
mod limits;
mod search;
mod server;
mod tls;
