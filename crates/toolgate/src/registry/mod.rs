//! Who sees which tool: scopes and their layers, restrictions, presentation modes, plugins.
//!
//! The registry is changed under one lock and read without it: what a scope sees is computed once per change, kept as
//! an immutable `View`, and shared by all calls until the next change.

mod builder;
mod code_transport;
mod error;
mod layer;
mod plugin;
mod presentation_mode;
mod registrar;
mod registration;
mod restriction;
mod runtime;
mod scope;
mod store;
mod tool_group;
mod view;
mod weak_scope;

pub use builder::ToolRuntimeBuilder;
pub use code_transport::{CodeProgram, CodeTransport};
pub use error::{
    DefinitionProblem, PresentationError, RegistrationError, RestrictionError, SetupError, SetupProblem,
    WireError,
};
pub use plugin::{Plugin, PluginContext, PluginError, PluginHandle, PluginScope};
pub use presentation_mode::{PresentationMode, UnknownPresentationMode};
pub use registrar::{First, Registrar};
pub use registration::{Registration, RegistrationGuard};
pub use restriction::{ToolRestriction, patterns_admit};
pub use runtime::ToolRuntime;
pub use scope::{Scope, ScopeId};
pub use tool_group::ToolGroup;
pub use view::ToolSchema;
pub use weak_scope::WeakScope;

pub(crate) use view::{MOST_LISTENERS, Place, View};

/// The name of the tool that runs programs. It belongs to the library (rule R1).
pub const RUN_CODE: &str = "run_code";
