//! A code transport for tests of everything around `run_code`: it has a language and runs no program.

use toolgate::{CodeProgram, CodeTransport, JsonValue, RunContext, ToolError};

/// A mounted code transport whose programs all fail, for tests that only need `run_code` to exist.
#[derive(Clone, Debug)]
pub struct StubCodeTransport {
    language: String,
}

impl StubCodeTransport {
    /// A stub of this language; the library knows `typescript` and `python`.
    pub fn new(language: impl Into<String>) -> Self {
        Self { language: language.into() }
    }
}

impl CodeTransport for StubCodeTransport {
    fn language(&self) -> &str {
        &self.language
    }

    async fn run(&self, _program: CodeProgram, _cx: RunContext) -> Result<JsonValue, ToolError> {
        Err(ToolError::new("the stub code transport runs no programs"))
    }
}
