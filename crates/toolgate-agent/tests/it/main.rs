//! The agent, through its public interface: only the model is scripted.

mod arguments;
mod batches;
mod crash;
mod effects;
mod interrupts;
mod limits;
mod prompts;
mod providers;
mod support;
mod transcript;
