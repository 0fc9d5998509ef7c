//! The models that an editor may choose from, and whether they can be reached.

use toolgate_acp::{AccessNeeded, ModelChoice};

use super::super::agent::model::choose;
use crate::cli::{AcpArgs, ModelArgs};
use crate::config::ModelConfig;

/// The models that were named, or the configured one; and what is needed where a provider's own address is asked without
/// a key.
///
/// # Errors
/// There is no model, or one cannot be asked.
pub(super) async fn choices(
    args: &AcpArgs,
    config: &ModelConfig,
) -> anyhow::Result<(Vec<ModelChoice>, Option<AccessNeeded>)> {
    let names: Vec<_> = args.models.iter().cloned().map(Some).collect();
    let names = if names.is_empty() { vec![None] } else { names };
    let mut needed = None;
    let mut choices: Vec<ModelChoice> = Vec::new();
    for model in names {
        let wanted = ModelArgs { model, base_url: args.base_url.clone(), script: args.script.clone() };
        let asked = choose(&wanted, config)?.asked().await?;
        let id = wanted.model.unwrap_or_else(|| asked.name().to_owned());
        if choices.iter().all(|known| known.id != id) {
            needed = needed.or_else(|| asked.missing_key().map(|remedy| access(&id, remedy)));
            choices.push(ModelChoice { id, name: asked.name().to_owned(), model: asked.model() });
        }
    }
    Ok((choices, needed))
}

fn access(id: &str, remedy: &str) -> AccessNeeded {
    AccessNeeded {
        id: "model-key".to_owned(),
        name: "Give the model's key".to_owned(),
        description: format!("there is no key for `{id}`; hint: {remedy}, where the editor starts toolgate"),
    }
}
