//! A worker process by itself, for the tests of this crate. The `toolgate` binary is its own worker.

/// Counts what a program in Python uses.
#[cfg(feature = "python")]
#[global_allocator]
static ALLOCATOR: toolgate_sandbox::ProgramAllocator = toolgate_sandbox::ProgramAllocator;

fn main() {
    toolgate_sandbox::worker_main()
}
