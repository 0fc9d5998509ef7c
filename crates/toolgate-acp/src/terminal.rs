//! Commands in the editor's terminals, where a person can watch them.
//!
//! Registered inside of everything else that is around a body, so that policy, deadlines and the log see the call like any
//! other. It answers for one tool only, with the value that the tool itself would give; whatever it cannot do is left
//! to the tool.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agent_client_protocol::v1::schema as acp;
use serde_json::Value;
use toolgate::result::code;
use toolgate::{
    Cancellation, Execute, HookResult, JsonValue, Next, ToolError, ToolExecution, ToolExecutionResult, stage,
};

use crate::editor::Editor;

/// A tool whose calls are commands: `command`, `workdir` and `timeout_ms` are its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalTool {
    /// Its name.
    pub name: String,
    /// The program that reads the command after `-c`.
    pub shell: PathBuf,
    /// How long a command may take that says nothing.
    pub timeout: Duration,
    /// How long one may take at most.
    pub longest: Duration,
    /// How many bytes of its output are kept.
    pub output_bytes: u64,
}

/// The wrapper.
pub(crate) struct InTerminal {
    pub(crate) tool: TerminalTool,
    pub(crate) editor: Editor,
    pub(crate) root: PathBuf,
}

/// What a call asks for.
struct Order<'a> {
    command: &'a str,
    folder: PathBuf,
    timeout: Duration,
}

/// How a command ended.
struct Finished {
    output: String,
    is_cut: bool,
    exit: acp::TerminalExitStatus,
}

impl Execute for InTerminal {
    async fn execute(
        &self,
        call: &ToolExecution,
        mut next: Next<'_, stage::Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        let order = if call.name() == self.tool.name { self.order(call.arguments()) } else { None };
        let Some(order) = order else { return next.run().await };
        let cancellation = next.cancellation().clone();
        Ok(match self.run(call, &order, &cancellation).await {
            Ok(value) => ToolExecutionResult::success(value),
            Err(error) => ToolExecutionResult::failure(error),
        })
    }
}

impl InTerminal {
    /// What a call asks for; nothing where the tool has to answer itself.
    fn order<'a>(&self, arguments: &'a JsonValue) -> Option<Order<'a>> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        if arguments.get("run_in_background").and_then(Value::as_bool) == Some(true) {
            return None;
        }
        let folder = match text("workdir") {
            None => self.root.clone(),
            Some(folder) => inside(&self.root, folder)?,
        };
        let asked = match arguments.get("timeout_ms") {
            None => self.tool.timeout,
            Some(number) => Duration::from_millis(number.as_u64().filter(|number| *number > 0)?),
        };
        Some(Order { command: text("command")?, folder, timeout: asked.min(self.tool.longest) })
    }

    async fn run(
        &self,
        call: &ToolExecution,
        order: &Order<'_>,
        cancellation: &Cancellation,
    ) -> Result<JsonValue, ToolError> {
        let begun = Instant::now();
        let client = self.editor.client();
        let session = self.editor.session().to_string();
        let request = acp::CreateTerminalRequest::new(session.clone(), self.tool.shell.to_string_lossy())
            .args(vec!["-c".to_owned(), order.command.to_owned()])
            .cwd(order.folder.clone())
            .output_byte_limit(self.tool.output_bytes);
        let id = client.request(request).await.map_err(refused)?.terminal_id;
        let terminal =
            Terminal { client: client.clone(), session: session.clone(), id: id.clone(), is_open: true };
        let shown = acp::ToolCallUpdateFields::new()
            .content(vec![acp::ToolCallContent::Terminal(acp::Terminal::new(id.clone()))]);
        let update = acp::ToolCallUpdate::new(call.call_id().as_str().to_owned(), shown);
        client.update(self.editor.session(), acp::SessionUpdate::ToolCallUpdate(update)).await;

        let exit = client.request(acp::WaitForTerminalExitRequest::new(session.clone(), id.clone()));
        let ended = tokio::select! {
            biased;
            exit = exit => Some(exit.map_err(refused)?.exit_status),
            () = cancellation.cancelled() => None,
            () = tokio::time::sleep(order.timeout) => None,
        };
        if ended.is_none() {
            client
                .request(acp::KillTerminalRequest::new(session.clone(), id.clone()))
                .await
                .map_err(refused)?;
        }
        let output = client.request(acp::TerminalOutputRequest::new(session, id)).await.map_err(refused)?;
        terminal.release().await;
        let Some(exit) = ended else {
            return Err(unfinished(cancellation, order.timeout, &output.output));
        };
        let finished = Finished { output: output.output, is_cut: output.truncated, exit };
        Ok(value(finished, &order.folder, begun.elapsed()))
    }
}

