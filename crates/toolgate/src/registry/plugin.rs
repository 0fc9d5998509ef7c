//! Plugins: things that are registered, and undone, together (rule R10).

use std::error::Error;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::layer::ROOT;
use super::registrar::{Site, sealed};
use super::{
    PresentationError, PresentationMode, Registration, RestrictionError, Scope, ToolRestriction, ToolRuntime,
};
use crate::pipeline::contained;

/// A set of tools and hooks that belong together.
pub trait Plugin {
    /// The plugin's name, for messages.
    fn name(&self) -> &str;

    /// Registers everything, through the context.
    ///
    /// # Errors
    /// Anything that keeps the plugin from working. What it had registered is undone.
    fn install(&self, cx: &PluginContext<'_>) -> Result<(), Box<dyn Error + Send + Sync>>;
}

/// A plugin that failed to install.
#[derive(Debug, thiserror::Error)]
#[error("the plugin {plugin:?} failed to install")]
pub struct PluginError {
    plugin: String,
    #[source]
    source: Box<dyn Error + Send + Sync>,
}

impl PluginError {
    /// The plugin's name.
    #[must_use]
    pub fn plugin(&self) -> &str {
        &self.plugin
    }
}

/// Where a plugin registers. What is registered here is undone, in reverse order, when the plugin is unplugged.
pub struct PluginContext<'a> {
    runtime: &'a ToolRuntime,
    /// The scope for which the plugin is installed; none where it is for everyone.
    place: Option<&'a Scope>,
    collected: Mutex<Vec<Registration>>,
}

impl PluginContext<'_> {
    /// The scope of that name below the place where the plugin is installed, made where there is none.
    #[must_use]
    pub fn scope(&self, name: &str) -> PluginScope<'_> {
        let scope = self.place.as_ref().map_or_else(|| self.runtime.scope(name), |place| place.scope(name));
        PluginScope { scope, cx: self }
    }

    fn undo(self) {
        undo(self.collected.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
}

impl sealed::Registrar for PluginContext<'_> {
    fn site(&self) -> Site<'_> {
        Site::new(self.runtime, self.place.map_or(ROOT, Scope::layer)).collecting(&self.collected)
    }
}

/// A scope in which a plugin registers.
pub struct PluginScope<'a> {
    scope: Scope,
    cx: &'a PluginContext<'a>,
}

impl PluginScope<'_> {
    /// Masks tools that the scope inherits; see [`Scope::restrict`].
    ///
    /// # Errors
    /// The filter is empty, or names what the scope does not inherit.
    pub fn restrict(&self, restriction: ToolRestriction) -> Result<(), RestrictionError> {
        self.keep(self.scope.restrict(restriction)?);
        Ok(())
    }

    /// Declares the scope's presentation mode; see [`Scope::present_as`].
    ///
    /// # Errors
    /// The scope has declared a mode already.
    pub fn present_as(&self, mode: PresentationMode) -> Result<(), PresentationError> {
        self.keep(self.scope.present_as(mode)?);
        Ok(())
    }

    fn keep(&self, registration: Registration) {
        self.cx.collected.lock().unwrap_or_else(PoisonError::into_inner).push(registration);
    }
}

impl sealed::Registrar for PluginScope<'_> {
    fn site(&self) -> Site<'_> {
        Site::new(self.cx.runtime, self.scope.layer()).collecting(&self.cx.collected)
    }
}

/// An installed plugin. Dropping it does nothing; [`unplug`](Self::unplug) takes the plugin out.
pub struct PluginHandle {
    name: String,
    registrations: Vec<Registration>,
}

impl PluginHandle {
    pub(super) fn install(
        runtime: &ToolRuntime,
        place: Option<&Scope>,
        plugin: impl Plugin,
    ) -> Result<Self, PluginError> {
        let cx = PluginContext { runtime, place, collected: Mutex::new(Vec::new()) };
        let name = contained(|| Ok(plugin.name().to_owned())).unwrap_or_else(|_| "(unnamed)".to_owned());
        let outcome = contained(|| Ok(plugin.install(&cx)))
            .unwrap_or_else(|panicked| Err(format!("it panicked: {panicked}").into()));
        match outcome {
            Ok(()) => Ok(Self {
                name,
                registrations: cx.collected.into_inner().unwrap_or_else(PoisonError::into_inner),
            }),
            Err(source) => {
                cx.undo();
                Err(PluginError { plugin: name, source })
            }
        }
    }

    /// The plugin's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Undoes everything that the plugin registered, in reverse order.
    pub fn unplug(self) {
        undo(self.registrations);
    }
}

impl fmt::Debug for PluginHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginHandle").field("name", &self.name).finish_non_exhaustive()
    }
}

fn undo(registrations: Vec<Registration>) {
    for registration in registrations.into_iter().rev() {
        registration.dispose();
    }
}
