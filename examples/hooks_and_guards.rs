//! What may look at a call: a listener that asks, an approver that answers, a guard that cannot be overruled, a
//! wrapper that retries, a post listener that redacts, an observer that counts.
//!
//! Prints:
//!
//! ```text
//! asked about delete: it removes files
//! delete a.txt -> Error: the call of `delete` was rejected: it removes files
//! fetch -> the answer, at the third attempt; the key is [redacted]
//! delete secrets -> Error: secrets stay where they are
//! 3 results observed, 2 of them failures
//! ```

#![expect(clippy::print_stdout, reason = "printing is what an example is for")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use serde_json::json;
use toolgate::prelude::*;

/// Remove a file.
#[tool]
async fn delete(path: String) -> Result<String, ToolError> {
    Ok(format!("{path} is gone"))
}

#[derive(serde::Deserialize, Schema)]
struct Nothing {}

/// Asks before anything is deleted; everything else goes on.
struct AskBeforeDelete;

impl PreExecute for AskBeforeDelete {
    async fn pre_execute(&self, call: &ToolExecution, next: Next<'_, Pre>) -> HookResult<PreToolDecision> {
        match call.name() {
            // Not worth a question: the guard below refuses it anyway.
            "delete" if call.arguments().get("path") == Some(&json!("secrets")) => next.run().await,
            "delete" => Ok(PreToolDecision::ask("it removes files")),
            _ => next.run().await,
        }
    }
}

/// A person who always says no.
struct Cautious;

impl Approver for Cautious {
    async fn approve(&self, request: ApprovalRequest<'_>) -> HookResult<ApprovalOutcome> {
        println!("asked about {}: {}", request.call.name(), request.reason.unwrap_or("no reason given"));
        Ok(ApprovalOutcome::Rejected)
    }
}

/// Tries a failing call up to three times.
struct Retry;

impl Execute for Retry {
    async fn execute(
        &self,
        _: &ToolExecution,
        mut next: Next<'_, Dispatch>,
    ) -> HookResult<ToolExecutionResult> {
        let mut result = next.run().await?;
        for _ in 1..3 {
            if result.is_error() {
                result = next.run().await?;
            }
        }
        Ok(result)
    }
}

/// Takes the key out of what the model reads. The value is untouched: this is presentation, not confidentiality.
struct Redact;

impl PostExecute for Redact {
    async fn post_execute(
        &self,
        _: &ToolExecution,
        result: &ToolExecutionResult,
        next: Next<'_, Post>,
    ) -> HookResult<PostToolDecision> {
        if result.text().contains("k-123") {
            let text = result.text().replace("k-123", "[redacted]");
            return Ok(PostToolDecision::replace_content(vec![ContentBlock::text(text)]));
        }
        next.run().await
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), toolgate::SetupError> {
    let attempts = Arc::new(AtomicUsize::new(0));
    let fetch = tool_fn("fetch", "Fetch the answer.", move |_: Nothing, _cx: RunContext| {
        let attempt = attempts.fetch_add(1, Relaxed) + 1;
        async move {
            if attempt < 3 {
                return Err(ToolError::new("connection lost"));
            }
            Ok("the answer, at the third attempt; the key is k-123".to_owned())
        }
    });
    let (results, failures) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (seen, failed) = (Arc::clone(&results), Arc::clone(&failures));
    let runtime = ToolRuntime::builder()
        .tool(delete)
        .tool(fetch)
        .on_pre_execute(AskBeforeDelete)
        .approver(Cautious)
        .guard(|call| {
            let path = call.arguments().get("path");
            (path == Some(&json!("secrets"))).then(|| "secrets stay where they are".into())
        })
        .on_execute(Retry)
        .on_post_execute(Redact)
        .on_result(move |_: &ToolExecution, result: &ToolExecutionResult| {
            seen.fetch_add(1, Relaxed);
            failed.fetch_add(usize::from(result.is_error()), Relaxed);
        })
        .build()?;

    let agent = runtime.scope("agent");
    for (label, name, args) in [
        ("delete a.txt", "delete", json!({ "path": "a.txt" })),
        ("fetch", "fetch", json!({})),
        ("delete secrets", "delete", json!({ "path": "secrets" })),
    ] {
        let result = agent.execute(ToolCall::new(name, args, CancellationToken::new())).await;
        println!("{label} -> {}", result.text());
    }
    println!("{} results observed, {} of them failures", results.load(Relaxed), failures.load(Relaxed));
    Ok(())
}
