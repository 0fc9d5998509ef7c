//! TypeScript: types are blanked out, and what is left runs on QuickJS with a fresh state.
//!
//! `run` is called by the placements on a thread of its own with a stack of `stack_size`. In the order of a run:
//! `scan` and `strip` make JavaScript of the source, `engine` runs it in a `heap`, `host` is what it can reach, `encode`
//! and `decode` carry values across, `fault` says what went wrong.

mod bridge;
mod decode;
mod encode;
mod engine;
mod erase;
mod fault;
mod heap;
mod host;
mod position;
mod scan;
mod strip;
mod timers;

pub(crate) use engine::run;

/// The name of the program's source in stack traces.
const FILE: &str = "program.ts";

/// The stack that a thread needs to run a program of this source.
///
/// The parser recurses; its hungriest construct takes some 1,600 bytes of stack for each byte of source. The pages
/// are reserved, not touched, until a program needs them.
pub(crate) fn stack_size(source: usize, stack: usize) -> usize {
    const PARSER: usize = 1_800;
    const BASE: usize = 8 << 20;
    BASE.saturating_add(stack.saturating_mul(2)).saturating_add(source.saturating_mul(PARSER))
}
