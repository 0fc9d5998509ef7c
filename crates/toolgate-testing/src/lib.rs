//! Test support for Toolgate: the [`conformance`] runner, and doubles that several crates test with.
//!
//! Nothing here is part of a deployment. The runner drives the library through its public interface alone.

pub mod conformance;
mod model_server;
pub mod provider_rules;
mod stub_code_transport;

pub use model_server::{HttpFault, ModelServer};
pub use stub_code_transport::StubCodeTransport;
