//! Whether a call may overlap with its siblings.

/// How a call is scheduled (rule Q1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ToolExecutionMode {
    /// May overlap with sibling calls of the same mode.
    Parallel,
    /// Runs alone, and is a barrier for everything behind it.
    Exclusive,
}
