//! The models that an editor may choose from, and whether they can be reached.

use std::fs;

use anyhow::Context as _;
use toolgate::text::Line;
use toolgate_acp::{AccessNeeded, ModelChoice};
use toolgate_agent::model::script::Script;
use toolgate_agent::model::{AnthropicModel, ApiKey, OpenAiModel, Protocol, Provider};
use toolgate_agent::{ScriptedModel, SharedModel};

use crate::cli::AcpArgs;
use crate::fault::UsageError;

/// The models that were named. Where a provider's own address is asked, there has to be a key.
pub(super) fn choices(args: &AcpArgs) -> anyhow::Result<(Vec<ModelChoice>, Option<AccessNeeded>)> {
    if let Some(path) = &args.script {
        let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let script = Script::parse(&text).map_err(|error| UsageError::new(error.to_string()))?;
        let model = SharedModel::new(ScriptedModel::new(script));
        return Ok((vec![ModelChoice { id: "script".to_owned(), name: "Script".to_owned(), model }], None));
    }
    if args.models.is_empty() {
        let error = UsageError::new("there is no model to ask");
        return Err(error
            .with_hint("name one: `--model openai:NAME` with OPENAI_API_KEY, or `--model anthropic:NAME` with ANTHROPIC_API_KEY")
            .into());
    }
    let mut needed = None;
    let mut choices: Vec<ModelChoice> = Vec::new();
    for id in &args.models {
        let (choice, need) = choice(id, args.base_url.as_deref())?;
        if choices.iter().all(|known| known.id != choice.id) {
            choices.push(choice);
            needed = needed.or(need);
        }
    }
    Ok((choices, needed))
}

fn choice(id: &str, base_url: Option<&str>) -> Result<(ModelChoice, Option<AccessNeeded>), UsageError> {
    let (protocol, variable, name) = match id.split_once(':') {
        Some(("openai", name)) => (Protocol::OpenAi, "OPENAI_API_KEY", name),
        Some(("anthropic", name)) => (Protocol::Anthropic, "ANTHROPIC_API_KEY", name),
        _ => {
            let error = UsageError::new(format!("`{}` names no model", Line(id)));
            return Err(error.with_hint("say `openai:NAME` or `anthropic:NAME`"));
        }
    };
    let mut provider = Provider::new(protocol, name);
    provider.key = std::env::var(variable).ok().as_deref().and_then(ApiKey::new);
    provider.key_hint = format!("set {variable}");
    // A server of one's own may want none.
    let is_missing = provider.key.is_none() && base_url.is_none();
    if let Some(url) = base_url {
        url.clone_into(&mut provider.base_url);
    }
    let needed = is_missing.then(|| AccessNeeded {
        id: variable.to_ascii_lowercase(),
        name: format!("Set {variable}"),
        description: format!("There is no key for `{id}`: set {variable} where the editor starts toolgate"),
    });
    let model = match protocol {
        Protocol::OpenAi => SharedModel::new(OpenAiModel::new(provider)),
        Protocol::Anthropic => SharedModel::new(AnthropicModel::new(provider)),
    };
    Ok((ModelChoice { id: id.to_owned(), name: name.to_owned(), model }, needed))
}