/// A folder of the workspace, links followed; nothing where it is none.
fn inside(root: &Path, folder: &str) -> Option<PathBuf> {
    let folder = root.join(folder).canonicalize().ok()?;
    (folder.starts_with(root) && folder.is_dir()).then_some(folder)
}

/// The value that the tool itself would give. What the editor does not tell is none or 0.
fn value(finished: Finished, folder: &Path, took: Duration) -> JsonValue {
    let Finished { output, is_cut, exit } = finished;
    let bytes = output.len() as u64;
    let mut members = vec![
        ("output".to_owned(), JsonValue::from(output.as_str())),
        ("output_bytes".to_owned(), number(bytes)),
        // How much is gone nobody says; that something is gone is said.
        ("omitted_bytes".to_owned(), number(u64::from(is_cut))),
        ("ended_processes".to_owned(), number(0)),
        ("surviving_processes".to_owned(), number(0)),
        ("workdir".to_owned(), JsonValue::from(folder.to_string_lossy().as_ref())),
        ("duration_ms".to_owned(), number(u64::try_from(took.as_millis()).unwrap_or(u64::MAX))),
    ];
    if let Some(code) = exit.exit_code {
        // A code beyond 31 bits is one of Windows, which has them as signed numbers.
        members.push(("exit_code".to_owned(), JsonValue::from(i64::from(code as i32))));
    }
    if let Some(signal) = &exit.signal {
        members.push(("signal".to_owned(), JsonValue::from(signal.as_str())));
    }
    JsonValue::object(members)
}

fn number(number: u64) -> JsonValue {
    JsonValue::from(number)
}

fn unfinished(cancellation: &Cancellation, timeout: Duration, output: &str) -> ToolError {
    let printed = if output.is_empty() {
        "It had printed nothing.".to_owned()
    } else {
        format!("It had printed:\n{output}")
    };
    if cancellation.is_cancelled() {
        let message = format!(
            "the call was cancelled, and the command was ended; what it had done may remain.\n{printed}"
        );
        return ToolError::coded(code::ABORT_ERROR, code::ABORTED, message);
    }
    let message = format!(
        "the command did not finish within {timeout:?} and was ended.\n{printed}\n\
         hint: give it more time with timeout_ms, or let it do less"
    );
    ToolError::coded(code::TOOL_TIMEOUT_ERROR, code::TOOL_TIMEOUT, message)
}

fn refused(error: agent_client_protocol::Error) -> ToolError {
    ToolError::new(format!("the editor's terminal failed: {}", error.message))
}

/// A terminal of the editor, released once.
struct Terminal {
    client: crate::serve::Client,
    session: String,
    id: acp::TerminalId,
    is_open: bool,
}

impl Terminal {
    async fn release(mut self) {
        self.is_open = false;
        let request = acp::ReleaseTerminalRequest::new(self.session.clone(), self.id.clone());
        // Where the editor is gone, the terminal is too.
        let _ = self.client.request(request).await;
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if self.is_open {
            // Releasing ends what still runs in it. Nobody waits for the answer.
            self.client.tell(acp::ReleaseTerminalRequest::new(self.session.clone(), self.id.clone()));
        }
    }
}
