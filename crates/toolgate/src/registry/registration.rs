//! What a registration gives back: the means to undo it, once.

use std::fmt;
use std::sync::Weak;

use super::ToolRuntime;
use super::layer::{ContributionId, LayerId};
use super::store::Store;

/// Something that was registered.
///
/// Dropping it does nothing: the registration lives until its scope or plugin closes. [`dispose`](Self::dispose)
/// undoes it; [`until_drop`](Self::until_drop) makes a guard that undoes it when it is dropped.
pub struct Registration {
    store: Weak<Store>,
    layer: LayerId,
    /// None where there was nothing to register with, because the scope is closed.
    id: Option<ContributionId>,
}

impl Registration {
    pub(super) fn new(runtime: &ToolRuntime, layer: LayerId, id: Option<ContributionId>) -> Self {
        Self { store: runtime.downgrade(), layer, id }
    }

    /// Undoes the registration, if nothing else has undone it before.
    pub fn dispose(self) {
        self.undo();
    }

    /// A guard that undoes the registration when it is dropped.
    #[must_use = "the registration is undone as soon as the guard is dropped"]
    pub fn until_drop(self) -> RegistrationGuard {
        RegistrationGuard(self)
    }

    fn undo(&self) {
        if let (Some(store), Some(id)) = (self.store.upgrade(), self.id) {
            store.remove(self.layer, id);
        }
    }

    pub(super) fn share(&self) -> Self {
        Self { store: Weak::clone(&self.store), layer: self.layer, id: self.id }
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration").finish_non_exhaustive()
    }
}

/// A registration that is undone when this is dropped.
#[derive(Debug)]
pub struct RegistrationGuard(Registration);

impl Drop for RegistrationGuard {
    fn drop(&mut self) {
        self.0.undo();
    }
}
