//! The adapters over TLS: a certificate that the system trusts is taken, and any other refused.
//!
//! What the system trusts is read once a process, from a file that a variable names; so each case is a process of its own,
//! which is this test binary.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use toolgate_agent::Agent;
use toolgate_agent::model::script::Script;
use toolgate_agent::model::{AnthropicModel, OpenAiModel, Protocol, Provider};
use toolgate_session::TurnOutcome;
use toolgate_testing::ModelServer;

use crate::support::{Session, runtime, says, turn};

const FOLDER: &str = "TOOLGATE_TEST_TLS_FOLDER";
const EXPECTED: &str = "TOOLGATE_TEST_TLS_EXPECTED";

/// Puts TLS before a plain server.
async fn encrypt(folder: &Path, plain: String) -> SocketAddr {
    let certificate = CertificateDer::from_pem_file(folder.join("certificate.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join("key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, plain) = (acceptor.clone(), plain.clone());
            tokio::spawn(async move {
                // Who does not trust the certificate goes away.
                let Ok(mut near) = acceptor.accept(stream).await else { return };
                let mut far = TcpStream::connect(plain).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
    address
}

/// One case. Does nothing unless the other test has started it.
#[tokio::test]
async fn child() {
    let (Ok(folder), Ok(expected)) = (std::env::var(FOLDER), std::env::var(EXPECTED)) else { return };
    for protocol in [Protocol::OpenAi, Protocol::Anthropic] {
        let script = Script { answers: vec![says("over TLS")], ..Script::default() };
        let server = ModelServer::start(script, Vec::new()).await.unwrap();
        let plain = server.base_url().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
        let port = encrypt(Path::new(&folder), plain).await.port();
        let base_url = format!("https://localhost:{port}/v1");
        let provider = Provider { base_url, ..Provider::new(protocol, "script") };
        let scope = runtime().0.build().unwrap().scope("agent");
        let builder = match protocol {
            Protocol::OpenAi => Agent::builder(scope, OpenAiModel::new(provider)),
            Protocol::Anthropic => Agent::builder(scope, AnthropicModel::new(provider)),
        };
        let session = Session::new();
        let mut agent = builder.start(session.backend.clone(), session.id).await.unwrap();
        let report = turn(&mut agent).await;
        if expected == "taken" {
            assert_eq!(
                (report.outcome, report.text.as_str()),
                (TurnOutcome::Completed, "over TLS"),
                "{report:?}"
            );
        } else {
            let reason = report.reason.unwrap();
            assert!(reason.contains("cannot be reached") && reason.contains("certificate"), "{reason}");
            assert_eq!(server.attempts(), 0, "nothing was said to a stranger");
        }
    }
}

#[test]
fn a_certificate_is_checked_against_what_the_system_trusts() {
    for (named, expected) in [("localhost", "taken"), ("elsewhere.example", "refused")] {
        let folder = tempfile::TempDir::new().unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec![named.to_owned()]).unwrap().self_signed(&key).unwrap();
        fs::write(folder.path().join("certificate.pem"), certificate.pem()).unwrap();
        fs::write(folder.path().join("key.pem"), key.serialize_pem()).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "tls::child", "--test-threads=1"]).env_remove("SSL_CERT_DIR");
        let command = command.env("SSL_CERT_FILE", folder.path().join("certificate.pem"));
        let output = command.env(FOLDER, folder.path()).env(EXPECTED, expected).output().unwrap();
        assert!(output.status.success(), "{named}: {}", String::from_utf8_lossy(&output.stdout));
    }
}
