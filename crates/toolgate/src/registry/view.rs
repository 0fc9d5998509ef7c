//! What one scope sees at one moment: the one answer to presentation, lookup and dispatch.

use std::sync::Arc;

use indexmap::IndexMap;
use serde::Serialize;

use super::code_transport::MountedCode;
use super::layer::{Contribution, Entry, Layer, LayerId};
use super::store::{State, Store};
use super::{PresentationMode, RUN_CODE, WireError};
use crate::hook::{
    DynCodeDispatchLogListener, DynExecute, DynPostExecute, DynPreExecute, Guard, ReportObserver,
    ResultObserver,
};
use crate::pipeline::contained;
use crate::result::ToolFailure;
use crate::tool::tool_label;
use crate::{ExecutionToken, JsonValue, ToolCall, ToolDefinition, ToolExecutionMode};

/// What a model may know of a tool, and all of it (rule R6).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolSchema {
    /// The name to call.
    pub name: String,
    /// What the tool does.
    pub description: String,
    /// The JSON Schema of the arguments.
    pub parameters: JsonValue,
}

impl ToolSchema {
    fn of(tool: &ToolDefinition) -> Self {
        Self {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            parameters: tool.parameters().clone(),
        }
    }
}

/// An immutable picture of one scope. Calls share it until the registry changes.
#[derive(Clone)]
pub(crate) struct View {
    made_at: u64,
    /// Whether the scope is closed.
    is_closed: bool,
    tools: Tools,
    mode: PresentationMode,
    code: MountedCode,
    guards: Vec<Guard>,
    pre_execute: Vec<Arc<dyn DynPreExecute>>,
    execute: Vec<Arc<dyn DynExecute>>,
    post_execute: Vec<Arc<dyn DynPostExecute>>,
    dispatch_log: Vec<Arc<dyn DynCodeDispatchLogListener>>,
    observers: Vec<Arc<dyn ResultObserver>>,
    reports: Vec<Arc<dyn ReportObserver>>,
}

/// How many listeners one stage of a call may have: each takes a piece of the thread's stack.
pub(crate) const MOST_LISTENERS: usize = 1_000;

/// Where a tool is in one view.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Tool(usize),
    RunCode,
}

/// Visible tools in a deterministic order (rule R9).
pub(super) type Tools = IndexMap<Arc<str>, ToolDefinition>;

impl View {
    /// The picture of a chain of layers. A closed scope sees no tools; the hooks of what is still open above it, the
    /// runtime's at least, see every call that is made through it all the same.
    pub(super) fn of(store: &Store, state: &State, chain: &[LayerId], made_at: u64) -> Self {
        let open: Vec<&Layer> = chain.iter().map_while(|id| state.layer(*id)).collect();
        let is_closed = open.len() < chain.len();
        let entries = || open.iter().flat_map(|layer| layer.entries());
        Self {
            made_at,
            is_closed,
            tools: if is_closed { Tools::new() } else { visible_tools(&open) },
            mode: open.iter().rev().find_map(|layer| layer.presentation()).unwrap_or(store.default_mode),
            code: if is_closed { MountedCode::None } else { store.code.clone() }, // Guards of the runtime first, then along the scopes, farthest first; they are never reordered.
            guards: entries()
                .filter_map(|entry| {
                    if let Contribution::Guard(guard) = &entry.contribution {
                        Some(Arc::clone(guard))
                    } else {
                        None
                    }
                })
                .collect(),
            pre_execute: in_order(entries(), |contribution| {
                if let Contribution::PreExecute(listener) = contribution { Some(listener) } else { None }
            }),
            execute: in_order(entries(), |contribution| {
                if let Contribution::Execute(listener) = contribution { Some(listener) } else { None }
            }),
            post_execute: in_order(entries(), |contribution| {
                if let Contribution::PostExecute(listener) = contribution { Some(listener) } else { None }
            }),
            dispatch_log: in_order(entries(), |contribution| {
                if let Contribution::DispatchLog(listener) = contribution { Some(listener) } else { None }
            }),
            observers: in_order(entries(), |contribution| {
                if let Contribution::Result(observer) = contribution { Some(observer) } else { None }
            }),
            reports: in_order(entries(), |contribution| {
                if let Contribution::Report(observer) = contribution { Some(observer) } else { None }
            }),
        }
    }

    /// What is left for a call under way when its scope closes: the hooks that it entered with, and no tools.
    pub(crate) fn without_tools(&self) -> Self {
        Self { tools: Tools::new(), code: MountedCode::None, ..self.clone() }
    }

    /// Whether the scope is closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The tools alone.
    pub(super) fn tools_of(state: &State, layer: LayerId) -> Tools {
        visible_tools(&chain(state, layer))
    }

    pub(super) fn made_at(&self) -> u64 {
        self.made_at
    }

    pub(crate) fn guards(&self) -> &[Guard] {
        &self.guards
    }

    pub(crate) fn pre_execute(&self) -> &[Arc<dyn DynPreExecute>] {
        &self.pre_execute
    }

    /// Whether a stage has more listeners than a call can go through.
    pub(crate) fn is_overcrowded(&self) -> bool {
        let most = [self.pre_execute.len(), self.execute.len(), self.post_execute.len()];
        most.iter().any(|count| *count > MOST_LISTENERS)
    }

    /// Whether nobody has a say before dispatch.
    pub(crate) fn has_no_policy(&self) -> bool {
        self.pre_execute.is_empty() && self.guards.is_empty()
    }

