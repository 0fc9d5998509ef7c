//! What the sessions under test work with: a script in the place of a model, real tools on a real folder.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use toolgate::prelude::*;
use toolgate_acp::{
    AccessNeeded, EditorFiles, Equipment, Host, HostError, ModelChoice, SessionOrder, TerminalTool,
};
use toolgate_agent::model::script::Script;
use toolgate_agent::{Prompt, ScriptedModel, SessionRoutes, SharedModel, TurnLimits};
use toolgate_policy::Approvals;
use toolgate_policy::person::GrantRule;
use toolgate_session::Backend;

/// A host of scripted sessions.
pub(crate) struct TestHost {
    pub(crate) script: String,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) limits: TurnLimits,
    pub(crate) terminal: bool,
    pub(crate) access: Option<AccessNeeded>,
}

impl TestHost {
    pub(crate) fn new(script: &str, backend: Arc<dyn Backend>) -> Self {
        let limits = TurnLimits::default();
        Self { script: script.to_owned(), backend, limits, terminal: false, access: None }
    }

    fn model(&self, id: &str) -> ModelChoice {
        let script = Script::parse(&self.script).unwrap();
        let model = SharedModel::new(Named(id.to_owned(), ScriptedModel::new(script)));
        ModelChoice { id: id.to_owned(), name: id.to_uppercase(), model }
    }
}

/// A script under a name of its own.
struct Named(String, ScriptedModel);

impl toolgate_agent::Model for Named {
    fn name(&self) -> &str {
        &self.0
    }

    async fn answer(
        &self,
        request: &toolgate_agent::ModelRequest,
        answer: &mut toolgate_agent::Answer,
    ) -> Result<(), toolgate_agent::ModelError> {
        toolgate_agent::Model::answer(&self.1, request, answer).await
    }
}

impl Host for TestHost {
    fn access(&self) -> Result<(), AccessNeeded> {
        self.access.clone().map_or(Ok(()), Err)
    }

    fn models(&self) -> Vec<ModelChoice> {
        vec![self.model("first"), self.model("second")]
    }

    fn backend(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.backend)
    }

    async fn equip(&self, order: SessionOrder) -> Result<Equipment, HostError> {
        if order.directory.ends_with("refused") {
            return Err(HostError::new("this directory is refused"));
        }
        let root = order.directory.clone();
        let routes = SessionRoutes::new();
        let rules = |call: &ToolExecution| match call.name() {
            "note" => vec![Arc::new(EveryNote) as Arc<dyn GrantRule>],
            _ => Vec::new(),
        };
        let approvals = Approvals::new(order.people).with_log(routes.clone()).with_rules(rules);
        let runtime = tools(root.clone(), order.editor.files())
            .on_pre_execute(AskAboutNotes)
            .approver(approvals.clone())
            .build()
            .unwrap();
        let terminal_tool = self.terminal.then(|| TerminalTool {
            name: "bash".to_owned(),
            shell: "/bin/sh".into(),
            timeout: Duration::from_secs(60),
            longest: Duration::from_secs(60),
            output_bytes: 4_096,
        });
        Ok(Equipment {
            scope: runtime.scope("agent"),
            approvals,
            routes,
            prompt: Prompt::standard("You are tested."),
            limits: self.limits,
            root,
            presents_code: false,
            terminal_tool,
            keep: None,
        })
    }
}

/// A rule over all notes.
struct EveryNote;

impl GrantRule for EveryNote {
    fn matches(&self, call: &ToolExecution) -> bool {
        call.name() == "note"
    }

    fn text(&self) -> &str {
        "note(**)"
    }
}

/// Asks about notes.
struct AskAboutNotes;

impl PreExecute for AskAboutNotes {
    async fn pre_execute(&self, call: &ToolExecution, next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        if call.name() == "note" {
            return Ok(PreToolDecision::ask("notes are asked about"));
        }
        next.run().await
    }
}

#[derive(serde::Deserialize, Schema)]
struct NoteArgs {
    name: String,
    text: String,
}

#[derive(serde::Deserialize, Schema)]
struct NoArgs {}

#[derive(serde::Deserialize, Schema)]
struct BashArgs {
    #[expect(dead_code, reason = "the editor's terminal reads it")]
    command: String,
}

fn tools(root: PathBuf, files: Option<EditorFiles>) -> toolgate::ToolRuntimeBuilder {
    let (notes, drafts) = (root.clone(), root);
    ToolRuntime::builder()
        .tool(tool_fn("note", "Write a note.", move |args: NoteArgs, _cx: RunContext| {
            let path = notes.join(args.name);
            async move { std::fs::write(path, args.text).map(|()| "noted".to_owned()).map_err(ToolError::from) }
        }))
        .tool(tool_fn("wait", "Wait until somebody cancels.", |_: NoArgs, cx: RunContext| async move {
            cx.cancellation().cancelled().await;
            Err::<String, _>(ToolError::aborted())
        }))
        .tool(tool_fn("add_one", "Answer.", |_: NoArgs, _cx: RunContext| async move { Ok(1_u32) }))
        .tool(tool_fn("bash", "A command.", |_: BashArgs, _cx: RunContext| async move {
            Ok(json!({ "output": "of the tool itself" }).to_string())
        }))
        .tool(tool_fn("draft", "Copy a draft.", move |args: NoteArgs, cx: RunContext| {
            let (files, from) = (files.clone(), drafts.join("draft.txt"));
            let to = drafts.join(args.name);
            async move {
                let work = tokio::task::spawn_blocking(move || {
                    let Some(files) = files else { return Ok("no editor".to_owned()) };
                    let wanted = || !cx.cancellation().is_cancelled();
                    let text = files.read(&from, &wanted)?;
                    files.write(&to, &format!("{text}{}", args.text), &wanted)?;
                    Ok::<_, toolgate_acp::EditorError>("copied".to_owned())
                });
                work.await.unwrap().map_err(|error| ToolError::new(error.to_string()))
            }
        }))
}
