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
