//! [`SharedModel`]: any model, under one type, for those who choose it while they run.

use std::fmt;
use std::sync::Arc;

use toolgate::ToolSchema;

use super::{Answer, DynModel, Model, ModelError, ModelRequest, SchemaLoss};

/// A model of some kind. Cheap to clone; clones are the same model.
#[derive(Clone)]
pub struct SharedModel(Arc<dyn DynModel>);

impl SharedModel {
    /// The same model under this type.
    #[must_use]
    pub fn new(model: impl Model) -> Self {
        Self(Arc::new(model))
    }

    pub(crate) fn into_inner(self) -> Arc<dyn DynModel> {
        self.0
    }
}

impl Model for SharedModel {
    fn name(&self) -> &str {
        self.0.name()
    }

    async fn answer(&self, request: &ModelRequest, answer: &mut Answer) -> Result<(), ModelError> {
        self.0.answer(request, answer).await
    }

    fn schema_losses(&self, tools: &[ToolSchema]) -> Vec<SchemaLoss> {
        self.0.schema_losses(tools)
    }
}

impl fmt::Debug for SharedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedModel").field(&self.0.name()).finish()
    }
}
