//! Runs file work on a thread where it may block, and waits for it. Called by the listeners and the tools.

use std::panic::resume_unwind;

use tokio::runtime::Handle;
use toolgate::Cancellation;

use super::error::SpillError;

/// Runs `work` off the executor where there is one of tokio, and here otherwise. None where the executor is shutting
/// down and never began it. A panic of the work goes on in the caller.
pub(super) async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let Ok(runtime) = Handle::try_current() else { return Some(work()) };
    match runtime.spawn_blocking(work).await {
        Ok(done) => Some(done),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => None,
        },
    }
}

/// Whether a call still wants its answer, as something that `?` takes.
pub(super) fn check(cancellation: &Cancellation) -> Result<(), SpillError> {
    if cancellation.is_cancelled() { Err(SpillError::Stopped) } else { Ok(()) }
}
