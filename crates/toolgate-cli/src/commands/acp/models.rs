//! The models that an editor may choose from, and whether they can be reached.

use toolgate_acp::{AccessNeeded, ModelChoice};

use crate::cli::AcpArgs;
use crate::config::ModelConfig;
use crate::model::{Asked, Reached, choose};

/// The models that were named, or the configured one; and what is needed where a provider's own address is asked without
/// a key.
///
/// # Errors
/// There is no model, or one cannot be asked.
pub(super) async fn choices(
    args: &AcpArgs,
    config: &ModelConfig,
) -> anyhow::Result<(Vec<ModelChoice>, Option<AccessNeeded>)> {
    let names: Vec<_> = args.models.iter().map(|name| Some(name.as_str())).collect();
    let names = if names.is_empty() { vec![None] } else { names };
    let mut needed = None;
    let mut choices: Vec<ModelChoice> = Vec::new();
    for name in names {
        let asked = Asked { name, base_url: args.base_url.as_deref(), script: args.script.as_deref() };
        let Reached { name: own, model, missing } = choose(asked, config)?.reach().await?;
        let id = name.map_or_else(|| own.clone(), str::to_owned);
        if choices.iter().all(|known| known.id != id) {
            needed = needed.or_else(|| missing.map(|remedy| access(&id, &remedy)));
            choices.push(ModelChoice { id, name: own, model });
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
