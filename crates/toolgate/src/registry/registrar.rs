//! The verbs of registration, the same wherever something can be registered.

use std::sync::{Arc, Mutex};

use super::layer::{Contribution, LayerId};
use super::store::Position;
use super::{DefinitionProblem, Registration, RegistrationError, ToolGroup, ToolRuntime};
use crate::hook::HookResult;
use crate::pipeline::contained;
use crate::tool::IntoToolDefinition;
use crate::{
    ChangeObserver, CodeDispatchLogListener, Execute, PostExecute, PreExecute, ReportObserver,
    ResultObserver, ToolExecution,
};

/// Where something can be registered: a [`ToolRuntime`] (for everyone), a [`Scope`](crate::Scope) (for its agent and
/// those below), or a plugin's context.
///
/// Listeners run in the order of registration, over the runtime and all scopes together: the first is the outermost.
/// [`first`](Self::first) puts one outside all others. A hook of a scope sees the calls of that scope and of those
/// below it (rule R4). A stage with more than 1,000 listeners refuses its calls. A closed scope takes hooks and keeps none of them: no call of it can run.
pub trait Registrar: sealed::Registrar {
    /// Registers a tool. It shadows tools of the same name that are registered farther from the agent.
    ///
    /// # Errors
    /// Everything that is wrong with the definition, at once.
    fn register(&self, tool: impl IntoToolDefinition) -> Result<Registration, RegistrationError> {
        let site = self.site();
        let definition = contained(|| Ok(tool.into_definition())).map_err(|panicked| {
            let problem = DefinitionProblem::Panicked(panicked.message().to_owned());
            RegistrationError::new("(unnamed)", vec![problem])
        })?;
        let id = site.runtime.store().register(site.layer, definition)?;
        Ok(site.registered(Some(id)))
    }

    /// Keeps a place for tools that come and go together; see [`ToolGroup`]. It has none at first.
    fn tool_group(&self) -> ToolGroup {
        let site = self.site();
        let id = site.runtime.store().add_group(site.layer);
        site.registered(id);
        ToolGroup::new(site.runtime, site.layer, id)
    }

    /// Registers a guard: a synchronous check after all listeners, which denies by giving a reason. `None` leaves the
    /// call as it is; no guard can allow what another denies. A guard that panics denies.
    fn guard(
        &self,
        guard: impl Fn(&ToolExecution) -> Option<String> + Send + Sync + 'static,
    ) -> Registration {
        self.try_guard(move |call| Ok(guard(call)))
    }

    /// The same for a check that can itself fail. A failure fails the call, without post policy.
    fn try_guard(
        &self,
        guard: impl Fn(&ToolExecution) -> HookResult<Option<String>> + Send + Sync + 'static,
    ) -> Registration {
        self.site().add(Contribution::Guard(Arc::new(guard)))
    }

    /// Registers a listener before dispatch.
    fn on_pre_execute(&self, listener: impl PreExecute) -> Registration {
        self.site().add(Contribution::PreExecute(Arc::new(listener)))
    }

    /// Registers a wrapper around the body.
    fn on_execute(&self, wrapper: impl Execute) -> Registration {
        self.site().add(Contribution::Execute(Arc::new(wrapper)))
    }

    /// Registers a listener after dispatch.
    fn on_post_execute(&self, listener: impl PostExecute) -> Registration {
        self.site().add(Contribution::PostExecute(Arc::new(listener)))
    }

    /// Registers a listener on what the log keeps of a program's sub-calls.
    fn on_code_dispatch_log(&self, listener: impl CodeDispatchLogListener) -> Registration {
        self.site().add(Contribution::DispatchLog(Arc::new(listener)))
    }

    /// Registers an observer of final results.
    fn on_result(&self, observer: impl ResultObserver) -> Registration {
        self.site().add(Contribution::Result(Arc::new(observer)))
    }

    /// Registers an observer of what running calls report.
    fn on_report(&self, observer: impl ReportObserver) -> Registration {
        self.site().add(Contribution::Report(Arc::new(observer)))
    }

    /// Registers an observer of changes. Wherever it is registered, it hears of all of them, until its scope closes.
    fn on_change(&self, observer: impl ChangeObserver) -> Registration {
        self.site().add(Contribution::Change(Arc::new(observer)))
    }

    /// The same place, putting listeners outside all that are there.
    fn first(&self) -> First<'_>
    where
        Self: Sized,
    {
        First(self.site())
    }
}

impl<R: sealed::Registrar> Registrar for R {}

/// A place of registration whose listeners go outside all others; see [`Registrar::first`].
pub struct First<'a>(Site<'a>);

impl sealed::Registrar for First<'_> {
    fn site(&self) -> Site<'_> {
        Site { position: Position::First, ..self.0 }
    }
}

/// A place of registration.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    pub(super) runtime: &'a ToolRuntime,
    pub(super) layer: LayerId,
    position: Position,
    /// Where a plugin collects what it registers.
    collected: Option<&'a Mutex<Vec<Registration>>>,
}

impl<'a> Site<'a> {
    pub(super) fn new(runtime: &'a ToolRuntime, layer: LayerId) -> Self {
        Self { runtime, layer, position: Position::Last, collected: None }
    }

    pub(super) fn collecting(mut self, collected: &'a Mutex<Vec<Registration>>) -> Self {
        self.collected = Some(collected);
        self
    }

    fn add(self, hook: Contribution) -> Registration {
        let id = self.runtime.store().add_hook(self.layer, self.position, hook);
        self.registered(id)
    }

    pub(super) fn registered(self, id: Option<super::layer::ContributionId>) -> Registration {
        let registration = Registration::new(self.runtime, self.layer, id);
        if let Some(collected) = self.collected {
            collected.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(registration.share());
        }
        registration
    }
}

pub(super) mod sealed {
    /// Implemented by the places of registration, and by nothing else.
    pub trait Registrar {
        /// The place.
        fn site(&self) -> super::Site<'_>;
    }
}
