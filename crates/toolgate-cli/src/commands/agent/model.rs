//! Who is asked: a script, or a model of a provider with its address and its key.
//!
//! The section `[model]` is about one provider. Its key and its address are used for no other one.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use toolgate::Scope;
use toolgate::text::Line;
use toolgate_agent::model::script::Script;
use toolgate_agent::model::{AnthropicModel, ApiKey, OpenAiModel, Protocol, Provider};
use toolgate_agent::{Agent, AgentBuilder, ScriptedModel, SharedModel};
use toolgate_kit::KeySource;

use crate::cli::ModelArgs;
use crate::config::ModelConfig;
use crate::fault::UsageError;
use crate::output::grouped;

/// More than any script that a person writes.
const LONGEST_SCRIPT: u64 = 4 << 20;

/// Who is asked.
pub(in crate::commands) enum Chosen {
    /// A file of answers.
    Script(Script),
    /// A model, and where its key comes from.
    Provider {
        protocol: Protocol,
        provider: Box<Provider>,
        key: KeySource,
        /// Whether somebody said that the key comes from there; then there has to be one.
        is_key_wanted: bool,
    },
}

/// Finds out who is asked. Fetches no key yet.
///
/// # Errors
/// A [`UsageError`] where nobody is, or a script cannot be read.
pub(in crate::commands) fn choose(args: &ModelArgs, config: &ModelConfig) -> Result<Chosen, UsageError> {
    if let Some(path) = &args.script {
        return script(path).map(Chosen::Script);
    }
    let configured = config.name.as_deref().map(named).transpose()?;
    if configured.is_none() && (config.base_url.is_some() || config.key.is_some()) {
        return Err(UsageError::new("the section `[model]` has an address or a key, and names no model")
            .with_hint("say whose they are: `name = \"openai:NAME\"` or `name = \"anthropic:NAME\"`"));
    }
    let (protocol, name) = match (args.model.as_deref().map(named).transpose()?, configured) {
        (Some(asked), _) => asked,
        (None, Some(configured)) => configured,
        (None, None) => return Err(nobody()),
    };
    let is_configured = configured.is_some_and(|(configured, _)| configured == protocol);
    let mut provider = Provider::new(protocol, name);
    provider.output_tokens = config.output_tokens;
    if let Some(url) = args.base_url.as_ref().or(config.base_url.as_ref().filter(|_| is_configured)) {
        provider.base_url.clone_from(url);
    }
    let key = config.key.clone().filter(|_| is_configured);
    let is_key_wanted = key.is_some();
    let key = key.unwrap_or_else(|| KeySource::Environment(variable(protocol).to_owned()));
    provider.key_hint =
        format!("{}, or say in `model.key` of your toolgate.toml where it comes from", key.remedy());
    Ok(Chosen::Provider { protocol, provider: Box::new(provider), key, is_key_wanted })
}

impl Chosen {
    /// The agent in the making, with the key that it needs.
    ///
    /// # Errors
    /// A [`UsageError`] where the key does not come from where it should.
    pub(super) async fn builder(self, scope: Scope) -> Result<AgentBuilder, UsageError> {
        Ok(self.asked().await?.builder(scope))
    }

    /// The same, ready to make any number of agents.
    ///
    /// # Errors
    /// As [`builder`](Self::builder).
    pub(in crate::commands) async fn asked(self) -> Result<Asked, UsageError> {
        let (protocol, mut provider, key, is_key_wanted) = match self {
            Self::Script(script) => return Ok(Asked::Script(script)),
            Self::Provider { protocol, provider, key, is_key_wanted } => {
                (protocol, provider, key, is_key_wanted)
            }
        };
        provider.key = match key.fetch().await {
            Ok(key) => ApiKey::new(key.reveal()),
            Err(error) if is_key_wanted => {
                let message = format!("there is no key for the model: {error}");
                return Err(UsageError::new(message)
                    .with_hint(format!("{}, or change `model.key` of your toolgate.toml", key.remedy())));
            }
            // Servers of one's own want none; a provider that does is told so by its adapter.
            Err(_) => None,
        };
        Ok(Asked::Provider { protocol, provider })
    }
}

/// Who is asked, with the key.
pub(in crate::commands) enum Asked {
    /// A file of answers.
    Script(Script),
    /// A model.
    Provider { protocol: Protocol, provider: Box<Provider> },
}

impl Asked {
    /// What it is called.
    pub(in crate::commands) fn name(&self) -> &str {
        match self {
            Self::Script(_) => "script",
            Self::Provider { provider, .. } => &provider.model,
        }
    }

    /// What to do about a key that a provider wants at its own address, and that is not there.
    pub(in crate::commands) fn missing_key(&self) -> Option<&str> {
        let Self::Provider { protocol, provider } = self else { return None };
        let is_own = provider.base_url == Provider::new(*protocol, provider.model.as_str()).base_url;
        (provider.key.is_none() && is_own).then_some(provider.key_hint.as_str())
    }

    /// The model alone, for those who choose one while they run.
    pub(in crate::commands) fn model(&self) -> SharedModel {
        match self {
            Self::Script(script) => SharedModel::new(ScriptedModel::new(script.clone())),
            Self::Provider { protocol: Protocol::OpenAi, provider } => {
                SharedModel::new(OpenAiModel::new((**provider).clone()))
            }
            Self::Provider { protocol: Protocol::Anthropic, provider } => {
                SharedModel::new(AnthropicModel::new((**provider).clone()))
            }
        }
    }

    /// An agent in the making.
    pub(in crate::commands) fn builder(&self, scope: Scope) -> AgentBuilder {
        Agent::builder(scope, self.model())
    }
}

fn nobody() -> UsageError {
    UsageError::new("there is no model to ask")
        .with_hint(
            "name one: `--model openai:NAME` with OPENAI_API_KEY, `--model anthropic:NAME` with ANTHROPIC_API_KEY, or a \
             local server with `--model openai:NAME --base-url http://127.0.0.1:11434/v1`",
        )
        .with_hint("to name it once and for all, write `[model]` and `name = \"openai:NAME\"` into your toolgate.toml; `toolgate config` says where that is")
        .with_hint("to try it without a model, use `--script examples/scripts/fix-test.toml`")
}

/// The provider and the model that a text names.
fn named(text: &str) -> Result<(Protocol, &str), UsageError> {
    match text.split_once(':') {
        Some(("openai", name)) if !name.is_empty() => Ok((Protocol::OpenAi, name)),
        Some(("anthropic", name)) if !name.is_empty() => Ok((Protocol::Anthropic, name)),
        _ => Err(UsageError::new(format!("`{}` names no model", Line(text)))
            .with_hint("say `openai:NAME` or `anthropic:NAME`")),
    }
}

/// The variable in which a provider's key is looked for.
fn variable(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::OpenAi => "OPENAI_API_KEY",
        Protocol::Anthropic => "ANTHROPIC_API_KEY",
    }
}

fn script(path: &Path) -> Result<Script, UsageError> {
    let hint = "give a file of answers, such as examples/scripts/fix-test.toml";
    let wrong =
        |what: String| UsageError::new(format!("the script `{}` {what}", path.display())).with_hint(hint);
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST_SCRIPT + 1).read_to_string(&mut text));
    read.map_err(|error| wrong(format!("could not be read: {error}")))?;
    if text.len() as u64 > LONGEST_SCRIPT {
        return Err(wrong(format!("is longer than {} bytes", grouped(LONGEST_SCRIPT))));
    }
    Script::parse(&text).map_err(|error| UsageError::new(error.to_string()).with_hint(hint))
}
