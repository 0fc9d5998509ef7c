//! Runs blocking file work off the executor, and never lets go of it.
//!
//! Called by the body of each file tool. The future it gives ends only when the work has ended: cancellation tells
//! the work to stop, it does not abandon it (rule P14). If the future is dropped all the same, the work is told to
//! stop as well, and ends within one block, file or directory.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::runtime::Handle;
use toolgate::{Cancellation, ToolError};

use crate::failure::FileToolError;
use crate::stop::{Stop, Stopped};

/// Runs `work` on a thread where it may block, and waits for it.
///
/// Needs a running tokio runtime. A panic of the work goes on in the caller.
pub(crate) async fn run_blocking<T: Send + 'static>(
    cancellation: &Cancellation,
    work: impl FnOnce(&Stop) -> Result<T, FileToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let Ok(runtime) = Handle::try_current() else {
        return Err(ToolError::new("the file tools need a tokio runtime, and none is running"));
    };
    let abandoned = Arc::new(AtomicBool::new(false));
    let _abandon = AbandonOnDrop(Arc::clone(&abandoned));
    let cancellation = cancellation.clone();
    let stop = Stop::when(move || cancellation.is_cancelled() || abandoned.load(Ordering::Relaxed));
    let outcome = match runtime.spawn_blocking(move || work(&stop)).await {
        Ok(outcome) => outcome,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The runtime is shutting down and never started the work.
            Err(_) => Err(Stopped.into()),
        },
    };
    outcome.map_err(FileToolError::into_tool_error)
}

struct AbandonOnDrop(Arc<AtomicBool>);

impl Drop for AbandonOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
