//! A worker process by itself, for the tests of this crate. The `toolgate` binary is its own worker.

fn main() {
    toolgate_sandbox::worker_main()
}
