//! From elements to a runtime, and the clock that a scenario runs on.

use std::future::Future;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use toolgate::{
    CancellationToken, ExecutionToken, JsonValue, Registrar, ToolCall, ToolDefinition, ToolRuntime,
    ToolRuntimeBuilder,
};
use toolgate_policy::{DeadlineConfig, Deadlines};

use super::super::Failure;
use super::super::apart::Played;
use super::super::cases::Malformed;
use super::approval::ScriptedApprover;
use super::around::Wrapper;
use super::dispatch_log::LogListener;
use super::elements::{Elements, ListenerSpec};
use super::observer::Observer;
use super::post::PostListener;
use super::pre::PreListener;
use super::world::{Site, World};
use crate::StubCodeTransport;

/// How long a scenario may take on its own clock, which jumps to the next timer whenever nothing can run.
const END_OF_TIME: Duration = Duration::from_secs(3600);

/// How long a scenario may take on the real clock: less than the limit of the thread that it runs on.
const PATIENCE: Duration = Duration::from_secs(25);

/// A scenario that is set up.
pub(crate) struct Scenario {
    pub(crate) world: Arc<World>,
    pub(crate) runtime: ToolRuntime,
}

/// Sets a scenario up and plays it on a clock of its own.
pub(crate) fn play<F: Future<Output = Played>>(
    mut elements: Elements,
    play: impl FnOnce(Scenario) -> F,
) -> Played {
    let language = elements.runtime.take();
    let mount = |builder: ToolRuntimeBuilder, _: &Arc<World>| match language {
        Some(language) => builder.code_transport(StubCodeTransport::new(language)),
        None => builder,
    };
    // At the end of time nothing could run any more, and no timer was left but the last.
    play_on(&executor(true)?, END_OF_TIME, elements, mount, play)
}

/// Sets a scenario up, with what `mount` adds to its runtime, and plays it on the real clock: for what runs on threads
/// of its own.
pub(crate) fn play_live<F: Future<Output = Played>>(
    elements: Elements,
    mount: impl FnOnce(ToolRuntimeBuilder, &Arc<World>) -> ToolRuntimeBuilder,
    play: impl FnOnce(Scenario) -> F,
) -> Played {
    play_on(&executor(false)?, PATIENCE, elements, mount, play)
}

fn executor(is_paused: bool) -> Result<Runtime, Malformed> {
    let executor = Builder::new_current_thread().enable_all().start_paused(is_paused).build();
    executor.map_err(|error| Malformed::new(format!("no executor: {error}")))
}

fn play_on<F: Future<Output = Played>>(
    executor: &Runtime,
    limit: Duration,
    elements: Elements,
    mount: impl FnOnce(ToolRuntimeBuilder, &Arc<World>) -> ToolRuntimeBuilder,
    play: impl FnOnce(Scenario) -> F,
) -> Played {
    executor.block_on(async {
        let scenario = Scenario::new(elements, mount)?;
        let world = Arc::clone(&scenario.world);
        let played = timeout(limit, play(scenario)).await;
        world.close();
        world.take_fault()?;
        played.unwrap_or(Err(Failure::Hung))
    })
}

impl Scenario {
    fn new(
        elements: Elements,
        mount: impl FnOnce(ToolRuntimeBuilder, &Arc<World>) -> ToolRuntimeBuilder,
    ) -> Result<Self, Malformed> {
        let Elements { mode, runtime, scopes, signals, tools, guards, listeners, approval, timeout_policy } =
            elements;
        if runtime.is_some() {
            return Err(Malformed::new("`runtime` where a runtime is mounted anyway"));
        }
        let world = Arc::new(World::new(scopes, signals)?);
        let mut builder = mount(ToolRuntime::builder().presentation_mode(mode.0), &world);
        if let Some(spec) = approval {
            builder = builder.approver(ScriptedApprover { world: Arc::clone(&world), spec });
        }
        if timeout_policy {
            builder = builder.plugin(Deadlines::new(DeadlineConfig::default()));
        }
        let runtime = builder.build().map_err(|error| Malformed::new(error.to_string()))?;
        world.open(runtime.clone());
        tools.iter().try_for_each(|tool| world.register(tool))?;
        for spec in guards {
            world.site(spec.r#in.as_deref())?.guard(&world, spec);
        }
        for listener in listeners {
            world.site(listener.scope())?.listen(&world, listener);
        }
        Ok(Self { world, runtime })
    }
}

impl ListenerSpec {
    fn scope(&self) -> Option<&str> {
        match self {
            Self::Pre(spec) => spec.r#in.as_deref(),
            Self::Around(spec) => spec.r#in.as_deref(),
            Self::Post(spec) => spec.r#in.as_deref(),
            Self::Result(spec) => spec.r#in.as_deref(),
            Self::DispatchLog(spec) => spec.r#in.as_deref(),
        }
    }

    fn is_first(&self) -> bool {
        match self {
            Self::Pre(spec) => spec.prepend,
            Self::Around(spec) => spec.prepend,
            Self::Post(spec) => spec.prepend,
            Self::Result(spec) => spec.prepend,
            Self::DispatchLog(spec) => spec.prepend,
        }
    }
}

impl Site {
    fn listen(&self, world: &Arc<World>, listener: ListenerSpec) {
        match (self, listener.is_first()) {
            (Self::Runtime(runtime), false) => listen(runtime, world, listener),
            (Self::Runtime(runtime), true) => listen(&runtime.first(), world, listener),
            (Self::Scope(scope), false) => listen(scope, world, listener),
            (Self::Scope(scope), true) => listen(&scope.first(), world, listener),
        }
    }
}

/// Registers a listener. It stays until the scenario is over.
fn listen(site: &impl Registrar, world: &Arc<World>, listener: ListenerSpec) {
    let world = Arc::clone(world);
    drop(match listener {
        ListenerSpec::Pre(spec) => site.on_pre_execute(PreListener { world, spec }),
        ListenerSpec::Around(spec) => site.on_execute(Wrapper { world, spec }),
        ListenerSpec::Post(spec) => site.on_post_execute(PostListener { world, spec }),
        ListenerSpec::Result(spec) => site.on_result(Observer { world, spec }),
        ListenerSpec::DispatchLog(spec) => site.on_code_dispatch_log(LogListener { world, spec }),
    });
}

/// The token of some execution, for calls that are nested in one which the case does not show.
pub(crate) async fn parent_token() -> Result<ExecutionToken, Malformed> {
    let seen = Arc::new(OnceLock::new());
    let noted = Arc::clone(&seen);
    let tool = ToolDefinition::raw("outer", "Notes its own token.")
        .output_schema(JsonValue::empty_object())
        .body(move |_, cx| {
            let _ = noted.set(cx.call().token());
            async { Ok(JsonValue::null()) }
        });
    let runtime = ToolRuntime::builder().tool(tool).build();
    let runtime = runtime.map_err(|error| Malformed::new(error.to_string()))?;
    runtime.execute(ToolCall::new("outer", JsonValue::empty_object(), CancellationToken::new())).await;
    seen.get().copied().ok_or_else(|| Malformed::new("no token was given"))
}
