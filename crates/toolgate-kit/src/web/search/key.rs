//! The key of a provider: where it comes from, and that nobody sees it.

use std::fmt;
use std::process::Stdio;
use std::time::Duration;

use hyper::header::HeaderValue;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

use super::SearchError;
use crate::web::config::KeySource;
use crate::workspace::shown_text;

/// How long a key may be, in bytes.
const LONGEST: u64 = 4096;

/// How long the program that prints a key may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A key, fit for a header. It is shown nowhere, and marked so that HTTP libraries do not show it either.
pub(super) struct Key(HeaderValue);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

impl Key {
    pub(super) fn into_header(self) -> HeaderValue {
        self.0
    }

    /// Fetches the key. A program that is asked for it dies with this future.
    pub(super) async fn fetch(source: &KeySource) -> Result<Self, SearchError> {
        let missing = |what: String| SearchError::Unconfigured { what, hint: hint(source) };
        let text = match source {
            KeySource::Environment(name) => match std::env::var(name) {
                Ok(text) if !text.trim().is_empty() => text,
                Ok(_) | Err(_) => {
                    return Err(missing(format!("the environment variable {} has no key", shown_text(name))));
                }
            },
            KeySource::Command(words) => match tokio::time::timeout(PATIENCE, printed(words)).await {
                Ok(printed) => printed.map_err(missing)?,
                Err(_) => {
                    return Err(missing(format!(
                        "the key command took longer than {} s",
                        PATIENCE.as_secs()
                    )));
                }
            },
        };
        match HeaderValue::from_str(text.trim()) {
            Ok(mut value) if !value.is_empty() => {
                value.set_sensitive(true);
                Ok(Self(value))
            }
            Ok(_) | Err(_) => Err(missing("the key is empty, or holds what no key can".to_owned())),
        }
    }
}

/// What the program prints. Its errors go nowhere: they could repeat a secret.
async fn printed(words: &[String]) -> Result<String, String> {
    let Some((program, args)) = words.split_first() else {
        return Err("the key command is empty".to_owned());
    };
    let shown = shown_text(program);
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child =
        command.spawn().map_err(|error| format!("the key command `{shown}` does not start: {error}"))?;
    let mut text = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        let read = stdout.take(LONGEST).read_to_end(&mut text).await;
        read.map_err(|error| format!("the key command `{shown}` cannot be read: {error}"))?;
    }
    let status = child.wait().await.map_err(|error| format!("the key command `{shown}` is lost: {error}"))?;
    if !status.success() {
        return Err(format!("the key command `{shown}` failed with {status}"));
    }
    String::from_utf8(text).map_err(|_| format!("the key command `{shown}` did not print text"))
}

fn hint(source: &KeySource) -> String {
    let here = match source {
        KeySource::Environment(name) => {
            format!("put the key into the environment variable {}", shown_text(name))
        }
        KeySource::Command(_) => "repair the key command".to_owned(),
    };
    format!(
        "whoever runs this program can {here}, or name another place in `key` of the section `[web.search]` of the \
         configuration; a key for the Brave Search API comes from https://brave.com/search/api"
    )
}
