//! A supervisor by itself, for the tests of this crate. The `toolgate` binary is its own supervisor.

#[cfg(unix)]
fn main() {
    toolgate_kit::supervisor_main()
}

#[cfg(not(unix))]
fn main() {}
