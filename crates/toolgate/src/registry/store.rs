//! The registry's state: layers under one lock, and a count of changes by which views know that they are stale.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwapOption;

use super::code_transport::MountedCode;
use super::error::{DefinitionProblem, PresentationError, RegistrationError, RestrictionError};
use super::layer::{Contribution, ContributionId, Entry, Layer, LayerId, ROOT};
use super::restriction::Mask;
use super::scope::ScopeShared;
use super::{PresentationMode, RUN_CODE, ToolRestriction, View};
use crate::ToolDefinition;
use crate::hook::{ChangeObserver, DynApprover};
use crate::pipeline::{contained, release};
use crate::tool::ToolName;

/// Everything that handles of one runtime share.
pub(crate) struct Store {
    state: Mutex<State>,
    /// Grows with every change. A view that was made at another count is stale.
    changes: AtomicU64,
    root_view: ArcSwapOption<View>,
    pub(super) default_mode: PresentationMode,
    pub(super) approver: Option<Arc<dyn DynApprover>>,
    pub(super) code: MountedCode,
}

pub(super) struct State {
    layers: HashMap<LayerId, Layer>,
    next_contribution: u64,
}

/// Whether a listener goes behind those that are there, or outside all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    Last,
    First,
}

impl Store {
    pub(super) fn new(
        default_mode: PresentationMode,
        approver: Option<Arc<dyn DynApprover>>,
        code: MountedCode,
    ) -> Self {
        let layers = HashMap::from([(ROOT, Layer::new(None, None))]);
        Self {
            state: Mutex::new(State { layers, next_contribution: 1 }),
            changes: AtomicU64::new(1),
            root_view: ArcSwapOption::empty(),
            default_mode,
            approver,
            code,
        }
    }

    /// What a layer sees now. Reads without the lock unless something has changed since the last time.
    pub(super) fn view(&self, scope: Option<&ScopeShared>) -> Arc<View> {
        let slot = scope.map_or(&self.root_view, |scope| &scope.view);
        if let Some(view) = slot.load_full().filter(|view| self.is_current(view)) {
            return view;
        }
        let view = {
            let state = self.lock();
            let chain = scope.map_or(&[ROOT][..], |scope| &scope.chain);
            Arc::new(View::of(self, &state, chain, self.changes.load(Ordering::Acquire)))
        };
        // A view that is stale by now is found to be so by the next reader.
        release(slot.swap(Some(Arc::clone(&view))));
        view
    }

    pub(super) fn is_current(&self, view: &View) -> bool {
        view.made_at() == self.changes.load(Ordering::Acquire)
    }

    /// Registers a tool, or says everything that is wrong with it.
    pub(super) fn register(
        &self,
        layer: LayerId,
        tool: ToolDefinition,
    ) -> Result<ContributionId, RegistrationError> {
        let name = tool.name().to_owned();
        let mut problems = problems_of(&tool);
        let added = self.change(|state| {
            let tool = tool.clone();
            match state.layers.get(&layer) {
                None => problems.push(DefinitionProblem::ScopeClosed),
                Some(layer) if layer.has_tool(&name) => problems.push(DefinitionProblem::DuplicateName),
                Some(_) => {}
            }
            if problems.is_empty() {
                state.add(layer, Position::Last, Contribution::Tool(tool)).map_err(|_| problems)
            } else {
                Err(problems)
            }
        });
        added.map_err(|problems| RegistrationError::new(&name, problems))
    }

    /// Keeps a place in a layer for tools that come and go together. Nothing is visible of it until it has tools.
    pub(super) fn add_group(&self, layer: LayerId) -> Option<ContributionId> {
        self.add_hook(layer, Position::Last, Contribution::Group(Arc::new([])))
    }

