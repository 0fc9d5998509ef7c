//! [`ToolGroup`]: tools of one source that come and go together.

use std::fmt;
use std::sync::Weak;

use super::layer::{ContributionId, LayerId};
use super::store::Store;
use super::{RegistrationError, ToolRuntime};
use crate::ToolDefinition;

/// A place among the registered tools whose content is replaced as a whole: for tools of another program, which says
/// at any time which ones it has.
///
/// The place is taken when the group is made, so the order of tools does not depend on when a source has answered
/// (rule R9). Calls under way keep the definition that they were dispatched to. The group is undone like any other
/// registration: with its plugin or scope. It keeps neither alive.
pub struct ToolGroup {
    store: Weak<Store>,
    layer: LayerId,
    /// None where there was nothing to register with, because the scope is closed.
    id: Option<ContributionId>,
}

impl ToolGroup {
    pub(super) fn new(runtime: &ToolRuntime, layer: LayerId, id: Option<ContributionId>) -> Self {
        Self { store: runtime.downgrade(), layer, id }
    }

    /// Puts these tools in the place of those that the group has: one change, seen as one (rule R8). Nothing happens
    /// where the group has been undone.
    ///
    /// # Errors
    /// Everything that is wrong with any of the tools; the group then keeps what it has.
    pub fn replace(&self, tools: Vec<ToolDefinition>) -> Result<(), Vec<RegistrationError>> {
        match self.store.upgrade() {
            Some(store) => store.replace_group(self.layer, self.id, tools),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for ToolGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolGroup").finish_non_exhaustive()
    }
}
