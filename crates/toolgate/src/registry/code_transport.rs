//! The place where a code runtime is mounted (rule R9a). The library owns the name and the schema of `run_code`;
//! whoever mounts a transport brings the language and runs the programs.

use std::future::Future;
use std::sync::Arc;

use serde::Deserialize;

use super::{RUN_CODE, WireError};
use crate::tool::ContentBlock;
use crate::{JsonValue, ParameterSchema, RunContext, ToolDefinition, ToolEffect, ToolError, ValueSchema};

/// What a model sends to `run_code`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CodeProgram {
    /// The program: the body of an async function.
    pub code: String,
    /// What it is for, in a few words.
    pub description: String,
}

/// Runs the programs of `run_code`.
pub trait CodeTransport: Send + Sync + 'static {
    /// The language of the programs: `typescript` or `python`.
    fn language(&self) -> &str;

    /// Runs one program and gives its canonical value. Like any body it observes the cancellation of its context, and
    /// returns once the program and its sub-calls have come to rest.
    ///
    /// # Errors
    /// The program failed, or could not be run.
    fn run(
        &self,
        program: CodeProgram,
        cx: RunContext,
    ) -> impl Future<Output = Result<JsonValue, ToolError>> + Send;

    /// What the model reads of a value; by default its JSON.
    fn render(&self, value: &JsonValue) -> Option<Vec<ContentBlock>> {
        let _ = value;
        None
    }
}

/// The code transport of a runtime.
#[derive(Clone)]
pub(crate) enum MountedCode {
    None,
    UnknownLanguage(String),
    Ready(ToolDefinition),
}

impl MountedCode {
    pub(super) fn new<T: CodeTransport>(transport: T) -> Self {
        let language = match transport.language() {
            "typescript" => "TypeScript",
            "python" => "Python",
            unknown => return Self::UnknownLanguage(unknown.to_owned()),
        };
        let transport = Arc::new(transport);
        let renderer = Arc::clone(&transport);
        let parameters = ParameterSchema::new()
            .required(
                "code",
                ValueSchema::string().description("The program: the body of an async function."),
            )
            .required(
                "description",
                ValueSchema::string().description("What the program is for, in a few words."),
            );
        let definition = ToolDefinition::raw(
            RUN_CODE,
            format!("Run a {language} program that calls tools. Only what it prints or returns comes back."),
        )
        .parameters(&parameters)
        .output_schema(JsonValue::empty_object())
        // A program may call anything, so a lost run is never run again. Its calls are judged one by one, so policy
        // need not ask before the program itself.
        .effect(ToolEffect::NonIdempotent)
        .render(move |_, value| {
            Ok(renderer.render(value).unwrap_or_else(|| crate::tool::default_content(value).to_vec()))
        })
        .body(move |args, cx| {
            let transport = Arc::clone(&transport);
            async move { transport.run(args.decode()?, cx).await }
        });
        Self::Ready(definition)
    }

    pub(super) fn definition(&self) -> Result<&ToolDefinition, WireError> {
        match self {
            Self::None => Err(WireError::NoCodeRuntime),
            Self::UnknownLanguage(language) => Err(WireError::UnknownLanguage(language.clone())),
            Self::Ready(definition) => Ok(definition),
        }
    }
}
