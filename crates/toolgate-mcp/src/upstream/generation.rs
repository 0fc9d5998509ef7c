//! One generation of a server's tools: which of its offers become tools, under which names, and why the others do not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use toolgate::{ToolDefinition, ToolGroup};

use super::bridge::define;
use super::discovery::Discovery;
use super::offer::Unusable;
use super::patterns::Patterns;
use super::server::Server;
use super::status::{OfferedTool, Quarantined};
use crate::names::tool_name;
use crate::pin::Verdict;

/// What became of a server's offers.
#[derive(Debug, Default)]
pub(crate) struct Generation {
    pub(crate) tools: Vec<OfferedTool>,
    pub(crate) quarantined: Vec<Quarantined>,
    pub(crate) removed: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

/// Makes tools of a server's offers and puts them in place of those of the generation before, in one change.
///
/// They are in the order of their names: servers do not promise an order, and models should not see one that changes.
pub(crate) fn adopt(discovery: &Discovery, server: &Arc<Server>, group: &ToolGroup) -> Generation {
    let config = server.config();
    let mut generation = Generation::default();
    generation.warnings.extend(discovery.warning.clone());
    generation.quarantined.extend(discovery.unusable.iter().map(quarantined));

    let mut verdicts = vec![Verdict::Trusted; discovery.offers.len()];
    if let Some(pins) = server.host().pins.as_ref().filter(|_| !config.pins.off) {
        let (judged, failed) = pins.judge(&config.name, config.pins, &discovery.offers);
        verdicts = judged;
        generation.removed = pins.removed(&config.name);
        generation.warnings.extend(failed.map(|error| format!("its pins are not kept: {error}")));
    }

    let mut patterns = Patterns::new();
    let mut definitions: BTreeMap<String, (String, ToolDefinition)> = BTreeMap::new();
    let admitted = discovery.offers.iter().zip(verdicts).filter(|(offer, _)| config.admits(&offer.name));
    for (offer, verdict) in admitted {
        let tool = offer.name.clone();
        let name = tool_name(config.name.as_str(), &tool);
        let defined = match verdict {
            Verdict::Quarantined(reason) => Err(reason),
            Verdict::Trusted if definitions.contains_key(&name) => {
                Err(format!("its name here, {name}, is that of another of the server's tools"))
            }
            Verdict::Trusted => define(offer.clone(), server, &mut patterns),
        };
        match defined {
            Ok(definition) => {
                definitions.insert(name, (tool, definition));
            }
            Err(reason) => generation.quarantined.push(Quarantined { tool, reason }),
        }
    }

    // A name that something else has here costs that one tool, not the generation.
    while let Err(errors) = group.replace(definitions.values().map(|(_, tool)| tool.clone()).collect()) {
        let before = definitions.len();
        for error in errors {
            if let Some((tool, _)) = definitions.remove(error.tool()) {
                generation.quarantined.push(Quarantined { tool, reason: error.to_string() });
            }
        }
        if definitions.len() == before {
            break;
        }
    }
    let offered = definitions.into_iter().map(|(name, (tool, _))| OfferedTool { tool, name });
    generation.tools = offered.collect();
    generation.quarantined.sort_by(|one, other| one.tool.cmp(&other.tool));
    generation.warnings.extend(unknown_settings(discovery, server));
    generation
}

/// Settings of tools that the server does not have: a typing mistake in `deny` or in an effect must not go unseen.
fn unknown_settings(discovery: &Discovery, server: &Arc<Server>) -> Option<String> {
    let config = server.config();
    let offers = discovery.offers.iter().map(|offer| offer.name.as_str());
    let known: BTreeSet<&str> =
        offers.chain(discovery.unusable.iter().map(|unusable| unusable.name.as_str())).collect();
    let patterns = config.allow.iter().flatten().chain(&config.deny).map(String::as_str);
    let exact = patterns.filter(|pattern| !pattern.ends_with('*'));
    let unknown: BTreeSet<&str> =
        exact.chain(config.tools.keys().map(String::as_str)).filter(|name| !known.contains(name)).collect();
    if unknown.is_empty() {
        return None;
    }
    let unknown: Vec<&str> = unknown.into_iter().collect();
    Some(format!("its settings name tools that it does not have: {}", unknown.join(", ")))
}

fn quarantined(unusable: &Unusable) -> Quarantined {
    Quarantined { tool: unusable.name.clone(), reason: unusable.reason.clone() }
}
