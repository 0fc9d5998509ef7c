//! Groups: tools of one source that come and go together, in one place (rules R1, R8, R9, R10).

use std::error::Error;

use toolgate::prelude::*;
use toolgate::{ToolDefinition, ToolGroup};

use crate::support::{Counter, call, echo, nobody};

fn tools(names: &[&str]) -> Vec<ToolDefinition> {
    names.iter().map(|name| echo(name, &Counter::default())).collect()
}

fn names(runtime: &ToolRuntime) -> Vec<String> {
    runtime.schemas().into_iter().map(|schema| schema.name).collect()
}

#[test]
fn the_order_is_that_of_the_places_and_not_of_who_came_first() {
    let runtime = ToolRuntime::builder().build().expect("valid");
    let (first, second) = (runtime.tool_group(), runtime.tool_group());
    runtime.register(echo("last", &Counter::default())).expect("valid");
    second.replace(tools(&["b1", "b2"])).expect("valid");
    first.replace(tools(&["a1", "a2"])).expect("valid");
    assert_eq!(names(&runtime), ["a1", "a2", "b1", "b2", "last"]);
    first.replace(tools(&["a3"])).expect("valid");
    assert_eq!(names(&runtime), ["a3", "b1", "b2", "last"]);
}

#[test]
fn a_replacement_is_one_change_or_none() {
    let runtime = ToolRuntime::builder().build().expect("valid");
    let changes = Counter::default();
    let heard = changes.clone();
    runtime.on_change(move || heard.add());
    let group = runtime.tool_group();
    assert_eq!(changes.get(), 0, "an empty place is no change");
    group.replace(tools(&["a", "b"])).expect("valid");
    assert_eq!(changes.get(), 1);
    runtime.register(echo("c", &Counter::default())).expect("valid");
    let errors = group.replace(tools(&["a", "c", "d", "d", "run_code"])).expect_err("three are wrong");
    let wrong: Vec<&str> = errors.iter().map(|error| error.tool()).collect();
    assert_eq!(wrong, ["c", "d", "run_code"]);
    assert_eq!((names(&runtime), changes.get()), (vec!["a".into(), "b".into(), "c".into()], 2));
    runtime.register(echo("a", &Counter::default())).expect_err("R1: the group has it");
    group.replace(tools(&["b", "a"])).expect("its own names are no duplicates");
    assert_eq!((names(&runtime), changes.get()), (vec!["b".into(), "a".into(), "c".into()], 3));
}

struct OneGroup(std::sync::Arc<std::sync::Mutex<Option<ToolGroup>>>);

impl Plugin for OneGroup {
    fn name(&self) -> &str {
        "one group"
    }

    fn install(&self, cx: &PluginContext<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        *self.0.lock().expect("free") = Some(cx.tool_group());
        Ok(())
    }
}

#[tokio::test]
async fn a_group_goes_with_its_plugin_and_with_its_scope() {
    let runtime = ToolRuntime::builder().build().expect("valid");
    let slot = OneGroup(std::sync::Arc::default());
    let group = std::sync::Arc::clone(&slot.0);
    let handle = runtime.plug(slot).expect("installs");
    let group = group.lock().expect("free").take().expect("made");
    group.replace(tools(&["a"])).expect("valid");
    assert!(!runtime.execute(call("a", nobody())).await.is_error());
    handle.unplug();
    assert_eq!(names(&runtime), Vec::<String>::new());
    let changes = Counter::default();
    let heard = changes.clone();
    runtime.on_change(move || heard.add());
    group.replace(tools(&["a"])).expect("nothing to say");
    assert_eq!((names(&runtime).len(), changes.get()), (0, 0), "R10: what is undone stays undone");

    let scope = runtime.scope("agent");
    let group = scope.tool_group();
    scope.close();
    assert_eq!(group.replace(tools(&["a"])).expect_err("closed").len(), 1);
}
