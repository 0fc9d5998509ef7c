//! [`WeakScope`]: a scope that is remembered without being kept alive.

use std::fmt;
use std::sync::Weak;

use super::Scope;
use super::scope::ScopeShared;
use super::store::Store;

/// A scope, for those who keep something on its behalf, such as a job that runs after the call that began it. It
/// keeps neither the scope nor its runtime alive. Cheap to clone.
#[derive(Clone)]
pub struct WeakScope {
    store: Weak<Store>,
    shared: Weak<ScopeShared>,
}

impl WeakScope {
    pub(super) fn new(store: Weak<Store>, shared: Weak<ScopeShared>) -> Self {
        Self { store, shared }
    }

    /// Whether the scope has not been closed, and its runtime still is.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let alive = self.store.upgrade().zip(self.shared.upgrade());
        alive.is_some_and(|(store, shared)| store.is_open(shared.layer()))
    }

    /// Whether it is this scope.
    #[must_use]
    pub fn is(&self, scope: &Scope) -> bool {
        scope.downgrade().shared.ptr_eq(&self.shared)
    }
}

impl fmt::Debug for WeakScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakScope").field("is_open", &self.is_open()).finish_non_exhaustive()
    }
}
