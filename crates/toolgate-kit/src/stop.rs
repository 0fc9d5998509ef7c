//! The question that every long loop of this crate asks: should I stop?
//!
//! The engines are plain blocking code and know neither futures nor the runtime's cancellation; they get a [`Stop`]
//! and ask it before each block, file and directory. Who answers is up to [`crate::blocking`].

/// Asks whether the work is still wanted.
pub(crate) struct Stop {
    asked: Box<dyn Fn() -> bool + Send>,
}

/// The work was told to stop before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the call was cancelled before it was done")]
pub(crate) struct Stopped;

impl Stop {
    /// Stops as soon as `asked` says so. It is called often, so it must be quick.
    pub(crate) fn when(asked: impl Fn() -> bool + Send + 'static) -> Self {
        Self { asked: Box::new(asked) }
    }

    /// Whether to stop, as something that `?` takes.
    pub(crate) fn check(&self) -> Result<(), Stopped> {
        if (self.asked)() { Err(Stopped) } else { Ok(()) }
    }
}

#[cfg(test)]
pub(crate) mod counted {
    //! A [`Stop`] that counts how often it is asked.

    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::Stop;

    /// Says no so many times and yes from then on; the counter tells how often it was asked.
    pub(crate) fn stop_after(times: u64) -> (Stop, Arc<AtomicU64>) {
        let asked = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&asked);
        (Stop::when(move || counter.fetch_add(1, Ordering::Relaxed) >= times), asked)
    }

    /// Runs `work` to its end, then stops it at each of its questions; `gave_up` tells whether it gave up.
    ///
    /// Returns how often a whole run asks.
    pub(crate) fn stops_at_every_question<T>(work: impl Fn(&Stop) -> T, gave_up: impl Fn(&T) -> bool) -> u64 {
        let (stop, asked) = stop_after(u64::MAX);
        assert!(!gave_up(&work(&stop)));
        let questions = asked.load(Ordering::Relaxed);
        for times in 0..questions {
            let (stop, asked) = stop_after(times);
            assert!(gave_up(&work(&stop)), "it went on after question {times}");
            assert!(asked.load(Ordering::Relaxed) <= times + 2, "it asked again after question {times}");
        }
        questions
    }
}
