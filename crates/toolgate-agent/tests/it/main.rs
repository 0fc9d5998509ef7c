//! The agent, through its public interface: only the model is scripted.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a helper that fails fails its test, and a test looks at the events it is about"
)]

mod arguments;
mod batches;
mod crash;
mod effects;
mod interrupts;
mod limits;
mod offline;
mod projections;
mod prompts;
mod provider_rules;
mod providers;
mod routes;
mod steering;
mod subagents;
mod support;
mod tls;
mod transcript;