    /// Puts other tools in the place of those of a group: all of them, or none where any is wrong.
    pub(super) fn replace_group(
        &self,
        layer: LayerId,
        id: Option<ContributionId>,
        tools: Vec<ToolDefinition>,
    ) -> Result<(), Vec<RegistrationError>> {
        let mut problems: Vec<Vec<DefinitionProblem>> = tools.iter().map(problems_of).collect();
        let mut seen = HashSet::new();
        for (tool, problems) in tools.iter().zip(&mut problems) {
            if !seen.insert(tool.name()) {
                problems.push(DefinitionProblem::DuplicateName);
            }
        }
        let replaced = self.change(|state| -> Result<Contribution, Vec<RegistrationError>> {
            let target = id.and_then(|id| state.layers.get_mut(&layer).map(|layer| (id, layer)));
            for (tool, problems) in tools.iter().zip(&mut problems) {
                match &target {
                    None => problems.push(DefinitionProblem::ScopeClosed),
                    Some((id, layer)) if layer.has_tool_beside(*id, tool.name()) => {
                        problems.push(DefinitionProblem::DuplicateName);
                    }
                    Some(_) => {}
                }
            }
            if problems.iter().any(|problems| !problems.is_empty()) {
                let errors = tools.iter().zip(problems).filter(|(_, problems)| !problems.is_empty());
                return Err(errors
                    .map(|(tool, problems)| RegistrationError::new(tool.name(), problems))
                    .collect());
            }
            // No errors of nothing: the group is gone, and there is no change to speak of.
            let replaced =
                target.and_then(|(id, layer)| layer.replace_group(id, Arc::from(tools.as_slice())));
            replaced.ok_or_else(Vec::new)
        });
        match replaced {
            Ok(before) => release(before),
            Err(errors) if errors.is_empty() => {}
            Err(errors) => return Err(errors),
        }
        Ok(())
    }

    /// Restricts what a scope inherits.
    pub(super) fn restrict(
        &self,
        layer: LayerId,
        restriction: ToolRestriction,
    ) -> Result<ContributionId, RestrictionError> {
        if restriction.is_empty() {
            return Err(RestrictionError::EmptyFilter);
        }
        if restriction.names().any(|name| name == RUN_CODE) {
            return Err(RestrictionError::ReservedName);
        }
        self.change(|state| {
            let own = state.layers.get(&layer).ok_or(RestrictionError::ScopeClosed)?;
            let inherited = View::tools_of(state, own.parent.ok_or(RestrictionError::ScopeClosed)?);
            let named = |is_wrong: &dyn Fn(&str) -> bool| -> Vec<String> {
                restriction.names().filter(|name| is_wrong(name)).map(str::to_owned).collect()
            };
            let own_names = named(&|name| own.has_tool(name));
            if !own_names.is_empty() {
                return Err(RestrictionError::OwnNames(own_names));
            }
            let unknown = named(&|name| !inherited.contains_key(name));
            if !unknown.is_empty() {
                return Err(RestrictionError::UnknownNames(unknown));
            }
            state
                .add(layer, Position::Last, Contribution::Restriction(Mask::new(restriction)))
                .map_err(|_| RestrictionError::ScopeClosed)
        })
    }

    /// Declares a scope's presentation mode.
    pub(super) fn present_as(
        &self,
        layer: LayerId,
        mode: PresentationMode,
    ) -> Result<ContributionId, PresentationError> {
        self.change(|state| {
            let declared = state.layers.get(&layer).ok_or(PresentationError::ScopeClosed)?.presentation();
            if declared.is_some() {
                return Err(PresentationError::Conflict);
            }
            state
                .add(layer, Position::Last, Contribution::Presentation(mode))
                .map_err(|_| PresentationError::ScopeClosed)
        })
    }

    /// Adds a hook. On a closed scope there is nothing that it could see, so it is dropped.
    pub(super) fn add_hook(
        &self,
        layer: LayerId,
        position: Position,
        hook: Contribution,
    ) -> Option<ContributionId> {
        let added = {
            let mut state = self.lock();
            self.changes.fetch_add(1, Ordering::AcqRel);
            state.add(layer, position, hook)
        };
        added.ok()
    }

    /// Undoes one contribution, if it is still there.
    pub(super) fn remove(&self, layer: LayerId, id: ContributionId) {
        let removed = {
            let mut state = self.lock();
            let removed = state.layers.get_mut(&layer).and_then(|layer| layer.remove(id));
            self.changes.fetch_add(1, Ordering::AcqRel);
            removed
        };
        let has_changed = removed.as_ref().is_some_and(Contribution::changes_tools);
        release(removed);
        if has_changed {
            self.notify();
        }
    }

    /// The scope of that name at the end of a chain of layers, made where there is none. A closed parent has only
    /// closed children.
    pub(super) fn scope(&self, above: &[LayerId], name: &str) -> Arc<ScopeShared> {
        let parent = above.last().copied().unwrap_or(ROOT);
        let mut state = self.lock();
        let known = state.layers.get(&parent).and_then(|layer| layer.children.get(name)).copied();
        if let Some(scope) = known.and_then(|id| state.layers.get(&id)).and_then(|layer| layer.scope.clone())
        {
            return scope;
        }
        let id = LayerId::fresh();
        let chain = above.iter().copied().chain([id]).collect();
        let scope = Arc::new(ScopeShared::new(Arc::from(name), chain));
        if let Some(layer) = state.layers.get_mut(&parent) {
            layer.children.insert(Arc::clone(&scope.name), id);
            state.layers.insert(id, Layer::new(Some(parent), Some(Arc::clone(&scope))));
        }
        scope
    }

