//! Who sees which tool: steps that change the registry, and observations between them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use toolgate::{
    CancellationToken, Registrar as _, Registration, RegistrationError, ToolCall, ToolExecutionMode,
    ToolSchema,
};
use toolgate_schema::RawJson;

use super::super::apart::Played;
use super::super::cases::{Case, Malformed, copy_as_object};
use super::super::compare::Comparison;
use super::super::script::{
    Elements, GuardSpec, RestrictionSpec, Scenario, Site, ToolSpec, define, parent_token, play,
};
use super::registry_step::{Action, Call, Step};
use super::registry_words::{
    entry, names, presentation_kind, registration_kind, restriction_kind, shape, wire_kind,
};

pub(super) fn run(case: &Case) -> Played {
    let mut fields = case.fields()?;
    let steps: Vec<Value> = fields.take("steps")?;
    let steps = steps.iter().map(Step::read).collect::<Result<Vec<_>, _>>()?;
    let elements: Elements = fields.rest()?;
    play(elements, async |scenario| {
        let mut registry = Registry { scenario, handles: HashMap::new(), watches: HashMap::new() };
        let mut comparison = Comparison::default();
        for (index, Step { action, expect }) in steps.into_iter().enumerate() {
            let place = format!("steps[{index}]");
            let observed = registry.step(action).await?;
            match expect {
                Some(expect) => comparison.json(&place, &expect, &observed),
                None if observed.get("error").is_some() => {
                    comparison.differs(place, "success", &observed.to_string());
                }
                None => {}
            }
        }
        Ok(comparison.into_mismatches())
    })
}

/// The registry of a case between its steps.
struct Registry {
    scenario: Scenario,
    handles: HashMap<String, Registration>,
    watches: HashMap<String, Arc<Watch>>,
}

/// What a watcher of changes has noted: one entry for each notification.
#[derive(Default)]
struct Watch(Mutex<Vec<Value>>);

impl Watch {
    fn noted(&self) -> Vec<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, value: Value) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(value);
    }
}