    pub(crate) fn execute(&self) -> &[Arc<dyn DynExecute>] {
        &self.execute
    }

    pub(crate) fn post_execute(&self) -> &[Arc<dyn DynPostExecute>] {
        &self.post_execute
    }

    pub(crate) fn dispatch_log(&self) -> &[Arc<dyn DynCodeDispatchLogListener>] {
        &self.dispatch_log
    }

    pub(crate) fn observers(&self) -> &[Arc<dyn ResultObserver>] {
        &self.observers
    }

    pub(crate) fn report_observers(&self) -> &[Arc<dyn ReportObserver>] {
        &self.reports
    }

    /// The definition that a name means here.
    pub(super) fn resolve(&self, name: &str) -> Option<&ToolDefinition> {
        self.locate(name).and_then(|place| self.at(place))
    }

    /// Where the definition is that a call means here; nowhere where the presentation mode refuses it.
    pub(crate) fn locate_for(&self, name: &str, parent: Option<ExecutionToken>) -> Option<Place> {
        if self.is_collapsed(name, parent) { None } else { self.locate(name) }
    }

    /// The definition at a place of this view.
    pub(crate) fn at(&self, place: Place) -> Option<&ToolDefinition> {
        match place {
            Place::Tool(at) => self.tools.get_index(at).map(|(_, tool)| tool),
            Place::RunCode => self.run_code(),
        }
    }

    fn locate(&self, name: &str) -> Option<Place> {
        if name == RUN_CODE {
            self.run_code().map(|_| Place::RunCode)
        } else {
            self.tools.get_index_of(name).map(Place::Tool)
        }
    }

    /// Whether presentation mode `code` refuses a call: a direct call of anything but `run_code` (rule R5).
    pub(crate) fn is_collapsed(&self, name: &str, parent: Option<ExecutionToken>) -> bool {
        self.mode == PresentationMode::Code && parent.is_none() && name != RUN_CODE
    }

    /// The failure of a call that means nothing here.
    pub(crate) fn not_found(&self, name: &str, parent: Option<ExecutionToken>) -> ToolFailure {
        let label = tool_label(name);
        ToolFailure::unknown_tool(if self.is_collapsed(name, parent) && self.tools.contains_key(name) {
            format!("{label} cannot be called directly here; call it from a program that `{RUN_CODE}` runs")
        } else {
            format!("there is no tool named {label}")
        })
    }

    fn run_code(&self) -> Option<&ToolDefinition> {
        if self.mode.presents_code() { self.code.definition().ok() } else { None }
    }

    pub(super) fn tools(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.tools.values().chain(self.run_code())
    }

    pub(super) fn schemas(&self) -> Vec<ToolSchema> {
        self.tools().map(ToolSchema::of).collect()
    }

    pub(super) fn wire_schemas(&self) -> Result<Vec<ToolSchema>, WireError> {
        let run_code = match self.mode {
            PresentationMode::Native => None,
            PresentationMode::Code | PresentationMode::Both => Some(self.code.definition()?),
        };
        let native = match self.mode {
            PresentationMode::Native | PresentationMode::Both => Some(self.tools.values()),
            PresentationMode::Code => None,
        };
        Ok(native.into_iter().flatten().chain(run_code).map(ToolSchema::of).collect())
    }

    pub(super) fn mode(&self) -> PresentationMode {
        self.mode
    }

    /// Rule R7: anything but an exact yes is exclusive.
    pub(super) fn execution_mode(&self, call: &ToolCall) -> ToolExecutionMode {
        let is_parallel = || {
            let args = call.arguments.as_ref().ok()?;
            let tool = self.at(self.locate_for(&call.name, call.parent)?)?;
            contained(|| Ok(tool.behaviour().is_concurrency_safe(args))).ok()
        };
        if is_parallel() == Some(true) { ToolExecutionMode::Parallel } else { ToolExecutionMode::Exclusive }
    }
}

/// The layers from the runtime's to a scope's own; none where the scope is closed.
fn chain(state: &State, layer: LayerId) -> Vec<&Layer> {
    let mut chain = Vec::new();
    let mut next = Some(layer);
    while let Some(id) = next {
        let Some(layer) = state.layer(id) else { return Vec::new() };
        chain.push(layer);
        next = layer.parent;
    }
    chain.reverse();
    chain
}

/// What the last layer of a chain sees: each layer masks what it inherits and then adds its own. A shadow keeps the
/// place of the name that it shadows (rules R3, R9).
fn visible_tools(chain: &[&Layer]) -> Tools {
    let mut tools = Tools::new();
    for layer in chain {
        for entry in layer.entries() {
            if let Contribution::Restriction(mask) = &entry.contribution {
                tools.retain(|name, _| mask.admits(name));
            }
        }
        for entry in layer.entries() {
            for tool in entry.contribution.tools() {
                tools.insert(tool.shared_name(), tool.clone());
            }
        }
    }
    tools
}

/// The listeners of one stage, outermost first (rule R4).
fn in_order<'a, L: ?Sized + 'a>(
    entries: impl Iterator<Item = &'a Entry>,
    pick: impl Fn(&'a Contribution) -> Option<&'a Arc<L>>,
) -> Vec<Arc<L>> {
    let mut listeners: Vec<_> = entries
        .filter_map(|entry| pick(&entry.contribution).map(|listener| (entry.order, listener)))
        .collect();
    listeners.sort_by_key(|(order, _)| *order);
    listeners.into_iter().map(|(_, listener)| Arc::clone(listener)).collect()
}
