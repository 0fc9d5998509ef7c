//! The race between some work and its time.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;
use toolgate::CallId;

use crate::person::PersonClock;

/// The time is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Late;

/// Runs some work of the call `root` for at most `limit`, not counting the time in which a person is asked. Work that
/// is done at its first poll costs neither a timer nor an allocation.
pub(super) async fn within<W: Future>(
    clock: &PersonClock,
    root: &CallId,
    limit: Duration,
    work: W,
) -> Result<W::Output, Late> {
    let begun = Instant::now();
    let mut work = pin!(work);
    let mut timer = pin!(None);
    poll_fn(|cx| {
        if let Poll::Ready(output) = work.as_mut().poll(cx) {
            return Poll::Ready(Ok(output));
        }
        if timer.is_none() {
            timer.set(Some(clock.watch(root).elapse(begun, limit)));
        }
        match timer.as_mut().as_pin_mut() {
            Some(timer) => timer.poll(cx).map(|()| Err(Late)),
            None => Poll::Pending,
        }
    })
    .await
}
