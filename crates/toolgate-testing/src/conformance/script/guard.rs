//! Scripts of guards.

use std::sync::Arc;

use toolgate::{HookResult, Registrar, Registration, ToolExecution};

use super::elements::GuardSpec;
use super::stage::{Phase, Stage};
use super::world::{Site, World};

impl Site {
    /// Registers a guard with its script.
    pub(crate) fn guard(&self, world: &Arc<World>, spec: GuardSpec) -> Registration {
        match self {
            Self::Runtime(runtime) => guard(runtime, world, spec),
            Self::Scope(scope) => guard(scope, world, spec),
        }
    }
}

fn guard(site: &impl Registrar, world: &Arc<World>, spec: GuardSpec) -> Registration {
    let world = Arc::clone(world);
    site.try_guard(move |call| if spec.when.matches(call) { check(&world, &spec, call) } else { Ok(None) })
}

fn check(world: &Arc<World>, spec: &GuardSpec, call: &ToolExecution) -> HookResult<Option<String>> {
    let stage = Stage { world, call, phase: Phase::Guard, actor: &spec.id };
    for op in &spec.script {
        if let Err(error) = stage.instant(op, call.cancellation()) {
            stage.trace("throw");
            return Err(error);
        }
    }
    stage.trace(if spec.deny.is_some() { "deny" } else { "pass" });
    Ok(spec.deny.clone())
}
