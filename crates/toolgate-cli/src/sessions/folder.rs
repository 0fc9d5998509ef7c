//! [`Folder`]: the sessions of one folder, whatever keeps each of them.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use std::sync::Arc;

use serde::Deserialize;
use toolgate_session::{
    Backend, Durability, Entries, Entry, Event, JsonlBackend, SessionId, SqliteBackend, StoreError,
};

use crate::fault::UsageError;

/// What keeps a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Store {
    /// A database.
    #[default]
    Sqlite,
    /// A file of lines.
    Jsonl,
}

impl Store {
    const ALL: [Self; 2] = [Self::Sqlite, Self::Jsonl];

    /// The word for it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Jsonl => "jsonl",
        }
    }

    /// How the names of its files end.
    fn suffix(self) -> &'static str {
        match self {
            Self::Sqlite => "db",
            Self::Jsonl => "jsonl",
        }
    }

    /// The back end in a folder, which is made where it is missing. What is acknowledged outlives a loss of power.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub(crate) fn backend(self, folder: &Path) -> Result<Arc<dyn Backend>, StoreError> {
        Ok(match self {
            Self::Sqlite => Arc::new(SqliteBackend::new(folder, Durability::Power)?),
            Self::Jsonl => Arc::new(JsonlBackend::new(folder, Durability::Power)?),
        })
    }
}

/// A session that is there.
#[derive(Clone)]
pub(crate) struct Kept {
    /// Its name.
    pub(crate) id: SessionId,
    /// What keeps it.
    pub(crate) store: Store,
    /// The same, to read and write it.
    pub(crate) backend: Arc<dyn Backend>,
    /// Its records.
    pub(crate) path: PathBuf,
}

impl Kept {
    /// Its entries from a place on.
    pub(crate) fn entries(&self, from: u64) -> Entries<'_> {
        Entries::new(&*self.backend, self.id, from)
    }

    /// Whether it is a sub-agent's.
    fn is_part(&self) -> bool {
        match self.entries(1).next() {
            Some(Ok(Entry::Record(record))) => {
                matches!(record.event, Event::TurnStart(start) if start.parent.is_some())
            }
            Some(Ok(Entry::Damaged(_)) | Err(_)) | None => false,
        }
    }
}

/// A folder with sessions. One that is not there has none.
pub(crate) struct Folder {
    path: PathBuf,
    stores: Vec<(Store, Arc<dyn Backend>)>,
}

impl Folder {
    /// Opens the folder that somebody named, or else the user's own, to read from it.
    ///
    /// # Errors
    /// A [`UsageError`] where somebody named a folder that is not there.
    pub(crate) fn open(named: Option<&Path>) -> anyhow::Result<Self> {
        let path = match named {
            Some(path) => path.to_owned(),
            None => default_folder()?,
        };
        let mut stores = Vec::new();
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => {
                for store in Store::ALL {
                    stores.push((store, store.backend(&path)?));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && named.is_none() => {}
            problem => {
                let why =
                    problem.err().map_or_else(|| "it is no folder".to_owned(), |error| error.to_string());
                let message = format!("`{}` holds no sessions: {why}", path.display());
                let hint =
                    "name the folder that `toolgate agent` was given with --sessions, or none for your own";
                return Err(UsageError::new(message).with_hint(hint).into());
            }
        }
        Ok(Self { path, stores })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Every session, the oldest first.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub(crate) fn list(&self) -> Result<Vec<Kept>, StoreError> {
        let mut all = Vec::new();
        for (store, backend) in &self.stores {
            all.extend(backend.list()?.into_iter().map(|id| self.kept(id, *store, backend)));
        }
        all.sort_by_key(|kept| kept.id);
        Ok(all)
    }

    fn kept(&self, id: SessionId, store: Store, backend: &Arc<dyn Backend>) -> Kept {
        let path = self.path.join(format!("{id}.{}", store.suffix()));
        Kept { id, store, backend: Arc::clone(backend), path }
    }

    /// The session that somebody means: its name, the beginning of it, or `last`.
    ///
    /// # Errors
    /// A [`UsageError`] where that is no session, or several.
    pub(crate) fn find(&self, text: &str) -> anyhow::Result<Kept> {
        let all = self.list()?;
        if all.is_empty() {
            let error = UsageError::new(format!("there is no session in `{}`", self.path.display()));
            return Err(error
                .with_hint("`toolgate agent` begins one; --sessions DIR names another folder")
                .into());
        }
        if text == "last" {
            let own = all.iter().rev().find(|kept| !kept.is_part()).or(all.last());
            return own.cloned().ok_or_else(|| missing(text).into());
        }
        let mut meant = all.into_iter().filter(|kept| kept.id.to_string().starts_with(text));
        match (meant.next(), meant.next()) {
            (Some(one), None) if !text.is_empty() => Ok(one),
            (Some(one), Some(other)) if one.id == other.id => {
                let message = format!(
                    "the session {} is kept twice, as {} and as {}",
                    one.id,
                    one.store.as_str(),
                    other.store.as_str()
                );
                Err(UsageError::new(message)
                    .with_hint("move one of the two files into another folder")
                    .into())
            }
            (Some(one), Some(other)) => {
                let more = if meant.next().is_some() { ", …" } else { "" };
                let message =
                    format!("`{text}` is the beginning of several sessions: {}, {}{more}", one.id, other.id);
                Err(UsageError::new(message).with_hint("say more of the name").into())
            }
            (None | Some(_), None) | (None, Some(_)) => Err(missing(text).into()),
        }
    }
}

fn missing(text: &str) -> UsageError {
    let message = match SessionId::from_str(text) {
        Ok(id) => format!("there is no session {id}"),
        Err(_) => format!("no session has a name that begins with `{text}`"),
    };
    UsageError::new(message)
        .with_hint("`toolgate sessions` lists those that there are; `last` is the latest one")
}

/// Where sessions are kept unless somebody says otherwise.
///
/// # Errors
/// A [`UsageError`] where the user has no home.
pub(crate) fn default_folder() -> Result<PathBuf, UsageError> {
    let of = |variable: &str| env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = of("XDG_DATA_HOME").or_else(|| of("HOME").map(|home| home.join(".local/share")));
    let missing = || UsageError::new("there is no place for sessions, because HOME is not set");
    let data = data.ok_or_else(|| missing().with_hint("name one with `--sessions DIR`"))?;
    Ok(data.join("toolgate/sessions"))
}
