//! Containment: a panic of somebody else's code becomes an error and goes no further (rule P23).

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::ToolError;
use crate::result::FailureCause;
use crate::text::shortened;
use crate::tool::BoxFuture;

/// Runs synchronous code of others.
pub(crate) fn contained<T>(code: impl FnOnce() -> Result<T, ToolError>) -> Result<T, ToolError> {
    // What the code leaves behind half-changed is its own; the library's state is not touched inside.
    catch_unwind(AssertUnwindSafe(code)).unwrap_or_else(|payload| Err(panicked(payload)))
}

/// Runs asynchronous code of others: the function that makes the future, and the future.
pub(crate) fn contained_future<'a, T>(
    code: impl FnOnce() -> BoxFuture<'a, Result<T, ToolError>>,
) -> ContainedFuture<'a, T> {
    match contained(|| Ok(code())) {
        Ok(running) => ContainedFuture { running: Some(running), failed: None, hook: None },
        Err(error) => ContainedFuture { running: None, failed: Some(error), hook: None },
    }
}

/// A future of others, whose panic is its error.
pub(crate) struct ContainedFuture<'a, T> {
    running: Option<BoxFuture<'a, Result<T, ToolError>>>,
    failed: Option<ToolError>,
    /// Whose future it is, where a hook made it.
    hook: Option<&'static str>,
}

impl<T> ContainedFuture<'_, T> {
    /// Says which hook made the future, so that its errors name it.
    pub(crate) fn of_hook(mut self, hook: &'static str) -> Self {
        self.hook = Some(hook);
        self
    }

    fn blamed(&self, error: ToolError) -> ToolError {
        match self.hook {
            Some(hook) => error.of_hook(hook),
            None => error,
        }
    }
}

impl<T> Future for ContainedFuture<'_, T> {
    type Output = Result<T, ToolError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // Every part is behind a box or a plain value, so nothing here is pinned in place.
        let this = self.get_mut();
        let Some(running) = &mut this.running else {
            return match this.failed.take() {
                Some(error) => Poll::Ready(Err(this.blamed(error))),
                None => Poll::Pending,
            };
        };
        let polled = contained(|| Ok(running.as_mut().poll(cx)));
        if !matches!(polled, Ok(Poll::Pending)) {
            // A future that has panicked may panic again when it is dropped.
            release(this.running.take());
        }
        match polled {
            Ok(polled) => polled.map_err(|error| this.blamed(error)),
            Err(error) => Poll::Ready(Err(this.blamed(error))),
        }
    }
}

impl<T> Drop for ContainedFuture<'_, T> {
    fn drop(&mut self) {
        release(self.running.take());
    }
}

/// Drops something of others.
pub(crate) fn release<T>(something: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(something))) {
        forget_if_it_panics(payload);
    }
}

/// Drops the payload of a panic, unless that panics as well.
fn forget_if_it_panics(payload: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
}

fn panicked(payload: Box<dyn Any + Send>) -> ToolError {
    /// The most characters of a panic's message that a result carries.
    const SHOWN: usize = 500;
    let message = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (None, Some(text)) => text.clone(),
        (None, None) => "the code panicked without a message".to_owned(),
    };
    forget_if_it_panics(payload);
    let message = shortened(&message, SHOWN);
    tracing::error!(target: "toolgate", "code of a tool or hook panicked: {message}");
    ToolError::new(message).with_cause(FailureCause::Panicked)
}
