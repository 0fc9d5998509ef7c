//! The set-up of a runtime. Every mistake is reported by `build`, at once.

use std::sync::Arc;

use super::code_transport::MountedCode;
use super::store::Store;
use super::{CodeTransport, Plugin, PresentationMode, Registrar as _, SetupError, SetupProblem, ToolRuntime};
use crate::hook::DynApprover;
use crate::tool::IntoToolDefinition;
use crate::{
    Approver, ChangeObserver, CodeDispatchLogListener, Execute, PostExecute, PreExecute, ResultObserver,
    ToolExecution,
};

type Step = Box<dyn FnOnce(&ToolRuntime) -> Result<(), SetupProblem>>;

/// Builds a [`ToolRuntime`]. Things are registered in the order in which they are named here.
#[derive(Default)]
#[must_use = "call `build` to get the runtime"]
pub struct ToolRuntimeBuilder {
    mode: PresentationMode,
    approver: Option<Arc<dyn DynApprover>>,
    code: Option<MountedCode>,
    steps: Vec<Step>,
}

impl ToolRuntimeBuilder {
    /// Registers a tool for everyone.
    pub fn tool(self, tool: impl IntoToolDefinition + 'static) -> Self {
        self.step(move |runtime| Ok(runtime.register(tool).map(drop)?))
    }

    /// Registers a guard for everyone; see [`Registrar::guard`](super::Registrar::guard).
    pub fn guard(self, guard: impl Fn(&ToolExecution) -> Option<String> + Send + Sync + 'static) -> Self {
        self.hook(move |runtime| runtime.guard(guard))
    }

    /// Registers a listener before dispatch.
    pub fn on_pre_execute(self, listener: impl PreExecute) -> Self {
        self.hook(move |runtime| runtime.on_pre_execute(listener))
    }

    /// Registers a wrapper around the body.
    pub fn on_execute(self, wrapper: impl Execute) -> Self {
        self.hook(move |runtime| runtime.on_execute(wrapper))
    }

    /// Registers a listener after dispatch.
    pub fn on_post_execute(self, listener: impl PostExecute) -> Self {
        self.hook(move |runtime| runtime.on_post_execute(listener))
    }

    /// Registers a listener on what the log keeps of a program's sub-calls.
    pub fn on_code_dispatch_log(self, listener: impl CodeDispatchLogListener) -> Self {
        self.hook(move |runtime| runtime.on_code_dispatch_log(listener))
    }

    /// Registers an observer of final results.
    pub fn on_result(self, observer: impl ResultObserver) -> Self {
        self.hook(move |runtime| runtime.on_result(observer))
    }

    /// Registers an observer of changes.
    pub fn on_change(self, observer: impl ChangeObserver) -> Self {
        self.hook(move |runtime| runtime.on_change(observer))
    }

    /// Installs a plugin for everyone.
    pub fn plugin(self, plugin: impl Plugin + 'static) -> Self {
        self.step(move |runtime| Ok(runtime.plug(plugin).map(drop)?))
    }

    /// Says who answers when a listener asks. Without one, an ask is a denial.
    pub fn approver(mut self, approver: impl Approver) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Says how tools are presented where no scope says otherwise. `Native` by default.
    pub fn presentation_mode(mut self, mode: PresentationMode) -> Self {
        self.mode = mode;
        self
    }

    /// Mounts the code transport that `run_code` needs.
    pub fn code_transport(mut self, transport: impl CodeTransport) -> Self {
        self.code = Some(MountedCode::new(transport));
        self
    }

    /// Makes the runtime.
    ///
    /// # Errors
    /// Everything that could not be registered or installed.
    pub fn build(self) -> Result<ToolRuntime, SetupError> {
        let store = Store::new(self.mode, self.approver, self.code.unwrap_or(MountedCode::None));
        let runtime = ToolRuntime::from_store(store);
        let problems: Vec<_> = self.steps.into_iter().filter_map(|step| step(&runtime).err()).collect();
        if problems.is_empty() { Ok(runtime) } else { Err(SetupError::new(problems)) }
    }

    fn hook<R>(self, register: impl FnOnce(&ToolRuntime) -> R + 'static) -> Self {
        self.step(move |runtime| {
            register(runtime);
            Ok(())
        })
    }

    fn step(mut self, step: impl FnOnce(&ToolRuntime) -> Result<(), SetupProblem> + 'static) -> Self {
        self.steps.push(Box::new(step));
        self
    }
}