impl Registry {
    /// Does a step and gives its observation; `null` where there is nothing to observe.
    async fn step(&mut self, action: Action) -> Result<RawJson, Malformed> {
        Ok(RawJson::from(match action {
            Action::Register { tool, r#in, r#as } => {
                let outcome = self.register(*tool, r#in.as_deref())?;
                self.keep(r#as, outcome.map_err(|error| registration_kind(&error)))
            }
            Action::Restrict { r#in, allow, deny, r#as } => {
                let outcome = match r#in {
                    Some(scope) => self.restrict(&scope, allow, deny)?,
                    // Only a scope has the method: the types refuse it before the registry could.
                    None => Err("unscoped"),
                };
                self.keep(r#as, outcome)
            }
            Action::Guard { r#in, deny_with, when, r#as } => {
                let world = &self.scenario.world;
                let spec = GuardSpec::denying(when, deny_with);
                let registration = world.site(r#in.as_deref())?.guard(world, spec);
                self.keep(r#as, Ok(registration))
            }
            Action::PresentAs { r#in, mode, r#as } => {
                let outcome = match r#in {
                    Some(scope) => {
                        let presented = self.scenario.world.scope(&scope)?.present_as(mode.0);
                        presented.map_err(|error| presentation_kind(&error))
                    }
                    None => Err("unscoped"),
                };
                self.keep(r#as, outcome)
            }
            Action::Dispose { handle } => {
                let registration = self.handles.remove(&handle);
                registration.ok_or_else(|| unknown("handle", &handle))?.dispose();
                Value::Null
            }
            Action::DisposeScope { scope } => {
                self.scenario.world.scope(&scope)?.close();
                Value::Null
            }
            Action::Schemas { scope } => names(&self.site(scope)?.schemas()),
            Action::Schema { scope, name } => match self.schema(scope, &name)? {
                Some(schema) => entry(&schema)?,
                None => Value::Null,
            },
            Action::Shape { scope, name } => {
                self.schema(scope, &name)?.map_or(Value::Null, |schema| shape(&schema.parameters))
            }
            Action::Wire { scope } => match self.site(scope)?.wire_schemas() {
                Ok(mut schemas) => {
                    schemas.sort_by(|left, right| left.name.cmp(&right.name));
                    names(&schemas)
                }
                Err(error) => json!({ "error": wire_kind(&error) }),
            },
            Action::Get { scope, name } => {
                self.site(scope)?.get(&name).map_or(Value::Null, |tool| Value::from(tool.description()))
            }
            Action::Present { scope, name } => Value::from(self.site(scope)?.get(&name).is_some()),
            Action::Classify(call) => self.classify(call).await?,
            Action::Call(call) => return self.call(call).await,
            Action::Watch { r#as, r#in, record } => {
                let watch = self.watch(r#in.as_deref(), record)?;
                self.watches.insert(r#as, watch);
                Value::Null
            }
            Action::Notifications { watch } => Value::from(self.noted(&watch)?.len()),
            Action::Snapshots { watch } => Value::from(self.noted(&watch)?),
        }))
    }

    /// Remembers a registration under its name and gives the observation.
    fn keep(&mut self, name: Option<String>, outcome: Result<Registration, &str>) -> Value {
        match outcome {
            Ok(registration) => {
                if let Some(name) = name {
                    self.handles.insert(name, registration);
                }
                Value::from("ok")
            }
            Err(kind) => json!({ "error": kind }),
        }
    }

    fn site(&self, scope: Option<String>) -> Result<Site, Malformed> {
        self.scenario.world.site(scope.as_deref())
    }

    fn register(
        &self,
        tool: ToolSpec,
        scope: Option<&str>,
    ) -> Result<Result<Registration, RegistrationError>, Malformed> {
        let world = &self.scenario.world;
        Ok(world.site(scope)?.register(define(world, &tool.or_returning_its_name())?))
    }

    fn restrict(
        &self,
        scope: &str,
        allow: Option<Vec<String>>,
        deny: Option<Vec<String>>,
    ) -> Result<Result<Registration, &'static str>, Malformed> {
        let restriction = RestrictionSpec { allow, deny }.into_restriction();
        let restricted = self.scenario.world.scope(scope)?.restrict(restriction);
        Ok(restricted.map_err(|error| restriction_kind(&error)))
    }

    fn schema(&self, scope: Option<String>, name: &str) -> Result<Option<ToolSchema>, Malformed> {
        Ok(self.site(scope)?.schemas().into_iter().find(|schema| schema.name == name))
    }

    async fn input(&self, call: Call) -> Result<(Site, ToolCall), Malformed> {
        let caller = CancellationToken::new();
        self.scenario.world.set_caller(caller.clone());
        let mut input = ToolCall::new(call.tool, call.arguments.to_raw(), caller);
        if call.nested {
            input = input.with_parent(parent_token().await?);
        }
        Ok((self.site(call.scope)?, input))
    }

    async fn classify(&self, call: Call) -> Result<Value, Malformed> {
        let (site, call) = self.input(call).await?;
        let mode = match site {
            Site::Runtime(runtime) => runtime.execution_mode(&call),
            Site::Scope(scope) => scope.execution_mode(&call),
        };
        Ok(Value::from(match mode {
            ToolExecutionMode::Parallel => "parallel",
            ToolExecutionMode::Exclusive => "exclusive",
        }))
    }

    async fn call(&self, call: Call) -> Result<RawJson, Malformed> {
        let (site, call) = self.input(call).await?;
        let result = match site {
            Site::Runtime(runtime) => runtime.execute(call).await,
            Site::Scope(scope) => scope.execute(call).await,
        };
        Ok(match result.value() {
            Some(value) => copy_as_object(&[("value", value)]),
            None => json!({ "error": result.code().unwrap_or("denied") }).into(),
        })
    }

    fn watch(&self, scope: Option<&str>, record: Option<String>) -> Result<Arc<Watch>, Malformed> {
        let watch = Arc::new(Watch::default());
        let world = Arc::clone(&self.scenario.world);
        let notes = Arc::clone(&watch);
        let observer = move || {
            let seen = record.as_deref().map(|scope| world.scope(scope).map(|scope| names(&scope.schemas())));
            // A scope that is not there was refused when the watcher was made.
            notes.note(seen.and_then(Result::ok).unwrap_or_default());
        };
        match self.scenario.world.site(scope)? {
            Site::Runtime(runtime) => runtime.on_change(observer),
            Site::Scope(scope) => scope.on_change(observer),
        };
        Ok(watch)
    }

    fn noted(&self, watch: &str) -> Result<Vec<Value>, Malformed> {
        let watch = self.watches.get(watch).ok_or_else(|| unknown("watcher", watch))?;
        Ok(watch.noted())
    }
}

fn unknown(what: &str, name: &str) -> Malformed {
    Malformed::new(format!("there is no {what} `{name}`"))
}
