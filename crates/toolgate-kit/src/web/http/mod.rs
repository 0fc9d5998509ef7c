//! One HTTP GET at a time, to addresses that were checked.
//!
//! The order of a request is the order of the files: a [`Target`] is parsed, a [`HostResolver`] names its addresses,
//! the [`AddressPolicy`] turns them into [`Permitted`] ones, `connect` opens a connection to exactly those, `exchange`
//! sends one request, and `body` reads the answer within bounds. Each request has a connection of its own, so closing
//! it is dropping it; nothing runs in the background.

mod address;
mod body;
mod connect;
mod exchange;
mod resolver;
mod target;
mod tls;

pub(crate) use address::{AddressPolicy, Permitted};
pub use address::{AllowedHost, InvalidAllowedHost};
pub(crate) use body::Body;
pub(crate) use exchange::{HttpClient, Reply};
pub use resolver::HostResolver;
pub(crate) use resolver::SystemResolver;
pub(crate) use target::Target;
