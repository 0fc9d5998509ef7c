//! The words about editors.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::PolicyFlags;

/// Which models an editor may choose from, and what its sessions may do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolgate acp --model anthropic:NAME
  toolgate acp --model openai:NAME --model openai:OTHER
  toolgate acp --model openai:NAME --base-url http://127.0.0.1:11434/v1

An editor starts this and speaks with it on standard input and output; docs/guides/editors.md
says how Zed and others are told to. The first model is asked unless another one is chosen
in the editor. Each session works in the directory that the editor has open, under its
toolgate.toml and yours; what the rules ask about is asked in the editor.")]
pub(crate) struct AcpArgs {
    /// A model to choose from: `openai:NAME` (and servers that speak like it) or `anthropic:NAME`; repeatable
    #[arg(long = "model", value_name = "PROVIDER:NAME")]
    pub(crate) models: Vec<String>,

    /// Where the models are; their providers' own addresses if left out
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) base_url: Option<String>,

    /// Follow a file of answers instead of asking a model
    #[arg(long, value_name = "FILE", conflicts_with = "models", value_hint = ValueHint::FilePath)]
    pub(crate) script: Option<PathBuf>,

    /// How often a model is asked at most in one turn
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_steps: Option<u64>,

    /// Where sessions are kept; the user's data directory if left out
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) sessions: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) policy: PolicyFlags,
}
