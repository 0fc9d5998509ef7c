//! A layer: what the runtime, or one scope, contributed.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::PresentationMode;
use super::restriction::Mask;
use super::scope::ScopeShared;
use crate::ToolDefinition;
use crate::hook::{
    ChangeObserver, DynCodeDispatchLogListener, DynExecute, DynPostExecute, DynPreExecute, Guard,
    ReportObserver, ResultObserver,
};

/// The place of a layer in the tree. Places are never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LayerId(u64);

/// The layer of the runtime itself, farthest from every agent.
pub(super) const ROOT: LayerId = LayerId(0);

impl LayerId {
    /// An id that no layer of this process has, whatever its runtime.
    pub(super) fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// What identifies one contribution, in order of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ContributionId(pub(super) u64);

/// One thing that was registered.
pub(super) struct Entry {
    pub(super) id: ContributionId,
    /// Where it stands in a waterfall: smaller is farther out.
    pub(super) order: i64,
    pub(super) contribution: Contribution,
}

/// The kinds of things that can be registered.
pub(crate) enum Contribution {
    Tool(ToolDefinition),
    Group(Arc<[ToolDefinition]>),
    Restriction(Mask),
    Presentation(PresentationMode),
    Guard(Guard),
    PreExecute(Arc<dyn DynPreExecute>),
    Execute(Arc<dyn DynExecute>),
    PostExecute(Arc<dyn DynPostExecute>),
    DispatchLog(Arc<dyn DynCodeDispatchLogListener>),
    Result(Arc<dyn ResultObserver>),
    Report(Arc<dyn ReportObserver>),
    Change(Arc<dyn ChangeObserver>),
}

impl Contribution {
    /// Whether its coming and going changes what some scope can see (rule R8).
    pub(super) fn changes_tools(&self) -> bool {
        match self {
            Self::Tool(_) | Self::Restriction(_) | Self::Presentation(_) => true,
            Self::Group(tools) => !tools.is_empty(),
            Self::Guard(_)
            | Self::PreExecute(_)
            | Self::Execute(_)
            | Self::PostExecute(_)
            | Self::DispatchLog(_)
            | Self::Result(_)
            | Self::Report(_)
            | Self::Change(_) => false,
        }
    }

    /// The tools that it brings.
    pub(super) fn tools(&self) -> &[ToolDefinition] {
        match self {
            Self::Tool(tool) => std::slice::from_ref(tool),
            Self::Group(tools) => tools,
            Self::Restriction(_)
            | Self::Presentation(_)
            | Self::Guard(_)
            | Self::PreExecute(_)
            | Self::Execute(_)
            | Self::PostExecute(_)
            | Self::DispatchLog(_)
            | Self::Result(_)
            | Self::Report(_)
            | Self::Change(_) => &[],
        }
    }
}

/// A layer and its place in the tree.
pub(super) struct Layer {
    pub(super) parent: Option<LayerId>,
    pub(super) children: HashMap<Arc<str>, LayerId>,
    /// The handle's part that outlives the layer; the runtime's own layer has none.
    pub(super) scope: Option<Arc<ScopeShared>>,
    entries: Vec<Entry>,
    tools: HashMap<Arc<str>, ContributionId>,
}

impl Layer {
    pub(super) fn new(parent: Option<LayerId>, scope: Option<Arc<ScopeShared>>) -> Self {
        Self { parent, children: HashMap::new(), scope, entries: Vec::new(), tools: HashMap::new() }
    }

    pub(super) fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter()
    }

    pub(super) fn has_tool(&self, name: &str) -> bool {
        self.tools.contains_key(name)
    }

    pub(super) fn presentation(&self) -> Option<PresentationMode> {
        self.entries.iter().find_map(|entry| {
            if let Contribution::Presentation(mode) = entry.contribution { Some(mode) } else { None }
        })
    }

    pub(super) fn add(&mut self, entry: Entry) {
        for tool in entry.contribution.tools() {
            self.tools.insert(tool.shared_name(), entry.id);
        }
        self.entries.push(entry);
    }

    /// Puts other tools into a group, in its place, and gives back those that were there. Nothing happens where the
    /// group is gone.
    pub(super) fn replace_group(
        &mut self,
        id: ContributionId,
        tools: Arc<[ToolDefinition]>,
    ) -> Option<Contribution> {
        let at = self.entries.binary_search_by_key(&id, |entry| entry.id).ok()?;
        let entry = self.entries.get_mut(at)?;
        let before = std::mem::replace(&mut entry.contribution, Contribution::Group(Arc::clone(&tools)));
        for tool in before.tools() {
            self.tools.remove(tool.name());
        }
        for tool in &*tools {
            self.tools.insert(tool.shared_name(), id);
        }
        Some(before)
    }

    /// Whether a name belongs to another contribution of this layer than that one.
    pub(super) fn has_tool_beside(&self, id: ContributionId, name: &str) -> bool {
        self.tools.get(name).is_some_and(|owner| *owner != id)
    }

    /// Takes one contribution out; gives it back if it was there.
    pub(super) fn remove(&mut self, id: ContributionId) -> Option<Contribution> {
        // Entries are in the order of their ids.
        let at = self.entries.binary_search_by_key(&id, |entry| entry.id).ok()?;
        let contribution = self.entries.remove(at).contribution;
        for tool in contribution.tools() {
            self.tools.remove(tool.name());
        }
        Some(contribution)
    }

    pub(super) fn last_id(&self) -> Option<ContributionId> {
        self.entries.last().map(|entry| entry.id)
    }
}
