//! TLS: only certificates that an authority vouches for, and only for their name.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use toolgate_kit::{WebConfig, web_tools};

use super::server::{Scripted, Web, local};

/// Serves one page in TLS with a certificate for this name that vouches for itself. Gives its port and the
/// certificate as PEM.
async fn serve(name: &str, answer: &'static str) -> (u16, String) {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(mut stream) = acceptor.accept(stream).await {
                let _ = stream.read(&mut [0; 4096]).await;
                let _ = stream.write_all(answer.as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        }
    });
    (port, made.cert.pem())
}

const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nsafe";

fn web(config: WebConfig) -> Web {
    Web::with(web_tools(config).with_resolver(Scripted::new(&[&["127.0.0.1"]])))
}

#[tokio::test]
async fn a_certificate_has_to_be_vouched_for() {
    let folder = tempfile::tempdir().unwrap();
    let (port, pem) = serve("site.example", PAGE).await;
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, pem).unwrap();
    let trusting = || WebConfig { ca_files: vec![file.clone()], ..local() };
    assert_eq!(web(trusting()).fetch(&format!("https://site.example:{port}/")).await["text"], "safe");
    for (config, host) in
        [(trusting(), "other.example"), (trusting(), "127.0.0.1"), (unrelated(&folder).await, "site.example")]
    {
        let (code, message) = web(config).refused(&format!("https://{host}:{port}/")).await;
        assert_eq!(code, "FETCH_FAILED", "{message}");
        assert!(message.contains("certificate of") && message.contains("ca_files"), "{message}");
    }
}

/// Trusts somebody, but not the server.
async fn unrelated(folder: &tempfile::TempDir) -> WebConfig {
    let file = folder.path().join("unrelated.pem");
    std::fs::write(&file, serve("unrelated.example", PAGE).await.1).unwrap();
    WebConfig { ca_files: vec![file], ..local() }
}

#[tokio::test]
async fn tls_is_not_given_up_by_a_redirect() {
    let folder = tempfile::tempdir().unwrap();
    let (port, pem) = serve(
        "site.example",
        "HTTP/1.1 301 Moved\r\nLocation: http://site.example/\r\nContent-Length: 0\r\n\r\n",
    )
    .await;
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, pem).unwrap();
    let web = web(WebConfig { ca_files: vec![file], ..local() });
    let (code, message) = web.refused(&format!("https://site.example:{port}/")).await;
    assert_eq!(code, "REDIRECT_REFUSED");
    assert!(message.contains("from https to plain http"), "{message}");
}

#[tokio::test]
async fn a_server_without_tls_and_files_without_certificates_are_said() {
    // It speaks first, as one that knows no TLS does once it has seen the greeting of TLS.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let good = unrelated(&folder).await;
    let (code, message) = web(good).refused(&format!("https://{}/", address)).await;
    assert_eq!(code, "FETCH_FAILED");
    assert!(message.contains("TLS"), "{message}");
    let missing = WebConfig { ca_files: vec![folder.path().join("missing.pem")], ..local() };
    let (code, message) =
        web(missing).failure("web_fetch", json!({ "url": format!("https://{}/", address) })).await;
    assert_eq!(code, "FETCH_FAILED");
    assert!(message.contains("missing.pem"), "{message}");
}
