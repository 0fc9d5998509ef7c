//! [`Answers`]: how many answers to the other side's own requests are on their way.
//!
//! Used by every transport, on both sides. `rmcp` answers each request in a task and waits for none of them, so one who
//! asks without reading the answers would have them pile up here. A transport reads no more from such a one until it does.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// How many may be on their way before nothing more is read.
const MOST: usize = 128;

/// A place for each answer on its way. Cheap to clone; clones share the places.
#[derive(Clone, Debug)]
pub(crate) struct Answers(Arc<Semaphore>);

impl Answers {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MOST)))
    }

    /// Sends a message, in a place where it is an answer.
    pub(crate) async fn send<T>(self, is_answer: bool, sending: impl Future<Output = T>) -> T {
        let _place = if is_answer { self.0.acquire().await.ok() } else { None };
        sending.await
    }

    /// Waits until the other side may ask for more. Dropping the future changes nothing.
    pub(crate) async fn room(&self) {
        drop(self.0.acquire().await);
    }
}
