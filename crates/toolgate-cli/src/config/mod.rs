//! What this program may be told: `toolgate.toml` of the workspace, that of the user, and flags, brought together.
//!
//! ```text
//! find ─ read (bounded) ─ parse (keys, types, places) ─ trust (may it widen?) ─ merge (who says what) ─ settings
//! ```
//!
//! Every value knows where it comes from. A file of a workspace may be hostile: until the user trusts its content, it
//! only narrows what the user's own configuration allows. Nothing here runs a tool.

mod display;
mod file;
mod find;
mod keys;
mod merge;
mod narrow;
mod read;
mod schema;
mod serving;
mod settings;
mod trust;

pub(crate) use display::{show, to_json};
#[cfg(unix)]
pub(crate) use find::cache;
pub(crate) use find::state;
use keys::Kind;
pub(crate) use merge::{Configuration, Flag, Origin, every_rule, load, wrong_rules};
pub(crate) use read::read_other;
pub(crate) use schema::schema;
pub(crate) use serving::{ProfileConfig, ServedTools, WithoutAnswer};
pub(crate) use settings::{ApprovalsConfig, CodeConfig, McpConfig, ModelConfig, Settings};
pub(crate) use trust::{TrustFolder, hashed, private_folder, workspace_file};
