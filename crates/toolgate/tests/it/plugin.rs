//! Plugins are installed and undone as a whole (rule R10).

use std::error::Error;

use toolgate::prelude::*;

use crate::support::{Counter, Journal, call, echo, nobody};

struct Two {
    journal: Journal,
    fails: Option<&'static str>,
}

impl Plugin for Two {
    fn name(&self) -> &str {
        "two"
    }

    fn install(&self, cx: &PluginContext<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
        cx.register(echo("one", &Counter::default()))?;
        cx.register(echo("two", &Counter::default()))?;
        cx.guard(|call| (call.name() == "two").then(|| "not two".to_owned()));
        cx.on_result(self.journal.observer());
        let child = cx.scope("child");
        child.restrict(ToolRestriction::deny(["one"]))?;
        child.register(echo("three", &Counter::default()))?;
        match self.fails {
            Some("error") => Err("no licence".into()),
            Some(message) => std::panic::resume_unwind(Box::new(message)),
            None => Ok(()),
        }
    }
}

fn names(scope: &Scope) -> Vec<String> {
    scope.schemas().into_iter().map(|schema| schema.name).collect()
}

#[tokio::test]
async fn unplugging_undoes_everything() {
    let journal = Journal::default();
    let runtime = ToolRuntime::builder().tool(echo("zero", &Counter::default())).build().expect("valid");
    let changes = Counter::default();
    let heard = changes.clone();
    runtime.on_change(move || heard.add());

    let handle = runtime.plug(Two { journal: journal.clone(), fails: None }).expect("installs");
    assert_eq!(names(&runtime.scope("child")), ["zero", "two", "three"]);
    assert_eq!(runtime.execute(call("two", nobody())).await.text(), "Error: not two");
    assert_eq!((journal.lines().len(), changes.get()), (1, 4), "R8: three tools and a restriction");

    handle.unplug();
    assert_eq!(names(&runtime.scope("child")), ["zero"]);
    assert_eq!(runtime.execute(call("two", nobody())).await.code(), Some("UNKNOWN_TOOL"));
    assert_eq!((journal.lines().len(), changes.get()), (1, 8));
}

#[test]
fn a_failing_install_leaves_nothing_behind_and_names_the_plugin() {
    for fails in ["error", "install broke"] {
        let runtime = ToolRuntime::builder().build().expect("valid");
        let error = runtime.plug(Two { journal: Journal::default(), fails: Some(fails) }).expect_err("fails");
        assert_eq!(error.plugin(), "two");
        let source = error.source().expect("a source").to_string();
        assert!(source.contains(if fails == "error" { "no licence" } else { fails }), "{source}");
        assert_eq!(runtime.tools().len() + runtime.scope("child").tools().len(), 0);
        assert!(
            runtime.plug(Two { journal: Journal::default(), fails: None }).is_ok(),
            "the names are free again"
        );
    }
}

#[test]
fn a_set_up_that_fails_says_why_a_plugin_failed() {
    let broken = Two { journal: Journal::default(), fails: Some("error") };
    let error = ToolRuntime::builder().plugin(broken).build().expect_err("fails");
    assert!(error.to_string().contains("no licence"), "{error}");
}
