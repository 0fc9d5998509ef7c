//! A connection to a permitted address, with TLS where the target asks for it.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Host;

use super::tls::Tls;
use super::{AddressPolicy, HostResolver, Permitted, Target};
use crate::web::error::WebError;
use crate::workspace::shown_text;

/// How long one address may take to accept, so that a dead one leaves time for the next.
const ACCEPT: Duration = Duration::from_secs(8);

/// How many addresses of one host are tried.
const TRIES: usize = 4;

/// An open connection, in plain text or in TLS.
pub(super) enum Connection {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// Resolves the host once, checks what came out, and connects to one of exactly those addresses.
pub(super) async fn connect(
    target: &Target,
    resolver: &dyn HostResolver,
    policy: &AddressPolicy,
    tls: &Tls,
) -> Result<Connection, WebError> {
    let host = shown_text(&target.host().to_string());
    let (name, addresses, server_name) = match target.host() {
        Host::Domain(name) => {
            let server_name = ServerName::try_from(name.clone());
            (name.clone(), resolve(name, resolver).await?, server_name)
        }
        Host::Ipv4(address) => literal(IpAddr::V4(*address)),
        Host::Ipv6(address) => literal(IpAddr::V6(*address)),
    };
    let permitted = policy.permit(&name, target.port(), &addresses)?;
    let stream = open(&host, &permitted).await?;
    if !target.is_tls() {
        return Ok(Connection::Plain(stream));
    }
    let server_name =
        server_name.map_err(|error| WebError::Unreachable { host: host.clone(), why: error.to_string() })?;
    let connector = TlsConnector::from(tls.config()?);
    match connector.connect(server_name, stream).await {
        Ok(stream) => Ok(Connection::Tls(Box::new(stream))),
        Err(error) => Err(tls_error(host, &error)),
    }
}

fn literal(
    address: IpAddr,
) -> (String, Vec<IpAddr>, Result<ServerName<'static>, rustls::pki_types::InvalidDnsNameError>) {
    (address.to_string(), vec![address], Ok(ServerName::IpAddress(address.into())))
}

async fn resolve(name: &str, resolver: &dyn HostResolver) -> Result<Vec<IpAddr>, WebError> {
    let not_found = |why: String| WebError::NameNotFound { host: shown_text(name), why };
    let found = resolver.resolve(name).await.map_err(|error| not_found(error.to_string()))?;
    if found.is_empty() { Err(not_found("it has no address".to_owned())) } else { Ok(found) }
}

async fn open(host: &str, permitted: &[Permitted]) -> Result<TcpStream, WebError> {
    let mut why = "it has no address".to_owned();
    for address in permitted.iter().take(TRIES) {
        let address = address.address();
        match tokio::time::timeout(ACCEPT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => why = format!("{address}: {error}"),
            Err(_) => why = format!("{address}: no answer within {} s", ACCEPT.as_secs()),
        }
    }
    Err(WebError::Unreachable { host: host.to_owned(), why })
}

fn tls_error(host: String, error: &io::Error) -> WebError {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        Some(rustls::Error::InvalidCertificate(why)) => {
            WebError::CertificateRefused { host, why: why.to_string() }
        }
        // `rustls::Error` grows with the protocol; whatever else it says, no connection came about.
        Some(_) | None => WebError::Unreachable { host, why: format!("TLS: {error}") },
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