    /// Whether a layer is still in the tree.
    pub(super) fn is_open(&self, layer: LayerId) -> bool {
        self.lock().layers.contains_key(&layer)
    }

    /// Closes a scope and those below it, nearest to the leaves first; undoes what they registered in reverse order.
    /// From the first moment on the scope sees no tools, so that nothing runs without its restrictions and guards.
    pub(super) fn close(&self, layer: LayerId) {
        let closed = {
            let mut state = self.lock();
            let closed = state.detach(layer);
            self.changes.fetch_add(1, Ordering::AcqRel);
            closed
        };
        for mut layer in closed.into_iter().rev() {
            while let Some(id) = layer.last_id() {
                let removed = layer.remove(id);
                let has_changed = removed.as_ref().is_some_and(Contribution::changes_tools);
                release(removed);
                if has_changed {
                    self.notify();
                }
            }
        }
    }

    /// Changes what scopes can see, and tells the observers once it is visible.
    fn change<T, E>(&self, change: impl FnOnce(&mut State) -> Result<T, E>) -> Result<T, E> {
        let changed = {
            let mut state = self.lock();
            let changed = change(&mut state)?;
            self.changes.fetch_add(1, Ordering::AcqRel);
            changed
        };
        self.notify();
        Ok(changed)
    }

    /// Tells every change observer, whichever layer it is from, outside the lock: observers may read and register.
    fn notify(&self) {
        let observers: Vec<Arc<dyn ChangeObserver>> = {
            let state = self.lock();
            let mut observers: Vec<_> = state
                .layers
                .values()
                .flat_map(Layer::entries)
                .filter_map(|entry| {
                    if let Contribution::Change(observer) = &entry.contribution {
                        Some((entry.order, Arc::clone(observer)))
                    } else {
                        None
                    }
                })
                .collect();
            observers.sort_by_key(|(order, _)| *order);
            observers.into_iter().map(|(_, observer)| observer).collect()
        };
        for observer in observers {
            if let Err(error) = contained(|| {
                observer.changed();
                Ok(())
            }) {
                tracing::error!(target: "toolgate", "a change observer failed: {error}");
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing of others runs under the lock, not even a destructor: what is taken out is dropped outside. So a
        // poisoned lock still holds a whole state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    pub(super) fn layer(&self, id: LayerId) -> Option<&Layer> {
        self.layers.get(&id)
    }

    /// Adds to a layer; gives the contribution back where the layer is gone.
    fn add(
        &mut self,
        layer: LayerId,
        position: Position,
        contribution: Contribution,
    ) -> Result<ContributionId, Box<Contribution>> {
        let Some(layer) = self.layers.get_mut(&layer) else { return Err(Box::new(contribution)) };
        let number = self.next_contribution;
        self.next_contribution = number.saturating_add(1);
        let order = i64::try_from(number).unwrap_or(i64::MAX);
        let order = match position {
            Position::Last => order,
            Position::First => -order,
        };
        layer.add(Entry { id: ContributionId(number), order, contribution });
        Ok(ContributionId(number))
    }

    /// Takes a layer and all below it out of the tree, parents first.
    fn detach(&mut self, layer: LayerId) -> Vec<Layer> {
        let mut detached = Vec::new();
        let mut waiting = vec![layer];
        while let Some(id) = waiting.pop() {
            if let Some(layer) = self.layers.remove(&id) {
                waiting.extend(layer.children.values());
                if let (Some(parent), Some(scope)) = (layer.parent, &layer.scope)
                    && let Some(parent) = self.layers.get_mut(&parent)
                {
                    parent.children.remove(&scope.name);
                }
                detached.push(layer);
            }
        }
        detached
    }
}

/// What is wrong with a definition wherever it is registered.
fn problems_of(tool: &ToolDefinition) -> Vec<DefinitionProblem> {
    let mut problems = Vec::new();
    if let Err(invalid) = ToolName::new(tool.name()) {
        problems.push(invalid.into());
    }
    if tool.name() == RUN_CODE {
        problems.push(DefinitionProblem::ReservedName);
    }
    if tool.timeout().is_some_and(|timeout| timeout.is_zero()) {
        problems.push(DefinitionProblem::InvalidTimeout("0 ms".to_owned()));
    }
    problems.extend_from_slice(tool.problems());
    problems
}
