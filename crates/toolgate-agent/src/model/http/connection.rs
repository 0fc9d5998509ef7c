//! A socket to a provider, with TLS where its address says `https`.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Url;

use crate::model::ModelError;

/// An open connection.
pub(super) enum Connection {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// Opens a connection to the host of an address.
pub(super) async fn connect(url: &Url, patience: Duration) -> Result<Connection, ModelError> {
    let opened = tokio::time::timeout(patience, open(url)).await;
    let why = match opened {
        Ok(Ok(connection)) => return Ok(connection),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no connection within {} s", patience.as_secs()),
    };
    Err(ModelError::Unreachable {
        url: url.to_string(),
        why,
        hint: "look at the address of the provider, and whether its server runs".to_owned(),
    })
}

async fn open(url: &Url) -> io::Result<Connection> {
    let host = url.host_str().ok_or_else(|| io::Error::other("the address has no host"))?;
    let port = url.port_or_known_default().ok_or_else(|| io::Error::other("the address has no port"))?;
    // A literal IPv6 address stands in brackets in an address, and without them everywhere else.
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let stream = TcpStream::connect((bare, port)).await?;
    stream.set_nodelay(true)?;
    if url.scheme() != "https" {
        return Ok(Connection::Plain(stream));
    }
    let name = ServerName::try_from(bare.to_owned()).map_err(io::Error::other)?;
    let stream = TlsConnector::from(tls()?).connect(name, stream).await?;
    Ok(Connection::Tls(Box::new(stream)))
}

/// The settings of TLS, with the certificate authorities of the system, which are read for the first `https` request.
fn tls() -> io::Result<Arc<ClientConfig>> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(Arc::clone(config));
    }
    let mut roots = RootCertStore::empty();
    // Systems hold certificates that rustls cannot use; the others are enough.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(io::Error::other("the system has no certificate authorities"));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let mut config = versions.map_err(io::Error::other)?.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::clone(CONFIG.get_or_init(|| Arc::new(config))))
}

impl AsyncRead for Connection {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
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
