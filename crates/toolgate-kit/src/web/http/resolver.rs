//! Names to addresses.
//!
//! A name is resolved once for each request, and what comes out is checked and connected to; nobody resolves it again.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

/// Finds the addresses of a host name.
///
/// An implementation may be dropped at any point of its work. Its answer is not trusted: each address is checked.
pub trait HostResolver: Send + Sync + 'static {
    /// The addresses of `host`, a name in lower case ASCII, in the order in which to try them.
    ///
    /// # Errors
    /// What the look-up failed with. An empty list counts as a failure too.
    fn resolve<'a>(
        &'a self,
        host: &'a str,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;
}

/// The resolver of the system.
pub(crate) struct SystemResolver;

impl HostResolver for SystemResolver {
    fn resolve<'a>(
        &'a self,
        host: &'a str,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
