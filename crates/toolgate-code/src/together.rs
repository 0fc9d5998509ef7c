//! [`together`]: two futures of one task that wake each other thousands of times.
//!
//! Used by a run for its program and for the lane that serves it. What one of them sends wakes the other, and both
//! belong to the same task: without this, each of these wakes would go to the executor, which on some is a system call,
//! and come back through every layer above. It never polls for longer than a bounded number of rounds.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::future::join;
use futures_util::task::AtomicWaker;

/// Rounds of polling before the rest of the executor has its turn.
const ROUNDS: usize = 32;

/// Hears the wakes of both futures, and passes on those that come while neither is polled.
#[derive(Default)]
struct Bell {
    is_polling: AtomicBool,
    has_rung: AtomicBool,
    task: AtomicWaker,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.has_rung.store(true, Ordering::SeqCst);
        if !self.is_polling.load(Ordering::SeqCst) {
            self.task.wake();
        }
    }
}

/// Awaits both.
pub(crate) async fn together<A: Future, B: Future>(first: A, second: B) -> (A::Output, B::Output) {
    let mut both = pin!(join(first, second));
    let bell = Arc::new(Bell::default());
    let waker = Waker::from(Arc::clone(&bell));
    poll_fn(|task| {
        bell.task.register(task.waker());
        bell.is_polling.store(true, Ordering::SeqCst);
        for _ in 0..ROUNDS {
            bell.has_rung.store(false, Ordering::SeqCst);
            if let Poll::Ready(done) = both.as_mut().poll(&mut Context::from_waker(&waker)) {
                return Poll::Ready(done);
            }
            if !bell.has_rung.load(Ordering::SeqCst) {
                break;
            }
        }
        bell.is_polling.store(false, Ordering::SeqCst);
        // Whoever rang until this moment has left it to this task.
        if bell.has_rung.load(Ordering::SeqCst) {
            task.waker().wake_by_ref();
        }
        Poll::Pending
    })
    .await
}
