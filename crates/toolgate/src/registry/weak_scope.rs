//! [`WeakScope`]: a scope that is remembered without being kept alive.

use std::fmt;
use std::sync::Weak;

use super::ScopeId;
use super::store::Store;

/// A scope, for those who keep something on its behalf, such as a job that runs after the call that began it. It
/// keeps neither the scope nor its runtime alive. Cheap to clone.
#[derive(Clone)]
pub struct WeakScope {
    store: Weak<Store>,
    id: ScopeId,
}

impl WeakScope {
    pub(super) fn new(store: Weak<Store>, id: ScopeId) -> Self {
        Self { store, id }
    }

    /// Which scope it is.
    #[must_use]
    pub fn id(&self) -> ScopeId {
        self.id
    }

    /// Whether the scope has not been closed, and its runtime still is.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.store.upgrade().is_some_and(|store| store.is_open(self.id.0))
    }
}

impl fmt::Debug for WeakScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakScope").field("id", &self.id).field("is_open", &self.is_open()).finish()
    }
}
