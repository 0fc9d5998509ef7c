//! Containment: a panic of somebody else's code becomes an error and goes no further (rule P23).

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::ToolError;
use crate::result::FailureCause;
use crate::tool::BoxFuture;

/// Runs synchronous code of others.
pub(crate) fn contained<T>(code: impl FnOnce() -> Result<T, ToolError>) -> Result<T, ToolError> {
    // What the code leaves behind half-changed is its own; the library's state is not touched inside.
    catch_unwind(AssertUnwindSafe(code)).unwrap_or_else(|payload| Err(panicked(&*payload)))
}

/// Runs asynchronous code of others: the function that makes the future, and the future.
pub(crate) fn contained_future<'a, T>(
    code: impl FnOnce() -> BoxFuture<'a, Result<T, ToolError>>,
) -> ContainedFuture<'a, T> {
    match contained(|| Ok(code())) {
        Ok(running) => ContainedFuture { running: Some(running), failed: None },
        Err(error) => ContainedFuture { running: None, failed: Some(error) },
    }
}

/// A future of others, whose panic is its error.
pub(crate) struct ContainedFuture<'a, T> {
    running: Option<BoxFuture<'a, Result<T, ToolError>>>,
    failed: Option<ToolError>,
}

impl<T> Future for ContainedFuture<'_, T> {
    type Output = Result<T, ToolError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // Every part is behind a box or a plain value, so nothing here is pinned in place.
        let this = self.get_mut();
        let Some(running) = &mut this.running else {
            return this.failed.take().map_or(Poll::Pending, |error| Poll::Ready(Err(error)));
        };
        let polled = contained(|| Ok(running.as_mut().poll(cx)));
        if !matches!(polled, Ok(Poll::Pending)) {
            // A future that has panicked may panic again when it is dropped.
            let finished = this.running.take();
            let _ = contained(|| {
                drop(finished);
                Ok(())
            });
        }
        match polled {
            Ok(polled) => polled,
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

fn panicked(payload: &(dyn Any + Send)) -> ToolError {
    let message = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (None, Some(text)) => text.clone(),
        (None, None) => "the code panicked without a message".to_owned(),
    };
    ToolError::new(message).with_cause(FailureCause::Panicked)
}
