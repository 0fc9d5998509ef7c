//! Code Mode: the model writes one program, and the program calls the tools.
//!
//! [`CodeMode`] mounts a sandbox as the code transport of a runtime. A program sees exactly the tools of the scope that
//! runs it, and every call that it makes goes through the whole pipeline, as a sub-call of `run_code`, on the ordered
//! lane that a batch of direct calls uses (rules C1–C8, Q5). Only what is printed or returned comes back.
//!
//! ```text
//! mode      the transport: one run from the program's text to the result
//! bridge    host calls of the sandbox as calls on the lane
//! events    what a log is told of sub-calls
//! report    what the model reads of a run
//! prompt    what the model is told beforehand
//! lookup    answers the functions of discovery
//! together  the program and its lane in one task
//! ```
//!
//! Nothing here runs program text; that is the sandbox's. Nothing here keeps a log.

mod bridge;
mod events;
mod lookup;
mod mode;
mod prompt;
mod report;
mod together;

pub use events::{DispatchSettled, DispatchSink, DispatchStarted, NoSink};
pub use mode::{CodeMode, CodeModeConfig};
pub use prompt::{PromptSection, prompt_sections};
