//! Keys of providers: where one comes from, how it is fetched, and that nobody sees it.
//!
//! Used by `web_search`, and by whoever asks a model. A key is fetched anew each time, and kept by nobody here.

use std::fmt;
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

use crate::workspace::shown_text;

/// How long a key may be, in bytes.
const LONGEST: usize = 4096;

/// How long the program that prints a key may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a key comes from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeySource {
    /// The environment variable of this name; in a file `key = { environment = "NAME" }`.
    Environment(String),
    /// What this program prints, without the white space around it; in a file `key = { command = ["pass", "brave"] }`.
    /// It runs without a shell, has 10 s, and may print 4,096 bytes; its errors are shown nowhere.
    Command(Vec<String>),
}

/// A key: visible ASCII. It has no form that shows it, except [`reveal`](Self::reveal).
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// The key itself, for the one request that needs it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// There is no key where it should come from. Says nothing of what was found instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct KeyError(String);

impl KeySource {
    /// Fetches the key. A program that is asked for it dies with this future.
    ///
    /// # Errors
    /// [`KeyError`].
    pub async fn fetch(&self) -> Result<Key, KeyError> {
        let text = match self {
            Self::Environment(name) => match std::env::var(name) {
                Ok(text) if !text.trim().is_empty() => text,
                Ok(_) | Err(_) => {
                    return Err(KeyError(format!(
                        "the environment variable {} has no key",
                        shown_text(name)
                    )));
                }
            },
            Self::Command(words) => match tokio::time::timeout(PATIENCE, printed(words)).await {
                Ok(printed) => printed?,
                Err(_) => {
                    let seconds = PATIENCE.as_secs();
                    return Err(KeyError(format!("the key command took longer than {seconds} s")));
                }
            },
        };
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err(KeyError("the key is empty, or holds what no key can".to_owned()));
        }
        Ok(Key(text.to_owned()))
    }

    /// What somebody without a key can do.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            Self::Environment(name) => {
                format!("put the key into the environment variable {}", shown_text(name))
            }
            Self::Command(_) => "repair the key command".to_owned(),
        }
    }
}

/// What the program prints. Its errors go nowhere: they could repeat a secret.
async fn printed(words: &[String]) -> Result<String, KeyError> {
    let Some((program, args)) = words.split_first() else {
        return Err(KeyError("the key command is empty".to_owned()));
    };
    let shown = shown_text(program);
    let wrong = |what: String| KeyError(format!("the key command `{shown}` {what}"));
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| wrong(format!("does not start: {error}")))?;
    let mut text = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        let read = stdout.take(LONGEST as u64 + 1).read_to_end(&mut text).await;
        read.map_err(|error| wrong(format!("cannot be read: {error}")))?;
    }
    if text.len() > LONGEST {
        return Err(wrong(format!("prints more than the {LONGEST} bytes that a key may have")));
    }
    let status = child.wait().await.map_err(|error| wrong(format!("is lost: {error}")))?;
    if !status.success() {
        return Err(wrong(format!("failed with {status}")));
    }
    String::from_utf8(text).map_err(|_| wrong("did not print text".to_owned()))
}
