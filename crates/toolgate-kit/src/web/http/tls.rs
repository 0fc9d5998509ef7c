//! TLS with the certificate authorities of the system, and those of the configuration.
//!
//! They are read on the first `https` request, not at start-up.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

use crate::web::error::WebError;
use crate::workspace::shown_path;

/// The settings of TLS, read when they are first needed.
pub(crate) struct Tls {
    ca_files: Vec<PathBuf>,
    config: OnceLock<Arc<ClientConfig>>,
}

impl Tls {
    pub(crate) fn new(ca_files: Vec<PathBuf>) -> Self {
        Self { ca_files, config: OnceLock::new() }
    }

    /// The settings. A failure is not remembered, so that a repaired file is seen.
    pub(crate) fn config(&self) -> Result<Arc<ClientConfig>, WebError> {
        if let Some(config) = self.config.get() {
            return Ok(Arc::clone(config));
        }
        let config = Arc::new(load(&self.ca_files)?);
        Ok(Arc::clone(self.config.get_or_init(|| config)))
    }
}

fn load(ca_files: &[PathBuf]) -> Result<ClientConfig, WebError> {
    let mut roots = RootCertStore::empty();
    // Systems hold certificates that rustls cannot use; the others are enough.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for path in ca_files {
        add_file(&mut roots, path)?;
    }
    if roots.is_empty() {
        return Err(WebError::NoCertificates { why: "no certificate authority was found".to_owned() });
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let versions = versions.map_err(|error| WebError::NoCertificates { why: error.to_string() })?;
    let mut config = versions.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), WebError> {
    let failed = |why: String| WebError::NoCertificates { why: format!("`{}`: {why}", shown_path(path)) };
    let certificates = CertificateDer::pem_file_iter(path).map_err(|error| failed(error.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| failed(error.to_string()))?;
        roots.add(certificate).map_err(|error| failed(error.to_string()))?;
    }
    Ok(())
}
