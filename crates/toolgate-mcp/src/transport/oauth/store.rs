//! [`TokenStore`]: the tokens of each server in a file that only this user can read.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ring::digest::{SHA256, digest};
use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use url::Url;

use super::OAuthError;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// How long another process may take to refresh the tokens, and how often that is looked at.
const REFRESH: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(50);

/// A folder of tokens, one file per server.
///
/// The folder is made when there is something to keep, for this user alone (0700), and so is each file (0600), which is
/// replaced as a whole. A file that others could read is not used. Processes that share a folder refresh one after
/// the other.
#[derive(Clone, Debug)]
pub struct TokenStore {
    folder: PathBuf,
}

impl TokenStore {
    /// The tokens in a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Whether there are tokens of a server.
    ///
    /// # Errors
    /// There is a file, and it cannot be used.
    pub fn has(&self, url: &str) -> Result<bool, OAuthError> {
        let url = Url::parse(url).map_err(|error| OAuthError::Url(error.to_string()))?;
        let tokens = self.of(&url);
        tokens.read().map(|found| found.is_some()).map_err(|why| tokens.fault(&why))
    }

    /// Forgets the tokens of a server. The server is not told.
    ///
    /// # Errors
    /// There is a file, and it cannot be removed.
    pub fn forget(&self, url: &str) -> Result<(), OAuthError> {
        let url = Url::parse(url).map_err(|error| OAuthError::Url(error.to_string()))?;
        let tokens = self.of(&url);
        tokens.remove().map_err(|why| tokens.fault(&why.to_string()))
    }

    pub(super) fn of(&self, url: &Url) -> Tokens {
        let mut url = url.clone();
        url.set_fragment(None);
        let hash = digest(&SHA256, url.as_str().as_bytes());
        let hash: String = hash.as_ref().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let host: String = url.host_str().unwrap_or_default().chars().map(plain).take(64).collect();
        Tokens { path: self.folder.join(format!("{host}-{hash}.json")), url: url.into() }
    }
}

/// What may stand in the name of a file.
fn plain(c: char) -> char {
    if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' }
}

/// The file of one server.
#[derive(Clone, Debug)]
pub(super) struct Tokens {
    path: PathBuf,
    url: String,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    url: String,
    credentials: StoredCredentials,
}

impl Tokens {
    fn fault(&self, why: &str) -> OAuthError {
        OAuthError::Store { path: self.path.clone(), why: why.to_owned() }
    }

    fn read(&self) -> Result<Option<StoredCredentials>, String> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        check_private(&file)?;
        let mut text = Vec::new();
        file.take(LARGEST).read_to_end(&mut text).map_err(|error| error.to_string())?;
        // The text of a fault could show a token.
        let kept: Kept = serde_json::from_slice(&text)
            .map_err(|_| "the file is damaged\nhint: remove it, and log in again".to_owned())?;
        Ok((kept.url == self.url).then_some(kept.credentials))
    }

    fn write(&self, credentials: StoredCredentials) -> Result<(), String> {
        let kept = Kept { url: self.url.clone(), credentials };
        let text = serde_json::to_vec(&kept).map_err(|error| error.to_string())?;
        let work = || -> io::Result<()> {
            let folder = self.path.parent().unwrap_or(Path::new("."));
            make_private(folder)?;
            // Such a file is this user's alone from its beginning.
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(&text)?;
            file.as_file().sync_all()?;
            file.persist(&self.path).map_err(|error| error.error)?;
            Ok(())
        };
        work().map_err(|error| error.to_string())
    }

    fn remove(&self) -> io::Result<()> {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn store_error(&self, why: &str) -> AuthError {
        AuthError::CredentialStoreError(self.fault(why).to_string())
    }
}

fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Refuses what others could have read.
fn check_private(file: &File) -> Result<(), String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let mode = file.metadata().map_err(|error| error.to_string())?.mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(format!(
                "others may read the file, its mode is {mode:o}\nhint: remove it, and log in again; the tokens may be \
                 known"
            ));
        }
    }
    Ok(())
}

#[async_trait::async_trait]
impl CredentialStore for Tokens {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        self.read().map_err(|why| self.store_error(&why))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let tokens = self.clone();
        let written = tokio::task::spawn_blocking(move || tokens.write(credentials)).await;
        written.unwrap_or_else(|error| Err(error.to_string())).map_err(|why| self.store_error(&why))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.remove().map_err(|error| self.store_error(&error.to_string()))
    }

    /// Of two processes that refresh with one token, the second would be refused and have to log in.
    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let lock = self.path.with_extension("lock");
        let fault = |error: io::Error| self.store_error(&error.to_string());
        make_private(self.path.parent().unwrap_or(Path::new("."))).map_err(fault)?;
        let mut options = OpenOptions::new();
        options.create(true).write(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(lock).map_err(fault)?;
        let until = Instant::now() + REFRESH;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(CredentialRefreshGuard::new(file))),
                Err(TryLockError::WouldBlock) if Instant::now() < until => tokio::time::sleep(LOOK).await,
                Err(TryLockError::WouldBlock) => {
                    return Err(
                        self.store_error("another process has been refreshing the tokens for a minute")
                    );
                }
                Err(TryLockError::Error(error)) => return Err(fault(error)),
            }
        }
    }
}
