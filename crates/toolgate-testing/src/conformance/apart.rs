//! One case on a thread of its own: a small stack, contained panics, and a limit of real time.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::Failure;
use super::compare::Mismatch;

/// The stack that the library promises to be content with at any depth.
const STACK_BYTES: usize = 2 << 20;

/// How long a case may take before it counts as hanging.
const LIMIT: Duration = Duration::from_secs(30);

/// What a case that ran to its end says.
pub(super) type Played = Result<Vec<Mismatch>, Failure>;

/// Runs a case apart. A hanging thread is left behind; the process ends without it.
pub(super) fn run(case: impl FnOnce() -> Played + Send + 'static) -> Result<(), Failure> {
    run_within(LIMIT, case)
}

fn run_within(limit: Duration, case: impl FnOnce() -> Played + Send + 'static) -> Result<(), Failure> {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let played = catch_unwind(AssertUnwindSafe(case)).map_err(|payload| panic_text(&*payload));
        // Nobody listens any more where the limit has passed.
        let _ = sender.send(played);
    });
    if let Err(error) = thread {
        return Err(Failure::Panicked(format!("no thread could be started: {error}")));
    }
    match receiver.recv_timeout(limit) {
        Ok(Ok(Ok(mismatches))) if mismatches.is_empty() => Ok(()),
        Ok(Ok(Ok(mismatches))) => Err(Failure::Differs(mismatches)),
        Ok(Ok(Err(failure))) => Err(failure),
        Ok(Err(message)) => Err(Failure::Panicked(message)),
        Err(_) => Err(Failure::Hung),
    }
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (None, Some(text)) => text.clone(),
        (None, None) => "no message".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Failure, Played, run_within};

    fn outcome_of(case: fn() -> Played) -> String {
        match run_within(Duration::from_millis(200), case) {
            Ok(()) => "passed".to_owned(),
            Err(Failure::Panicked(message)) => format!("panicked: {message}"),
            Err(Failure::Hung) => "hung".to_owned(),
            Err(other) => format!("{other:?}"),
        }
    }

    #[test]
    fn a_case_that_panics_or_spins_fails_and_the_runner_goes_on() {
        assert_eq!(outcome_of(|| std::panic::resume_unwind(Box::new("broken"))), "panicked: broken");
        assert_eq!(
            outcome_of(|| {
                loop {
                    std::thread::park();
                }
            }),
            "hung"
        );
        assert_eq!(outcome_of(|| Ok(Vec::new())), "passed");
    }
}
