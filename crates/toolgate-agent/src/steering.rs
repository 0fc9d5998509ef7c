//! [`Steering`]: words for a turn that is under way.
//!
//! Held by whoever shows the turn to a person; read by the turn, between two requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolgate::ContentBlock;

/// How many messages may wait. A turn takes them in at its next request.
const MOST: usize = 64;

/// A way to say something to an agent that works. Cheap to clone; all clones lead to the same agent.
///
/// What is said joins the conversation before the next request to the model, as a message of a person, and keeps a turn
/// going that would have ended there. It stops nothing: to stop, fire the turn's token.
#[derive(Clone, Debug, Default)]
pub struct Steering(Arc<Mutex<VecDeque<Vec<ContentBlock>>>>);

/// Too much waits to be taken in already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{MOST} messages wait for the agent already")]
pub struct SteeringFull;

impl Steering {
    /// Says something.
    ///
    /// # Errors
    /// [`SteeringFull`].
    pub fn say(&self, content: Vec<ContentBlock>) -> Result<(), SteeringFull> {
        let mut waiting = self.waiting();
        if waiting.len() >= MOST {
            return Err(SteeringFull);
        }
        waiting.push_back(content);
        Ok(())
    }

    /// Takes what no turn has taken in, oldest first: what came when the turn was already ending. It belongs into the
    /// next one.
    #[must_use]
    pub fn take(&self) -> Vec<Vec<ContentBlock>> {
        self.waiting().drain(..).collect()
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting().is_empty()
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Vec<ContentBlock>>> {
        // Held for one change of the list only.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
