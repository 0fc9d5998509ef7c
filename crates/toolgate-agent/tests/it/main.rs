//! The agent, through its public interface: only the model is scripted.

mod arguments;
mod batches;
mod crash;
mod effects;
mod interrupts;
mod limits;
mod offline;
mod projections;
mod prompts;
mod providers;
mod routes;
mod support;
mod transcript;
