//! What running a tool once more would do: the one thing that policies and recovery must know before they choose.

/// What a call leaves behind in the world, and so what may be done when nobody knows whether it ran.
///
/// A tool declares it; the runtime neither checks nor enforces it. Policies read it: a tool that is not
/// [`Pure`](Self::Pure) is one that changes something. An answer that was lost (a crash, a broken connection) may be asked
/// for again only as far as the declaration allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ToolEffect {
    /// Changes nothing. May be called at any time, any number of times, also when its answer is not used.
    Pure,
    /// Changes something, and doing it again with the same arguments is the same as doing it once.
    Idempotent,
    /// Changes something, and doing it again under the same [call id](crate::CallId) is the same as doing it once: the
    /// tool hands the id on as its key. Under another id it is done anew.
    Keyed,
    /// Changes something every time. When its answer is lost, it must not be called again to find out. The default,
    /// because nothing else is safe to assume.
    #[default]
    NonIdempotent,
}
