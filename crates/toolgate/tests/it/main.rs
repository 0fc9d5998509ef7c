//! The library through its public API. The conformance cases cover the rules case by case; here is what they cannot
//! say: panics, dropped futures, depth, types, plugins, the lane's own failures.

#![expect(clippy::expect_used, reason = "a failing helper fails its test")]

mod cancellation;
mod catalog;
mod closing;
mod containment;
mod deep;
mod drop;
mod examples;
mod plugin;
mod presentation;
mod registry;
mod reports;
mod review;
mod schedule;
mod support;
mod tool_group;
mod typed;
mod wrappers;
