//! [`View`]: what the clients of one profile get, read from the configuration.

use std::path::Path;
use std::sync::Arc;

use toolgate::{PresentationMode, Scope, ToolRestriction, ToolRuntime};
use toolgate_mcp::gateway::Profile;
use toolgate_policy::Rules;
use toolgate_policy::rules::{Decision, Origin as RuleOrigin, Permissions};

use super::conversation::Opener;
use crate::config::{Configuration, Origin, ProfileConfig, wrong_rules};
use crate::fault::UsageError;

/// The name of the view of clients that no profile is for.
const DEFAULT: &str = "default";

/// What the clients of one profile get.
pub(super) struct View {
    name: String,
    /// How they get the tools.
    pub(super) mode: PresentationMode,
    tools: Option<ToolRestriction>,
    clients: Vec<String>,
    rules: Option<Rules>,
}

/// The views of a configuration; never none.
pub(super) struct Views {
    /// That of clients that no other is for.
    pub(super) first: View,
    pub(super) others: Vec<View>,
}

impl Views {
    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &View> {
        [&self.first].into_iter().chain(&self.others)
    }
}

/// The views of a configuration, or the one that is asked for.
///
/// # Errors
/// There is no profile of that name, or one makes no sense.
pub(super) fn read(
    configuration: &Configuration,
    root: &Path,
    asked: Option<&str>,
) -> Result<Views, UsageError> {
    let settings = &configuration.settings.mcp;
    let mut others = Vec::new();
    for (name, config) in &settings.profiles {
        others.push(View::new(name, config, configuration, root)?);
    }
    // What everybody else gets may be a profile, too.
    let wanted = asked.unwrap_or(DEFAULT);
    let at = others.iter().position(|view| view.name == wanted);
    let first = at.map(|at| others.remove(at));
    Ok(match (first, asked) {
        (Some(first), Some(_)) => Views { first, others: Vec::new() },
        (Some(first), None) => Views { first, others },
        (None, None) => {
            let mode = settings.serve.mode.presentation();
            let name = DEFAULT.to_owned();
            Views { first: View { name, mode, tools: None, clients: Vec::new(), rules: None }, others }
        }
        (None, Some(asked)) => {
            let known: Vec<_> = settings.profiles.keys().map(String::as_str).collect();
            let hint = match known.as_slice() {
                [] => "`[mcp.profiles.NAME]` in toolgate.toml makes one".to_owned(),
                known => format!("configured: {}", known.join(", ")),
            };
            return Err(UsageError::new(format!("there is no profile `{asked}`")).with_hint(hint));
        }
    })
}

/// The rules for everybody, with those of each view for its clients.
pub(super) fn rules(views: &Views, runtime: &ToolRuntime, permissions: Permissions) -> Permissions {
    let further = views.iter().filter_map(|view| Some((view, view.rules.as_ref()?)));
    further.fold(permissions, |permissions, (view, rules)| {
        permissions.with_scope(&view.scope(runtime), rules.clone())
    })
}

impl View {
    fn new(
        name: &str,
        config: &ProfileConfig,
        configuration: &Configuration,
        root: &Path,
    ) -> Result<Self, UsageError> {
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
            return Err(UsageError::new(format!("`{name}` cannot be the name of a profile"))
                .with_hint("it is part of an address: use letters, digits, `-` and `_`"));
        }
        let ProfileConfig { allow, deny, rules, clients, mode, .. } = config;
        for pattern in allow.iter().flatten().chain(deny) {
            if pattern.trim_end_matches('*').contains('*') || pattern.ends_with("**") {
                return Err(UsageError::new(format!(
                    "the profile `{name}` has a pattern of tools that fits none: `{pattern}`"
                ))
                .with_hint("a pattern is a name, or the beginning of names with a `*` behind"));
            }
        }
        let filters = allow.is_some() || !deny.is_empty();
        let tools = filters.then(|| ToolRestriction::matching(allow.clone(), deny.clone()));
        let lists = [
            (Decision::Deny, "deny", &rules.deny),
            (Decision::Ask, "ask", &rules.ask),
            (Decision::Allow, "allow", &rules.allow),
        ];
        let mut builder = Rules::builder(root);
        for (decision, word, texts) in lists {
            let path = ["mcp", "profiles", name, "rules", word];
            for text in texts {
                builder = builder.rule(decision, text.as_str(), origin_of(configuration, &path));
            }
        }
        let has_rules = lists.iter().any(|(_, _, texts)| !texts.is_empty());
        let rules = has_rules.then(|| builder.build()).transpose().map_err(wrong_rules)?;
        let mode = mode.unwrap_or(configuration.settings.mcp.serve.mode).presentation();
        Ok(Self { name: name.to_owned(), mode, tools, clients: clients.clone(), rules })
    }

    /// The scope that its conversations are below.
    fn scope(&self, runtime: &ToolRuntime) -> Scope {
        runtime.scope(&format!("mcp {}", self.name))
    }

    /// The profile.
    pub(super) fn profile(self, runtime: &ToolRuntime, opener: &Arc<Opener>) -> anyhow::Result<Profile> {
        let scope = self.scope(runtime);
        scope.present_as(self.mode)?;
        let opener = Arc::clone(opener);
        let profile = Profile::opened_by(self.name, move |_, name| {
            let (opener, scope) = (Arc::clone(&opener), scope.clone());
            async move { opener.open(&scope, &name).await }
        });
        let profile = self.clients.into_iter().fold(profile, Profile::for_client);
        Ok(match self.tools {
            Some(tools) => profile.restrict(tools),
            None => profile,
        })
    }
}

/// Where the rules of a list stand.
fn origin_of(configuration: &Configuration, path: &[&str]) -> RuleOrigin {
    let value = configuration
        .values
        .iter()
        .find(|value| value.path.iter().map(String::as_str).eq(path.iter().copied()));
    match value.map(|value| &value.origin) {
        Some(Origin::File { path, line }) => RuleOrigin::File { file: path.clone(), line: *line },
        Some(Origin::Flag(flag)) => RuleOrigin::Flag((*flag).to_owned()),
        Some(Origin::Default) | None => RuleOrigin::Program,
    }
}
